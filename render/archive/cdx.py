"""Read the CDX index of a WACZ file (WACZ 1.1.1, folder `indexes`; lines in CDXJ: `urlkey timestamp {json}`).

It contains the offset and length of the response records, so indexing can skip the bodies of images, scripts and other
files. It comes from the same untrusted source as the archive: every number in it is checked.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vclean.files import ZIP_ERRORS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import IO

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
