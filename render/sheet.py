"""The styles that are known without a browser: the user agent's, and what inline style says of visibility."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vclean.render import ua
from vclean.render.snapshot import STYLES, Hidden, Styles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_NO_DISPLAY = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_DISPLAY = re.compile(r"(?:^|;)\s*display\s*:\s*([a-z-]+)", re.IGNORECASE)
_INVISIBLE = re.compile(r"visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_TRANSPARENT = re.compile(r"(?:^|;|\s)opacity\s*:\s*0*(?:\.0*)?\s*(?:;|!|$)", re.IGNORECASE)


class _State(NamedTuple):
    """A style, and the `Hidden` code of the element that has it, its own or that of an ancestor.

    `display` is `closed` for a `<details>` that is not open: a block whose content is hidden.
    """

    display: str
    visibility: str
    weight: str
    slant: str
    space: str
    hidden: int


_OUTSIDE = _State("", "visible", "400", "normal", "normal", Hidden.NO)
_PROPERTIES = ("display", "visibility", "font-weight", "font-style", "white-space")
_PLACES = [STYLES.index(name) for name in _PROPERTIES]


def resolve(looks: Sequence[str], parent: Sequence[int]) -> tuple[Styles, NDArray[np.int32], NDArray[np.uint8]]:
    """The style table, and by element its row, int32 (N,), and its `Hidden` code, uint8 (N,).

    Args:
        looks: of N elements in preorder, what decides their style beside their parent's: the tag, and where there is
            any of it, behind a space, inline style, `;hidden` and `;open`.
        parent: the parents of the elements; the first is the root.
    """
    numbers = {_below(_OUTSIDE, looks[0]): 0}
    states = list(numbers)
    known: dict[tuple[int, str], int] = {}
    state_of = [0]
    for above, look in zip(parent[1:], looks[1:], strict=True):
        key = (state_of[above], look)
        number = known.get(key)
        if number is None:
            state = _below(states[key[0]], look)
            number = known[key] = numbers.setdefault(state, len(states))
            if number == len(states):
                states.append(state)
        state_of.append(number)
    return _tabulated(states, np.array(state_of))


def _tabulated(
    states: Sequence[_State], state_of: NDArray[np.int64]
) -> tuple[Styles, NDArray[np.int32], NDArray[np.uint8]]:
    rows = {row: number for number, row in enumerate(dict.fromkeys(state[:-1] for state in states))}
    style = np.array([rows[state[:-1]] for state in states], dtype=np.int32)
    hidden = np.array([state.hidden for state in states], dtype=np.uint8)
    return Styles(names=STYLES, rows=tuple(map(_full, rows))), style[state_of], hidden[state_of]


def _full(row: Sequence[str]) -> tuple[str, ...]:
    """A row in the order of `STYLES`; what is not known without a browser is empty."""
    full = [""] * len(STYLES)
    for place, value in zip(_PLACES, row, strict=True):
        full[place] = "block" if value == "closed" else value
    return tuple(full)


def _below(above: _State, look: str) -> _State:
    """The state of an element of such a look whose parent has the state `above`."""
    tag, space, inline = look.partition(" ")
    return _computed(above, tag, inline) if space else _plain(above, tag)


@lru_cache(maxsize=4096)
def _plain(above: _State, tag: str) -> _State:
    return _computed(above, tag, "")


def _computed(above: _State, tag: str, inline: str) -> _State:
    hidden = _hidden_code(tag, inline, above.display == "closed")
    return _State(
        _display(tag, inline, hidden),
        "hidden" if hidden == Hidden.VISIBILITY else above.visibility,
        "700" if tag in ua.BOLD_TAGS else above.weight,
        "italic" if tag in ua.ITALIC_TAGS else above.slant,
        "pre" if tag in ua.PREFORMATTED_TAGS else above.space,
        hidden or above.hidden,
    )


def _display(tag: str, inline: str, hidden: int) -> str:
    if hidden == Hidden.DISPLAY:
        return "none"
    if tag == "details" and not inline.endswith(";open"):
        return "closed"
    own = _DISPLAY.search(inline) if inline else None
    return own.group(1).lower() if own else ua.DISPLAY.get(tag, "inline")


def _hidden_code(tag: str, inline: str, closed: bool) -> int:
    if closed and tag != "summary":
        return Hidden.DISPLAY
    if not inline:
        return Hidden.DISPLAY if tag == "dialog" or ua.DISPLAY.get(tag) == "none" else Hidden.NO
    if ";hidden" in inline or _NO_DISPLAY.search(inline) or (tag == "dialog" and ";open" not in inline):
        return Hidden.DISPLAY
    if _INVISIBLE.search(inline):
        return Hidden.VISIBILITY
    return Hidden.OPACITY if _TRANSPARENT.search(inline) else Hidden.NO
