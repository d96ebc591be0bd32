"""Decide of every text of a page whether a reader sees it at once, can open it, or never sees it.

Hidden texts are opened by a control in sight, by semantics of HTML and WAI-ARIA: details, dialogs and popovers,
`hidden=until-found`, `:target`, a checkbox or radio button and its label, `aria-controls`, `aria-expanded`, tabs, and
attributes that name an id. Other controls are found by clicking them, where the scripts of a page run
(`vclean.render.browser.navigation`).

Unfinished pages wait for scripts that did not run, or lack their style sheets. No control opens the texts that these
hide, and readers of the finished page see them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.labels import Visibility
from vclean.render import tree
from vclean.render.snapshot import OPENED_TECHNIQUES, Hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_IS_OPENED: Final = np.isin([*Hidden], OPENED_TECHNIQUES)
"""By technique: whether pages hide so what a control opens."""
_IS_HOLE: Final = np.isin([*Hidden], (Hidden.OPACITY, Hidden.VISIBILITY))
"""The techniques that leave a text its place."""
_LEAST_HOLES: Final = 3
"""Elements of a page that appear as they are scrolled to: it is a way of the whole page, and not of one element."""
_HOLE_SHARE: Final = 0.1
"""Of the text of a page: as much is in elements that appear."""
_LEAST_TEXT: Final = 200
"""Characters of a main area; of less, it does not matter that most of it is hidden."""
_MOST: Final = 0.5
"""Share of the text of a main area that scripts show."""
_NEARLY_ALL: Final = 0.9
"""Share of a page's text outside links that is unreadable where a style sheet is missing.

Browsers paint links in their own color. On archived pages that lack either the color of their text or the background
that it was made for, 96 % to 99 % were measured.
"""


def text_visibility(snapshot: Snapshot) -> NDArray[np.uint8]:
    """Return the `Visibility` of the T texts of a page, by what hides them and what opens them: uint8 (T,)."""
    technique = snapshot.text_hidden
    visibility = (technique > 0) * np.uint8(Visibility.HIDDEN)
    if not technique.any():
        return visibility
    opened = opened_by_controls(snapshot)
    visibility[opened] = Visibility.REVEALABLE
    if (visibility == Visibility.HIDDEN).any():  # they may wait for a style sheet, or for scripts that did not run
        visibility[_without_style_sheet(snapshot)] = Visibility.REVEALABLE
        if not snapshot.ran_scripts or snapshot.missed_scripts:
            visibility[_before_scripts(snapshot, opened) | _in_holes(snapshot)] = Visibility.REVEALABLE
    return visibility


def _before_scripts(snapshot: Snapshot, opened: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the hidden texts of main areas of which most is hidden without a control: scripts show the page."""
    hidden, length = _IS_OPENED[snapshot.text_hidden] & ~opened, snapshot.text_length
    areas = snapshot.is_tag(("main", "article", "body")) | snapshot.has_value("role", ("main",))
    total = snapshot.length_in
    waiting = areas & (total >= _LEAST_TEXT) & (snapshot.sum_in(length * hidden) > _MOST * total)
    return np.asarray(hidden & tree.inside(waiting, snapshot.end)[snapshot.text_parent])


def _in_holes(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return the texts in elements in flow that leave holes in a page, if these are several with a tenth of its text.

    Scripts fade them in as a reader scrolls to them.
    """
    is_hole = _IS_HOLE[snapshot.text_hidden]
    if not is_hole.any():
        return is_hole
    seen = snapshot.hidden[np.maximum(snapshot.parent, 0)] == Hidden.NO
    in_flow = snapshot.styles.is_in("position", ("", "static", "relative"))[snapshot.style]
    inside = snapshot.length_in
    holes = _IS_HOLE[snapshot.hidden] & seen & in_flow & snapshot.has_place & (inside > 0)
    if holes.sum() < _LEAST_HOLES or inside[holes].sum() < _HOLE_SHARE * inside[0]:
        return np.zeros(len(snapshot.texts), dtype=bool)
    return np.asarray(tree.inside(holes, snapshot.end)[snapshot.text_parent] & is_hole)


def _without_style_sheet(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return unreadable texts, if colors, font sizes or effects hide nearly all text of the page outside links."""
    unreadable = (snapshot.text_hidden != Hidden.NO) & ~_IS_OPENED[snapshot.text_hidden]
    if not unreadable.any():
        return np.asarray(unreadable)
    in_link = tree.inside(snapshot.is_tag(("a",)), snapshot.end)[snapshot.text_parent]
    length = snapshot.text_length * ~in_link
    total = length.sum()
    return np.asarray(unreadable & (total >= _LEAST_TEXT and (length * unreadable).sum() > _NEARLY_ALL * total))


# ---- what controls open ----

_IS_SPOILER: Final = np.isin([*Hidden], (Hidden.OPACITY, Hidden.COLOR, Hidden.FILTER, Hidden.VISIBILITY))
"""The techniques of spoilers, whose place on the page stays."""
_IDS: Final = ("aria-controls", "popovertarget", "commandfor")
"""Attributes with ids of what an element opens."""
_REFERENCES: Final = ("href", "data-target", "data-bs-target")
"""Attributes with a fragment or selector of what an element opens."""
_FRAGMENT: Final = re.compile(r"#([\w:.-]+)")
_QUOTED: Final = re.compile(r"['\"`]#?([\w-]{1,80})['\"`]")
"""String of a script that may be the id of an element, such as `toggle('panel')` or `$('#panel').show()`."""
_MAX_SCRIPT: Final = 500
"""Characters of the script of a control that are read."""
_OPERABLE_TAGS: Final = frozenset(("a", "button", "input", "label", "option", "select", "summary"))
_OPERABLE_ROLES: Final = frozenset(("button", "checkbox", "menuitem", "option", "radio", "switch", "tab", "treeitem"))
_OPERABLE_SIGNS: Final = ("onclick", "aria-expanded", "aria-controls", "tabindex")
"""Attributes of other elements that a reader can click."""
_TITLE: Final = 200
"""Characters of the title of a panel, at most."""
_TITLE_LEVELS: Final = 4
"""Elements around a control, at most, that hold nothing else than a title."""
_LEAST_SHARE: Final = 0.25
"""Share of the characters of a panel that are readable before its colors, if these are its own."""
_LEAST_SIDE: Final = 8.0
"""CSS px, of what a reader can click without seeing it."""
_ROUNDS: Final = 2
"""How often controls are looked for in the panels that others open."""


def opened_by_controls(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which texts are hidden and opened by a control in sight, bool (T,); False for white space."""
    technique, is_text = snapshot.text_hidden, snapshot.text_length > 0
    opened = _IS_OPENED[technique] & is_text
    uncovered = _IS_SPOILER[technique] & is_text
    if uncovered.any():
        spoiler = snapshot.has_value("aria-expanded", ("false",)) & (snapshot.hidden == Hidden.NO) & snapshot.has_place
        uncovered &= tree.inside(spoiler, snapshot.end)[snapshot.text_parent]
    if opened.any():
        parent = snapshot.text_parent[opened]
        panels = Panels(snapshot)
        is_open = panels.is_opened()[parent] | panels.closed_details[parent]
        if snapshot.rendered:
            is_open |= panels.is_unrolled()[parent] & (technique[opened] == Hidden.CLIPPED)
        opened[opened] = is_open | np.isin(np.flatnonzero(opened), snapshot.revealed)
        if snapshot.rendered:
            opened[opened] = ~_stay_unreadable(snapshot, np.flatnonzero(opened))
    return opened | uncovered


def _stay_unreadable(snapshot: Snapshot, texts: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which of K texts of closed panels have letters without a size, or in the color behind them, bool (K,).

    The layout of a closed panel is not known. So colors count only where other letters differ from the same
    background: else other styles paint the panel when it opens.
    """
    from vclean.render.css_colors import contrast
    from vclean.render.visibility.painted_texts import LEAST_CONTRAST, LEAST_FONT_SIZE
    from vclean.render.visibility.painting import Painting

    painting, parent = Painting(snapshot), snapshot.text_parent[texts]
    small = snapshot.styles.number("font-size")[snapshot.style[parent]] < LEAST_FONT_SIZE
    fills = (painting.background[:, 3] > 0) | painting.has_image
    painter = tree.nearest_ancestor(fills[snapshot.style], snapshot.parent)[parent]
    style = snapshot.style[painter]
    behind = np.where(fills[style, None], painting.background[style], np.append(painting.canvas[:3], 1))
    color = painting.letters[snapshot.style[parent]]  # of unknown colors every comparison fails
    letters = color[:, :3] * color[:, 3:] + behind[:, :3] * (1 - color[:, 3:])
    ratio = contrast(letters.astype(np.float32), behind[:, :3].astype(np.float32))
    same = (behind[:, 3] == 1) & ~(painting.has_image & fills)[style] & (ratio < LEAST_CONTRAST)
    total, readable = (np.bincount(painter, snapshot.text_length[texts] * each) for each in (1, ~same))
    return np.asarray(small | same & (readable >= _LEAST_SHARE * total)[painter])


class Panels:
    """Find the elements of a page that a control in sight opens.

    Args:
        snapshot: the page.

    Attributes:
        closed_details: bool (N,), closed `details` in sight whose summary is.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._end: list[int] = snapshot.end.tolist()
        self._parent: list[int] = snapshot.parent.tolist()
        self._is_hidden = snapshot.hidden != Hidden.NO
        self._in_sight = ~self._is_hidden & snapshot.has_place
        self._panel, self._unrolled, self.closed_details = np.zeros((3, len(snapshot)), dtype=bool)
        self._tags = np.array(snapshot.tags)[snapshot.tag]
        self._length = snapshot.length_in
        self._shown_length = snapshot.sum_in(snapshot.text_length * ~self._is_hidden[snapshot.text_parent])

    def is_opened(self) -> NDArray[np.bool_]:
        """Return which elements are in a part of the page that a control opens, bool (N,).

        What has `display: none` inside of an opened panel stays hidden, unless a control opens it too.
        """
        opened = self._panel
        for _ in range(_ROUNDS):
            before = self._panel.sum()
            self._add_panels()
            if self._panel.sum() == before:
                break
            opened = self._in_panels(self._panel)
            self._in_sight |= opened & self._is_hidden
        return opened

    def is_unrolled(self) -> NDArray[np.bool_]:
        """Return which elements are below the edge of a part in sight that a control opens, bool (N,)."""
        snapshot = self._snapshot
        clips = snapshot.styles.is_in("overflow-x", ("hidden", "clip"))[snapshot.style]
        return self._in_panels(self._unrolled & clips) & (snapshot.box[:, 3] > 1)

    def _in_panels(self, panel: NDArray[np.bool_]) -> NDArray[np.bool_]:
        barrier, end = self._undisplayed & ~self._panel, self._snapshot.end
        return tree.inside(panel, end) & ~tree.inside(barrier, end)

    @cached_property
    def _undisplayed(self) -> NDArray[np.bool_]:
        """Return which elements have `display: none` themselves, bool (N,); their descendants need not."""
        snapshot = self._snapshot
        undisplayed = snapshot.styles.is_in("display", ("none",))[snapshot.style]
        if not snapshot.rendered:  # without a browser, the contents of closed details have it too
            in_details = (self._tags == "details")[np.maximum(snapshot.parent, 0)]
            styled = [each for each, style in snapshot.attributes("style").items() if "display" in style.lower()]
            in_details[[*styled, *snapshot.attributes("hidden")]] = False
            undisplayed &= ~in_details
        return undisplayed

    def _add_panels(self) -> None:
        self._add_details()
        beside, belonging, closed = [*self._beside_expanders()], [*self._after_inputs()], list[int]()
        for element, names in self._names():
            targets = [each for name in names for each in self._by_id.get(name, ())]
            expanded = self._snapshot.attributes("aria-expanded").get(element, "").lower()
            belonging += targets if expanded != "true" else []
            closed += targets if expanded == "false" else []
        tabs = self._in_sight & self._snapshot.has_value("role", ("tab",))
        tab_panels = np.flatnonzero(self._snapshot.has_value("role", ("tabpanel",)))
        if len(tab_panels) <= tabs.sum():
            beside += tab_panels.tolist()
        self._panel[[each for panel in (*belonging, *beside) for each in self._with_wrappers(panel)]] = True
        self._panel[closed] = True
        self._panel |= self._snapshot.has_value("hidden", ("until-found",))
        self._unrolled[[each for each in belonging if self._in_sight[each]]] = True

    def _with_wrappers(self, element: int) -> Iterator[int]:
        """Yield a hidden element, and the hidden elements around it that contain no other text."""
        length = self._length[element]
        while element > 0 and self._is_hidden[element] and self._length[element] == length:
            yield element
            element = self._parent[element]

    def _values(self, name: str) -> Iterator[tuple[int, str]]:
        """Yield the elements in sight with an attribute, and its values."""
        return (item for item in self._snapshot.attributes(name).items() if self._in_sight[item[0]])

    def _children(self, element: int) -> Iterator[int]:
        child = element + 1
        while child < self._end[element]:
            yield child
            child = self._end[child]

    def _following(self, element: int) -> Iterator[int]:
        """Yield the siblings after an element."""
        parent, sibling = self._parent[element], self._end[element]
        while parent >= 0 and sibling < self._end[parent]:
            yield sibling
            sibling = self._end[sibling]

    def _add_details(self) -> None:
        """Add the contents of closed details, without those that an author hides, too."""
        opened = self._snapshot.attributes("open")
        for details in np.flatnonzero((self._tags == "details") & self._in_sight).tolist():
            summary = next((each for each in self._children(details) if self._tags[each] == "summary"), -1)
            if details in opened or (summary >= 0 and not self._in_sight[summary]):
                continue
            self.closed_details[details] = True
            contents = [each for each in self._children(details) if each != summary]
            self._panel[[each for each in contents if not self._undisplayed[each]]] = True

    # ---- by id ----

    @cached_property
    def _by_id(self) -> dict[str, list[int]]:
        """Return the elements by their ids, of which pages have some twice."""
        inputs, elements = set(self._boxes), defaultdict[str, list[int]](list)
        for element, name in self._snapshot.attributes("id").items():
            if element not in inputs:
                elements[name].append(element)
        return elements

    def _names(self) -> Iterator[tuple[int, Iterable[str]]]:
        """Yield the controls in sight that name ids, with these."""
        for name in _IDS:
            yield from ((element, value.split()) for element, value in self._values(name))
        for name in _REFERENCES:
            yield from ((each, _FRAGMENT.findall(value)[-1:]) for each, value in self._values(name) if "#" in value)
        for element, value in self._values("data-names"):
            if self._is_operable[element]:
                yield element, [value, *_FRAGMENT.findall(value)]
        for element, script in self._values("onclick"):
            yield element, _QUOTED.findall(script[:_MAX_SCRIPT])

    @cached_property
    def _is_operable(self) -> NDArray[np.bool_]:
        """Return which elements a reader can click without leaving the page, bool (N,); all links count."""
        snapshot = self._snapshot
        operable = snapshot.is_tag(_OPERABLE_TAGS) | snapshot.has_value("role", _OPERABLE_ROLES)
        operable[[each for name in _OPERABLE_SIGNS for each in snapshot.attributes(name)]] = True
        return np.asarray(operable | snapshot.styles.is_in("cursor", ("pointer",))[snapshot.style])

    # ---- by place ----

    def _beside_expanders(self) -> Iterator[int]:
        """Yield what is beside or in a control with `aria-expanded=false` that names no element."""
        controlled = self._snapshot.attributes("aria-controls")
        for element, value in self._values("aria-expanded"):
            is_named = any(name in self._by_id for name in controlled.get(element, "").split())
            if value.lower() == "false" and not is_named:
                yield from (each for each in self._children(element) if self._tags[each] != "svg")
                yield from self._beside(element)

    def _beside(self, element: int) -> Iterator[int]:
        """Yield the next sibling with text of a control or of the title that it is in, or else the one before it."""
        for _ in range(_TITLE_LEVELS):
            for sibling in self._following(element):
                if self._length[sibling] > 0:
                    yield sibling
                    return
            parent = self._parent[element]
            before = [each for each in self._children(parent) if each < element and self._length[each] > 0]
            if before and self._is_hidden[before[-1]]:
                yield before[-1]
            if parent <= 0 or self._shown_length[parent] > _TITLE:
                return
            element = parent

    @cached_property
    def _boxes(self) -> list[int]:
        """Return the checkboxes and radio buttons."""
        is_box = self._snapshot.has_value("type", ("checkbox", "radio")) & (self._tags == "input")
        return np.flatnonzero(is_box).tolist()

    def _after_inputs(self) -> Iterator[int]:
        """Yield what style sheets can show by a checkbox: its siblings after it, and the one after its label.

        Of a sibling in sight with as many children as there are inputs, each child belongs to one. No rule wins over an
        inline style.
        """
        ids, styles = self._snapshot.attributes("id"), self._snapshot.attributes("style")
        labelled = {name for _, name in self._values("for")}
        siblings: dict[int, list[int]] = {}
        for box in self._boxes:
            parent = self._parent[box]
            is_in_label = self._tags[parent] == "label" and bool(self._in_sight[parent])
            if is_in_label:
                siblings.setdefault(parent, []).append(next(self._following(parent), parent))
            # A transparent box can be clicked, for example over the title of a panel.
            is_covering = self._snapshot.hidden[box] == Hidden.OPACITY
            is_covering &= self._snapshot.box[box, 2:].min() >= _LEAST_SIDE
            if is_in_label or self._in_sight[box] or is_covering or ids.get(box) in labelled:
                siblings.setdefault(parent, []).extend(self._following(box))
        counts = Counter(self._parent[box] for box in self._boxes)
        for parent, following in siblings.items():
            count = counts[parent]
            for each in dict.fromkeys(following):
                children = list(self._children(each)) if self._in_sight[each] else []
                panels = children if len(children) == count > 1 else [each]
                yield from (panel for panel in panels if "display:none" not in styles.get(panel, "").replace(" ", ""))
