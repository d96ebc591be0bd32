"""Find the rules of a source whose pseudo-elements paint: they may be behind texts, or cover them."""

from __future__ import annotations

import re
from typing import Final

_RULE: Final = re.compile(r":(?:[bB](?i:efore)|[aA](?i:fter)|[fF](?i:irst-line))\b[^{};]{0,200}\{([^{}]{0,2000})")
_PAINTS: Final = re.compile(
    r"(?:^|[;\s/])(?:background|box-shadow|backdrop-filter|-webkit-backdrop-filter)\b", re.IGNORECASE
)
_BEFORE_RULES: Final = ("}", "{", ";", ">")
"""What may be before a selector; of `a > b` the second part selects enough."""
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_NAME: Final = re.compile(r"::?(before|after|first-line)$", re.IGNORECASE)
_COMMA: Final = re.compile(r",(?![^(]*\))")
_NESTED: Final = re.compile(r"[{;}]\s*&[\s.:#\[>+~*]")

_MAX_SELECTOR: Final = 2000
"""Characters of a selector list that is looked at."""


def painted_pseudos(html: str) -> list[tuple[str, str]] | None:
    """Return the selectors of elements with a pseudo-element that paints, or with a `::first-line`, and its name.

    None if the source has nested rules, whose selectors are not read here.

    >>> painted_pseudos("<style>.hero:before, p::after { content: ''; background: #123 } i::before { content: 'x' }")
    [('.hero', '::before'), ('p', '::after')]
    """
    found: dict[tuple[str, str], None] = {}
    for rule in _RULE.finditer(html):
        if not _PAINTS.search(rule[1]) and "first-line" not in rule[0].lower():
            continue
        for part in _COMMA.split(_selectors(html, rule)):
            if name := _NAME.search(part := part.strip()):
                found[part[: name.start()].strip() or "*", f"::{name[1].lower()}"] = None
    return None if found and _NESTED.search(html) else list(found)


def _selectors(html: str, rule: re.Match[str]) -> str:
    """Return the list of selectors of a rule."""
    first = max(0, rule.start() - _MAX_SELECTOR)
    begin = max(html.rfind(edge, first, rule.start()) + 1 for edge in _BEFORE_RULES) or first
    return _COMMENT.sub(" ", html[begin : html.index("{", rule.start())])
