"""Build the index of a web archive by streaming: all records are read once.

SQL decides which documents are pages. For the frames of a document, its source is scanned for references: cheaper than
parsing, and bounded on any input.
"""

from __future__ import annotations

import json
import re
import zipfile
from hashlib import blake2b
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from fastwarc.warc import ArchiveIterator, WarcRecordType

from vclean.characters import format_count, replace_surrogates
from vclean.errors import InputError
from vclean.page import join_url
from vclean.render.archive import warc

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

    from fastwarc.warc import WarcRecord

    from vclean.render.archive.warc import Member

_VERSION: Final = 1
"""Version of the tables below and of the rules that fill them."""

MAX_HOPS: Final = 10
"""Largest number of redirects that are followed."""

HTML: Final = 1
SUBRESOURCE: Final = 2
"""Kinds of records by their media types; others are 0."""
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
CREATE TEMP TABLE frames (key BLOB, parent BLOB, PRIMARY KEY (key, parent)) WITHOUT ROWID;
CREATE TEMP TABLE requests (key BLOB PRIMARY KEY, document INTEGER) WITHOUT ROWID;
CREATE TEMP TABLE listed (key BLOB PRIMARY KEY) WITHOUT ROWID;
"""
"""Tables of the index, and temporary ones with the evidence which documents are pages."""

INDEXES: Final = (
    "CREATE INDEX records_by_key ON records (key)",
    "CREATE INDEX redirects_by_key ON redirects (key)",
)
"""Created after all rows, by sorting: inserting random keys one by one would read the whole file again and again."""

_FOLLOW_REDIRECTS: Final = (
    "INSERT OR IGNORE INTO frames SELECT target_key, parent FROM frames JOIN redirects USING (key)",
    "INSERT OR IGNORE INTO listed SELECT target_key FROM listed JOIN redirects USING (key)",
)

_SELECT_LISTED: Final = """
INSERT INTO pages (record) SELECT id FROM records WHERE kind = 1 AND key IN (SELECT key FROM listed) ORDER BY id
"""

_SELECT_UNFRAMED: Final = """
INSERT INTO pages (record) SELECT id FROM records WHERE kind = 1 AND coalesce(
  (SELECT document FROM requests WHERE requests.key = records.key),
  NOT EXISTS (
    SELECT 1 FROM frames WHERE frames.key = records.key
    AND NOT EXISTS (SELECT 1 FROM frames back WHERE back.key = frames.parent AND back.parent = frames.key)
  )
) ORDER BY id
"""
"""Documents that a browser requested as documents are pages. Documents without a recorded request are pages unless
another document frames them; two documents that frame each other are both pages."""

_COUNTS: Final = """
SELECT (SELECT count(*) FROM pages), count(*) FILTER (WHERE kind = 1), count(*) FILTER (WHERE kind = 2) FROM records
"""


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


def identity(archive: Path) -> dict[str, str | int]:
    """Return the facts that identify the present content of an archive, to detect a stale index."""
    status = archive.stat()
    path = str(archive.resolve())
    return {"version": _VERSION, "archive": path, "size": status.st_size, "changed": status.st_mtime_ns}


_KINDS: Final = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit | WarcRecordType.request

_PAGE_LISTS: Final = ("pages/pages.jsonl", "pages/extraPages.jsonl")
_MAX_LINE: Final = 16 * 2**20
"""Bytes of a line of a page list, which may contain the whole text of a page."""

_SUBRESOURCE_KINDS: Final = frozenset(
    {"eventsource", "fetch", "font", "image", "manifest", "media", "ping", "prefetch", "script", "stylesheet"}
    | {"texttrack", "websocket", "xhr"}
)
"""Values of `WARC-Resource-Type` that exclude a page; frames and pages are both `document`."""


class IndexBuilder:
    """Builder of the index of an archive in an empty database.

    Args:
        archive: the path of the archive.
        database: the empty database.
    """

    def __init__(self, archive: Path, database: sqlite3.Connection) -> None:
        self._archive = archive
        self._database = database
        self._records = 0  # requests not included
        self._conversions = 0  # records with converted text, as in WET files
        self._last_offset = -1  # of the last record in its member; -1 if there is none
        self._damage: list[str] = []  # errors
        self._is_truncated = False

    def run(self, members: list[Member]) -> None:
        """Add all records of the members, which are the WARC files of the archive.

        Raises:
            InputError: the members contain no records.
        """
        facts = identity(self._archive)
        self._database.executescript(SCHEMA)
        self._database.execute("BEGIN")
        for number, member in enumerate(members):
            row = (number, member.name, member.start, member.size)
            self._database.execute("INSERT INTO members VALUES (?, ?, ?, ?)", row)
            self._last_offset = -1
            self._index(number, member)
        self._read_page_lists()
        damage = self._describe_damage()
        for statement in INDEXES:
            self._database.execute(statement)
        facts |= self._select_pages() | {"damage": damage}
        self._database.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
        self._database.execute("COMMIT")

    def _index(self, number: int, member: Member) -> None:
        """Add every record of a member; of a damaged member, the readable ones."""
        try:
            with warc.open_member(self._archive, member) as stream:
                start: int | None = 0
                while start is not None:
                    damaged = self._index_from(stream, start, number)
                    start = warc.find_next_record(stream, max(start, self._last_offset) + 1) if damaged else None
        except OSError as error:
            self._damage.append(warc.error_reason(error))

    def _index_from(self, stream: IO[bytes], start: int, member: int) -> bool:
        """Add the records from the offset `start`; return whether damage stopped the reading."""
        stream.seek(start)
        try:
            for record in ArchiveIterator(stream):
                self._add(record, member, record.stream_pos)
            if self._last_offset >= start and warc.is_truncated(stream, self._last_offset):
                self._is_truncated = True
                return True
        except OSError as error:
            self._damage.append(warc.error_reason(error))
            return True
        return False

    def _describe_damage(self) -> str:
        """Return one line that describes the damage of the archive; empty if there is none.

        Raises:
            InputError: no record was found.
        """
        archive, records = self._archive, self._records
        if not records:
            if self._damage:
                raise InputError(f"{archive} is no readable web archive ({self._damage[0]}): download it again")
            if self._conversions:
                raise InputError(
                    f"{archive} contains text without markup (WET): give the WARC file that it was made from"
                )
            raise InputError(f"{archive} contains no web archive records: it is empty or cut off")
        if self._damage:
            return f"{archive} is damaged ({self._damage[0]}): {format_count(records, 'record')} could be read"
        if self._is_truncated:
            return f"{archive} is cut off after {format_count(records - 1, 'record')}: download it again"
        return ""

    def _add(self, record: WarcRecord, member: int, offset: int) -> None:
        """Add a record that was read."""
        self._last_offset = offset
        self._conversions += record.record_type == WarcRecordType.conversion
        if not record.record_type & _KINDS:
            return
        url = replace_surrogates(record.headers.get("WARC-Target-URI") or "").strip("<>")
        key = url_key(url)
        if record.record_type == WarcRecordType.request:
            self._add_request(record, key)
            return
        self._records += 1
        is_revisit = record.record_type == WarcRecordType.revisit
        if target := replace_surrogates(warc.redirect_target(record, url)):
            target_key = url_key(target)
            if not (is_revisit and target_key == key):
                row = (key, target, target_key)
                self._database.execute("INSERT INTO redirects (key, target, target_key) VALUES (?, ?, ?)", row)
        elif not is_revisit and warc.status(record) == 200:
            media_type = warc.media_type(record)
            kind = HTML if media_type in warc.HTML_TYPES else SUBRESOURCE * media_type.startswith(_SUBRESOURCE_TYPES)
            place = (key, url, member, offset, kind)
            self._database.execute("INSERT INTO records (key, url, member, offset, kind) VALUES (?, ?, ?, ?, ?)", place)
            if kind == HTML:
                self._add_document(record, url, key)

    def _add_request(self, record: WarcRecord, key: bytes) -> None:
        """Add the destination of a request, if its headers state it (Fetch Metadata, `Sec-Fetch-Dest`)."""
        destination = (record.http_headers.get("Sec-Fetch-Dest") or "").strip().lower() if record.is_http else ""
        if destination:
            self._add_evidence(key, is_page=destination == "document")

    def _add_document(self, record: WarcRecord, url: str, key: bytes) -> None:
        """Add the frames of a document, and its resource type if the record states one."""
        if (record.headers.get("WARC-Resource-Type") or "").strip().lower() in _SUBRESOURCE_KINDS:
            self._add_evidence(key, is_page=False)
        body = warc.decode_body(record, record.reader.read(SCANNED_BYTES), SCANNED_BYTES)
        rows = [(url_key(frame), key) for frame in frame_urls(body, url)]
        self._database.executemany("INSERT OR IGNORE INTO frames VALUES (?, ?)", rows)

    def _add_evidence(self, key: bytes, *, is_page: bool) -> None:
        update = "ON CONFLICT (key) DO UPDATE SET document = max(document, excluded.document)"
        self._database.execute(f"INSERT INTO requests VALUES (?, ?) {update}", (key, is_page))

    def _read_page_lists(self) -> None:
        """Add the pages that the page lists of a WACZ file name; unreadable lines are skipped."""
        if self._archive.suffix.lower() != ".wacz":
            return
        try:
            with warc.as_os_error(), zipfile.ZipFile(self._archive) as archive:
                for name in set(_PAGE_LISTS).intersection(archive.namelist()):
                    with archive.open(name) as stream:
                        keys = ((url_key(url),) for url in _listed_urls(stream))
                        self._database.executemany("INSERT OR IGNORE INTO listed VALUES (?)", keys)
        except OSError as error:
            self._database.execute("DELETE FROM listed")  # pages are found without lists
            self._damage.append(f"its list of pages: {warc.error_reason(error)}")

    def _select_pages(self) -> dict[str, int]:
        """Fill the table `pages`; return the facts `pages`, `left_out` and `has_resources`."""
        for statement in _FOLLOW_REDIRECTS:
            for _ in range(MAX_HOPS):
                if not self._database.execute(statement).rowcount:
                    break
        if not self._database.execute(_SELECT_LISTED).rowcount:
            self._database.execute(_SELECT_UNFRAMED)
        pages, documents, loaded = self._database.execute(_COUNTS).fetchone()
        return {"pages": pages, "left_out": documents - pages, "has_resources": int(loaded or documents > pages)}


def _listed_urls(stream: IO[bytes]) -> Iterator[str]:
    """Yield the URLs of a page list, which has one JSON object per line; lines without a URL are skipped."""
    while line := stream.readline(_MAX_LINE):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        url = entry.get("url") if isinstance(entry, dict) else None
        if isinstance(url, str):
            yield url


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
