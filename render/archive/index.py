"""The index of a web archive: an SQLite file, so that no archive is too large for memory.

It is built once, by streaming; the CDX index of a WACZ file tells which bodies need not be read.
"""

from __future__ import annotations

import io
import json
import logging
import os
import sqlite3
import tempfile
import threading
import weakref
import zipfile
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from fastwarc.warc import ArchiveIterator, WarcRecordType

from vclean.errors import InputError, OutputError
from vclean.files import explained, put_in_place
from vclean.render.archive import cdx, subresources, warc
from vclean.render.archive.cdx import CdxError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO, Any

    from fastwarc.warc import WarcRecord

    from vclean.render.archive.cdx import CdxEntry
    from vclean.render.archive.warc import Member


_LISTS: Final = ("pages/pages.jsonl", "pages/extraPages.jsonl")
_MAX_LINE: Final = 16 * 2**20
"""Bytes of one line of a list of pages, which may hold a page's whole text."""

_LOADED: Final = frozenset(
    {"eventsource", "fetch", "font", "image", "manifest", "media", "ping", "prefetch", "script", "stylesheet"}
    | {"texttrack", "websocket", "xhr"}
)
"""Values of `WARC-Resource-Type` that no page has; frames are `document` as pages are."""

_IN_MEMORY: Final = 2**20
"""Bytes of an archive up to which a piece of it is read at once."""

_BLANK: Final = 8
"""Bytes between two records that may be blank: the two line ends after a record in a plain file, and some to spare."""

_REVISIT: Final = "warc/revisit"
_CHECKED_FIRST, _CHECKED_EVERY = 8, 64
"""Of the records whose bodies are passed over, the first ones of a WARC file and a few later ones are looked at."""

_log = logging.getLogger("vclean")

_TABLES: Final = """
CREATE TEMP TABLE frames (key BLOB, parent BLOB, PRIMARY KEY (key, parent)) WITHOUT ROWID;
CREATE TEMP TABLE requests (key BLOB PRIMARY KEY, document INTEGER) WITHOUT ROWID;
CREATE TEMP TABLE listed (key BLOB PRIMARY KEY, hops INTEGER) WITHOUT ROWID;
"""

_FOLLOW: Final = {
    "frames": "SELECT target_key, parent FROM frames JOIN redirects USING (key)",
    "listed": "SELECT target_key, hops + 1 FROM listed JOIN redirects USING (key)",
}

_BY_LIST: Final = """
INSERT INTO pages (record) SELECT id FROM records WHERE kind = 1 AND key IN (SELECT key FROM listed) ORDER BY id
"""

_BY_USE: Final = """
INSERT INTO pages (record) SELECT id FROM records WHERE kind = 1 AND coalesce(
  (SELECT document FROM requests WHERE requests.key = records.key),
  NOT EXISTS (
    SELECT 1 FROM frames WHERE frames.key = records.key
    AND NOT EXISTS (SELECT 1 FROM frames back WHERE back.key = frames.parent AND back.parent = frames.key)
  )
) ORDER BY id
"""
"""What a browser wrote down decides; else a frame is what another document frames, unless the two frame each other."""


class Chooser:
    """Takes notes while an archive is indexed, in temporary tables, and fills the table `pages` in the end.

    Args:
        database: of the index that is being built.
        key_of: gives the key of a URL.
    """

    def __init__(self, database: sqlite3.Connection, key_of: Callable[[str], bytes]) -> None:
        self._database = database
        self._key_of = key_of
        database.executescript(_TABLES)

    def see_request(self, record: WarcRecord, key: bytes) -> None:
        """Note what a request was made for, if it says so (Fetch Metadata, `Sec-Fetch-Dest`)."""
        wanted = (record.http_headers.get("Sec-Fetch-Dest") or "").strip().lower() if record.is_http else ""
        if wanted:
            self._note(key, is_page=wanted == "document")

    def see_document(self, record: WarcRecord, url: str, key: bytes) -> None:
        """Note the frames of a document, and what it was loaded for, if the record says so."""
        if (record.headers.get("WARC-Resource-Type") or "").strip().lower() in _LOADED:
            self._note(key, is_page=False)
        raw = record.reader.read(subresources.GLANCE)
        body = warc.decoded(record, raw, subresources.GLANCE)
        rows = [(self._key_of(frame), key) for frame in subresources.frames(body, url)]
        self._database.executemany("INSERT OR IGNORE INTO frames VALUES (?, ?)", rows)

    def read_lists(self, path: Path) -> None:
        """Note the pages that a WACZ file lists; one that cannot be read is no list."""
        if path.suffix.lower() != ".wacz":
            return
        with zipfile.ZipFile(path) as archive:
            for name in set(_LISTS).intersection(archive.namelist()):
                with archive.open(name) as stream:
                    self._database.executemany(
                        "INSERT OR IGNORE INTO listed VALUES (?, 0)", ((self._key_of(url),) for url in _listed(stream))
                    )

    def choose(self) -> dict[str, int]:
        """Fill the table; gives the facts `pages`, `left_out` and `has_resources`."""
        for table, query in _FOLLOW.items():
            self._follow(table, query)
        if not self._database.execute(_BY_LIST).rowcount:
            self._database.execute(_BY_USE)
        pages, documents, loaded = self._database.execute(
            "SELECT (SELECT count(*) FROM pages), count(*) FILTER (WHERE kind = 1), count(*) FILTER (WHERE kind = 2)"
            " FROM records"
        ).fetchone()
        return {"pages": pages, "left_out": documents - pages, "has_resources": int(loaded or documents > pages)}

    def _follow(self, table: str, query: str) -> None:
        """Add where redirects lead from what is in a table."""
        for _ in range(_MAX_HOPS):
            if not self._database.execute(f"INSERT OR IGNORE INTO {table} {query}").rowcount:
                return

    def _note(self, key: bytes, *, is_page: bool) -> None:
        update = "ON CONFLICT (key) DO UPDATE SET document = max(document, excluded.document)"
        self._database.execute(f"INSERT INTO requests VALUES (?, ?) {update}", (key, is_page))


def _listed(stream: IO[bytes]) -> Iterator[str]:
    """The URLs of a list, a JSON object to a line, of which the first may be about the list; odd lines are left out."""
    while line := stream.readline(_MAX_LINE):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        url = entry.get("url") if isinstance(entry, dict) else None
        if isinstance(url, str):
            yield url


_VERSION: Final = 1
"""Of the tables below and of the rules that fill them."""

_MAX_HOPS: Final = 10
_KINDS: Final = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit | WarcRecordType.request

HTML: Final = 1
LOADED: Final = 2
_LOADED_TYPES: Final = ("image/", "font/", "text/css", "text/javascript", "application/javascript",
    "application/x-javascript", "application/font", "application/x-font", "application/vnd.ms-fontobject",
    "application/octet-stream")  # fmt: skip
"""How the media types begin of what pages load to be shown; servers give fonts the last one."""

_SCHEMA: Final = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -8192;
CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, start INTEGER, size INTEGER);
CREATE TABLE records (id INTEGER PRIMARY KEY, key BLOB, url TEXT, member INTEGER, offset INTEGER, kind INTEGER);
CREATE TABLE redirects (id INTEGER PRIMARY KEY, key BLOB, target TEXT, target_key BLOB);
CREATE TABLE pages (number INTEGER PRIMARY KEY, record INTEGER);
"""

_CDX_TABLE: Final = """
CREATE TEMP TABLE cdx (
  member INTEGER, offset INTEGER, length INTEGER, url TEXT, mime TEXT, status INTEGER, PRIMARY KEY (member, offset)
) WITHOUT ROWID
"""

_INDEXES: Final = (
    "CREATE INDEX records_by_key ON records (key)",
    "CREATE INDEX redirects_by_key ON redirects (key)",
)
"""Made in the end, by sorting: entered one by one, random keys would read all over a file too large to cache."""

_RECORD: Final = "SELECT url, name, offset, kind FROM records JOIN members ON members.id = member"


@dataclass(frozen=True, slots=True)
class Record:
    """Where a record is: the `member` of a WACZ file (empty for a WARC), and the `offset` in it."""

    url: str
    member: str
    offset: int


class Index:
    """An index that was built, read only; it may be used from several threads.

    Args:
        path: its file.
        temporary: the file goes away with this object.

    Raises:
        sqlite3.Error: the file is none of ours.
    """

    def __init__(self, path: Path, *, temporary: bool = False) -> None:
        self.path = path
        self._lock = threading.Lock()
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        self._database = sqlite3.connect(address, uri=True, check_same_thread=False)
        self._end = weakref.finalize(self, _end, self._database, path if temporary else None)

    def close(self) -> None:
        """Give the file back, and remove a temporary one; nothing can be asked any more."""
        self._end()

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What is known of the archive as a whole."""
        return dict(self._all("SELECT name, value FROM facts"))

    @cached_property
    def members(self) -> dict[str, Member]:
        """The members of the archive by name."""
        rows = self._all("SELECT name, start, size FROM members")
        return {name: warc.Member(name, start, size) for name, start, size in rows}

    def find(self, url: str, kind: int | None = None) -> Record | None:
        """The first record for the absolute `url`, of one kind if asked for, redirects followed; or None."""
        for _ in range(_MAX_HOPS):
            key = key_of(url)
            condition = "WHERE key = ? AND kind = coalesce(?, kind) ORDER BY records.id LIMIT 1"
            if rows := self._all(f"{_RECORD} {condition}", key, kind):
                return Record(*rows[0][:3])
            targets = self._all("SELECT target FROM redirects WHERE key = ? ORDER BY id LIMIT 1", key)
            if not targets:
                return None
            url = targets[0][0]
        return None

    def pages(self, start: int, count: int) -> list[Record]:
        """The pages from number `start` on, `count` at most, in the archive's order."""
        query = f"{_RECORD} JOIN pages ON record = records.id WHERE number >= ? ORDER BY number LIMIT ?"
        return [Record(*row[:3]) for row in self._all(query, start, count)]

    def _all(self, query: str, *values: object) -> list[Any]:
        with self._lock:
            return self._database.execute(query, values).fetchall()


def open_index(archive: Path, path: Path | None = None) -> Index:
    """The index of an archive, from `path` where it fits it, else built: there, or in a temporary file.

    Raises:
        InputError: the archive cannot be read, or holds nothing.
        OutputError: the index cannot be written.
    """
    if path is not None and (found := open_matching_index(archive, path)):
        return found
    with explained(path or tempfile.gettempdir()):
        handle, name = tempfile.mkstemp(".tmp", ".vclean-index-", path and path.absolute().parent)
        os.close(handle)
    aside = Path(name)
    try:
        _build(archive, aside)
        if path is None:
            return Index(aside, temporary=True)
        put_in_place(aside, path)
        return Index(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def open_matching_index(archive: Path, path: Path) -> Index | None:
    """The index at `path` if it is one of the archive as it is now, by its name, size and time of change."""
    if not path.is_file():
        return None
    index = None
    try:
        index = Index(path)
        if _identity(archive).items() <= index.facts.items():
            return index
    except (OSError, sqlite3.Error):
        pass
    if index is not None:
        index.close()
    return None


def key_of(url: str) -> bytes:
    """16 bytes that spellings of a URL have in common: of `plain(url)`."""
    return blake2b(plain(url).encode("utf-8", "replace"), digest_size=16).digest()


def plain(url: str) -> str:
    """What spellings of a URL have in common: no scheme, no fragment, percent-decoded, host in lower case.

    >>> plain("https://A.example/%7Eb?c#d")
    'a.example/~b?c'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return f"{parts.netloc.lower()}{unquote(parts.path) or '/'}?{unquote(parts.query)}"


def _end(database: sqlite3.Connection, path: Path | None) -> None:
    database.close()
    if path is not None:
        path.unlink(missing_ok=True)


def _identity(archive: Path) -> dict[str, str | int]:
    status = archive.stat()
    place = str(archive.resolve())
    return {"version": _VERSION, "archive": place, "size": status.st_size, "changed": status.st_mtime_ns}


def _build(archive: Path, path: Path) -> None:
    members = warc.members(archive)
    if cdx.has_index(archive, members):
        try:
            with _explained(path), closing(sqlite3.connect(path, isolation_level=None)) as database:
                _Builder(archive, database).run(members, by_cdx=True)
        except CdxError as error:
            _log.debug("the CDX index of %s is not used: %s", archive, error)
            os.truncate(path, 0)
        else:
            return
    with _explained(path), closing(sqlite3.connect(path, isolation_level=None)) as database:
        _Builder(archive, database).run(members)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what goes wrong with the writing of an index inside the block into an `OutputError`."""
    try:
        yield
    except sqlite3.Error as error:
        message = (
            f"the index of the archive cannot be written to {path.parent} ({error}): free some space, or set TMPDIR"
        )
        raise OutputError(message) from error


class _Builder:
    """Fills an empty database with the index of an archive.

    Attributes:
        damage: what is wrong with the archive, one line, or empty.
    """

    def __init__(self, archive: Path, database: sqlite3.Connection) -> None:
        self.damage = ""
        self._archive = archive
        self._database = database

    def run(self, found: list[Member], *, by_cdx: bool = False) -> None:
        """Enter all records of the WARC files `found`.

        Raises:
            InputError: they hold nothing.
            CdxError: the index is built by the CDX index of the archive, and this is damaged or wrong.
        """
        scan = _Scan()
        facts = _identity(self._archive)
        self._database.executescript(_SCHEMA)
        self._chooser = Chooser(self._database, key_of)
        self._database.execute("BEGIN")
        if by_cdx:
            self._read_cdx(found)
        for number, member in enumerate(found):
            row = (number, member.name, member.start, member.size)
            self._database.execute("INSERT INTO members VALUES (?, ?, ?, ?)", row)
            if by_cdx:
                self._index_by_cdx(number, member, scan)
            else:
                self._index(number, member, scan)
        self._judge(scan)
        for statement in _INDEXES:
            self._database.execute(statement)
        self._chooser.read_lists(self._archive)
        self._write_facts(facts | self._chooser.choose() | {"damage": self.damage})
        self._database.execute("COMMIT")

    def _write_facts(self, facts: dict[str, str | int]) -> None:
        self._database.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())

    def _index(self, number: int, member: Member, scan: _Scan) -> None:
        """Enter every record of a member; of a damaged one, what can be read."""
        scan.last = -1
        try:
            with warc.opened(self._archive, member) as stream:
                start: int | None = 0
                while start is not None:
                    damaged = self._index_from(stream, start, number, scan)
                    start = warc.next_record(stream, max(start, scan.last) + 1) if damaged else None
        except OSError as error:
            scan.damage = scan.damage or warc.reason(error)

    def _index_from(self, stream: IO[bytes], start: int, member: int, scan: _Scan) -> bool:
        """Enter the records from the offset `start` on; tells whether damage ended them."""
        stream.seek(start)
        try:
            for record in ArchiveIterator(stream):
                scan.last = record.stream_pos
                if record.record_type & _KINDS:
                    scan.count += record.record_type != WarcRecordType.request
                    self._enter(record, member, record.stream_pos)
            if scan.last >= start and warc.is_cut_off(stream, scan.last):
                scan.is_cut_off = True
                return True
        except OSError as error:
            scan.damage = scan.damage or warc.reason(error)
            return True
        return False

    def _read_cdx(self, members: list[Member]) -> None:
        """Sort the entries of the CDX index by their place, in a temporary table.

        Raises:
            CdxError: the index is damaged.
        """
        self._database.execute(_CDX_TABLE)
        rows = (entry._replace(url=_clean(entry.url)) for entry in cdx.entries(self._archive, members))
        self._database.executemany("INSERT OR IGNORE INTO cdx VALUES (?, ?, ?, ?, ?, ?)", rows)

    def _index_by_cdx(self, number: int, member: Member, scan: _Scan) -> None:
        """Enter every record of a member, without the bodies of those that the CDX index says enough of.

        What lies between the entries (requests, metadata, records that are not in the index) is read.

        Raises:
            CdxError: the index does not agree with the member, or something cannot be read.
        """
        position = passed = 0
        try:
            with (
                warc.opened(self._archive, member) as stream,
                closing(
                    self._database.execute("SELECT * FROM cdx WHERE member = ? ORDER BY offset", (number,))
                ) as rows,
            ):
                for entry in map(cdx.CdxEntry._make, rows):
                    if entry.offset < position:
                        raise CdxError("two of its records overlap")
                    self._enter_gap(stream, member, number, range(position, entry.offset), scan)
                    is_passed = _says_enough(entry)
                    passed += is_passed
                    if is_passed and passed > _CHECKED_FIRST and passed % _CHECKED_EVERY:
                        self._enter_entry(entry, scan)
                    else:
                        self._enter_checked(stream, member, entry, scan)
                    position = entry.offset + entry.length
                self._enter_gap(stream, member, number, range(position, member.size), scan)
                if scan.last >= 0 and warc.is_cut_off(stream, scan.last):
                    raise CdxError(f"{member.name} is cut off")
        except (OSError, StopIteration) as error:
            raise CdxError(f"{member.name} is damaged ({error})") from error

    def _enter_entry(self, entry: CdxEntry, scan: _Scan) -> None:
        """Enter a record by what the CDX index says of it; an error page is served to no one."""
        scan.count += 1
        scan.last = entry.offset
        if entry.status == 200:
            self._enter_record(entry.url.strip("<>"), entry.member, entry.offset, _kind(entry.mime))

    def _enter_checked(self, stream: IO[bytes], member: Member, entry: CdxEntry, scan: _Scan) -> None:
        """Enter a record that has an entry, by what it says itself.

        Raises:
            CdxError: the entry says something else, or there is not one record.
        """
        count = 0
        place = range(entry.offset, entry.offset + entry.length)
        for record, offset in _records(self._archive, stream, member, place):
            if count or offset != entry.offset or not _agrees(entry, record):
                raise CdxError(f"its entry for {entry.url} is not the record at {entry.offset}")
            count += 1
            self._enter_found(record, entry.member, offset, scan)
        if not count:
            raise CdxError(f"there is no record of {entry.url} at {entry.offset}")

    def _enter_gap(self, stream: IO[bytes], member: Member, number: int, gap: range, scan: _Scan) -> None:
        """Enter the records in a part of a member for which there are no entries.

        Raises:
            CdxError: there is something else.
        """
        stream.seek(gap.start)
        if len(gap) <= _BLANK and not stream.read(len(gap)).strip():
            return
        offsets: list[int] = []
        for record, offset in _records(self._archive, stream, member, gap):
            offsets.append(offset)
            self._enter_found(record, number, offset, scan)
        if offsets[:1] != [gap.start]:
            raise CdxError(f"there is no record at {gap.start}")

    def _enter_found(self, record: WarcRecord, member: int, offset: int, scan: _Scan) -> None:
        scan.last = offset
        if record.record_type & _KINDS:
            scan.count += record.record_type != WarcRecordType.request
            self._enter(record, member, offset)

    def _judge(self, scan: _Scan) -> None:
        """Set `damage` by what the members gave.

        Raises:
            InputError: they gave nothing.
        """
        if scan.damage and not scan.count:
            raise InputError(f"{self._archive} is no readable web archive ({scan.damage})")
        if not scan.count:
            raise InputError(f"{self._archive} holds no web archive records: it is empty or cut off")
        if scan.damage:
            self.damage = f"{self._archive} is damaged ({scan.damage}): {scan.count} records could be read"
        elif scan.is_cut_off:
            self.damage = f"{self._archive} is cut off after {scan.count - 1} records: download it again"

    def _enter(self, record: WarcRecord, member: int, offset: int) -> None:
        url = _clean(record.headers.get("WARC-Target-URI") or "").strip("<>")
        key = key_of(url)
        if record.record_type == WarcRecordType.request:
            self._chooser.see_request(record, key)
            return
        if target := _clean(warc.redirect(record, url)):
            self._enter_redirect(key, target, is_revisit=record.record_type == WarcRecordType.revisit)
        elif record.record_type != WarcRecordType.revisit and warc.status(record) == 200:
            kind = _kind(warc.media_type(record))
            self._enter_record(url, member, offset, kind)
            if kind == HTML:
                self._chooser.see_document(record, url, key)

    def _enter_record(self, url: str, member: int, offset: int, kind: int) -> None:
        row = (key_of(url), url, member, offset, kind)
        self._database.execute("INSERT INTO records (key, url, member, offset, kind) VALUES (?, ?, ?, ?, ?)", row)

    def _enter_redirect(self, key: bytes, target: str, *, is_revisit: bool) -> None:
        target_key = key_of(target)
        if not (is_revisit and target_key == key):
            row = (key, target, target_key)
            self._database.execute("INSERT INTO redirects (key, target, target_key) VALUES (?, ?, ?)", row)


@dataclass(slots=True)
class _Scan:
    """How the reading goes: records found, where the last began in its member, what was wrong."""

    count: int = 0
    last: int = -1
    damage: str = ""
    is_cut_off: bool = False


def _records(archive: Path, stream: IO[bytes], member: Member, part: range) -> Iterator[tuple[WarcRecord, int]]:
    """Iterate over the records in a part of a member, each with its offset in the member."""
    if len(part) <= _IN_MEMORY:
        stream.seek(part.start)
        for record in ArchiveIterator(io.BytesIO(stream.read(len(part)))):
            yield record, part.start + record.stream_pos
        return
    with warc.opened(archive, warc.Member(member.name, (member.start or 0) + part.start, len(part))) as section:
        for record in ArchiveIterator(section):
            yield record, part.start + record.stream_pos


def _says_enough(entry: CdxEntry) -> bool:
    """Return whether a record need not be read: a file that refers to no other record, or an error page."""
    if not entry.url.startswith(("http://", "https://")) or "/" not in entry.mime or entry.mime == _REVISIT:
        return False
    return entry.status >= 400 or (entry.status == 200 and entry.mime not in warc.HTML_TYPES)


def _agrees(entry: CdxEntry, record: WarcRecord) -> bool:
    """Return whether an entry says of a record what matters: its URL; where it says enough, also status and kind."""
    url = _clean(record.headers.get("WARC-Target-URI") or "").strip("<>")
    if url != entry.url.strip("<>"):
        return False
    if not _says_enough(entry):
        return True
    if record.record_type not in (WarcRecordType.response, WarcRecordType.resource):
        return False
    return bool(warc.status(record) == entry.status and _kind(warc.media_type(record)) == _kind(entry.mime))


def _kind(media_type: str) -> int:
    if media_type in warc.HTML_TYPES:
        return HTML
    return LOADED if media_type.startswith(_LOADED_TYPES) else 0


def _clean(text: str) -> str:
    """Text without what SQLite does not take: lone surrogates."""
    return text.encode("utf-8", "replace").decode()
