"""The server of the labelling pages, on the loopback interface only.

Below the token (see `vclean.labelling.guard`) are

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
import socket
import threading
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final, Self

from vclean.errors import InputError, OutputError, UsageError, VcleanError
from vclean.explain import unexpected
from vclean.labelling.desk import MOVES
from vclean.labelling.guard import ADDRESS, Guard, RefusedError
from vclean.labelling.sheet import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from vclean.labelling.desk import Answer, Desk

    _Connection = socket.socket | tuple[bytes, socket.socket]
    """As the standard library's types have it, for servers of UDP, too."""

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
