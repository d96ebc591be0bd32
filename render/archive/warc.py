"""Web archive records where they lie: WARC (ISO 28500), plain or compressed, by itself or inside a WACZ (a zip)."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final
from urllib.parse import urljoin

from fastwarc.warc import ArchiveIterator, WarcRecordType

from vclean.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastwarc.warc import WarcRecord

HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})

_GZIP_MAGIC: Final = b"\x1f\x8b\x08"
_GZIP_MEMBER: Final = re.compile(re.escape(_GZIP_MAGIC))
_PLAIN_RECORD: Final = re.compile(rb"(?<=\n)WARC/[01]\.\d\r?\n")
_CHUNK: Final = 2**20
_BUFFER: Final = 2**16
_GLANCE: Final = 1024
"""Bytes of a gzip member that are enough to unpack its first few: header, a name, the code tables."""

_LOCAL_HEADER: Final = struct.Struct("<26xHH")
"""The lengths of name and extra field at the end of a zip file's local header (APPNOTE 4.3.7)."""


@dataclass(frozen=True, slots=True)
class Member:
    """One WARC file of an archive.

    Attributes:
        name: its name in a WACZ file; empty for a WARC file, which is its own only member.
        start: where its bytes begin in the file; None where zip compressed them, against the WACZ standard: then
            every reading of a record unpacks what comes before it, piece by piece.
        size: how many bytes it has.
    """

    name: str
    start: int | None
    size: int


@dataclass(frozen=True, slots=True)
class Content:
    """What a record holds, encodings undone: body, media type, charset and HTTP status."""

    body: bytes
    kind: str
    charset: str
    status: int


def members(path: Path) -> list[Member]:
    """The WARC files in the archive at `path`, by name.

    Raises:
        InputError: it is missing, or no zip file though it is called one.
    """
    try:
        if path.suffix.lower() != ".wacz":
            return [Member("", 0, path.stat().st_size)]
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            found = [info for info in archive.infolist() if info.filename.endswith((".warc", ".warc.gz", ".warc.zst"))]
            return [_member(file, info) for info in sorted(found, key=lambda info: info.filename)]
    except (OSError, zipfile.BadZipFile, struct.error) as error:
        kind = "WACZ file" if path.suffix.lower() == ".wacz" else "web archive"
        raise InputError(f"{path} is no readable {kind} ({reason(error)})") from error


@contextmanager
def opened(path: Path, member: Member) -> Iterator[IO[bytes]]:
    """The bytes of a member, seekable; where zip left them as they are, straight from the file.

    Raises:
        OSError: the member cannot be read, whatever the reason.
    """
    if member.start is None:
        with _as_os_error(), zipfile.ZipFile(path) as archive, archive.open(member.name) as stream:
            yield stream
        return
    with path.open("rb", buffering=0) as file:
        yield io.BufferedReader(_Section(file, member.start, member.size) if member.name else file, _BUFFER)


def read(path: Path, member: Member, offset: int, limit: int) -> Content:
    """The record at `offset`; of a body over `limit` bytes, the first `limit` + 1.

    Some archives keep the encoding header over a body that is decoded already: then it is taken as it is.

    Raises:
        OSError: the record cannot be read.
    """
    try:
        return _read(path, member, offset, limit, decode=True)
    except OSError:
        return _read(path, member, offset, limit, decode=False)


def next_record(stream: IO[bytes], start: int) -> int | None:
    """The offset, `start` or later, of the next record that can be found without those before it; or None.

    In gzip, every record is a member of its own (ISO 28500, annex on compression); in a plain file, a record begins
    on a line of its own.
    """
    stream.seek(0)
    packed = stream.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    pattern = _GZIP_MEMBER if packed else _PLAIN_RECORD
    stream.seek(start)
    kept = b""
    while data := stream.read(_CHUNK):
        window = kept + data
        searched = max(len(window) - _GLANCE, 0)
        for match in pattern.finditer(window):
            if match.start() < searched and (
                not packed or _begins_record(window[match.start() : match.start() + _GLANCE])
            ):
                return start + match.start()
        start += searched
        kept = window[-_GLANCE:]
    matches = (match.start() for match in pattern.finditer(kept))
    return next((start + at for at in matches if not packed or _begins_record(kept[at:])), None)


def is_cut_off(stream: IO[bytes], offset: int) -> bool:
    """Whether the record at `offset`, the last that was found, ends before it should, or another begins after it.

    Raises:
        OSError: it cannot be read.
    """
    if not _ends_with_member(stream, offset):
        return True
    stream.seek(offset)
    record = next(iter(ArchiveIterator(stream, parse_http=False)))
    if not record.headers.get("Content-Length"):  # it ends in its own header
        return True
    left = record.content_length
    while data := record.reader.read(_CHUNK):
        left -= len(data)
    return bool(left > 0)


def _ends_with_member(stream: IO[bytes], offset: int) -> bool:
    """Whether a stream ends where its gzip member at `offset` does; of a stream that is no gzip, always.

    Of a record that is cut off, so little may be there that the iterator does not speak of it.
    """
    stream.seek(offset)
    member = zlib.decompressobj(wbits=31)
    data = stream.read(_CHUNK)
    if not data.startswith(_GZIP_MAGIC):
        return True
    try:
        while data and not member.eof:
            member.decompress(data, _CHUNK)
            data = member.unconsumed_tail or stream.read(_CHUNK)
    except zlib.error:
        return False
    return member.eof and not member.unused_data and not stream.read(1)


def decoded(record: WarcRecord, raw: bytes, limit: int) -> bytes:
    """The first bytes, `limit` at most, of a body that begins with `raw`; as they are where they are not encoded.

    An iterator that undoes encodings itself ends with the first that is not what it claims to be.
    """
    names = ("Content-Encoding", "Transfer-Encoding")
    encodings = {name: record.http_headers.get(name) for name in names} if record.is_http else {}
    if not any(encodings.values()):
        return raw[:limit]
    lines = "".join(f"{name}: {value}\r\n" for name, value in encodings.items() if value)
    http = f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode() + raw
    head = "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
    stream = io.BytesIO(f"{head}Content-Length: {len(http)}\r\n\r\n".encode() + http)
    return _as_far_as_it_goes(next(iter(ArchiveIterator(stream, auto_decode="all"))), limit) or raw[:limit]


def redirect(record: WarcRecord, url: str) -> str:
    """Where else the content of this record is: a redirect's target, or the URL that a revisit refers to; or empty."""
    if record.record_type == WarcRecordType.revisit:
        return record.headers.get("WARC-Refers-To-Target-URI") or ""
    if record.is_http and 300 <= status(record) < 400:
        return joined(url, record.http_headers.get("Location") or "")
    return ""


def joined(base: str, reference: str) -> str:
    """The absolute URL, or the empty string for what is none."""
    try:
        return urljoin(base, reference)
    except ValueError:
        return ""


def status(record: WarcRecord) -> int:
    """The HTTP status; a `resource` record has none and counts as found."""
    return (record.http_headers.status_code or 0) if record.is_http else 200


def media_type(record: WarcRecord) -> str:
    """The media type that is declared for the content, in lower case, without parameters."""
    value = record.http_content_type if record.is_http else record.headers.get("Content-Type")
    return (value or "").partition(";")[0].strip().lower()


def reason(error: Exception) -> str:
    """What an error says, in words."""
    return getattr(error, "strerror", None) or str(error)


class _Section(io.RawIOBase):
    """`size` bytes of a file from `start` on, as a file."""

    def __init__(self, file: io.FileIO, start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence], 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._file.seek(self._start + self._at)
        count = self._file.readinto(memoryview(buffer)[: max(self._size - self._at, 0)])
        self._at += count
        return count


def _member(file: IO[bytes], info: zipfile.ZipInfo) -> Member:
    if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
        return Member(info.filename, None, info.file_size)
    file.seek(info.header_offset)
    name, extra = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    return Member(info.filename, info.header_offset + _LOCAL_HEADER.size + name + extra, info.file_size)


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Turn what zipfile raises for damage, a password or a method it does not know into one kind of error."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, KeyError) as error:
        raise OSError(str(error)) from error


def _read(path: Path, member: Member, offset: int, limit: int, *, decode: bool) -> Content:
    with opened(path, member) as stream:
        stream.seek(offset)
        record = next(iter(ArchiveIterator(stream, auto_decode="all" if decode else "none")), None)
        if record is None:
            raise OSError("there is no record any more")
        charset = (record.http_charset or "") if record.is_http else ""
        return Content(record.reader.read(limit + 1), media_type(record), charset, status(record))


def _begins_record(data: bytes) -> bool:
    try:
        return zlib.decompressobj(wbits=31).decompress(data, 5) == b"WARC/"
    except zlib.error:
        return False


def _as_far_as_it_goes(record: WarcRecord, limit: int) -> bytes:
    body = bytearray()
    try:
        while len(body) < limit and (data := record.reader.read(min(limit - len(body), 2**16))):
            body += data
    except OSError:
        pass
    return bytes(body)
