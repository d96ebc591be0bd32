"""Which requests the server answers: those of the pages it served itself, on this machine, with its token."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message

    Headers = Mapping[str, str] | Message
    """The names of a message match whatever their case."""

ADDRESS: Final = "127.0.0.1"
MAX_BODY: Final = 4 * 2**20
"""Bytes: verdicts on all the 150,000 blocks a page can have at most fit in."""

_NAMES: Final = (ADDRESS, "localhost")
_HTTP_PORT: Final = 80
_OWN: Final = ("same-origin", "none")


class RefusedError(Exception):
    """The request is not answered; `status` and the text say why."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True)
class Guard:
    """Tells requests of the annotator's own browser from all others.

    The token is the first part of the path, so that there is no cookie that a browser would send to other servers on
    this machine, or at the bidding of other pages. The Host has to be this server, whatever names lead to it (DNS
    rebinding); and where the browser says from where a request comes, that has to be this server too.

    Attributes:
        port: of the server.
        token: secret; 43 characters.
    """

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def url(self) -> str:
        """The address of the list of pages."""
        return f"http://{ADDRESS}:{self.port}/{self.token}/"

    def inside(self, path: str) -> str:
        """What of a request's path follows the token.

        Raises:
            RefusedError: it does not begin with the token.
        """
        token, slash, rest = path.removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(token.encode(), self.token.encode()):
            raise RefusedError(HTTPStatus.NOT_FOUND, "nothing here: open the address that vclean label printed")
        return rest

    def check(self, method: str, headers: Headers) -> None:
        """Look at where a request comes from.

        Args:
            method: of HTTP.
            headers: of the request.

        Raises:
            RefusedError: it does not come from a page of this server.
        """
        hosts = [f"{name}:{self.port}" for name in _NAMES] + list(_NAMES if self.port == _HTTP_PORT else ())
        host, origin = headers.get("Host", ""), headers.get("Origin")
        if host.lower() not in hosts:
            raise RefusedError(HTTPStatus.FORBIDDEN, "this server answers to its own address only")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            raise RefusedError(HTTPStatus.FORBIDDEN, "this server does not answer other sites")
        if headers.get("Sec-Fetch-Site", "none") not in _OWN and not _is_visit(method, headers):
            raise RefusedError(HTTPStatus.FORBIDDEN, "this server does not answer other sites")
        if method == "POST":
            _check_body(headers)


def _is_visit(method: str, headers: Headers) -> bool:
    """Whether somebody follows a link to here, as from a terminal that is a web page itself."""
    how = headers.get("Sec-Fetch-Mode"), headers.get("Sec-Fetch-Dest")
    return method == "GET" and how == ("navigate", "document")


def _check_body(headers: Headers) -> None:
    if headers.get("Content-Type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "changes are sent as JSON")
    length = headers.get("Content-Length", "")
    if not (length.isascii() and length.isdecimal()):
        raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "the length of a change has to be told")
    if int(length) > MAX_BODY:
        raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "that is more than any change can be")
