"""Build the index of a WACZ file by its CDX index (WACZ 1.1.1, folder `indexes`; CDXJ: `urlkey timestamp {json}`).

It contains the offset and length of the response records, so indexing can skip the bodies of images, scripts and other
files. It comes from the same untrusted source as the archive: every number in it is checked.
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType

from vclean.characters import replace_surrogates
from vclean.files import ZIP_ERRORS
from vclean.render.archive import warc
from vclean.render.archive.index_builder import IndexBuilder, record_kind, url_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import IO

    from fastwarc.warc import WarcRecord

    from vclean.render.archive.warc import Member

_FOLDER: Final = "indexes/"
_SUFFIXES: Final = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")
"""Suffixes of index files. An `.idx` file (ZipNum) is not needed: it points into a `.cdx.gz`, which is read whole."""

_MAX_LINE: Final = 2**16
"""Bytes of a line: a URL, its key, and about 200 bytes of other fields."""

_SPARE_BYTES: Final = 16 * 2**20
_BYTES_OF_MEMBERS: Final = 8
"""Largest size of an index: 8 bytes for each byte of the WARC files, and 16 MiB more. A gzip bomb is larger."""

_PACKED: Final = (".warc", ".warc.gz")


class CdxError(Exception):
    """Error for a CDX index that is damaged, or contradicts the archive."""


class CdxEntry(NamedTuple):
    """Line of the index.

    Attributes:
        member: number of the WARC file in the archive.
        offset, length: position of the record in the WARC file, in bytes.
        url: the URL of the record.
        mime: the media type in lower case; `warc/revisit` for revisits; empty if missing.
        status: the HTTP status; 0 if missing.
    """

    member: int
    offset: int
    length: int
    url: str
    mime: str
    status: int


def has_index(path: Path, members: list[Member]) -> bool:
    """Return whether an archive has a usable CDX index.

    An index is not usable if zip compressed a WARC file, because seeking would decompress it, or if a WARC file is
    compressed as a whole.
    """
    if path.suffix.lower() != ".wacz" or not members:
        return False
    if any(member.start is None or not member.name.endswith(_PACKED) for member in members):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return any(map(_is_index, archive.namelist()))
    except ZIP_ERRORS:
        return False


def entries(path: Path, members: list[Member]) -> Iterator[CdxEntry]:
    """Yield the entries of all CDX indexes of a WACZ file, in their order.

    Raises:
        CdxError: an index is damaged, too large, or has an entry outside of `members`.
    """
    numbers = {member.name: number for number, member in enumerate(members)}
    remaining = _SPARE_BYTES + _BYTES_OF_MEMBERS * sum(member.size for member in members)
    try:
        with zipfile.ZipFile(path) as archive:
            for name in sorted(filter(_is_index, archive.namelist())):
                with archive.open(name) as stream:
                    lines = gzip.GzipFile(fileobj=stream) if name.endswith(".gz") else stream
                    for line in _lines(lines):
                        remaining -= len(line)
                        if remaining < 0:
                            raise CdxError("it is too large for the archive")
                        if not line.startswith((b"!", b" CDX")) and line.strip():
                            yield _entry(line, numbers, members)
    except ZIP_ERRORS as error:
        raise CdxError(f"it cannot be read ({error})") from error


def _is_index(name: str) -> bool:
    return name.startswith(_FOLDER) and name.endswith(_SUFFIXES)


def _lines(stream: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while line := stream.readline(_MAX_LINE + 1):
        if len(line) > _MAX_LINE:
            raise CdxError("a line is too long")
        yield line


def _entry(line: bytes, numbers: Mapping[str, int], members: list[Member]) -> CdxEntry:
    """Parse a line of the index.

    Raises:
        CdxError: a field is missing, or the record is outside of the archive.
        ValueError: the line is not CDXJ.
    """
    fields: Any = json.loads(line.split(b" ", 2)[-1])
    if not isinstance(fields, dict):
        raise CdxError("a line has no fields")
    name, url = fields.get("filename"), fields.get("url")
    if not isinstance(name, str) or not isinstance(url, str):
        raise CdxError("a line has no filename or URL")
    number = numbers.get(f"archive/{name}", numbers.get(name))
    offset, length = _number(fields.get("offset")), _number(fields.get("length"))
    if number is None or length == 0 or offset + length > members[number].size:
        raise CdxError("a line points outside of the archive")
    mime, status = fields.get("mime"), str(fields.get("status", ""))
    return CdxEntry(
        number,
        offset,
        length,
        url,
        mime.partition(";")[0].strip().lower() if isinstance(mime, str) else "",
        int(status) if len(status) == 3 and status.isascii() and status.isdigit() else 0,
    )


def _number(value: object) -> int:
    """Return a number that JSON states as a number, or as a string of at most 18 ASCII digits.

    Raises:
        CdxError: the value is not a number, or is negative.
    """
    text = str(value)
    if len(text) > 18 or not (text.isascii() and text.isdigit()):
        raise CdxError("a line has no offset or length")
    return int(text)


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
        rows = (entry._replace(url=replace_surrogates(entry.url)) for entry in entries(self._archive, members))
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
                for entry in map(CdxEntry._make, rows):
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
