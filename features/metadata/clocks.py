"""Read times of day with their zones, before and after dates in text."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone
from typing import Final, NamedTuple

_AFTERNOON: Final = frozenset(("오후", "下午", "午後", "晚上"))
_HALF: Final = r"오전|오후|上午|下午|午前|午後|晚上|凌晨|早上|[ap]\.?m\.?"
"""Halves of the day, which some languages write before the hour."""
_CLOCK: Final = (
    rf"(?:(?P<half>{_HALF})\s*)?"
    r"(?P<hour>\d{1,2})"
    r"(?:"
    r":(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?:[.,]\d+)?"
    r"|\.(?P<minute_after_point>\d{2})(?=\s?(?:[ap]\.?m\b|uhr\b|h\b|(?-i:GMT|UTC|[A-Z]{2,4}T)\b))"
    r"|\s?h\s?(?P<minute_after_h>\d{2})"
    r"|\s?[時时시点](?:\s?(?P<minute_named>\d{1,2})\s?[分분])?"
    r"|(?=\s?[ap]\.?m\b)"
    r")"
    r"(?:\s?(?P<noon>[ap]\.?m\b\.?))?(?:\s?uhr\b|\s?h\b)?"
)
_CUED: Final = r"(?:kl\.?|klo|ore|alle|um|at|ob|o)\s*(?P<hour>\d{1,2})\.(?P<minute>\d{2})(?![\d.])"
"""Hours and minutes with a point between them, after a word for the time."""
_GAP: Final = r"(?:\D{0,6}?|[\s,·|–-]{1,3}(?:a las|alle ore|klokken|o godz(?:\.|inie)|pukul|um ca\.)\s)"
"""Text between a date and the time after it."""
_AFTER: Final = re.compile(rf"{_GAP}{_CLOCK}(?!\d)", re.IGNORECASE)
_AFTER_CUE: Final = re.compile(rf"[\s,.|·–-]{{0,4}}{_CUED}", re.IGNORECASE)
_BEFORE: Final = re.compile(rf"(?<![\d:.]){_CLOCK}(?!\d)", re.IGNORECASE)
_TO_DATE: Final = re.compile(
    r"\s*[,|·•–-]?\s*(?:(?:on|am|le|el|den|,)\s+)?(?:[^\W\d_]{2,12}\.?,?\s+)?\Z", re.IGNORECASE
)
"""Text between a time and the date after it: a preposition, or a day of the week."""
_MAX_BEFORE: Final = 40
"""Characters before a date that are searched for its time."""

_ZONES: Final = {
    "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "WET": 0, "BST": 1, "WEST": 1, "CET": 1, "MEZ": 1, "WAT": 1, "CEST": 2,
    "MESZ": 2, "EET": 2, "CAT": 2, "SAST": 2, "EEST": 3, "EAT": 3, "MSK": 3, "МСК": 3, "TRT": 3, "GST": 4, "PKT": 5,
    "IST": 5.5, "ICT": 7, "WIB": 7, "WITA": 8, "SGT": 8, "HKT": 8, "AWST": 8, "WIT": 9, "JST": 9, "KST": 9,
    "ACST": 9.5, "AEST": 10, "ACDT": 10.5, "AEDT": 11, "NZST": 12, "NZDT": 13,
    "BRT": -3, "ART": -3, "ADT": -3, "EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7, "PDT": -7,
    "PST": -8, "AKDT": -8, "AKST": -9, "HST": -10,
}  # fmt: skip
"""Hours east of Greenwich by abbreviation; those of RFC 2822 have its meaning. ET and the like depend on the day."""
_ZONE: Final = re.compile(
    r"\s?\(?(?:(?:UTC|GMT|utc|gmt)?\s?(?P<sign>[+\N{MINUS SIGN}-])(?P<hours>\d\d):?(?P<minutes>\d\d)(?!\d)"
    r"|(?:UTC|GMT|utc|gmt)\s?(?P<short_sign>[+\N{MINUS SIGN}-])(?P<short_hours>\d{1,2})(?!\d)"
    rf"|(?P<name>{'|'.join(sorted(_ZONES, key=len, reverse=True))}|utc|gmt|z)(?![^\W_]))"
)


class Clock(NamedTuple):
    """Time of day with its zone.

    Attributes:
        hour, minute, second: as on a clock of 24 hours; they may be too large.
        zone: the zone; None if the text has none.
        start, end: its characters.
    """

    hour: int
    minute: int
    second: int
    zone: timezone | None
    start: int
    end: int


def clock_after(text: str, start: int, end: int) -> Clock | None:
    """Return the time in a text that begins at most a few characters after `start`, and ends before `end`.

    >>> clock_after("7 March 2024, 10:20 PM EST", 12, 26)[:3], clock_after("7 March 2024 - 22 comments", 12, 26)
    ((22, 20, 0), None)
    """
    match = _AFTER_CUE.match(text, start, end) or _AFTER.match(text, start, end)
    return _clock(match, text) if match else None


def clock_before(text: str, start: int, end: int) -> Clock | None:
    """Return the time in a text that begins after `start`, and ends with the text before the date at `end`.

    It has a half of the day, a zone or a word of its language: other numbers before dates are lengths of videos.

    >>> clock_before("10:20 PM, March 7", 0, 10)[:3], clock_before("10:20 | March 7", 0, 8)
    ((22, 20, 0), None)
    """
    for match in _BEFORE.finditer(text, max(start, end - _MAX_BEFORE), end):
        clock = _clock(match, text)
        is_plain = text[clock.start : clock.end].replace(":", "").isdecimal() and not match["half"]
        if not is_plain and _TO_DATE.match(text, clock.end, end):
            return clock
    return None


def _clock(match: re.Match[str], text: str) -> Clock:
    parts = match.groupdict()
    minute = next((value for name, value in parts.items() if name.startswith("minute") and value), "0")
    half = parts.get("noon") or parts.get("half") or ""
    hour = int(parts["hour"])
    if half:
        hour = hour % 12 + 12 * (half[0] in "pP" or half in _AFTERNOON)
    zone, end = _zone(text, match.end())
    return Clock(hour, int(minute), int(parts.get("second") or 0), zone, match.start("hour"), end)


def _zone(text: str, start: int) -> tuple[timezone | None, int]:
    """Return the time zone at a position of a text, and where it ends; None if there is none."""
    match = _ZONE.match(text, start)
    if not match:
        return None, start
    if match["name"]:
        return _offset(_ZONES[match["name"].upper()]), match.end()
    sign = match["sign"] or match["short_sign"]
    hours = int(match["hours"] or match["short_hours"]) + int(match["minutes"] or 0) / 60
    return (_offset(hours if sign == "+" else -hours), match.end()) if hours < 24 else (None, start)


def _offset(hours: float) -> timezone:
    return timezone(timedelta(hours=hours)) if hours else UTC
