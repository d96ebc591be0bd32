"""FIASCO's solidity of a text outline (Bauer et al. 2007, "visual features").

The outline is the rectilinear polygon that a block's text lines cover; its minimal bounding rectangle is the block's
box. The paper names three solidities without formulas beyond that; what is left open is chosen here: lines reach down
to the next line's top, so that leading does not tear the outline apart, and solidity 3 is measured in halves of the
rectangle's diagonal, so that it does not depend on the block's size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks

_RECTANGLE_VERTICES = 4
_SAME_EDGE = 1.0
"""Line edges closer than this, in CSS px, are one edge: the grid on which outlines are united."""


class Solidity(NamedTuple):
    """The three solidities, float32 (B,) each; NaN where a block has no line box or its outline no area."""

    area_share: NDArray[np.float32]
    """Solidity 1: area of the outline over the area of its bounding rectangle."""
    vertices: NDArray[np.float32]
    """Solidity 2: number of vertices of the outline; 0 where it has no area."""
    spread: NDArray[np.float32]
    """Solidity 3: mean distance of the vertices from the rectangle's centre, in half diagonals."""


def outlines(blocks: Blocks, rows: NDArray[np.intp]) -> NDArray[np.object_]:
    """Shapely geometry (len(rows),) of the outlines of the blocks `rows`, ascending; all of them have a line box."""
    lines = np.flatnonzero(np.isin(blocks.line_block, rows))
    owner = blocks.line_block[lines]
    left, top, right, bottom = _closed_lines(blocks.snapshot.line_box[lines], owner).T
    rectangles = np.asarray(shapely.box(left, top, right, bottom), dtype=object)
    first = np.searchsorted(owner, rows)
    return _united(rectangles, first, np.diff(first, append=len(lines)))


def solidity(blocks: Blocks) -> Solidity:
    """Solidity 1 to 3 of every block."""
    result = Solidity(*(np.full(len(blocks), np.nan, dtype=np.float32) for _ in range(3)))
    single = _single_line(blocks)
    for column, value in zip(result, (1.0, _RECTANGLE_VERTICES, 1.0), strict=True):
        column[single] = value
    several = np.flatnonzero(~single & ~np.isnan(blocks.box[:, 0]))
    if len(several):
        _measure(outlines(blocks, several), several, result)
    return result


def _measure(shapes: NDArray[np.object_], at: NDArray[np.intp], result: Solidity) -> None:
    low_x, low_y, high_x, high_y = shapely.bounds(shapes).T
    result.area_share[at] = shapely.area(shapes) / np.maximum((high_x - low_x) * (high_y - low_y), 1e-6)
    points, owner = _vertices(shapes)
    count = np.bincount(owner, minlength=len(at))
    result.vertices[at] = count
    centre = np.stack([low_x + high_x, low_y + high_y], axis=1) / 2
    half = np.maximum(np.hypot(high_x - low_x, high_y - low_y) / 2, 1e-6)
    total = np.bincount(owner, np.hypot(*(points - centre[owner]).T), len(at))
    result.spread[at] = total / np.maximum(count, 1) / half


def _vertices(shapes: NDArray[np.object_]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The vertices (V, 2) of all rings of all parts, without the point that closes a ring, and the shape of each."""
    parts, part_owner = shapely.get_parts(shapes, return_index=True)
    rings, ring_part = shapely.get_rings(parts, return_index=True)
    points, ring = shapely.get_coordinates(rings, return_index=True)
    opens = np.append(ring[1:] == ring[:-1], False)[: len(ring)]
    return points[opens], part_owner[ring_part[ring[opens]]]


def _single_line(blocks: Blocks) -> NDArray[np.bool_]:
    """Blocks whose line boxes share one top and one bottom edge and so are a rectangle: shapely is not needed there."""
    inside = blocks.line_block >= 0
    owner, lines = blocks.line_block[inside], blocks.snapshot.line_box[inside]
    single = np.zeros(len(blocks), dtype=bool)
    if len(owner):
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        edges = np.stack([lines[:, 1], lines[:, 1] + lines[:, 3]], axis=1)
        reach = np.maximum.reduceat(edges, first) - np.minimum.reduceat(edges, first)
        single[owner[first]] = (reach < _SAME_EDGE).all(axis=1)
    return single


def _closed_lines(box: NDArray[np.float32], owner: NDArray[np.int32]) -> NDArray[np.float64]:
    """Edges x0, y0, x1, y1 (L, 4) on the pixel grid, each line reaching down to the top of a line that follows it."""
    low, high = np.rint(box[:, :2]), np.rint(box[:, :2] + box[:, 2:])
    bottom = high[:, 1].copy()
    follows = (owner[1:] == owner[:-1]) & (low[1:, 1] > low[:-1, 1])
    gap = low[1:, 1] - high[:-1, 1]
    near = follows & (gap < 2 * box[:-1, 3])
    bottom[:-1] = np.where(near, np.maximum(bottom[:-1], low[1:, 1]), bottom[:-1])
    return np.stack([low[:, 0], low[:, 1], high[:, 0], bottom], axis=1).astype(np.float64)


def _united(rectangles: NDArray[np.object_], first: NDArray[np.intp], count: NDArray[np.intp]) -> NDArray[np.object_]:
    """The outline of each run of `count` rectangles from `first`; runs of one length are united in one call."""
    shapes = np.empty(len(first), dtype=object)
    for length in np.unique(count).tolist():
        alike = np.flatnonzero(count == length)
        runs = rectangles[first[alike, None] + np.arange(length)]
        shapes[alike] = runs[:, 0] if length == 1 else shapely.simplify(shapely.union_all(runs, axis=1), 0)
    return shapes
