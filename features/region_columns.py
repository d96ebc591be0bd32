"""The columns of a region: its box, its looks, its tags and names, its text, and all that against what is round it.

Sources: VIPS (Cai et al. 2003: background, size), the visual features of Burget and Rudolfova 2009 (place on the page,
contrast, text amount) and of GenieKnows (distances, same column), Kohlschuetter, Fankhauser, Nejdl 2010 (link density).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import names, region_boxes, tree
from vclean.features.columns import Column, ratio, stack, table
from vclean.features.groups import Groups
from vclean.features.region_boxes import BOX_COLUMNS, LOOKS
from vclean.features.region_runs import IMAGES, Runs
from vclean.features.regions import regions_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.regions import Regions

_MEANS: Final = (
    "link_share", "stop_words", "sentences", "commas", "digit", "upper", "capitalised_words", "starts_capital",
    "ends_sentence", "pipes", "dates", "copyrights", "actions", "bylines", "boilerplate", "prices", "emails",
    "title_overlap", "repeated_words", "duplicates", "heading_level", "bold_share",
)  # fmt: skip
"""Columns of the blocks of which a region has the mean over its words."""
_INPUTS: Final = ("input", "select", "textarea", "button")
_SHORT, _LONG = 4, 25
"""A block of so many words at most, or at least, counts as short or long."""
TEXT_COLUMNS: Final = (
    *table(
        """
blocks | blocks | Blocks in it.
words | words | Words in it.
words_of_page | share | Its share of the page's words.
words_of_around | share | Its share of the words of the region round it.
blocks_of_around | share | Its share of the blocks of the region round it.
mean_words | words | Words per block.
most_words | share | The page's blocks of at least 25 words that are in it.
short_blocks | share | Its blocks of at most 4 words.
long_blocks | share | Its blocks of at least 25 words.
link_blocks | share | Its blocks that are links more than half.
headings | share | Its blocks that are headings.
first_is_heading | flag | Its first block is a heading.
hidden | share | Its blocks that are not shown.
begin | share | Place of its first block on the page.
end | share | Place of its last block on the page.
place_in_around | share | Place of its first block in the region round it.
is_first | flag | It begins with the region round it.
is_last | flag | It ends with the region round it.
before_h1 | flag | It ends before the page's first h1.
holds_h1 | flag | The page's first h1 is in it.
link_share_to_around | difference | Its mean link share less that of the region round it.
depth | elements | Depth in the tree.
depth_share | share | Depth over that of the page's deepest element.
children | elements | Children.
elements | elements | Elements in it.
images | elements | Images and films in it.
images_per_word | ratio | Images over words plus one.
inputs | elements | Fields and buttons in it.
links | elements | Links in it.
links_per_block | ratio | Links over blocks.
list_items | elements | List items in it.
paragraphs | elements | Paragraphs in it.
rows | elements | Table rows in it.
alike | elements | Elements with the same chain of tags and classes.
place | share | Place among its siblings.
siblings | elements | Siblings, itself included.
width_attribute | CSS px | Of an image or cell, as written.
height_attribute | CSS px | Of an image, as written.
alt_words | words | Words in the text that stands for an image.
same_site_link | flag | It is in a link to the root of its site.
"""
    ),
    *(Column(f"mean_{name}", "mean", f"`{name}` of its blocks, mean over the words.") for name in _MEANS),
)

KIND_COLUMNS: Final = (
    *(Column(kind, "flag", f"`{kind}` of it, or of an element that holds the same blocks.") for kind in names.KINDS),
    *(Column(f"in_{kind}", "flag", f"`{kind}` of an element round it.") for kind in names.KINDS),
)
NAME_COLUMNS: Final = (
    *(Column(f"name_{name}", "flag", f"A word of `{name}` in the names of the same elements.") for name in names.NAMES),
    *(Column(f"in_name_{name}", "flag", f"A word of `{name}` in the names of an element round it.")
      for name in names.NAMES),
)  # fmt: skip

COLUMNS: Final = (*TEXT_COLUMNS, *BOX_COLUMNS, *KIND_COLUMNS, *NAME_COLUMNS)
"""All columns of a region, by part: text and tree, box and looks, tags and ARIA roles, names."""


def region_matrix(regions: Regions, values: Values) -> NDArray[np.float32]:
    """float32 (C, len(COLUMNS)): the features of the regions; what a layout would tell is NaN without one.

    Args:
        regions: of a page with at least one block.
        values: the linguistic, structural and visual columns of its blocks.
    """
    run = Runs(regions, values)
    found: Values = {**_text(run), **_place(run), **_elements(run), **_image(run)}
    found |= {f"mean_{name}": column for name, column in run.means((*_MEANS, *LOOKS)).items()}
    found |= region_boxes.compute(run)
    plain = stack((*TEXT_COLUMNS, *BOX_COLUMNS), found)
    return np.hstack([plain, _flags(regions)])


def _text(run: Runs) -> Values:
    regions, tokens = run.regions, run.words
    link = run.values["link_share"].astype(np.float32)
    count = np.maximum(regions.last - regions.first, 0)
    words, long = run.sum(tokens), tokens >= _LONG
    around_words, around_blocks = run.around_sum(tokens), run.around_sum(np.ones_like(tokens))
    return {
        "blocks": count,
        "words": words,
        "words_of_page": words / tokens.sum(),
        "words_of_around": ratio(words, around_words),
        "blocks_of_around": ratio(count, around_blocks),
        "mean_words": ratio(words, count),
        "most_words": ratio(run.sum(long), float(long.sum())),
        "short_blocks": ratio(run.sum(tokens <= _SHORT + 0.5), count),
        "long_blocks": ratio(run.sum(long), count),
        "link_blocks": ratio(run.sum(link > 0.5), count),
        "headings": ratio(run.sum(run.values["heading_level"] > 0), count),
        "hidden": ratio(run.sum(run.values["visibility"] > 0), count),
        "link_share_to_around": ratio(run.sum(link * tokens), words)
        - ratio(run.around_sum(link * tokens), around_words),
    }


def _place(run: Runs) -> Values:
    regions, view = run.regions, run.regions.view
    first, last, total = regions.first, regions.last, len(view)
    level = run.values["heading_level"]
    around = run.around_sum(np.ones(total, dtype=np.float32))
    begin = _around_first(regions)
    h1 = int(np.argmax(level == 1)) if (level == 1).any() else -1
    return {
        "first_is_heading": (level[np.minimum(first, total - 1)] > 0) & (last > first),
        "begin": first / total,
        "end": last / total,
        "place_in_around": ratio(first - begin, around),
        "is_first": first == begin,
        "is_last": last == begin + around,
        "before_h1": (last <= h1) & (h1 >= 0),
        "holds_h1": (first <= h1) & (h1 < last),
    }


def _around_first(regions: Regions) -> NDArray[np.int64]:
    """int64 (C,): the first block of the region round each."""
    return regions_at(regions.view, regions.around).first


def _elements(run: Runs) -> Values:
    regions, snapshot = run.regions, run.regions.snapshot
    node, parent = regions.node, snapshot.parent
    blocks = regions.last - regions.first
    images, links = run.elements(IMAGES), run.elements(("a",))
    siblings = Groups.by(parent)
    return {
        "depth": snapshot.depth[node],
        "depth_share": snapshot.depth[node] / max(int(snapshot.depth.max()), 1),
        "children": np.bincount(np.maximum(parent, 0), minlength=len(snapshot))[node],
        "elements": (snapshot.end - np.arange(len(snapshot)))[node],
        "images": images,
        "images_per_word": images / (run.sum(run.words) + 1),
        "inputs": run.elements(_INPUTS),
        "links": links,
        "links_per_block": ratio(links, blocks),
        "list_items": run.elements(("li", "dt", "dd")),
        "paragraphs": run.elements(("p",)),
        "rows": run.elements(("tr",)),
        "alike": Groups.by(regions.view.class_path).size[node],
        "place": siblings.place[node] / siblings.size[node],
        "siblings": siblings.size[node],
    }


def _image(run: Runs) -> Values:
    """What the attributes of an element say of its size and its purpose."""
    snapshot, node = run.regions.snapshot, run.regions.node
    home = np.zeros(len(snapshot), dtype=bool)
    home[[link for link, href in snapshot.attributes("href").items() if _is_home(href)]] = True
    width, height = (
        {at: _pixels(text) for at, text in snapshot.attributes(name).items()} for name in ("width", "height")
    )
    alt = {at: len(text.split()) for at, text in snapshot.attributes("alt").items()}
    return {
        "width_attribute": _by_element(width, run.regions, math.nan),
        "height_attribute": _by_element(height, run.regions, math.nan),
        "alt_words": _by_element(alt, run.regions, 0),
        "same_site_link": tree.path_sum(home & snapshot.is_tag(("a",)), snapshot.end)[node] > 0,
    }


def _is_home(href: str) -> bool:
    """Whether an address is that of a site's first page."""
    path = href.partition("://")[2].partition("/")[2] if "://" in href else href.lstrip("./")
    return not path or path.lower() in _HOME_PAGES


_HOME_PAGES: Final = frozenset(("index.html", "index.htm", "index.php", "default.aspx", "home", "home.html"))


def _by_element(values: Mapping[int, float], regions: Regions, missing: float) -> NDArray[np.float32]:
    """float32 (C,): the value that each region's element has; `missing` where it has none."""
    found = np.full(len(regions.snapshot), missing, dtype=np.float32)
    found[list(values)] = list(values.values())
    return found[regions.node]


def _pixels(value: str) -> float:
    """A size as written; NaN for what is no number of px."""
    digits = value.strip().lower().removesuffix("px")
    return float(digits) if digits.isdecimal() and digits.isascii() and len(digits) < 6 else float("nan")


def _flags(regions: Regions) -> NDArray[np.float32]:
    """float32 (C, len(KIND_COLUMNS) + len(NAME_COLUMNS)): tags, roles and names of the regions and round them."""
    snapshot = regions.snapshot
    found = []
    for bits, count in ((names.kind_bits(snapshot), len(names.KINDS)), (regions.view.name_bits, len(names.NAMES))):
        own = _in_chain(regions, bits)[regions.node]
        round_it = names.above(bits, snapshot.parent)[regions.node]
        found += [names.unpack(own, count), names.unpack(round_it, count)]
    return np.hstack(found).astype(np.float32)


def _in_chain(regions: Regions, bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """uint64 (N,): the bits of all elements that hold the same blocks together."""
    chain = Runs(regions, {}).chain
    gathered = np.zeros_like(bits)
    np.bitwise_or.at(gathered, chain, bits)
    return gathered[chain]
