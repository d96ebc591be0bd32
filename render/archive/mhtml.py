"""Read MHTML (RFC 2557): a page and its subresources in one file, as browsers and mail programs save it."""

from __future__ import annotations

import email
import re
from contextlib import suppress
from dataclasses import dataclass, field
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urljoin

from vclean.errors import InputError
from vclean.page import Page, Resource

if TYPE_CHECKING:
    from collections.abc import Iterable
    from email.message import Message

_CONTENT_ID_URL: Final = "http://cid.invalid/"
"""Base URL of parts with a content id; browsers request `cid:` URLs only from pages that are MHTML."""

_CONTENT_ID: Final = re.compile(rb"cid:([^\s\"'()<>]+)")
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


def read_mhtml(content: bytes, name: str) -> Page:
    """Read the page in an MHTML file.

    A part that would raise the total size of the parts above 64 MiB is skipped.

    Args:
        content: the file.
        name: the id of the page, also used in error messages.

    Raises:
        InputError: the file contains no HTML part.
    """
    message, parts = _parts(content, name)
    root = next((part for part in parts if part.get_content_type() in ("text/html", "application/xhtml+xml")), None)
    if root is None:
        raise InputError(f"{name} contains no HTML part: is it MHTML?")
    url = _header(root, "Content-Location") or _header(message, "Snapshot-Content-Location")
    ids = {_content_id(part).encode("utf-8", "replace") for part in parts}
    resources = _resources((part for part in parts if part is not root and _is_named(part)), url, ids)
    body = _replace_content_ids(_payload(root), ids)
    charset = root.get_content_charset("")
    return Page(content=body, url=url, charset=charset, resources=PartResources(resources), id=name)


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


def _resources(parts: Iterable[Message], base: str, ids: set[bytes]) -> dict[str, Resource]:
    resources: dict[str, Resource] = {}
    remaining = _MAX_BYTES
    for part in parts:
        resource = _resource(part, ids)
        if len(resource.body) <= remaining:
            resources[_url_of(part, base)] = resource
            remaining -= len(resource.body)
    return resources


def _resource(part: Message, ids: set[bytes]) -> Resource:
    media_type, charset = part.get_content_type(), part.get_content_charset("")
    body = _replace_content_ids(_payload(part), ids) if media_type in _REFERRING else _payload(part)
    return Resource(body, f"{media_type}; charset={charset}" if charset else media_type)


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _replace_content_ids(body: bytes, ids: set[bytes]) -> bytes:
    """Replace each `cid:` URL with an id in `ids` by an http URL."""

    def replace(match: re.Match[bytes]) -> bytes:
        return _content_id_url(match[1]).encode() if match[1] in ids else match[0]

    return _CONTENT_ID.sub(replace, body)


def _content_id_url(identifier: str | bytes) -> str:
    return _CONTENT_ID_URL + quote(identifier, safe="")


def _url_of(part: Message, base: str) -> str:
    location = _header(part, "Content-Location")
    if location.startswith("cid:"):
        return _content_id_url(location.removeprefix("cid:"))
    try:
        return urljoin(base, location) if location else _content_id_url(_content_id(part))
    except ValueError:
        return location


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
