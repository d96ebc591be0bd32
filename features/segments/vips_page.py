"""Read the properties of a page that VIPS needs: visible nodes, what they paint, and their appearance.

A node is an element (its number in the snapshot) or a text node (the number of elements plus its own). Valid, text,
virtual text, inline and line-break nodes are defined by Cai et al. 2003 ("VIPS: a vision-based page segmentation
algorithm", MSR-TR-2003-79). Two changes support pages with style sheets. A node's extent is what is painted in it, as
wide as the boxes of its line-break nodes; so a container without height has the extent of its floats. Inline nodes,
tables, rows and cells are recognized by computed display.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vclean.errors import UsageError
from vclean.features.segments.segments import Segments, Separators
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot


class Font(NamedTuple):
    """Mean font size in px and mean font weight of a node's text; `even` if all text has the same size and weight."""

    size: float
    weight: float
    even: bool


Extent = tuple[float, float, float, float]
"""Left, top, right and bottom edge in CSS px of the document."""
Background = tuple[float, float, float, str]
"""Visible red, green and blue, and the nearest image."""

ATOMS: Final = ("applet", "audio", "canvas", "embed", "iframe", "img", "input", "meter", "object", "progress", "select",
                "svg", "textarea", "video")  # fmt: skip
"""Elements that are content without text nodes in them."""

_INLINE: Final = frozenset(("inline", "inline-block", "inline-flex", "inline-grid", "inline-table", "contents", "ruby",
                            "ruby-base", "ruby-text", "math"))  # fmt: skip
_SPACER: Final = 2.0
"""Maximum width or height in px of spacers and tracking pixels."""
_VISIBLE_STEP: Final = 3.0
"""Minimum difference of a color channel (0 to 255) between visibly different backgrounds."""

TEXTUAL, OTHER, TABLE, ROW, CELL = range(5)
"""Kinds of elements, which determine the rules; Cai et al. list them by tag. Inline elements and `p` are textual."""
_KINDS: Final = {**dict.fromkeys(_INLINE, TEXTUAL), "table": TABLE, "table-row": ROW, "table-cell": CELL}


class VisualPage:
    """Visible part of a rendered page: N elements, T text nodes, M = N + T nodes.

    Attributes:
        snapshot: the page.
        first_text: number of the first text node.
        parent: int32 (M,), parent of each node.
        is_inline: bool (M,), which nodes are texts, or elements with an inline display.
        is_atom: bool (M,), which nodes are elements that are visible content without text, but no spacers.
        visible_text: bool (T,), which text nodes are visible.
        valid: bool (M,), which nodes contain visible content; decoration alone does not count.
        in_order: the valid nodes in document order.
        inner: those of them that have a parent.
        rules: boxes of the horizontal rules of the page.
        is_visible: bool (M,), which nodes are atoms or visible texts.

    Raises:
        UsageError: the page was not rendered.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        if not snapshot.rendered:
            raise UsageError("segments need boxes, and the page was not rendered: render it first")
        self.snapshot, self.first_text = snapshot, len(snapshot)
        self.parent = np.concatenate([snapshot.parent, snapshot.text_parent])
        is_text = np.ones(len(snapshot.texts), dtype=bool)
        self.is_inline = np.append(snapshot.styles.is_in("display", _INLINE)[snapshot.style], is_text)
        sizable = (snapshot.box[:, 2:] > _SPACER).all(axis=1)
        atom = snapshot.is_tag(ATOMS) & (snapshot.hidden == 0) & sizable
        self.is_atom = np.append(atom, ~is_text)
        self.visible_text = np.bincount(snapshot.line_text, minlength=len(snapshot.texts)) > 0
        texts = np.bincount(snapshot.text_parent[self.visible_text], minlength=self.first_text)
        self.valid = np.append(tree.subtree_sum(texts + atom, snapshot.end) > 0, self.visible_text)
        position = np.append(2 * np.arange(self.first_text), 2 * snapshot.text_after.astype(np.int64) + 1)
        valid = np.flatnonzero(self.valid)
        self.in_order = valid[np.argsort(position[valid], kind="stable")]
        self.inner = self.in_order[self.parent[self.in_order] >= 0]
        self.is_visible = self.is_atom | np.append(np.zeros(self.first_text, dtype=bool), self.visible_text)
        self._is_rule = snapshot.is_tag(("hr",)) & (snapshot.hidden == 0)
        self.rules: list[Extent] = [(x, y, x + w, y + h) for x, y, w, h in snapshot.box[self._is_rule].tolist()]
        self._has_width = (snapshot.hidden == 0) & (snapshot.box[:, 2] > 0)

    @cached_property
    def children(self) -> list[list[int]]:
        """Return the valid children of each node in document order."""
        children: list[list[int]] = [[] for _ in self.parent]
        for node, parent in zip(self.inner.tolist(), self.parent[self.inner].tolist(), strict=True):
            children[parent].append(node)
        return children

    def _count_children(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the number of valid children of each element that are in `mask` (M,): int64 (N,)."""
        return np.bincount(self.parent[self.inner[mask[self.inner]]], minlength=self.first_text)

    @cached_property
    def _is_virtual_text(self) -> NDArray[np.bool_]:
        """Return whether each node is a text node, or an inline node that contains only such nodes: bool (M,)."""
        count = self.first_text
        solid = (self.valid & (~self.is_inline | self.is_atom))[:count]
        return np.asarray(self.valid & np.append(tree.subtree_sum(solid, self.snapshot.end) == 0, self.visible_text))

    @cached_property
    def is_leaf(self) -> list[bool]:
        """Return whether each node is indivisible: a text node, an atom, or with only text and virtual text inside."""
        leaf = self._count_children(~self._is_virtual_text) == 0
        return [*(leaf | self.is_atom[: self.first_text]).tolist(), *(True for _ in self.snapshot.texts)]

    @cached_property
    def kind(self) -> list[int]:
        """Return the kind of each element."""
        by_style = np.array([_KINDS.get(value, OTHER) for value in self.snapshot.styles.column("display")])
        return list(map(int, np.where(self.snapshot.is_tag(("p",)), TEXTUAL, by_style[self.snapshot.style])))

    @cached_property
    def _is_divided_by_content(self) -> NDArray[np.bool_]:
        """Return which elements rule 2, 5, 6 or 7 divides: bool (N,)."""
        snapshot, count, kind = self.snapshot, self.first_text, np.array(self.kind)
        is_text = np.arange(len(self.parent)) >= count
        # Rule 7 ignores text: the box of an inline element on several lines always overlaps those of its neighbors.
        area = snapshot.box[:, 2].astype(float) * snapshot.box[:, 3]
        parts = self.inner[~self._is_virtual_text[self.inner]]
        area_inside = np.bincount(self.parent[parts], area[parts], minlength=count)
        rule_2 = (self._count_children(self.valid) == 1) & (self._count_children(is_text) == 0)
        rule_5 = (kind == TEXTUAL) & (self._count_children(~self.is_inline) > 0)
        rule_6 = np.isin(kind, (TEXTUAL, OTHER)) & np.isin(np.arange(count), snapshot.parent[self._is_rule])
        rule_7 = np.isin(kind, (TEXTUAL, OTHER, ROW)) & (area_inside > area)
        return np.asarray(rule_2 | rule_5 | rule_6 | rule_7)

    @cached_property
    def frozen(self) -> frozenset[int]:
        """Return the nodes that rule 8 freezes: parts of a table or row with another background."""
        has_frozen = np.isin(self.kind, (TABLE, ROW)) & ~self._is_divided_by_content
        parts = self.inner[has_frozen[self.parent[self.inner]]].tolist()
        background, parent = self.background, self.parent
        return frozenset(node for node in parts if stands_out(background[node], background[parent[node]]))

    @cached_property
    def is_divided(self) -> list[bool]:
        """Return which elements rule 2, 5, 6, 7 or 8 divides."""
        with_frozen = {int(self.parent[node]) for node in self.frozen}
        return [divided or node in with_frozen for node, divided in enumerate(self._is_divided_by_content.tolist())]

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """Return the extent of what each node and its descendants paint: float64 (M, 4); 0 if they paint nothing."""
        count, reach = self.first_text, self._own_reach()
        np.maximum.at(reach[:count], self.snapshot.text_parent, reach[count:])
        for values in reach[:count].T:
            values[:] = values[tree.subtree_argmax(values, self.snapshot.end)]
        edges = np.where(self.valid[:, None], reach * (-1, -1, 1, 1), 0.0)
        # Only children have the extent of a decorated parent, because rule 2 skips the parent.
        framed, is_only_child = self._decorated.copy(), self._count_children(self.valid)[self.parent] == 1
        for node in self.inner[is_only_child[self.inner] & (self.inner < count)].tolist():
            if framed[self.parent[node]]:
                edges[node], framed[node] = edges[self.parent[node]], True
        return edges

    def _own_reach(self) -> NDArray[np.float64]:
        """Return -left, -top, right and bottom of what each node paints itself: float64 (M, 4); minus infinity if not.

        For elements without visible decoration only the width counts: a short heading is as wide as its column.
        """
        snapshot, count = self.snapshot, self.first_text
        reach = np.full((len(self.parent), 4), -np.inf)
        solid = self._decorated | self.is_atom[:count]
        paints = self.valid[:count] & (solid | (self._has_width & ~self.is_inline[:count]))
        reach[:count][paints] = _reach(snapshot.box[paints])
        reach[:count][~solid, 1::2] = -np.inf
        np.maximum.at(reach, count + snapshot.line_text, _reach(snapshot.line_box))
        return reach

    @cached_property
    def extent(self) -> list[Extent]:
        """Return the rows of `edges`."""
        return list(map(tuple, self.edges.tolist()))

    @cached_property
    def size(self) -> list[float]:
        """Return the area of each node's extent as a share of the page's area."""
        sides = np.maximum(self.edges[:, 2:] - self.edges[:, :2], 0)
        page_area = max(self.snapshot.width * self.snapshot.height, 1.0)
        return list(map(float, sides[:, 0] * sides[:, 1] / page_area))

    @cached_property
    def background(self) -> list[Background]:
        """Return the visible background of each node's content; translucent ones are blended with those behind them."""
        snapshot = self.snapshot
        colors = np.nan_to_num(snapshot.styles.color("background-color")).tolist()
        images = ["" if image == "none" else image for image in snapshot.styles.column("background-image")]
        visible: list[Background] = []
        for parent, style in zip(snapshot.parent.tolist(), snapshot.style.tolist(), strict=True):
            behind = visible[parent] if parent >= 0 else (255.0, 255.0, 255.0, "")
            (*rgb, alpha), image = colors[style], images[style]
            if alpha or image:
                red, green, blue = (round(alpha * a + (1 - alpha) * b, 1) for a, b in zip(rgb, behind, strict=False))
                behind = (red, green, blue, image or (behind[3] if alpha < 1 else ""))
            visible.append(behind)
        return visible + [visible[parent] for parent in snapshot.text_parent.tolist()]

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
    def _decorated(self) -> NDArray[np.bool_]:
        """Return which elements have a visible border box: bool (N,).

        It is visible by a border, or by a background that differs from the one behind it.
        """
        snapshot, background = self.snapshot, self.background
        borders = [np.nan_to_num(snapshot.styles.number(f"border-{side}-width")) for side in ("top", "bottom", "left")]
        decorated = (np.sum(borders, axis=0) > 0)[snapshot.style]
        for element, parent in enumerate(snapshot.parent.tolist()[1:], 1):
            decorated[element] |= stands_out(background[element], background[parent])
        return np.asarray(decorated & self._has_width & (snapshot.box[:, 3] > 0))


def _reach(box: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return -left, -top, right and bottom of boxes (K, 4) given as x, y, width, height: float64 (K, 4)."""
    corner, size = np.split(box.astype(np.float64), 2, axis=1)
    return np.hstack([-corner, corner + size])


def stands_out(background: Background, behind: Background) -> bool:
    """Return whether two backgrounds are visibly different."""
    if background == behind:
        return False
    if background[3] != behind[3]:
        return True
    return any(abs(a - b) >= _VISIBLE_STEP for a, b in zip(background[:3], behind[:3], strict=True))


def to_segments(
    page: VisualPage,
    method: str,
    rows: Iterable[tuple[int, int, list[Extent]]],
    owner: NDArray[np.int32],
    separators: Sequence[tuple[int, bool, tuple[float, float, float, float], int]] = (),
) -> Segments:
    """Return the segments of a page.

    Args:
        page: the page.
        method: the name of the segmentation method.
        rows: parent, degree of coherence, and extents of what is in no part, of each segment in preorder. The box of
            the first segment is the page; the box of another one is the union of its extents and parts.
        owner: int32 (M,), the innermost segment of each node; -1 for nodes that are invisible, or not content.
        separators: see `Separators.from_rows`.
    """
    parents, coherences, extents = zip(*rows, strict=True)
    boxes = np.zeros((len(parents), 4), dtype=np.float32)
    for number in range(len(parents) - 1, 0, -1):
        left, top, right, bottom = zip(*extents[number], strict=True)
        union = (min(left), min(top), max(right), max(bottom))
        boxes[number] = (union[0], union[1], union[2] - union[0], union[3] - union[1])
        extents[parents[number]].append(union)
    boxes[0, 2:] = page.snapshot.width, page.snapshot.height
    node_box = page.edges.astype(np.float32)
    node_box[:, 2:] -= node_box[:, :2]
    node_box[~page.valid] = np.nan
    return Segments(
        snapshot=page.snapshot,
        method=method,
        parent=np.array(parents, dtype=np.int32),
        coherence=np.array(coherences, dtype=np.int32),
        box=boxes,
        text=owner[page.first_text :],
        element=owner[: page.first_text],
        node_box=node_box,
        separators=Separators.from_rows(separators),
    )
