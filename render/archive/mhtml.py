"""Read MHTML (RFC 2557): a page and its subresources in one file, as browsers and mail programs save it."""

from __future__ import annotations

import email
import html
import posixpath
import re
from contextlib import suppress
from dataclasses import dataclass, field
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.parser import BytesHeaderParser
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from vclean.errors import InputError
from vclean.page import Page, Resource, join_url, split_url
from vclean.render.archive.folder import BASE_URL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message

_CONTENT_ID_URL: Final = "http://cid.invalid/"
"""Base URL of parts with a content id; browsers request `cid:` URLs only from pages that are MHTML."""

_REFERENCE: Final = re.compile(rb"cid:([^\s\"'()<>]+)|file:[^\s\"'()<>]+", re.IGNORECASE)
_HEADER: Final = re.compile(rb"[A-Za-z][A-Za-z0-9-]*:")
_SNIFFED_BYTES: Final = 8192
"""Bytes in which the headers of an MHTML file are expected."""
_MAX_BYTES: Final = 64 * 2**20
"""Total size of the parts of a page; pages are sent to other processes with their parts."""

_REFERRING: Final = frozenset({"text/html", "application/xhtml+xml", "text/css", "image/svg+xml"})


@dataclass(frozen=True, slots=True)
class PartResources:
    """Parts of an MHTML file by absolute URL."""

    parts: dict[str, Resource] = field(default_factory=dict)

    def get(self, url: str) -> Resource | None:
        """Return the part for `url` without its fragment, or None."""
        return self.parts.get(url.partition("#")[0])


def is_mhtml(content: bytes) -> bool:
    r"""Return whether a file begins with the headers of a message with several parts.

    >>> is_mhtml(b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"), is_mhtml(b"<p>To: you")
    (True, False)
    """
    head = content[:_SNIFFED_BYTES].lstrip()
    return (
        _HEADER.match(head) is not None and BytesHeaderParser().parsebytes(head).get_content_maintype() == "multipart"
    )


def read_mhtml(source: bytes, name: str) -> Page:
    """Read the page in an MHTML file.

    A part that would raise the total size of the parts above 64 MiB is skipped.

    Args:
        source: the file.
        name: the id of the page, also used in error messages.

    Raises:
        InputError: the file contains no HTML part.
    """
    message, parts = _parts(source, name)
    root = next((part for part in parts if part.get_content_type() in ("text/html", "application/xhtml+xml")), None)
    if root is None:
        raise InputError(f"{name} contains no HTML part: is it MHTML?")
    url = _header(root, "Content-Location") or _header(message, "Snapshot-Content-Location")
    named = [part for part in parts if part is not root and _is_named(part)]
    ids = frozenset(_content_id(part).encode("utf-8", "replace") for part in parts)
    files = {location: _served_url(location, url) for part in named if _is_file(location := _url_of(part, url))}
    resources: dict[str, Resource] = {}
    remaining = _MAX_BYTES
    for part in named:
        body = _payload(part)
        media_type, charset = part.get_content_type(), part.get_content_charset("")
        if media_type in _REFERRING:
            body = _with_http_urls(body, ids, files)
        if len(body) <= remaining:
            location = _url_of(part, url)
            content_type = f"{media_type}; charset={charset}" if charset else media_type
            resources[files.get(location, location)] = Resource(body, content_type)
            remaining -= len(body)
    content = _with_http_urls(_payload(root), ids, files)
    charset = root.get_content_charset("")
    return Page(content=content, url=url, charset=charset, resources=PartResources(resources), id=name)


def _with_http_urls(body: bytes, ids: frozenset[bytes], files: Mapping[str, str]) -> bytes:
    """Replace URLs of parts that a browser would not request from a page outside the file by http URLs.

    Args:
        body: the content of a part.
        ids: the content ids of parts, which `cid:` URLs name.
        files: for parts with `file:` locations, the URL at which they are served, by location.
    """

    def replacement(match: re.Match[bytes]) -> bytes:
        if match[1] is not None:
            return _content_id_url(match[1]).encode() if match[1] in ids else match[0]
        location, _, fragment = html.unescape(match[0].decode("utf-8", "replace")).partition("#")
        return (files[location] + "#" * bool(fragment) + fragment).encode() if location in files else match[0]

    return _REFERENCE.sub(replacement, body)


def _parts(content: bytes, name: str) -> tuple[Message, list[Message]]:
    """Return the message and its leaf parts.

    Raises:
        InputError: the parts are nested too deeply.
    """
    try:
        message = email.message_from_bytes(content)
        return message, [part for part in message.walk() if not part.is_multipart()]
    except RecursionError as error:
        raise InputError(f"{name} has parts that are nested too deeply: is it MHTML?") from error


def _is_file(url: str) -> bool:
    return url.lower().startswith("file:")


def _served_url(url: str, base: str) -> str:
    """Return the URL at which a `file:` part is served; relative links of the page, at `BASE_URL`, resolve to it.

    >>> _served_url("file:///C:/docs/page_files/a.css", "file:///C:/docs/page.html")
    'http://page.invalid/page_files/a.css'
    """
    folder = posixpath.dirname(split_url(base).path) if _is_file(base) else "/"
    return join_url(BASE_URL, posixpath.relpath(split_url(url).path or "/", folder or "/"))


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _content_id_url(identifier: str | bytes) -> str:
    return _CONTENT_ID_URL + quote(identifier, safe="")


def _url_of(part: Message, base: str) -> str:
    location = _header(part, "Content-Location")
    if location.startswith("cid:"):
        return _content_id_url(location.removeprefix("cid:"))
    return (join_url(base, location) or location) if location else _content_id_url(_content_id(part))


def _is_named(part: Message) -> bool:
    return bool(_header(part, "Content-Location") or _content_id(part))


def _content_id(part: Message) -> str:
    location = _header(part, "Content-Location")
    return location.removeprefix("cid:") if location.startswith("cid:") else _header(part, "Content-ID").strip("<>")


def _header(part: Message, name: str) -> str:
    value = str(part.get(name, ""))
    if "=?" in value:
        with suppress(HeaderParseError, LookupError, UnicodeError):
            value = str(make_header(decode_header(value)))
    return "".join(value.split())
