"""Evaluate media queries for a screen without a browser, in three-valued logic: None is what is not known."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_WIDTH: Final = 1366.0
_HEIGHT: Final = 768.0
"""CSS px of the viewport, the default of `RenderSettings`."""

_LIMIT: Final = re.compile(r"\(\s*(min|max)-(?:device-)?(width|height)\s*:\s*(\d*\.?\d+)(px|em|rem|)\s*\)")
_RANGE: Final = re.compile(r"\(\s*(width|height)\s*([<>])=?\s*(\d*\.?\d+)(px|em|rem|)\s*\)")
_SUPPORTED: Final = re.compile(r"\s*\(\s*(?!-)[a-z-]+\s*:[^()]*(?:\([^()]*\)[^()]*)?\)\s*")
"""A query for one property without a vendor's prefix: browsers of today support most that style sheets ask for."""
_ANSWERS: Final = {
    **dict.fromkeys(("all", "screen", "only all", "only screen"), True),
    **dict.fromkeys(("print", "only print", "speech", "only speech", "handheld", "tv", "projection", "aural",
                     "braille", "tty", "embossed"), False),
    **dict.fromkeys(("(hover:hover)", "(hover)", "(any-hover:hover)", "(pointer:fine)", "(any-pointer:fine)",
                     "(orientation:landscape)", "(prefers-color-scheme:light)", "(color)", "(scripting)",
                     "(scripting:enabled)", "(prefers-reduced-motion:no-preference)"), True),
    **dict.fromkeys(("(hover:none)", "(any-hover:none)", "(pointer:coarse)", "(pointer:none)",
                     "(orientation:portrait)", "(prefers-color-scheme:dark)", "(prefers-reduced-motion:reduce)",
                     "(prefers-reduced-motion)", "(scripting:none)", "(scripting:initial-only)",
                     "(forced-colors:active)"), False),
}  # fmt: skip
"""Media types and features (Media Queries 5) on a desktop computer with scripts and usual preferences."""


@lru_cache(maxsize=1024)
def media_applies(query: str) -> bool | None:
    """Return whether a media query list matches a screen; an empty list always does.

    >>> media_applies("print"), media_applies("screen and (min-width: 48em)"), media_applies("(monochrome)")
    (False, True, None)
    """
    answers = [_query_applies(" ".join(each.split())) for each in query.lower().split(",")]
    if any(answers):
        return True
    return None if None in answers else False


def supports(condition: str) -> bool | None:
    """Return True for the condition of `@supports` that a property has a value, None for others.

    >>> supports("(display: grid)"), supports("not (display: grid)")
    (True, None)
    """
    return True if _SUPPORTED.fullmatch(condition.lower()) else None


def _query_applies(query: str) -> bool | None:
    if query.startswith("not "):
        answer = _query_applies(query[4:])
        return None if answer is None else not answer
    parts = query.replace(")and", ") and").split(" and ") if query else []
    answers = [_part_applies(part) for part in parts]
    return False if False in answers else None if None in answers else True


def _part_applies(part: str) -> bool | None:
    sides = {"width": _WIDTH, "height": _HEIGHT}
    if limit := _LIMIT.fullmatch(part):
        is_least, side, number, unit = limit[1] == "min", limit[2], limit[3], limit[4]
    elif limit := _RANGE.fullmatch(part):
        is_least, side, number, unit = limit[2] == ">", limit[1], limit[3], limit[4]
    else:
        return _ANSWERS.get(part if part.startswith("only") else part.replace(" ", ""))
    length = float(number) * (16 if unit in ("em", "rem") else 1)
    return sides[side] >= length if is_least else sides[side] <= length
