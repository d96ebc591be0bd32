"""Resolve styles without a browser: the user agent style sheet, and inline styles that affect visibility."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vclean.render.snapshot import STYLES, Hidden, Styles
from vclean.render.static.hiding import effect_of
from vclean.render.tree import inside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
_INHERITED = (BOLD_TAGS, ITALIC_TAGS, PREFORMATTED_TAGS)
_PROPERTIES = ("display", "visibility", "font-weight", "font-style", "white-space")
_VALUES = (("visible", "hidden"), ("400", "700"), ("normal", "italic"), ("normal", "pre"))
"""Initial and other value of all properties but `display`."""


class Tree(NamedTuple):
    """N elements in document order, as in a snapshot."""

    tags: tuple[str, ...]
    tag: NDArray[np.int32]
    parent: NDArray[np.int32]
    end: NDArray[np.int32]

    def is_tag(self, names: frozenset[str]) -> NDArray[np.bool_]:
        """Return which elements have one of the tags: bool (N,)."""
        return np.array([name in names for name in self.tags], dtype=bool)[self.tag]


class ResolvedStyles(NamedTuple):
    """The style table, and for each of N elements its row, its `Hidden` code, and that of a text in it."""

    table: Styles
    row: NDArray[np.int32]
    hidden: NDArray[np.uint8]
    text_hidden: NDArray[np.uint8]


def resolve_styles(tree: Tree, declared: Mapping[int, str]) -> ResolvedStyles:
    """Resolve the styles of a page.

    Args:
        tree: the elements.
        declared: by element, ascending: its inline style, then `;hidden`, `;open` and `;popover` for these attributes.
    """
    displays = {name: number for number, name in enumerate(dict.fromkeys((*_BY_DISPLAY, "inline")))}
    display = np.array([displays[DISPLAY.get(tag, "inline")] for tag in tree.tags], dtype=np.int64)[tree.tag]
    reason, letters, invisible = np.zeros((3, len(tree.tag)), dtype=np.uint8)
    none = displays["none"]
    for node in np.flatnonzero(tree.is_tag(frozenset(("dialog",)))).tolist():
        display[node] = none if ";open" not in declared.get(node, "") else display[node]
    for node, style in declared.items():
        effect, tag, end = effect_of(style), tree.tags[tree.tag[node]], tree.end[node]
        if effect.display:
            display[node] = displays.setdefault(effect.display, len(displays))
        elif ";hidden" in style or ";popover" in style:
            display[node] = none
        if effect.visibility:
            invisible[node:end] = effect.visibility == "hidden"
        if effect.letters is not None:
            letters[node:end] = effect.letters
        shown_as = effect.display or DISPLAY.get(tag, "inline")
        reason[node] = effect.hides("inline" if tag in _VIEWPORT_TAGS else shown_as)
    _close_details(tree, declared, display, none)
    reason[display == none] = Hidden.DISPLAY
    hidden = np.where(invisible, np.uint8(Hidden.VISIBILITY), np.uint8(0))
    for node in np.flatnonzero(reason).tolist():
        hidden[node : tree.end[node]] = reason[node]
    flags = (invisible > 0, *(inside(tree.is_tag(tags), tree.end) for tags in _INHERITED))
    table, row = _tabulate(list(displays), display, flags)
    return ResolvedStyles(table, row, hidden, np.where(letters, letters, hidden))


def _close_details(tree: Tree, declared: Mapping[int, str], display: NDArray[np.int64], none: int) -> None:
    """Hide the children of closed `<details>` elements, but for their summaries."""
    is_closed = np.zeros(len(display), dtype=bool)
    is_summary = tree.is_tag(frozenset(("summary",)))
    for node in np.flatnonzero(tree.is_tag(frozenset(("details",)))).tolist():
        if node and is_closed[tree.parent[node]]:
            display[node] = none
        is_closed[node] = display[node] != none and ";open" not in declared.get(node, "")
    if is_closed.any():
        in_closed = is_closed[tree.parent] & ~is_summary
        in_closed[0] = False
        display[in_closed] = none


def _tabulate(
    displays: Sequence[str], display: NDArray[np.int64], flags: Sequence[NDArray[np.bool_]]
) -> tuple[Styles, NDArray[np.int32]]:
    """Return the table of the distinct styles, and the row of each element."""
    code = display
    for flag in flags:
        code = code * 2 + flag
    used = np.flatnonzero(np.bincount(code))
    number = np.zeros(used[-1] + 1, dtype=np.int32)
    number[used] = np.arange(len(used))
    rows = (_style_row(displays[value >> len(flags)], value & ((1 << len(flags)) - 1)) for value in used.tolist())
    return Styles(names=STYLES, rows=tuple(rows)), number[code]


@lru_cache(maxsize=1024)
def _style_row(display: str, flags: int) -> tuple[str, ...]:
    """Return a row in the order of `STYLES`; properties that are unknown without a browser are empty."""
    bits = [flags >> shift & 1 for shift in reversed(range(len(_VALUES)))]
    values = (display, *(pair[bit] for pair, bit in zip(_VALUES, bits, strict=True)))
    known = dict(zip(_PROPERTIES, values, strict=True))
    return tuple(known.get(name, "") for name in STYLES)
