"""Atomic elements: what a page consists of, by which two segmentations of it are compared.

Kiesel et al. 2020 compare segmentations by five kinds of them: pixels, pixels on fine or coarse edges of the picture,
nodes of the document, and characters. Elements in the same segments on both sides count alike, so that they are told
in groups with a weight each.
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
    """A kind of atomic elements."""

    CHARS = "chars"
    NODES = "nodes"
    PIXELS = "pixels"
    EDGES_FINE = "edges-fine"
    EDGES_COARSE = "edges-coarse"

    @property
    def needs_picture(self) -> bool:
        """Whether only a picture of the page tells them."""
        return self in _DETECTORS


_DETECTORS: Final = {AtomKind.EDGES_FINE: canny.FINE, AtomKind.EDGES_COARSE: canny.COARSE}


class Atoms(NamedTuple):
    """K groups of elements: their weights, and which segments of the method and of the truth they are in.

    The shapes are (K,), bool (K, F) and bool (K, G).
    """

    weight: NDArray[np.float64]
    found: NDArray[np.bool_]
    truth: NDArray[np.bool_]


class PageAtoms:
    """The atomic elements of one rendered page.

    A pixel is in a segment where its shape is; an edge pixel is in all it lies in or touches, as the reference grows
    segments by one px. A node is in a segment that has it as a node; or, where only shapes are known, in one whose
    shape covers its box. Only nodes that are shown count, and nodes with the same box are one element of their common
    weight, in a segment that has any of them: so a wrapper of nothing but a segment belongs to it.

    Args:
        snapshot: the page, rendered.
        picture: its picture, PNG or JPEG, one px per CSS px; None where no kind of edges is asked for.

    Raises:
        InputError: the picture cannot be read; when edges are first asked for.
    """

    def __init__(self, snapshot: Snapshot, picture: bytes | None = None) -> None:
        self.nodes = Nodes(snapshot)
        self._size = (max(round(snapshot.width), 1), max(round(snapshot.height), 1))
        self._picture = picture
        self._points: dict[AtomKind, NDArray[np.int64]] = {}

    def of(self, kinds: Iterable[AtomKind], found: Segmentation, truth: Segmentation) -> dict[AtomKind, Atoms]:
        """The elements of some kinds, grouped by the segments of two segmentations of the page."""
        atoms: dict[AtomKind, Atoms] = {}
        plane = None
        for kind in kinds:
            if kind in (AtomKind.CHARS, AtomKind.NODES):
                atoms[kind] = self._of_nodes(kind, found, truth)
            else:
                plane = plane or PlanarArrangement.of(np.concatenate([found.shapes, truth.shapes]), *self._size)
                weight = (
                    plane.area if kind is AtomKind.PIXELS else plane.count_near(self._edge_points(kind)).astype(float)
                )
                atoms[kind] = Atoms(weight, plane.inside[:, : len(found)], plane.inside[:, len(found) :])
        return atoms

    def _edge_points(self, kind: AtomKind) -> NDArray[np.int64]:
        if kind not in self._points:
            self._points[kind] = canny.points(_DETECTORS[kind](self._grey))
        return self._points[kind]

    @cached_property
    def _grey(self) -> NDArray[np.float32]:
        if self._picture is None:
            raise ValueError("edges need a picture of the page")
        return canny.grey(self._picture)

    def _of_nodes(self, kind: AtomKind, found: Segmentation, truth: Segmentation) -> Atoms:
        weight = self.nodes.characters if kind is AtomKind.CHARS else np.ones(len(self.nodes), dtype=np.int64)
        shown = np.flatnonzero(self.nodes.shown & (weight > 0))
        _, group = np.unique(self.nodes.box[shown], axis=0, return_inverse=True)
        group = group.ravel()
        held = [self._held(side)[:, shown] for side in (found, truth)]
        size = np.bincount(group, weight[shown]).astype(np.float64)
        return Atoms(size, *(_any_of(rows, group) for rows in held))

    def _held(self, segments: Segmentation) -> NDArray[np.bool_]:
        """Bool (S, N + T): the nodes in each segment."""
        if segments.holds is not None:
            return segments.holds
        held = np.zeros((len(segments), len(self.nodes)), dtype=bool)
        held[tuple(self._boxes.query(segments.shapes, predicate="covers"))] = True
        return held & self.nodes.shown

    @cached_property
    def _boxes(self) -> shapely.STRtree:
        return shapely.STRtree(np.asarray(shapely.box(*np.nan_to_num(self.nodes.box).T), dtype=object))


def _any_of(held: NDArray[np.bool_], group: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Bool (K, S): whether any member of a group is in each segment, of `held` (S, M) and `group` (M,)."""
    joined = np.zeros((int(group.max(initial=-1)) + 1, len(held)), dtype=bool)
    np.logical_or.at(joined, group, held.T)
    return joined
