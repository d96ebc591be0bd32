"""Repair the source of a page where an element, comment or attribute without an end swallows the text after it.

`<iframe/>` means an empty element in XML. In HTML it begins one, and everything up to `</iframe>` is its content (HTML,
13.2.5.2). Pages that XML tools have saved contain it. With scripts, `<noscript>` ends at the first `</noscript>`;
without scripts its content is markup, where an unclosed element, comment or attribute swallows the rest of the page.
Browser and parser read the repaired source, so that they agree.

Correct pages are not changed: comments, scripts, attributes and foreign elements (`<svg>`) are skipped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from vclean.render.static.shadow_roots import may_have_shadow_roots
from vclean.render.unclosed import Edit, Scan, end_tag

if TYPE_CHECKING:
    from collections.abc import Sequence

_START: Final = re.compile(
    r"<(?=[instxINSTX])(?:"
    r"(?P<name>[iI](?i:frame)|[nN](?i:oscript)|[tT][eE](?i:xtarea)|[tT][iI](?i:tle))(?=[\s/>])"
    r"|(?:[nN](?i:oembed|oframes)|[sS](?i:cript|elect|tyle)|[tT][eE](?i:mplate)|[xX](?i:mp))(?=[\s/])[^>]*+(?<=/)>)"
)
"""Start tags that may need edits: elements that are rare, or self-closed."""

_CLOSED_ROOT: Final = re.compile(r"""<template\s[^<>]*?shadowrootmode\s*=\s*["']?(closed)\b""", re.IGNORECASE)

_PLAIN_NOSCRIPT: Final = re.compile(
    r"""[^>]*+>[^<]*+(?:<(?:img|input|link|meta)\s(?:[^<>"']|"[^"<>]*+"|'[^'<>]*+')*+>[^<]*+)*+</noscript[\s/>]""",
    re.IGNORECASE,
)
"""Rest of a `<noscript>` element that contains texts and images only: most do."""


REPAIRED: Final = "the source was repaired"
"""First words of the note on a repair, which needs no attention."""


def repair(text: str) -> str:
    """Return a source in which elements, comments and attributes end.

    >>> repair("<noscript><iframe src=a /></noscript>Rain")
    '<noscript><iframe src=a /></iframe></noscript>Rain'
    """
    return apply_edits(text, find_edits(text))


def find_edits(text: str) -> list[Edit]:
    """Return the edits that repair a source, in ascending order; a correct source needs none."""
    edits = Scan(text).edits() if _is_suspect(text) else []
    return sorted([*edits, *_open_shadow_roots(text)]) if may_have_shadow_roots(text) else edits


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


def _open_shadow_roots(text: str) -> list[Edit]:
    """Return the edits that open closed shadow roots; browsers lay out both alike, and let scripts read open ones."""
    return [Edit(*mode.span(1), "open", "") for mode in _CLOSED_ROOT.finditer(text)]


class SourceOffsets:
    """Offsets in a source of the characters of the repaired text.

    Args:
        edits: the edits of the source.

    >>> edits = find_edits("<iframe/>Rain")
    >>> apply_edits("<iframe/>Rain", edits).find("Rain"), SourceOffsets(edits).of(18)
    (18, 9)
    """

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._ends: list[int] = []
        self._shifts = [0]
        for edit in edits:
            self._shifts.append(self._shifts[-1] + len(edit.text) - (edit.end - edit.start))
            self._ends.append(edit.end + self._shifts[-1])

    def of(self, offset: int) -> int:
        """Return the offset in the source of a character of the repaired text that is not part of an edit."""
        return offset - self._shifts[bisect_right(self._ends, offset)]


def _is_suspect(text: str) -> bool:
    """Return whether a source may need edits; the tokens of other sources are not read."""
    return _ends_open(text) or any(_needs_edits(text, start) for start in _START.finditer(text))


def _ends_open(text: str) -> bool:
    """Return whether the last comment, or the last quote of an attribute, may have no end."""
    comment = text.rfind("<!--")
    if comment >= 0 and text.find("-->", comment + 2) < 0:
        return True
    quotes = (text.rfind('"'), text.rfind("'"))
    return any(quote > 0 and text[quote - 1] == "=" for quote in quotes)


def _needs_edits(text: str, start: re.Match[str]) -> bool:
    """Return whether a start tag is self-closed, has no end tag, or begins a `<noscript>` that needs edits."""
    name = start["name"]
    if name is None or text.startswith("/>", text.find(">", start.end()) - 1):
        return True
    if name.lower() != "noscript":
        return not end_tag(name.lower()).search(text, start.end())
    return not _PLAIN_NOSCRIPT.match(text, start.end()) and bool(Scan(text, start.start()).noscript_edits())
