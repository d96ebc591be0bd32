"""Compute the features of the address of a page: its depth and the words of its host and path."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, unquote, urlsplit

from vclean.features.page_type.word_groups import groups_of, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_CHARS: Final = 2000
_WORD: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)?")
_INDEX: Final = re.compile(r"(?:index|default|home|main|welcome)(?:\.\w{2,5})?\Z")
_DATE: Final = re.compile(r"/(?:19|20)\d\d(?:/|-?\d\d)")
_EXTENSION: Final = re.compile(r"\.(?:html?|php|aspx?|jsp|cfm|stm)\Z")

COLUMNS: Final = (
    "url_known", "url_root", "url_depth", "url_query", "url_subdomain", "url_date", "url_extension",
    "url_last_words", "url_last_chars", "url_last_digits",
    *(f"host_{name}" for name in groups_of("host")),
    *(f"path_{name}" for name in groups_of("path")),
    *(f"last_{name}" for name in groups_of("path")),
)  # fmt: skip


def address_values(url: str) -> list[float]:
    """Return the values of `COLUMNS` for the URL of a page; NaN without a URL.

    >>> dict(zip(COLUMNS, address_values("https://forum.example.org/t/rain/7"), strict=True))["host_forum"]
    1.0
    """
    parts = _split(url)
    if not parts or not parts.netloc:
        return [0.0] + [float("nan")] * (len(COLUMNS) - 1)
    segments = [segment for segment in unquote(parts.path.lower()).split("/") if segment]
    if segments and _INDEX.match(segments[-1]):
        segments.pop()
    last = segments[-1] if segments else ""
    host = (parts.netloc.lower().partition(":")[0]).removeprefix("www.").split(".")
    return [
        1.0, float(not segments and not parts.query), min(len(segments), 8), float(bool(parts.query)),
        float(len(host) > 2), float(bool(_DATE.search(parts.path))), float(bool(_EXTENSION.search(last))),
        min(len(_words(last)), 20), min(len(last), 120), min(sum(map(str.isdigit, last)), 20),
        *_hits("host", host),
        *_hits("path", [word for segment in [*segments[:-1], parts.query.lower()] for word in _words(segment)]),
        *_hits("path", _words(last)),
    ]  # fmt: skip


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url[:_MAX_CHARS])
    except ValueError:
        return None


def _words(segment: str) -> list[str]:
    """Return the words of a part of a path, and pairs of words joined by a hyphen."""
    pairs = _WORD.findall(segment)
    return [*pairs, *(word for pair in pairs if "-" in pair for word in pair.split("-"))]


def _hits(part: str, words: Sequence[str]) -> list[float]:
    """Return for each group of a part of the page whether one of its words is among `words`."""
    return [float(not group.isdisjoint(words)) for group in words_of(part).values()]
