"""Scan the source of a document for references to subresources: cheaper than parsing, and bounded on any input."""

from __future__ import annotations

import re
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, Final

from vclean.page import join_url

if TYPE_CHECKING:
    from collections.abc import Iterator

SCANNED_BYTES: Final = 2**20
"""Bytes of a document that are scanned."""

MAX_REFERENCES: Final = 2000
"""References of a document that are returned."""

_ATTRIBUTES: Final = rb"(?P<attributes>[^<>]{0,4000})"
_FRAME: Final = re.compile(rb"<!--.*?(?:-->|\Z)|<(?P<tag>i?frame|base)\b" + _ATTRIBUTES, re.IGNORECASE | re.DOTALL)
_SUBRESOURCE: Final = re.compile(
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


def frame_urls(document: bytes, url: str) -> Iterator[str]:
    """Return the absolute URLs of the frames (`<iframe src>`, `<frame src>`) of a document at `url`.

    >>> list(frame_urls(b"<iframe title=x src='b?x&amp;y'></iframe>", "http://a/c"))
    ['http://a/b?x&y']
    """
    return islice(_absolute_urls(_FRAME, document, url), MAX_REFERENCES)


def subresource_urls(document: bytes, url: str) -> Iterator[str]:
    """Return the absolute URLs that a document at `url` may load: style sheets, images, scripts, fonts.

    >>> list(subresource_urls(b"<link rel=stylesheet href=a.css><a href=b></a><p style='background: url(c.png)'>", "http://a/"))
    ['http://a/a.css', 'http://a/c.png']
    """
    return islice(_absolute_urls(_SUBRESOURCE, document, url), MAX_REFERENCES)


def _absolute_urls(pattern: re.Pattern[bytes], document: bytes, url: str) -> Iterator[str]:
    base = url
    for match in pattern.finditer(document, 0, SCANNED_BYTES):
        for reference in _references(match):
            if (match["tag"] or b"").lower() == b"base":
                base = join_url(url, reference) or url
            elif absolute := join_url(base, reference):
                yield absolute


def _references(match: re.Match[bytes]) -> Iterator[str]:
    groups = match.groupdict()
    if groups.get("url"):
        yield _text(groups["url"])
    is_frame = (match["tag"] or b"").lower().endswith(b"frame")
    for attribute in _SOURCE.finditer(groups["attributes"] or b""):
        if is_frame and attribute["name"].lower() != b"src":
            continue
        value = _text(attribute["double"] or attribute["single"] or attribute["bare"] or b"")
        if attribute["name"].lower() == b"srcset":
            yield from (part.split()[0] for part in value.split(",") if part.split())
        elif value:
            yield value


def _text(value: bytes) -> str:
    """Decode an attribute value as UTF-8; URLs are ASCII, or percent-decoded as UTF-8 when they are compared."""
    return unescape(value.decode("utf-8", "replace")).strip()
