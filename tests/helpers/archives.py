"""Build WARC records and change zip archives for tests."""

from __future__ import annotations

import io
import zipfile


def repacked(data: bytes, **members: bytes | None) -> bytes:
    """Return a zip archive with members replaced, or removed if None; keys are names without suffixes."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            content = members.get(name.partition(".")[0], old.read(name))
            if content is not None:
                new.writestr(name, content)
    return file.getvalue()


def record(url: str, http: bytes, kind: str = "response", extra: str = "") -> bytes:
    """Return a WARC record with an HTTP response, or with only a body for other kinds of record."""
    content_type = "application/http; msgtype=response" if kind != "resource" else "text/html; charset=utf-8"
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{extra}"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def response(body: bytes, content_type: str = "text/html", status: str = "200 OK", extra: str = "") -> bytes:
    """Return an HTTP response; `extra` are further header lines."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
    return head.encode() + body


PAGE = record("http://a.example/page", response(b"<p>one", "text/html; charset=windows-1250"))
STYLE = record("http://a.example/s.css?v=1", response(b"p{}", "text/css"))
STYLED_HTML = b"<link rel=stylesheet href='s.css?v=1'><p>one"
STYLED = record("http://a.example/page", response(STYLED_HTML, "text/html; charset=windows-1250"))
