"""Web archives as pages with their sub-resources: WARC (ISO 28500), plain or compressed, and WACZ (a zip of them)."""

from __future__ import annotations

import re
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final
from urllib.parse import unquote, urljoin, urlsplit

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from vclean.errors import InputError, LimitError
from vclean.page import Page, Resource

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
_MAX_RESOURCE: Final = 16 * 2**20
_MAX_HOPS: Final = 10
_GZIP_MAGIC: Final = b"\x1f\x8b\x08"
_GZIP_MEMBER: Final = re.compile(re.escape(_GZIP_MAGIC))
_CHUNK: Final = 2**20
_GLANCE: Final = 1024
"""Bytes of a gzip member that are enough to unpack its first few: header, a name, the code tables."""

_KINDS: Final = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit


@dataclass(frozen=True, slots=True)
class Record:
    """Where a record is: the `member` of a WACZ file (empty for a WARC), and the `offset` in it."""

    url: str
    member: str
    offset: int


class Archive:
    """An archive, indexed once by streaming; bodies are read when asked for.

    It is the `Resources` of every page in it. `get` may be called from several threads.

    Attributes:
        pages: the records that are HTML with status 200, in the archive's order.
        damage: what is wrong with the archive, one line, or empty; what comes before the damage is usable, and in
            gzip what comes after it, from the next record on.

    Raises:
        InputError: the file cannot be opened.
    """

    def __init__(self, path: Path, *, max_resource: int = _MAX_RESOURCE) -> None:
        self.pages: list[Record] = []
        self.damage = ""
        self._path = path
        self._max_resource = max_resource
        self._records: dict[str, Record] = {}
        self._redirects: dict[str, str] = {}
        for member in self._members():
            self._index(member)

    def page(self, record: Record, max_bytes: int) -> Page:
        """The page at `record`, its sub-resources served from this archive.

        Raises:
            InputError: the record cannot be read.
            LimitError: its body has more than `max_bytes` bytes.
        """
        try:
            body, _, charset, _ = self._body(record, max_bytes)
        except (OSError, zipfile.BadZipFile) as error:
            raise InputError(f"{self._path}: the record of {record.url} is damaged ({error})") from error
        if len(body) > max_bytes:
            raise LimitError(f"{record.url} is over the cap of {max_bytes:,} bytes: raise it with --max-bytes")
        return Page(content=body, url=record.url, charset=charset, resources=self, id=record.url)

    def get(self, url: str) -> Resource | None:
        """The archived response for the absolute `url`, redirects followed inside the archive, or None."""
        for _ in range(_MAX_HOPS):
            key = _key(url)
            if key in self._records:
                return self._resource(self._records[key])
            if key not in self._redirects:
                return None
            url = self._redirects[key]
        return None

    def _resource(self, record: Record) -> Resource | None:
        try:
            body, kind, charset, status = self._body(record, self._max_resource)
        except (OSError, zipfile.BadZipFile):
            return None
        if len(body) > self._max_resource:
            return None
        return Resource(body, f"{kind}; charset={charset}" if charset else kind, status)

    def _members(self) -> list[str]:
        """The WARC files inside; a plain WARC file is its own only member, with an empty name."""
        if self._path.suffix.lower() != ".wacz":
            return [""]
        try:
            with zipfile.ZipFile(self._path) as archive:
                return sorted(name for name in archive.namelist() if name.endswith((".warc", ".warc.gz")))
        except (OSError, zipfile.BadZipFile) as error:
            raise InputError(f"{self._path} is no readable WACZ file ({_reason(error)})") from error

    @contextmanager
    def _open(self, member: str) -> Iterator[IO[bytes]]:
        if not member:
            with self._path.open("rb") as stream:
                yield stream
            return
        with zipfile.ZipFile(self._path) as archive, archive.open(member) as stream:
            yield stream

    def _index(self, member: str) -> None:
        """Enter every record of a member; an unreadable file raises, of a damaged one what can be read is used."""
        found: list[Record] = []
        damage: OSError | None = None
        try:
            with self._open(member) as stream:
                start: int | None = 0
                while start is not None:
                    error = self._index_from(stream, start, member, found)
                    damage = damage or error
                    begun = max(start, found[-1].offset if found else 0)
                    start = _next_gzip_record(stream, begun + 1) if error else None
        except OSError as error:
            damage = error
        self._judge(found, damage)

    def _index_from(self, stream: IO[bytes], start: int, member: str, found: list[Record]) -> OSError | None:
        """Add the records from the offset `start` on to `found`; gives the damage that ended them, if any."""
        stream.seek(start)
        try:
            for record in ArchiveIterator(stream, record_types=_KINDS):
                found.append(self._enter(record, member))
        except OSError as error:
            return error
        return None

    def _judge(self, found: list[Record], damage: OSError | None) -> None:
        """Set `damage` by what a member gave.

        Raises:
            InputError: it gave nothing.
        """
        if damage and not found:
            raise InputError(f"{self._path} is no readable web archive ({_reason(damage)})") from damage
        if not found:
            raise InputError(f"{self._path} holds no web archive records: it is empty or cut off")
        if damage:
            self.damage = f"{self._path} is damaged ({_reason(damage)}): {len(found)} records could be read"
        elif self._is_cut_off(found[-1]):
            self.damage = f"{self._path} is cut off after {len(found) - 1} records: download it again"

    def _enter(self, record: WarcRecord, member: str) -> Record:
        url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
        entry = Record(url, member, record.stream_pos)
        target = _redirect(record, url)
        if target:
            self._redirects.setdefault(_key(url), target)
        elif record.record_type != WarcRecordType.revisit and _status(record) == 200:
            self._records.setdefault(_key(url), entry)
            if _content_type(record) in HTML_TYPES:
                self.pages.append(entry)
        return entry

    def _is_cut_off(self, last: Record) -> bool:
        with self._open(last.member) as stream:
            stream.seek(last.offset)
            record = next(iter(ArchiveIterator(stream, parse_http=False)))
            return len(record.reader.read()) < record.content_length

    def _body(self, record: Record, limit: int) -> tuple[bytes, str, str, int]:
        """Body (one byte over `limit` at most), media type, charset and status, encodings undone.

        Some archives keep the encoding header over a body that is decoded already: then it is taken as it is.
        """
        try:
            return self._read(record, limit, decode=True)
        except OSError:
            return self._read(record, limit, decode=False)

    def _read(self, record: Record, limit: int, *, decode: bool) -> tuple[bytes, str, str, int]:
        with self._open(record.member) as stream:
            stream.seek(record.offset)
            found = next(iter(ArchiveIterator(stream, auto_decode="all" if decode else "none")))
            charset = (found.http_charset or "") if found.is_http else ""
            return found.reader.read(limit + 1), _content_type(found), charset, _status(found)


def _next_gzip_record(stream: IO[bytes], start: int) -> int | None:
    """The offset, `start` or later, of the next gzip member that begins a WARC record; or None.

    By the standard (ISO 28500, annex on compression) every record is a member of its own.
    """
    stream.seek(start)
    kept = b""
    while data := stream.read(_CHUNK):
        window = kept + data
        searched = max(len(window) - _GLANCE, 0)
        for match in _GZIP_MEMBER.finditer(window, 0, searched + len(_GZIP_MAGIC) - 1):
            if _begins_record(window[match.start() : match.start() + _GLANCE]):
                return start + match.start()
        start += searched
        kept = window[-_GLANCE:]
    matches = (match.start() for match in _GZIP_MEMBER.finditer(kept))
    return next((start + at for at in matches if _begins_record(kept[at:])), None)


def _begins_record(data: bytes) -> bool:
    try:
        return zlib.decompressobj(wbits=31).decompress(data, 5) == b"WARC/"
    except zlib.error:
        return False


def _redirect(record: WarcRecord, url: str) -> str:
    """Where else the content of this record is: a redirect's target, or the URL that a revisit refers to."""
    if record.record_type == WarcRecordType.revisit:
        target = record.headers.get("WARC-Refers-To-Target-URI") or ""
        return target if _key(target) != _key(url) else ""
    if record.is_http and 300 <= _status(record) < 400:
        return _joined(url, record.http_headers.get("Location") or "")
    return ""


def _joined(base: str, reference: str) -> str:
    """The absolute URL, or the empty string for what is none."""
    try:
        return urljoin(base, reference)
    except ValueError:
        return ""


def _status(record: WarcRecord) -> int:
    """The HTTP status; a `resource` record has none and counts as found."""
    return (record.http_headers.status_code or 0) if record.is_http else 200


def _content_type(record: WarcRecord) -> str:
    value = record.http_content_type if record.is_http else record.headers.get("Content-Type")
    return (value or "").partition(";")[0].strip().lower()


def _key(url: str) -> str:
    """What two spellings of a URL have in common: no scheme, no fragment, percent-decoded, host in lower case."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return f"{parts.netloc.lower()}{unquote(parts.path) or '/'}?{unquote(parts.query)}"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
