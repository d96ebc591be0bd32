"""Find the hidden texts of unfinished pages: those that wait for their scripts, or lack their style sheets.

No control opens these texts, and readers of the finished page see them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.visibility.controls import OPENED_TECHNIQUES
from vclean.features.visibility.page_elements import has_place, matches
from vclean.render import tree
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_ANIMATION_NAME: Final = re.compile(
    r"aos|wow|fade|reveal|animat|appear|invisible|motion|in-?view|scroll", re.IGNORECASE
)
_LIBRARY_CLASS: Final = re.compile(
    r"(?:^|\s)(?:wow|aos-init|elementor-invisible|et-waypoint|et_pb_animation|wpb_animate_when_almost_visible)(?:\s|$)"
)
"""Class by which a library hides an element until it is scrolled to: WOW, AOS, Elementor, Divi, WPBakery."""
_LIBRARY_STYLE: Final = re.compile(
    r"opacity:\s*0(?:\.0*)?;\s*transform:\s*translate[xy]?\(-?\d{1,3}(?:\.\d+)?(?:px|%)|"
    r"transform:\s*translate3d\([\w\s,.%-]+\)\s*scale3d\(.*opacity:\s*0(?:;|$)",
    re.IGNORECASE,
)
"""Inline style by which a library does, before its script has run: Motion, Webflow."""
_LIBRARY_ATTRIBUTE: Final = "data-aos"
"""The same as an attribute."""
_LEAST_ANIMATED: Final = 3
"""Elements of a page that appear as they are scrolled to: it is a way of the whole page, and not of one element."""
_IN_FLOW: Final = ("", "static", "relative")
_LEAST_SHARE: Final = 0.1
"""Of the text of a page: as much is in elements that appear without a name of an animation."""
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


def before_scripts(snapshot: Snapshot, technique: NDArray[np.uint8], opened: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which texts wait for a script that shows the page, bool (T,).

    Where most text of a main area is hidden without a control, scripts show the page: snippets against flicker,
    `v-cloak`, texts that appear as they are scrolled to, a splash screen that covers all. They use the techniques of
    controls only.

    Args:
        snapshot: the page.
        technique: uint8 (T,), `Hidden`, of `painted.hidden_techniques`.
        opened: bool (T,), of `controls.opened_by_controls`.
    """
    hidden = np.isin(technique, OPENED_TECHNIQUES) & ~opened
    areas = snapshot.is_tag(_MAIN_TAGS)
    areas[[element for element, role in snapshot.attributes("role").items() if role.lower() == "main"]] = True
    length = snapshot.text_length
    waiting = areas & _is_mostly(snapshot, length * hidden, length, _MOST)
    return np.asarray(hidden & (tree.path_sum(waiting, snapshot.end) > 0)[snapshot.text_parent])


def without_style_sheet(snapshot: Snapshot, technique: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which texts are unreadable because a style sheet of the page is missing, bool (T,).

    Colors, font sizes and effects wait for no script. Where they hide nearly all text outside links of a whole page,
    they are those of a page without a part of its styles.

    Args:
        snapshot: the page.
        technique: uint8 (T,), `Hidden`, of `painted.hidden_techniques`.
    """
    unreadable = (technique > 0) & ~np.isin(technique, OPENED_TECHNIQUES)
    if not unreadable.any():
        return unreadable
    in_link = (tree.path_sum(snapshot.is_tag(("a",)), snapshot.end) > 0)[snapshot.text_parent]
    length = snapshot.text_length * ~in_link
    return unreadable & bool(_is_mostly(snapshot, length * unreadable, length, _NEARLY_ALL)[0])


def _is_mostly(
    snapshot: Snapshot, part: NDArray[np.int64], length: NDArray[np.int64], share: float
) -> NDArray[np.bool_]:
    """Return which elements have enough text, and more than a share of it in a part, bool (N,).

    Args:
        snapshot: the page.
        part: int64 (T,), the characters of each text that are in the part.
        length: int64 (T,), the characters of each text.
        share: the share, 0 to 1.
    """
    inside, total = (
        tree.subtree_sum(np.bincount(snapshot.text_parent, weights=count, minlength=len(snapshot)), snapshot.end)
        for count in (part, length)
    )
    return np.asarray((total >= _LEAST_TEXT) & (inside > share * total))


def revealed_on_scroll(snapshot: Snapshot, technique: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which texts are transparent until a script fades them in as a reader scrolls to them, bool (T,).

    Libraries for that (AOS, WOW, Elementor, Webflow) give elements of a page a class or a transform of theirs and leave
    them their places. One element is enough with a name that a single library has, several with other names. Without a
    name, several elements in flow count that leave holes in the page: together they have a tenth of its text. Custom
    elements are the same until a script defines them (`:not(:defined)`).
    """
    seen = snapshot.hidden[np.maximum(snapshot.parent, 0)] == Hidden.NO
    roots = np.isin(snapshot.hidden, (Hidden.OPACITY, Hidden.VISIBILITY)) & seen & has_place(snapshot)
    classes, inline = snapshot.attributes("class"), snapshot.attributes("style")
    waiting = np.flatnonzero(roots).tolist()
    animated = [
        root
        for root in waiting
        if matches(_ANIMATION_NAME, classes.get(root, "")) or "transform" in inline.get(root, "")
    ]
    mask = np.zeros(len(snapshot), dtype=bool)
    if len(animated) >= _LEAST_ANIMATED:
        mask[animated] = True
    declared = snapshot.attributes(_LIBRARY_ATTRIBUTE)
    mask[
        [
            root
            for root in waiting
            if root in declared
            or matches(_LIBRARY_CLASS, classes.get(root, ""))
            or matches(_LIBRARY_STYLE, inline.get(root, ""))
        ]
    ] = True
    mask |= _holes(snapshot, roots)
    if not mask.any():
        return np.zeros(len(technique), dtype=bool)
    inside = tree.path_sum(mask, snapshot.end) > 0
    return np.asarray(inside[snapshot.text_parent] & np.isin(technique, (Hidden.OPACITY, Hidden.VISIBILITY)))


def _holes(snapshot: Snapshot, roots: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which hidden elements leave holes in a page that consists of such elements to a good part, bool (N,).

    Args:
        snapshot: the page.
        roots: bool (N,), the outermost hidden elements that take place.
    """
    length = np.bincount(snapshot.text_parent, weights=snapshot.text_length, minlength=len(snapshot))
    inside = tree.subtree_sum(length, snapshot.end)
    in_flow = snapshot.styles.is_in("position", _IN_FLOW)[snapshot.style]
    holes = roots & in_flow & (inside > 0)
    is_enough = holes.sum() >= _LEAST_ANIMATED and inside[holes].sum() >= _LEAST_SHARE * inside[0]
    return holes if is_enough else np.zeros_like(holes)
