"""Represent the segments of a page as shapes on its screenshot and as sets of nodes, and provide segmenters by name."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import numpy as np
import shapely

from vclean.classify.corpora.marked import locate_marks
from vclean.classify.segments.model import MODEL_SUFFIX, load
from vclean.errors import UsageError
from vclean.features.segments import vips
from vclean.features.segments.formats import read_webis
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.marked import RegionMark, RenderedMarkedPage
    from vclean.classify.segments.model import SegmentModel
    from vclean.features.segments.segments import Segments
    from vclean.render.snapshot import Snapshot


AREAL = ("Polygon", "MultiPolygon")


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes of a rendered page: its N elements, then its T text nodes."""

    snapshot: Snapshot

    def __len__(self) -> int:
        """Return the number of nodes, N + T."""
        return len(self.snapshot) + len(self.snapshot.texts)

    @cached_property
    def box(self) -> NDArray[np.float64]:
        """Return left, top, right, bottom of each node in whole px, float64 (N + T, 4); NaN for texts without lines."""
        page = self.snapshot
        boxes = np.concatenate([page.box, page.text_box]).astype(np.float64)
        boxes[:, 2:] += boxes[:, :2]
        return np.floor(boxes + 0.5)

    @cached_property
    def shown(self) -> NDArray[np.bool_]:
        """Return whether each node is visible and its box has an area, bool (N + T,)."""
        page = self.snapshot
        visible = page.hidden == 0
        left, top, right, bottom = self.box.T
        return np.asarray(np.concatenate([visible, visible[page.text_parent]]) & (right > left) & (bottom > top))

    @cached_property
    def characters(self) -> NDArray[np.int64]:
        """Return the characters of the texts with white space collapsed, int64 (N + T,); 0 for elements."""
        lengths = [len(" ".join(text.split())) for text in self.snapshot.texts]
        return np.array([*[0] * len(self.snapshot), *lengths], dtype=np.int64)

    def inside(self, roots: Sequence[int] | NDArray[Any]) -> NDArray[np.bool_]:
        """Return whether each node is one of `roots` or a descendant of it, bool (len(roots), N + T)."""
        page = self.snapshot
        ancestor = np.asarray(roots, dtype=np.int32)[:, None]
        node = np.arange(len(self), dtype=np.int32)
        element = np.concatenate([node[: len(page)], page.text_parent])
        end = np.concatenate([page.end, np.zeros(len(page.texts), dtype=np.int32)])
        return np.asarray(tree.is_ancestor(ancestor, element, end) | (ancestor == node))

    def outermost(self, members: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the visible nodes of `members` (N + T,) that are in no other visible member."""
        page, drawn = self.snapshot, members & self.shown
        on_path = tree.path_sum(drawn[: len(page)], page.end)
        above = np.concatenate([on_path - drawn[: len(page)], on_path[page.text_parent]])
        return np.asarray(drawn & (above == 0))


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """S segments of a page, which may overlap.

    Attributes:
        shapes: objects (S,), valid shapely polygons or multipolygons, whole px from the page's top left.
        members: bool (S, N + T), nodes of the page in each segment (see `Nodes`); None if only shapes are known.
    """

    shapes: NDArray[np.object_]
    members: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.shapes)

    @classmethod
    def from_nodes(cls, nodes: Nodes, members: NDArray[np.bool_]) -> Self:
        """Build segments from the nodes in each, bool (S, N + T); segments without visible nodes are dropped.

        The shape of a segment is the union of the boxes of its outermost nodes.
        """
        outermost = [np.flatnonzero(nodes.outermost(row)) for row in members]
        boxes = np.asarray(shapely.box(*nodes.box.T), dtype=object)
        shapes = [_union(boxes[rows]) for rows in outermost if len(rows)]
        is_visible = np.array([len(rows) > 0 for rows in outermost], dtype=bool)
        return cls(np.array(shapes, dtype=object), members[is_visible])

    @classmethod
    def from_roots(cls, nodes: Nodes, roots: Sequence[Sequence[int]]) -> Self:
        """Build segments from their outermost nodes; elements include their descendants."""
        members = np.array([nodes.inside(segment_roots).any(axis=0) for segment_roots in roots], dtype=bool)
        return cls.from_nodes(nodes, members.reshape(-1, len(nodes)))

    @classmethod
    def from_shapes(cls, shapes: Sequence[shapely.Geometry]) -> Self:
        """Build segments from shapes, made valid and rounded to whole px; shapes without an area are dropped."""
        rounded = [_areal(shapely.set_precision(shapely.make_valid(shape), 1)) for shape in shapes]
        return cls(np.array([shape for shape in rounded if not shapely.is_empty(shape)], dtype=object))


def _union(boxes: NDArray[np.object_]) -> shapely.Geometry:
    return boxes[0] if len(boxes) == 1 else _areal(shapely.union_all(boxes, grid_size=1))


def _areal(shape: shapely.Geometry) -> shapely.Geometry:
    """Return the parts of a shape that have an area."""
    parts = [part for part in shapely.get_parts(shape) if part.geom_type in AREAL]
    return shapely.union_all(parts, grid_size=1) if parts else shapely.Polygon()


DEPTHS: Final = range(1, 17)
"""Depths to segment at; few pages have elements below."""


def whole_page(snapshot: Snapshot) -> Segmentation:
    """Return the page as one segment."""
    shape = shapely.box(0, 0, max(round(snapshot.width), 1), max(round(snapshot.height), 1))
    return Segmentation(np.array([shape]), np.ones((1, len(Nodes(snapshot))), dtype=bool))


def segment_at_depth(snapshot: Snapshot, depth: int) -> Segmentation:
    """Segment the page at one depth of the tree, 1 for the children of the body.

    Each element of that depth is a segment with its descendants. An element above it is a segment with its child texts
    and its children without children, such as images.
    """
    nodes = Nodes(snapshot)
    segment_root = _segment_roots(nodes, depth)
    leaf = nodes.shown & _is_leaf(nodes)
    roots = np.unique(segment_root[leaf])
    members = nodes.inside(roots)
    is_above = snapshot.depth[roots] < _body_depth(snapshot) + depth
    members[is_above] &= (segment_root == roots[is_above, None]) & leaf
    return Segmentation.from_nodes(nodes, members)


def _segment_roots(nodes: Nodes, depth: int) -> NDArray[np.int32]:
    """Return the ancestor of each node at a depth, or its parent if it is above that depth, int32 (N + T,)."""
    page, lowest = nodes.snapshot, _body_depth(nodes.snapshot) + depth
    root = np.concatenate([np.arange(len(page), dtype=np.int32), page.text_parent])
    childless = np.flatnonzero(_is_leaf(nodes)[: len(page)] & (page.depth < lowest))
    root[childless] = np.maximum(page.parent[childless], 0)
    return np.asarray(tree.nearest_ancestor(page.depth <= lowest, page.parent)[root])


def _is_leaf(nodes: Nodes) -> NDArray[np.bool_]:
    """Return which nodes are texts, or elements without a visible text or element, bool (N + T,)."""
    page = nodes.snapshot
    parent = np.concatenate([page.parent, page.text_parent])
    leaf = np.ones(len(nodes), dtype=bool)
    leaf[parent[nodes.shown & (parent >= 0)]] = False
    return leaf


def _body_depth(snapshot: Snapshot) -> int:
    body = np.flatnonzero(snapshot.is_tag(("body",)))
    return int(snapshot.depth[body[0]]) if len(body) else 0


def gold_segments(snapshot: Snapshot, marks: Sequence[RegionMark], level: int) -> Segmentation:
    """Return the marked elements of one level as segments of the page, in the order of the marks.

    Elements that are not on the page or not visible are dropped. Marks of one level may be nested.

    Args:
        snapshot: the page without its marks, rendered.
        marks: marks that `strip_marks` removed from it.
        level: 1 for the regions of the page, 2 for the parts of regions.
    """
    nodes = Nodes(snapshot)
    elements = locate_marks(snapshot, [mark for mark in marks if mark.level == level])
    return Segmentation.from_nodes(nodes, nodes.inside(elements[elements >= 0]))


SegmentFunction: TypeAlias = "Callable[[str, Snapshot], Sequence[Segmentation]]"
"""Function that segments the page of an id and a snapshot, once for each value of a parameter, in their order."""
Trainer: TypeAlias = "Callable[[Sequence[RenderedMarkedPage], Callable[[], None]], SegmentFunction]"
"""Function that trains a `SegmentFunction` on marked pages, which uses models that have not seen the page."""
_STORED: Final = re.compile(r"(?P<file>.+\.jsonl?)(?::(?P<name>.+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Segmenter:
    """Segmenter with one integer parameter, and the choice of its value.

    Attributes:
        name: name that the user gave.
        family: name of the segmenter without the choice; those of one family have the same segmentations.
        values: values of its parameter, at least one.
        segment: returns one segmentation of a page for each value.
        default: value to use if there are no pages to choose it by.
        trainer: trains the segmenter on the scored pages, by cross-validation; None if it needs no training.
        parameter: value of the parameter; None to use the value that scores best on the pages of other sites.
        oracle: use for each page the value that scores best on it, an upper bound that no program reaches.
    """

    name: str
    family: str
    values: Sequence[int]
    segment: SegmentFunction
    default: int
    trainer: Trainer | None = None
    parameter: int | None = None
    oracle: bool = False

    def trained(self, pages: Sequence[RenderedMarkedPage], done: Callable[[], None]) -> Segmenter:
        """Return this segmenter, trained on `pages` if it has to be; `done` is called after each fold.

        Raises:
            InputError: there are too few pages to train on.
        """
        return replace(self, segment=self.trainer(pages, done)) if self.trainer else self


def find_segmenter(name: str) -> Segmenter:
    """Return the segmenter of a name, such as `dom`, `dom@3`, `dom-oracle`, `FILE` or `FILE:NAME` in the Webis format.

    A trained model is named as `FILE.vclean`, or `shipped`.

    Raises:
        UsageError: the name is unknown; the message lists the known ones.
        InputError: the file cannot be read.
        ModelError: the model is missing, damaged, or of another version of vclean.
    """
    if stored := _STORED.fullmatch(name):
        return _stored(name, Path(stored["file"]), stored["name"])
    if name == "shipped" or name.endswith(MODEL_SUFFIX):
        return _trained(name, None if name == "shipped" else Path(name))
    first, _, number = name.partition("@")
    family, _, oracle = first.partition("-")
    if family not in _SEGMENTERS or oracle not in ("", "oracle") or (oracle and number):
        raise UsageError(
            f"no segmenter {name!r}: choose page, dom, vips, learned, dom@DEPTH, vips@PDOC, learned@PDOC, dom-oracle, "
            "vips-oracle, shipped, a model that ends in .vclean, or a file of segmentations that ends in .json or "
            ".jsonl"
        )
    parameter = _parameter(name, family, number) if number else None
    return Segmenter(name, family, *_SEGMENTERS[family], parameter, bool(oracle))


def _parameter(name: str, family: str, number: str) -> int:
    first, *others = _SEGMENTERS[family][0]
    if others and number in map(str, (first, *others)):
        return int(number)
    takes = f"takes {first} {'to' if len(others) > 1 else 'or'} {others[-1]}" if others else "takes no number"
    raise UsageError(f"no segmenter {name!r}: {family} {takes}")


def _stored(name: str, path: Path, segmentation: str | None) -> Segmenter:
    """Return a segmenter that reads segments from a file; pages that the file lacks have no segments."""
    pages = {}
    for page_id, segmentations in read_webis(path):
        names = list(segmentations) if segmentation is None else [segmentation]
        if len(names) != 1 or names[0] not in segmentations:
            available = ", ".join(segmentations) or "none"
            raise UsageError(f"{path} has these segmentations of {page_id}: {available}; name one as {path}:NAME")
        pages[page_id] = Segmentation.from_shapes(segmentations[names[0]])

    return Segmenter(name, name, (0,), lambda page_id, _: [pages.get(page_id) or Segmentation.from_shapes([])], 0)


def _trained(name: str, path: Path | None) -> Segmenter:
    """Return a segmenter by a trained model, which rejects the pages that it was trained on."""
    model = load(path)

    def check_unseen(address: str) -> SegmentModel:
        if address in model.card["pages"]:
            raise UsageError(f"{name} was trained on {address}: score it on other pages, or train `learned` on these")
        return model

    return Segmenter(name, name, _LEARNED, partial(_segment_by_model, check_unseen), _LEARNED[0])


def _train(pages: Sequence[RenderedMarkedPage], done: Callable[[], None]) -> SegmentFunction:
    from vclean.classify.training.regions import cross_validate, training_rows

    return partial(_segment_by_model, cross_validate(training_rows(pages), done=done))


def _segment_by_model(model: Callable[[str], SegmentModel], page_id: str, snapshot: Snapshot) -> list[Segmentation]:
    return _flat_segmentations(model(page_id)(snapshot), _LEARNED)


def _flat_segmentations(hierarchy: Segments, pdocs: Sequence[int]) -> list[Segmentation]:
    """Return the flat segmentations of a segment tree at some degrees of coherence."""
    nodes = Nodes(hierarchy.snapshot)
    levels = [hierarchy.at(pdoc) for pdoc in pdocs]
    return [Segmentation.from_roots(nodes, [level.roots[leaf] for leaf in level.leaves]) for level in levels]


_PDOCS: Final = range(1, 12)
_LEARNED: Final = (6, 11)
"""Degrees of coherence at which the trained segmenter's results differ: the main segments, and their parts."""
_SEGMENTERS: Final[dict[str, tuple[Sequence[int], SegmentFunction, int, Trainer | None]]] = {
    "page": ((0,), lambda _, snapshot: [whole_page(snapshot)], 0, None),
    "dom": (DEPTHS, lambda _, snapshot: [segment_at_depth(snapshot, depth) for depth in DEPTHS], 2, None),
    "vips": (_PDOCS, lambda _, snapshot: _flat_segmentations(vips.segment(snapshot), _PDOCS), 5, None),
    "learned": (_LEARNED, lambda *_: [], _LEARNED[0], _train),
}
"""Values of the parameter, function, default and trainer of each segmenter."""
