"""Find the panels that markup connects with a control: by ids and classes, in details, after checkboxes."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.visibility.control_elements import HANDLER, PANEL_NAME, REFERENCES
from vclean.features.visibility.page_elements import matches

if TYPE_CHECKING:
    from vclean.features.visibility.control_elements import ControlElements
    from vclean.features.visibility.page_elements import PageElements


_QUOTED_NAME: Final = re.compile(r"['\"`]#?([\w-]{1,80})['\"`]")
"""String of a script that may be the id of an element, such as `toggle('panel')` or `$('#panel').show()`."""
_MAX_SCRIPT: Final = 500
"""Characters of the script of a control that are read."""


class NamedPanels:
    """Find the panels that a control in sight names.

    Args:
        elements: the elements of the page.
        controls: its controls.
    """

    def __init__(self, elements: PageElements, controls: ControlElements) -> None:
        self._elements = elements
        self._controls = controls
        self._ids, self._hidden = elements.attributes("id"), elements.attributes("hidden")

    @cached_property
    def named(self) -> set[int]:
        """Return the elements that a control names, or that open by themselves."""
        elements = self._elements
        details = self._details
        in_details = [each for each, parent in enumerate(elements.parent) if parent in details] if details else []
        named = {each for each in in_details if self._is_in_closed_details(each) and not elements.is_undisplayed[each]}
        named.update(element for element, name in self._ids.items() if name in self._targets)
        named.update(element for element, value in self._hidden.items() if value.lower() == "until-found")
        if self._targeted_classes:
            classes = elements.attributes("class")
            named.update(each for each in classes if not self._targeted_classes.isdisjoint(elements.classes(each)))
        return named

    def may_open_inside(self, element: int) -> bool:
        """Return whether a control may open a part inside an element in sight: none that says it has opened it."""
        return self._ids.get(element) not in self._open_targets

    def is_in_closed(self, element: int) -> bool:
        """Return whether a control names an element, or one around it, and says that it is closed."""
        around = self._elements.snapshot.ancestors(element)
        return not self._closed_targets.isdisjoint(map(self._ids.get, around))

    # ---- by id or class ----

    @cached_property
    def _targets(self) -> set[str]:
        """Return the ids that controls in sight name."""
        ids: set[str] = set()
        for name in REFERENCES:
            for element, value in self._elements.attributes(name).items():
                if not self._elements.is_in_sight(element):
                    continue
                if name in ("aria-controls", "popovertarget", "commandfor", "for"):
                    ids.update(value.split())
                elif "#" in value:
                    ids.add(value.rpartition("#")[2])
        for element, script in self._elements.attributes(HANDLER).items():
            if self._elements.is_in_sight(element) and self._controls.is_control(element):
                ids.update(_QUOTED_NAME.findall(script[:_MAX_SCRIPT]))
        return ids - {""} - self._inputs.keys()

    @cached_property
    def _targeted_classes(self) -> set[str]:
        """Return the classes that controls in sight name."""
        names: set[str] = set()
        for name in ("data-target", "data-bs-target"):
            for element, value in self._elements.attributes(name).items():
                if value.startswith(".") and self._elements.is_in_sight(element):
                    names.add(value[1:])
        return names

    @cached_property
    def _closed_targets(self) -> set[str | None]:
        """Return the ids of closed panels that controls in sight name."""
        named = self._elements.attributes("aria-controls")
        closed = (each for each in named if self._controls.is_closed(each) and self._elements.is_in_sight(each))
        return {name for each in closed for name in named[each].split()}

    @cached_property
    def _open_targets(self) -> set[str | None]:
        """Return the ids of panels that are open by what their controls say."""
        named, expanded = (self._elements.attributes(name) for name in ("aria-controls", "aria-expanded"))
        is_open = (each for each in named if expanded.get(each, "").lower() == "true")
        return {name for each in is_open for name in named[each].split()}

    # ---- in details ----

    def _is_in_closed_details(self, element: int) -> bool:
        """Return whether the parent is a `details` element in sight, with nothing that hides its summary."""
        parent = self._elements.parent[element]
        return parent in self._details and self._elements.seen[parent] and self._summary_is_seen(parent)

    def _summary_is_seen(self, details: int) -> bool:
        """Return whether the summary of a `details` element is in sight; without one the browser paints its own."""
        summary = self._summaries.get(details)
        return summary is None or self._elements.seen[summary]

    @cached_property
    def _details(self) -> set[int]:
        return set(np.flatnonzero(self._elements.snapshot.is_tag(("details",))).tolist())

    @cached_property
    def _summaries(self) -> dict[int, int]:
        """Return the first summary of each parent of one."""
        found: dict[int, int] = {}
        for summary in np.flatnonzero(self._elements.snapshot.is_tag(("summary",))).tolist():
            found.setdefault(self._elements.parent[summary], summary)
        return found

    # ---- after checkboxes ----

    @cached_property
    def toggled(self) -> set[int]:
        """Return the elements that style sheets can show by a checkbox: those after it, and the one after its label."""
        elements = self._elements
        shown = [
            element
            for name, element in self._inputs.items()
            if name in self._labelled or elements.is_in_sight(element) or self._is_labelled_around(element)
        ]
        toggled: set[int] = set()
        for element in shown:
            toggled.update(filter(self._may_be_toggled, elements.following_siblings(element)))
        for element in self._boxes:
            if self._is_labelled_around(element):
                toggled.update(islice(elements.following_siblings(elements.parent[element]), 1))
        return toggled

    def _may_be_toggled(self, element: int) -> bool:
        """Return whether a rule can show an element: no rule wins over an inline style.

        Scripts do, and then the element has the name of a panel.
        """
        style = self._elements.attributes("style").get(element, "").lower().replace(" ", "")
        return "display:none" not in style or matches(PANEL_NAME, self._elements.name(element))

    @cached_property
    def _inputs(self) -> dict[str, int]:
        """Return the checkboxes and radio buttons that have an id."""
        return {name: element for element, name in self._ids.items() if element in self._boxes}

    @cached_property
    def _boxes(self) -> set[int]:
        """Return the checkboxes and radio buttons."""
        return {
            element
            for element, kind in self._elements.attributes("type").items()
            if kind.lower() in ("checkbox", "radio") and self._elements.tag(element) == "input"
        }

    @cached_property
    def _labelled(self) -> set[str]:
        """Return the ids for which there is a label in sight."""
        labels = self._elements.attributes("for").items()
        return {value for element, value in labels if self._elements.is_in_sight(element)}

    def _is_labelled_around(self, element: int) -> bool:
        parent = self._elements.parent[element]
        return parent >= 0 and self._elements.tag(parent) == "label" and self._elements.is_in_sight(parent)
