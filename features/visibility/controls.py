"""Find the hidden texts that a reader can open by a control in sight.

The patterns are those of HTML (details, popovers, `hidden=until-found`), WAI-ARIA (disclosure, accordion, tabs,
carousel) and of style sheets without scripts (a checkbox and its label, `:target`).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.visibility.control_elements import PANEL_NAME, SPOILER_NAME, TITLE_NAME, ControlElements
from vclean.features.visibility.named_panels import NamedPanels
from vclean.features.visibility.page_elements import PageElements, has_place, matches
from vclean.features.visibility.panel_sets import PanelSets
from vclean.render import tree
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

OPENED_TECHNIQUES: Final = (
    Hidden.DISPLAY, Hidden.VISIBILITY, Hidden.OPACITY, Hidden.CLIPPED, Hidden.OFF_PAGE, Hidden.TRANSFORM,
    Hidden.COVERED,
)  # fmt: skip
"""The techniques by which pages hide what a control opens. No page shows letters of size 0 by a click."""

_SPOILER_TECHNIQUES: Final = (Hidden.OPACITY, Hidden.COLOR, Hidden.FILTER, Hidden.VISIBILITY)
"""The techniques of spoilers, whose place on the page stays."""
_TITLE_CHARACTERS: Final = 200
"""Characters of the title of a part of an accordion, at most."""
_SLIDE_LEVELS: Final = 8
"""Levels above a text where the slide is looked for that it is in."""
_PANELS_IN_PANELS: Final = 2
"""Levels of panels in opened panels that are looked at."""
_CONDITIONS: Final = ("x-show", "ng-show")
"""Attributes by which a framework shows an element while a condition holds (Alpine, AngularJS)."""
_REGION_TAGS: Final = frozenset(("header", "footer", "nav", "aside", "search"))
_REGION_ROLES: Final = frozenset(("banner", "contentinfo", "navigation", "complementary", "search", "toolbar"))
_NEAR: Final = 3
"""Siblings before and after a panel, and levels above it, where its control is looked for."""


def opened_by_controls(snapshot: Snapshot, technique: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which texts are hidden and opened by a control in sight, bool (T,); False for white space.

    Args:
        snapshot: the page.
        technique: uint8 (T,), `Hidden`, of `painted.hidden_techniques`.
    """
    opened = np.isin(technique, OPENED_TECHNIQUES) & (snapshot.text_length > 0)
    uncovered = _uncovered_by_click(snapshot, technique)
    if opened.any():
        texts = np.flatnonzero(opened)
        parents = snapshot.text_parent[texts]
        is_opened = _opened_elements(snapshot, np.unique(parents).tolist())
        opened[texts] = [is_opened[parent] for parent in parents.tolist()]
        if snapshot.rendered:
            from vclean.features.visibility.unreadable import stays_unreadable

            opened &= ~stays_unreadable(snapshot, opened)
    return opened | uncovered


def _uncovered_by_click(snapshot: Snapshot, technique: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which texts are painted over or blurred until a reader clicks them, bool (T,): spoilers in sight."""
    texts = np.flatnonzero(np.isin(technique, _SPOILER_TECHNIQUES) & (snapshot.text_length > 0))
    uncovered = np.zeros(len(technique), dtype=bool)
    if not len(texts):
        return uncovered
    classes, expanded = snapshot.attributes("class"), snapshot.attributes("aria-expanded")
    marked = [element for element, name in classes.items() if matches(SPOILER_NAME, name)]
    marked += [element for element, value in expanded.items() if value.lower() == "false"]
    if marked:
        spoiler = np.zeros(len(snapshot), dtype=bool)
        spoiler[marked] = (snapshot.hidden[marked] == Hidden.NO) & has_place(snapshot)[marked]
        uncovered[texts] = (tree.path_sum(spoiler, snapshot.end) > 0)[snapshot.text_parent[texts]]
    return uncovered


def _opened_elements(snapshot: Snapshot, elements: list[int]) -> dict[int, bool]:
    """Return which hidden elements a reader can open, also by the controls inside of panels that are opened first."""
    controls = _Controls(snapshot)
    opened = {element: controls.open(element) for element in elements}
    for _ in range(_PANELS_IN_PANELS):
        refused = [element for element in controls.refused if not opened.get(element, False)]
        if not refused:
            break
        hidden = np.flatnonzero(snapshot.hidden != Hidden.NO).tolist()
        revealed = np.zeros(len(snapshot), dtype=bool)
        revealed[[element for element in hidden if controls.open(element)]] = True
        controls = _Controls(snapshot, revealed)
        opened.update({element: controls.open(element) for element in elements if not opened[element]})
    return opened


class _Controls:
    """Find what the controls of a page open that are in sight.

    Args:
        snapshot: the page.
        revealed: bool (N,), elements of panels that count as open.

    Attributes:
        refused: elements inside of an opened panel that stay hidden, because nothing opens them.
    """

    def __init__(self, snapshot: Snapshot, revealed: NDArray[np.bool_] | None = None) -> None:
        self._elements = PageElements(snapshot, revealed)
        self._controls = ControlElements(self._elements)
        self._panels = NamedPanels(self._elements, self._controls)
        self._sets = PanelSets(self._elements, self._controls)
        self._is_clipped: list[bool] = (snapshot.hidden == Hidden.CLIPPED).tolist()
        self._conditional = [snapshot.attributes(name) for name in _CONDITIONS]
        self._known: dict[int, bool] = {-1: False, 0: False}
        self._opened: dict[int, bool] = {}
        self._opens_first: dict[int, bool] = {}
        self.refused: list[int] = []

    def open(self, element: int) -> bool:
        """Return whether a control in sight opens the hidden part of the page that an element is in.

        What has `display: none` inside of an opened panel stays hidden, unless a control opens it too.
        """
        path, seen, parent = [], self._elements.seen, self._elements.parent
        while element > 0 and element not in self._opened:
            path.append(element)
            if seen[element]:
                break
            element = parent[element]
        opened, opens_first = self._opened.get(element, False), self._opens_first.get(element, False)
        if path and seen[path[-1]]:
            opened = opens_first = self._opens_inside(path.pop())
        for each in reversed(path):
            undisplayed = self._elements.is_undisplayed[each]
            if not opened or (undisplayed and not opens_first):
                if opened:
                    self.refused.append(each)
                opened = self._opens(each)
            opens_first &= not undisplayed
            self._opened[each], self._opens_first[each] = opened, opens_first
        return opened

    def _opens_inside(self, element: int) -> bool:
        """Return whether a control opens what is hidden inside an element in sight, which it may name."""
        is_revealed = self._elements.snapshot.hidden[element] != Hidden.NO
        if is_revealed or self._is_most_of_page(element) or not self._panels.may_open_inside(element):
            return False
        parent = self._elements.parent[element]
        if self._opens(element) or self._opens_around(element):
            return True
        return not self._is_most_of_page(parent) and self._opens(parent)

    def _opens(self, element: int) -> bool:
        """Return whether a control in sight opens this element itself."""
        known = self._known.get(element)
        if known is None:
            # Inside a hidden element no control is in sight; a list of floating slides has no height.
            parent = self._elements.parent[element]
            known = (
                element in self._panels.named
                or (self._elements.seen[parent] and self._has_control(element))
                or (self._is_clipped[parent] and self._sets.is_slide(element))
            )
            self._known[element] = known
        return known

    def _has_control(self, element: int) -> bool:
        """Return whether a control in sight belongs to an element by its place."""
        return (
            self._is_in_closed_branch(element)
            or element in self._panels.toggled
            or self._has_near_control(element)
            or self._sets.has(element)
            or self._is_rest_of_text(element)
            or self._is_below_clickable_title(element)
            or self._is_below_title(element)
        )

    def _opens_around(self, element: int) -> bool:
        """Return whether a control opens a part of the page that is not hidden itself, but covered or moved away.

        A control names it as closed, or it is a slide of a set.
        """
        around = self._elements.snapshot.ancestors(element)[:_SLIDE_LEVELS]
        return self._panels.is_in_closed(element) or any(map(self._sets.is_slide, around))

    def _is_in_closed_branch(self, element: int) -> bool:
        """Return whether the parent is what a reader expands, such as an item of a tree (WAI-ARIA, `treeitem`)."""
        parent = self._elements.parent[element]
        return self._controls.is_closed(parent) and self._elements.is_in_sight(parent)

    def _has_near_control(self, element: int) -> bool:
        """Return whether a sibling is a control in sight that belongs to this panel, or contains one."""
        elements = self._elements
        siblings = elements.siblings(elements.parent[element])
        position = siblings.get(element)
        if position is None:
            return False
        order = list(siblings)
        near = self._up_to_text(reversed(order[max(0, position - _NEAR) : position]))
        near += self._up_to_text(order[position + 1 : position + _NEAR])
        named = matches(PANEL_NAME, elements.name(element)) or any(element in shown for shown in self._conditional)
        return any(
            elements.is_in_sight(each) and not self._is_of_page(each) and self._controls_panel(each, named=named)
            for each in near
        )

    def _up_to_text(self, siblings: Iterable[int]) -> list[int]:
        """Return siblings up to the first long text in sight: a control beyond it belongs to other panels."""
        elements, near = self._elements, []
        for each in siblings:
            near.append(each)
            if elements.is_in_sight(each) and elements.text_length(each) > _TITLE_CHARACTERS:
                break
        return near

    def _is_most_of_page(self, element: int) -> bool:
        """Return whether an element holds most of the text of the page, and is therefore no panel."""
        return 2 * self._elements.text_length(element) > self._elements.text_length(0)

    def _is_of_page(self, element: int) -> bool:
        """Return True for regions with controls of the page, or of panels inside the region."""
        return self._elements.tag(element) in _REGION_TAGS or self._elements.role(element) in _REGION_ROLES

    def _controls_panel(self, element: int, *, named: bool) -> bool:
        """Return whether an element, or one of the first inside it, opens the panel beside it.

        Args:
            element: a sibling of the panel.
            named: whether the panel has the name of one.
        """
        expands, is_control, is_named = self._controls.inside(element)
        return expands or (is_control and named) or is_named

    def _is_rest_of_text(self, element: int) -> bool:
        """Return True if a "read more" control is inside the parent or after it, or a button before the element."""
        elements, parent = self._elements, self._elements.parent[element]
        around = [each for one in (element, parent) for each in islice(elements.following_siblings(one), _NEAR)]
        before = elements.sibling_before(element)
        if before is not None and self._controls.is_plain_button(before):
            around.append(before)
        return any(first <= more < elements.end[first] for more in self._controls.showing_more for first in around)

    def _is_below_clickable_title(self, element: int) -> bool:
        """Return whether the sibling before an element is a shorter text that a reader clicks, and no link."""
        elements = self._elements
        before = elements.sibling_before(element)
        if before is None or not elements.is_in_sight(before) or not self._controls.is_clickable_title(before):
            return False
        title = elements.text_length(before)
        return 0 < title <= _TITLE_CHARACTERS and elements.text_length(element) > title

    def _is_below_title(self, element: int) -> bool:
        """Return whether an element is in an accordion by its name, below a title in sight."""
        elements, parent = self._elements, self._elements.parent[element]
        around = (parent, elements.parent[parent])
        if not any(each > 0 and matches(TITLE_NAME, elements.name(each)) for each in around):
            return False
        before = elements.sibling_before(element)
        if before is None or not elements.is_in_sight(before):
            return False
        return 0 < elements.text_length(before) <= _TITLE_CHARACTERS
