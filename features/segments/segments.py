"""`Segments`: a cut of a page into nested parts, as a tree whose leaves share out everything there is to see.

Segments stand in preorder, so that those in segment `s` are the range `[s, end[s])`. Boxes are CSS px, origin at the
top left of the document.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.errors import UsageError
from vclean.features import tree
from vclean.render.snapshot import subtree_ends

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot
    from vclean.settings import Kind


MOST_COHERENT: Final = 11
"""The upper end of the degree of coherence, DoC, which begins at 1."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Separators:
    """The separators of a page, one row each, Q of them.

    Attributes:
        segment: int32 (Q,), the segment whose parts each separates.
        vertical: bool (Q,), whether it stands between parts side by side.
        box: float32 (Q, 4), x, y, width, height; its width or height is zero where parts touch.
        weight: int32 (Q,), how much it separates.
    """

    segment: NDArray[np.int32]
    vertical: NDArray[np.bool_]
    box: NDArray[np.float32]
    weight: NDArray[np.int32]

    def __len__(self) -> int:
        """The number of separators."""
        return len(self.segment)

    def take(self, rows: NDArray[np.intp]) -> Separators:
        """Those at `rows`."""
        return Separators(
            segment=self.segment[rows], vertical=self.vertical[rows], box=self.box[rows], weight=self.weight[rows]
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Segments:
    """The segments of a page, one row each: S segments, over the N elements and T text nodes of the snapshot.

    Attributes:
        snapshot: the page they were cut from, rendered.
        method: the name of what cut it.
        parent: int32 (S,), the segment round each, -1 for the first, which is the page; preorder.
        coherence: int32 (S,), the degree of coherence, DoC, from 1 to 11; never less than the parent's.
        box: float32 (S, 4), x, y, width, height of what can be seen of it.
        text: int32 (T,), the innermost segment of each text node, -1 where nothing of it can be seen.
        element: int32 (N,), the same for elements that are content themselves, such as images; -1 for others.
        node_box: float32 (N + T, 4), what each element, then each text node, paints; NaN where that is nothing.
        separators: between the parts of segments.
        id: the page's name.
        pdoc: the permitted degree of coherence they were taken at, see `at`.
        full_tree: all that they were taken from by `at`; None where that is these.
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
    id: str = ""
    pdoc: int = MOST_COHERENT
    full_tree: Segments | None = None

    def __repr__(self) -> str:
        return f"<Segments {self.snapshot.url!r}: {len(self)} segments, {len(self.leaves)} of them leaves>"

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.parent)

    @cached_property
    def end(self) -> NDArray[np.int32]:
        """int32 (S,): one past the last segment inside each."""
        return subtree_ends(self.parent)

    @cached_property
    def depth(self) -> NDArray[np.int64]:
        """int64 (S,): 0 for the page, 1 for its parts."""
        return tree.path_sum(np.ones(len(self), dtype=bool), self.end) - 1

    @cached_property
    def leaves(self) -> NDArray[np.intp]:
        """The segments that are not cut further: the flat cut of the page."""
        return np.flatnonzero(self.end == np.arange(len(self)) + 1)

    def at(self, pdoc: int) -> Segments:
        """The segments down to the permitted degree of coherence: what coheres as much is not cut further.

        Args:
            pdoc: 1, the page as one segment, to 11, everything cut as far as it was.

        Raises:
            UsageError: `pdoc` is out of range.
        """
        if not 1 <= pdoc <= MOST_COHERENT:
            raise UsageError(f"the permitted degree of coherence has to be 1 to {MOST_COHERENT}, not {pdoc}")
        whole = self.coherence >= pdoc
        inner = tree.path_sum(whole, self.end) - whole > 0
        owner = tree.nearest_ancestor(~inner, self.parent)
        kept = np.flatnonzero(~inner)
        number = np.full(len(self) + 1, -1, dtype=np.int32)
        number[kept] = np.arange(len(kept))
        moved = np.append(number[owner], np.int32(-1))
        cut = ~(inner | whole)
        rows = np.flatnonzero(cut[self.separators.segment])
        separators = self.separators.take(rows)
        return replace(
            self,
            parent=number[self.parent[kept]],
            coherence=self.coherence[kept],
            box=self.box[kept],
            text=moved[self.text],
            element=moved[self.element],
            separators=replace(separators, segment=number[separators.segment]),
            pdoc=min(pdoc, self.pdoc),
            full_tree=self.full_tree or self,
        )

    @cached_property
    def roots(self) -> list[list[int]]:
        """Per segment, its roots in the document, in document order: the fewest nodes that hold nothing else.

        A node is an element (its number) or a text node (the number of elements plus its own).
        """
        count = len(self.snapshot)
        home = self.node_segment
        above = np.concatenate([self.snapshot.parent, self.snapshot.text_parent])
        around = np.where(above >= 0, home[above], -1)
        places = 2 * np.concatenate([np.arange(count), self.snapshot.text_after]) + (np.arange(len(home)) >= count)
        starting = np.flatnonzero((home >= 0) & (home != around))
        roots: list[list[int]] = [[] for _ in range(len(self))]
        for node in starting[np.argsort(places[starting], kind="stable")].tolist():
            segment, stop = int(home[node]), int(around[node])
            while segment != stop:
                roots[segment].append(node)
                segment = int(self.parent[segment])
        return roots

    def xpath(self, node: int) -> str:
        """The absolute XPath of a node as in `roots`: `/html[1]/body[1]/text()[2]` for a text node."""
        count = len(self.snapshot)
        if node < count:
            return self.snapshot.xpath(node)
        parent = self.snapshot.text_parent[node - count]
        number = int((self.snapshot.text_parent[: node - count + 1] == parent).sum())
        return f"{self.snapshot.xpath(int(parent))}/text()[{number}]"

    def words(self, segment: int) -> str:
        """The text of a segment, white space collapsed."""
        inside = np.flatnonzero((self.text >= segment) & (self.text < self.end[segment]))
        return " ".join(" ".join(self.snapshot.texts[text] for text in inside.tolist()).split())

    def to_dict(self) -> dict[str, Any]:
        """All of it as dictionaries and lists, the segments nested: see `vclean.features.segments.formats`."""
        from vclean.features.segments.formats import to_record

        return to_record(self)

    def to(self, format: str = "json") -> str:  # noqa: A002 - as of a `Result`
        """Return the segments in an output format, one of `vclean.features.segments.formats.FORMATS`, on one line.

        Raises:
            UsageError: there is no such format.
        """
        from vclean.features.segments.formats import write

        return write(self, format)

    def overlay(self, picture: bytes, kind: Kind) -> bytes:
        """Segments and separators drawn over `picture`, a PNG or JPEG of the page with one px per CSS px.

        Raises:
            OutputError: the picture cannot be read.
        """
        from vclean.features.segments.formats import draw

        return draw(self, picture, kind)

    @cached_property
    def node_segment(self) -> NDArray[np.int64]:
        """int64 (N + T,): the innermost segment that holds all there is to see of a node, -1 where that is nothing."""
        count = len(self.snapshot)
        lowest = np.full(count, len(self), dtype=np.int64)
        highest = np.full(count, -1, dtype=np.int64)
        for segment, holder in ((self.element, np.arange(count)), (self.text, self.snapshot.text_parent)):
            seen = segment >= 0
            np.minimum.at(lowest, holder[seen], segment[seen])
            np.maximum.at(highest, holder[seen], segment[seen])
        parents = self.snapshot.parent.tolist()
        low, high = lowest.tolist(), highest.tolist()
        for element in range(count - 1, 0, -1):
            above = parents[element]
            low[above], high[above] = min(low[above], low[element]), max(high[above], high[element])
        shared = [self._common(first, last) if last >= 0 else -1 for first, last in zip(low, high, strict=True)]
        return np.concatenate([np.array(shared, dtype=np.int64), self.text])

    def _common(self, first: int, last: int) -> int:
        """The innermost segment that holds two, the first not after the last."""
        while self.end[first] <= last:
            first = int(self.parent[first])
        return first
