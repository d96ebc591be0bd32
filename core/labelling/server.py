"""The server of the labelling pages, on the loopback interface only.

Below the token (see `vclean.labelling.server`) are

======================  ====================================================================================
`GET`                   the list of pages
`GET list`              the same as JSON, see `Desk.listing`
`GET page/N`            page N, an overlay with the controls of labelling
`GET state/N/R`         what changed of page N after revision R, see `Desk.state`
`POST change/N`         `{"since": R, "blocks": [{"block": 3, "label": "h", "role": null}, ...]}`
`POST undo/N`, `redo/N` `{"since": R}`
`POST mark/N`           `{"since": R, "status": "done"}`, or `skipped`, `open`
======================  ====================================================================================

Every `POST` is answered with the state after the revision R, and after the change is on the disk.
"""

from __future__ import annotations

import json
import logging
import secrets
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final, Self

from vclean.cli.batch import unexpected
from vclean.errors import InputError, OutputError, UsageError, VcleanError
from vclean.labelling.session import MOVES
from vclean.labelling.store import Status

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message

    Headers = Mapping[str, str] | Message
    "The names of a message match whatever their case."
    from collections.abc import Callable

    from vclean.labelling.session import Answer, Desk

    _Connection = socket.socket | tuple[bytes, socket.socket]
    "As the standard library's types have it, for servers of UDP, too."


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


_SECONDS: Final = 30.0
"""For one request to arrive."""
_POLL: Final = 0.1
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_STATUS: Final = {
    InputError: HTTPStatus.NOT_FOUND,
    UsageError: HTTPStatus.BAD_REQUEST,
    OutputError: HTTPStatus.INSUFFICIENT_STORAGE,
}

_log = logging.getLogger("vclean")


class LabelServer:
    """Serves a desk, from threads of its own, as long as its `with` block lasts.

    Args:
        desk: what is asked for.
        document: the HTML of a page, by its number.
        index: the HTML of the list of pages.
        port: where; 0 for any that is free.

    Raises:
        UsageError: the port is in use.
    """

    def __init__(self, desk: Desk, document: Callable[[int], str], index: str, port: int = 0) -> None:
        routes = _Routes(desk, document, index)
        try:
            self._server = _Server((ADDRESS, port), partial(_Handler, routes))
        except OSError as error:
            reason = error.strerror or error
            raise UsageError(f"cannot serve on port {port} ({reason}): choose another --port, or none") from error
        routes.guard = self.guard = Guard(self._server.server_port)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL,), daemon=True)

    @property
    def url(self) -> str:
        """Where the list of pages is."""
        return self.guard.url

    def __enter__(self) -> Self:
        """Begin to answer."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Answer no more; what is in hand is done to its end."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    """Its end cuts the connections that browsers keep open, and waits for requests in hand."""

    daemon_threads = False

    def __init__(self, address: tuple[str, int], handler: Callable[..., BaseHTTPRequestHandler]) -> None:
        self._open: set[_Connection] = set()
        super().__init__(address, handler)

    def process_request(self, request: _Connection, client_address: Any) -> None:  # noqa: ANN401 - of any family
        """Answer a connection in a thread of its own."""
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: _Connection) -> None:
        """End a connection."""
        self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        """End the server."""
        for request in tuple(self._open):
            with suppress(OSError):  # it is gone
                assert isinstance(request, socket.socket)
                request.shutdown(socket.SHUT_RD)
        super().server_close()

    def handle_error(self, *_: object) -> None:
        """A browser that hangs up in the middle is no error, and no reason for a traceback."""
        _log.debug("a request ended badly", exc_info=True)


class _Routes:
    """From a request to its answer."""

    guard: Guard

    def __init__(self, desk: Desk, document: Callable[[int], str], index: str) -> None:
        self._desk = desk
        self._document = document
        self._index = index

    def get(self, path: str) -> str | Answer:
        """HTML, or what is to be JSON."""
        match path.split("/"):
            case [""]:
                return self._index
            case ["list"]:
                return self._desk.listing()
            case ["page", number]:
                return self._document(_number(number))
            case ["state", number, revision]:
                return self._desk.state(_number(number), _number(revision))
        raise _nothing()

    def post(self, path: str, body: dict[str, Any]) -> Answer:
        """Change what is to be changed, and the state after that."""
        match path.split("/"):
            case ["change", number]:
                page = _number(number)
                self._desk.change(page, _listed(body.get("blocks")))
            case [move, number] if move in MOVES:
                page = _number(number)
                self._desk.move(page, move)
            case ["mark", number]:
                page = _number(number)
                self._desk.mark(page, _status(body.get("status")))
            case _:
                raise _nothing()
        return self._desk.state(page, _number(str(body.get("since", 0))))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "vclean"
    sys_version = ""
    timeout = _SECONDS

    def __init__(self, routes: _Routes, *arguments: object) -> None:
        self._routes = routes
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer with a document or with facts."""
        self._answer(self._routes.get)

    def do_POST(self) -> None:
        """Change something."""
        self._answer(lambda path: self._routes.post(path, self._body()))

    def log_message(self, *_: object) -> None:
        """Say nothing: the terminal is for the annotator."""

    def _answer(self, find: Callable[[str], str | Answer]) -> None:
        try:
            self._routes.guard.check(self.command, self.headers)
            self._send(HTTPStatus.OK, find(self._routes.guard.inside(self.path)))
        except RefusedError as error:
            self.close_connection = True  # there may be a body that nobody read, and that is no request
            self._send(error.status, {"error": str(error)})
        except VcleanError as error:
            self._send(_STATUS.get(type(error), HTTPStatus.INTERNAL_SERVER_ERROR), {"error": str(error)})
        except OSError:
            raise
        except Exception as error:
            _log.debug("", exc_info=True)
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": unexpected(error)})

    def _body(self) -> dict[str, Any]:
        try:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        except ValueError as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "changes are sent as JSON") from error
        if not isinstance(body, dict):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "a change is an object")
        return body

    def _send(self, status: HTTPStatus, answer: str | Answer) -> None:
        html = isinstance(answer, str)
        data = answer if isinstance(answer, str) else json.dumps(answer, allow_nan=False, separators=(",", ":"))
        content = data.encode("utf-8", "replace")
        with suppress(ConnectionError):  # the tab was closed
            self.send_response(status)
            self.send_header("Content-Type", f"{'text/html' if html else 'application/json'}; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            if self.close_connection:
                self.send_header("Connection", "close")
            for name, value in _HEADERS.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise _nothing()
    return int(text)


def _listed(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise RefusedError(HTTPStatus.BAD_REQUEST, "blocks is a list")
    return value


def _status(value: object) -> Status:
    try:
        return Status(str(value))
    except ValueError:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "status is done, skipped or open") from None


def _nothing() -> RefusedError:
    return RefusedError(HTTPStatus.NOT_FOUND, "nothing here: go back to the list of pages")
