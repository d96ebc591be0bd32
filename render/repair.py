"""Repair the source of a page where an element or comment without an end swallows the text after it.

`<iframe/>` means an empty element in XML. In HTML it begins one, and everything up to `</iframe>` is its content (HTML,
13.2.5.2). Pages that XML tools have saved contain it. With scripts, `<noscript>` ends at the first `</noscript>`;
without scripts its content is markup, where an unclosed element or comment swallows the rest of the page.
Browser and parser read the repaired source, so that they agree.

Correct pages are not changed: comments, scripts, attributes and foreign elements (`<svg>`) are skipped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from itertools import accumulate, repeat
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.render.static._tree import starts_in

if TYPE_CHECKING:
    from collections.abc import Sequence

_RAW: Final = frozenset(("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"))
"""Elements whose content is not markup: only their end tag ends them (HTML, 13.2.6.4)."""

_UNSEEN: Final = frozenset(("noscript", "select", "template"))
"""Elements whose content is markup that is not part of the page as seen."""

_VOID: Final = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
_NOT_OPEN: Final = _RAW | _VOID | {"html", "head", "body", "noscript"}
"""Elements that need no end tag before `</noscript>`."""

_FOREIGN: Final = frozenset(("math", "svg"))
"""Elements in which `/>` ends an element, and no content is raw (HTML, 13.2.6.5)."""

_TOKEN: Final = re.compile(
    r"""
    (?P<comment><!--)
    | <(?P<slash>/?)(?P<name>[a-z][^\s/>]*+)
      (?P<attributes>(?:=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))|[^>])*+)>?
    | <[!?/][^>]*+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_COMMENT_END: Final = re.compile(r"--!?>")
_ANGLE: Final = re.compile(r"[<>]")
_COMMENTS: Final = re.compile(r"(?:\s++|<!--.*?-->)*+", re.DOTALL)
_RAW_TEXT: Final = {"iframe": re.compile(""), "textarea": re.compile("[^<]*"), "title": re.compile(r"\s*[^\n<]*")}
"""Content of unclosed elements: nothing, up to the next tag, the line of the title (bytes were lost in 8 pages of
L3S-GN1)."""
_START: Final = re.compile(
    r"<(?=[instxINSTX])(?:"
    r"(?P<name>[iI](?i:frame)|[nN](?i:oscript)|[tT][eE](?i:xtarea)|[tT][iI](?i:tle))(?=[\s/>])"
    r"|(?:[nN](?i:oembed|oframes)|[sS](?i:cript|elect|tyle)|[tT][eE](?i:mplate)|[xX](?i:mp))(?=[\s/])[^>]*+(?<=/)>)"
)
"""Start tags that may need edits: elements that are rare, or self-closed."""

_CLOSED_ROOT: Final = re.compile(r"""<template\s[^<>]*?shadowrootmode\s*=\s*["']?(closed)\b""", re.IGNORECASE)

REPAIRED: Final = "the source was repaired"
"""First words of the note on a repair, which needs no attention."""


def find_edits(text: str, source: bytes = b"", *, opens_roots: bool = True) -> list[Edit]:
    """Return the edits that repair a source, in ascending order; a correct source needs none.

    The `source` is the text in UTF-8, if it is known. With `opens_roots`, closed shadow roots are opened: browsers lay
    out both alike, and let scripts read open ones.

    >>> source = "<noscript><iframe src=a /></noscript>Rain"
    >>> apply_edits(source, find_edits(source))
    '<noscript><iframe src=a /></iframe></noscript>Rain'
    """
    comment = text.rfind("<!--")
    is_open = comment >= 0 and text.find("-->", comment + 2) < 0
    starts = map(_START.match, repeat(text), starts_in(source or text.encode("utf-8", "replace")))
    is_suspect = is_open or any(_needs_edits(text, start) for start in filter(None, starts))
    edits = Scan(text).edits() if is_suspect else []  # the tokens of other sources are not read
    if opens_roots and ("shadowrootmode" in text or "shadowRootMode" in text):
        edits += [Edit(*mode.span(1), "open", "") for mode in _CLOSED_ROOT.finditer(text)]
    return sorted(edits)


def describe_edits(edits: Sequence[Edit]) -> tuple[str, ...]:
    """Return a note on what had no end; none without edits.

    >>> describe_edits(find_edits("<iframe/><iframe/>Rain<!-- wind ->"))
    ('the source was repaired: no end of <iframe> and comment',)
    """
    causes = " and ".join(sorted({edit.cause for edit in edits} - {""}))
    return (f"{REPAIRED}: no end of {causes}",) if causes else ()


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Return `text` with all edits, which are in ascending order and do not overlap."""
    parts, last = [], 0
    for edit in edits:
        parts += [text[last : edit.start], edit.text]
        last = edit.end
    return "".join([*parts, text[last:]]) if edits else text


class SourceOffsets:
    """Offsets in a source of the characters of the repaired text.

    Args:
        edits: the edits of the source.

    >>> edits = find_edits("<iframe/>Rain")
    >>> apply_edits("<iframe/>Rain", edits).find("Rain"), SourceOffsets(edits).of(18)
    (18, 9)
    """

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._shifts = [0, *accumulate(len(edit.text) - (edit.end - edit.start) for edit in edits)]
        self._ends = [edit.end + shift for edit, shift in zip(edits, self._shifts[1:], strict=True)]

    def of(self, offset: int) -> int:
        """Return the offset in the source of a character of the repaired text that is not part of an edit."""
        return offset - self._shifts[bisect_right(self._ends, offset)]


def _needs_edits(text: str, start: re.Match[str]) -> bool:
    """Return whether a start tag is self-closed, has no end tag, or begins a `<noscript>` that needs edits."""
    name = start["name"]
    if name is None or text.startswith("/>", text.find(">", start.end()) - 1):
        return True
    if name.lower() != "noscript":
        return not end_tag(name.lower()).search(text, start.end())
    return bool(Scan(text, start.start()).noscript_edits())


class Edit(NamedTuple):
    """Replacement of `[start, end)` of a source by `text`; `cause` names what has no end, if anything."""

    start: int
    end: int
    text: str
    cause: str


@cache
def end_tag(name: str) -> re.Pattern[str]:
    """Return the pattern of the end tags of an element."""
    return re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)


class Scan:
    """Pass over the tokens of a source, in linear time.

    Inside `<noscript>`, the limit is its end tag, as in browsers with scripts; elsewhere it is the end of the source.

    Args:
        text: the source.
        position: where the pass begins.
    """

    def __init__(self, text: str, position: int = 0) -> None:
        self._text = text
        self._position = position
        self._limit = len(text)
        self._edits: list[Edit] = []
        self._open: list[str] = []
        self._foreign = 0
        self._next: dict[re.Pattern[str], tuple[int, int]] = {}  # matches: the text is searched once for each pattern

    def edits(self) -> list[Edit]:
        """Return the edits that close what has no end, in ascending order."""
        while self._step():
            pass
        return self._edits

    def noscript_edits(self) -> list[Edit]:
        """Return the edits inside the `<noscript>` element at which the pass begins."""
        self._step()
        while self._in_noscript:
            self._step()
        return self._edits

    @property
    def _in_noscript(self) -> bool:
        return self._limit < len(self._text)

    def _after(self, pattern: re.Pattern[str], position: int) -> tuple[int, int]:
        """Return start and end of the next match; the length of the text twice if there is none."""
        span = self._next.get(pattern, (-1, -1))
        if span[0] < position:
            match = pattern.search(self._text, position)
            span = self._next[pattern] = match.span() if match else (len(self._text), len(self._text))
        return span

    def _step(self) -> bool:
        """Read one token; return whether there may be another one."""
        token = _TOKEN.search(self._text, self._position, self._limit)
        if token is not None:
            self._position = token.end()
            self._read(token)
        elif self._in_noscript:
            if self._open:  # `</noscript>` would not end these elements (HTML, 13.2.6.4.7)
                self._insert(self._limit, "".join(f"</{name}>" for name in reversed(self._open)), "<noscript>")
            self._position, self._limit, self._open, self._foreign = self._limit, len(self._text), [], 0
        else:
            return False
        return True

    def _read(self, token: re.Match[str]) -> None:
        name = (token["name"] or "").lower()
        if token["comment"]:
            self._read_comment(token.start())
        elif token["slash"] and name in _FOREIGN:
            self._foreign = max(self._foreign - 1, 0)
        elif token["slash"]:
            if name in self._open:
                del self._open[len(self._open) - 1 - self._open[::-1].index(name) :]
        elif name in _FOREIGN or self._foreign:
            self._foreign += name in _FOREIGN and not token["attributes"].endswith("/")
        elif name == "plaintext":
            self._position = len(self._text)
        elif name:
            self._read_start_tag(token, name)

    def _read_comment(self, start: int) -> None:
        begin, end = self._after(_COMMENT_END, start + 2)
        if begin < self._limit:
            self._position = end
        elif self._in_noscript:
            self._insert(self._limit, "-->", "comment")
        elif angle := _ANGLE.search(self._text, start + 4):  # `<!-- typo ->` and `<!-- typo <p>`
            self._insert(angle.start() if angle[0] == "<" else angle.end(), "-->", "comment")

    def _read_start_tag(self, token: re.Match[str], name: str) -> None:
        is_empty = token["attributes"].endswith("/")
        if (name in _RAW or (is_empty and name in _UNSEEN)) and self._close_element(token, name, is_empty=is_empty):
            return
        if name == "noscript" and not self._in_noscript:
            self._limit = self._after(end_tag(name), token.end())[0]
        elif self._in_noscript and name not in _NOT_OPEN:
            self._open.append(name)

    def _close_element(self, token: re.Match[str], name: str, *, is_empty: bool) -> bool:
        """Close an element without an end tag, or skip its raw content; return whether it was closed."""
        end = self._after(end_tag(name), token.end())[0]
        if end >= self._limit or (is_empty and self._begins_again(token.end(), name, end)):
            self._insert_end_tag(token.end(), name, is_empty=is_empty)
            return True
        if is_empty and not self._text[token.end() : end].isspace() and end > token.end():
            # A browser ignores the slash, libxml2 does not.
            self._edits.append(Edit(token.end() - 2, token.end() - 1, " ", f"<{name}>"))
        if name in _RAW:
            self._position = end
        return False

    def _insert_end_tag(self, start: int, name: str, *, is_empty: bool) -> None:
        """Insert the end tag of an element with content from `start` on, or end the scan if its end is unknown."""
        content = _RAW_TEXT.get(name)
        if is_empty:
            self._insert(start, f"</{name}>", f"<{name}>")
        elif self._in_noscript:
            self._insert(self._limit, f"</{name}>", f"<{name}>")
        elif content and (text := content.match(self._text, start)):
            self._insert(text.end(), f"</{name}>", f"<{name}>")
        else:
            self._position = len(self._text)

    def _begins_again(self, start: int, name: str, end: int) -> bool:
        """Return whether an element with the same name begins before `end`, outside of a script or style."""
        again = re.compile(rf"<{name}(?=[\s/>])", re.IGNORECASE).search(self._text, start, end)
        if again is None or name not in ("script", "style"):
            return again is not None
        markup = _COMMENTS.match(self._text, start, again.start())
        begin = markup.end() if markup else start
        return self._text[begin] == "<" and not self._text.startswith("<!--", begin)

    def _insert(self, position: int, text: str, cause: str) -> None:
        self._edits.append(Edit(position, position, text, cause))
        self._position = position
