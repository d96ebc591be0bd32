"""The columns of a region: its box, its looks, its tags and names, its text, and all that against what is round it.

Sources: VIPS (Cai et al. 2003: background, size), the visual features of Burget and Rudolfova 2009 (place on the page,
contrast, text amount) and of GenieKnows (distances, same column), Kohlschuetter, Fankhauser, Nejdl 2010 (link density).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import names, tree
from vclean.features.columns import Column, ratio, stack, table
from vclean.features.groups import Groups
from vclean.features.visual import luminance

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from vclean.features.columns import Numbers, Values
    from vclean.features.regions import Regions

_MEANS: Final = (
    "link_share", "stop_words", "sentences", "commas", "digit", "upper", "capitalised_words", "starts_capital",
    "ends_sentence", "pipes", "dates", "copyrights", "actions", "bylines", "boilerplate", "prices", "emails",
    "title_overlap", "repeated_words", "duplicates", "heading_level", "bold_share",
)  # fmt: skip
"""Columns of the blocks of which a region has the mean over its words."""
_LOOKS: Final = (
    "relative_font", "font_size", "relative_weight", "text_luminance", "contrast", "colour_share", "background_share",
    "centred", "underlined", "column_share", "width_share", "lines",
)  # fmt: skip
"""The same, of the columns that only a rendered page has."""

_IMAGES: Final = ("img", "svg", "picture", "canvas", "video", "object", "embed", "iframe")
_INPUTS: Final = ("input", "select", "textarea", "button")
_SHORT, _LONG = 4, 25
"""A block of so many words at most, or at least, counts as short or long."""
_CELLS: Final = 64
"""Cells across and down of the grid that says how many words stand beside a region."""

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

BOX_COLUMNS: Final = (
    *table(
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
    *(Column(f"mean_{name}", "mean", f"`{name}` of its blocks, mean over the words.") for name in _LOOKS),
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
    run = _Runs(regions, values)
    found: Values = {**_text(run), **_place(run), **_elements(run), **_image(run)}
    found |= {f"mean_{name}": column for name, column in run.means((*_MEANS, *_LOOKS)).items()}
    found |= {**_box(run), **_in_around(run), **_beside(run), **_looks(run)} if run.rendered else _unrendered(run)
    plain = stack((*TEXT_COLUMNS, *BOX_COLUMNS), found, len(regions))
    return np.hstack([plain, _flags(regions)])


@dataclass(frozen=True, eq=False)
class _Runs:
    """Regions with sums over their runs of blocks and over their subtrees."""

    regions: Regions
    values: Values

    @property
    def rendered(self) -> bool:
        return self.regions.snapshot.rendered

    @cached_property
    def words(self) -> NDArray[np.float32]:
        """float32 (B,): words per block, for shares of the page; never all zero."""
        return self.regions.view.tokens + np.float32(1e-3)

    def sum(self, values: Numbers) -> NDArray[np.float64]:
        """float64 (C, ...): sum of `values` (B, ...) over each region's blocks."""
        total = np.zeros((len(values) + 1, *values.shape[1:]))
        np.cumsum(values, axis=0, out=total[1:])
        return np.asarray(total[self.regions.last] - total[self.regions.first])

    def around_sum(self, values: Numbers) -> NDArray[np.float64]:
        """float64 (C,): the same over the region round each."""
        return self._on_nodes(values)[self.regions.around]

    def _on_nodes(self, values: Numbers) -> NDArray[np.float64]:
        return self.regions.view.on_nodes(values.astype(np.float32))

    def means(self, columns: Collection[str]) -> Values:
        """Mean of columns of the blocks over the words of each region's; NaN where no block has a value."""
        stacked = np.stack([self.values[name].astype(np.float64) for name in columns], axis=1)
        known = ~np.isnan(stacked)
        weight = self.sum(known * self.words[:, None])
        total = self.sum(np.where(known, stacked, 0) * self.words[:, None])
        mean = np.where(weight > 1e-9, total / np.maximum(weight, 1e-9), np.nan)
        return {name: mean[:, at] for at, name in enumerate(columns)}

    def elements(self, tags: Collection[str]) -> NDArray[np.int64]:
        """int64 (C,): elements of one of `tags` in each region, itself included."""
        snapshot = self.regions.snapshot
        return tree.subtree_sum(snapshot.is_tag(tags), snapshot.end)[self.regions.node]

    @cached_property
    def chain(self) -> NDArray[np.int32]:
        """int32 (N,): a number for the elements that hold the same blocks; elements without blocks are alone."""
        from vclean.features.regions import is_candidate

        view = self.regions.view
        here = np.arange(len(view.snapshot), dtype=np.int32)
        holder = tree.nearest(is_candidate(view), view.snapshot.parent)
        return np.where(view.block_count > 0, holder, here)

    def any_in_chain(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether `mask` (N,) is set for an element that holds the same blocks as the region, bool (C,)."""
        return np.bincount(self.chain, mask, minlength=len(mask))[self.chain[self.regions.node]] > 0


def _text(run: _Runs) -> Values:
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


def _place(run: _Runs) -> Values:
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
    from vclean.features.regions import regions_at

    return regions_at(regions.view, regions.around).first


def _elements(run: _Runs) -> Values:
    regions, snapshot = run.regions, run.regions.snapshot
    node, parent = regions.node, snapshot.parent
    blocks = regions.last - regions.first
    images, links = run.elements(_IMAGES), run.elements(("a",))
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


def _image(run: _Runs) -> Values:
    """What the attributes of an element say of its size and its purpose."""
    snapshot, node = run.regions.snapshot, run.regions.node
    home = np.zeros(len(snapshot), dtype=bool)
    home[[link for link, href in snapshot.attributes("href").items() if _is_home(href)]] = True
    alt = {element: len(value.split()) for element, value in snapshot.attributes("alt").items()}
    return {
        "width_attribute": _by_element(snapshot.attributes("width"), node),
        "height_attribute": _by_element(snapshot.attributes("height"), node),
        "alt_words": np.array([alt.get(element, 0) for element in node.tolist()], dtype=np.float32),
        "same_site_link": tree.path_sum(home & snapshot.is_tag(("a",)), snapshot.end)[node] > 0,
    }


def _is_home(href: str) -> bool:
    """Whether an address is that of a site's first page."""
    path = href.partition("://")[2].partition("/")[2] if "://" in href else href.lstrip("./")
    return not path or path.lower() in _HOME_PAGES


_HOME_PAGES: Final = frozenset(("index.html", "index.htm", "index.php", "default.aspx", "home", "home.html"))


def _by_element(values: dict[int, str], node: NDArray[np.int32]) -> NDArray[np.float32]:
    found = [_pixels(values.get(element, "")) for element in node.tolist()]
    return np.array(found, dtype=np.float32)


def _pixels(value: str) -> float:
    """A size as written; NaN for what is no number of px."""
    digits = value.strip().lower().removesuffix("px")
    return float(digits) if digits.isdecimal() and digits.isascii() and len(digits) < 6 else float("nan")


def _unrendered(run: _Runs) -> Values:
    blank = np.full(len(run.regions), np.nan, dtype=np.float32)
    values: Values = {column.name: blank for column in BOX_COLUMNS if not column.name.startswith("mean_")}
    values["rendered"] = np.zeros(len(run.regions), dtype=np.float32)
    return values


def _box(run: _Runs) -> Values:
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


def _in_around(run: _Runs) -> Values:
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


def _beside(run: _Runs) -> Values:
    """Words of the page beside, above and below the regions, from a grid of running sums over block centres."""
    view, snapshot = run.regions.view, run.regions.snapshot
    scale = np.array([snapshot.width, max(snapshot.height, 1.0)], dtype=np.float32)
    centre = (view.blocks.box[:, :2] + view.blocks.box[:, 2:] / 2) / scale
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


def _looks(run: _Runs) -> Values:
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
    images = tree.subtree_sum(np.where(snapshot.is_tag(_IMAGES), box[:, 2] * box[:, 3], 0), snapshot.end)
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
    behind = tree.nearest(painted, snapshot.parent)
    return np.where(painted[behind, None], colour[behind, :3], np.float32(255))


def _flags(regions: Regions) -> NDArray[np.float32]:
    """float32 (C, len(KIND_COLUMNS) + len(NAME_COLUMNS)): tags, roles and names of the regions and round them."""
    snapshot = regions.snapshot
    found = []
    for bits, count in ((names.kind_bits(snapshot), len(names.KINDS)), (names.name_bits(snapshot), len(names.NAMES))):
        own = _in_chain(regions, bits)[regions.node]
        round_it = names.above(bits, snapshot.parent)[regions.node]
        found += [names.unpack(own, count), names.unpack(round_it, count)]
    return np.hstack(found).astype(np.float32)


def _in_chain(regions: Regions, bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """uint64 (N,): the bits of all elements that hold the same blocks together."""
    chain = _Runs(regions, {}).chain
    gathered = np.zeros_like(bits)
    np.bitwise_or.at(gathered, chain, bits)
    return gathered[chain]
