"""Represent the segmentation of a page as a tree of nested segments.

Each visible node is in one leaf. Segments are in preorder: the descendants of segment `s` are the range
`[s + 1, end[s])`. Boxes are in CSS px, with the origin at the top left of the document.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.characters import format_count
from vclean.errors import UsageError
from vclean.render import tree
from vclean.render.snapshot import subtree_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.labels import Role
    from vclean.render.snapshot import Snapshot
    from vclean.settings import OverlayFormat


MOST_COHERENT: Final = 11
"""Maximum degree of coherence (DoC); the minimum is 1."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Separators:
    """Separators of a page, one row each: Q separators.

    Attributes:
        segment: int32 (Q,), the segment whose parts each separator divides.
        vertical: bool (Q,), whether the parts are side by side.
        box: float32 (Q, 4), x, y, width, height; width or height is zero if the parts touch.
        weight: int32 (Q,), the weight, higher for more visible separation.
    """

    segment: NDArray[np.int32]
    vertical: NDArray[np.bool_]
    box: NDArray[np.float32]
    weight: NDArray[np.int32]

    def __len__(self) -> int:
        """Return the number of separators."""
        return len(self.segment)

    @classmethod
    def from_rows(cls, rows: Sequence[tuple[int, bool, tuple[float, float, float, float], int]] = ()) -> Separators:
        """Return the separators given as tuples of segment, direction, box and weight."""
        segment, vertical, box, weight = zip(*rows, strict=True) if rows else ((), (), (), ())
        return cls(
            segment=np.array(segment, dtype=np.int32),
            vertical=np.array(vertical, dtype=bool),
            box=np.array(box, dtype=np.float32).reshape(-1, 4),
            weight=np.array(weight, dtype=np.int32),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Segments:
    """Segments of a page, one row each: S segments, N elements and T text nodes of the snapshot.

    Attributes:
        snapshot: the rendered page.
        method: the name of the segmentation method.
        parent: int32 (S,), the enclosing segment in preorder, -1 for the first, which is the page.
        coherence: int32 (S,), the degree of coherence (DoC), from 1 to 11, at least that of the parent.
        box: float32 (S, 4), x, y, width, height of the visible content.
        text: int32 (T,), the innermost segment of each text node, -1 for invisible ones.
        element: int32 (N,), the same for elements that are content, such as images; -1 for others.
        node_box: float32 (N + T, 4), the box that each element, then each text node, paints; NaN if it paints nothing.
        separators: the separators between parts of segments.
        roles: S roles, each that of half of the words of a segment or more; None without such a role. Empty if the
            blocks of the page were not labelled.
        content_share: float32 (S,), the share of the words of each segment that are in content blocks; NaN without
            words. Empty if the blocks of the page were not labelled.
        id: the name of the page.
        pdoc: the permitted degree of coherence, see `at`.
        full_tree: the segments from which `at` selected these; None if `at` was not used.

    >>> import vclean
    >>> segments = vclean.segment("<h1>Rain</h1><p>It rained.", pdoc=7)  # doctest: +SKIP
    >>> segments.box[segments.leaves], segments.coherence.max()  # doctest: +SKIP
    """

    snapshot: Snapshot
    method: str
    parent: NDArray[np.int32]
    coherence: NDArray[np.int32]
    box: NDArray[np.float32]
    text: NDArray[np.int32]
    element: NDArray[np.int32]
    node_box: NDArray[np.float32]
    separators: Separators
    roles: tuple[Role | None, ...] = ()
    content_share: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    id: str = ""
    pdoc: int = MOST_COHERENT
    full_tree: Segments | None = None

    def __repr__(self) -> str:
        return (
            f"<Segments {self.snapshot.url!r}: {format_count(len(self), 'segment')}, {len(self.leaves)} of them leaves>"
        )

    def _repr_html_(self) -> str:
        """Return the leaves as a table, for notebooks."""
        from vclean.features.segments.formats import to_table

        return to_table(self)

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.parent)

    @cached_property
    def end(self) -> NDArray[np.int32]:
        """Return one past the last descendant of each segment: int32 (S,)."""
        return subtree_ends(self.parent)

    @cached_property
    def depth(self) -> NDArray[np.int64]:
        """Return the depth of each segment: int64 (S,); 0 for the page, 1 for its parts."""
        return tree.path_sum(np.ones(len(self), dtype=bool), self.end) - 1

    @cached_property
    def leaves(self) -> NDArray[np.intp]:
        """Return the segments without parts: the flat segmentation of the page."""
        return np.flatnonzero(self.end == np.arange(len(self)) + 1)

    def at(self, pdoc: int) -> Segments:
        """Return the segments down to a permitted degree of coherence.

        Segments with at least this degree of coherence become leaves.

        Args:
            pdoc: from 1, the page as one segment, to 11, the full tree.

        Raises:
            UsageError: `pdoc` is out of range.
        """
        if not 1 <= pdoc <= MOST_COHERENT:
            raise UsageError(f"the permitted degree of coherence must be 1 to {MOST_COHERENT}, not {pdoc}")
        is_coherent = self.coherence >= pdoc
        is_below_leaf = tree.path_sum(is_coherent, self.end) - is_coherent > 0
        kept_ancestor = tree.nearest_ancestor(~is_below_leaf, self.parent)
        kept_segments = np.flatnonzero(~is_below_leaf)
        number = np.append(np.cumsum(~is_below_leaf) - 1, -1).astype(np.int32)
        new_number = np.append(number[kept_ancestor], np.int32(-1))
        is_divided = ~(is_below_leaf | is_coherent)
        is_inside = is_divided[self.separators.segment]
        columns = {name: values[is_inside] for name, values in vars(self.separators).items()}
        separators = Separators(**columns | {"segment": number[columns["segment"]]})
        return replace(
            self,
            parent=number[self.parent[kept_segments]],
            coherence=self.coherence[kept_segments],
            box=self.box[kept_segments],
            text=new_number[self.text],
            element=new_number[self.element],
            separators=separators,
            roles=tuple(self.roles[row] for row in kept_segments.tolist()) if self.roles else (),
            content_share=self.content_share[kept_segments] if len(self.content_share) else self.content_share,
            pdoc=min(pdoc, self.pdoc),
            full_tree=self.full_tree or self,
        )

    @cached_property
    def roots(self) -> list[list[int]]:
        """Return the roots of each segment: the fewest subtrees that together contain exactly its content.

        A node is an element (its number) or a text node (the number of elements plus its own). Roots are in document
        order.
        """
        count = len(self.snapshot)
        node_segment = self.node_segment
        parent = np.concatenate([self.snapshot.parent, self.snapshot.text_parent])
        parent_segment = np.where(parent >= 0, node_segment[parent], -1)
        document_order = 2 * np.concatenate([np.arange(count), self.snapshot.text_after]) + (
            np.arange(len(node_segment)) >= count
        )
        starting = np.flatnonzero((node_segment >= 0) & (node_segment != parent_segment))
        roots: list[list[int]] = [[] for _ in range(len(self))]
        for node in starting[np.argsort(document_order[starting], kind="stable")].tolist():
            segment, stop = int(node_segment[node]), int(parent_segment[node])
            while segment != stop:
                roots[segment].append(node)
                segment = int(self.parent[segment])
        return roots

    def xpath(self, node: int) -> str:
        """Return the absolute XPath of a node of `roots`, `/html[1]/body[1]/text()[2]` for a text node."""
        count = len(self.snapshot)
        if node < count:
            return self.snapshot.xpath(node)
        parent = self.snapshot.text_parent[node - count]
        number = int((self.snapshot.text_parent[: node - count + 1] == parent).sum())
        return f"{self.snapshot.xpath(int(parent))}/text()[{number}]"

    def segment_text(self, segment: int) -> str:
        """Return the text of a segment with white space collapsed."""
        inside = np.flatnonzero((self.text >= segment) & (self.text < self.end[segment]))
        return " ".join(" ".join(self.snapshot.texts[text] for text in inside.tolist()).split())

    def to_dict(self) -> dict[str, Any]:
        """Return the segments as nested dictionaries and lists: see `vclean.features.segments.formats`."""
        from vclean.features.segments.formats import to_record

        return to_record(self)

    def to(self, format: str = "json") -> str:  # noqa: A002 - same name as in `Result.to`
        """Return the segments in an output format, one of `vclean.features.segments.formats.FORMATS`, on one line.

        Raises:
            UsageError: the format does not exist.
        """
        from vclean.features.segments.formats import write

        return write(self, format)

    def overlay(self, screenshot: bytes, kind: OverlayFormat) -> bytes:
        """Draw segments and separators over a screenshot, a PNG or JPEG of the page with one px per CSS px.

        Raises:
            OutputError: the screenshot cannot be read.
        """
        from vclean.features.segments.formats import draw

        return draw(self, screenshot, kind)

    @cached_property
    def node_segment(self) -> NDArray[np.int64]:
        """Return the innermost segment with all visible content of each node: int64 (N + T,); -1 if it has none."""
        count = len(self.snapshot)
        lowest = np.full(count, len(self), dtype=np.int64)
        highest = np.full(count, -1, dtype=np.int64)
        for segment, holder in ((self.element, np.arange(count)), (self.text, self.snapshot.text_parent)):
            is_visible = segment >= 0
            np.minimum.at(lowest, holder[is_visible], segment[is_visible])
            np.maximum.at(highest, holder[is_visible], segment[is_visible])
        first = lowest[tree.subtree_argmax(-lowest, self.snapshot.end)]
        last = highest[tree.subtree_argmax(highest, self.snapshot.end)]
        is_visible = last >= 0
        low, high = np.where(is_visible, [first, last], 0).astype(np.int32)
        common = tree.lowest_common_ancestor(low, high, self.parent, self.end)
        return np.concatenate([np.where(is_visible, common, -1).astype(np.int64), self.text])
