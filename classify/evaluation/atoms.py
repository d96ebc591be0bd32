"""Compute the atomic elements of a page, by which two segmentations are compared.

Kiesel et al. 2020 compare segmentations by five kinds of elements: pixels, pixels on fine or coarse edges of the
screenshot, nodes of the document, and characters. Elements in the same segments on both sides are stored as one group
with a weight.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from vclean.classify.evaluation import canny
from vclean.classify.evaluation.arrangement import PlanarArrangement
from vclean.classify.evaluation.segmentation import Nodes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from vclean.classify.evaluation.segmentation import Segmentation
    from vclean.render.snapshot import Snapshot


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


_DETECTORS: Final = {AtomKind.EDGES_FINE: canny.FINE, AtomKind.EDGES_COARSE: canny.COARSE}


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
        if kind not in self._points:
            self._points[kind] = canny.edge_points(_DETECTORS[kind](self._luma))
        return self._points[kind]

    @cached_property
    def _luma(self) -> NDArray[np.float32]:
        if self._screenshot is None:
            raise ValueError("edges need a screenshot of the page")
        return canny.luma(self._screenshot)

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
