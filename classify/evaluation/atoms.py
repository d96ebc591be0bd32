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
no shape ends inside a cell. Shapes are mostly rectilinear; with slanted borders, each pixel is a cell. A cell is inside
a shape if its center is. Each shape has a random number, and cells with the same exclusive or of these numbers are in
the same shapes.
"""

from __future__ import annotations

import io
from enum import StrEnum
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely
from PIL import Image
from scipy import ndimage

from vclean.classify.evaluation.segmentation import Nodes
from vclean.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.evaluation.segmentation import Segmentation
    from vclean.render.snapshot import Snapshot


_LUMA: Final = np.array((0.212656, 0.715158, 0.072186), dtype=np.float32)
_STEEP: Final = np.float32(1 + 2**0.5)
"""Tangent of 67.5 degrees: a steeper gradient runs along the columns of the image."""
_ACROSS: Final = ((-1, 0), (-1, -1), (0, -1), (-1, 1))
"""Offset (down, right) of one of the two neighbors across an edge, by direction; the other one is opposite."""


def canny(luma: NDArray[np.float32], sigma: float, lower: float, upper: float) -> NDArray[np.bool_]:
    """Return whether each pixel of an image (H, W) is on an edge, bool (H, W), by the detector of Canny.

    Args:
        luma: the image.
        sigma: standard deviation of the blur, px.
        lower: share of the strongest edge down to which an edge extends.
        upper: share of the strongest edge above which an edge starts.
    """
    blurred = ndimage.gaussian_filter(luma, sigma, mode="nearest", truncate=4.0)
    thin = _thinned(*_gradient(blurred))
    low, high = float(thin.min(initial=0)), float(thin.max(initial=0))
    if high <= low:
        return np.zeros(luma.shape, dtype=bool)
    component, count = ndimage.label(thin >= low + lower * (high - low), structure=np.ones((3, 3)))
    is_edge = np.zeros(count + 1, dtype=bool)
    is_edge[component[thin >= low + upper * (high - low)]] = True
    is_edge[0] = False
    return np.asarray(is_edge[component])


FINE: Final = partial(canny, sigma=1, lower=0.01, upper=0.02)
COARSE: Final = partial(canny, sigma=5, lower=0.01, upper=0.16)


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


class PlanarArrangement:
    """Arrangement of S shapes on a page, as C x R cells and K regions.

    Args:
        shapes: (S,), valid polygons or multipolygons, px; parts outside the page are ignored.
        width, height: size of the page, px.

    Attributes:
        columns, rows: int64 (C + 1,) and (R + 1,), borders of the cells, px, from 0 to the page's width and height.
        region: int64 (R, C), region of each cell; cells in the same shapes are one region.
        inside: bool (K, S), whether a region is inside a shape.
    """

    def __init__(self, shapes: NDArray[np.object_], width: int, height: int) -> None:
        self.columns, self.rows = _cell_borders(shapes, width, height)
        x, y = ((borders[:-1] + borders[1:]) / 2 for borders in (self.columns, self.rows))
        keys = np.zeros((len(y), len(x)), dtype=np.uint64)
        numbers = np.random.default_rng(0).integers(1, 2**63, len(shapes), dtype=np.uint64)
        for shape, number in zip(shapes, numbers, strict=True):
            left, top, right, bottom = shapely.bounds(shape)
            box = slice(*np.searchsorted(y, (top, bottom))), slice(*np.searchsorted(x, (left, right)))
            keys[box] ^= shapely.contains_xy(shape, x[None, box[1]], y[box[0], None]) * number
        _, first, region = np.unique(keys, return_index=True, return_inverse=True)
        row, column = np.divmod(first, len(x))
        shapely.prepare(shapes)
        self.inside = np.asarray(shapely.contains_xy(shapes, x[column, None], y[row, None]))
        self.region = region.reshape(keys.shape)

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
        near_rows, near_columns = _near_cells(self.rows, y), _near_cells(self.columns, x)
        at_border = (near_rows[0] < near_rows[2]) | (near_columns[0] < near_columns[2])
        inner = self.region[near_rows[1, ~at_border], near_columns[1, ~at_border]]
        touched = self.region[near_rows[:, None, at_border], near_columns[None, :, at_border]].reshape(9, -1)
        touched.sort(axis=0)
        is_first = np.diff(touched, axis=0, prepend=-1) > 0
        regions = len(self.inside)
        return np.bincount(inner, minlength=regions) + np.bincount(touched[is_first], minlength=regions)


def _cell_borders(shapes: NDArray[np.object_], width: int, height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the borders of columns and rows of cells, px: those of the shapes, or every px if a border is slanted."""
    points, ring = shapely.get_coordinates(shapely.get_rings(shapely.get_parts(shapes)), return_index=True)
    steps = np.diff(points, axis=0)[np.diff(ring) == 0]
    if (steps != 0).all(axis=1).any():
        return np.arange(width + 1), np.arange(height + 1)
    x, y = np.rint(points).astype(np.int64).T
    return np.unique([0, width, *np.clip(x, 0, width)]), np.unique([0, height, *np.clip(y, 0, height)])


def _near_cells(borders: NDArray[np.int64], position: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return the cells of the px before, at and after `position` (P,), int64 (3, P); the page ends with its last px."""
    cell = np.repeat(np.arange(len(borders) - 1), np.diff(borders))
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
        kinds: kinds of elements.
        screenshot: PNG or JPEG, one px per CSS px; not read if no kind of edges is requested.

    Raises:
        InputError: the screenshot cannot be read.
    """

    def __init__(self, snapshot: Snapshot, kinds: Sequence[AtomKind], screenshot: bytes | None = None) -> None:
        self.nodes = Nodes(snapshot)
        self._kinds = kinds
        self._size = (max(round(snapshot.width), 1), max(round(snapshot.height), 1))
        detectors = {kind: _DETECTORS[kind] for kind in kinds if kind.needs_screenshot}
        gray = luma(screenshot or b"") if detectors else np.zeros((0, 0), dtype=np.float32)
        self._edges = {kind: np.argwhere(detect(gray))[:, ::-1] for kind, detect in detectors.items()}

    def group(self, predicted: Segmentation, truth: Segmentation) -> dict[AtomKind, Atoms]:
        """Group the elements by the segments of two segmentations of the page."""
        atoms: dict[AtomKind, Atoms] = {}
        plane = None
        for kind in self._kinds:
            if kind in (AtomKind.CHARS, AtomKind.NODES):
                atoms[kind] = self._group_nodes(kind, predicted, truth)
            else:
                plane = plane or PlanarArrangement(np.concatenate([predicted.shapes, truth.shapes]), *self._size)
                weight = plane.area if kind is AtomKind.PIXELS else plane.count_near(self._edges[kind]).astype(float)
                atoms[kind] = Atoms(weight, plane.inside[:, : len(predicted)], plane.inside[:, len(predicted) :])
        return atoms

    def _group_nodes(self, kind: AtomKind, predicted: Segmentation, truth: Segmentation) -> Atoms:
        weight = self.nodes.characters if kind is AtomKind.CHARS else np.ones(len(self.nodes), dtype=np.int64)
        shown = np.flatnonzero(self.nodes.shown & (weight > 0))
        _, group = np.unique(self.nodes.box[shown], axis=0, return_inverse=True)
        group = group.ravel()
        size = np.bincount(group, weight[shown]).astype(np.float64)
        joined = [np.zeros((len(size), len(side)), dtype=bool) for side in (predicted, truth)]
        for side, members in zip((predicted, truth), joined, strict=True):
            np.logical_or.at(members, group, self._members(side)[:, shown].T)
        return Atoms(size, *joined)

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
