"""Find the elements of a page that may be regions, and compute their columns.

Each element that contains blocks is a candidate. Of nested elements with the same blocks only the outermost is a
candidate, because it has the visible padding, background and float. The names of all nested elements count.

The columns are box, appearance, tags, names and text, also relative to the enclosing region. Sources: VIPS (Cai et al.
2003: background, size), the visual features of Burget and Rudolfova 2009 (place on the page, contrast, text amount) and
of GenieKnows (distances, same column), Kohlschuetter, Fankhauser, Nejdl 2010 (link density).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import element_names
from vclean.features.block.visual import backgrounds
from vclean.features.columns import FeatureColumn, Groups, count_limits, ratio, read_columns, stack_rows, sum_over_runs
from vclean.features.element_names import KINDS, NAME_GROUPS
from vclean.render import tree
from vclean.render.css_colors import luminance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Numbers, Values
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot


class Regions:
    """C elements of a page as regions, over B blocks.

    Any elements, for example marked ones. Unlike candidates they may have the same blocks as their parent, or no text.

    Args:
        context: the blocks of the page.
        node: int32 (C,), the elements.

    Attributes:
        context: the blocks of the page.
        node: int32 (C,), the elements.
        enclosing: int32 (C,), the enclosing candidate of each: the nearest one with more blocks. For a region without
            blocks the nearest one; for a region with all blocks of the page the region itself.
        first, last: int64 (C,), the region contains the blocks `[first, last)`.
    """

    def __init__(self, context: PageContext, node: NDArray[np.int32]) -> None:
        self.context, self.node = context, node
        holder, count = context.container[node], context.block_count[node]
        around = context.container[np.maximum(context.snapshot.parent[holder], 0)]
        self.enclosing = np.where(count == 0, holder, around).astype(np.int32)
        self.first = blocks_before(context)[node]
        self.last = self.first + count.astype(np.int64)

    def __len__(self) -> int:
        """Return the number of regions."""
        return len(self.node)

    @property
    def snapshot(self) -> Snapshot:
        """Return the snapshot of the page."""
        return self.context.snapshot

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """Return the index in `node` of each candidate's `enclosing`, -1 for the outermost: int32 (C,).

        Valid only if all regions are candidates.
        """
        index = np.searchsorted(self.node, self.enclosing).astype(np.int32)
        return np.where(self.enclosing == self.node, np.int32(-1), index)

    @cached_property
    def block_region(self) -> NDArray[np.int32]:
        """Return the index in `node` of the innermost candidate around each block: int32 (B,).

        Valid only if all regions are candidates.
        """
        return np.searchsorted(self.node, self.context.container[self.context.blocks.node]).astype(np.int32)

    @cached_property
    def words(self) -> NDArray[np.float32]:
        """Return the number of words per block of the page, plus 0.001: float32 (B,).

        The addition keeps shares of the page defined if there are no words.
        """
        return self.context.tokens + np.float32(1e-3)

    def block_sum(self, values: Numbers) -> NDArray[np.float64]:
        """Return the sum of `values` (..., B) over each region's blocks: float64 (..., C)."""
        return sum_over_runs(values, self.first, self.last)

    def in_chain(self, bits: NDArray[np.uint64] | NDArray[np.bool_]) -> NDArray[np.uint64]:
        """Return the bitwise or of `bits` (N,) over all elements with the same blocks as the region: uint64 (C,).

        Elements without blocks are single.
        """
        union = np.zeros(len(bits), dtype=np.uint64)
        chain = np.where(self.context.block_count > 0, self.context.container, np.arange(len(bits)))
        np.bitwise_or.at(union, chain, bits.astype(np.uint64, copy=False))
        return union[chain[self.node]]


def candidate_regions(context: PageContext) -> Regions:
    """Return the candidates of a page in document order."""
    return Regions(context, np.flatnonzero(context.is_container).astype(np.int32))


def blocks_before(context: PageContext) -> NDArray[np.int64]:
    """Return the number of blocks that begin before each element: int64 (N,)."""
    blocks = context.blocks
    begun = np.zeros(len(context.snapshot.texts) + 1, dtype=np.int64)
    begun[blocks.members[blocks.first] + 1] = 1
    return np.cumsum(begun)[context.snapshot.text_start[:-1]]


IMAGES: Final = ("img", "svg", "picture", "canvas", "video", "object", "embed", "iframe")
"""Tags of images, films and embedded objects."""


_CELLS: Final = 64
"""Number of rows and of columns of the grid that counts words beside a region."""

BOX_COLUMNS: Final = read_columns("region", "box")


def _means(regions: Regions, block_columns: Values) -> Values:
    """Return the columns that are means of block columns, weighted by words; NaN if no block has a value."""
    names = [column.name for column in (*TEXT_COLUMNS, *BOX_COLUMNS) if column.unit == "mean"]
    values = np.array([block_columns[name.removeprefix("mean_")] for name in names], dtype=np.float64)
    known = ~np.isnan(values)
    weight = regions.block_sum(known * regions.words)
    total = regions.block_sum(np.where(known, values, 0) * regions.words)
    mean = np.where(weight > 1e-9, total / np.maximum(weight, 1e-9), np.nan)
    return dict(zip(names, mean, strict=True))


def _box_columns(regions: Regions) -> Values:
    """Return columns about position and size on the page."""
    snapshot = regions.snapshot
    x, y, width, height = snapshot.box[regions.node].T
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
    }


def _relative_box_columns(regions: Regions) -> Values:
    """Return columns about position and size relative to the enclosing region."""
    box = regions.snapshot.box
    x, y, width, height = box[regions.node].T
    left, top, outer_width, outer_height = box[regions.enclosing].T
    return {
        "width_of_around": ratio(width, outer_width),
        "height_of_around": ratio(height, outer_height),
        "area_of_around": ratio(width * height, outer_width * outer_height),
        "left_in_around": ratio(x - left, outer_width),
        "right_in_around": ratio(left + outer_width - x - width, outer_width),
        "top_in_around": ratio(y - top, outer_height),
        "bottom_in_around": ratio(top + outer_height - y - height, outer_height),
    }


def _side_columns(regions: Regions) -> Values:
    """Return the shares of the page's words beside, above and below the regions.

    Block centers are counted on a grid; shares are differences of cumulative regions.
    """
    context, snapshot = regions.context, regions.snapshot
    scale = np.array([snapshot.width, max(snapshot.height, 1.0)], dtype=np.float32)
    center = (context.blocks.box[:, :2] + context.blocks.box[:, 2:] / 2) / scale
    has_box = ~np.isnan(center).any(axis=1)
    x, y = np.clip(center[has_box], 0, 1).T
    words, _, _ = np.histogram2d(x, y, _CELLS, ((0, 1), (0, 1)), weights=regions.words[has_box])
    total = np.pad(words.cumsum(axis=0).cumsum(axis=1) / regions.words.sum(), (1, 0))
    box = snapshot.box[regions.node]
    corners = np.hstack([box[:, :2] / scale, (box[:, :2] + box[:, 2:]) / scale])
    left, top, right, bottom = np.rint(np.clip(np.nan_to_num(corners), 0, 1) * _CELLS).astype(np.int64).T
    area = box[:, 2] * box[:, 3]
    return {
        "words_left": total[left, bottom] - total[left, top],
        "words_right": total[-1, bottom] - total[-1, top] - total[right, bottom] + total[right, top],
        "words_above": total[-1, top],
        "words_below": total[-1, -1] - total[-1, bottom],
        "words_per_area": ratio(regions.block_sum(regions.words) * 10_000, area),
    }


def _appearance_columns(regions: Regions) -> Values:
    """Return columns about background, border, images and positioning."""
    snapshot = regions.snapshot
    styles, style = snapshot.styles, snapshot.style
    background = backgrounds(snapshot)
    color, around_color = background[regions.node], background[regions.enclosing]
    border = sum(np.nan_to_num(styles.number(f"border-{side}-width")) for side in ("top", "bottom", "left"))
    floated = styles.is_in("float", ("left", "right"))[style]
    absolute = styles.is_in("position", ("absolute",))[style]
    has_image = ~styles.is_in("background-image", ("", "none"))[style]
    box = np.nan_to_num(snapshot.box)
    images = tree.subtree_sum(np.where(snapshot.is_tag(IMAGES), box[:, 2] * box[:, 3], 0), snapshot.end)
    return {
        "image_share": np.minimum(ratio(images[regions.node], (box[:, 2] * box[:, 3])[regions.node]), 1),
        "background_luminance": luminance(color),
        "background_differs": np.abs(color - around_color).max(axis=1) / 255,
        "background_image": regions.in_chain(has_image),
        "border": regions.in_chain(np.asarray(border)[style] > 0),
        "floated": regions.in_chain(floated),
        "inside_float": tree.inside(floated, snapshot.end)[regions.enclosing],
        "absolute": tree.inside(absolute, snapshot.end)[regions.node],
    }


_COUNTED: Final = {
    "images": IMAGES, "inputs": ("input", "select", "textarea", "button"), "links": ("a",),
    "list_items": ("li", "dt", "dd"), "paragraphs": ("p",), "rows": ("tr",),
}  # fmt: skip
"""Tags of the elements that a column counts."""
_SHORT, _LONG = 4, 25
"""Maximum number of words of a short block, and minimum of a long one."""
TEXT_COLUMNS: Final = read_columns("region", "text")
FLAG_COLUMNS: Final = tuple(
    FeatureColumn(prefix + name, "flag", doc.format(name))
    for prefix, names, doc in (
        ("", KINDS, "`{}` matches it, or an element with the same blocks."),
        ("in_", KINDS, "`{}` matches an ancestor."),
        ("name_", NAME_GROUPS, "A word of `{}` is in its names, or those of an element with the same blocks."),
        ("in_name_", NAME_GROUPS, "A word of `{}` is in the names of an ancestor."),
    )
    for name in names
)
"""Tags and ARIA roles, then groups of words in names, each of the region and then of its ancestors."""

COLUMNS: Final = (*TEXT_COLUMNS, *BOX_COLUMNS, *FLAG_COLUMNS)
"""All columns of a region: text and tree, box and appearance, tags and ARIA roles, names."""

LIMITS: Final = count_limits(COLUMNS)
"""Limits of the columns for the region model: see `vclean.features.columns.count_limits`."""


def region_matrix(regions: Regions, values: Values) -> NDArray[np.float32]:
    """Return the features of the regions: float32 (C, len(COLUMNS)); visual features are NaN without rendering.

    Args:
        regions: regions of a page with at least one block.
        values: the linguistic, structural and visual columns of its blocks.
    """
    names = [column.name for column in (*TEXT_COLUMNS, *BOX_COLUMNS)]
    columns = _text_columns(regions, values) | _position_columns(regions, values) | _means(regions, values)
    columns |= _element_columns(regions) | _attribute_columns(regions)
    if regions.snapshot.rendered:
        columns |= _box_columns(regions) | _relative_box_columns(regions) | _side_columns(regions)
        columns |= _appearance_columns(regions)
    else:
        columns |= dict.fromkeys((column.name for column in BOX_COLUMNS), np.full(len(regions), np.float32(np.nan)))
    flags: list[NDArray[np.bool_]] = []
    for bits, count in (
        (element_names.kind_bits(regions.snapshot), len(KINDS)),
        (regions.context.name_bits, len(NAME_GROUPS)),
    ):
        inherited = element_names.ancestor_bits(bits, regions.snapshot.parent)[regions.node]
        flags += [element_names.unpack(each, count) for each in (regions.in_chain(bits), inherited)]
    return np.concatenate([stack_rows(names, columns).T, *flags], axis=1, dtype=np.float32)


def _text_columns(regions: Regions, values: Values) -> Values:
    """Return columns about numbers of words and blocks."""
    tokens = regions.words
    link, long = values["link_share"].astype(np.float32), tokens >= _LONG
    linked = link * tokens
    blocks = [tokens <= _SHORT + 0.5, long, link > 0.5, values["heading_level"] > 0, values["visibility"] > 0]
    words, link_words, *counts = regions.block_sum(np.array([tokens, linked, *blocks]))
    count = np.maximum(regions.last - regions.first, 0)
    names = ("short_blocks", "long_blocks", "link_blocks", "headings", "hidden")
    around_words, around_links = (
        regions.context.sum_over_subtrees(each)[regions.enclosing] for each in (tokens, linked)
    )
    return {
        "blocks": count,
        "words": words,
        "words_of_page": words / tokens.sum(),
        "words_of_around": ratio(words, around_words),
        "blocks_of_around": ratio(count, regions.context.block_count[regions.enclosing]),
        "mean_words": ratio(words, count),
        "most_words": ratio(counts[1], float(long.sum())),
        **dict(zip(names, ratio(np.array(counts), count), strict=True)),
        "link_share_to_around": ratio(link_words, words) - ratio(around_links, around_words),
    }


def _position_columns(regions: Regions, values: Values) -> Values:
    """Return columns about the position in the order of blocks."""
    context, first, last = regions.context, regions.first, regions.last
    total = len(context)
    level = values["heading_level"]
    begin, around_blocks = blocks_before(context)[regions.enclosing], regions.context.block_count[regions.enclosing]
    h1 = int(np.argmax(level == 1)) if (level == 1).any() else -1
    return {
        "first_is_heading": (level[np.minimum(first, total - 1)] > 0) & (last > first),
        "begin": first / total,
        "end": last / total,
        "place_in_around": ratio(first - begin, around_blocks),
        "is_first": first == begin,
        "is_last": last == begin + around_blocks,
        "before_h1": (last <= h1) & (h1 >= 0),
        "holds_h1": (first <= h1) & (h1 < last),
    }


def _element_columns(regions: Regions) -> Values:
    """Return columns about the tree and numbers of elements."""
    snapshot, node = regions.snapshot, regions.node
    blocks, siblings = regions.last - regions.first, Groups(snapshot.parent)
    is_counted = np.stack([snapshot.is_tag(tags) for tags in _COUNTED.values()], axis=1)
    counts = dict(zip(_COUNTED, tree.subtree_sum(is_counted, snapshot.end)[node].T, strict=True))
    return {
        "depth": snapshot.depth[node],
        "depth_share": snapshot.depth[node] / max(int(snapshot.depth.max()), 1),
        "children": np.bincount(np.maximum(snapshot.parent, 0), minlength=len(snapshot))[node],
        "elements": snapshot.end[node] - node,
        **counts,
        "images_per_word": counts["images"] / (regions.block_sum(regions.words) + 1),
        "links_per_block": ratio(counts["links"], blocks),
        "alike": Groups(regions.context.class_path).size[node],
        "place": siblings.rank[node] / siblings.size[node],
        "siblings": siblings.size[node],
    }


def _attribute_columns(regions: Regions) -> Values:
    """Return columns about attributes of images and cells, and links to the home page."""
    snapshot, nodes = regions.snapshot, regions.node.tolist()
    width, height, alt = (map(snapshot.attributes(name).get, nodes) for name in ("width", "height", "alt"))
    links, home = snapshot.values("href"), np.zeros(len(snapshot), dtype=bool)
    home[links.node] = np.array(list(map(_is_home_page, links.distinct)), dtype=bool)[links.index]
    return {
        "width_attribute": np.array([_parse_pixels(value or "") for value in width], dtype=np.float32),
        "height_attribute": np.array([_parse_pixels(value or "") for value in height], dtype=np.float32),
        "alt_words": np.array([len((value or "").split()) for value in alt], dtype=np.float32),
        "same_site_link": tree.inside(home & snapshot.is_tag(("a",)), snapshot.end)[regions.node],
    }


def _is_home_page(href: str) -> bool:
    """Return whether a URL is that of a site's home page."""
    path = href.partition("://")[2].partition("/")[2] if "://" in href else href.lstrip("./")
    return not path or path.lower() in _HOME_PAGES


_HOME_PAGES: Final = frozenset(("index.html", "index.htm", "index.php", "default.aspx", "home", "home.html"))


def _parse_pixels(value: str) -> float:
    """Parse a length attribute in px; NaN for other text."""
    digits = value.strip().lower().removesuffix("px")
    return float(digits) if digits.isdecimal() and digits.isascii() and len(digits) < 6 else float("nan")
