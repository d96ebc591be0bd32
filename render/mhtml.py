"""MHTML (RFC 2557): one page and its sub-resources in one file, as browsers and mail programs save it."""

from __future__ import annotations

import email
import email.policy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urljoin

from vclean.errors import InputError
from vclean.page import Page, Resource

if TYPE_CHECKING:
    from email.message import EmailMessage

_CONTENT_ID_URL: Final = "http://cid.invalid/"
"""Where parts named by content id are served: no browser fetches `cid:` from a page that is not MHTML itself."""

_REFERRING: Final = frozenset({"text/html", "application/xhtml+xml", "text/css", "image/svg+xml"})


@dataclass(frozen=True, slots=True)
class PartResources:
    """The parts of an MHTML file by absolute URL."""

    parts: dict[str, Resource] = field(default_factory=dict)

    def get(self, url: str) -> Resource | None:
        """The part for `url`, fragment ignored, or None."""
        return self.parts.get(url.partition("#")[0])


def read_mhtml(content: bytes, name: str) -> Page:
    """The page in an MHTML file; `name` is used in messages and as the page's id.

    Raises:
        InputError: there is no HTML part in it.
    """
    message = email.message_from_bytes(content, policy=email.policy.default)
    parts = [part for part in message.walk() if not part.is_multipart()]
    root = next((part for part in parts if part.get_content_type() in ("text/html", "application/xhtml+xml")), None)
    if root is None:
        raise InputError(f"{name} holds no HTML part: is it MHTML?")
    url = _header(root, "Content-Location") or _header(message, "Snapshot-Content-Location")
    ids = [_content_id(part) for part in parts]
    resources = {_url_of(part, url): _resource(part, ids) for part in parts if part is not root and _is_named(part)}
    body = _with_content_ids(_payload(root), ids)
    charset = root.get_content_charset("")
    return Page(content=body, url=url, charset=charset, resources=PartResources(resources), id=name)


def _resource(part: EmailMessage, ids: list[str]) -> Resource:
    kind, charset = part.get_content_type(), part.get_content_charset("")
    body = _with_content_ids(_payload(part), ids) if kind in _REFERRING else _payload(part)
    return Resource(body, f"{kind}; charset={charset}" if charset else kind)


def _payload(part: EmailMessage) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _with_content_ids(body: bytes, ids: list[str]) -> bytes:
    for identifier in filter(None, ids):
        body = body.replace(f"cid:{identifier}".encode(), _content_id_url(identifier).encode())
    return body


def _content_id_url(identifier: str) -> str:
    return _CONTENT_ID_URL + quote(identifier, safe="")


def _url_of(part: EmailMessage, base: str) -> str:
    location = _header(part, "Content-Location")
    if location.startswith("cid:"):
        return _content_id_url(location.removeprefix("cid:"))
    try:
        return urljoin(base, location) if location else _content_id_url(_content_id(part))
    except ValueError:
        return location


def _is_named(part: EmailMessage) -> bool:
    return bool(_header(part, "Content-Location") or _content_id(part))


def _content_id(part: EmailMessage) -> str:
    location = _header(part, "Content-Location")
    return location.removeprefix("cid:") if location.startswith("cid:") else _header(part, "Content-ID").strip("<>")


def _header(part: EmailMessage, name: str) -> str:
    return "".join(str(part.get(name, "")).split())
