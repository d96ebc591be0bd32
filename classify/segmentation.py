"""`Segmentation`: a cut of a page into segments, as shapes in the picture and as sets of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import shapely

from vclean.features import tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

AREAL = ("Polygon", "MultiPolygon")


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a rendered page: its N elements, then its T text nodes."""

    snapshot: Snapshot

    def __len__(self) -> int:
        """N + T."""
        return len(self.snapshot) + len(self.snapshot.texts)

    @cached_property
    def box(self) -> NDArray[np.float64]:
        """float64 (N + T, 4): left, top, right and bottom of every node in whole px; NaN where a text has no line."""
        page = self.snapshot
        boxes = np.concatenate([page.box, _text_boxes(page)]).astype(np.float64)
        boxes[:, 2:] += boxes[:, :2]
        return np.floor(boxes + 0.5)

    @cached_property
    def shown(self) -> NDArray[np.bool_]:
        """Bool (N + T,): whether a node is not hidden and its box has an area."""
        page = self.snapshot
        visible = page.hidden == 0
        left, top, right, bottom = self.box.T
        return np.asarray(np.concatenate([visible, visible[page.text_parent]]) & (right > left) & (bottom > top))

    @cached_property
    def characters(self) -> NDArray[np.int64]:
        """int64 (N + T,): characters of the texts, white space collapsed; 0 for elements."""
        lengths = [len(" ".join(text.split())) for text in self.snapshot.texts]
        return np.array([*[0] * len(self.snapshot), *lengths], dtype=np.int64)

    def below(self, tops: Sequence[int] | NDArray[Any]) -> NDArray[np.bool_]:
        """Bool (len(tops), N + T): whether a node is one of `tops`, or in it."""
        page = self.snapshot
        above = np.asarray(tops, dtype=np.int32)[:, None]
        here = np.arange(len(self), dtype=np.int32)
        holder = np.concatenate([here[: len(page)], page.text_parent])
        end = np.concatenate([page.end, np.zeros(len(page.texts), dtype=np.int32)])
        return np.asarray(tree.is_ancestor(above, holder, end) | (above == here))

    def outermost(self, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Of the nodes `held` (N + T,), those that are shown and in no other that is."""
        page, drawn = self.snapshot, held & self.shown
        around = tree.path_sum(drawn[: len(page)], page.end)
        above = np.concatenate([around - drawn[: len(page)], around[page.text_parent]])
        return np.asarray(drawn & (above == 0))


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """S segments of a page, which may overlap.

    Attributes:
        shapes: objects (S,), valid shapely polygons or multipolygons, whole px from the page's top left.
        holds: bool (S, N + T), the nodes of the page in each segment (see `Nodes`); None where only shapes are known.
    """

    shapes: NDArray[np.object_]
    holds: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.shapes)

    @classmethod
    def of_nodes(cls, nodes: Nodes, holds: NDArray[np.bool_]) -> Self:
        """Segments from the nodes in each, bool (S, N + T); what shows nothing is left out.

        The shape of a segment is the union of the boxes of its outermost nodes.
        """
        tops = [np.flatnonzero(nodes.outermost(row)) for row in holds]
        boxes = np.asarray(shapely.box(*nodes.box.T), dtype=object)
        shapes = [_union(boxes[rows]) for rows in tops if len(rows)]
        kept = np.array([len(rows) > 0 for rows in tops], dtype=bool)
        return cls(_array(shapes), holds[kept])

    @classmethod
    def of_roots(cls, nodes: Nodes, roots: Sequence[Sequence[int]]) -> Self:
        """Segments from the outermost nodes of each, elements with all that is in them."""
        holds = np.array([nodes.below(own).any(axis=0) for own in roots], dtype=bool)
        return cls.of_nodes(nodes, holds.reshape(-1, len(nodes)))

    @classmethod
    def of_shapes(cls, shapes: Sequence[shapely.Geometry]) -> Self:
        """Segments from shapes: made valid and put on whole px; what then has no area is left out."""
        whole = [_areal(shapely.set_precision(shapely.make_valid(shape), 1)) for shape in shapes]
        return cls(_array([shape for shape in whole if not shapely.is_empty(shape)]))


def _array(shapes: Sequence[shapely.Geometry]) -> NDArray[np.object_]:
    array = np.empty(len(shapes), dtype=object)
    array[:] = shapes
    return array


def _union(boxes: NDArray[np.object_]) -> shapely.Geometry:
    return boxes[0] if len(boxes) == 1 else _areal(shapely.union_all(boxes, grid_size=1))


def _areal(shape: shapely.Geometry) -> shapely.Geometry:
    """What of a shape has an area."""
    parts = [part for part in shapely.get_parts(shape) if part.geom_type in AREAL]
    return shapely.union_all(parts, grid_size=1) if parts else shapely.Polygon()


def _text_boxes(page: Snapshot) -> NDArray[np.float32]:
    """float32 (T, 4): x, y, width and height of the union of the line boxes of every text; NaN without a line."""
    ends = np.full((len(page.texts), 4), np.nan, dtype=np.float32)
    first = np.flatnonzero(np.diff(page.line_text, prepend=-1))
    if len(first):
        low = np.minimum.reduceat(page.line_box[:, :2], first)
        high = np.maximum.reduceat(page.line_box[:, :2] + page.line_box[:, 2:], first)
        ends[page.line_text[first]] = np.hstack([low, high - low])
    return ends
