"""Find and parse dates in markup and in text of 50 languages.

The patterns are in the manner of htmldate (Barbaresi 2020, https://doi.org/10.21105/joss.02439): each one captures
year, month and day, which the standard library checks. Names of months are those of `text/data/month_names.tsv`.
dateparser finds the same days, and takes 4 ms for a string where these patterns take 10 us.
"""

from __future__ import annotations

import html
import re
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
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
_BUDDHIST: Final = 543
"""Difference of the Thai calendar."""

_TIME = (
    r"(?:\D{1,6}?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?:[.,]\d+)?\s?(?P<noon>[ap]\.?m)?"
    r"\s?(?P<zone>Z\b|UTC|GMT|[+-]\d\d:?\d\d)?)?"
)
_YEAR = r"(?P<year>\d{4})"
_SHORT_YEAR = r"(?P<year>\d{4}|['’]?\d\d)"
_MONTH = r"(?P<name>[^\W\d_][^\s\d_’',./()|:-]{1,14})"  # vowel signs of Indic scripts and Thai are no letters
_DAY = r"(?P<day>\d{1,2})"
_PATTERNS: Final = tuple(
    re.compile(rf"(?<![\d./-]){pattern}(?!\d|[./-]\d){_TIME}", re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}(?P<mark>[-./])(?P<month>\d{{1,2}})(?P=mark){_DAY}",
        rf"{_YEAR}\s?[年년]\s?(?P<month>\d{{1,2}})\s?[月월]\s?{_DAY}\s?[日일]?",
        rf"{_YEAR}\.\s?(?P<month>\d{{1,2}})\.\s?{_DAY}\.?",
        rf"(?P<first>\d{{1,2}})(?P<mark>[-./])\s?(?P<second_number>\d{{1,2}})(?P=mark)\s?{_SHORT_YEAR}",
        rf"{_DAY}(?:st|nd|rd|th|er|º|ª|\.|ος|η)?(?:\s+(?:de|of|d['’])\s*|[\s/.,-]+){_MONTH}\.?,?"
        rf"(?:\s+(?:de|del)\s+|[\s/,.-]+){_YEAR}",
        rf"{_DAY}[-\s]{_MONTH}\.?[-,\s]+{_SHORT_YEAR}",
        rf"{_MONTH}\.?\s+{_DAY}(?:st|nd|rd|th)?\.?(?:,\s*|\s+(?:de\s+|del\s+)?|،\s*){_YEAR}",
    )
)
"""Forms of dates, in the order of precedence."""
_ISO: Final = re.compile(
    r"\s*(\d{4})-?(\d\d)-?(\d\d)(?:[T\s]+(\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d+)?"
    r"(?:\s*([ap])\.?m\b\.?)?\s*(Z|UTC|GMT|[+-]\d\d:?(?:\d\d)?)?)?",
    re.IGNORECASE,
)
_NOON: Final = re.compile(r"\d\s*[ap]\.?m\b", re.IGNORECASE)
_EPOCH: Final = re.compile(r"\s*(1\d{9})(\d{3})?(?:\.\d+)?\s*\Z")
_URL: Final = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})(?:[/-](\d{1,2}))?(?=[/.?#-]|$)")
_YEAR_HINT: Final = re.compile(r"\d{4}|\d[./-]\d{1,2}[./-]\d\d|[^\W\d]{3}[\s,.-]+['’]?\d\d\b")


class FoundDate(NamedTuple):
    """Date in a text.

    Attributes:
        value: ISO 8601, a day or a moment with the zone if the text has it.
        start, end: its characters.
    """

    value: str
    start: int
    end: int


def parse_date(value: str, language: str = "en", *, day_first: bool = False) -> str:
    """Return the first date of a value in markup, in ISO 8601; an empty string if there is none.

    Args:
        value: ISO 8601, RFC 2822, seconds or milliseconds since 1970, or text.
        language: ISO 639-1 code of the names of months.
        day_first: whether 3/7/2024 is in July.

    >>> parse_date("2024-03-07T10:20:30Z"), parse_date("March 7th, 2024"), parse_date("soon")
    ('2024-03-07T10:20:30+00:00', '2024-03-07', '')
    >>> parse_date("2024-03-07 10:20 PM"), parse_date("7 Mar 2024 10:20 pm")
    ('2024-03-07T22:20:00', '2024-03-07T22:20:00')
    """
    value = html.unescape(value[:MAX_TEXT])
    if match := _ISO.match(value):
        year, month, day, hour, minute, second, noon, zone = match.groups()
        if found := _moment(int(year), int(month), int(day), _Clock(hour, minute, second, noon, zone)):
            return found
    if match := _EPOCH.match(value):
        return datetime.fromtimestamp(int(match[1]), UTC).isoformat()
    first = next(find_dates(value, language, day_first=day_first), None)
    return _rfc_2822(value) or (first.value if first else "")


def _rfc_2822(value: str) -> str:
    """Return the moment of a date such as `Thu, 07 Mar 2024 10:00:00 GMT`, on a clock of 24 hours."""
    if ":" not in value or not value.isascii() or _NOON.search(value):
        return ""
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
    return moment.isoformat() if MIN_YEAR <= moment.year <= MAX_YEAR else ""


def find_dates(text: str, language: str = "en", *, day_first: bool = False) -> Iterator[FoundDate]:
    """Yield the dates in the first `MAX_TEXT` characters of a text; arguments as for `parse_date`.

    >>> [date.value for date in find_dates("Posted 7 March 2024, 10:20 | updated 3/8/24")]
    ['2024-03-07T10:20:00', '2024-03-08']
    """
    text = text[:MAX_TEXT]
    if not _YEAR_HINT.search(text):
        return
    dates: list[FoundDate] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if all(match.end() <= other.start or match.start() >= other.end for other in dates) and (
                value := _value(match, language, day_first=day_first)
            ):
                dates.append(FoundDate(value, match.start(), match.end()))
    yield from sorted(dates, key=lambda each: each.start)


def _value(match: re.Match[str], language: str, *, day_first: bool) -> str:
    """Return the date of a match of one of `_PATTERNS` in ISO 8601; an empty string if it is none."""
    parts = match.groupdict()
    year = int(parts["year"].strip("'’"))
    year = year + 2000 if year < 100 else year - _BUDDHIST if language == "th" and year > 2400 else year
    if parts.get("name"):
        month, day = month_number(parts["name"], language), int(parts["day"])
    elif parts.get("first"):
        month, day = _ordered(int(parts["first"]), int(parts["second_number"]), day_first or parts["mark"] == ".")
    else:
        month, day = int(parts["month"]), int(parts["day"])
    return _moment(year, month, day, _Clock(*(parts[name] for name in _Clock._fields)))


def _ordered(first: int, second: int, day_first: bool) -> tuple[int, int]:
    """Return month and day of two numbers; a number over 12 is the day."""
    is_day_first = first > 12 or (day_first and second <= 12)
    return (second, first) if is_day_first else (first, second)


class _Clock(NamedTuple):
    """Time of day as written; None or empty for missing parts."""

    hour: str | None = None
    minute: str | None = None
    second: str | None = None
    noon: str | None = None
    zone: str | None = None


def _moment(year: int, month: int, day: int, clock: _Clock = _Clock()) -> str:  # noqa: B008 - it is immutable
    """Return a date, with the time and the zone if they are given and valid; an empty string for an invalid date."""
    try:
        day_value = date(year, month, day)
    except ValueError:
        return ""
    if not MIN_YEAR <= year <= MAX_YEAR:
        return ""
    if clock.hour is None or clock.minute is None:
        return day_value.isoformat()
    hours = int(clock.hour) % 12 + 12 * (clock.noon[0] in "pP") if clock.noon else int(clock.hour)
    try:
        zone = _zone(clock.zone)
        moment = datetime(year, month, day, hours, int(clock.minute), int(clock.second or 0), tzinfo=zone)
    except ValueError:
        return day_value.isoformat()
    return moment.isoformat()


def _zone(zone: str | None) -> timezone | None:
    """Return a time zone for `Z`, `UTC`, `GMT`, `+01:00`, `+0100` or `+01`.

    Raises:
        ValueError: the offset is a day or more.
    """
    if not zone:
        return None
    if zone[0] not in "+-":
        return UTC
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if zone[0] == "-" else offset)


def date_in_url(url: str) -> tuple[str, bool]:
    """Return the date in the path of a URL, and whether it has a day; the first of the month if not.

    >>> date_in_url("https://example.org/2024/03/07/rain"), date_in_url("https://example.org/2024/03/rain")
    (('2024-03-07', True), ('2024-03-01', False))
    """
    match = _URL.search(url[:2000])
    if not match:
        return "", False
    value = _moment(int(match[1]), int(match[2]), int(match[3] or 1))
    return value, bool(value and match[3])


def is_day_first(language: str, declared: str) -> bool:
    """Return whether dates in numbers begin with the day: everywhere but in the United States.

    Args:
        language: ISO 639-1 code of the page.
        declared: language tag that the page declares, such as `en-gb`; plain `en` counts as the United States.
    """
    return language != "en" or declared.partition("-")[2].lower() in ("gb", "au", "nz", "in", "ie", "za")


def month_number(name: str, language: str) -> int:
    """Return the number of a month by its name in a language, in English, or else in any language; 0 if it is none.

    >>> month_number("März", "de"), month_number("sept", "en"), month_number("monday", "en")
    (3, 9, 0)
    """
    name = name.casefold().rstrip(".")
    of_language, english, every = _months().get(language, {}), _months()["en"], _all_months()
    return of_language.get(name) or english.get(name) or every.get(name, 0)


@cache
def _months() -> dict[str, dict[str, int]]:
    """Return the numbers of months by name, by language."""
    rows = read_table(str(Path(text_package.__file__)), "month_names.tsv")
    return {
        language: {name: number for number, names in enumerate(months, 1) for name in names.split(",") if name}
        for language, *months in rows
    }


@cache
def _all_months() -> dict[str, int]:
    """Return the numbers of names of months that have the same number in all languages, of three letters or more."""
    numbers: dict[str, set[int]] = {}
    for months in _months().values():
        for name, number in months.items():
            numbers.setdefault(name, set()).add(number)
    return {name: min(several) for name, several in numbers.items() if len(several) == 1 and len(name) > 2}
