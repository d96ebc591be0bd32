"""Undo the codings of HTTP bodies (RFC 9110, 8.4) in bounded steps, so that small bodies cannot fill the memory."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from fastwarc.warc import ArchiveIterator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastwarc.warc import WarcRecord

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
    return b"".join(_decoded_parts(body, codings, limit, ""))


def decode_start(body: bytes, codings: str, limit: int, *, transfer: str = "") -> bytes:
    """Return what can be decoded of a body with these values of `Content-Encoding` and `Transfer-Encoding`."""
    decoded = bytearray()
    with suppress(OSError):
        for data in _decoded_parts(body, codings, limit, transfer):
            decoded += data
    return bytes(decoded)


def _decoded_parts(body: bytes, codings: str, limit: int, transfer: str) -> Iterator[bytes]:
    names = {"Content-Encoding": _known(codings), "Transfer-Encoding": _known(transfer)}
    if not any(names.values()):
        yield body[:limit]
        return
    record = _as_record(body, names)
    while limit > 0 and (data := record.reader.read(min(limit, _STEP))):
        limit -= len(data)
        yield data


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


def _as_record(body: bytes, codings: dict[str, str]) -> WarcRecord:
    """Return a record with the body, and a reader that decodes it; FastWARC's readers decode no more than is read."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in codings.items() if value)
    http = f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode()
    head = "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
    record = f"{head}Content-Length: {len(http) + len(body)}\r\n\r\n".encode()
    return next(iter(ArchiveIterator(io.BytesIO(record + http + body), auto_decode="all")))
