"""Compute visual columns: position and appearance of a block; NaN if the page was not rendered or has no author styles.

Sources: FIASCO (Bauer et al. 2007: solidity 1-3, relative width and height), GenieKnows (position, font size, distance
between blocks, horizontal offset, same width), VIPS (Cai et al. 2003: background, font and distance cues).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.features.columns import Groups, ratio, read_columns, read_parts
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import Values
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot


_SAME_EDGE = 1.0
"""Maximum distance of line edges, in CSS px, that count as equal: the grid on which outlines are united."""


def outlines(blocks: BlockColumns, rows: NDArray[np.intp]) -> NDArray[np.object_]:
    """Return the outlines of the blocks `rows` as shapely geometries: (len(rows),).

    Args:
        blocks: the blocks of a page.
        rows: indices of blocks with at least one line box, ascending.
    """
    import shapely

    lines = blocks.lines[np.isin(blocks.line_block[blocks.lines], rows)]
    owner = blocks.line_block[lines]
    edges = _close_line_gaps(blocks.snapshot.line_box[lines], owner)
    rectangles = np.asarray(shapely.box(*edges.T), dtype=object)
    first = np.searchsorted(owner, rows)
    count = np.diff(first, append=len(lines))
    shapes = np.empty(len(rows), dtype=object)
    for length in np.unique(count).tolist():  # runs of equal length are united in one call
        same_length = np.flatnonzero(count == length)
        runs = rectangles[first[same_length, None] + np.arange(length)]
        shapes[same_length] = runs[:, 0] if length == 1 else shapely.simplify(shapely.union_all(runs, axis=1), 0)
    return shapes


def solidity(blocks: BlockColumns) -> NDArray[np.float32]:
    """Return FIASCO's three solidities of each block: float32 (3, B); NaN without line boxes.

    1. Area of the outline over the area of its bounding rectangle.
    2. Number of vertices of the outline; 0 if it has no area.
    3. Mean distance of the vertices from the rectangle's center, in half diagonals; NaN if the outline has no area.
    """
    is_line = _find_single_lines(blocks)
    result = np.where(is_line, np.array([[1], [4], [1]], dtype=np.float32), np.float32(np.nan))
    rows = np.flatnonzero(~is_line & ~np.isnan(blocks.box[:, 0]))
    if not len(rows):
        return result
    import shapely

    shapes = outlines(blocks, rows)
    parts, part_owner = shapely.get_parts(shapes, return_index=True)
    rings, ring_part = shapely.get_rings(parts, return_index=True)
    points, ring = shapely.get_coordinates(rings, return_index=True)
    is_vertex = np.append(ring[1:] == ring[:-1], False)[: len(ring)]  # the last point of a ring equals the first
    points, owner = points[is_vertex], part_owner[ring_part[ring[is_vertex]]]
    corners = shapely.bounds(shapes).reshape(-1, 2, 2)
    center, size = corners.mean(axis=1), corners[:, 1] - corners[:, 0]
    half = np.maximum(np.hypot(*size.T) / 2, 1e-6)
    count = np.bincount(owner, minlength=len(rows))
    total = np.bincount(owner, np.hypot(*(points - center[owner]).T), len(rows))
    area_share = shapely.area(shapes) / np.maximum(size.prod(axis=1), 1e-6)
    result[:, rows] = area_share, count, total / np.maximum(count, 1) / half
    return result


def _find_single_lines(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return which blocks have line boxes with one common top and bottom edge: bool (B,).

    Such a block is a rectangle and needs no shapely.
    """
    owner, lines = blocks.line_block[blocks.lines], blocks.snapshot.line_box[blocks.lines]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    edges = np.stack([lines[:, 1], lines[:, 1] + lines[:, 3]], axis=1)
    spread = np.maximum.reduceat(edges, first) - np.minimum.reduceat(edges, first)
    single_line = np.zeros(len(blocks), dtype=bool)
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


_TOLERANCE = 2.0
"""Maximum difference, in CSS px, of edges and widths that count as equal."""


def _box_columns(context: PageContext) -> Values:
    """Return columns about position and size on the page."""
    x, y, width, height = context.blocks.box.T
    page_width = context.snapshot.width
    column = np.rint(context.snapshot.box[context.blocks.node][:, [0, 2]] / _TOLERANCE)
    return {
        "x": x / page_width,
        "y": y,
        "width_share": width / page_width,
        "relative_width": ratio(width, np.fmax.reduce(width, initial=np.nan)),
        "relative_height": ratio(height, np.fmax.reduce(height, initial=np.nan)),
        "column_share": _share_of_equals(np.where(np.isnan(column), -1, column), context.tokens),
    }


def _outline_columns(context: PageContext) -> Values:
    """Return columns about the outline and the lines."""
    blocks = context.blocks
    owner, box = blocks.line_block[blocks.lines], context.snapshot.line_box[blocks.lines]
    center_y = box[:, 1] + box[:, 3] / 2
    new = np.ones(len(owner), dtype=bool)  # line boxes at another height than the one before
    new[1:] = (owner[1:] != owner[:-1]) | (np.abs(np.diff(center_y)) > box[1:, 3] / 2)
    lines = np.bincount(owner, new, minlength=len(context))
    columns = (*solidity(blocks), np.where(lines > 0, lines, np.nan))
    return dict(zip(("solidity1", "solidity2", "solidity3", "lines"), columns, strict=True))


def _font_columns(context: PageContext) -> Values:
    """Return columns about font size and font weight."""
    styles, style = context.snapshot.styles, context.snapshot.style
    size, weight = styles.number("font-size"), styles.number("font-weight")
    mean_size, mean_weight = context.char_mean(size[style]), context.char_mean(weight[style])
    return {
        "font_size": mean_size,
        "relative_font": mean_size / _weighted_mode(mean_size, context.tokens),
        "font_weight": mean_weight,
        "relative_weight": mean_weight / _weighted_mode(mean_weight, context.tokens),
    }


def _typeface_columns(context: PageContext) -> Values:
    """Return columns about decoration and alignment."""
    styles, style = context.snapshot.styles, context.snapshot.style
    return {
        "underlined": context.char_mean(styles.is_in("text-decoration-line", ("underline",))[style]),
        "centred": context.char_mean(styles.is_in("text-align", ("center", "-webkit-center"))[style]),
    }


def _weighted_mode(values: NDArray[np.float32], weight: NDArray[np.float32]) -> float:
    """Return the value with the largest total weight; values are rounded to tenths."""
    rounded = np.rint(values * 10)
    unique, group = np.unique(rounded[~np.isnan(rounded)], return_inverse=True)
    if not len(unique):
        return float("nan")
    total = np.bincount(group, weight[~np.isnan(rounded)])
    return float(unique[np.argmax(total)]) / 10


def backgrounds(snapshot: Snapshot) -> NDArray[np.float32]:
    """Return the background color of each element, channels 0-255: float32 (N, 3).

    It is the nearest background color that is more than half opaque, or white.
    """
    color = snapshot.styles.color("background-color")[snapshot.style]
    painted = color[:, 3] > 0.5
    painter = tree.nearest_ancestor(painted, snapshot.parent)
    return np.where(painted[painter, None], color[painter, :3], np.float32(255))


def _color_columns(context: PageContext) -> Values:
    """Return columns about text color and background."""
    from vclean.render.css_colors import contrast_ratio, luminance

    snapshot = context.snapshot
    text = snapshot.styles.color("color")[snapshot.style][context.blocks.main_element][:, :3]
    background = backgrounds(context.snapshot)[context.blocks.main_element]
    text_luminance, background_luminance = luminance(text), luminance(background)
    return {
        "text_luminance": text_luminance,
        "contrast": contrast_ratio(text_luminance, background_luminance),
        "colour_share": _share_of_equals(np.nan_to_num(text), context.tokens),
        "background_share": _share_of_equals(background, context.tokens),
    }


def _share_of_equals(values: NDArray[np.float32], tokens: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the share of words in blocks with the same row of whole numbers in `values` (B, k): float32 (B,)."""
    key = values @ 100_003.0 ** np.arange(values.shape[1])
    return ratio(Groups(key).total(tokens), float(tokens.sum()))


PARTS = read_parts("visual", globals())
COLUMNS = read_columns("visual")
