"""The columns of a region: its box, its looks, its tags and names, its text, and all that against what is round it.

Sources: VIPS (Cai et al. 2003: background, size), the visual features of Burget and Rudolfova 2009 (place on the page,
contrast, text amount) and of GenieKnows (distances, same column), Kohlschuetter, Fankhauser, Nejdl 2010 (link density).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree
from vclean.features.block.visual import luminance
from vclean.features.columns import FeatureColumn, parse_columns, ratio, stack_columns
from vclean.features.names import lexicon
from vclean.features.regions.candidates import blocks_before
from vclean.render.snapshot import ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.features.columns import Numbers, Values
    from vclean.features.regions.candidates import Regions
    from vclean.render.snapshot import Snapshot


IMAGES: Final = ("img", "svg", "picture", "canvas", "video", "object", "embed", "iframe")
"""What counts as an image or a film."""


@dataclass(frozen=True, eq=False)
class RegionRuns:
    """Regions with sums over their runs of blocks and over their subtrees."""

    regions: Regions
    values: Values

    @property
    def rendered(self) -> bool:
        """Whether the page was."""
        return self.regions.snapshot.rendered

    @cached_property
    def words(self) -> NDArray[np.float32]:
        """float32 (B,): words per block, for shares of the page; never all zero."""
        return self.regions.context.tokens + np.float32(1e-3)

    def sum(self, values: Numbers) -> NDArray[np.float64]:
        """float64 (..., C): sum of `values` (..., B) over each region's blocks."""
        total = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
        np.cumsum(values, axis=-1, out=total[..., 1:])
        return np.asarray(total.take(self.regions.last, axis=-1) - total.take(self.regions.first, axis=-1))

    def around_sum(self, values: Numbers) -> NDArray[np.float64]:
        """float64 (C,): the sum of `values` (B,) over the region round each."""
        return self.regions.context.sum_over_subtrees(values.astype(np.float32))[self.regions.around]

    @cached_property
    def around_blocks(self) -> NDArray[np.float64]:
        """float64 (C,): blocks of the region round each."""
        return self.regions.context.block_count[self.regions.around]

    def means(self, columns: Sequence[str]) -> Values:
        """Mean of columns of the blocks over the words of each region's; NaN where no block has a value."""
        values = np.array([self.values[name] for name in columns], dtype=np.float64)
        known = ~np.isnan(values)
        weight = self.sum(known * self.words)
        total = self.sum(np.where(known, values, 0) * self.words)
        mean = np.where(weight > 1e-9, total / np.maximum(weight, 1e-9), np.nan)
        return dict(zip(columns, mean, strict=True))

    def elements(self, kinds: Sequence[Collection[str]]) -> NDArray[np.int64]:
        """int64 (k, C): elements of each of k sets of tags in each region, itself included."""
        snapshot, node = self.regions.snapshot, self.regions.node
        running = np.zeros((len(kinds), len(snapshot) + 1), dtype=np.int64)
        np.cumsum([snapshot.is_tag(tags) for tags in kinds], axis=1, out=running[:, 1:])
        return np.asarray(running.take(snapshot.end[node], axis=1) - running.take(node, axis=1))

    @cached_property
    def chain(self) -> NDArray[np.int32]:
        """int32 (N,): a number for the elements that hold the same blocks; elements without blocks are alone."""
        context = self.regions.context
        return np.where(context.block_count > 0, context.container, np.arange(len(context.snapshot), dtype=np.int32))

    def any_in_chain(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether `mask` (N,) is set for an element that holds the same blocks as the region, bool (C,)."""
        return np.bincount(self.chain, mask, minlength=len(mask))[self.chain[self.regions.node]] > 0

    def gathered(self, bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """uint64 (C,): the `bits` (N,) of all elements that hold the same blocks as the region, together."""
        together = np.zeros_like(bits)
        np.bitwise_or.at(together, self.chain, bits)
        return together[self.chain[self.regions.node]]


LOOKS: Final = (
    "relative_font", "font_size", "relative_weight", "text_luminance", "contrast", "colour_share", "background_share",
    "centred", "underlined", "column_share", "width_share", "lines",
)  # fmt: skip
"""Columns of the blocks that only a rendered page has, of which a region has the mean over its words."""

_CELLS: Final = 64
"""Cells across and down of the grid that says how many words stand beside a region."""

BOX_COLUMNS: Final = (
    *parse_columns(
        """
x | share | Left edge, in page widths.
y | share | Top edge, in page heights.
y_px | CSS px | Top edge.
width | share | Width, in page widths.
height | share | Height, in page heights.
height_px | CSS px | Height.
width_px | CSS px | Width.
area | share | Area, in page areas.
aspect | ratio | Width over height.
bottom_distance | CSS px | From its bottom to the page's.
bottom_share | share | The same in page heights.
right_gap | share | From its right edge to the page's, in page widths.
centre_offset | share | From the page's middle to its own, in page widths, negative to the left.
above_fold | share | Share of its height within the first viewport.
width_of_around | share | Width over that of the region round it.
height_of_around | share | Height over that of the region round it.
area_of_around | share | Area over that of the region round it.
left_in_around | share | From the left edge of the region round it, in its widths.
right_in_around | share | To the right edge of the region round it, in its widths.
top_in_around | share | From the top edge of the region round it, in its heights.
bottom_in_around | share | To the bottom edge of the region round it, in its heights.
words_left | share | Words of the page beside it, to the left.
words_right | share | Words of the page beside it, to the right.
words_above | share | Words of the page above it.
words_below | share | Words of the page below it.
words_per_area | words | Words per 10,000 square px.
image_share | share | Area of images and films in it over its own, 1 at most.
background_luminance | share | Relative luminance of its background.
background_differs | share | Largest difference between the channels of its background and that of the region round it.
background_image | flag | It, or an element that holds the same blocks, has a background image.
border | flag | It, or an element that holds the same blocks, has a border.
floated | flag | It, or an element that holds the same blocks, floats.
inside_float | flag | An element round it floats.
fixed | flag | It, or an element round it, is fixed or sticky.
absolute | flag | It, or an element round it, is positioned absolutely.
no_bullets | flag | Its list items have no bullets.
page_height | CSS px | Height of the page.
rendered | flag | The page was rendered.
"""
    ),
    *(FeatureColumn(f"mean_{name}", "mean", f"`{name}` of its blocks, mean over the words.") for name in LOOKS),
)


def compute(run: RegionRuns) -> Values:
    """The columns of the box and the looks of regions, each (C,)."""
    if not run.rendered:
        return _unrendered(run)
    means = {f"mean_{name}": column for name, column in run.means(LOOKS).items()}
    return {**_box(run), **_in_around(run), **_beside(run), **_looks(run), **means}


def _unrendered(run: RegionRuns) -> Values:
    blank = np.full(len(run.regions), np.nan, dtype=np.float32)
    values: Values = {column.name: blank for column in BOX_COLUMNS}
    values["rendered"] = np.zeros(len(run.regions), dtype=np.float32)
    return values


def _box(run: RegionRuns) -> Values:
    snapshot = run.regions.snapshot
    x, y, width, height = snapshot.box[run.regions.node].T
    page_width, page_height = snapshot.width, max(snapshot.height, 1.0)
    fold = float(snapshot.settings["height"])
    return {
        "x": x / page_width,
        "y": y / page_height,
        "y_px": y,
        "width": width / page_width,
        "height": height / page_height,
        "height_px": height,
        "width_px": width,
        "area": width * height / (page_width * page_height),
        "aspect": ratio(width, height),
        "bottom_distance": page_height - y - height,
        "bottom_share": 1 - (y + height) / page_height,
        "right_gap": 1 - (x + width) / page_width,
        "centre_offset": (x + width / 2) / page_width - 0.5,
        "above_fold": ratio(np.clip(fold - y, 0, height), height),
        "page_height": np.full(len(x), page_height),
        "rendered": np.ones(len(x)),
    }


def _in_around(run: RegionRuns) -> Values:
    box = run.regions.snapshot.box
    x, y, width, height = box[run.regions.node].T
    left, top, wide, high = box[run.regions.around].T
    return {
        "width_of_around": ratio(width, wide),
        "height_of_around": ratio(height, high),
        "area_of_around": ratio(width * height, wide * high),
        "left_in_around": ratio(x - left, wide),
        "right_in_around": ratio(left + wide - x - width, wide),
        "top_in_around": ratio(y - top, high),
        "bottom_in_around": ratio(top + high - y - height, high),
    }


def _beside(run: RegionRuns) -> Values:
    """Words of the page beside, above and below the regions, from a grid of running sums over block centres."""
    context, snapshot = run.regions.context, run.regions.snapshot
    scale = np.array([snapshot.width, max(snapshot.height, 1.0)], dtype=np.float32)
    centre = (context.blocks.box[:, :2] + context.blocks.box[:, 2:] / 2) / scale
    seen = ~np.isnan(centre).any(axis=1)
    place = np.minimum(np.clip(centre[seen], 0, 1) * _CELLS, _CELLS - 1).astype(np.int64)
    cells = np.bincount(place[:, 0] * _CELLS + place[:, 1], run.words[seen], minlength=_CELLS**2)
    total = np.zeros((_CELLS + 1, _CELLS + 1))
    total[1:, 1:] = cells.reshape(_CELLS, _CELLS).cumsum(axis=0).cumsum(axis=1) / run.words.sum()
    box = snapshot.box[run.regions.node]
    low, high = _cell(box[:, :2] / scale), _cell((box[:, :2] + box[:, 2:]) / scale)
    left, top, right, bottom = low[:, 0], low[:, 1], high[:, 0], high[:, 1]
    area = box[:, 2] * box[:, 3]
    return {
        "words_left": total[left, bottom] - total[left, top],
        "words_right": total[-1, bottom] - total[-1, top] - total[right, bottom] + total[right, top],
        "words_above": total[-1, top],
        "words_below": total[-1, -1] - total[-1, bottom],
        "words_per_area": ratio(run.sum(run.words) * 10_000, area),
    }


def _cell(place: NDArray[np.float32]) -> NDArray[np.int64]:
    """int64: the line of the grid nearest to a place in page widths or heights; NaN is the first."""
    return np.rint(np.clip(np.nan_to_num(place), 0, 1) * _CELLS).astype(np.int64)


def _looks(run: RegionRuns) -> Values:
    regions, snapshot = run.regions, run.regions.snapshot
    styles, style = snapshot.styles, snapshot.style
    behind = _backgrounds(regions)
    own, around = behind[regions.node], behind[regions.around]
    edge = sum(np.nan_to_num(styles.number(f"border-{side}-width")) for side in ("top", "bottom", "left"))
    floated = styles.is_in("float", ("left", "right"))[style]
    fixed = styles.is_in("position", ("fixed", "sticky"))[style]
    absolute = styles.is_in("position", ("absolute",))[style]
    plain = styles.is_in("list-style-type", ("none",))[style] & snapshot.is_tag(("li",))
    picture = ~styles.is_in("background-image", ("", "none"))[style]
    box = np.nan_to_num(snapshot.box)
    images = tree.subtree_sum(np.where(snapshot.is_tag(IMAGES), box[:, 2] * box[:, 3], 0), snapshot.end)
    return {
        "image_share": np.minimum(ratio(images[regions.node], (box[:, 2] * box[:, 3])[regions.node]), 1),
        "background_luminance": luminance(own),
        "background_differs": np.abs(own - around).max(axis=1) / 255,
        "background_image": run.any_in_chain(picture),
        "border": run.any_in_chain(np.asarray(edge)[style] > 0),
        "floated": run.any_in_chain(floated),
        "inside_float": tree.path_sum(floated, snapshot.end)[regions.around] > 0,
        "fixed": tree.path_sum(fixed, snapshot.end)[regions.node] > 0,
        "absolute": tree.path_sum(absolute, snapshot.end)[regions.node] > 0,
        "no_bullets": tree.subtree_sum(plain, snapshot.end)[regions.node] > 0,
    }


def _backgrounds(regions: Regions) -> NDArray[np.float32]:
    """float32 (N, 3): colour 0-255 of the nearest background that is more than half opaque; white without one."""
    snapshot = regions.snapshot
    colour = snapshot.styles.colour("background-color")[snapshot.style]
    painted = colour[:, 3] > 0.5
    behind = tree.nearest_ancestor(painted, snapshot.parent)
    return np.where(painted[behind, None], colour[behind, :3], np.float32(255))


_MEANS: Final = (
    "link_share",
    "stop_words",
    "sentences",
    "commas",
    "digit",
    "upper",
    "capitalised_words",
    "starts_capital",
    "ends_sentence",
    "pipes",
    "dates",
    "copyrights",
    "actions",
    "bylines",
    "boilerplate",
    "prices",
    "emails",
    "title_overlap",
    "repeated_words",
    "duplicates",
    "heading_level",
    "bold_share",
)
"""Columns of the blocks of which a region has the mean over its words."""
_COUNTED: Final = (IMAGES, ("a",), ("input", "select", "textarea", "button"), ("li", "dt", "dd"), ("p",), ("tr",))
"""Tags of which a region has the number of elements."""
_SHORT, _LONG = 4, 25
"""A block of so many words at most, or at least, counts as short or long."""
TEXT_COLUMNS: Final = (
    *parse_columns(
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
    *(FeatureColumn(f"mean_{name}", "mean", f"`{name}` of its blocks, mean over the words.") for name in _MEANS),
)

KIND_COLUMNS: Final = (
    *(
        FeatureColumn(kind, "flag", f"`{kind}` of it, or of an element that holds the same blocks.")
        for kind in lexicon.KINDS
    ),
    *(FeatureColumn(f"in_{kind}", "flag", f"`{kind}` of an element round it.") for kind in lexicon.KINDS),
)
NAME_COLUMNS: Final = (
    *(
        FeatureColumn(f"name_{name}", "flag", f"A word of `{name}` in the names of the same elements.")
        for name in lexicon.NAME_GROUPS
    ),
    *(
        FeatureColumn(f"in_name_{name}", "flag", f"A word of `{name}` in the names of an element round it.")
        for name in lexicon.NAME_GROUPS
    ),
)

COLUMNS: Final = (*TEXT_COLUMNS, *BOX_COLUMNS, *KIND_COLUMNS, *NAME_COLUMNS)
"""All columns of a region, by part: text and tree, box and looks, tags and ARIA roles, names."""


def region_matrix(regions: Regions, values: Values) -> NDArray[np.float32]:
    """float32 (C, len(COLUMNS)): the features of the regions; what a layout would tell is NaN without one.

    Args:
        regions: of a page with at least one block.
        values: the linguistic, structural and visual columns of its blocks.
    """
    run = RegionRuns(regions, values)
    found: Values = {**_text(run), **_place(run), **_elements(run), **_image(run)}
    found |= {f"mean_{name}": column for name, column in run.means(_MEANS).items()}
    found |= compute(run)
    plain = stack_columns((*TEXT_COLUMNS, *BOX_COLUMNS), found)
    return np.concatenate([plain, *_flags(run)], axis=1, dtype=np.float32)


def _text(run: RegionRuns) -> Values:
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


def _place(run: RegionRuns) -> Values:
    regions, context = run.regions, run.regions.context
    first, last, total = regions.first, regions.last, len(context)
    level = run.values["heading_level"]
    begin, around = blocks_before(context)[regions.around], run.around_blocks
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


def _elements(run: RegionRuns) -> Values:
    regions, snapshot = run.regions, run.regions.snapshot
    node, parent = regions.node, snapshot.parent
    blocks, siblings = regions.last - regions.first, regions.context.siblings
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
        "alike": regions.context.elements_by_class_path.size[node],
        "place": siblings.rank[node] / siblings.size[node],
        "siblings": siblings.size[node],
    }


def _image(run: RegionRuns) -> Values:
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


def _flags(run: RegionRuns) -> list[NDArray[np.bool_]]:
    """Tags, roles and names of the regions and round them, bool (C, k) each: the parts of KIND_ and NAME_COLUMNS."""
    snapshot, node = run.regions.snapshot, run.regions.node
    found = []
    for bits, count in (
        (lexicon.kind_bits(snapshot), len(lexicon.KINDS)),
        (run.regions.context.name_bits, len(lexicon.NAME_GROUPS)),
    ):
        own, round_it = run.gathered(bits), lexicon.ancestor_bits(bits, snapshot.parent)[node]
        found += [lexicon.unpack(own, count), lexicon.unpack(round_it, count)]
    return found
