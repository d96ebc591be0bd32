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
from vclean.features.region_boxes import BOX_COLUMNS
from vclean.features.region_runs import IMAGES, Runs
from vclean.features.regions import blocks_before
from vclean.render.snapshot import ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.regions import Regions
    from vclean.render.snapshot import Snapshot

_MEANS: Final = (
    "link_share", "stop_words", "sentences", "commas", "digit", "upper", "capitalised_words", "starts_capital",
    "ends_sentence", "pipes", "dates", "copyrights", "actions", "bylines", "boilerplate", "prices", "emails",
    "title_overlap", "repeated_words", "duplicates", "heading_level", "bold_share",
)  # fmt: skip
"""Columns of the blocks of which a region has the mean over its words."""
_COUNTED: Final = (IMAGES, ("a",), ("input", "select", "textarea", "button"), ("li", "dt", "dd"), ("p",), ("tr",))
"""Tags of which a region has the number of elements."""
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
    found |= {f"mean_{name}": column for name, column in run.means(_MEANS).items()}
    found |= region_boxes.compute(run)
    plain = stack((*TEXT_COLUMNS, *BOX_COLUMNS), found)
    return np.concatenate([plain, *_flags(run)], axis=1, dtype=np.float32)


def _text(run: Runs) -> Values:
    regions, tokens = run.regions, run.words
    link, long = run.values["link_share"].astype(np.float32), tokens >= _LONG
    linked = link * tokens
    blocks = [tokens <= _SHORT + 0.5, long, link > 0.5, run.values["heading_level"] > 0, run.values["visibility"] > 0]
    words, link_words, *counts = run.sum(np.array([tokens, linked, *blocks]))
    count = np.maximum(regions.last - regions.first, 0)
    short_blocks, long_blocks, link_blocks, headings, hidden = ratio(np.array(counts), count)
    around_words = run.around_sum(tokens)
    return {
        "blocks": count,
        "words": words,
        "words_of_page": words / tokens.sum(),
        "words_of_around": ratio(words, around_words),
        "blocks_of_around": ratio(count, run.around_blocks),
        "mean_words": ratio(words, count),
        "most_words": ratio(counts[1], float(long.sum())),
        "short_blocks": short_blocks,
        "long_blocks": long_blocks,
        "link_blocks": link_blocks,
        "headings": headings,
        "hidden": hidden,
        "link_share_to_around": ratio(link_words, words) - ratio(run.around_sum(linked), around_words),
    }


def _place(run: Runs) -> Values:
    regions, view = run.regions, run.regions.view
    first, last, total = regions.first, regions.last, len(view)
    level = run.values["heading_level"]
    begin, around = blocks_before(view)[regions.around], run.around_blocks
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


def _elements(run: Runs) -> Values:
    regions, snapshot = run.regions, run.regions.snapshot
    node, parent = regions.node, snapshot.parent
    blocks, siblings = regions.last - regions.first, regions.view.siblings
    images, links, inputs, items, paragraphs, table_rows = run.elements(_COUNTED)
    return {
        "depth": snapshot.depth[node],
        "depth_share": snapshot.depth[node] / max(int(snapshot.depth.max()), 1),
        "children": np.bincount(np.maximum(parent, 0), minlength=len(snapshot))[node],
        "elements": snapshot.end[node] - node,
        "images": images,
        "images_per_word": images / (run.sum(run.words) + 1),
        "inputs": inputs,
        "links": links,
        "links_per_block": ratio(links, blocks),
        "list_items": items,
        "paragraphs": paragraphs,
        "rows": table_rows,
        "alike": regions.view.alike.size[node],
        "place": siblings.place[node] / siblings.size[node],
        "siblings": siblings.size[node],
    }


def _image(run: Runs) -> Values:
    """What the attributes of an element say of its size and its purpose."""
    snapshot, node = run.regions.snapshot, run.regions.node
    own = np.zeros(len(snapshot), dtype=bool)
    own[node] = True
    width, height, alt = (_attributes(snapshot, name, own) for name in ("width", "height", "alt"))
    return {
        "width_attribute": _by_element({at: _pixels(text) for at, text in width.items()}, run.regions, math.nan),
        "height_attribute": _by_element({at: _pixels(text) for at, text in height.items()}, run.regions, math.nan),
        "alt_words": _by_element({at: len(text.split()) for at, text in alt.items()}, run.regions, 0),
        "same_site_link": _in_home_link(snapshot, own)[node],
    }


def _attributes(snapshot: Snapshot, name: str, of: NDArray[np.bool_]) -> dict[int, str]:
    """The values of attribute `name` of the elements in the mask `of` (N,), by element."""
    rows = np.flatnonzero((snapshot.attr_name == ATTRIBUTES.index(name)) & of[snapshot.attr_node])
    return {int(snapshot.attr_node[row]): snapshot.attr_value[row] for row in rows.tolist()}


def _in_home_link(snapshot: Snapshot, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether an element is in a link to the root of its site, bool (N,); told of the `wanted` (N,) only."""
    links = snapshot.is_tag(("a",)) & (tree.subtree_sum(wanted, snapshot.end) > 0)
    home = np.zeros(len(snapshot), dtype=bool)
    home[[link for link, href in _attributes(snapshot, "href", links).items() if _is_home(href)]] = True
    return tree.path_sum(home, snapshot.end) > 0


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


def _flags(run: Runs) -> list[NDArray[np.bool_]]:
    """Tags, roles and names of the regions and round them, bool (C, k) each: the parts of KIND_ and NAME_COLUMNS."""
    snapshot, node = run.regions.snapshot, run.regions.node
    found = []
    for bits, count in ((names.kind_bits(snapshot), len(names.KINDS)), (run.regions.view.name_bits, len(names.NAMES))):
        own, round_it = run.gathered(bits), names.above(bits, snapshot.parent)[node]
        found += [names.unpack(own, count), names.unpack(round_it, count)]
    return found
