"""How the value of a column is written in a phrase: counts with their nouns, shares, sizes, codes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from vclean.features.structural import TAG_CODES

if TYPE_CHECKING:
    from collections.abc import Callable

_PLACE: Final = re.compile(r"\{(\w+)(?::([^}|]+)(?:\|([^}]+))?)?\}")
_AT_END: Final = 0.03
"""Share of the way from which on a place counts as one at the end, or the beginning."""
_FEW_WORDS, _MANY_WORDS = 5, 40
_FEW_CHARACTERS, _MANY_CHARACTERS = 30, 240


def fill(template: str, value: float) -> str:
    """The `template` with its place taken by the `value`.

    >>> fill("{percent} capitals", 0.25), fill("{count:link}", 2), fill("inside <nav>", 1)
    ('25 % capitals', '2 links', 'inside <nav>')
    """
    return _PLACE.sub(lambda place: _FORMS[place[1]](value, place[2] or "", place[3] or ""), template)


def counted(number: float, noun: str, plural: str = "") -> str:
    """A number with its noun.

    Args:
        number: how many.
        noun: in the singular.
        plural: the ending of the plural, or nothing for the usual one.

    >>> counted(1, "word"), counted(0, "link"), counted(1200, "address", "es"), counted(2, "comma")
    ('1 word', 'no links', '1,200 addresses', '2 commas')
    """
    many = noun + (plural or "s")
    if number == 0:
        return f"no {many}"
    return f"{number:,.0f} {noun if round(number) == 1 else many}"


def _length(value: float, noun: str, plural: str) -> str:
    few, many = (_FEW_WORDS, _MANY_WORDS) if noun == "word" else (_FEW_CHARACTERS, _MANY_CHARACTERS)
    size = "" if value == 0 else "short: " if value <= few else "long: " if value >= many else ""
    return size + counted(value, noun, plural)


def _number(value: float, *_: str) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.1f}".removesuffix(".0")


def percent(value: float) -> str:
    """A share in per cent.

    >>> percent(0.123), percent(0.004), percent(0.996)
    ('12 %', 'under 1 %', 'over 99 %')
    """
    if 0 < value < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= value < 1 else f"{100 * value:.0f} %"


def _way(value: float, *_: str) -> str:
    if value < _AT_END:
        return "at the beginning of"
    return "at the end of" if value > 1 - _AT_END else f"{percent(value)} of the way through"


def _tag(value: float, *_: str) -> str:
    code = int(value)
    return f"<{TAG_CODES[code]}>" if code < len(TAG_CODES) else "another"


def _levels(value: float, *_: str) -> str:
    if value == 0:
        return "as deep as"
    return f"{counted(abs(value), 'level')} {'deeper' if value > 0 else 'higher'} than"


def _after(value: float, what: str, _: str) -> str:
    if value == 0:
        return f"at {what}"
    return f"{counted(abs(value), 'word')} {'after' if value >= 0 else 'before'} {what}"


_FORMS: Final[dict[str, Callable[[float, str, str], str]]] = {
    "share": lambda value, *_: f"{value:.2f}",
    "percent": lambda value, *_: percent(abs(value)),
    "way": _way,
    "number": _number,
    "whole": lambda value, *_: f"{value:.0f}",
    "px": lambda value, *_: f"{value:,.0f} px",
    "count": counted,
    "length": _length,
    "hundred": lambda value, noun, plural: counted(100 * value, noun, plural),
    "tag": _tag,
    "heading": lambda value, *_: f"a heading of level {value:.0f}" if value else "no heading",
    "own_heading": lambda value, *_: f"a heading of level {value:.0f}" if value else "no heading itself",
    "visibility": lambda value, *_: ("shown at once", "hidden until it is opened", "hidden")[int(value)],
    "levels": _levels,
    "after": _after,
}
"""How a value is written: form by name, given the value, the noun and the ending of its plural."""
