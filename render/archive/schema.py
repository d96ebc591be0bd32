"""Define the tables of the index of a web archive, the keys of URLs, and the kinds of records."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from vclean.render.archive import warc

if TYPE_CHECKING:
    from pathlib import Path

_VERSION: Final = 1
"""Version of the tables below and of the rules that fill them."""

MAX_HOPS: Final = 10
"""Largest number of redirects that are followed."""

HTML: Final = 1
SUBRESOURCE: Final = 2
_SUBRESOURCE_TYPES: Final = ("image/", "font/", "text/css", "text/javascript", "application/javascript",
    "application/x-javascript", "application/font", "application/x-font", "application/vnd.ms-fontobject",
    "application/octet-stream")  # fmt: skip
"""Prefixes of the media types of subresources; servers send fonts as `application/octet-stream`."""

SCHEMA: Final = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -8192;
CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, start INTEGER, size INTEGER);
CREATE TABLE records (id INTEGER PRIMARY KEY, key BLOB, url TEXT, member INTEGER, offset INTEGER, kind INTEGER);
CREATE TABLE redirects (id INTEGER PRIMARY KEY, key BLOB, target TEXT, target_key BLOB);
CREATE TABLE pages (number INTEGER PRIMARY KEY, record INTEGER);
"""

INDEXES: Final = (
    "CREATE INDEX records_by_key ON records (key)",
    "CREATE INDEX redirects_by_key ON redirects (key)",
)
"""Created after all rows, by sorting: inserting random keys one by one would read the whole file again and again."""


def url_key(url: str) -> bytes:
    """Return the key of a URL, equal for all of its spellings: 16 bytes, the hash of `normalize_url(url)`."""
    return blake2b(normalize_url(url).encode("utf-8", "replace"), digest_size=16).digest()


def normalize_url(url: str) -> str:
    """Normalize a URL for comparison: no scheme, no fragment, percent-decoded, host in lower case.

    >>> normalize_url("https://A.example/%7Eb?c#d")
    'a.example/~b?c'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return f"{parts.netloc.lower()}{unquote(parts.path) or '/'}?{unquote(parts.query)}"


def record_kind(media_type: str) -> int:
    """Return `HTML`, `SUBRESOURCE`, or 0 for records of other media types."""
    if media_type in warc.HTML_TYPES:
        return HTML
    return SUBRESOURCE if media_type.startswith(_SUBRESOURCE_TYPES) else 0


def identity(archive: Path) -> dict[str, str | int]:
    """Return the facts that identify the present content of an archive, to detect a stale index."""
    status = archive.stat()
    path = str(archive.resolve())
    return {"version": _VERSION, "archive": path, "size": status.st_size, "changed": status.st_mtime_ns}
