"""Find the hidden texts that a reader can open by a control in sight.

The patterns are those of HTML (details, popovers, `hidden=until-found`), WAI-ARIA (disclosure, accordion, tabs,
carousel) and of style sheets without scripts (a checkbox and its label, `:target`).
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.names.element_names import NAME_CACHE_SIZE
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

OPENED_TECHNIQUES: Final = (
    Hidden.DISPLAY, Hidden.VISIBILITY, Hidden.OPACITY, Hidden.CLIPPED, Hidden.OFF_PAGE, Hidden.TRANSFORM,
    Hidden.COVERED,
)  # fmt: skip
"""The techniques by which pages hide what a control opens. No page shows letters of size 0 by a click."""

_PANEL_NAME: Final = re.compile(
    r"tab|accordion|collaps|panel|pane\b|toggle|expand|reveal|faq|more|slide|carousel|spoiler|modal|drop|disclos|answer",
    re.IGNORECASE,
)
"""Names that panels and their controls go by in common component libraries (Bootstrap, jQuery UI, WAI-ARIA)."""
_SET_NAME: Final = re.compile(r"slide|tab|pane|panel|carousel|swiper|item|step|page|card|gallery", re.IGNORECASE)
_SLIDE_NAME: Final = re.compile(r"\bslide|slide\b|carousel|swiper", re.IGNORECASE)
_CAROUSEL_TAG: Final = re.compile(r"-(?:carousel|slider|slideshow)|(?:carousel|slider|slideshow|swiper)-")
_TABS_NAME: Final = re.compile(r"\btab(?:s|list|-?nav|-?bar|-?buttons?|-?list)?\b", re.IGNORECASE)
_STEP_NAME: Final = re.compile(r"next|prev|arrow|dot|indicator|tab|nav|control|thumb", re.IGNORECASE)
_REFERENCES: Final = ("aria-controls", "data-target", "data-bs-target", "popovertarget", "commandfor", "for", "href")
_CONTROL_ROLES: Final = frozenset(("button", "tab", "switch", "menuitem", "radio", "checkbox"))
_TITLE_NAME: Final = re.compile(r"accordion|collaps|toggle|expand|faq|spoiler", re.IGNORECASE)
"""Names of headings that are controls."""
_QUESTION_NAME: Final = re.compile(
    r"question|(?:accordion|collaps|toggle|faq|spoiler)[\w-]*(?:title|head|label|trigger|button)", re.IGNORECASE
)
"""Names of what a reader clicks, whatever its tag: without a layout its cursor is unknown."""
_TAB_NAME: Final = re.compile(
    r"\btabs?[-_]*(?:nav|link|item|btn|button|title|label|trigger|head|header)\b", re.IGNORECASE
)
"""Names of tabs; a page without its style sheets shows no cursor above them."""
_TITLE_TAGS: Final = frozenset(("dt", "h1", "h2", "h3", "h4", "h5", "h6"))
_MORE: Final = re.compile(
    r"(?:(?:read|show|see|view|learn|load|open) (?:more|all|full|the rest|details|(?:the )?transcript)|more|expand"
    r"|(?:read|show|see|view) (?:the )?(?:full|whole|entire|complete) (?:story|article|post|text|review|answer)"
    r"|(?:show|see|view|load) (?:all )?\d{1,5} (?:more )?(?:comments?|replies|answers|reviews)"
    r"|continue reading|keep reading"
    r"|mehr(?: lesen| anzeigen)?|weiterlesen|lire (?:la suite|plus)|(?:voir|afficher) plus|leer más|ver más|mostrar más"
    r"|seguir leyendo|ler mais|ver mais|leggi (?:di più|tutto)|mostra (?:di più|altro)|lees (?:meer|verder)|meer tonen"
    r"|więcej|czytaj (?:dalej|więcej)|rozwiń|pokaż więcej|číst (?:dále|dál)|zobrazit více|läs mer|les mer|læs mere"
    r"|читать (?:далее|полностью)|показать (?:ещё|еще|полностью)|подробнее|περισσότερα|devamını oku"
    r"|阅读更多|阅读全文|展开(?:全文)?|显示更多|查看更多|続きを読む|もっと見る|더 ?보기|المزيد|اقرأ المزيد)"
    r"[\s.…»›>+▼▾↓]*",
    re.IGNORECASE,
)
"""What a control says that shows the rest of a text."""
_TITLE_CHARACTERS: Final = 200
"""Characters of the title of a part of an accordion, at most."""
_SAYS_MORE: Final = 40
"""Characters of such a control, at most."""
_SLIDE_LEVELS: Final = 8
"""Levels above a text where the slide is looked for that it is in."""
_NEAR: Final = 3
"""Siblings before and after a panel, and levels above it, where its control is looked for."""


def opened_by_controls(snapshot: Snapshot, technique: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which texts are hidden and opened by a control in sight, bool (T,); False for white space.

    Args:
        snapshot: the page.
        technique: uint8 (T,), `Hidden`, of `painted.hidden_techniques`.
    """
    opened = np.isin(technique, OPENED_TECHNIQUES) & (snapshot.text_length > 0)
    if opened.any():
        texts = np.flatnonzero(opened)
        parents = snapshot.text_parent[texts]
        controls = _Controls(snapshot)
        is_opened = {parent: controls.open(parent) for parent in np.unique(parents).tolist()}
        opened[texts] = [is_opened[parent] for parent in parents.tolist()]
    return opened


class _Controls:
    """Find the controls of a page that are in sight, and what they open."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._parent = snapshot.parent.tolist()
        self._end = snapshot.end.tolist()
        seen = snapshot.hidden == Hidden.NO
        self._seen = seen.tolist()
        self._in_sight = (seen & has_place(snapshot)).tolist()
        self._known: dict[int, bool] = {-1: False, 0: False}
        self._opened: dict[int, bool] = {}
        self._attributes = {
            name: snapshot.attributes(name)
            for name in ("class", "id", "role", "hidden", "aria-expanded", "data-toggle", "data-bs-toggle",
                         "tabindex", "type", "href")
        }  # fmt: skip

    def open(self, element: int) -> bool:
        """Return whether a control in sight opens the hidden part of the page that an element is in."""
        path = []
        while element > 0 and element not in self._opened:
            path.append(element)
            if self._seen[element]:
                break
            element = self._parent[element]
        opened = self._opened.get(element, False)
        if path and self._seen[path[-1]]:  # the nearest ancestor in sight may be what a control names
            opened = self._opens(path[-1]) or self._opens_around(path[-1]) or self._opens(self._parent[path.pop()])
        for each in reversed(path):
            opened = self._opened[each] = opened or self._opens(each)
        return opened

    def _opens(self, element: int) -> bool:
        """Return whether a control in sight opens this element itself."""
        known = self._known.get(element)
        if known is None:
            known = self._known[element] = self._is_named(element) or (
                # Inside a hidden element no control is in sight.
                self._seen[self._parent[element]]
                and (
                    self._is_in_closed_branch(element)
                    or element in self._toggled
                    or self._has_near_control(element)
                    or self._is_one_of_a_set(element)
                    or self._is_rest_of_text(element)
                    or self._is_below_title(element)
                )
            )
        return known

    def _opens_around(self, element: int) -> bool:
        """Return whether a control opens a part of the page that is not hidden itself, but covered or moved away.

        A control names it as closed, or it is a slide of a set.
        """
        around = self._snapshot.ancestors(element)
        is_closed = not self._closed_targets.isdisjoint(map(self._attributes["id"].get, around))
        return is_closed or any(map(self._is_slide, around[:_SLIDE_LEVELS]))

    def _is_slide(self, element: int) -> bool:
        return matches(_SLIDE_NAME, self._name(element)) and self._is_one_of_a_set(element)

    @cached_property
    def _closed_targets(self) -> set[str | None]:
        """Return the ids that controls in sight name and say to be closed (WAI-ARIA, `aria-expanded`)."""
        controls, expanded = self._snapshot.attributes("aria-controls"), self._attributes["aria-expanded"]
        closed = (each for each in controls if expanded.get(each, "").lower() == "false" and self._is_in_sight(each))
        return {name for each in closed for name in controls[each].split()}

    def _is_named(self, element: int) -> bool:
        """Return whether a control names an element, or the element opens by itself."""
        attributes = self._attributes
        return (
            self._is_in_closed_details(element)
            or attributes["id"].get(element) in self._targets
            or attributes["hidden"].get(element, "").lower() == "until-found"
            or bool(self._targeted_classes and not self._targeted_classes.isdisjoint(self._classes(element)))
        )

    def _is_in_closed_details(self, element: int) -> bool:
        """Return whether the parent is a `details` element in sight, with nothing that hides its summary."""
        parent = self._parent[element]
        return parent in self._details and self._seen[parent] and self._summary_is_seen(parent)

    def _summary_is_seen(self, details: int) -> bool:
        """Return whether the summary of a `details` element is in sight; without one the browser paints its own."""
        summary = self._summaries.get(details)
        return summary is None or self._seen[summary]

    @cached_property
    def _summaries(self) -> dict[int, int]:
        """Return the first summary of each parent of one."""
        found: dict[int, int] = {}
        for summary in np.flatnonzero(self._snapshot.is_tag(("summary",))).tolist():
            found.setdefault(self._parent[summary], summary)
        return found

    def _is_in_closed_branch(self, element: int) -> bool:
        """Return whether the parent is what a reader expands, such as an item of a tree (WAI-ARIA, `treeitem`)."""
        parent = self._parent[element]
        return self._attributes["aria-expanded"].get(parent, "").lower() == "false" and self._is_in_sight(parent)

    @cached_property
    def _details(self) -> set[int]:
        return set(np.flatnonzero(self._snapshot.is_tag(("details",))).tolist())

    @cached_property
    def _targets(self) -> set[str]:
        """Return the ids that controls in sight name."""
        ids: set[str] = set()
        for name in _REFERENCES:
            for element, value in self._snapshot.attributes(name).items():
                if not self._is_in_sight(element):
                    continue
                if name in ("aria-controls", "popovertarget", "commandfor", "for"):
                    ids.update(value.split())
                elif "#" in value:
                    ids.add(value.rpartition("#")[2])
        return ids - {""} - self._inputs.keys()

    @cached_property
    def _targeted_classes(self) -> set[str]:
        """Return the classes that controls in sight name."""
        names: set[str] = set()
        for name in ("data-target", "data-bs-target"):
            for element, value in self._snapshot.attributes(name).items():
                if value.startswith(".") and self._is_in_sight(element):
                    names.add(value[1:])
        return names

    @cached_property
    def _inputs(self) -> dict[str, int]:
        """Return the checkboxes and radio buttons that have an id."""
        ids = self._attributes["id"]
        return {name: element for element, name in ids.items() if element in self._boxes}

    @cached_property
    def _boxes(self) -> set[int]:
        """Return the checkboxes and radio buttons."""
        kinds = self._attributes["type"].items()
        return {
            element
            for element, kind in kinds
            if kind.lower() in ("checkbox", "radio") and self._snapshot.tags[self._snapshot.tag[element]] == "input"
        }

    @cached_property
    def _toggled(self) -> set[int]:
        """Return the elements that style sheets can show by a checkbox: those after it, and the one after its label."""
        labels = set(self._labelled)
        shown = [
            element
            for name, element in self._inputs.items()
            if name in labels or self._is_in_sight(element) or self._is_labelled_around(element)
        ]
        toggled: set[int] = set()
        for element in shown:
            toggled.update(self._following_siblings(element))
        for element in self._boxes:
            if self._is_labelled_around(element):
                toggled.update(islice(self._following_siblings(self._parent[element]), 1))
        return toggled

    @cached_property
    def _labelled(self) -> set[str]:
        return {value for element, value in self._snapshot.attributes("for").items() if self._is_in_sight(element)}

    def _is_labelled_around(self, element: int) -> bool:
        parent = self._parent[element]
        return parent >= 0 and self._snapshot.tags[self._snapshot.tag[parent]] == "label" and self._is_in_sight(parent)

    def _following_siblings(self, element: int) -> Iterator[int]:
        """Yield the siblings after an element."""
        parent, sibling = self._parent[element], self._end[element]
        while parent >= 0 and sibling < self._end[parent]:
            yield sibling
            sibling = self._end[sibling]

    def _children(self, element: int) -> list[int]:
        """Return the first thousand children of an element; none for -1."""
        if element < 0:
            return []
        children: list[int] = []
        child = element + 1
        while child < self._end[element] and len(children) < 1000:
            children.append(child)
            child = self._end[child]
        return children

    def _classes(self, element: int) -> list[str]:
        return self._attributes["class"].get(element, "").split()

    def _name(self, element: int) -> str:
        """Return classes, id and role of an element in one string, and its tag if it is a custom element."""
        role, tag = self._attributes["role"].get(element, ""), self._snapshot.tags[self._snapshot.tag[element]]
        names = f"{self._attributes['class'].get(element, '')} {self._attributes['id'].get(element, '')} {role}"
        return f"{names} {tag}" if "-" in tag else names

    def _is_in_sight(self, element: int) -> bool:
        return bool(self._in_sight[element])

    def _has_near_control(self, element: int) -> bool:
        """Return whether a sibling is a control in sight that belongs to this panel, or contains one."""
        siblings = self._siblings(self._parent[element])
        position = siblings.get(element)
        if position is None:
            return False
        order = list(siblings)
        near = order[max(0, position - _NEAR) : position] + order[position + 1 : position + _NEAR]
        named = matches(_PANEL_NAME, self._name(element))
        return any(self._is_in_sight(each) and self._controls_panel(each, named=named) for each in near)

    @cached_property
    def _known_siblings(self) -> dict[int, dict[int, int]]:
        return {}

    def _siblings(self, parent: int) -> dict[int, int]:
        """Return the children of an element with their positions, in order."""
        if parent not in self._known_siblings:
            self._known_siblings[parent] = {child: position for position, child in enumerate(self._children(parent))}
        return self._known_siblings[parent]

    def _controls_panel(self, element: int, *, named: bool) -> bool:
        """Return whether an element, or one of the first inside it, opens the panel beside it.

        Args:
            element: a sibling of the panel.
            named: whether the panel has the name of one.
        """
        expands, is_control, is_named = self._control_inside(element)
        return expands or (is_control and named) or is_named

    def _control_inside(self, element: int) -> tuple[bool, bool, bool]:
        """Return whether one of the first elements inside expands something, is a control, or one named as such."""
        known = self._controls_inside.get(element)
        if known is None:
            inside = [each for each in range(element, min(self._end[element], element + 8)) if self._seen[each]]
            expanded = self._attributes["aria-expanded"]
            controls = [each for each in inside if self._is_control(each)]
            known = self._controls_inside[element] = (
                any(expanded.get(each, "").lower() == "false" for each in inside),
                bool(controls),
                any(matches(_PANEL_NAME, self._name(each)) for each in controls),
            )
        return known

    @cached_property
    def _controls_inside(self) -> dict[int, tuple[bool, bool, bool]]:
        return {}

    def _is_control(self, element: int) -> bool:
        """Return whether a reader can click an element without leaving the page."""
        attributes = self._attributes
        if self._snapshot.tags[self._snapshot.tag[element]] in ("button", "summary"):
            return True
        if attributes["role"].get(element, "").lower() in _CONTROL_ROLES:
            return True
        if any(element in attributes[name] for name in ("data-toggle", "data-bs-toggle", "tabindex")):
            return True
        if self._has_name_of_control(element):
            return True
        href = attributes["href"].get(element)
        if href is not None:
            same_page = href == self._snapshot.url != ""  # the parser resolves `#` to it
            return href.startswith(("#", "javascript:")) or href.endswith("#") or same_page
        return bool(self._cursors[self._snapshot.style[element]] == "pointer")

    def _has_name_of_control(self, element: int) -> bool:
        """Return whether an element is the title of a part that opens, by its name."""
        name = self._name(element)
        if self._snapshot.tags[self._snapshot.tag[element]] in _TITLE_TAGS:
            return matches(_TITLE_NAME, name)
        if matches(_TAB_NAME, name):
            return True
        return not self._snapshot.rendered and matches(_QUESTION_NAME, name)

    def _is_rest_of_text(self, element: int) -> bool:
        """Return whether a control that says "read more" is inside the parent, or comes after it."""
        parent = self._parent[element]
        around = [*islice(self._following_siblings(element), _NEAR), *islice(self._following_siblings(parent), _NEAR)]
        before = self._sibling_before(element)
        if before is not None and self._is_plain_button(before):
            around.append(before)
        return any(first <= control < self._end[first] for control in self._more for first in around)

    def _is_plain_button(self, element: int) -> bool:
        """Return whether an element is a button that names nothing that it controls."""
        is_button = self._snapshot.tags[self._snapshot.tag[element]] == "button"
        return is_button and not any(element in self._snapshot.attributes(name) for name in _REFERENCES)

    def _sibling_before(self, element: int) -> int | None:
        siblings = self._siblings(self._parent[element])
        position = siblings.get(element, 0)
        return list(siblings)[position - 1] if position else None

    def _is_below_title(self, element: int) -> bool:
        """Return whether an element is in an accordion by its name, below a title in sight."""
        parent = self._parent[element]
        around = (parent, self._parent[parent])
        if not any(each > 0 and matches(_TITLE_NAME, self._name(each)) for each in around):
            return False
        before = self._sibling_before(element)
        return before is not None and self._is_in_sight(before) and 0 < self._text_length(before) <= _TITLE_CHARACTERS

    def _text_length(self, element: int) -> int:
        """Return the characters of the texts inside an element."""
        before = self._characters_before
        return int(before[self._end[element]] - before[element])

    @cached_property
    def _characters_before(self) -> list[int]:
        """Return the characters of the texts of all elements before each, N + 1 numbers."""
        snapshot = self._snapshot
        own = np.bincount(snapshot.text_parent, weights=snapshot.text_length, minlength=len(snapshot))
        characters: list[int] = np.append(0, np.cumsum(own)).astype(int).tolist()
        return characters

    @cached_property
    def _more(self) -> list[int]:
        """Return the controls in sight that say that they show the rest of a text."""
        snapshot = self._snapshot
        parents = [
            int(snapshot.text_parent[text])
            for text in np.flatnonzero(snapshot.text_length <= _SAYS_MORE).tolist()
            if _MORE.fullmatch(snapshot.texts[text].strip())
        ]
        return [element for each in parents if (element := self._control_around(each)) is not None]

    def _control_around(self, element: int) -> int | None:
        """Return the element, or its parent, that is a control in sight."""
        around = (element, self._parent[element])
        return next((each for each in around if each >= 0 and self._is_in_sight(each) and self._is_control(each)), None)

    @cached_property
    def _cursors(self) -> tuple[str, ...]:
        return self._snapshot.styles.column("cursor")

    def _is_one_of_a_set(self, element: int) -> bool:
        """Return whether an element is a slide or tab panel, with one in sight like it, and a control for the set."""
        parent = self._parent[element]
        name = self._name(element)
        if parent < 0:
            return False
        is_named = matches(_SET_NAME, name) or matches(_SET_NAME, self._name(parent))
        if not (is_named or self._has_tab_list(parent)):
            return False
        classes, tag = set(self._classes(element)), self._snapshot.tag[element]
        if not any(
            other != element
            and self._is_in_sight(other)
            and self._snapshot.tag[other] == tag
            and (not classes or not classes.isdisjoint(self._classes(other)))
            for other in self._siblings(parent)
        ):
            return False
        around = (parent, self._parent[parent])
        return self._has_tab_list(parent) or any(self._is_carousel(e) or self._has_set_control(e) for e in around)

    def _is_carousel(self, element: int) -> bool:
        """Return whether an element is a custom element that scripts give the controls of a carousel."""
        return element >= 0 and bool(_CAROUSEL_TAG.search(self._snapshot.tags[self._snapshot.tag[element]]))

    def _has_tab_list(self, parent: int) -> bool:
        """Return whether one of the children of an element is named as tabs, and contains several controls."""
        if parent not in self._tab_lists:
            named = [child for child in self._siblings(parent) if matches(_TABS_NAME, self._name(child))]
            self._tab_lists[parent] = any(sum(map(self._is_tab, self._descendants([each]))) > 1 for each in named)
        return self._tab_lists[parent]

    def _is_tab(self, element: int) -> bool:
        """Return whether an element in a list of tabs is one of them."""
        is_item = self._snapshot.tags[self._snapshot.tag[element]] in ("a", "li")
        return (is_item and self._seen[element]) or self._is_set_control(element)

    @cached_property
    def _tab_lists(self) -> dict[int, bool]:
        return {}

    @cached_property
    def _set_controls(self) -> dict[int, bool]:
        return {}

    def _has_set_control(self, element: int) -> bool:
        """Return whether an element contains a control of a carousel or tab list."""
        if element < 0:
            return False
        if element not in self._set_controls:
            around = self._children(element)
            self._set_controls[element] = any(self._is_set_control(each) for each in self._descendants(around))
        return self._set_controls[element]

    def _descendants(self, elements: Iterable[int]) -> Iterator[int]:
        """Yield elements and the first descendants of each."""
        for element in elements:
            yield from range(element, min(self._end[element], element + 12))

    def _is_set_control(self, element: int) -> bool:
        """Return whether an element in sight is a tab, a button or a control with the name of a step."""
        if not self._seen[element] or not self._is_control(element):
            return False
        role = self._attributes["role"].get(element, "").lower()
        tag = self._snapshot.tags[self._snapshot.tag[element]]
        return role == "tab" or tag == "button" or matches(_STEP_NAME, self._name(element))


def has_place(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements take place on the page, bool (N,); all if it was not rendered."""
    if not snapshot.rendered:
        return np.ones(len(snapshot), dtype=bool)
    contents = snapshot.styles.is_in("display", ("contents",))[snapshot.style]
    return np.asarray((snapshot.box[:, 2:] > 1).all(axis=1) | contents)


@lru_cache(maxsize=NAME_CACHE_SIZE)
def matches(pattern: re.Pattern[str], names: str) -> bool:
    """Return whether a pattern occurs in the names of an element; cached, because names repeat."""
    return pattern.search(names) is not None
