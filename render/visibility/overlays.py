"""Find the overlays of a rendered page: elements that float above it, such as consent bars, paywalls and chat boxes.

The layout decides, not names. An overlay is fixed or sticky, or a dialog out of flow. It paints a background, and is
painted above the text that it covers at scroll position 0, or that scrolls past it. Bars and sidebars in
space that the layout reserves for them are no overlays, and neither is the main content of a page.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.render import tree
from vclean.render.snapshot import Hidden
from vclean.render.visibility.painting import points_in_boxes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.visibility.painting import Painting

_MOST: Final = 0.5
_ALMOST_ALL: Final = 0.8
"""Shares of the text of a page, of its main area, or of the viewport."""
_LITTLE: Final = 200
"""Characters: with fewer, a main area is not the content, and what a dialog leaves of a page is not the page."""
_SIGN: Final = 2
"""Characters of the sign of a button, such as one that closes a pop-up."""
_COLUMN_SHARE: Final = 0.3
"""Of the lines in flow: an element at the x of so many floats over their column, others in the margin."""
_TOP_ZONE: Final = 0.25
_BOTTOM_ZONE: Final = 0.9
"""Heights of the viewport: headers and sidebars begin in the top zone, bars and corner boxes end in the bottom zone."""
_CORNER: Final = 0.5
"""Widths and heights of the viewport: the largest box of a corner."""
_DIALOG_SHARE: Final = 0.8
"""Of the text of an element that wraps a dialog."""


def find_overlays(painting: Painting) -> NDArray[np.int32]:
    """Return the outermost overlays of a rendered page, int32 (O,), ascending; none of one that was not rendered."""
    snapshot = painting.snapshot
    if not math.isfinite(snapshot.width):
        return np.zeros(0, dtype=np.int32)
    page = _Page(painting)
    nodes = np.flatnonzero(page.is_positioned("fixed", "sticky") | page.is_positioned("absolute") & page.is_dialog)
    if len(nodes):
        nodes = nodes[_Candidates(page, nodes).are_overlays]
        nodes = np.unique(np.append(nodes, _above_backdrop(page, nodes)))
    reached = np.maximum.accumulate(np.append(0, snapshot.end[nodes]))[:-1]
    return nodes[nodes >= reached].astype(np.int32)


def _above_backdrop(page: _Page, overlays: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the absolutely positioned elements that are painted above an overlay as large as the viewport."""
    painting = page.painting
    backdrops = overlays[painting.fill_viewport(page.snapshot.box[overlays])].tolist()
    if not backdrops:
        return overlays[:0]
    lowest = min(map(painting.background_key, backdrops))
    nodes = np.flatnonzero(page.is_positioned("absolute"))
    above = np.array([painting.background_key(node) > lowest for node in nodes.tolist()], dtype=bool)
    candidates = _Candidates(page, nodes)
    return nodes[above & candidates.have_background & ~candidates.are_main]


class _Page:
    """A rendered page of N elements, with L lines of shown text.

    Attributes:
        snapshot: the page.
        painting: what its elements paint.
        viewport: float32 (2,), width and height in CSS px.
        is_shown: bool (T,), whether each text is shown.
        length: int64 (T,), the characters of each text; 0 if it is not shown.
        characters: float64 (N,), those of the texts in each element.
    """

    def __init__(self, painting: Painting) -> None:
        self.snapshot = snapshot = painting.snapshot
        self.painting = painting
        size = (snapshot.settings.get("width", snapshot.width), snapshot.settings.get("height", snapshot.height))
        self.viewport = np.array(size, dtype=np.float32)
        self.is_shown = snapshot.text_hidden == Hidden.NO
        self.length = snapshot.text_length * self.is_shown
        self.characters = snapshot.sum_in(self.length)

    # ---- elements ----

    def is_positioned(self, *positions: str) -> NDArray[np.bool_]:
        """Return which shown elements below the body have one of these positions, bool (N,)."""
        snapshot = self.snapshot
        mask = snapshot.styles.is_in("position", positions)[snapshot.style] & (snapshot.hidden == Hidden.NO)
        return np.asarray(mask & ~snapshot.is_tag(("html", "body")))

    @cached_property
    def is_dialog(self) -> NDArray[np.bool_]:
        """Return which elements are dialogs or popovers, or wrap one, bool (N,)."""
        snapshot = self.snapshot
        mask = self._has_name("dialog", "alertdialog") | snapshot.has_value("aria-modal", ("true",))
        mask[list(snapshot.attributes("popover"))] = True  # HTML, 6.12
        mask &= snapshot.hidden == Hidden.NO
        in_dialogs = snapshot.sum_in(self.length * tree.inside(mask, snapshot.end)[snapshot.text_parent])
        return np.asarray(mask | (in_dialogs > _DIALOG_SHARE * self.characters))

    @cached_property
    def is_in_main_area(self) -> NDArray[np.bool_]:
        """Return which elements are main areas of the page, or in one, bool (N,)."""
        return tree.inside(self._has_name("main", "article"), self.snapshot.end)

    def _has_name(self, *names: str) -> NDArray[np.bool_]:
        """Return which elements have one of `names` as tag or ARIA role, bool (N,)."""
        return self.snapshot.is_tag(names) | self.snapshot.has_value("role", names)

    # ---- lines ----

    @cached_property
    def line_parent(self) -> NDArray[np.int32]:
        """Return the element of each line, int32 (L,)."""
        text = self.snapshot.line_text
        return np.asarray(self.snapshot.text_parent[text[self.is_shown[text]]])

    @cached_property
    def line_center(self) -> NDArray[np.float32]:
        """Return the center of each line, CSS px, float32 (L, 2)."""
        return np.asarray(self.snapshot.line_center[self.is_shown[self.snapshot.line_text]])


class _Candidates:
    """C elements of a page that may be overlays.

    Attributes:
        nodes: (C,), the elements, ascending.
    """

    def __init__(self, page: _Page, nodes: NDArray[np.intp]) -> None:
        self.nodes = nodes
        self._page = page
        self._end = page.snapshot.end[nodes]

    @property
    def are_overlays(self) -> NDArray[np.bool_]:
        """Return which candidates are overlays, bool (C,)."""
        below, above = self._lines_around
        is_in_reach = self._are_dialogs | (self._size > 0).all(axis=1)  # sticky ones stick in the viewport
        covers = (below > 0) & (below >= above) & is_in_reach
        painting, nodes = self._page.painting, self.nodes.tolist()
        is_sunken = np.array([painting.background_key(node) < painting.content_key(0) for node in nodes], dtype=bool)
        floats = self._float & (covers | (above == 0) & ~is_sunken)
        return np.asarray(self.have_background & ~self.are_main & (covers | floats))

    # ---- what they contain ----

    @cached_property
    def _are_dialogs(self) -> NDArray[np.bool_]:
        return np.asarray(self._page.is_dialog[self.nodes])

    @cached_property
    def are_main(self) -> NDArray[np.bool_]:
        """Return which candidates are the main content: with most of the main area, or of the page, bool (C,).

        A dialog is it where there is no other page.
        """
        page, nodes, snapshot = self._page, self.nodes, self._page.snapshot
        main_characters = snapshot.sum_in(page.length * page.is_in_main_area[snapshot.text_parent])
        in_main, total = main_characters[nodes], main_characters[0]
        if total >= _LITTLE:
            is_main = in_main > _MOST * total
            around_main = is_main & ~page.is_in_main_area[nodes]
        else:
            share = page.characters[nodes] / max(page.characters[0], 1)
            is_main = (share > _ALMOST_ALL) | (share > _MOST) & (self._size.prod(axis=1) > _MOST)
            around_main = np.zeros(len(nodes), dtype=bool)
        length = snapshot.text_length  # of hidden texts too
        is_alone = length.sum() - snapshot.sum_in(length)[nodes] < _LITTLE
        return np.asarray(np.where(self._are_dialogs, is_alone | around_main, is_main))

    # ---- what they paint ----

    @cached_property
    def _parts(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the outermost painted elements of the candidates: index of the candidate, and element, (P,) each."""
        page = self._page
        painters = np.flatnonzero(page.painting.paints)
        parent = page.snapshot.parent[painters]
        around = np.where(parent < 0, -1, page.painting.painter[parent])
        first, last = np.searchsorted(painters, self.nodes), np.searchsorted(painters, self._end)
        count = last - first
        owner = np.repeat(np.arange(len(count)), count)
        row = np.arange(len(owner)) + np.repeat(first - np.cumsum(count) + count, count)
        outer = around[row] < self.nodes[owner]
        return owner[outer], painters[row[outer]]

    @cached_property
    def have_background(self) -> NDArray[np.bool_]:
        """Return which candidates paint something, and that behind most of their text, bool (C,)."""
        page = self._page
        paints = np.bincount(self._parts[0], minlength=len(self.nodes)) > 0
        own = np.bincount(page.snapshot.text_parent, page.length, len(page.snapshot))
        backed = [
            own[node:end][page.painting.painter[node:end] >= node].sum()
            for node, end in zip(self.nodes.tolist(), self._end.tolist(), strict=True)
        ]
        characters = page.characters[self.nodes]
        return np.asarray(paints & ((np.array(backed) >= _MOST * characters) | (characters <= _SIGN)))

    @cached_property
    def _bounds(self) -> NDArray[np.float32]:
        """Return left, top, right and bottom of what is painted in the viewport, in its sizes, float32 (C, 4)."""
        page, (owner, parts) = self._page, self._parts
        box = page.snapshot.box[parts]
        low = np.clip(box[:, :2] / page.viewport, 0, 1)
        high = np.clip((box[:, :2] + box[:, 2:]) / page.viewport, 0, 1)
        is_painted = (high > low).all(axis=1)
        bounds = np.tile(np.array([1, 1, 0, 0], dtype=np.float32), (len(self.nodes), 1))
        np.minimum.at(bounds[:, :2], owner[is_painted], low[is_painted])
        np.maximum.at(bounds[:, 2:], owner[is_painted], high[is_painted])
        return bounds

    @cached_property
    def _size(self) -> NDArray[np.float32]:
        """Return width and height in sizes of the viewport, float32 (C, 2)."""
        return np.asarray(np.maximum(self._bounds[:, 2:] - self._bounds[:, :2], 0))

    # ---- what they cover ----

    @cached_property
    def _lines_around(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return how many lines of other elements are at the place of each candidate below and above it, (C,) each."""
        page, (owner, parts) = self._page, self._parts
        pairs = [np.zeros((0, 2), dtype=np.intp)]
        for line, part in points_in_boxes(page.line_center, page.snapshot.box[parts]):
            candidate, parent = owner[part], page.line_parent[line]
            other = (parent < self.nodes[candidate]) | (parent >= self._end[candidate])
            pairs.append(np.stack([candidate, line], axis=1)[other])
        candidate, line = np.unique(np.concatenate(pairs), axis=0).T
        is_below = self._are_below(line, candidate)
        count = len(self.nodes)
        return (
            np.bincount(candidate[is_below], minlength=count),
            np.bincount(candidate[~is_below], minlength=count),
        )

    def _are_below(self, line: NDArray[np.intp], candidate: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return whether each of K lines is painted before the candidate, bool (K,)."""
        painting = self._page.painting
        pairs, index = np.unique(
            np.stack([self._page.line_parent[line], self.nodes[candidate]], axis=1), axis=0, return_inverse=True
        )
        below = [painting.content_key(parent) < painting.background_key(node) for parent, node in pairs.tolist()]
        return np.array(below, dtype=bool)[index]

    @property
    def _float(self) -> NDArray[np.bool_]:
        """Return which candidates float in the viewport, whatever text is below them at the moment, bool (C,)."""
        page, nodes = self._page, self.nodes
        left, top, right, bottom = self._bounds.T
        in_flow = ~page.painting.is_fixed[page.line_parent]
        x = page.line_center[in_flow if in_flow.any() else slice(None), 0] / page.viewport[0]
        in_column = ((left[:, None] <= x) & (x <= right[:, None])).sum(axis=1) > _COLUMN_SHARE * len(x)
        in_corner = (bottom >= _BOTTOM_ZONE) & (self._size <= _CORNER).all(axis=1)
        low = (top >= _TOP_ZONE) & (bottom > top) & (in_corner | in_column)
        # On a page that does not scroll, a part of the main area stays where it covers nothing.
        scrolls = page.snapshot.height > page.viewport[1] + 1
        is_fixed = page.is_positioned("fixed")[nodes]
        return np.asarray(self._are_dialogs | is_fixed & low & (scrolls | ~page.is_in_main_area[nodes]))
