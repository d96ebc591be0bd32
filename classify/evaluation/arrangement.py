"""The pixels of a page, grouped by the shapes they lie in.

The borders of all shapes cut the page into a grid of cells, and no shape ends inside a cell. Shapes are rectilinear as
a rule; a slanted border is followed in steps of one px, as a picture would draw it.

Which shapes a cell is in is told by counting the vertical sides to its left, odd or even, for all shapes at once: each
shape has a random number, and the sides are combined by exclusive or along the rows of the grid.
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
    """A page of C x R cells, K regions and S shapes.

    Attributes:
        columns, rows: int64 (C + 1,) and (R + 1,), the borders of the cells, px, from 0 to the page's width and height.
        region: int64 (R, C), the region of every cell; cells in the same shapes are one region.
        inside: bool (K, S), whether a region is in a shape.
    """

    columns: NDArray[np.int64]
    rows: NDArray[np.int64]
    region: NDArray[np.int64]
    inside: NDArray[np.bool_]

    @classmethod
    def of(cls, shapes: NDArray[np.object_], width: int, height: int) -> Self:
        """The page cut by `shapes` (S,), valid polygons or multipolygons, px; what is off the page is left out."""
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
        name = np.random.default_rng(0).integers(1, 2**63, len(shapes), dtype=np.uint64)
        _, first, region = np.unique(grid.fill(name), return_index=True, return_inverse=True)
        return cls(columns, rows, region.reshape(len(rows) - 1, -1), grid.inside(first, len(shapes)))

    @property
    def area(self) -> NDArray[np.float64]:
        """float64 (K,): pixels of every region."""
        pixels = np.outer(np.diff(self.rows), np.diff(self.columns))
        return np.bincount(self.region.ravel(), pixels.ravel(), len(self.inside)).astype(np.float64)

    def count_near(self, points: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """int64 (K,): how many pixels of `points` (P, 2), x and y, lie in every region or touch it.

        A pixel touches the regions of the eight pixels round it, and so counts in several where regions meet.
        """
        x, y = points[(points < (self.columns[-1], self.rows[-1])).all(axis=1)].T
        column, at_column = _cells(self.columns)
        row, at_row = _cells(self.rows)
        meets = at_column[x] | at_row[y]
        alone = self.region[row[y[~meets]], column[x[~meets]]]
        near = self.region[_beside(row, y[meets])[:, None], _beside(column, x[meets])[None]].reshape(9, -1)
        near.sort(axis=0)
        first = np.diff(near, axis=0, prepend=-1) > 0
        regions = len(self.inside)
        return np.bincount(alone, minlength=regions) + np.bincount(near[first], minlength=regions)


class _Sides(NamedTuple):
    """Vertical sides of shapes, each of the height from `top` to `bottom` at `x`, px; and the shape of each."""

    x: NDArray[np.int64]
    top: NDArray[np.int64]
    bottom: NDArray[np.int64]
    owner: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """Sides on a grid of cells.

    Attributes:
        column: int64 (E,), the border each side is on.
        row: int64 (2, E), the borders it begins and ends at.
        owner: int64 (E,), its shape.
        size: the numbers of borders, down and across.
    """

    column: NDArray[np.int64]
    row: NDArray[np.int64]
    owner: NDArray[np.int64]
    size: tuple[int, int]

    def fill(self, value: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """uint64, one per cell: the exclusive or of `value` (S,) over the shapes that a cell is in."""
        cells = np.zeros(self.size, dtype=np.uint64)
        for row in self.row:
            np.bitwise_xor.at(cells, (row, self.column), value[self.owner])
        np.bitwise_xor.accumulate(cells, axis=0, out=cells)
        np.bitwise_xor.accumulate(cells, axis=1, out=cells)
        return cells[:-1, :-1]

    def inside(self, cells: NDArray[np.intp], shapes: int) -> NDArray[np.bool_]:
        """Bool (len(cells), shapes): whether cells, by their number along the rows, are in each shape."""
        inside = np.zeros((len(cells), shapes), dtype=bool)
        for begin in range(0, shapes, _WORD):
            width = min(_WORD, shapes - begin)
            value = np.zeros(shapes, dtype=np.uint64)
            bits = np.left_shift(np.uint64(1), np.arange(width, dtype=np.uint64))
            value[begin : begin + width] = bits
            found = self.fill(value).ravel()[cells]
            inside[:, begin : begin + width] = found[:, None] & bits > 0
        return inside


def _sides(shapes: NDArray[np.object_]) -> _Sides:
    """The vertical sides of all rings of all parts of shapes."""
    parts, part_owner = shapely.get_parts(shapes, return_index=True)
    rings, ring_part = shapely.get_rings(parts, return_index=True)
    points, ring = shapely.get_coordinates(rings, return_index=True)
    drawn = (ring[1:] == ring[:-1]) & (np.rint(points[1:, 1]) != np.rint(points[:-1, 1]))
    owner = part_owner[ring_part[ring[1:][drawn]]]
    return _stepped(np.stack([points[:-1][drawn], points[1:][drawn]]), owner)


def _stepped(ends: NDArray[np.float64], owner: NDArray[np.int64]) -> _Sides:
    """Sides from their two ends (2, E, 2): straight ones as they are, slanted ones a px of height at a time."""
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
    """The cell of every px between the first and the last border, and whether it lies at a border of its cell."""
    cell = np.repeat(np.arange(len(borders) - 1), np.diff(borders))
    edge = np.zeros(len(cell), dtype=bool)
    edge[borders[:-1]] = True
    edge[borders[1:] - 1] = True
    return cell, edge


def _beside(cell: NDArray[np.int64], at: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """int64 (3, P): the cells of the px before, at and after `at` (P,); the page ends with its last px."""
    return np.asarray(cell[np.clip(at + np.array([[-1], [0], [1]]), 0, len(cell) - 1)])
