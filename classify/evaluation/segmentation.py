"""`Segmentation`: the segments of a page as shapes in its screenshot and as sets of nodes; and two baselines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import shapely

from vclean.classify.corpora.marked import locate
from vclean.features import tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.marked import RegionMark
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


DEPTHS: Final = range(1, 17)
"""The depths worth a cut; below, few pages have anything."""


def whole_page(snapshot: Snapshot) -> Segmentation:
    """The page as one segment."""
    shape = shapely.box(0, 0, max(round(snapshot.width), 1), max(round(snapshot.height), 1))
    return Segmentation(np.array([shape]), np.ones((1, len(Nodes(snapshot))), dtype=bool))


def segment_at_depth(snapshot: Snapshot, depth: int) -> Segmentation:
    """The page cut at one depth of the tree, 1 for the children of the body.

    Every element of that depth is a segment with all that is in it. An element above the cut is one with the texts and
    the childless elements, such as images, that stand in it directly.
    """
    nodes = Nodes(snapshot)
    owner = _owners(nodes, depth)
    leaf = nodes.shown & _is_leaf(nodes)
    elements = np.unique(owner[leaf])
    holds = nodes.below(elements)
    above = snapshot.depth[elements] < _body_depth(snapshot) + depth
    holds[above] &= (owner == elements[above, None]) & leaf
    return Segmentation.of_nodes(nodes, holds)


def _owners(nodes: Nodes, depth: int) -> NDArray[np.int64]:
    """int64 (N + T,): the ancestor of every node at the cut, or what holds it above the cut."""
    page, bottom = nodes.snapshot, _body_depth(nodes.snapshot) + depth
    owner: NDArray[Any] = np.concatenate([np.arange(len(page)), page.text_parent]).astype(np.int64)
    childless = np.flatnonzero(_is_leaf(nodes)[: len(page)] & (page.depth < bottom))
    owner[childless] = np.maximum(page.parent[childless], 0)
    while (low := page.depth[owner] > bottom).any():
        owner[low] = page.parent[owner[low]]
    return owner


def _is_leaf(nodes: Nodes) -> NDArray[np.bool_]:
    """Bool (N + T,): texts, and elements that show neither a text nor an element."""
    page = nodes.snapshot
    holder = np.concatenate([page.parent, page.text_parent])
    leaf = np.ones(len(nodes), dtype=bool)
    leaf[holder[nodes.shown & (holder >= 0)]] = False
    return leaf


def _body_depth(snapshot: Snapshot) -> int:
    body = np.flatnonzero(snapshot.is_tag(("body",)))
    return int(snapshot.depth[body[0]]) if len(body) else 0


def gold_segments(snapshot: Snapshot, marks: Sequence[RegionMark], level: int) -> Segmentation:
    """The marked elements of one level as segments of the page, in the order of the marks.

    Elements that show nothing, or are not on the page, are left out. Marks of one level may lie in each other.

    Args:
        snapshot: the page without its marks, rendered.
        marks: what `strip` took from it.
        level: 1 for the regions of the page, 2 for the parts of regions.
    """
    nodes = Nodes(snapshot)
    elements = locate(snapshot, [mark for mark in marks if mark.level == level])
    return Segmentation.of_nodes(nodes, nodes.below(elements[elements >= 0]))
