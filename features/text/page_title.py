"""Split the title of a page into its parts, and remove the name of the site from it.

Titles such as `Rain in May | Weather | The Daily` have the headline, sections and the name of the site, in either
order. The name of the site is the part that is written in the host name; else it is the last part.
"""

from __future__ import annotations

import re
from typing import Final

from vclean.urls import host_of

_SEPARATOR: Final = re.compile(
    r"\s+(?:[-–—|·•:/«»‹›~>]|::|--|&[lr]aquo;)\s+|\s*[|｜│¦]\s*|\s*(?:--|::|[»«])\s*|_(?=[^\W_]{2,})(?<=[⺀-鿿！-～]_)"
)
"""Characters between the parts of a title; hyphens and colons need spaces around them, underscores Chinese text."""
_WORD: Final = re.compile(r"[^\W_]+")
_MAX_PARTS: Final = 6
"""Most parts of a title; further separators belong to the last part."""
_MAX_SITE_WORDS: Final = 5
"""Most words of the last part of a title for it to be the name of the site without any other sign."""
_MIN_HOST_MATCH: Final = 3
"""Fewest letters that a part and the host name must share."""


def split_title(title: str) -> list[str]:
    """Return the parts of a title between separators, without empty parts.

    >>> split_title("Rain in May | Weather - The Daily")
    ['Rain in May', 'Weather', 'The Daily']
    """
    parts = (part.strip() for part in _SEPARATOR.split(title, maxsplit=_MAX_PARTS - 1))
    return [part for part in parts if _WORD.search(part)]


def title_runs(title: str) -> list[str]:
    """Return the contiguous runs of parts of a title, longest first: everything that may be the headline.

    >>> title_runs("Rain | The Daily")
    ['Rain | The Daily', 'Rain', 'The Daily']
    """
    parts, spans = split_title(title), _spans(title)
    runs = [(first, last) for first in range(len(parts)) for last in range(first, len(parts))]
    runs.sort(key=lambda run: run[0] - run[1])
    return [title[spans[first][0] : spans[last][1]] for first, last in runs]


def _spans(title: str) -> list[tuple[int, int]]:
    """Return where each part of a title begins and ends, in characters."""
    spans, position = [], 0
    for part in split_title(title):
        start = title.index(part, position)
        position = start + len(part)
        spans.append((start, position))
    return spans


def normalize(text: str) -> str:
    """Return the words of a text in lower case, separated by spaces: for comparisons.

    >>> normalize("“Rain” – in May!")
    'rain in may'
    """
    return " ".join(_WORD.findall(text.casefold()))


def is_site_name(part: str, url: str) -> bool:
    """Return whether a part of a title is written in the host name of a URL.

    >>> is_site_name("The Daily", "https://www.thedaily.example.org/a"), is_site_name("Rain", "https://example.org/")
    (True, False)
    """
    host = re.sub(r"[^\w]|_", "", host_of(url))
    letters = normalize(part).replace(" ", "")
    initials = "".join(word[0] for word in normalize(part).split())
    is_written = len(letters) >= _MIN_HOST_MATCH and letters in host
    names = set(host_of(url).split("."))
    return is_written or letters in names or (len(initials) >= _MIN_HOST_MATCH and initials in names)


def strip_site_name(title: str, url: str) -> str:
    """Return a title without the name of the site; empty if nothing else is left.

    Parts that are written in the host name are removed from both ends. If there is none, a short last part is removed,
    unless the other parts are shorter still.

    >>> strip_site_name("The Daily | Rain in May", "https://thedaily.example.org/a")
    'Rain in May'
    >>> strip_site_name("Rain in May - The Daily", "")
    'Rain in May'
    >>> strip_site_name("The Daily", "https://thedaily.example.org/")
    ''
    """
    parts, spans = split_title(title), _spans(title)
    first, last = 0, len(parts)
    while first < last and is_site_name(parts[last - 1], url):
        last -= 1
    while first < last and is_site_name(parts[first], url):
        first += 1
    if last - first == len(parts) > 1 and _is_short(parts[-1], parts[:-1]):
        last -= 1
    return title[spans[first][0] : spans[last - 1][1]] if first < last else ""


def _is_short(last: str, others: list[str]) -> bool:
    words, longest = len(last.split()), max(len(part) for part in others)
    return words <= _MAX_SITE_WORDS and longest >= len(last)
