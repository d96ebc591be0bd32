"""Read single records of web archives: WARC (ISO 28500), plain or compressed, alone or inside a WACZ (a zip)."""

from __future__ import annotations

import gzip
import io
import re
import struct
import threading
import zipfile
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import IO, TYPE_CHECKING, Final, cast

from fastwarc.warc import ArchiveIterator, WarcRecordType

from vclean.errors import InputError
from vclean.page import join_url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastwarc.warc import WarcRecord

HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})

_SUFFIXES: Final = (".warc", ".warc.gz", ".warc.zst")

_GZIP_MAGIC: Final = b"\x1f\x8b\x08"
_GZIP_MEMBER: Final = re.compile(re.escape(_GZIP_MAGIC))
_PLAIN_RECORD: Final = re.compile(rb"(?<=\n)WARC/[01]\.\d\r?\n")
_CHUNK: Final = 2**20
_BUFFER: Final = 2**16
_PROBE_BYTES: Final = 1024
"""Bytes of a gzip member that suffice to decompress its first five: header, file name, code tables."""

_LOCAL_HEADER: Final = struct.Struct("<26xHH")
"""Lengths of the name and the extra field, at the end of the local header of a zip entry (APPNOTE 4.3.7)."""


@dataclass(frozen=True, slots=True)
class Member:
    """WARC file of an archive.

    Attributes:
        name: the name inside a WACZ file; empty for a WARC file, which is its only member.
        start: offset of the first byte in the archive; None if the records are not compressed one by one, but zip
            compressed the member, or gzip the whole file. To read a record, everything before it is decompressed.
        size: number of bytes.
    """

    name: str
    start: int | None
    size: int


@dataclass(frozen=True, slots=True)
class RecordContent:
    """Content of a record: decoded body, media type, charset, HTTP status, and its `WARC-Record-ID` and `WARC-Date`."""

    body: bytes
    media_type: str
    charset: str
    status: int
    record_id: str = ""
    date: str = ""


def list_members(path: Path) -> list[Member]:
    """Return the WARC files in the archive at `path`, sorted by name.

    Raises:
        InputError: the archive is missing, or is named `.wacz` and is not a zip file.
    """
    try:
        if path.suffix.lower() != ".wacz":
            return [Member("", None if _is_one_gzip_member(path) else 0, path.stat().st_size)]
        with as_os_error(), path.open("rb") as file, zipfile.ZipFile(file) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename.endswith(_SUFFIXES)]
            return [_member(file, entry) for entry in sorted(entries, key=lambda entry: entry.filename)]
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist: check the name") from error
    except OSError as error:
        format_name = "WACZ file" if path.suffix.lower() == ".wacz" else "web archive"
        reason = error_reason(error)
        raise InputError(f"{path} is no readable {format_name} ({reason}): download it again") from error


@contextmanager
def open_member(path: Path, member: Member) -> Iterator[IO[bytes]]:
    """Open a member as a seekable stream; one that is not compressed as a whole is read directly from the file.

    Raises:
        OSError: the member cannot be read.
    """
    if member.start is None and not member.name:
        with as_os_error():
            yield _unpacked(path, path.stat().st_mtime_ns, threading.get_ident())
        return
    if member.start is None:
        with as_os_error(), zipfile.ZipFile(path) as archive, archive.open(member.name) as stream:
            yield stream
        return
    with path.open("rb", buffering=0) as file:
        yield io.BufferedReader(_FileSection(file, member.start, member.size) if member.name else file, _BUFFER)


def read_record(path: Path, member: Member, offset: int, limit: int) -> RecordContent:
    """Read the record at `offset`, and at most `limit` + 1 bytes of its body.

    Some archives store a decoded body under its original encoding header; it is then returned without decoding.

    Raises:
        OSError: the record cannot be read.
    """
    with open_member(path, member) as stream:
        stream.seek(offset)
        record = next(iter(ArchiveIterator(stream)), None)
        if record is None:
            raise OSError("the record no longer exists")
        raw = record.reader.read(2 * limit + _PROBE_BYTES)  # codings may enlarge a body, such as chunks of few bytes
        body = decode_body(record, raw, limit + 1)
        charset = (record.http_charset or "") if record.is_http else ""
        names = (record.headers.get(name) or "" for name in ("WARC-Record-ID", "WARC-Date"))
        return RecordContent(body, media_type(record), charset, status(record), *names)


def find_next_record(stream: IO[bytes], start: int) -> int | None:
    """Return the offset of the first record at or after `start`, or None, without reading the records before it.

    In gzip, every record is a separate gzip member (ISO 28500, annex on compression). In a plain file, a record starts
    at the beginning of a line.
    """
    is_gzip = _is_gzip(stream, 0)
    pattern = _GZIP_MEMBER if is_gzip else _PLAIN_RECORD
    stream.seek(start)
    window = b""
    while True:
        data = stream.read(_CHUNK)
        window += data
        searched = max(len(window) - _PROBE_BYTES, 0) if data else len(window)
        for match in pattern.finditer(window):
            offset = match.start()
            if offset < searched and (not is_gzip or _starts_record(window[offset : offset + _PROBE_BYTES])):
                return start + offset
        if not data:
            return None
        start += searched
        window = window[searched:]


def is_truncated(stream: IO[bytes], offset: int) -> bool:
    """Return whether the last record that was found, at `offset`, is truncated or followed by a partial record.

    Raises:
        OSError: the record cannot be read.
    """
    is_gzip = _is_gzip(stream, offset)
    stream.seek(offset)
    source = cast("IO[bytes]", gzip.GzipFile(fileobj=stream)) if is_gzip else stream
    try:
        record = next(iter(ArchiveIterator(source, parse_http=False)))
        remaining = record.content_length
        while data := record.reader.read(_CHUNK):
            remaining -= len(data)
        while is_gzip and source.read(_CHUNK):  # to the check sum, or what follows it
            pass
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return True
    # Without a declared length, the file ends inside the header of the record.
    return remaining > 0 or not record.headers.get("Content-Length")


def decode_body(record: WarcRecord, raw: bytes, limit: int) -> bytes:
    """Return at most `limit` bytes of the decoded body of a record; `raw` is the start of its encoded body.

    An iterator that decodes stops at the first body with a false encoding header. This function returns such a body
    without decoding, and of a damaged or cut body what can be decoded.
    """
    if not record.is_http:
        return raw[:limit]
    content, transfer = (record.http_headers.get(f"{name}-Encoding") or "" for name in ("Content", "Transfer"))
    decoded, error = _decode(raw, content, transfer, limit)
    return raw[:limit] if error and not decoded else decoded


def redirect_target(record: WarcRecord, url: str) -> str:
    """Return the target of a redirect, or the URL that a revisit refers to; empty for other records."""
    if record.record_type == WarcRecordType.revisit:
        return record.headers.get("WARC-Refers-To-Target-URI") or ""
    if record.is_http and 300 <= status(record) < 400:
        return join_url(url, record.http_headers.get("Location") or "")
    return ""


def status(record: WarcRecord) -> int:
    """Return the HTTP status; 200 for a `resource` record, which has none."""
    return (record.http_headers.status_code or 0) if record.is_http else 200


def media_type(record: WarcRecord) -> str:
    """Return the declared media type of the content, in lower case, without parameters."""
    value = record.http_content_type if record.is_http else record.headers.get("Content-Type")
    return (value or "").partition(";")[0].strip().lower()


def error_reason(error: Exception) -> str:
    """Return the text of an error without its error number."""
    return getattr(error, "strerror", None) or str(error)


class _FileSection(io.RawIOBase):
    """Part of a file as a file: `size` bytes from `start`."""

    def __init__(self, file: io.FileIO, start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._size = size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._position = max(offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence], 0)
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._file.seek(self._start + self._position)
        count = self._file.readinto(memoryview(buffer)[: max(self._size - self._position, 0)])
        self._position += count
        return count


def _member(file: IO[bytes], entry: zipfile.ZipInfo) -> Member:
    is_encrypted = entry.flag_bits & 1
    if entry.compress_type != zipfile.ZIP_STORED or is_encrypted:
        return Member(entry.filename, None, entry.file_size)
    file.seek(entry.header_offset)
    name_size, extra_size = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    start = entry.header_offset + _LOCAL_HEADER.size + name_size + extra_size
    return Member(entry.filename, start, entry.file_size)


def _is_one_gzip_member(path: Path) -> bool:
    """Return whether gzip compressed the file as a whole, and not each record (ISO 28500, annex on compression).

    Then its second record is not at the beginning of a gzip member.
    """
    with path.open("rb") as file, suppress(OSError):
        is_gzip = _is_gzip(file, 0)
        file.seek(0)
        second = next(islice(ArchiveIterator(file, parse_http=False), 1, None), None) if is_gzip else None
        return second is not None and not _is_gzip(file, second.stream_pos)
    return False


def _is_gzip(stream: IO[bytes], offset: int) -> bool:
    """Return whether a member of a gzip file begins at `offset`."""
    stream.seek(offset)
    return stream.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC


@lru_cache(maxsize=8)
def _unpacked(path: Path, changed: int, thread: int) -> IO[bytes]:  # noqa: ARG001 - parts of the key
    """Return the content of a file that gzip compressed as a whole; it stays open, so that reading on costs nothing."""
    return cast("IO[bytes]", gzip.GzipFile(path))


@contextmanager
def as_os_error() -> Iterator[None]:
    """Raise the errors of zipfile (damage, a password, an unknown compression method) as OSError."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, KeyError) as error:
        raise OSError(str(error)) from error


def _starts_record(data: bytes) -> bool:
    try:
        return zlib.decompressobj(wbits=31).decompress(data, 5) == b"WARC/"
    except zlib.error:
        return False


_STEP: Final = 2**16
_ALIASES: Final = {"x-gzip": "gzip", "x-deflate": "deflate"}
_KNOWN: Final = frozenset(("gzip", "deflate", "br", "zstd", "chunked"))
MAX_CODINGS: Final = 4
"""Codings of one body, at most; servers apply one."""


def decode_content(body: bytes, codings: str, limit: int) -> bytes:
    """Return the first `limit` bytes of a body without its codings: gzip, deflate, br and zstd.

    Args:
        body: the encoded body, or the start of it.
        codings: value of `Content-Encoding`, in the order of application; several may be nested.
        limit: number of bytes after which decoding stops.

    Raises:
        OSError: the body does not have these codings, ends early, or has too many of them.
    """
    decoded, error = _decode(body, codings, "", limit)
    if error:
        raise error
    return decoded


def _decode(body: bytes, codings: str, transfer: str, limit: int) -> tuple[bytes, OSError | None]:
    """Return at most `limit` bytes of a body without its codings, and the error that ended the decoding, if any."""
    decoded = bytearray()
    try:
        names = {"Content-Encoding": _known(codings), "Transfer-Encoding": _known(transfer)}
        if not any(names.values()):
            return body[:limit], None
        # FastWARC's readers decode no more than is read.
        lines = "".join(f"{name}: {value}\r\n" for name, value in names.items() if value)
        content = f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode() + body
        head = "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
        record = f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content
        reader = next(iter(ArchiveIterator(io.BytesIO(record), auto_decode="all"))).reader
        while data := reader.read(min(limit - len(decoded), _STEP)):
            decoded += data
    except OSError as error:
        return bytes(decoded), error
    return bytes(decoded), None


def _known(codings: str) -> str:
    """Return the codings without those that change nothing.

    Raises:
        OSError: a coding is unknown, or there are too many.
    """
    names = [_ALIASES.get(name, name) for name in codings.lower().replace(" ", "").split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if unknown := next((name for name in names if name not in _KNOWN), ""):
        raise OSError(f"unknown coding {unknown}")
    if len(names) > MAX_CODINGS:
        raise OSError(f"{len(names)} codings, more than {MAX_CODINGS}")
    return ", ".join(names)
