"""Find the panels of which a page shows one at a time: tabs and the slides of carousels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from vclean.features.visibility.page_elements import matches

if TYPE_CHECKING:
    from vclean.features.visibility.control_elements import ControlElements
    from vclean.features.visibility.page_elements import PageElements

_SET_NAME: Final = re.compile(
    r"slide|tab(?!le|ul|let)|pane|panel|carousel|switcher|swiper|item|step|page|card|gallery", re.IGNORECASE
)
_SLIDE_NAME: Final = re.compile(r"\bslide|slide\b|carousel|swiper", re.IGNORECASE)
_CAROUSEL_NAME: Final = re.compile(
    r"carousel|slider|slideshow|swiper|splide|glide|flickity|\bowl\b|owl-|slick|embla|siema|\btns\b|bx-wrapper|gallery",
    re.IGNORECASE,
)
"""Names of carousels, among them those of libraries. Their slides are in a list, the list in a frame."""
_CAROUSEL_TAG: Final = re.compile(r"-(?:carousel|slider|slideshow)|(?:carousel|slider|slideshow|swiper)-")
_TABS_NAME: Final = re.compile(r"\btab(?:s|list|-?nav|-?bar|-?buttons?|-?list)?\b", re.IGNORECASE)


_MOST_PANELS: Final = 20
"""Panels alike of which a list of controls shows one."""
_MOST_INSIDE: Final = 80
"""Elements in a list of controls, at most."""


class PanelSets:
    """Find the panels that belong to a set with controls.

    Args:
        elements: the elements of the page.
        controls: its controls.
    """

    def __init__(self, elements: PageElements, controls: ControlElements) -> None:
        self._elements = elements
        self._controls = controls
        self._tab_lists: dict[int, bool] = {}
        self._with_controls: dict[int, bool] = {}

    def is_slide(self, element: int) -> bool:
        """Return whether an element is a slide by its name, and one of a set."""
        name = self._elements.name(element)
        return (matches(_SLIDE_NAME, name) or matches(_SET_NAME, name)) and self.has(element)

    def has(self, element: int) -> bool:
        """Return whether an element is a slide or tab panel, with one in sight like it, and a control for the set."""
        elements, parent = self._elements, self._elements.parent[element]
        if parent < 0:
            return False
        if self._has_a_control_each(element):
            return True
        is_named = matches(_SET_NAME, elements.name(element)) or matches(_SET_NAME, elements.name(parent))
        if not (is_named or self._has_tab_list(parent)) or not self._has_sibling_in_sight(element):
            return False
        above = elements.parent[parent]
        if any(self._has_tab_list(e) or self._is_carousel(e) or self._has_control(e) for e in (parent, above)):
            return True
        frame = elements.parent[above] if above >= 0 else -1
        return frame >= 0 and matches(_CAROUSEL_NAME, elements.name(frame)) and self._has_control(frame)

    def _has_a_control_each(self, element: int) -> bool:
        """Return whether of several siblings alike one is in sight, and another sibling has as many controls."""
        elements, classes = self._elements, set(self._elements.classes(element))
        siblings = elements.siblings(elements.parent[element])
        alike = {
            other
            for other in siblings
            if elements.tag(other) == elements.tag(element)
            and (classes.issubset(elements.classes(other)) if classes else not elements.classes(other))
        }
        if not 1 < len(alike) <= _MOST_PANELS or sum(map(elements.is_in_sight, alike)) != 1:
            return False
        return any(self._count_controls(other) == len(alike) for other in siblings if other not in alike)

    def _count_controls(self, group: int) -> int:
        """Return how many controls in sight a list of controls has, or options a menu; 0 for a part of the page."""
        elements = self._elements
        if not elements.is_in_sight(group) or elements.end[group] - group > _MOST_INSIDE:
            return 0
        inside = range(group + 1, elements.end[group])
        if elements.tag(group) == "select":
            return len(inside)
        controls = {each for each in inside if elements.is_in_sight(each) and self._controls.is_control(each)}
        return sum(elements.parent[each] not in controls for each in controls)

    def _has_sibling_in_sight(self, element: int) -> bool:
        """Return whether a sibling in sight has the same tag, and one of the same classes if there are any."""
        elements, classes = self._elements, set(self._elements.classes(element))
        return any(
            other != element
            and elements.is_in_sight(other)
            and elements.tag(other) == elements.tag(element)
            and (not classes or not classes.isdisjoint(elements.classes(other)))
            for other in elements.siblings(elements.parent[element])
        )

    def _is_carousel(self, element: int) -> bool:
        """Return whether an element is a custom element that scripts give the controls of a carousel."""
        return element >= 0 and bool(_CAROUSEL_TAG.search(self._elements.tag(element)))

    def _has_control(self, element: int) -> bool:
        """Return whether an element contains a control of a carousel or tab list."""
        if element not in self._with_controls:
            inside = self._elements.first_inside(self._elements.children(element))
            self._with_controls[element] = any(map(self._controls.is_of_set, inside))
        return self._with_controls[element]

    def _has_tab_list(self, parent: int) -> bool:
        """Return whether one of the children of an element is named as tabs, and contains several controls."""
        if parent < 0:
            return False
        if parent not in self._tab_lists:
            elements = self._elements
            named = [child for child in elements.siblings(parent) if matches(_TABS_NAME, elements.name(child))]
            counts = (sum(map(self._is_tab, elements.first_inside([each]))) for each in named)
            self._tab_lists[parent] = any(count > 1 for count in counts)
        return self._tab_lists[parent]

    def _is_tab(self, element: int) -> bool:
        """Return whether an element in a list of tabs is one of them."""
        is_item = self._elements.tag(element) in ("a", "li") and self._elements.seen[element]
        return is_item or self._controls.is_of_set(element)
