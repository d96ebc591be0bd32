"""Find and parse dates in markup and in text of 50 languages.

The patterns are in the manner of htmldate (Barbaresi 2020, https://doi.org/10.21105/joss.02439): each one captures
year, month and day, which the standard library checks. Names of months are those of `text/data/month_names.tsv`.
dateparser finds the same days, and takes 4 ms for a string where these patterns take 10 us. Times of day with their
zones are read before and after dates.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.features import text as text_package
from vclean.files import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_YEAR, MAX_YEAR = 1990, 2099
"""Years of documents on the web; other years are those of their subjects."""
MAX_TEXT: Final = 300
"""Characters of a text that are searched for dates."""
_DAY_LENGTH: Final = len("2024-03-07")

_YEAR = r"(?P<year>\d{4})"
_SHORT_YEAR = r"(?P<year>\d{4}|['’]?\d\d)"
_MONTH = r"(?P<name>[^\W\d_][^\s\d_’',./()|:-]{1,14}|[ก-ฮ][ก-๛]?\.[ก-ฮ])"
"""Name of a month. Vowel signs of Indic scripts and Thai are no letters, and short names of Thai have points inside."""
_DAY = r"(?P<day>\d{1,2})"
_PATTERNS: Final = tuple(
    re.compile(rf"(?<![\d./-]){pattern}(?!\d|[./-]\d)", re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}(?P<mark>[-./])(?P<month>\d{{1,2}})(?P=mark){_DAY}",
        rf"{_YEAR}\s?[年년]\s?(?P<month>\d{{1,2}})\s?[月월]\s?{_DAY}\s?[日일]?",
        rf"{_YEAR}\.\s?(?P<month>\d{{1,2}})\.\s?{_DAY}\.?",
        rf"(?P<first>\d{{1,2}})(?P<mark>[-./])\s?(?P<second_number>\d{{1,2}})(?P=mark)\s?{_SHORT_YEAR}",
        rf"{_DAY}(?:st|nd|rd|th|er|º|ª|°|\.|ος|η)?(?:\s+(?:de|of|d['’])\s*|[\s/.,-]+){_MONTH}\.?,?"
        rf"(?:\s+(?:de|del)\s+|[\s/,.-]+){_YEAR}",
        rf"{_DAY}[-\s]{_MONTH}\.?[-,\s]+{_SHORT_YEAR}",
        rf"{_MONTH}\.?[\s-]+{_DAY}(?:st|nd|rd|th)?\.?(?:,\s*|-|\s+(?:de\s+|del\s+)?|،\s*){_YEAR}",
        rf"{_DAY}\s+(?:tháng|thg)\s+(?P<month>\d{{1,2}})(?:,|\s+năm)?\s+{_YEAR}",
        rf"{_YEAR}\.?\s+gada\s+{_DAY}\.?\s+{_MONTH}",
        rf"{_YEAR}(?:\.|\s?m\.|ko)?,?\s+{_MONTH}\.?\s+{_DAY}\.?",
    )
)
"""Forms of dates, in the order of precedence."""
_EPOCH: Final = re.compile(r"(1\d{9})(?:\d{3})?(?:\.\d+)?")
_YEAR_LAST: Final = re.compile(r"(\d\d:\d\d:\d\d \w+) (\d{4})\Z")
"""Time and year of a date as of the command `date`: `Thu Mar 7 22:20:30 EST 2024`."""
_URL: Final = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})(?:[/-](\d{1,2}))?(?=[/.?#-]|$)")
_YEAR_HINT: Final = re.compile(r"\d{4}|\d[./-]\d{1,2}[./-]\d\d|[^\W\d]{3}[\s,.-]+['’]?\d\d\b")


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
_CUED: Final = re.compile(
    r"[\s,.|·–-]{0,4}(?:kl\.?|klo|ore|alle|um|at|ob|o)\s*(?P<hour>\d{1,2})\.(?P<minute>\d{2})(?![\d.])", re.IGNORECASE
)
"""Hours and minutes with a point between them, after a word for the time."""
_AFTER: Final = re.compile(rf"\D{{0,10}}?{_CLOCK}(?!\d)", re.IGNORECASE)
_BEFORE: Final = re.compile(rf"(?<![\d:.]){_CLOCK}(?!\d)", re.IGNORECASE)
_TO_DATE: Final = re.compile(
    r"\s*[,|·•–-]?\s*(?:(?:on|am|le|el|den|,)\s+)?(?:[^\W\d_]{2,12}\.?,?\s+)?\Z", re.IGNORECASE
)
"""Text between a time and the date after it: a preposition, or a day of the week."""

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


_NUMERIC: Final = re.compile(r"(?<![\d./-])(\d{1,2})([/-])(\d{1,2})\2(?:\d{4}|\d\d)(?![\d/-])")
_MONTHS: Final = 12


class Found(NamedTuple):
    """Date or time of day in a text.

    Attributes:
        value: ISO 8601: a day, a moment or a time, with the zone if the text has it; empty for numbers that are no
            time, such as 24:00.
        start, end: its characters.
    """

    value: str
    start: int
    end: int


def parse_date(value: str, language: str = "en", *, day_first: bool = False) -> str:
    """Return the first date of a value in markup, in ISO 8601; an empty string if there is none.

    Args:
        value: ISO 8601, seconds or milliseconds since 1970, or text.
        language: ISO 639-1 code of the names of months.
        day_first: whether 3/7/2024 is in July.

    >>> parse_date("2024-03-07T10:20:30Z"), parse_date("March 7th, 2024"), parse_date("soon")
    ('2024-03-07T10:20:30+00:00', '2024-03-07', '')
    """
    value = value[:MAX_TEXT].strip()
    if iso := _iso_8601(value) or _iso_8601(value.removesuffix("Z")):
        return iso
    if match := _EPOCH.fullmatch(value):
        return datetime.fromtimestamp(int(match[1]), UTC).isoformat()
    first = next(find_dates(_YEAR_LAST.sub(r"\2 \1", value), language, day_first=day_first), None)
    return first.value if first else ""


def _iso_8601(value: str) -> str:
    """Return a day or a moment in ISO 8601 without fractions of a second; empty for other values.

    Years of no document are other values.
    """
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return ""
    text = moment.isoformat(timespec="seconds") if MIN_YEAR <= moment.year <= MAX_YEAR else ""
    return text if len(value) > _DAY_LENGTH else text[:_DAY_LENGTH]


def find_dates(text: str, language: str = "en", *, day_first: bool = False) -> Iterator[Found]:
    """Yield the dates in the first `MAX_TEXT` characters of a text; arguments as for `parse_date`.

    >>> [date.value for date in find_dates("Posted 7 March 2024, 10:20 | updated 3/8/24")]
    ['2024-03-07T10:20:00', '2024-03-08']
    """
    text = text[:MAX_TEXT]
    if not _YEAR_HINT.search(text):
        return
    days: list[tuple[int, int, date]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if all(match.end() <= start or match.start() >= end for start, end, _ in days) and (
                day := _day(match, language, day_first=day_first)
            ):
                days.append((match.start(), match.end(), day))
    days.sort()
    position = 0
    limits = [*(start for start, _, _ in days[1:]), len(text)]
    for (start, end, day), limit in zip(days, limits, strict=False):
        after = _CUED.match(text, end, limit) or _AFTER.match(text, end, limit)
        clock = _clock(after, text) if after else clock_before(text, position, start) or Found("", start, end)
        position = max(end, clock.end)
        yield Found(f"{day}T{clock.value}" if clock.value else f"{day}", min(start, clock.start), position)


def _day(match: re.Match[str], language: str, *, day_first: bool) -> date | None:
    """Return the day of a match of one of `_PATTERNS`; None if it is none."""
    parts = match.groupdict()
    year = int(parts["year"].strip("'’"))
    # Years of the Thai calendar are Buddhist.
    year = year + 2000 if year < 100 else year - 543 if language == "th" and year > 2400 else year
    if parts.get("name"):
        month, day = month_number(parts["name"], language), int(parts["day"])
    elif parts.get("first"):
        first, second, is_dotted = parts["first"], parts["second_number"], parts["mark"] == "."
        if is_dotted and language == "en" and min(len(first), len(second)) == 1 and len(parts["year"]) == 2:
            return None  # a version or a section, such as 1.4.46
        month, day = int(first), int(second)
        if month > _MONTHS or ((day_first or is_dotted) and day <= _MONTHS):
            month, day = day, month
    else:
        month, day = int(parts["month"]), int(parts["day"])
    return _valid_day(year, month, day)


def _valid_day(year: int, month: int, day: int) -> date | None:
    """Return a day; None if it does not exist, or no document of the web can be of its year."""
    try:
        return date(year, month, day) if MIN_YEAR <= year <= MAX_YEAR else None
    except ValueError:
        return None


def date_in_url(url: str) -> tuple[str, bool]:
    """Return the date in the path of a URL, and whether it has a day; the first of the month if not.

    >>> date_in_url("https://example.org/2024/03/07/rain"), date_in_url("https://example.org/2024/03/rain")
    (('2024-03-07', True), ('2024-03-01', False))
    """
    match = _URL.search(url[:2000])
    if not match:
        return "", False
    day = _valid_day(int(match[1]), int(match[2]), int(match[3] or 1))
    return (day.isoformat(), bool(match[3])) if day else ("", False)


def is_day_first(language: str, declared: str, url: str = "", text: str = "") -> bool:
    """Return whether dates in numbers begin with the day.

    Numbers over 12 in other dates of the page decide. Without any, the day is first everywhere but in the United
    States.

    Args:
        language: ISO 639-1 code of the page.
        declared: language tag that the page declares, such as `en-gb`.
        url: URL of the page: the country of its host counts if the tag has no region.
        text: text with dates of the page.

    >>> is_day_first("en", "en"), is_day_first("en", "en", "https://example.co.uk/")
    (False, True)
    >>> is_day_first("en", "en", text="31/1/2024")
    True
    """
    numbers = [(int(first), int(second)) for first, _, second in _NUMERIC.findall(text)]
    day, month = sum(first > _MONTHS for first, _ in numbers), sum(second > _MONTHS for _, second in numbers)
    if day != month:
        return day > month
    host = url.partition("//")[2].partition("/")[0].partition(":")[0]
    region = declared.partition("-")[2].lower() or host.rpartition(".")[2]
    return language != "en" or region in ("gb", "uk", "au", "nz", "in", "ie", "za")


def month_number(name: str, language: str) -> int:
    """Return the number of a month by its name in a language, in English, or else in any language; 0 if it is none.

    >>> month_number("März", "de"), month_number("sept", "en"), month_number("monday", "en")
    (3, 9, 0)
    """
    name = name.casefold().replace(".", "")
    months = _months()
    return months.get((language, name)) or months.get(("en", name)) or months.get(("", name), 0)


@cache
def _months() -> dict[tuple[str, str], int]:
    """Return the numbers of months by language and name.

    The language is empty for names of three letters or more that have the same number in all languages.
    """
    months: dict[tuple[str, str], int] = {}
    numbers: dict[str, set[int]] = defaultdict(set)
    for language, *columns in read_table(str(Path(text_package.__file__)), "month_names.tsv"):
        for number, names in enumerate(columns, 1):
            for name in filter(None, names.split(",")):
                months[language, name] = number
                numbers[name].add(number)
    return months | {("", name): min(each) for name, each in numbers.items() if len(each) == 1 and len(name) > 2}


def clock_before(text: str, start: int, end: int) -> Found | None:
    """Return the time in a text that begins after `start`, and ends with the text before the date at `end`.

    It has a half of the day, a zone or a word of its language: other numbers before dates are lengths of videos.

    >>> clock_before("10:20 PM, March 7", 0, 10).value, clock_before("10:20 | March 7", 0, 8)
    ('22:20:00', None)
    """
    for match in _BEFORE.finditer(text, start, end):
        clock = _clock(match, text)
        is_plain = text[clock.start : clock.end].replace(":", "").isdecimal() and not match["half"]
        if not is_plain and _TO_DATE.match(text, clock.end, end):
            return clock
    return None


def _clock(match: re.Match[str], text: str) -> Found:
    parts = match.groupdict()
    minute = next((value for name, value in parts.items() if name.startswith("minute") and value), "0")
    half = parts.get("noon") or parts.get("half") or ""
    hour = int(parts["hour"])
    if half:
        hour = hour % 12 + 12 * (half[0] in "pP" or half in _AFTERNOON)
    zone, end = _zone(text, match.end())
    try:
        value = time(hour, int(minute), int(parts.get("second") or 0), tzinfo=zone).isoformat()
    except ValueError:
        value = ""
    return Found(value, match.start("hour"), end)


def _zone(text: str, start: int) -> tuple[timezone | None, int]:
    """Return the time zone at a position of a text, and where it ends; None if there is none."""
    match = _ZONE.match(text, start)
    if not match:
        return None, start
    if match["name"]:
        hours = _ZONES[match["name"].upper()]
    else:
        hours = int(match["hours"] or match["short_hours"]) + int(match["minutes"] or 0) / 60
        hours = hours if "+" in (match["sign"], match["short_sign"]) else -hours
    return (timezone(timedelta(hours=hours)), match.end()) if abs(hours) < 24 else (None, start)
