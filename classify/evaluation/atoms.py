"""Compute the atomic elements of a page, by which two segmentations are compared.

Kiesel et al. 2020 compare segmentations by five kinds of elements: pixels, pixels on fine or coarse edges of the
screenshot, nodes of the document, and characters. Elements in the same segments on both sides are stored as one group
with a weight.

Edges are detected by Canny 1986 as in ImageMagick's `-canny 0xSIGMA+LOWER%+UPPER%`, which they use. Fine edges follow
every letter, coarse ones follow lines, columns and images. The steps are the same in this module, so scores are
comparable: blur, conversion to the luma of Rec. 709, gradient over squares of 2x2 px, suppression of non-maxima across
the edge, thresholds as shares of the remaining range, and hysteresis over eight neighbors. One point differs: an image
of a single color has no edges.

Pixels are grouped by the shapes that contain them. The borders of all shapes divide the page into a grid of cells, and
no shape ends inside a cell. Shapes are mostly rectilinear; a slanted border is followed in steps of 1 px, as in an
image. A cell is inside a shape if the number of vertical sides of the shape to its left is odd. This is computed for
all shapes at once: each shape has a random number, and the numbers are combined by exclusive or along the rows of the
grid.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
import shapely
from PIL import Image
from scipy import ndimage

from vclean.classify.evaluation.segmentation import Nodes
from vclean.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from vclean.classify.evaluation.segmentation import Segmentation
    from vclean.render.snapshot import Snapshot


_LUMA: Final = np.array((0.212656, 0.715158, 0.072186), dtype=np.float32)
_STEEP: Final = np.float32(1 + 2**0.5)
"""Tangent of 67.5 degrees: a steeper gradient runs along the columns of the image."""
_ACROSS: Final = ((-1, 0), (-1, -1), (0, -1), (-1, 1))
"""Offset (down, right) of one of the two neighbors across an edge, by direction; the other one is opposite."""


@dataclass(frozen=True, slots=True)
class Canny:
    """Canny edge detector.

    Attributes:
        sigma: standard deviation of the blur, px.
        lower, upper: thresholds as shares of the strongest edge; an edge starts above `upper` and extends down to
            `lower`.
    """

    sigma: float
    lower: float
    upper: float

    def __call__(self, luma: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return whether each pixel of an image (H, W) is on an edge, bool (H, W)."""
        blurred = ndimage.gaussian_filter(luma, self.sigma, mode="nearest", truncate=4.0)
        thin = _thinned(*_gradient(blurred))
        low, high = float(thin.min(initial=0)), float(thin.max(initial=0))
        if high <= low:
            return np.zeros(luma.shape, dtype=bool)
        weak = thin >= low + self.lower * (high - low)
        component, count = ndimage.label(weak, structure=np.ones((3, 3)))
        is_edge = np.zeros(count + 1, dtype=bool)
        is_edge[component[thin >= low + self.upper * (high - low)]] = True
        is_edge[0] = False
        return np.asarray(is_edge[component])


FINE: Final = Canny(sigma=1, lower=0.01, upper=0.02)
COARSE: Final = Canny(sigma=5, lower=0.01, upper=0.16)


def luma(screenshot: bytes) -> NDArray[np.float32]:
    """Return the luma of an encoded image, 0-255, float32 (H, W).

    Raises:
        InputError: the image cannot be read.
    """
    try:
        with Image.open(io.BytesIO(screenshot), formats=("PNG", "JPEG")) as image:
            pixels = np.asarray(image.convert("RGB"))
    except OSError as error:
        raise InputError("the screenshot of a page cannot be read: delete it and render the page again") from error
    # No matrix product: its rounding differs at the ends of rows, which creates false edges.
    red, green, blue = np.moveaxis(pixels, -1, 0)
    return np.asarray(red * _LUMA[0] + green * _LUMA[1] + blue * _LUMA[2], dtype=np.float32)


def _gradient(luma: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Return the strength (H, W) of the gradient over each 2x2 square, and its direction, an index into `_ACROSS`.

    The square of a pixel has the pixels to its right and below it.
    """
    padded = np.pad(luma, ((0, 1), (0, 1)), mode="edge")
    rising, falling = padded[1:, 1:] - padded[:-1, :-1], padded[:-1, 1:] - padded[1:, :-1]
    right, up = (rising + falling) / 2, (falling - rising) / 2
    is_vertical = np.abs(up) > _STEEP * np.abs(right)
    is_horizontal = np.abs(right) >= _STEEP * np.abs(up)
    diagonal = np.where((up < 0) == (right < 0), 3, 1)
    direction = np.where(is_vertical | ((right == 0) & (up == 0)), 0, np.where(is_horizontal, 2, diagonal))
    return np.hypot(right, up), direction.astype(np.uint8)


def _thinned(strength: NDArray[np.float32], direction: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return `strength` where no neighbor across the edge is stronger, else 0 (non-maximum suppression)."""
    padded = np.pad(strength, 1, mode="edge")
    height, width = strength.shape
    largest = np.zeros_like(strength)
    for number, (down, right) in enumerate(_ACROSS):
        for sign in (1, -1):
            top, left = 1 + sign * down, 1 + sign * right
            neighbor = padded[top : top + height, left : left + width]
            np.maximum(largest, neighbor, out=largest, where=direction == number)
    return np.where(strength < largest, np.float32(0), strength)


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
        x, y, owner = _vertical_sides(shapes)
        x, y = np.clip(x, 0, width), np.clip(y, 0, height)
        columns = np.unique(np.concatenate([[0, width], x]))
        rows = np.unique(np.concatenate([[0, height], y.ravel()]))
        fill = partial(_fill, np.searchsorted(columns, x), np.searchsorted(rows, y), (len(rows), len(columns)))
        key = np.random.default_rng(0).integers(1, 2**63, len(shapes), dtype=np.uint64)
        _, first, region = np.unique(fill(key[owner]), return_index=True, return_inverse=True)
        inside = np.zeros((len(first), len(shapes)), dtype=bool)
        for begin in range(0, len(shapes), _WORD):
            bits = np.left_shift(np.uint64(1), np.arange(min(_WORD, len(shapes) - begin), dtype=np.uint64))
            value = np.zeros(len(shapes), dtype=np.uint64)
            value[begin : begin + _WORD] = bits
            inside[:, begin : begin + _WORD] = fill(value[owner]).ravel()[first, None] & bits > 0
        return cls(columns, rows, region.reshape(len(rows) - 1, -1), inside)

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


def _fill(
    column: NDArray[np.intp], row: NDArray[np.intp], size: tuple[int, int], value: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return the exclusive or of values over the vertical sides to the left of each cell, uint64, one per cell.

    Args:
        column: (E,), cell border of each side.
        row: (2, E), cell borders at which it begins and ends.
        size: numbers of borders, vertically and horizontally.
        value: (E,), value of the shape of each side: only shapes that contain a cell remain in its result.
    """
    cells = np.zeros(size, dtype=np.uint64)
    for ends in row:
        np.bitwise_xor.at(cells, (ends, column), value)
    np.bitwise_xor.accumulate(cells, axis=0, out=cells)
    np.bitwise_xor.accumulate(cells, axis=1, out=cells)
    return cells[:-1, :-1]


def _vertical_sides(
    shapes: NDArray[np.object_],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.intp]]:
    """Return the vertical sides of all rings of all parts of shapes. Slanted sides become steps of 1 px of height.

    Returns:
        x of each side, int64 (E,); y of its top and its bottom, int64 (2, E), px; and its shape, (E,).
    """
    parts, part_owner = shapely.get_parts(shapes, return_index=True)
    rings, ring_part = shapely.get_rings(parts, return_index=True)
    points, ring = shapely.get_coordinates(rings, return_index=True)
    has_height = (ring[1:] == ring[:-1]) & (np.rint(points[1:, 1]) != np.rint(points[:-1, 1]))
    owner = part_owner[ring_part[ring[1:][has_height]]]
    ends = np.rint(np.stack([points[:-1][has_height], points[1:][has_height]]))
    ends = np.where(ends[0, :, 1] > ends[1, :, 1], ends[::-1].transpose(2, 0, 1), ends.transpose(2, 0, 1))
    (x0, x1), (top, bottom) = ends
    steps = np.where(x0 == x1, 1, bottom - top).astype(np.int64)
    side = np.repeat(np.arange(len(owner)), steps)
    down = np.arange(len(side)) - np.repeat(np.cumsum(steps) - steps, steps)
    slope = (x1 - x0) / (bottom - top)
    x = np.ceil(x0[side] + (down + 0.5) * slope[side] - 0.5)
    low = top[side] + down
    high = np.where((x0 == x1)[side], bottom[side], low + 1)
    return x.astype(np.int64), np.stack([low, high]).astype(np.int64), owner[side]


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


class AtomKind(StrEnum):
    """Kind of atomic elements."""

    CHARS = "chars"
    NODES = "nodes"
    PIXELS = "pixels"
    EDGES_FINE = "edges-fine"
    EDGES_COARSE = "edges-coarse"

    @property
    def needs_screenshot(self) -> bool:
        """Return whether the elements are computed from a screenshot."""
        return self in _DETECTORS


_DETECTORS: Final = {AtomKind.EDGES_FINE: FINE, AtomKind.EDGES_COARSE: COARSE}


class Atoms(NamedTuple):
    """K groups of elements: their weights (K,), and membership in segments.

    `predicted`, bool (K, F), has the segments of the method; `truth`, bool (K, G), the true segments.
    """

    weight: NDArray[np.float64]
    predicted: NDArray[np.bool_]
    truth: NDArray[np.bool_]


class PageAtoms:
    """Atomic elements of one rendered page.

    A pixel belongs to the segments whose shape contains it. An edge pixel belongs to all segments that contain or touch
    it, as the reference implementation grows segments by 1 px. A node belongs to the segments that list it. If only
    shapes are known, it belongs to the segments whose shape covers its box. Only visible nodes count. Nodes with the
    same box are one element with the sum of their weights, in every segment that has any of them: an element that wraps
    nothing but a segment then belongs to it.

    Args:
        snapshot: the page, rendered.
        screenshot: PNG or JPEG, one px per CSS px; None if no kind of edges is requested.

    Raises:
        InputError: the screenshot cannot be read; raised when edges are first requested.
    """

    def __init__(self, snapshot: Snapshot, screenshot: bytes | None = None) -> None:
        self.nodes = Nodes(snapshot)
        self._size = (max(round(snapshot.width), 1), max(round(snapshot.height), 1))
        self._screenshot = screenshot
        self._points: dict[AtomKind, NDArray[np.int64]] = {}

    def group(self, kinds: Iterable[AtomKind], predicted: Segmentation, truth: Segmentation) -> dict[AtomKind, Atoms]:
        """Group the elements of some kinds by the segments of two segmentations of the page."""
        atoms: dict[AtomKind, Atoms] = {}
        plane = None
        for kind in kinds:
            if kind in (AtomKind.CHARS, AtomKind.NODES):
                atoms[kind] = self._group_nodes(kind, predicted, truth)
            else:
                plane = plane or PlanarArrangement.from_shapes(
                    np.concatenate([predicted.shapes, truth.shapes]), *self._size
                )
                weight = (
                    plane.area if kind is AtomKind.PIXELS else plane.count_near(self._edge_points(kind)).astype(float)
                )
                atoms[kind] = Atoms(weight, plane.inside[:, : len(predicted)], plane.inside[:, len(predicted) :])
        return atoms

    def _edge_points(self, kind: AtomKind) -> NDArray[np.int64]:
        """Return x and y of the pixels on edges, int64 (P, 2)."""
        if kind not in self._points:
            self._points[kind] = np.argwhere(_DETECTORS[kind](self._luma))[:, ::-1]
        return self._points[kind]

    @cached_property
    def _luma(self) -> NDArray[np.float32]:
        if self._screenshot is None:
            raise ValueError("edges need a screenshot of the page")
        return luma(self._screenshot)

    def _group_nodes(self, kind: AtomKind, predicted: Segmentation, truth: Segmentation) -> Atoms:
        weight = self.nodes.characters if kind is AtomKind.CHARS else np.ones(len(self.nodes), dtype=np.int64)
        shown = np.flatnonzero(self.nodes.shown & (weight > 0))
        _, group = np.unique(self.nodes.box[shown], axis=0, return_inverse=True)
        group = group.ravel()
        members = [self._members(side)[:, shown] for side in (predicted, truth)]
        size = np.bincount(group, weight[shown]).astype(np.float64)
        return Atoms(size, *(_any_of(rows, group) for rows in members))

    def _members(self, segments: Segmentation) -> NDArray[np.bool_]:
        """Return the nodes in each segment, bool (S, N + T)."""
        if segments.members is not None:
            return segments.members
        members = np.zeros((len(segments), len(self.nodes)), dtype=bool)
        members[tuple(self._boxes.query(segments.shapes, predicate="covers"))] = True
        return members & self.nodes.shown

    @cached_property
    def _boxes(self) -> shapely.STRtree:
        return shapely.STRtree(np.asarray(shapely.box(*np.nan_to_num(self.nodes.box).T), dtype=object))


def _any_of(members: NDArray[np.bool_], group: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether any member of each group is in each segment, bool (K, S), by `members` (S, M) and `group` (M,)."""
    joined = np.zeros((int(group.max(initial=-1)) + 1, len(members)), dtype=bool)
    np.logical_or.at(joined, group, members.T)
    return joined
