"""Decide of every text of a page whether a reader sees it at once, can open it, or never sees it.

Unfinished pages wait for scripts that did not run, or lack their style sheets. No control opens the texts that these
hide, and readers of the finished page see them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.labels import Visibility
from vclean.render import tree
from vclean.render.snapshot import OPENED_TECHNIQUES, Hidden

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot


_HOLES: Final = (Hidden.OPACITY, Hidden.VISIBILITY)
"""The techniques that leave a text its place."""
_LEAST_HOLES: Final = 3
"""Elements of a page that appear as they are scrolled to: it is a way of the whole page, and not of one element."""
_LEAST_SHARE: Final = 0.1
"""Of the text of a page: as much is in elements that appear."""
_IN_FLOW: Final = ("", "static", "relative")
_MAIN_TAGS: Final = frozenset(("main", "article", "body"))
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
    visibility = np.where(technique > 0, Visibility.HIDDEN, Visibility.SHOWN).astype(np.uint8)
    if technique.any():
        visibility[_is_revealable(snapshot, technique)] = Visibility.REVEALABLE
    return visibility


def _is_revealable(snapshot: Snapshot, technique: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which texts are hidden by a technique, and can be opened or will be shown, bool (T,)."""
    from vclean.features.visibility.controls import opened_by_controls  # most pages hide nothing

    opened = opened_by_controls(snapshot, technique)
    if not ((technique > 0) & ~opened).any():
        return opened
    return opened | _shown_when_finished(snapshot, technique, opened)


def _shown_when_finished(
    snapshot: Snapshot, technique: NDArray[np.uint8], opened: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which hidden texts wait for a script that did not run, or for a style sheet, bool (T,).

    Args:
        snapshot: the page.
        technique: uint8 (T,), `Hidden`, what hides each text.
        opened: bool (T,), what a control opens.
    """
    finished = _without_style_sheet(snapshot, technique)
    if not snapshot.ran_scripts or snapshot.missed_scripts:
        finished |= _before_scripts(snapshot, technique, opened) | _in_holes(snapshot, technique)
    return finished


def _before_scripts(snapshot: Snapshot, technique: NDArray[np.uint8], opened: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the hidden texts of main areas of which most is hidden without a control: scripts show the page."""
    hidden = np.isin(technique, OPENED_TECHNIQUES) & ~opened
    areas = snapshot.is_tag(_MAIN_TAGS)
    areas[[element for element, role in snapshot.attributes("role").items() if role.lower() == "main"]] = True
    length = snapshot.text_length
    waiting = areas & _is_mostly(snapshot, length * hidden, length, _MOST)
    return np.asarray(hidden & tree.inside(waiting, snapshot.end)[snapshot.text_parent])


def _in_holes(snapshot: Snapshot, technique: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return the texts in elements in flow that leave holes in a page, if these are several with a tenth of its text.

    Scripts fade them in as a reader scrolls to them.
    """
    seen = snapshot.hidden[np.maximum(snapshot.parent, 0)] == Hidden.NO
    in_flow = snapshot.styles.is_in("position", _IN_FLOW)[snapshot.style]
    length = np.bincount(snapshot.text_parent, weights=snapshot.text_length, minlength=len(snapshot))
    inside = tree.subtree_sum(length, snapshot.end)
    holes = np.isin(snapshot.hidden, _HOLES) & seen & in_flow & snapshot.has_place & (inside > 0)
    if holes.sum() < _LEAST_HOLES or inside[holes].sum() < _LEAST_SHARE * inside[0]:
        return np.zeros(len(technique), dtype=bool)
    return np.asarray(tree.inside(holes, snapshot.end)[snapshot.text_parent] & np.isin(technique, _HOLES))


def _without_style_sheet(snapshot: Snapshot, technique: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return unreadable texts, if colors, font sizes or effects hide nearly all text of the page outside links."""
    unreadable = (technique > 0) & ~np.isin(technique, OPENED_TECHNIQUES)
    if not unreadable.any():
        return unreadable
    in_link = tree.inside(snapshot.is_tag(("a",)), snapshot.end)[snapshot.text_parent]
    length = snapshot.text_length * ~in_link
    return unreadable & bool(_is_mostly(snapshot, length * unreadable, length, _NEARLY_ALL)[0])


def _is_mostly(
    snapshot: Snapshot, part: NDArray[np.int64], length: NDArray[np.int64], share: float
) -> NDArray[np.bool_]:
    """Return which elements have enough text, of the `length` (T,), and more than a `share` in `part`, bool (N,)."""
    inside, total = (
        tree.subtree_sum(np.bincount(snapshot.text_parent, weights=count, minlength=len(snapshot)), snapshot.end)
        for count in (part, length)
    )
    return np.asarray((total >= _LEAST_TEXT) & (inside > share * total))
