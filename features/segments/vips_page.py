"""Read the properties of a page that VIPS needs: visible nodes, what they paint, and their appearance.

A node is an element (its number in the snapshot) or a text node (the number of elements plus its own). Valid, text,
virtual text, inline and line-break nodes are defined by Cai et al. 2003 ("VIPS: a vision-based page segmentation
algorithm", MSR-TR-2003-79). Two changes support pages with style sheets. A node's extent is what is painted in it, as
wide as the boxes of its line-break nodes; so a container without height has the extent of its floats. Inline nodes,
tables, rows and cells are recognized by computed display.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot


class Font(NamedTuple):
    """Mean font size in px and mean font weight of a node's text; `even` if all text has the same size and weight."""

    size: float
    weight: float
    even: bool


Extent = tuple[float, float, float, float]
"""Left, top, right and bottom edge in CSS px of the document."""

ATOMS: Final = ("applet", "audio", "canvas", "embed", "iframe", "img", "input", "meter", "object", "progress", "select",
                "svg", "textarea", "video")  # fmt: skip
"""Elements that are content without text nodes in them."""

_INLINE: Final = frozenset(("inline", "inline-block", "inline-flex", "inline-grid", "inline-table", "contents", "ruby",
                            "ruby-base", "ruby-text", "math"))  # fmt: skip
_SPACER: Final = 2.0
"""Maximum width or height in px of spacers and tracking pixels."""
_VISIBLE_STEP: Final = 3.0
"""Minimum difference of a color channel (0 to 255) between visibly different backgrounds."""


class NodeKind(Enum):
    """Kind of a node, which determines the rules; Cai et al. list them by tag."""

    INLINE = auto()
    TABLE = auto()
    ROW = auto()
    CELL = auto()
    PARAGRAPH = auto()
    OTHER = auto()


@dataclass(frozen=True, eq=False)
class VisualPage:
    """Visible part of a rendered page: N elements, T text nodes, M = N + T nodes."""

    snapshot: Snapshot

    @cached_property
    def first_text(self) -> int:
        """Return the number of the first text node."""
        return len(self.snapshot)

    def is_text(self, node: int) -> bool:
        """Return whether a node is a text node."""
        return node >= self.first_text

    @cached_property
    def area(self) -> float:
        """Return the area of the page in square px, at least 1."""
        return max(self.snapshot.width * self.snapshot.height, 1.0)

    @cached_property
    def children(self) -> list[list[int]]:
        """Return the valid children of each node in document order."""
        children: list[list[int]] = [[] for _ in range(self.first_text + len(self.snapshot.texts))]
        parents = self._parent[self.in_order].tolist()
        for node, parent in zip(self.in_order.tolist(), parents, strict=True):
            if parent >= 0:
                children[parent].append(node)
        return children

    @cached_property
    def is_atom(self) -> list[bool]:
        """Return whether each node is an element that is content without text."""
        return [*self._atom.tolist(), *(False for _ in self.snapshot.texts)]

    @cached_property
    def is_virtual_text(self) -> list[bool]:
        """Return whether each node is a text node, or an inline node that contains only such nodes."""
        inside = tree.subtree_sum(self._valid_element & (~self._inline | self._atom), self.snapshot.end)
        return [*((inside == 0) & self._valid_element).tolist(), *self.visible_text.tolist()]

    @cached_property
    def is_leaf(self) -> list[bool]:
        """Return whether each node is indivisible: a text node, an atom, or with only text and virtual text inside."""
        parents = self._parent[self.in_order]
        divisible = (parents >= 0) & ~np.array(self.is_virtual_text, dtype=bool)[self.in_order]
        leaf = np.bincount(parents[divisible], minlength=self.first_text) == 0
        return [*(leaf | self._atom).tolist(), *(True for _ in self.snapshot.texts)]

    @cached_property
    def breaks_line(self) -> list[bool]:
        """Return whether each node is a line-break node."""
        return [*(~self._inline).tolist(), *(False for _ in self.snapshot.texts)]

    @cached_property
    def kind(self) -> list[NodeKind]:
        """Return the kind of each element."""
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
        """Return the box of what each node and its descendants paint; zeros if they paint nothing."""
        return list(map(tuple, self._extent.tolist()))

    @cached_property
    def node_box(self) -> NDArray[np.float32]:
        """Return the extents as x, y, width, height: float32 (M, 4); NaN if nothing is painted."""
        box = self._extent.astype(np.float32)
        box[:, 2:] -= box[:, :2]
        box[~self._valid] = np.nan
        return box

    @cached_property
    def size(self) -> list[float]:
        """Return the area of each node's extent as a share of the page's area."""
        sides = np.maximum(self._extent[:, 2:] - self._extent[:, :2], 0)
        sizes: list[float] = (sides[:, 0] * sides[:, 1] / self.area).tolist()
        return sizes

    @cached_property
    def largest_child(self) -> list[float]:
        """Return the size of each element's largest valid child, 0 without children."""
        nodes = self.in_order[self._parent[self.in_order] >= 0]
        largest = np.zeros(self.first_text)
        np.maximum.at(largest, self._parent[nodes], np.array(self.size)[nodes])
        sizes: list[float] = largest.tolist()
        return sizes

    @cached_property
    def division_cache(self) -> dict[int, frozenset[int] | None]:
        """Return the cache of divisions that are the same in every round, see `vips.rules`, by node."""
        return {}

    @cached_property
    def border_area(self) -> list[float]:
        """Return the area of each element's border box in square px."""
        areas: list[float] = (self.snapshot.box[:, 2].astype(float) * self.snapshot.box[:, 3]).tolist()
        return areas

    @cached_property
    def rules(self) -> list[Extent]:
        """Return the boxes of the horizontal rules (`<hr>`) of the page."""
        is_visible_rule = self.snapshot.is_tag(("hr",)) & (self.snapshot.hidden == 0)
        return [(x, y, x + w, y + h) for x, y, w, h in self.snapshot.box[is_visible_rule].tolist()]

    @cached_property
    def has_rule(self) -> set[int]:
        """Return the elements that have a horizontal rule as a child."""
        is_visible_rule = self.snapshot.is_tag(("hr",)) & (self.snapshot.hidden == 0)
        return set(self.snapshot.parent[is_visible_rule].tolist())

    @cached_property
    def background(self) -> list[tuple[Any, ...]]:
        """Return the background of each node's content: visible red, green and blue, and the nearest image."""
        of_element = [self._visible_background[element] for element in self._painter.tolist()]
        return of_element + [of_element[parent] for parent in self.snapshot.text_parent.tolist()]

    @cached_property
    def fonts(self) -> list[Font | None]:
        """Return the font of the visible text in each node; None for white space or no text."""
        snapshot, texts = self.snapshot, np.flatnonzero(self.visible_text)
        parent = snapshot.text_parent[texts]
        style = snapshot.style[parent]
        chars = np.array([len(snapshot.texts[text].strip()) for text in texts.tolist()], dtype=np.float64)
        size, weight = (
            np.nan_to_num(snapshot.styles.number(name)[style]).astype(np.float64)
            for name in ("font-size", "font-weight")
        )
        sums = np.zeros((3, len(texts) + 1))  # cumulative, weighted by characters
        np.cumsum([size * chars, weight * chars, chars], axis=1, out=sums[:, 1:])
        changes = np.cumsum((np.diff(size, prepend=0) != 0) | (np.diff(weight, prepend=0) != 0))
        # The visible texts in a node follow each other.
        inside = tree.subtree_sum(np.bincount(parent, minlength=len(snapshot)), snapshot.end)
        in_element = np.searchsorted(snapshot.text_after[texts], np.arange(len(snapshot)))
        first = np.concatenate([in_element, np.cumsum(self.visible_text) - self.visible_text])
        last = first + np.concatenate([inside, self.visible_text])
        total_size, total_weight, count = sums[:, last] - sums[:, first]
        fonts: list[Font | None] = [None] * len(first)
        for node in np.flatnonzero(count > 0).tolist():
            is_even = bool(changes[first[node]] == changes[last[node] - 1])
            fonts[node] = Font(float(total_size[node] / count[node]), float(total_weight[node] / count[node]), is_even)
        return fonts

    @cached_property
    def _inline(self) -> NDArray[np.bool_]:
        """Return which elements have an inline display: bool (N,)."""
        return self.snapshot.styles.is_in("display", _INLINE)[self.snapshot.style]

    @cached_property
    def _atom(self) -> NDArray[np.bool_]:
        """Return which elements are visible content without text: bool (N,); spacers are excluded."""
        sizable = (self.snapshot.box[:, 2:] > _SPACER).all(axis=1)
        return np.asarray(self.snapshot.is_tag(ATOMS) & (self.snapshot.hidden == 0) & sizable)

    @cached_property
    def visible_text(self) -> NDArray[np.bool_]:
        """Return which text nodes are visible: bool (T,)."""
        visible = np.zeros(len(self.snapshot.texts), dtype=bool)
        visible[self.snapshot.line_text] = True
        return visible

    @cached_property
    def _valid_element(self) -> NDArray[np.bool_]:
        """Return which elements contain visible content: bool (N,); decoration alone does not count."""
        texts = np.bincount(self.snapshot.text_parent[self.visible_text], minlength=len(self.snapshot))
        return tree.subtree_sum(texts + self._atom, self.snapshot.end) > 0

    @cached_property
    def _parent(self) -> NDArray[np.int32]:
        """Return the parent of each node: int32 (M,)."""
        return np.concatenate([self.snapshot.parent, self.snapshot.text_parent])

    @cached_property
    def in_order(self) -> NDArray[np.int64]:
        """Return the valid nodes in document order."""
        document_order = np.concatenate(
            [2 * np.arange(self.first_text), 2 * self.snapshot.text_after.astype(np.int64) + 1]
        )
        valid = np.flatnonzero(np.concatenate([self._valid_element, self.visible_text]))
        return valid[np.argsort(document_order[valid], kind="stable")]

    @cached_property
    def _extent(self) -> NDArray[np.float64]:
        """Return the extent of each node: float64 (M, 4).

        It is the union of a run of painted boxes, because painted nodes of a subtree are consecutive.
        """
        snapshot, count = self.snapshot, self.first_text
        can_paint = self._decorated | self._atom | (self._has_width & ~self._inline)
        paints = np.concatenate([self._valid_element & can_paint, self.visible_text])
        painting = self.in_order[paints[self.in_order]]
        holder = np.where(painting < count, painting, self._parent[painting])
        inside = tree.subtree_sum(np.bincount(holder, minlength=count), snapshot.end)
        rank = np.cumsum(paints[self.in_order]) - paints[self.in_order]
        first = np.zeros(len(self._parent), dtype=np.int64)
        first[self.in_order] = rank
        length = np.concatenate([inside, np.ones(len(snapshot.texts), dtype=np.int64)])
        extent = _unions(self._node_extent[painting], first, np.where(self._valid, length, 0))
        return self._with_frames(extent)

    def _with_frames(self, extent: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give only children the extent of a decorated parent, because rule 2 skips the parent."""
        parents, framed = self._parent, self._decorated.copy()
        children = self.in_order[parents[self.in_order] >= 0]
        is_only_child = np.bincount(parents[children], minlength=self.first_text)[parents] == 1
        for node in children[is_only_child[children] & (children < self.first_text)].tolist():
            if framed[parents[node]]:
                extent[node], framed[node] = extent[parents[node]], True
        return extent

    @cached_property
    def _valid(self) -> NDArray[np.bool_]:
        """Return which nodes are valid: bool (M,)."""
        return np.concatenate([self._valid_element, self.visible_text])

    @cached_property
    def _node_extent(self) -> NDArray[np.float64]:
        """Return the border boxes of elements and the unions of the lines of texts: float64 (M, 4).

        For elements without visible decoration only the width counts: a short heading is as wide as its column.
        """
        snapshot = self.snapshot
        box = snapshot.box.astype(np.float64)
        extent = np.zeros((len(self._parent), 4))
        extent[: self.first_text] = np.hstack([box[:, :2], box[:, :2] + box[:, 2:]])
        undecorated = np.flatnonzero(~(self._decorated | self._atom))
        extent[undecorated, 1], extent[undecorated, 3] = np.inf, -np.inf
        if len(snapshot.line_text):
            first = np.flatnonzero(np.diff(snapshot.line_text, prepend=-1))
            lines = snapshot.line_box.astype(np.float64)
            top_left = np.minimum.reduceat(lines[:, :2], first, axis=0)
            bottom_right = np.maximum.reduceat(lines[:, :2] + lines[:, 2:], first, axis=0)
            extent[self.first_text + snapshot.line_text[first]] = np.hstack([top_left, bottom_right])
        return extent

    @cached_property
    def _has_image(self) -> NDArray[np.bool_]:
        """Return which elements have a background image by style: bool (N,)."""
        return ~self.snapshot.styles.is_in("background-image", ("", "none"))[self.snapshot.style]

    @cached_property
    def _has_color(self) -> NDArray[np.bool_]:
        """Return which elements have a background color: bool (N,)."""
        alpha = self.snapshot.styles.color("background-color")[self.snapshot.style, 3]
        return np.asarray(np.nan_to_num(alpha) > 0)

    @cached_property
    def _painter(self) -> NDArray[np.int32]:
        """Return the nearest element with a background, itself or an ancestor: int32 (N,); the root without any."""
        return tree.nearest_ancestor(self._has_color | self._has_image, self.snapshot.parent)

    @cached_property
    def _visible_background(self) -> dict[int, tuple[Any, ...]]:
        """Return the visible background of the root and of each element that has one, blended with those behind it."""
        snapshot = self.snapshot
        colors = np.nan_to_num(snapshot.styles.color("background-color")).tolist()
        images = snapshot.styles.column("background-image")
        styles, parents, painter = snapshot.style, snapshot.parent, self._painter
        visible: dict[int, tuple[Any, ...]] = {}
        painters = np.flatnonzero(self._has_color | self._has_image).tolist()
        for element in dict.fromkeys((0, *painters)):
            behind = visible[int(painter[parents[element]])] if element else (255.0, 255.0, 255.0, "")
            *rgb, alpha = colors[styles[element]]
            image = images[styles[element]] if self._has_image[element] else behind[3] if alpha < 1 else ""
            mixed = [round(alpha * front + (1 - alpha) * back, 1) for front, back in zip(rgb, behind[:3], strict=True)]
            visible[element] = (*mixed, image)
        return visible

    @cached_property
    def _decorated(self) -> NDArray[np.bool_]:
        """Return which elements have a visible border box: bool (N,).

        It is visible by a border, or by a background that differs from the one behind it.
        """
        snapshot = self.snapshot
        borders = [np.nan_to_num(snapshot.styles.number(f"border-{side}-width")) for side in ("top", "bottom", "left")]
        decorated = (np.sum(borders, axis=0) > 0)[snapshot.style]
        for element, background in self._visible_background.items():
            decorated[element] |= element > 0 and stands_out(background, self.background[snapshot.parent[element]])
        return np.asarray(decorated & self._has_width & (snapshot.box[:, 3] > 0))

    @cached_property
    def _has_width(self) -> NDArray[np.bool_]:
        """Return which elements are visible and have a width: bool (N,)."""
        return np.asarray((self.snapshot.hidden == 0) & (self.snapshot.box[:, 2] > 0))


_KIND_BY_DISPLAY: Final = {"table": NodeKind.TABLE, "table-row": NodeKind.ROW, "table-cell": NodeKind.CELL}


def stands_out(background: tuple[Any, ...], behind: tuple[Any, ...]) -> bool:
    """Return whether two backgrounds are visibly different."""
    if background == behind:
        return False
    if background[3] != behind[3]:
        return True
    return any(abs(a - b) >= _VISIBLE_STEP for a, b in zip(background[:3], behind[:3], strict=True))


def union_boxes(page: VisualPage, parents: Sequence[int], extents: Sequence[list[Extent]]) -> NDArray[np.float32]:
    """Return x, y, width and height of the union of each segment's extents and parts: float32 (S, 4).

    The box of the first segment is the page.

    Args:
        page: the page.
        parents: (S,), the parent of each segment, which comes before it.
        extents: (S,), extents of what is in no part of each segment; those of its parts are appended.
    """
    boxes = np.zeros((len(parents), 4), dtype=np.float32)
    for number in range(len(parents) - 1, 0, -1):
        left, top, right, bottom = zip(*extents[number], strict=True)
        union = (min(left), min(top), max(right), max(bottom))
        boxes[number] = (union[0], union[1], union[2] - union[0], union[3] - union[1])
        extents[parents[number]].append(union)
    boxes[0, 2:] = page.snapshot.width, page.snapshot.height
    return boxes


def _unions(boxes: NDArray[np.float64], first: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the union of each run of `boxes` given by `first` and `length`: float64 (M, 4); zeros for empty runs."""
    nonempty = np.flatnonzero(length > 0)
    unions = np.zeros((len(first), 4))
    if len(nonempty):
        runs = np.stack([first[nonempty], first[nonempty] + length[nonempty]], axis=1).ravel()
        padded = np.vstack([boxes, boxes[:1]])
        top_left = np.minimum.reduceat(padded[:, :2], runs, axis=0)[::2]
        bottom_right = np.maximum.reduceat(padded[:, 2:], runs, axis=0)[::2]
        unions[nonempty] = np.hstack([top_left, bottom_right])
    return unions
