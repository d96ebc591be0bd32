"""Build the index of a web archive by streaming: all records are read once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastwarc.warc import ArchiveIterator, WarcRecordType

from vclean.characters import format_count
from vclean.errors import InputError
from vclean.render.archive import warc
from vclean.render.archive.page_selection import PageSelector
from vclean.render.archive.schema import HTML, INDEXES, SCHEMA, identity, record_kind, replace_surrogates, url_key

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path
    from typing import IO

    from fastwarc.warc import WarcRecord

    from vclean.render.archive.warc import Member

_KINDS: Final = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit | WarcRecordType.request


@dataclass(slots=True)
class ScanProgress:
    """Progress of reading an archive.

    Attributes:
        records: number of records so far, requests not included.
        last_offset: offset of the last record in its member; -1 if there is none.
        damage: the first error; empty if there was none.
        is_truncated: whether a member is truncated.
        conversions: number of records with converted text, as in WET files.
    """

    records: int = 0
    last_offset: int = -1
    damage: str = ""
    is_truncated: bool = False
    conversions: int = 0


class IndexBuilder:
    """Builder of the index of an archive in an empty database.

    Attributes:
        damage: one line that describes the damage of the archive; empty if there is none.
    """

    def __init__(self, archive: Path, database: sqlite3.Connection) -> None:
        self.damage = ""
        self._archive = archive
        self._database = database

    def run(self, members: list[Member]) -> None:
        """Add all records of the members, which are the WARC files of the archive.

        Raises:
            InputError: the members contain no records.
        """
        scan = ScanProgress()
        facts = identity(self._archive)
        self._database.executescript(SCHEMA)
        self._selector = PageSelector(self._database)
        self._database.execute("BEGIN")
        self._index_members(members, scan)
        self._set_damage(scan)
        for statement in INDEXES:
            self._database.execute(statement)
        self._selector.note_page_lists(self._archive)
        self._write_facts(facts | self._selector.select_pages() | {"damage": self.damage})
        self._database.execute("COMMIT")

    def _index_members(self, members: list[Member], scan: ScanProgress) -> None:
        """Add every member and its records."""
        for number, member in enumerate(members):
            row = (number, member.name, member.start, member.size)
            self._database.execute("INSERT INTO members VALUES (?, ?, ?, ?)", row)
            self._index(number, member, scan)

    def _write_facts(self, facts: dict[str, str | int]) -> None:
        self._database.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())

    def _index(self, number: int, member: Member, scan: ScanProgress) -> None:
        """Add every record of a member; of a damaged member, the readable ones."""
        scan.last_offset = -1
        try:
            with warc.open_member(self._archive, member) as stream:
                start: int | None = 0
                while start is not None:
                    damaged = self._index_from(stream, start, number, scan)
                    start = warc.find_next_record(stream, max(start, scan.last_offset) + 1) if damaged else None
        except OSError as error:
            scan.damage = scan.damage or warc.error_reason(error)

    def _index_from(self, stream: IO[bytes], start: int, member: int, scan: ScanProgress) -> bool:
        """Add the records from the offset `start`; return whether damage stopped the reading."""
        stream.seek(start)
        try:
            for record in ArchiveIterator(stream):
                self._add_read(record, member, record.stream_pos, scan)
            if scan.last_offset >= start and warc.is_truncated(stream, scan.last_offset):
                scan.is_truncated = True
                return True
        except OSError as error:
            scan.damage = scan.damage or warc.error_reason(error)
            return True
        return False

    def _add_read(self, record: WarcRecord, member: int, offset: int, scan: ScanProgress) -> None:
        scan.last_offset = offset
        scan.conversions += record.record_type == WarcRecordType.conversion
        if record.record_type & _KINDS:
            scan.records += record.record_type != WarcRecordType.request
            self._add(record, member, offset)

    def _set_damage(self, scan: ScanProgress) -> None:
        """Set `damage` after all members were read.

        Raises:
            InputError: no record was found.
        """
        if scan.damage and not scan.records:
            raise InputError(f"{self._archive} is no readable web archive ({scan.damage}): download it again")
        if scan.conversions and not scan.records:
            raise InputError(
                f"{self._archive} contains text without markup (WET): give the WARC file that it was made from"
            )
        if not scan.records:
            raise InputError(f"{self._archive} contains no web archive records: it is empty or cut off")
        if scan.damage:
            self.damage = (
                f"{self._archive} is damaged ({scan.damage}): {format_count(scan.records, 'record')} could be read"
            )
        elif scan.is_truncated:
            self.damage = (
                f"{self._archive} is cut off after {format_count(scan.records - 1, 'record')}: download it again"
            )

    def _add(self, record: WarcRecord, member: int, offset: int) -> None:
        url = replace_surrogates(record.headers.get("WARC-Target-URI") or "").strip("<>")
        key = url_key(url)
        if record.record_type == WarcRecordType.request:
            self._selector.note_request(record, key)
            return
        if target := replace_surrogates(warc.redirect_target(record, url)):
            self._add_redirect(key, target, is_revisit=record.record_type == WarcRecordType.revisit)
        elif record.record_type != WarcRecordType.revisit and warc.status(record) == 200:
            kind = record_kind(warc.media_type(record))
            self._add_record(url, member, offset, kind)
            if kind == HTML:
                self._selector.note_document(record, url, key)

    def _add_record(self, url: str, member: int, offset: int, kind: int) -> None:
        row = (url_key(url), url, member, offset, kind)
        self._database.execute("INSERT INTO records (key, url, member, offset, kind) VALUES (?, ?, ?, ?, ?)", row)

    def _add_redirect(self, key: bytes, target: str, *, is_revisit: bool) -> None:
        target_key = url_key(target)
        if not (is_revisit and target_key == key):
            row = (key, target, target_key)
            self._database.execute("INSERT INTO redirects (key, target, target_key) VALUES (?, ?, ?)", row)
