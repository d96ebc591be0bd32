"""Resolve styles without a browser: the user agent style sheet, and inline styles that affect visibility."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vclean.render.snapshot import STYLES, Hidden, Styles
from vclean.render.static.declarations import NO_EFFECT, Effect, effect_of, parse_declarations

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

REPLACED_TAGS = frozenset(("applet", "audio", "canvas", "iframe", "math", "meter", "noembed", "noframes", "object",
                           "progress", "svg", "textarea", "video"))  # fmt: skip
"""Elements without page text: replaced elements, fallback content, raw text or edit fields."""


_VIEWPORT_TAGS = frozenset(("html", "body"))
"""Elements whose overflow is that of the viewport (CSS Overflow 3, 3.3)."""
_CACHED_LENGTH = 400
"""Characters of inline styles that are kept from page to page; longer ones contain images."""


class _State(NamedTuple):
    """Style of an element, and what hides it.

    `display` is `closed` for a closed `<details>`, a block with hidden content. `letters` is the `Hidden` code
    of a technique that descendants inherit and can undo; `hidden` is that of the element or its nearest hidden
    ancestor.
    """

    display: str
    visibility: str
    weight: str
    slant: str
    space: str
    letters: int
    hidden: int

    @property
    def hidden_code(self) -> int:
        """Return the `Hidden` code of the element."""
        return self.hidden or (Hidden.VISIBILITY if self.visibility == "hidden" else Hidden.NO)

    @property
    def text_hidden_code(self) -> int:
        """Return the `Hidden` code of a text in the element."""
        return self.letters or self.hidden_code  # what opens the element does not make its letters readable


_INITIAL = _State("", "visible", "400", "normal", "normal", Hidden.NO, Hidden.NO)
_PROPERTIES = ("display", "visibility", "font-weight", "font-style", "white-space")
_PROPERTY_COLUMNS = [STYLES.index(name) for name in _PROPERTIES]


def resolve_styles(
    style_keys: Sequence[str], parent: Sequence[int]
) -> tuple[Styles, NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the style table, and for each element its row, int32 (N,), its `Hidden` code, and that of a text in it.

    The codes are uint8 (N,).

    Args:
        style_keys: for N elements in preorder, the inputs that determine their style with that of the parent: the tag
            and, if there are any, a space followed by the inline style, `;hidden`, `;open` and `;popover`.
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
) -> tuple[Styles, NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]:
    styles = [(state.display, state.visibility, state.weight, state.slant, state.space) for state in states]
    rows = {row: number for number, row in enumerate(dict.fromkeys(styles))}
    style = np.array([rows[row] for row in styles], dtype=np.int32)
    hidden = np.array([state.hidden_code for state in states], dtype=np.uint8)
    text_hidden = np.array([state.text_hidden_code for state in states], dtype=np.uint8)
    table = Styles(names=STYLES, rows=tuple(map(_full, rows)))
    return table, style[state_of], hidden[state_of], text_hidden[state_of]


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
    effect = _effect(inline) if inline else NO_EFFECT
    display = "none" if parent.display == "closed" and tag != "summary" else effect.display or _display(tag, inline)
    hidden = Hidden.DISPLAY if display == "none" else effect.hides("" if tag in _VIEWPORT_TAGS else display)
    return _State(
        "closed" if tag == "details" and display != "none" and ";open" not in inline else display,
        effect.visibility or parent.visibility,
        "700" if tag in BOLD_TAGS else parent.weight,
        "italic" if tag in ITALIC_TAGS else parent.slant,
        "pre" if tag in PREFORMATTED_TAGS else parent.space,
        parent.letters if effect.letters is None else effect.letters,
        hidden or parent.hidden,
    )


def _effect(inline: str) -> Effect:
    return _cached_effect(inline) if len(inline) < _CACHED_LENGTH else effect_of(parse_declarations(inline))


@lru_cache(maxsize=4096)
def _cached_effect(inline: str) -> Effect:
    return effect_of(parse_declarations(inline))


def _display(tag: str, inline: str) -> str:
    """Return the display type of an element whose style declares none, given its attributes after the inline style."""
    if ";hidden" in inline or ";popover" in inline or (tag == "dialog" and ";open" not in inline):
        return "none"
    return DISPLAY.get(tag, "inline")
