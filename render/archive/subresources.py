"""What a document refers to, by a glance at its source: much cheaper than parsing it, and bounded on any input."""

from __future__ import annotations

import re
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, Final

from vclean.render.archive.warc import joined

if TYPE_CHECKING:
    from collections.abc import Iterator

GLANCE: Final = 2**20
"""Bytes of a document that are looked at."""

MOST: Final = 2000
"""References of a document that are looked at."""

_ATTRIBUTES: Final = rb"(?P<attributes>[^<>]{0,4000})"
_FRAME: Final = re.compile(rb"<!--.*?(?:-->|\Z)|<(?P<tag>i?frame|base)\b" + _ATTRIBUTES, re.IGNORECASE | re.DOTALL)
_LOADED: Final = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<(?P<tag>base|link|img|image|script|source|input|object|embed|video|body|table|td|th|use)\b"
    + _ATTRIBUTES
    + rb"|(?:\burl\(\s{0,9}|@import\s{1,9})[\"']?(?P<url>[^\"'()<>\s]{1,2000})",
    re.IGNORECASE | re.DOTALL,
)
_SOURCE: Final = re.compile(
    rb"(?:^|[\s\"'/])(?:xlink:)?(?P<name>src|href|data|background|poster|srcset)\s{0,9}=\s{0,9}"
    rb"(?:\"(?P<double>[^\"]*)|'(?P<single>[^']*)|(?P<bare>[^\s\"'>]+))",
    re.IGNORECASE,
)


def frames(document: bytes, url: str) -> Iterator[str]:
    """The absolute URLs of the frames of a document at `url`, as `<iframe src>` and `<frame src>` name them.

    >>> list(frames(b"<iframe title=x src='b?x&amp;y'></iframe>", "http://a/c"))
    ['http://a/b?x&y']
    """
    return islice(_absolute(_FRAME, document, url), MOST)


def loaded(document: bytes, url: str) -> Iterator[str]:
    """The absolute URLs a document at `url` may load to be shown: style sheets, images, scripts, fonts.

    >>> list(loaded(b"<link rel=stylesheet href=a.css><a href=b></a><p style='background: url(c.png)'>", "http://a/"))
    ['http://a/a.css', 'http://a/c.png']
    """
    return islice(_absolute(_LOADED, document, url), MOST)


def _absolute(pattern: re.Pattern[bytes], document: bytes, url: str) -> Iterator[str]:
    base = url
    for match in pattern.finditer(document, 0, GLANCE):
        for reference in _references(match):
            if (match["tag"] or b"").lower() == b"base":
                base = joined(url, reference) or url
            elif absolute := joined(base, reference):
                yield absolute


def _references(match: re.Match[bytes]) -> Iterator[str]:
    groups = match.groupdict()
    if groups.get("url"):
        yield _text(groups["url"])
    framed = (match["tag"] or b"").lower().endswith(b"frame")
    for found in _SOURCE.finditer(groups["attributes"] or b""):
        if framed and found["name"].lower() != b"src":
            continue
        value = _text(found["double"] or found["single"] or found["bare"] or b"")
        if found["name"].lower() == b"srcset":
            yield from (part.split()[0] for part in value.split(",") if part.split())
        elif value:
            yield value


def _text(value: bytes) -> str:
    """An attribute's value; all that matters is ASCII, or is percent-decoded as UTF-8 when URLs are compared."""
    return unescape(value.decode("utf-8", "replace")).strip()
