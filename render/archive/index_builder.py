"""Build the index of a web archive by streaming: all records are read once."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING, Final

from fastwarc.warc import ArchiveIterator, WarcRecordType

from vclean.characters import format_count, replace_surrogates
from vclean.errors import InputError
from vclean.render.archive import cdx, subresources, warc
from vclean.render.archive.cdx import CdxError
from vclean.render.archive.schema import (
    HTML,
    INDEXES,
    MAX_HOPS,
    SCHEMA,
    identity,
    record_kind,
    url_key,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

    from fastwarc.warc import WarcRecord

    from vclean.render.archive.cdx import CdxEntry
    from vclean.render.archive.warc import Member


_KINDS: Final = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit | WarcRecordType.request


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
        self._damage = ""  # the first error
        self._is_truncated = False

    def run(self, members: list[Member]) -> None:
        """Add all records of the members, which are the WARC files of the archive.

        Raises:
            InputError: the members contain no records.
        """
        facts = identity(self._archive)
        self._database.executescript(SCHEMA)
        self._selector = PageSelector(self._database)
        self._database.execute("BEGIN")
        self._index_members(members)
        try:
            self._selector.note_page_lists(self._archive)
        except OSError as error:
            self._database.execute("DELETE FROM listed")  # pages are found without lists
            self._note_damage(f"its list of pages: {warc.error_reason(error)}")
        damage = self._describe_damage()
        for statement in INDEXES:
            self._database.execute(statement)
        facts |= self._selector.select_pages() | {"damage": damage}
        self._database.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
        self._database.execute("COMMIT")

    def _index_members(self, members: list[Member]) -> None:
        """Add every member and its records."""
        for number, member in enumerate(members):
            row = (number, member.name, member.start, member.size)
            self._database.execute("INSERT INTO members VALUES (?, ?, ?, ?)", row)
            self._last_offset = -1
            self._index(number, member)

    def _index(self, number: int, member: Member) -> None:
        """Add every record of a member; of a damaged member, the readable ones."""
        try:
            with warc.open_member(self._archive, member) as stream:
                start: int | None = 0
                while start is not None:
                    damaged = self._index_from(stream, start, number)
                    start = warc.find_next_record(stream, max(start, self._last_offset) + 1) if damaged else None
        except OSError as error:
            self._note_damage(warc.error_reason(error))

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
            self._note_damage(warc.error_reason(error))
            return True
        return False

    def _note_damage(self, reason: str) -> None:
        self._damage = self._damage or reason

    def _describe_damage(self) -> str:
        """Return one line that describes the damage of the archive; empty if there is none.

        Raises:
            InputError: no record was found.
        """
        archive, records = self._archive, self._records
        if not records:
            if self._damage:
                raise InputError(f"{archive} is no readable web archive ({self._damage}): download it again")
            if self._conversions:
                raise InputError(
                    f"{archive} contains text without markup (WET): give the WARC file that it was made from"
                )
            raise InputError(f"{archive} contains no web archive records: it is empty or cut off")
        if self._damage:
            return f"{archive} is damaged ({self._damage}): {format_count(records, 'record')} could be read"
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
            self._selector.note_request(record, key)
            return
        self._records += 1
        is_revisit = record.record_type == WarcRecordType.revisit
        if target := replace_surrogates(warc.redirect_target(record, url)):
            target_key = url_key(target)
            if not (is_revisit and target_key == key):
                row = (key, target, target_key)
                self._database.execute("INSERT INTO redirects (key, target, target_key) VALUES (?, ?, ?)", row)
        elif not is_revisit and warc.status(record) == 200:
            kind = record_kind(warc.media_type(record))
            self._add_row(key, url, member, offset, kind)
            if kind == HTML:
                self._selector.note_document(record, url, key)

    def _add_row(self, *row: bytes | str | int) -> None:
        """Add the key, URL, member, offset and kind of a record."""
        self._database.execute("INSERT INTO records (key, url, member, offset, kind) VALUES (?, ?, ?, ?, ?)", row)


_MAX_IN_MEMORY: Final = 2**20
"""Largest part of an archive that is read into memory, in bytes."""

_MAX_BLANK: Final = 8
"""Largest number of blank bytes between two records; a plain file has two line ends after a record."""

_REVISIT: Final = "warc/revisit"
_CHECKED_FIRST, _CHECKED_EVERY = 8, 64
"""Of the records that need no reading, the first 8 of a WARC file and every 64th are read to check the CDX index."""

_CDX_TABLE: Final = """
CREATE TEMP TABLE cdx (
  member INTEGER, offset INTEGER, length INTEGER, url TEXT, mime TEXT, status INTEGER, PRIMARY KEY (member, offset)
) WITHOUT ROWID
"""


class CdxIndexBuilder(IndexBuilder):
    """Builder of the index of a WACZ file that has a CDX index.

    `run` also raises `CdxError` if the CDX index is damaged, or contradicts the members.
    """

    def _index_members(self, members: list[Member]) -> None:
        # The entries of the CDX index are in a temporary table, sorted by position.
        self._database.execute(_CDX_TABLE)
        rows = (entry._replace(url=replace_surrogates(entry.url)) for entry in cdx.entries(self._archive, members))
        self._database.executemany("INSERT OR IGNORE INTO cdx VALUES (?, ?, ?, ?, ?, ?)", rows)
        super()._index_members(members)

    def _index(self, number: int, member: Member) -> None:
        """Add every record of a member; skip records that the CDX index describes sufficiently.

        The parts between the entries (requests, metadata, records that are not in the index) are read.

        Raises:
            CdxError: the index contradicts the member, or a part cannot be read.
        """
        position = skippable = 0
        try:
            with (
                warc.open_member(self._archive, member) as stream,
                closing(
                    self._database.execute("SELECT * FROM cdx WHERE member = ? ORDER BY offset", (number,))
                ) as rows,
            ):
                for entry in map(cdx.CdxEntry._make, rows):
                    if entry.offset < position:
                        raise CdxError("two of its records overlap")
                    end = entry.offset + entry.length
                    self._add_part(stream, member, number, range(position, entry.offset))
                    is_skippable = _is_sufficient(entry)
                    skippable += is_skippable
                    if is_skippable and skippable > _CHECKED_FIRST and skippable % _CHECKED_EVERY:
                        self._add_unread(entry)
                    else:
                        self._add_part(stream, member, number, range(entry.offset, end), entry)
                    position = end
                self._add_part(stream, member, number, range(position, member.size))
                if self._last_offset >= 0 and warc.is_truncated(stream, self._last_offset):
                    raise CdxError(f"{member.name} is cut off")
        except (OSError, StopIteration) as error:
            raise CdxError(f"{member.name} is damaged ({error})") from error

    def _add_unread(self, entry: CdxEntry) -> None:
        """Add a record from its CDX entry alone; error pages are counted but never served."""
        self._records += 1
        self._last_offset = entry.offset
        if entry.status == 200:
            url = entry.url.strip("<>")
            self._add_row(url_key(url), url, entry.member, entry.offset, record_kind(entry.mime))

    def _add_part(
        self, stream: IO[bytes], member: Member, number: int, part: range, entry: CdxEntry | None = None
    ) -> None:
        """Read the records in a part of a member, and add them; a part with a CDX entry is one record.

        Raises:
            CdxError: the entry contradicts the record, or there is something other than records and blank bytes.
        """
        stream.seek(part.start)
        if entry is None and len(part) <= _MAX_BLANK and not stream.read(len(part)).strip():
            return
        offsets: list[int] = []
        for record, offset in _records(self._archive, stream, member, part):
            if entry is not None and (offsets or not _matches(entry, record)):
                raise CdxError(f"its entry for {entry.url} is not the record at {entry.offset}")
            offsets.append(offset)
            self._add(record, number, offset)
        if offsets[:1] != [part.start]:
            raise CdxError(f"there is no record at {part.start}")


def _records(archive: Path, stream: IO[bytes], member: Member, part: range) -> Iterator[tuple[WarcRecord, int]]:
    """Yield the records in a part of a member, each with its offset in the member."""
    if len(part) <= _MAX_IN_MEMORY:
        stream.seek(part.start)
        for record in ArchiveIterator(io.BytesIO(stream.read(len(part)))):
            yield record, part.start + record.stream_pos
        return
    with warc.open_member(archive, warc.Member(member.name, (member.start or 0) + part.start, len(part))) as section:
        for record in ArchiveIterator(section):
            yield record, part.start + record.stream_pos


def _is_sufficient(entry: CdxEntry) -> bool:
    """Return whether a CDX entry is enough to index its record: a file without references, or an error page."""
    if not entry.url.startswith(("http://", "https://")) or "/" not in entry.mime or entry.mime == _REVISIT:
        return False
    return entry.status >= 400 or (entry.status == 200 and entry.mime not in warc.HTML_TYPES)


def _matches(entry: CdxEntry, record: WarcRecord) -> bool:
    """Return whether an entry has the URL of its record, and if the entry is sufficient, also its status and kind."""
    url = replace_surrogates(record.headers.get("WARC-Target-URI") or "").strip("<>")
    if url != entry.url.strip("<>"):
        return False
    if not _is_sufficient(entry):
        return True
    if record.record_type not in (WarcRecordType.response, WarcRecordType.resource):
        return False
    return bool(warc.status(record) == entry.status and record_kind(warc.media_type(record)) == record_kind(entry.mime))


_PAGE_LISTS: Final = ("pages/pages.jsonl", "pages/extraPages.jsonl")
_MAX_LINE: Final = 16 * 2**20
"""Bytes of a line of a page list, which may contain the whole text of a page."""

_SUBRESOURCE_KINDS: Final = frozenset(
    {"eventsource", "fetch", "font", "image", "manifest", "media", "ping", "prefetch", "script", "stylesheet"}
    | {"texttrack", "websocket", "xhr"}
)
"""Values of `WARC-Resource-Type` that exclude a page; frames and pages are both `document`."""

_TABLES: Final = """
CREATE TEMP TABLE frames (key BLOB, parent BLOB, PRIMARY KEY (key, parent)) WITHOUT ROWID;
CREATE TEMP TABLE requests (key BLOB PRIMARY KEY, document INTEGER) WITHOUT ROWID;
CREATE TEMP TABLE listed (key BLOB PRIMARY KEY, hops INTEGER) WITHOUT ROWID;
"""

_FOLLOW_REDIRECTS: Final = {
    "frames": "SELECT target_key, parent FROM frames JOIN redirects USING (key)",
    "listed": "SELECT target_key, hops + 1 FROM listed JOIN redirects USING (key)",
}

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


class PageSelector:
    """Selector of the pages of an archive.

    It collects evidence in temporary tables while the archive is indexed, and then fills the table `pages`.

    Args:
        database: the unfinished index.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.executescript(_TABLES)

    def note_request(self, record: WarcRecord, key: bytes) -> None:
        """Record the destination of a request, if its headers state it (Fetch Metadata, `Sec-Fetch-Dest`)."""
        destination = (record.http_headers.get("Sec-Fetch-Dest") or "").strip().lower() if record.is_http else ""
        if destination:
            self._note(key, is_page=destination == "document")

    def note_document(self, record: WarcRecord, url: str, key: bytes) -> None:
        """Record the frames of a document, and its resource type if the record states one."""
        if (record.headers.get("WARC-Resource-Type") or "").strip().lower() in _SUBRESOURCE_KINDS:
            self._note(key, is_page=False)
        raw = record.reader.read(subresources.SCANNED_BYTES)
        body = warc.decode_body(record, raw, subresources.SCANNED_BYTES)
        rows = [(url_key(frame), key) for frame in subresources.frame_urls(body, url)]
        self._database.executemany("INSERT OR IGNORE INTO frames VALUES (?, ?)", rows)

    def note_page_lists(self, path: Path) -> None:
        """Record the pages that the page lists of a WACZ file name; unreadable lines are skipped.

        Raises:
            OSError: a list is damaged.
        """
        if path.suffix.lower() != ".wacz":
            return
        with warc.as_os_error(), zipfile.ZipFile(path) as archive:
            for name in set(_PAGE_LISTS).intersection(archive.namelist()):
                with archive.open(name) as stream:
                    keys = ((url_key(url),) for url in _listed_urls(stream))
                    self._database.executemany("INSERT OR IGNORE INTO listed VALUES (?, 0)", keys)

    def select_pages(self) -> dict[str, int]:
        """Fill the table `pages`; return the facts `pages`, `left_out` and `has_resources`."""
        for table, query in _FOLLOW_REDIRECTS.items():
            self._follow(table, query)
        if not self._database.execute(_SELECT_LISTED).rowcount:
            self._database.execute(_SELECT_UNFRAMED)
        pages, documents, loaded = self._database.execute(
            "SELECT (SELECT count(*) FROM pages), count(*) FILTER (WHERE kind = 1), count(*) FILTER (WHERE kind = 2)"
            " FROM records"
        ).fetchone()
        return {"pages": pages, "left_out": documents - pages, "has_resources": int(loaded or documents > pages)}

    def _follow(self, table: str, query: str) -> None:
        """Add the redirect targets of the URLs in a table."""
        for _ in range(MAX_HOPS):
            if not self._database.execute(f"INSERT OR IGNORE INTO {table} {query}").rowcount:
                return

    def _note(self, key: bytes, *, is_page: bool) -> None:
        update = "ON CONFLICT (key) DO UPDATE SET document = max(document, excluded.document)"
        self._database.execute(f"INSERT INTO requests VALUES (?, ?) {update}", (key, is_page))


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
