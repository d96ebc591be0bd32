"""Build the index of a WACZ file by its CDX index: records are not read if their CDX entries are sufficient."""

from __future__ import annotations

import io
from contextlib import closing
from typing import TYPE_CHECKING, Final

from fastwarc.warc import ArchiveIterator, WarcRecordType

from vclean.render.archive import cdx, warc
from vclean.render.archive.cdx import CdxError
from vclean.render.archive.index_builder import IndexBuilder
from vclean.render.archive.schema import record_kind, replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

    from fastwarc.warc import WarcRecord

    from vclean.render.archive.cdx import CdxEntry
    from vclean.render.archive.index_builder import ScanProgress
    from vclean.render.archive.warc import Member

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

    def _index_members(self, members: list[Member], scan: ScanProgress) -> None:
        self._read_cdx(members)
        super()._index_members(members, scan)

    def _read_cdx(self, members: list[Member]) -> None:
        """Store the entries of the CDX index in a temporary table, sorted by position.

        Raises:
            CdxError: the index is damaged.
        """
        self._database.execute(_CDX_TABLE)
        rows = (entry._replace(url=replace_surrogates(entry.url)) for entry in cdx.entries(self._archive, members))
        self._database.executemany("INSERT OR IGNORE INTO cdx VALUES (?, ?, ?, ?, ?, ?)", rows)

    def _index(self, number: int, member: Member, scan: ScanProgress) -> None:
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
                    self._add_gap(stream, member, number, range(position, entry.offset), scan)
                    is_skippable = _is_sufficient(entry)
                    skippable += is_skippable
                    if is_skippable and skippable > _CHECKED_FIRST and skippable % _CHECKED_EVERY:
                        self._add_unread(entry, scan)
                    else:
                        self._add_checked(stream, member, entry, scan)
                    position = entry.offset + entry.length
                self._add_gap(stream, member, number, range(position, member.size), scan)
                if scan.last_offset >= 0 and warc.is_truncated(stream, scan.last_offset):
                    raise CdxError(f"{member.name} is cut off")
        except (OSError, StopIteration) as error:
            raise CdxError(f"{member.name} is damaged ({error})") from error

    def _add_unread(self, entry: CdxEntry, scan: ScanProgress) -> None:
        """Add a record from its CDX entry alone; error pages are counted but never served."""
        scan.records += 1
        scan.last_offset = entry.offset
        if entry.status == 200:
            self._add_record(entry.url.strip("<>"), entry.member, entry.offset, record_kind(entry.mime))

    def _add_checked(self, stream: IO[bytes], member: Member, entry: CdxEntry, scan: ScanProgress) -> None:
        """Read the record of a CDX entry, check the entry, and add the record.

        Raises:
            CdxError: the entry contradicts the record, or there is not exactly one record.
        """
        count = 0
        part = range(entry.offset, entry.offset + entry.length)
        for record, offset in _records(self._archive, stream, member, part):
            if count or offset != entry.offset or not _matches(entry, record):
                raise CdxError(f"its entry for {entry.url} is not the record at {entry.offset}")
            count += 1
            self._add_read(record, entry.member, offset, scan)
        if not count:
            raise CdxError(f"there is no record of {entry.url} at {entry.offset}")

    def _add_gap(self, stream: IO[bytes], member: Member, number: int, gap: range, scan: ScanProgress) -> None:
        """Add the records in a part of a member that has no CDX entries.

        Raises:
            CdxError: the part contains something other than records and blank bytes.
        """
        stream.seek(gap.start)
        if len(gap) <= _MAX_BLANK and not stream.read(len(gap)).strip():
            return
        offsets: list[int] = []
        for record, offset in _records(self._archive, stream, member, gap):
            offsets.append(offset)
            self._add_read(record, number, offset, scan)
        if offsets[:1] != [gap.start]:
            raise CdxError(f"there is no record at {gap.start}")


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
