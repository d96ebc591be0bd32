"""Resolve styles without a browser: the user agent style sheet, and inline styles that affect visibility."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vclean.render.snapshot import STYLES, Hidden, Styles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


_BY_DISPLAY = {
    "block": """address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure
        footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend listing main menu nav ol optgroup option p
        plaintext pre search section summary ul xmp""",
    "list-item": "li",
    "table": "table",
    "table-caption": "caption",
    "table-row-group": "tbody thead tfoot",
    "table-column-group": "colgroup",
    "table-column": "col",
    "table-row": "tr",
    "table-cell": "td th",
    "inline-block": "button input meter progress select textarea",
    "none": "area base basefont datalist head link meta noembed noframes param rp script style template title",
}

DISPLAY = {tag: display for display, tags in _BY_DISPLAY.items() for tag in tags.split()}
"""Display type by tag; other tags are `inline`."""

BLOCK_TAGS = frozenset(tag for tag, display in DISPLAY.items() if display not in ("none", "inline-block"))
"""Tags that separate blocks regardless of style sheets."""

BOLD_TAGS = frozenset(("b", "strong", "h1", "h2", "h3", "h4", "h5", "h6", "th"))
ITALIC_TAGS = frozenset(("address", "cite", "dfn", "em", "i", "var"))
PREFORMATTED_TAGS = frozenset(("listing", "plaintext", "pre", "xmp"))

SKIPPED_TAGS = frozenset(("base", "link", "meta", "script", "style", "template", "title"))
"""Elements that are removed with their content: elements of the head, at any position."""

REPLACED_TAGS = frozenset(("applet", "audio", "canvas", "iframe", "math", "noembed", "noframes", "object", "svg",
                           "textarea", "video"))  # fmt: skip
"""Elements without page text: replaced elements, fallback content, raw text or edit fields."""


_NO_DISPLAY = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_DISPLAY = re.compile(r"(?:^|;)\s*display\s*:\s*([a-z-]+)", re.IGNORECASE)
_INVISIBLE = re.compile(r"visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_TRANSPARENT = re.compile(r"(?:^|;|\s)opacity\s*:\s*0*(?:\.(?:0(?:[01]\d*)?)?)?\s*(?:;|!|$)", re.IGNORECASE)


class _State(NamedTuple):
    """Style of an element, and the `Hidden` code of the element or its nearest hidden ancestor.

    `display` is `closed` for a closed `<details>`, a block with hidden content.
    """

    display: str
    visibility: str
    weight: str
    slant: str
    space: str
    hidden: int


_INITIAL = _State("", "visible", "400", "normal", "normal", Hidden.NO)
_PROPERTIES = ("display", "visibility", "font-weight", "font-style", "white-space")
_PROPERTY_COLUMNS = [STYLES.index(name) for name in _PROPERTIES]


def resolve_styles(
    style_keys: Sequence[str], parent: Sequence[int]
) -> tuple[Styles, NDArray[np.int32], NDArray[np.uint8]]:
    """Return the style table, and for each element its row, int32 (N,), and its `Hidden` code, uint8 (N,).

    Args:
        style_keys: for N elements in preorder, the inputs that determine their style with that of the parent: the tag
            and, if there are any, a space followed by the inline style, `;hidden` and `;open`.
        parent: the parents of the elements; the first is the root.
    """
    numbers = {_child_state(_INITIAL, style_keys[0]): 0}
    states = list(numbers)
    cache: dict[tuple[int, str], int] = {}
    state_of = [0]
    for parent_index, style_key in zip(parent[1:], style_keys[1:], strict=True):
        key = (state_of[parent_index], style_key)
        number = cache.get(key)
        if number is None:
            state = _child_state(states[key[0]], style_key)
            number = cache[key] = numbers.setdefault(state, len(states))
            if number == len(states):
                states.append(state)
        state_of.append(number)
    return _tabulate(states, np.array(state_of))


def _tabulate(
    states: Sequence[_State], state_of: NDArray[np.int64]
) -> tuple[Styles, NDArray[np.int32], NDArray[np.uint8]]:
    rows = {row: number for number, row in enumerate(dict.fromkeys(state[:-1] for state in states))}
    style = np.array([rows[state[:-1]] for state in states], dtype=np.int32)
    hidden = np.array([state.hidden for state in states], dtype=np.uint8)
    return Styles(names=STYLES, rows=tuple(map(_full, rows))), style[state_of], hidden[state_of]


def _full(row: Sequence[str]) -> tuple[str, ...]:
    """Return a row in the order of `STYLES`; properties that are unknown without a browser are empty."""
    full = [""] * len(STYLES)
    for column, value in zip(_PROPERTY_COLUMNS, row, strict=True):
        full[column] = "block" if value == "closed" else value
    return tuple(full)


def _child_state(parent: _State, style_key: str) -> _State:
    """Return the state of a child of an element with the state `parent`."""
    tag, space, inline = style_key.partition(" ")
    return _computed(parent, tag, inline) if space else _plain(parent, tag)


@lru_cache(maxsize=4096)
def _plain(parent: _State, tag: str) -> _State:
    return _computed(parent, tag, "")


def _computed(parent: _State, tag: str, inline: str) -> _State:
    hidden = _hidden_code(tag, inline, parent.display == "closed")
    return _State(
        _display(tag, inline, hidden),
        "hidden" if hidden == Hidden.VISIBILITY else parent.visibility,
        "700" if tag in BOLD_TAGS else parent.weight,
        "italic" if tag in ITALIC_TAGS else parent.slant,
        "pre" if tag in PREFORMATTED_TAGS else parent.space,
        hidden or parent.hidden,
    )


def _display(tag: str, inline: str, hidden: int) -> str:
    if hidden == Hidden.DISPLAY:
        return "none"
    if tag == "details" and not inline.endswith(";open"):
        return "closed"
    declared = _DISPLAY.search(inline) if inline else None
    return declared.group(1).lower() if declared else DISPLAY.get(tag, "inline")


def _hidden_code(tag: str, inline: str, closed: bool) -> int:
    if closed and tag != "summary":
        return Hidden.DISPLAY
    if not inline:
        return Hidden.DISPLAY if tag == "dialog" or DISPLAY.get(tag) == "none" else Hidden.NO
    if ";hidden" in inline or _NO_DISPLAY.search(inline) or (tag == "dialog" and ";open" not in inline):
        return Hidden.DISPLAY
    if _INVISIBLE.search(inline):
        return Hidden.VISIBILITY
    return Hidden.OPACITY if _TRANSPARENT.search(inline) else Hidden.NO
