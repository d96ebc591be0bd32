"""Read pages that were saved with their subresources: in a folder beside the page, or in one MHTML file (RFC 2557)."""

from __future__ import annotations

import email
import html
import posixpath
import re
from contextlib import suppress
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.parser import BytesHeaderParser
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from vclean.errors import InputError
from vclean.files import read_table
from vclean.page import Page, Resource, join_url, split_url
from vclean.render.addresses import BASE_URL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message

_PAGE_TYPES: Final = ("text/html", "application/xhtml+xml")
_TYPES: Final = dict(read_table(__file__, "types.tsv"))
"""Media types by suffix. Listed because the table of the system varies."""
_FORBIDDEN: Final = re.compile(r"^[./]|[\\:\0]")
"""Part of a path that is hidden, a parent or a root, or has the syntax of a Windows path or stream."""
_MAX_FILE: Final = 16 * 2**20
"""Bytes."""


@dataclass(frozen=True, slots=True)
class FolderResources:
    """Subresources in the folder of a saved page and below it, at the URLs that its relative links resolve to.

    A file is served if its suffix is in `_TYPES`, it has at most 16 MiB, no part of its path is hidden (starts
    with a dot), and it is inside `root` after symbolic links are resolved. Links and `..` cannot leave the folder.

    Attributes:
        root: the folder of the page.
        base_url: the URL of the page; its directory corresponds to `root`.
    """

    root: Path
    base_url: str = BASE_URL

    def get(self, url: str) -> Resource | None:
        """Return the file for the absolute `url`, or None.

        The fragment is ignored, and the query too unless it is part of the file name.
        """
        for relative in self._candidates(url):
            path = _inside(self.root, relative)
            if path is not None:
                return self._read(path)
        return None

    def _candidates(self, url: str) -> list[str]:
        """Return the paths below `root` to try, percent-decoded; some programs save the query in the file name."""
        directory, requested = split_url(join_url(self.base_url, ".")), split_url(url)
        if requested[:2] != directory[:2] or not requested.path.startswith(directory.path):
            return []
        path = unquote(requested.path[len(directory.path) :])
        return [f"{path}?{unquote(requested.query)}", path] if requested.query else [path]

    def _read(self, path: Path) -> Resource | None:
        try:
            if path.stat().st_size > _MAX_FILE:
                return None
            return Resource(path.read_bytes(), _type_of(path.name))
        except OSError:
            return None


def find_folder_resources(path: Path, url: str = "") -> FolderResources | None:
    """Return the resources in the folder of a page; None if it contains only other pages.

    Rendering a page with resources costs several times more.

    Args:
        path: the file of the page.
        url: the address of the page; empty if unknown, which means `BASE_URL`.
    """
    try:
        mtime = path.parent.stat().st_mtime_ns
    except OSError:
        return None
    return FolderResources(path.parent, url or BASE_URL) if _has_resources(path.parent, mtime) else None


@lru_cache(maxsize=64)
def _has_resources(folder: Path, _mtime: int) -> bool:
    """Return whether a folder contains a folder or a subresource; cached until the folder changes."""
    visible = (path for path in folder.iterdir() if not path.name.startswith("."))
    return any(path.is_dir() or _type_of(path.name) not in ("", *_PAGE_TYPES) for path in visible)


def _inside(root: Path, relative: str) -> Path | None:
    """Return the existing file at `relative` below `root`; None if it must not be served."""
    parts = PurePosixPath(relative).parts
    if not parts or not _type_of(parts[-1]) or any(map(_FORBIDDEN.search, parts)):
        return None
    try:
        path = root.joinpath(*parts).resolve(strict=True)
        inside = path.is_relative_to(root.resolve()) and path.is_file()
    except (OSError, ValueError):
        return None
    return path if inside and _type_of(path.name) else None


def _type_of(name: str) -> str:
    """Return the media type for the suffix of a file name, or the empty string; `a.css?v=1` is a style sheet."""
    return _TYPES.get(PurePosixPath(name.partition("?")[0]).suffix.lower(), "")


_CONTENT_ID_URL: Final = "http://cid.invalid/"
"""Base URL of parts with a content id; browsers request `cid:` URLs only from pages that are MHTML."""

_REFERENCE: Final = re.compile(rb"cid:([^\s\"'()<>]+)|file:[^\s\"'()<>]+", re.IGNORECASE)
_HEADER: Final = re.compile(rb"[A-Za-z][A-Za-z0-9-]*:")
_SNIFFED_BYTES: Final = 8192
"""Bytes in which the headers of an MHTML file are expected."""
_MAX_BYTES: Final = 64 * 2**20
"""Total size of the parts of a page; pages are sent to other processes with their parts."""

_REFERRING: Final = frozenset((*_PAGE_TYPES, "text/css", "image/svg+xml"))


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
    root = next((part for part in parts if part.get_content_type() in _PAGE_TYPES), None)
    if root is None:
        raise InputError(f"{name} contains no HTML part: is it MHTML?")
    url = _header(root, "Content-Location") or _header(message, "Snapshot-Content-Location")
    named = [part for part in parts if part is not root and (_header(part, "Content-Location") or _content_id(part))]
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
    return Page(content=content, url=url, charset=charset, resources=resources, id=name)


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


def _content_id(part: Message) -> str:
    location = _header(part, "Content-Location")
    return location.removeprefix("cid:") if location.startswith("cid:") else _header(part, "Content-ID").strip("<>")


def _header(part: Message, name: str) -> str:
    value = str(part.get(name, ""))
    if "=?" in value:
        with suppress(HeaderParseError, LookupError, UnicodeError):
            value = str(make_header(decode_header(value)))
    return "".join(value.split())
