"""Group the pixels of a page by the shapes that contain them.

The borders of all shapes divide the page into a grid of cells, and no shape ends inside a cell. Shapes are mostly
rectilinear; a slanted border is followed in steps of 1 px, as in a raster image.

A cell is inside a shape if the number of vertical sides of the shape to its left is odd. This is computed for all
shapes at once: each shape has a random number, and the numbers are combined by exclusive or along the rows of the grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
import shapely

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class PlanarArrangement:
    """Arrangement of S shapes on a page, as C x R cells and K regions.

    Attributes:
        columns, rows: int64 (C + 1,) and (R + 1,), borders of the cells, px, from 0 to the page's width and height.
        region: int64 (R, C), region of each cell; cells in the same shapes are one region.
        inside: bool (K, S), whether a region is inside a shape.
    """

    columns: NDArray[np.int64]
    rows: NDArray[np.int64]
    region: NDArray[np.int64]
    inside: NDArray[np.bool_]

    @classmethod
    def from_shapes(cls, shapes: NDArray[np.object_], width: int, height: int) -> Self:
        """Divide the page by `shapes` (S,), valid polygons or multipolygons, px; parts outside the page are ignored."""
        sides = _sides(shapes)
        left = np.clip(sides.x, 0, width)
        top, bottom = np.clip(sides.top, 0, height), np.clip(sides.bottom, 0, height)
        columns = np.unique(np.concatenate([[0, width], left]))
        rows = np.unique(np.concatenate([[0, height], top, bottom]))
        grid = _Grid(
            column=np.searchsorted(columns, left),
            row=np.searchsorted(rows, np.stack([top, bottom])),
            owner=sides.owner,
            size=(len(rows), len(columns)),
        )
        shape_key = np.random.default_rng(0).integers(1, 2**63, len(shapes), dtype=np.uint64)
        _, first, region = np.unique(grid.fill(shape_key), return_index=True, return_inverse=True)
        return cls(columns, rows, region.reshape(len(rows) - 1, -1), grid.inside(first, len(shapes)))

    @property
    def area(self) -> NDArray[np.float64]:
        """Return the number of pixels of each region, float64 (K,)."""
        pixels = np.outer(np.diff(self.rows), np.diff(self.columns))
        return np.bincount(self.region.ravel(), pixels.ravel(), len(self.inside)).astype(np.float64)

    def count_near(self, points: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Count the pixels of `points` (P, 2), x and y, inside or beside each region, int64 (K,).

        A pixel touches the regions of its eight neighbors, so it counts for several regions at their borders.
        """
        x, y = points[(points < (self.columns[-1], self.rows[-1])).all(axis=1)].T
        column, at_column_border = _cells(self.columns)
        row, at_row_border = _cells(self.rows)
        at_border = at_column_border[x] | at_row_border[y]
        inner = self.region[row[y[~at_border]], column[x[~at_border]]]
        near_rows, near_columns = _neighbors(row, y[at_border]), _neighbors(column, x[at_border])
        touched = self.region[near_rows[:, None], near_columns[None]].reshape(9, -1)
        touched.sort(axis=0)
        is_first = np.diff(touched, axis=0, prepend=-1) > 0
        regions = len(self.inside)
        return np.bincount(inner, minlength=regions) + np.bincount(touched[is_first], minlength=regions)


class _Sides(NamedTuple):
    """Vertical sides of shapes, each from `top` to `bottom` at `x`, px; and the shape of each."""

    x: NDArray[np.int64]
    top: NDArray[np.int64]
    bottom: NDArray[np.int64]
    owner: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """Vertical sides of shapes on a grid of cells.

    Attributes:
        column: int64 (E,), grid border of each side.
        row: int64 (2, E), grid borders at which it begins and ends.
        owner: int64 (E,), shape of each side.
        size: numbers of borders, vertically and horizontally.
    """

    column: NDArray[np.int64]
    row: NDArray[np.int64]
    owner: NDArray[np.int64]
    size: tuple[int, int]

    def fill(self, value: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the exclusive or of `value` (S,) over the shapes that contain each cell, uint64, one per cell."""
        cells = np.zeros(self.size, dtype=np.uint64)
        for row in self.row:
            np.bitwise_xor.at(cells, (row, self.column), value[self.owner])
        np.bitwise_xor.accumulate(cells, axis=0, out=cells)
        np.bitwise_xor.accumulate(cells, axis=1, out=cells)
        return cells[:-1, :-1]

    def inside(self, cells: NDArray[np.intp], shapes: int) -> NDArray[np.bool_]:
        """Return whether `cells`, given by their index along the rows, are in each shape, bool (len(cells), shapes)."""
        inside = np.zeros((len(cells), shapes), dtype=bool)
        for begin in range(0, shapes, _WORD):
            width = min(_WORD, shapes - begin)
            value = np.zeros(shapes, dtype=np.uint64)
            bits = np.left_shift(np.uint64(1), np.arange(width, dtype=np.uint64))
            value[begin : begin + width] = bits
            combined = self.fill(value).ravel()[cells]
            inside[:, begin : begin + width] = combined[:, None] & bits > 0
        return inside


def _sides(shapes: NDArray[np.object_]) -> _Sides:
    """Return the vertical sides of all rings of all parts of shapes."""
    parts, part_owner = shapely.get_parts(shapes, return_index=True)
    rings, ring_part = shapely.get_rings(parts, return_index=True)
    points, ring = shapely.get_coordinates(rings, return_index=True)
    has_height = (ring[1:] == ring[:-1]) & (np.rint(points[1:, 1]) != np.rint(points[:-1, 1]))
    owner = part_owner[ring_part[ring[1:][has_height]]]
    return _rectilinear(np.stack([points[:-1][has_height], points[1:][has_height]]), owner)


def _rectilinear(ends: NDArray[np.float64], owner: NDArray[np.int64]) -> _Sides:
    """Return vertical sides, given their two ends (2, E, 2). Slanted sides become steps of 1 px of height."""
    ends = np.rint(ends)
    ends = np.where(ends[0, :, 1] > ends[1, :, 1], ends[::-1].transpose(2, 0, 1), ends.transpose(2, 0, 1))
    (x0, x1), (top, bottom) = ends
    steps = np.where(x0 == x1, 1, bottom - top).astype(np.int64)
    side = np.repeat(np.arange(len(owner)), steps)
    down = np.arange(len(side)) - np.repeat(np.cumsum(steps) - steps, steps)
    slope = (x1 - x0) / (bottom - top)
    x = np.ceil(x0[side] + (down + 0.5) * slope[side] - 0.5)
    low = top[side] + down
    high = np.where((x0 == x1)[side], bottom[side], low + 1)
    return _Sides(*(values.astype(np.int64) for values in (x, low, high, owner[side])))


def _cells(borders: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the cell of each px between the first and the last border, and whether the px touches a cell border."""
    cell = np.repeat(np.arange(len(borders) - 1), np.diff(borders))
    at_border = np.zeros(len(cell), dtype=bool)
    at_border[borders[:-1]] = True
    at_border[borders[1:] - 1] = True
    return cell, at_border


def _neighbors(cell: NDArray[np.int64], position: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return the cells of the px before, at and after `position` (P,), int64 (3, P); the page ends with its last px."""
    return np.asarray(cell[np.clip(position + np.array([[-1], [0], [1]]), 0, len(cell) - 1)])
