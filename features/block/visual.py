"""Compute visual columns: position and appearance of a block; NaN if the page was not rendered or has no author styles.

Sources: FIASCO (Bauer et al. 2007: solidity 1-3, relative width and height), GenieKnows (position, font size, distance
between blocks, horizontal offset, same width), VIPS (Cai et al. 2003: background, font and distance cues).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely

from vclean.features import tree
from vclean.features.columns import parse_columns, ratio
from vclean.features.groups import Groups
from vclean.features.visibility.colors import contrast_ratio, luminance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import Values
    from vclean.features.page_context import PageContext


_RECTANGLE_VERTICES = 4
_SAME_EDGE = 1.0
"""Maximum distance of line edges, in CSS px, that count as equal: the grid on which outlines are united."""


class Solidity(NamedTuple):
    """FIASCO's three solidities, float32 (B,) each; NaN without line boxes, and where the outline has no area."""

    area_share: NDArray[np.float32]
    """Solidity 1: area of the outline over the area of its bounding rectangle."""
    vertices: NDArray[np.float32]
    """Solidity 2: number of vertices of the outline; 0 if it has no area."""
    spread: NDArray[np.float32]
    """Solidity 3: mean distance of the vertices from the rectangle's center, in half diagonals."""


def outlines(blocks: BlockColumns, rows: NDArray[np.intp]) -> NDArray[np.object_]:
    """Return the outlines of the blocks `rows` as shapely geometries: (len(rows),).

    Args:
        blocks: the blocks of a page.
        rows: indices of blocks with at least one line box, ascending.
    """
    lines = blocks.lines[np.isin(blocks.line_block[blocks.lines], rows)]
    owner = blocks.line_block[lines]
    left, top, right, bottom = _close_line_gaps(blocks.snapshot.line_box[lines], owner).T
    rectangles = np.asarray(shapely.box(left, top, right, bottom), dtype=object)
    first = np.searchsorted(owner, rows)
    return _unite(rectangles, first, np.diff(first, append=len(lines)))


def solidity(blocks: BlockColumns) -> Solidity:
    """Return solidity 1 to 3 of each block."""
    result = Solidity(*(np.full(len(blocks), np.nan, dtype=np.float32) for _ in range(3)))
    single_line = _find_single_lines(blocks)
    for column, value in zip(result, (1.0, _RECTANGLE_VERTICES, 1.0), strict=True):
        column[single_line] = value
    multiple_lines = np.flatnonzero(~single_line & ~np.isnan(blocks.box[:, 0]))
    if len(multiple_lines):
        _measure_solidity(outlines(blocks, multiple_lines), multiple_lines, result)
    return result


def _measure_solidity(shapes: NDArray[np.object_], rows: NDArray[np.intp], result: Solidity) -> None:
    """Write the solidities of `shapes` into `rows` of `result`."""
    min_x, min_y, max_x, max_y = shapely.bounds(shapes).T
    result.area_share[rows] = shapely.area(shapes) / np.maximum((max_x - min_x) * (max_y - min_y), 1e-6)
    points, owner = _vertices(shapes)
    count = np.bincount(owner, minlength=len(rows))
    result.vertices[rows] = count
    center = np.stack([min_x + max_x, min_y + max_y], axis=1) / 2
    half = np.maximum(np.hypot(max_x - min_x, max_y - min_y) / 2, 1e-6)
    total = np.bincount(owner, np.hypot(*(points - center[owner]).T), len(rows))
    result.spread[rows] = total / np.maximum(count, 1) / half


def _vertices(shapes: NDArray[np.object_]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the vertices (V, 2) of all rings of all parts, and the shape of each vertex.

    The last point of a ring, which equals the first, is left out.
    """
    parts, part_owner = shapely.get_parts(shapes, return_index=True)
    rings, ring_part = shapely.get_rings(parts, return_index=True)
    points, ring = shapely.get_coordinates(rings, return_index=True)
    is_vertex = np.append(ring[1:] == ring[:-1], False)[: len(ring)]
    return points[is_vertex], part_owner[ring_part[ring[is_vertex]]]


def _find_single_lines(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return which blocks have line boxes with one common top and bottom edge: bool (B,).

    Such a block is a rectangle and needs no shapely.
    """
    owner, lines = blocks.line_block[blocks.lines], blocks.snapshot.line_box[blocks.lines]
    single_line = np.zeros(len(blocks), dtype=bool)
    if len(owner):
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        edges = np.stack([lines[:, 1], lines[:, 1] + lines[:, 3]], axis=1)
        spread = np.maximum.reduceat(edges, first) - np.minimum.reduceat(edges, first)
        single_line[owner[first]] = (spread < _SAME_EDGE).all(axis=1)
    return single_line


def _close_line_gaps(box: NDArray[np.float32], owner: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the edges x0, y0, x1, y1 of lines on the pixel grid, extended down to the top of the next line: (L, 4)."""
    top_left, bottom_right = np.rint(box[:, :2]), np.rint(box[:, :2] + box[:, 2:])
    bottom = bottom_right[:, 1].copy()
    follows = (owner[1:] == owner[:-1]) & (top_left[1:, 1] > top_left[:-1, 1])
    gap = top_left[1:, 1] - bottom_right[:-1, 1]
    is_adjacent = follows & (gap < 2 * box[:-1, 3])
    bottom[:-1] = np.where(is_adjacent, np.maximum(bottom[:-1], top_left[1:, 1]), bottom[:-1])
    return np.stack([top_left[:, 0], top_left[:, 1], bottom_right[:, 0], bottom], axis=1).astype(np.float64)


def _unite(rectangles: NDArray[np.object_], first: NDArray[np.intp], count: NDArray[np.intp]) -> NDArray[np.object_]:
    """Return the outline of each run of `count` rectangles from `first`.

    Runs of equal length are united in one call.
    """
    shapes = np.empty(len(first), dtype=object)
    for length in np.unique(count).tolist():
        same_length = np.flatnonzero(count == length)
        runs = rectangles[first[same_length, None] + np.arange(length)]
        shapes[same_length] = runs[:, 0] if length == 1 else shapely.simplify(shapely.union_all(runs, axis=1), 0)
    return shapes


COLUMNS = parse_columns(
    """
x | share | Left edge, in page widths.
y | CSS px | Top edge.
y_share | share | Top edge, in page heights.
bottom_distance | CSS px | Distance from the block's bottom to the page's bottom.
width | CSS px | Width of the block's text.
height | CSS px | Height of the block's text.
relative_width | share | Width over that of the widest block (FIASCO).
relative_height | share | Height over that of the tallest block (FIASCO).
width_share | share | Width over the width of the page.
area_share | share | Area over the total area of all blocks.
centre_offset | share | Horizontal distance of the block's center from the page's, in page widths; negative to the left.
above_fold | flag | The block begins within the first viewport.
solidity1 | share | Area of the outline over the area of its bounding rectangle (FIASCO).
solidity2 | vertices | Vertices of the outline (FIASCO).
solidity3 | half diagonals | Mean distance of the outline's vertices from its centre (FIASCO).
lines | lines | Lines of text: line boxes, with those side by side counted once.
line_chars | characters | Characters per line.
font_size | CSS px | Mean over the characters.
relative_font | ratio | Font size over the page's most frequent font size, weighted by words.
font_rank | share | Share of the page's words in a smaller font size.
font_weight | CSS weight | Mean over the characters.
relative_weight | ratio | Font weight over the page's most frequent font weight, weighted by words.
italic | share | Characters in an italic or oblique face.
line_height | ratio | Line height over font size; NaN if any line height is `normal`.
upper_styled | share | Characters in capitals by `text-transform`.
underlined | share | Characters in an underlined inline element.
text_luminance | share | Relative luminance of the text color, 0 black to 1 white (WCAG 2, 1.4.3).
background_luminance | share | Relative luminance of the nearest background color.
contrast | ratio | Contrast ratio of the two, 1 to 21 (WCAG 2, 1.4.3).
colour_share | share | Share of the page's words in the block's text color.
background_share | share | Share of the page's words on the block's background color.
coloured | share | Largest difference between the channels of the text color.
centred | share | Characters in centred text.
floated | flag | The container or an ancestor is a float.
out_of_flow | flag | The container or an ancestor is positioned absolute, fixed or sticky.
pointer | flag | The cursor over the text is `pointer`.
top_gap | CSS px | Gap to the block before; negative if they overlap vertically.
bottom_gap | CSS px | Gap to the block after.
left_offset | CSS px | Left edge minus that of the block before (GenieKnows).
left_offset_next | CSS px | Left edge minus that of the block after.
same_width_before | flag | The block before has the same width (GenieKnows).
same_width_after | flag | The block after has the same width.
same_width_share | share | Share of the page's words in blocks of the same width.
same_left_share | share | Share of the page's words in containers with the same left edge.
same_left_blocks | blocks | Blocks whose containers have the same left edge.
column_share | share | Share of the page's words in the block's column: containers with the same left edge and width.
column_width | CSS px | Width of the block's container.
column_left | share | Left edge of the block's container, in page widths.
column_fill | share | Width of the text over the width of the container.
main_column_offset | share | Left edge of the container minus that of the column with most words, in page widths.
main_column_width | ratio | Width of the container over that of the column with most words.
page_height | CSS px | Height of the page.
page_width | CSS px | Width of the page.
styled | share | Distinct left edges of containers per block, a measure of layout.
rendered | flag | The page was rendered, and its author styled it.
"""
)

_TOLERANCE = 2.0
"""Maximum difference, in CSS px, of edges and widths that count as equal."""


def compute(context: PageContext) -> Values:
    """Return the visual columns of a page: (B,) each."""
    if not context.snapshot.rendered:
        return _unrendered_columns(len(context))
    values: Values = {}
    for part in (
        _position_columns,
        _size_columns,
        _outline_columns,
        _font_columns,
        _typeface_columns,
        _color_columns,
        _flow_columns,
        _neighbour_columns,
        _alignment_columns,
        _text_column_columns,
    ):
        values.update(part(context))
    return values


def _unrendered_columns(count: int) -> Values:
    """Return the visual columns of a page that was not rendered."""
    blank = np.full(count, np.nan, dtype=np.float32)
    values: Values = {column.name: blank for column in COLUMNS}
    values["rendered"] = np.zeros(count, dtype=np.float32)
    return values


def _position_columns(context: PageContext) -> Values:
    """Return columns about the position on the page, and the page's size."""
    x, y, width, height = context.blocks.box.T
    page_width, page_height = context.snapshot.width, context.snapshot.height
    return {
        "x": x / page_width,
        "y": y,
        "y_share": y / page_height,
        "bottom_distance": page_height - y - height,
        "centre_offset": (x + width / 2) / page_width - 0.5,
        "above_fold": _flags_where_known(y < context.snapshot.settings["height"], y),
        "page_height": np.full(len(context), page_height),
        "page_width": np.full(len(context), page_width),
        "rendered": np.ones(len(context)),
    }


def _size_columns(context: PageContext) -> Values:
    """Return columns about width, height and area."""
    width, height = context.blocks.box[:, 2], context.blocks.box[:, 3]
    area = width * height
    return {
        "width": width,
        "height": height,
        "relative_width": ratio(width, _nan_max(width)),
        "relative_height": ratio(height, _nan_max(height)),
        "width_share": width / context.snapshot.width,
        "area_share": ratio(area, float(np.nansum(area))),
    }


def _nan_max(values: NDArray[np.float32]) -> float:
    """Return the maximum, NaN if there are only NaN."""
    return float(np.nanmax(values)) if not np.isnan(values).all() else float("nan")


def _flags_where_known(values: NDArray[np.bool_], reference: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return `values` as 0 and 1, NaN where `reference` is NaN."""
    return np.where(np.isnan(reference), np.float32(np.nan), values.astype(np.float32))


def _outline_columns(context: PageContext) -> Values:
    """Return columns about the outline and the lines."""
    solid = solidity(context.blocks)
    lines = _count_lines(context)
    chars = np.diff(context.texts.start, append=len(context.texts.code)) - 1
    return {
        "solidity1": solid.area_share,
        "solidity2": solid.vertices,
        "solidity3": solid.spread,
        "lines": lines,
        "line_chars": chars / lines,
    }


def _count_lines(context: PageContext) -> NDArray[np.float32]:
    """Return the number of line boxes at different heights: float32 (B,); NaN without line boxes."""
    lines = context.blocks.lines
    owner, box = context.blocks.line_block[lines], context.snapshot.line_box[lines]
    if not len(owner):
        return np.full(len(context), np.nan, dtype=np.float32)
    center_y = box[:, 1] + box[:, 3] / 2
    new = np.ones(len(owner), dtype=bool)
    new[1:] = (owner[1:] != owner[:-1]) | (np.abs(np.diff(center_y)) > box[1:, 3] / 2)
    count = np.bincount(owner, new, minlength=len(context))
    return np.where(count > 0, count, np.nan).astype(np.float32)


def _font_columns(context: PageContext) -> Values:
    """Return columns about font size, font weight and line height."""
    styles, style = context.snapshot.styles, context.snapshot.style
    size, weight = styles.number("font-size"), styles.number("font-weight")
    mean_size, mean_weight = context.char_mean(size[style]), context.char_mean(weight[style])
    return {
        "font_size": mean_size,
        "relative_font": mean_size / _weighted_mode(mean_size, context.tokens),
        "font_rank": _rank(mean_size, context.tokens),
        "font_weight": mean_weight,
        "relative_weight": mean_weight / _weighted_mode(mean_weight, context.tokens),
        "line_height": context.char_mean(ratio(styles.number("line-height"), size)[style]),
    }


def _rank(values: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the share of `weight` on smaller values: float32 (B,)."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weight[order]) - weight[order]
    first = np.searchsorted(values[order], values)
    return ratio(below[first], float(weight.sum()))


def _typeface_columns(context: PageContext) -> Values:
    """Return columns about font style, decoration, alignment and cursor."""
    styles, style = context.snapshot.styles, context.snapshot.style
    return {
        "italic": context.char_share(styles.is_in("font-style", ("italic", "oblique"))[style]),
        "upper_styled": context.char_share(styles.is_in("text-transform", ("uppercase",))[style]),
        "underlined": context.char_share(styles.is_in("text-decoration-line", ("underline",))[style]),
        "centred": context.char_share(styles.is_in("text-align", ("center", "-webkit-center"))[style]),
        "pointer": styles.is_in("cursor", ("pointer",))[style][context.anchor],
    }


def _weighted_mode(values: NDArray[np.float32], weight: NDArray[np.float32]) -> float:
    """Return the value with the largest total weight; values are rounded to tenths."""
    rounded = np.rint(values * 10)
    unique, group = np.unique(rounded[~np.isnan(rounded)], return_inverse=True)
    if not len(unique):
        return float("nan")
    total = np.bincount(group, weight[~np.isnan(rounded)])
    return float(unique[np.argmax(total)]) / 10


def backgrounds(context: PageContext) -> NDArray[np.float32]:
    """Return the background color of each block, channels 0-255: float32 (B, 3).

    It is the nearest background color that is more than half opaque, or white.
    """
    snapshot = context.snapshot
    color = snapshot.styles.color("background-color")[snapshot.style]
    painted = color[:, 3] > 0.5
    painter = tree.nearest_ancestor(painted, snapshot.parent)[context.anchor]
    return np.where(painted[painter, None], color[painter, :3], np.float32(255))


def _color_columns(context: PageContext) -> Values:
    """Return columns about text color and background."""
    snapshot = context.snapshot
    text = snapshot.styles.color("color")[snapshot.style][context.anchor][:, :3]
    background = backgrounds(context)
    text_luminance, background_luminance = luminance(text), luminance(background)
    return {
        "text_luminance": text_luminance,
        "background_luminance": background_luminance,
        "contrast": contrast_ratio(text_luminance, background_luminance),
        "colour_share": _share_with_color(text, context.tokens),
        "background_share": _share_with_color(background, context.tokens),
        "coloured": (text.max(axis=1) - text.min(axis=1)) / 255,
    }


def _share_with_color(color: NDArray[np.float32], tokens: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the share of words in blocks of the same `color` (B, 3): float32 (B,); unknown colors count as black."""
    code = np.nan_to_num(color) @ np.array([65536, 256, 1], dtype=np.float64)
    return ratio(Groups.from_keys(code).total(tokens), float(tokens.sum()))


def _flow_columns(context: PageContext) -> Values:
    """Return columns about floats and positioned elements."""
    styles, style = context.snapshot.styles, context.snapshot.style
    masks = np.stack(
        [styles.is_in("float", ("left", "right")), styles.is_in("position", ("absolute", "fixed", "sticky"))], axis=1
    )[style]
    is_inside = tree.path_sum(masks, context.snapshot.end)[context.blocks.node] > 0
    return {"floated": is_inside[:, 0], "out_of_flow": is_inside[:, 1]}


def _neighbour_columns(context: PageContext) -> Values:
    """Return columns about the blocks directly before and after."""
    x, y, width, height = context.blocks.box.T
    gap = y[1:] - (y + height)[:-1]
    offset = np.diff(x)
    same_width = _flags_where_known(np.abs(np.diff(width)) <= _TOLERANCE, np.diff(width))
    no_neighbour = np.array([np.nan], dtype=np.float32)
    return {
        "top_gap": np.concatenate([no_neighbour, gap]),
        "bottom_gap": np.concatenate([gap, no_neighbour]),
        "left_offset": np.concatenate([no_neighbour, offset]),
        "left_offset_next": np.concatenate([-offset, no_neighbour]),
        "same_width_before": np.concatenate([no_neighbour, same_width]),
        "same_width_after": np.concatenate([same_width, no_neighbour]),
    }


def _alignment_columns(context: PageContext) -> Values:
    """Return columns about blocks with the same width or left edge."""
    total = float(context.tokens.sum())
    width, left = (
        Groups.from_keys(_snap_to_grid(context.blocks.box[:, 2])),
        Groups.from_keys(_snap_to_grid(context.snapshot.box[context.blocks.node, 0])),
    )
    return {
        "same_width_share": ratio(width.total(context.tokens), total),
        "same_left_share": ratio(left.total(context.tokens), total),
        "same_left_blocks": left.size,
        "styled": np.full(len(context), len(left.sizes) / len(context)),
    }


def _text_column_columns(context: PageContext) -> Values:
    """Return columns about the block's layout column."""
    box = context.snapshot.box[context.blocks.node]
    left, width = box[:, 0], box[:, 2]
    words = Groups.from_keys(_snap_to_grid(left) * 100_003 + _snap_to_grid(width)).total(context.tokens)
    main = int(np.argmax(words))
    return {
        "column_share": ratio(words, float(context.tokens.sum())),
        "column_width": width,
        "column_left": left / context.snapshot.width,
        "column_fill": ratio(context.blocks.box[:, 2], width),
        "main_column_offset": (left - left[main]) / context.snapshot.width,
        "main_column_width": ratio(width, float(width[main])),
    }


def _snap_to_grid(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return positions rounded to a grid of `_TOLERANCE` px, -1 for NaN."""
    positions = np.rint(values / _TOLERANCE).astype(np.float64)
    return np.where(np.isnan(positions), -1, positions)
