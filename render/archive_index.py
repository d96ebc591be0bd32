"""The index of a web archive: an SQLite file, built once by streaming, so that no archive is too large for memory."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
import weakref
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
from vclean.render import warc
from vclean.render.archive_pages import Chooser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any

    from fastwarc.warc import WarcRecord

    from vclean.render.warc import Member

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
    if path is not None and (found := fitting(archive, path)):
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


def fitting(archive: Path, path: Path) -> Index | None:
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
    with _explained(path), closing(sqlite3.connect(path, isolation_level=None)) as database:
        _Builder(archive, database).run()


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

    def run(self) -> None:
        found, scan = warc.members(self._archive), _Scan()
        facts = _identity(self._archive)
        self._database.executescript(_SCHEMA)
        self._chooser = Chooser(self._database, key_of)
        self._database.execute("BEGIN")
        for number, member in enumerate(found):
            row = (number, member.name, member.start, member.size)
            self._database.execute("INSERT INTO members VALUES (?, ?, ?, ?)", row)
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
                    self._enter(record, member)
            if scan.last >= start and warc.is_cut_off(stream, scan.last):
                scan.is_cut_off = True
                return True
        except OSError as error:
            scan.damage = scan.damage or warc.reason(error)
            return True
        return False

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

    def _enter(self, record: WarcRecord, member: int) -> None:
        url = _clean(record.headers.get("WARC-Target-URI") or "").strip("<>")
        key = key_of(url)
        if record.record_type == WarcRecordType.request:
            self._chooser.see_request(record, key)
            return
        if target := _clean(warc.redirect(record, url)):
            self._enter_redirect(key, target, is_revisit=record.record_type == WarcRecordType.revisit)
        elif record.record_type != WarcRecordType.revisit and warc.status(record) == 200:
            kind = _kind(warc.media_type(record))
            row = (key, url, member, record.stream_pos, kind)
            self._database.execute("INSERT INTO records (key, url, member, offset, kind) VALUES (?, ?, ?, ?, ?)", row)
            if kind == HTML:
                self._chooser.see_document(record, url, key)

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


def _kind(media_type: str) -> int:
    if media_type in warc.HTML_TYPES:
        return HTML
    return LOADED if media_type.startswith(_LOADED_TYPES) else 0


def _clean(text: str) -> str:
    """Text without what SQLite does not take: lone surrogates."""
    return text.encode("utf-8", "replace").decode()
