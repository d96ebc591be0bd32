"""Read the CDX index of a WACZ file (WACZ 1.1.1, folder `indexes`; lines in CDXJ: `urlkey timestamp {json}`).

It says where the records of responses begin and how long they are, so that indexing can pass over the bodies of images,
scripts and the like. It is written by whoever wrote the archive: every number in it is checked.
"""

from __future__ import annotations

import gzip
import json
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import IO

    from vclean.render.archive.warc import Member

_FOLDER: Final = "indexes/"
_SUFFIXES: Final = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")
"""An `.idx` file (ZipNum) points into a `.cdx.gz` that is read from end to end, so it is not needed."""

_MAX_LINE: Final = 2**16
"""Bytes of a line: a URL, its key, and about 200 more."""

_SPARE_BYTES: Final = 16 * 2**20
_BYTES_OF_MEMBERS: Final = 8
"""An index may have so many bytes for each byte of the WARC files, and some to spare; a gzip bomb has more."""

_PACKED: Final = (".warc", ".warc.gz")
_DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, KeyError)
"""What damaged zip and gzip files, bad UTF-8 and bad JSON raise; RecursionError is a RuntimeError."""


class CdxError(Exception):
    """The CDX index is damaged, or does not agree with the archive."""


class CdxEntry(NamedTuple):
    """A line of the index.

    Attributes:
        member: the WARC file, by its number in the archive.
        offset, length: the bytes of the record in it.
        url: of the record.
        mime: its media type in lower case; `warc/revisit` for revisits; empty where it is not stated.
        status: the HTTP status; 0 where it is not stated.
    """

    member: int
    offset: int
    length: int
    url: str
    mime: str
    status: int


def has_index(path: Path, members: list[Member]) -> bool:
    """Return whether an archive has a CDX index that can be used.

    It cannot where zip compressed a WARC file, as seeking unpacks it, or where a WARC file is compressed as a whole.
    """
    if path.suffix.lower() != ".wacz" or not members:
        return False
    if any(member.start is None or not member.name.endswith(_PACKED) for member in members):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return any(map(_is_index, archive.namelist()))
    except _DAMAGE:
        return False


def entries(path: Path, members: list[Member]) -> Iterator[CdxEntry]:
    """Read the entries of all CDX indexes of a WACZ file, in their order.

    Raises:
        CdxError: an index is damaged, too large, or has an entry outside of `members`.
    """
    numbers = {member.name: number for number, member in enumerate(members)}
    left = _SPARE_BYTES + _BYTES_OF_MEMBERS * sum(member.size for member in members)
    try:
        with zipfile.ZipFile(path) as archive:
            for name in sorted(filter(_is_index, archive.namelist())):
                with archive.open(name) as stream:
                    lines = gzip.GzipFile(fileobj=stream) if name.endswith(".gz") else stream
                    for line in _lines(lines):
                        left -= len(line)
                        if left < 0:
                            raise CdxError("it is too large for the archive")
                        if not line.startswith((b"!", b" CDX")) and line.strip():
                            yield _entry(line, numbers, members)
    except _DAMAGE as error:
        raise CdxError(f"it cannot be read ({error})") from error


def _is_index(name: str) -> bool:
    return name.startswith(_FOLDER) and name.endswith(_SUFFIXES)


def _lines(stream: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while line := stream.readline(_MAX_LINE + 1):
        if len(line) > _MAX_LINE:
            raise CdxError("a line is too long")
        yield line


def _entry(line: bytes, numbers: Mapping[str, int], members: list[Member]) -> CdxEntry:
    """Parse a line.

    Raises:
        CdxError: a field is missing, or the record is outside of the archive.
        ValueError: it is no CDXJ.
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
    """Return a number that is written as one, or as a string of up to 18 ASCII digits.

    Raises:
        CdxError: it is none, or negative.
    """
    text = str(value)
    if len(text) > 18 or not (text.isascii() and text.isdigit()):
        raise CdxError("a line has no offset or length")
    return int(text)
