"""Resolve styles without a browser: the user agent style sheet, inline styles, and plain rules that hide.

Of inline styles, only what is sure at every size of the page counts. Plain rules declare `display: none` or
`visibility: hidden` for every screen, and select by one compound of classes, an id and a tag. They do not count where
another rule, a script or a handler of the page may show an element again: where one of these names a class or the id of
the element. What other rules hide, only rendering finds.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np

from vclean.files import read_table
from vclean.render.snapshot import STYLES, Hidden, Styles
from vclean.render.tree import inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml import etree
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_IGNORED: Final = re.compile(r"""/\*.*?(?:\*/|$)|url\([^()]*\)|"[^"]*"|'[^']*'""", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|([^0-9a-fA-F\r\n\f]))")

_FAR: Final = r"-(?:\d{4,}(?:\.\d+)?(?:px|pt)?|999(?:\.\d+)?px|\d{3,}(?:\.\d+)?(?:r?em|vw))"
"""Lengths of 1,000 px or more beyond the left or top edge, where pages move what they hide."""
_FEW_PX: Final = r"0*[0-4](?:\.\d*)?px|0*\.\d+px|0+(?:\.0*)?[a-z]*"
"""Lengths below 5 px, the least height of a line that can be read."""
_NOTHING: Final = r"0*1px|0+(?:\.0*)?[a-z]*"
_CLIP: Final = "hidden|clip|auto|scroll"
_OUT_OF_FLOW: Final = "absolute|fixed"

_Techniques = tuple[tuple[Hidden, dict[str, str]], ...]
"""Techniques, each with the pattern of the value of one of some properties, by the names of these."""

_SUBTREE: Final[_Techniques] = (
    (Hidden.DISPLAY, {"display": "none"}),
    (Hidden.DISPLAY, {"content-visibility": "hidden"}),
    (Hidden.OPACITY, {"opacity": r"0*\.0(?:[01]\d*)?|0+\.?|[01](?:\.\d*)?%"}),
    (Hidden.FILTER, {"filter": r"opacity\((?:0+\.?0*|[01]%)\)"}),
    (Hidden.OFF_PAGE, {"position": f"{_OUT_OF_FLOW}|relative", "left top right": _FAR}),
    (Hidden.OFF_PAGE, {"transform translate": r"(?:translate\w*\()?(?:[^, ]+[, ]+)?-(?:[5-9]\d{3}|\d{5,})px.*"}),
    (Hidden.CLIPPED, {"position": _OUT_OF_FLOW, "clip": r"rect\((?:[01](?:px)?[, ]*){4}\)"}),
    (Hidden.CLIPPED, {"clip-path": r"inset\((?:[5-9]\d|100)%.*|circle\(0(?:px|%)?(?: at .*)?\)"}),
)  # fmt: skip
"""Techniques that hide an element with all it contains, and the patterns of the values that each requires."""
_BOX: Final[_Techniques] = (
    (Hidden.TRANSFORM, {"transform scale": r"(?:.*\bscale(?:3d|x|y)?\()?(?:0+|0*\.0\d*)(?:[,) ].*)?"}),
    (Hidden.CLIPPED, {"text-indent": r"-(?:[5-9]\d\d|\d{4,})(?:px)?|-\d{2,}r?em"}),
    (Hidden.CLIPPED, {"overflow overflow-x overflow-y": _CLIP, "height max-height": _FEW_PX}),
    (Hidden.CLIPPED, {"overflow overflow-x overflow-y": _CLIP, "width max-width": _NOTHING}),
)
"""Techniques that hide a box; inline boxes and table cells have no height, width, indent or transform."""
_LETTERS: Final[_Techniques] = (
    (Hidden.COLOR, {"-webkit-text-fill-color color": "transparent"}),
    (Hidden.FONT_SIZE, {"font-size": rf"{_FEW_PX}|0*(?:\.[0-2]\d*)(?:r?em)|[0-9]%"}),
    (Hidden.NO, {"font-size": r"\d+(?:\.\d+)?(?:px|pt|rem|vw)|.*(?:small|medium|large)"}),
)
"""Techniques that descendants inherit and can undo."""
_STRETCHING: Final = ("flex", "flex-grow", "min-height", "min-width", "padding", "padding-top", "padding-bottom",
                      "aspect-ratio")  # fmt: skip
"""Properties that give a box another size than its height and width."""
_PAINTING: Final = ("background-clip", "-webkit-background-clip", "text-shadow", "-webkit-text-stroke")
"""Properties by which transparent letters are painted."""
_INLINE: Final = ("inline", "contents", "ruby")


class Effect(NamedTuple):
    """How declarations hide an element.

    Attributes:
        display: the display type; empty if none is declared.
        visibility: `visible` or `hidden`; empty if none is declared.
        subtree: the technique that hides the element with all it contains.
        box: the same, if the element has a box that is neither inline nor part of a table.
        letters: the technique that hides letters, which descendants inherit; None if nothing about letters is declared,
            `Hidden.NO` if they can be read.
    """

    display: str = ""
    visibility: str = ""
    subtree: Hidden = Hidden.NO
    box: Hidden = Hidden.NO
    letters: Hidden | None = None

    def hides(self, display: str) -> Hidden:
        """Return the technique that hides an element with this display type and all it contains."""
        has_size = display not in _INLINE and not display.startswith("table")
        return self.subtree or (self.box if has_size else Hidden.NO)


_CACHED_LENGTH: Final = 1000
"""Characters of inline styles that are kept from page to page; longer ones contain images."""


def effect_of(style: str) -> Effect:
    """Return how the declarations of an inline style hide an element."""
    return _effect(style) if len(style) < _CACHED_LENGTH else _effect.__wrapped__(style)


@lru_cache(maxsize=4096)
def _effect(style: str) -> Effect:
    declared = parse_declarations(style)
    visibility = declared.get("visibility", "")
    is_blockified = declared.get("position") in ("absolute", "fixed") or declared.get("float") in ("left", "right")
    subtree, box = _technique(_SUBTREE, declared), _technique(_BOX, declared)
    letters = _technique(_LETTERS, declared)
    color = declared.get("color", "inherit")
    if color not in ("inherit", "currentcolor") and color in (
        declared.get("background"),
        declared.get("background-color"),
    ):
        letters = Hidden.COLOR
    if letters is Hidden.COLOR and any(name in declared for name in _PAINTING):
        letters = None
    if box is Hidden.CLIPPED and any(declared.get(name, "0") not in ("0", "0px") for name in _STRETCHING):
        box = None
    display = declared.get("display", "")
    return Effect(
        display=display if display.replace("-", "").isalpha() else "",
        visibility="hidden" if visibility == "collapse" else visibility if visibility in ("hidden", "visible") else "",
        subtree=subtree or (box if is_blockified and box else Hidden.NO),
        box=box or Hidden.NO,
        letters=letters,
    )


def _technique(techniques: _Techniques, declared: Mapping[str, str]) -> Hidden | None:
    """Return the first technique with a match for each of its patterns, or None."""
    for technique, conditions in techniques:
        if all(
            any(name in declared and re.fullmatch(pattern, declared[name]) for name in names.split())
            for names, pattern in conditions.items()
        ):
            return technique
    return None


def parse_declarations(text: str) -> dict[str, str]:
    """Return the values of a list of declarations by property, in lower case, without strings and URLs.

    >>> parse_declarations("Color: RED !important; color: blue; display: none /* x */")
    {'color': 'red', 'display': 'none'}
    """
    text = text.lower()
    if "(" in text or "'" in text or '"' in text or "/*" in text:
        text = _IGNORED.sub(" ", text)
    if "\\" in text:
        text = unescape(text)
    declarations: dict[str, str] = {}
    important: set[str] = set()
    for part in text.split(";"):
        name, colon, value = part.partition(":")
        if not colon:
            continue
        name = name.strip()
        if "!" in value:
            value, _, priority = value.partition("!")
            if priority.strip() == "important":
                important.add(name)
        elif name in important:
            continue
        declarations[name] = value.strip()
    return declarations


def unescape(text: str) -> str:
    r"""Replace the escapes of CSS (CSS Syntax 3, 4.3.7).

    >>> unescape(r"md\:hidden \64 isplay")
    'md:hidden display'
    """
    return _ESCAPE.sub(_unescaped, text)


def _unescaped(escape: re.Match[str]) -> str:
    if escape[2] is not None:
        return escape[2]
    number = int(escape[1], 16)
    return chr(number) if 0 < number <= sys.maxunicode else "\ufffd"


# ---- rules of style sheets ----

MAX_CHARACTERS: Final = 120_000
"""Characters of the style sheets of a page; of more, none is read: that would take longer than to parse the page."""
_MAX_SELECTOR: Final = 400
"""Characters of a selector; a longer one may show any element."""

_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_EVERY_SCREEN: Final = re.compile(r"(?:@media\s*)?(?:(?:only\s+)?(?:all|screen))?\s*")
_NAME: Final = re.compile(r"[.#](?:[\w-]|\\[^\r\n\f])+")
_PLAIN: Final = re.compile(rf"([a-zA-Z][\w-]*|\*?)((?:{_NAME.pattern})+)")
_LAST: Final = re.compile(r"[^\s>+~]*\Z")
_ARGUMENTS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_PSEUDO_ELEMENT: Final = re.compile(r"::|:(?:before|after|first-l)")
_DECLARATION: Final = re.compile(r"(?<![\w-])(display|visibility)\s*:\s*([a-z-]+)\s*(!\s*important)?")
_HIDING: Final = frozenset(("none", "hidden", "collapse"))
_WORD: Final = re.compile(r"[\w-]+")
_HANDLERS: Final = "//@onclick | //@href[starts-with(., 'javascript:')]"
_ANY: Final = "*"
_VIEWPORT_TAGS: Final = frozenset(("html", "body"))
"""Elements whose classes are states that scripts set, such as `loading`, and whose overflow is that of the viewport
(CSS Overflow 3, 3.3)."""


class HidingRules(NamedTuple):
    """Plain rules of a page that hide elements.

    Attributes:
        hiding: tag, names and declarations of the rules, by one of their names. Names are those of selectors: `.menu`.
        shown: names and tags of elements that other rules show.
        source: the scripts and handlers of the page, which may change the classes of its elements.
    """

    hiding: Mapping[str, list[tuple[str, frozenset[str], str]]] = {}
    shown: frozenset[str] = frozenset()
    source: str = ""

    def declarations(self, tag: str, own: frozenset[str]) -> str:
        """Return the declarations by which rules hide an element with its `own` names; each ends in a semicolon."""
        matching = {
            text
            for name in own & self.hiding.keys()
            for of_tag, names, text in self.hiding[name]
            if of_tag in ("", _ANY, tag) and own.issuperset(names)
        }
        if not matching or tag in _VIEWPORT_TAGS or not self.shown.isdisjoint((*own, tag, _ANY)):
            return ""
        return "" if any(_is_word(name[1:], self.source) for name in own) else "".join(sorted(matching))


def _is_word(name: str, source: str) -> bool:
    """Return whether a name is a word of a source."""
    start = source.find(name)
    while start >= 0:
        if any(word[0] == name for word in _WORD.finditer(source, max(start - 1, 0), start + len(name) + 1)):
            return True
        start = source.find(name, start + 1)
    return False


def read_style_sheets(root: etree._Element) -> HidingRules:
    """Return the rules of a document that hide elements, before `prune` removes its style sheets."""
    sheets = [
        (style.text, style.get("media", "").strip().lower())
        for style in root.iter("style")
        if style.text
        and style.get("type", "").strip().lower() in ("", "text/css")
        and next(style.iterancestors("noscript", "template"), None) is None
    ]
    css = "\n".join(_closed(text, media) for text, media in sheets)
    if len(css) > MAX_CHARACTERS:
        return HidingRules()
    hiding, shown = _read(list(_rules(css)))
    if not hiding:
        return HidingRules()
    handlers = cast("list[str]", root.xpath(_HANDLERS))
    source = "\n".join([*(script.text or "" for script in root.iter("script")), *handlers])
    return HidingRules(hiding, frozenset(shown), source)


def _closed(text: str, media: str) -> str:
    """Return a style sheet without comments and with all braces closed, inside its media query if it has one."""
    text = _COMMENT.sub(" ", text).replace("<!--", " ").replace("-->", " ")
    text += "}" * (text.count("{") - text.count("}"))
    return f"@media {media}{{{text}}}" if media else text


def _rules(css: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the style rules with `display` or `visibility` (CSS Syntax 3, 5), without those for print.

    Each has selectors, declarations, and whether it certainly counts for every screen.
    """
    around = [(True, False)]  # of the open blocks: whether all count for every screen, and whether one is for print
    for part in css.split("}"):
        *outer, declarations = part.split("{")
        if not outer:
            del around[max(len(around) - 1, 1) :]
            continue
        *blocks, selectors = (prelude.rpartition(";")[2].strip() for prelude in outer)
        for block in map(str.lower, blocks):
            applies, prints = around[-1]
            around.append((applies and bool(_EVERY_SCREEN.fullmatch(block)), prints or block == "@media print"))
        declarations = declarations.lower()
        applies, prints = around[-1]
        if ("display" in declarations or "visibility" in declarations) and not prints:
            yield selectors, declarations, applies


def _read(rules: list[tuple[str, str, bool]]) -> tuple[dict[str, list[tuple[str, frozenset[str], str]]], set[str]]:
    """Return tag, names and declarations of plain rules that hide, by name, and the names and tags that others show."""
    hiding: dict[str, list[tuple[str, frozenset[str], str]]] = defaultdict(list)
    shown: set[str] = set()
    declared = [{each[1]: (each[2], each[3] or "") for each in _DECLARATION.finditer(text)} for _, text, _ in rules]
    # Descendants of what is hidden by `visibility` may be visible: it counts if no rule makes anything visible.
    is_undone = any(values.get("visibility", ("hidden",))[0] not in _HIDING for values in declared)
    for (selectors, declarations, applies), values in zip(rules, declared, strict=True):
        hides = {name for name, (value, _) in values.items() if value in _HIDING}
        is_moving = "transition" in declarations or "animation" in declarations  # the element may appear
        text = "".join(f"{name}:{values[name][0]} {values[name][1]};" for name in sorted(hides))
        for selector in map(str.strip, selectors.split(",")):
            plain = _PLAIN.fullmatch(selector)
            if len(selector) > _MAX_SELECTOR:
                shown.add(_ANY)
            elif values.keys() - hides:
                shown.update(_last_names(selector, is_strong="!" in declarations))
            elif plain and applies and ("display" in hides or not (is_undone or is_moving)):
                names = frozenset(map(unescape, _NAME.findall(plain[2])))
                hiding[min(names)].append((plain[1].lower(), names, text))
    return dict(hiding), shown


def _last_names(selector: str, *, is_strong: bool) -> list[str]:
    """Return the classes and ids of what a selector selects, else its tag if the rule may win over a class."""
    if ":" in selector and _PSEUDO_ELEMENT.search(selector):
        return []
    last = cast("re.Match[str]", _LAST.search(_ARGUMENTS.sub("", selector)))[0]
    if names := [unescape(name) for name in _NAME.findall(last)]:
        return names
    is_strong |= any(mark in selector for mark in "([:.#")
    return [last.partition(":")[0].lower() or _ANY] if is_strong else []


_BY_DISPLAY = dict(read_table(__file__, "displays.tsv"))

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

_INHERITED = (BOLD_TAGS, ITALIC_TAGS, PREFORMATTED_TAGS)
_PROPERTIES = ("display", "visibility", "font-weight", "font-style", "white-space")
_VALUES = (("visible", "hidden"), ("400", "700"), ("normal", "italic"), ("normal", "pre"))
"""Initial and other value of all properties but `display`."""


def with_styles(tree: Snapshot, declared: Mapping[int, str]) -> Snapshot:
    """Return a page with its style table, the row and `Hidden` code of each element, and the code of each text.

    Args:
        tree: the page without styles.
        declared: by element, ascending: its inline style, then `;hidden`, `;open` and `;popover` for these attributes.
    """
    displays = {name: number for number, name in enumerate(dict.fromkeys((*_BY_DISPLAY, "inline")))}
    display = np.array([displays[DISPLAY.get(tag, "inline")] for tag in tree.tags], dtype=np.int64)[tree.tag]
    reason, letters, invisible = np.zeros((3, len(tree.tag)), dtype=np.uint8)
    none = displays["none"]
    for node in np.flatnonzero(tree.is_tag(("dialog",))).tolist():
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
    styles, row = _tabulate(list(displays), display, flags)
    text_hidden = np.where(letters, letters, hidden)[tree.text_parent]
    return replace(tree, styles=styles, style=row, hidden=hidden, text_hidden=text_hidden)


def _close_details(tree: Snapshot, declared: Mapping[int, str], display: NDArray[np.int64], none: int) -> None:
    """Hide the children of closed `<details>` elements, but for their summaries."""
    is_closed = np.zeros(len(display), dtype=bool)
    is_summary = tree.is_tag(("summary",))
    for node in np.flatnonzero(tree.is_tag(("details",))).tolist():
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
    is_used = np.bincount(code) > 0  # `np.unique` takes three times as long
    used = np.flatnonzero(is_used).tolist()
    rows = (_style_row(displays[value >> len(flags)], value & ((1 << len(flags)) - 1)) for value in used)
    return Styles(names=STYLES, rows=tuple(rows)), (np.cumsum(is_used, dtype=np.int32) - np.int32(1))[code]


@lru_cache(maxsize=1024)
def _style_row(display: str, flags: int) -> tuple[str, ...]:
    """Return a row in the order of `STYLES`; properties that are unknown without a browser are empty."""
    bits = [flags >> shift & 1 for shift in reversed(range(len(_VALUES)))]
    values = (display, *(pair[bit] for pair, bit in zip(_VALUES, bits, strict=True)))
    known = dict(zip(_PROPERTIES, values, strict=True))
    return tuple(known.get(name, "") for name in STYLES)
