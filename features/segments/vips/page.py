"""What VIPS reads of a page: its visible nodes, what they paint, and what they look like.

A node is an element (its number in the snapshot) or a text node (the number of elements plus its own). Valid, text,
virtual text, inline and line-break nodes are meant as Cai et al. 2003 define them ("VIPS: a vision-based page
segmentation algorithm", MSR-TR-2003-79), with two changes for pages laid out by style sheets: a node's extent is what
is painted in it, as wide as the boxes of its line-break nodes, so that a container of no height has that of its floats;
and inline, table, row and cell go by computed display.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vclean.features import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot


class Font(NamedTuple):
    """The mean size of a node's text, in px, and its mean weight; `even` where all of it has one size and weight."""

    size: float
    weight: float
    even: bool


@dataclass(frozen=True, eq=False)
class Fonts:
    """The fonts of a page's N elements and T text nodes, of which K are seen.

    Attributes:
        snapshot: the page.
        seen: bool (T,), the text nodes of which something can be seen.
    """

    snapshot: Snapshot
    seen: NDArray[np.bool_]

    def of(self, node: int) -> Font | None:
        """The font of an element's or, from N on, a text node's text; None where it has none, or white space alone."""
        if node not in self._found:
            self._found[node] = self._mean(*self._span[node])
        return self._found[node]

    @cached_property
    def _found(self) -> dict[int, Font | None]:
        """By node: a few are asked for, again and again."""
        return {}

    def _mean(self, first: int, last: int) -> Font | None:
        """Of the visible texts from `first` to before `last`."""
        size, weight, count = (end - begin for begin, end in zip(self._sums[first], self._sums[last], strict=True))
        if count <= 0:
            return None
        return Font(size / count, weight / count, self._changes[first] == self._changes[max(last, 1) - 1])

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """The visible text nodes, which are in document order as they are."""
        return np.flatnonzero(self.seen)

    @cached_property
    def _span(self) -> list[tuple[int, int]]:
        """Where the texts of each of the N + T nodes begin and end among the visible ones."""
        texts = self.snapshot.text_parent[self._order]
        inside = tree.subtree_sum(np.bincount(texts, minlength=len(self.snapshot)), self.snapshot.end)
        place = 2 * self.snapshot.text_after[self._order].astype(np.int64) + 1
        first = np.searchsorted(place, 2 * np.arange(len(self.snapshot)))
        before: NDArray[np.int64] = np.cumsum(self.seen) - self.seen
        begin, end = [*first.tolist(), *before.tolist()], [*(first + inside).tolist(), *(before + self.seen).tolist()]
        return list(zip(begin, end, strict=True))

    @cached_property
    def _font(self) -> NDArray[np.float64]:
        """float64 (K, 3): size, weight and characters of the visible texts."""
        snapshot = self.snapshot
        style = snapshot.style[snapshot.text_parent[self._order]]
        fonts = [snapshot.styles.number(name)[style] for name in ("font-size", "font-weight")]
        length = [len(snapshot.texts[text].strip()) for text in self._order.tolist()]
        return np.nan_to_num(np.stack([*fonts, np.array(length, dtype=np.float32)], axis=1)).astype(np.float64)

    @cached_property
    def _sums(self) -> list[list[float]]:
        """(K + 1, 3): running sums of size and weight over characters, and of characters."""
        fonts = self._font
        sums = np.zeros((len(fonts) + 1, 3))
        np.cumsum(fonts * np.stack([fonts[:, 2], fonts[:, 2], np.ones(len(fonts))], axis=1), axis=0, out=sums[1:])
        return sums.tolist()

    @cached_property
    def _changes(self) -> list[int]:
        """(K + 1,): how often the font has changed from one visible text to the next, by text; a 0 at the end."""
        fonts = self._font[:, :2]
        changes = np.zeros(len(fonts) + 1, dtype=np.int64)
        np.cumsum((fonts[1:] != fonts[:-1]).any(axis=1), out=changes[1:-1])
        return changes.tolist()


Extent = tuple[float, float, float, float]
"""Left, top, right and bottom edge, CSS px of the document."""

ATOMS: Final = ("applet", "audio", "canvas", "embed", "iframe", "img", "input", "meter", "object", "progress", "select",
                "svg", "textarea", "video")  # fmt: skip
"""Elements that are content without any text node in them."""

_INLINE: Final = frozenset(("inline", "inline-block", "inline-flex", "inline-grid", "inline-table", "contents", "ruby",
                            "ruby-base", "ruby-text", "math"))  # fmt: skip
_SPACER: Final = 2.0
"""An atom no wider or no higher than this many px is a spacer or a tracking pixel."""
_VISIBLE_STEP: Final = 3.0
"""Least difference of a channel, of 255, by which a background stands out."""


class NodeKind(Enum):
    """Which rules hold for a node: Cai et al. list them by tag."""

    INLINE = auto()
    TABLE = auto()
    ROW = auto()
    CELL = auto()
    PARAGRAPH = auto()
    OTHER = auto()


@dataclass(frozen=True, eq=False)
class VisualPage:
    """The visible part of a rendered page: N elements, T text nodes, M = N + T nodes."""

    snapshot: Snapshot

    @cached_property
    def first_text(self) -> int:
        """The number of the first text node."""
        return len(self.snapshot)

    def is_text(self, node: int) -> bool:
        """Whether a node is a text node."""
        return node >= self.first_text

    @cached_property
    def area(self) -> float:
        """The page's, in square px; never zero."""
        return max(self.snapshot.width * self.snapshot.height, 1.0)

    @cached_property
    def children(self) -> list[list[int]]:
        """The valid children of every node, in document order."""
        children: list[list[int]] = [[] for _ in range(self.first_text + len(self.snapshot.texts))]
        parents = self._parent[self.in_order].tolist()
        for node, parent in zip(self.in_order.tolist(), parents, strict=True):
            if parent >= 0:
                children[parent].append(node)
        return children

    @cached_property
    def is_atom(self) -> list[bool]:
        """Whether an element is content by itself, by node."""
        return [*self._atom.tolist(), *(False for _ in self.snapshot.texts)]

    @cached_property
    def is_virtual_text(self) -> list[bool]:
        """Whether a node is a text node, or an inline node with nothing but such nodes in it."""
        inside = tree.subtree_sum(self._valid_element & (~self._inline | self._atom), self.snapshot.end)
        return [*((inside == 0) & self._valid_element).tolist(), *self.seen_text.tolist()]

    @cached_property
    def is_leaf(self) -> list[bool]:
        """Whether nothing in a node can be divided: a text node, an atom, or nothing but text and virtual text."""
        parents = self._parent[self.in_order]
        divisible = (parents >= 0) & ~np.array(self.is_virtual_text, dtype=bool)[self.in_order]
        leaf = np.bincount(parents[divisible], minlength=self.first_text) == 0
        return [*(leaf | self._atom).tolist(), *(True for _ in self.snapshot.texts)]

    @cached_property
    def breaks_line(self) -> list[bool]:
        """Whether a node is a line-break node."""
        return [*(~self._inline).tolist(), *(False for _ in self.snapshot.texts)]

    @cached_property
    def kind(self) -> list[NodeKind]:
        """Which rules hold for each element."""
        styles = self.snapshot.styles.column("display")
        by_style = [
            _KIND_BY_DISPLAY.get(value, NodeKind.INLINE if value in _INLINE else NodeKind.OTHER) for value in styles
        ]
        kinds = [by_style[row] for row in self.snapshot.style.tolist()]
        for element in np.flatnonzero(self.snapshot.is_tag(("p",))).tolist():
            kinds[element] = NodeKind.PARAGRAPH
        return kinds

    @cached_property
    def extent(self) -> list[Extent]:
        """What each node paints, itself and by its descendants; empty at the origin where that is nothing."""
        return list(map(tuple, self._extent.tolist()))

    @cached_property
    def node_box(self) -> NDArray[np.float32]:
        """float32 (M, 4): x, y, width, height of the extents; NaN where nothing is painted."""
        box = self._extent.astype(np.float32)
        box[:, 2:] -= box[:, :2]
        box[~self._valid] = np.nan
        return box

    @cached_property
    def size(self) -> list[float]:
        """The area of every node's extent over the page's."""
        sides = np.maximum(self._extent[:, 2:] - self._extent[:, :2], 0)
        sizes: list[float] = (sides[:, 0] * sides[:, 1] / self.area).tolist()
        return sizes

    @cached_property
    def largest_child(self) -> list[float]:
        """The size of every element's largest valid child; 0 where there is none."""
        nodes = self.in_order[self._parent[self.in_order] >= 0]
        largest = np.zeros(self.first_text)
        np.maximum.at(largest, self._parent[nodes], np.array(self.size)[nodes])
        sizes: list[float] = largest.tolist()
        return sizes

    @cached_property
    def holds_virtual_text(self) -> list[bool]:
        """Whether a child of an element is text or virtual text."""
        nodes = self.in_order[np.array(self.is_virtual_text, dtype=bool)[self.in_order]]
        parents = self._parent[nodes]
        held: list[bool] = (np.bincount(parents[parents >= 0], minlength=self.first_text) > 0).tolist()
        return held

    @cached_property
    def settled(self) -> dict[int, Any]:
        """What `vips_rules` has found out about nodes for good."""
        return {}

    @cached_property
    def border_area(self) -> list[float]:
        """The area of every element's border box, in square px."""
        areas: list[float] = (self.snapshot.box[:, 2].astype(float) * self.snapshot.box[:, 3]).tolist()
        return areas

    @cached_property
    def rules(self) -> list[Extent]:
        """The horizontal rules (`<hr>`) of the page."""
        seen = self.snapshot.is_tag(("hr",)) & (self.snapshot.hidden == 0)
        return [(x, y, x + w, y + h) for x, y, w, h in self.snapshot.box[seen].tolist()]

    @cached_property
    def has_rule(self) -> set[int]:
        """The elements with a horizontal rule among their children."""
        seen = self.snapshot.is_tag(("hr",)) & (self.snapshot.hidden == 0)
        return set(self.snapshot.parent[seen].tolist())

    @cached_property
    def background(self) -> list[tuple[Any, ...]]:
        """What is behind every node's own content: red, green, blue as seen, and the nearest background image."""
        of_element = [self._seen_behind[element] for element in self._painter.tolist()]
        return of_element + [of_element[parent] for parent in self.snapshot.text_parent.tolist()]

    @cached_property
    def fonts(self) -> Fonts:
        """The fonts of the nodes' texts."""
        return Fonts(self.snapshot, self.seen_text)

    @cached_property
    def _inline(self) -> NDArray[np.bool_]:
        return self.snapshot.styles.is_in("display", _INLINE)[self.snapshot.style]

    @cached_property
    def _atom(self) -> NDArray[np.bool_]:
        sizable = (self.snapshot.box[:, 2:] > _SPACER).all(axis=1)
        return np.asarray(self.snapshot.is_tag(ATOMS) & (self.snapshot.hidden == 0) & sizable)

    @cached_property
    def seen_text(self) -> NDArray[np.bool_]:
        """Text nodes of which something can be seen, bool (T,)."""
        seen = np.zeros(len(self.snapshot.texts), dtype=bool)
        seen[self.snapshot.line_text] = True
        return seen

    @cached_property
    def _valid_element(self) -> NDArray[np.bool_]:
        """Elements with something to see in them that is content; decoration alone is none."""
        texts = np.bincount(self.snapshot.text_parent[self.seen_text], minlength=len(self.snapshot))
        return tree.subtree_sum(texts + self._atom, self.snapshot.end) > 0

    @cached_property
    def _parent(self) -> NDArray[np.int32]:
        """int32 (M,)."""
        return np.concatenate([self.snapshot.parent, self.snapshot.text_parent])

    @cached_property
    def in_order(self) -> NDArray[np.int64]:
        """The valid nodes in document order."""
        place = np.concatenate([2 * np.arange(self.first_text), 2 * self.snapshot.text_after.astype(np.int64) + 1])
        valid = np.flatnonzero(np.concatenate([self._valid_element, self.seen_text]))
        return valid[np.argsort(place[valid], kind="stable")]

    @cached_property
    def _extent(self) -> NDArray[np.float64]:
        """float64 (M, 4): the union of what paints in every node's subtree, which is a run of what paints at all."""
        snapshot, count = self.snapshot, self.first_text
        takes_part = self._decorated | self._atom | (self._bears_width & ~self._inline)
        paints = np.concatenate([self._valid_element & takes_part, self.seen_text])
        painting = self.in_order[paints[self.in_order]]
        holder = np.where(painting < count, painting, self._parent[painting])
        inside = tree.subtree_sum(np.bincount(holder, minlength=count), snapshot.end)
        rank = np.cumsum(paints[self.in_order]) - paints[self.in_order]
        first = np.zeros(len(self._parent), dtype=np.int64)
        first[self.in_order] = rank
        length = np.concatenate([inside, np.ones(len(snapshot.texts), dtype=np.int64)])
        extent = _unions(self._own_extent[painting], first, np.where(self._valid, length, 0))
        return self._with_frames(extent)

    def _with_frames(self, extent: NDArray[np.float64]) -> NDArray[np.float64]:
        """An only child has the extent of the frame that its parent paints: rule 2 passes over the parent."""
        parents, framed = self._parent, self._decorated.copy()
        known = self.in_order[parents[self.in_order] >= 0]
        alone = np.bincount(parents[known], minlength=self.first_text)[parents] == 1
        for node in known[alone[known] & (known < self.first_text)].tolist():
            if framed[parents[node]]:
                extent[node], framed[node] = extent[parents[node]], True
        return extent

    @cached_property
    def _valid(self) -> NDArray[np.bool_]:
        return np.concatenate([self._valid_element, self.seen_text])

    @cached_property
    def _own_extent(self) -> NDArray[np.float64]:
        """float64 (M, 4): border boxes of elements, unions of the lines of texts.

        Of an element that paints nothing itself only the width counts: a short heading stands over all of its column.
        """
        snapshot = self.snapshot
        box = snapshot.box.astype(np.float64)
        extent = np.zeros((len(self._parent), 4))
        extent[: self.first_text] = np.hstack([box[:, :2], box[:, :2] + box[:, 2:]])
        bare = np.flatnonzero(~(self._decorated | self._atom))
        extent[bare, 1], extent[bare, 3] = np.inf, -np.inf
        if len(snapshot.line_text):
            first = np.flatnonzero(np.diff(snapshot.line_text, prepend=-1))
            lines = snapshot.line_box.astype(np.float64)
            low = np.minimum.reduceat(lines[:, :2], first, axis=0)
            high = np.maximum.reduceat(lines[:, :2] + lines[:, 2:], first, axis=0)
            extent[self.first_text + snapshot.line_text[first]] = np.hstack([low, high])
        return extent

    @cached_property
    def _picture(self) -> NDArray[np.bool_]:
        """Elements with a background image, by style."""
        return ~self.snapshot.styles.is_in("background-image", ("", "none"))[self.snapshot.style]

    @cached_property
    def _coloured(self) -> NDArray[np.bool_]:
        alpha = self.snapshot.styles.color("background-color")[self.snapshot.style, 3]
        return np.asarray(np.nan_to_num(alpha) > 0)

    @cached_property
    def _painter(self) -> NDArray[np.int32]:
        """int32 (N,): the nearest element with a background, itself included; the root where there is none."""
        return tree.nearest_ancestor(self._coloured | self._picture, self.snapshot.parent)

    @cached_property
    def _seen_behind(self) -> dict[int, tuple[Any, ...]]:
        """The background of the root and of every element that paints one, blended with what is behind it."""
        snapshot = self.snapshot
        colours = np.nan_to_num(snapshot.styles.color("background-color")).tolist()
        images = snapshot.styles.column("background-image")
        styles, parents, painter = snapshot.style, snapshot.parent, self._painter
        seen: dict[int, tuple[Any, ...]] = {}
        painted = np.flatnonzero(self._coloured | self._picture).tolist()
        for element in dict.fromkeys((0, *painted)):
            behind = seen[int(painter[parents[element]])] if element else (255.0, 255.0, 255.0, "")
            *rgb, alpha = colours[styles[element]]
            image = images[styles[element]] if self._picture[element] else behind[3] if alpha < 1 else ""
            mixed = [round(alpha * own + (1 - alpha) * below, 1) for own, below in zip(rgb, behind[:3], strict=True)]
            seen[element] = (*mixed, image)
        return seen

    @cached_property
    def _decorated(self) -> NDArray[np.bool_]:
        """Elements whose border box is seen: by a border, or a background that differs from the one behind it."""
        snapshot = self.snapshot
        edges = [np.nan_to_num(snapshot.styles.number(f"border-{side}-width")) for side in ("top", "bottom", "left")]
        seen = (np.sum(edges, axis=0) > 0)[snapshot.style]
        for element, own in self._seen_behind.items():
            seen[element] |= element > 0 and stands_out(own, self.background[snapshot.parent[element]])
        return np.asarray(seen & self._bears_width & (snapshot.box[:, 3] > 0))

    @cached_property
    def _bears_width(self) -> NDArray[np.bool_]:
        return np.asarray((self.snapshot.hidden == 0) & (self.snapshot.box[:, 2] > 0))


_KIND_BY_DISPLAY: Final = {"table": NodeKind.TABLE, "table-row": NodeKind.ROW, "table-cell": NodeKind.CELL}


def stands_out(own: tuple[Any, ...], behind: tuple[Any, ...]) -> bool:
    """Whether two backgrounds can be told apart."""
    if own == behind:
        return False
    if own[3] != behind[3]:
        return True
    return any(abs(a - b) >= _VISIBLE_STEP for a, b in zip(own[:3], behind[:3], strict=True))


def _unions(boxes: NDArray[np.float64], first: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64 (M, 4): the union of the run of `boxes` that begins at `first` and has `length`; zeros where empty."""
    some = np.flatnonzero(length > 0)
    unions = np.zeros((len(first), 4))
    if len(some):
        runs = np.stack([first[some], first[some] + length[some]], axis=1).ravel()
        padded = np.vstack([boxes, boxes[:1]])
        low = np.minimum.reduceat(padded[:, :2], runs, axis=0)[::2]
        high = np.maximum.reduceat(padded[:, 2:], runs, axis=0)[::2]
        unions[some] = np.hstack([low, high])
    return unions
