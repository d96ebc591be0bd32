"""Serve the labelling pages, on the loopback interface only.

The paths below the token (see `strip_token`) are

======================  ====================================================================================
`GET`                   the list of pages
`GET page/N`            page N, an overlay with the controls for labelling
`GET state/N/R`         changes of page N after revision R, see `AnnotationSession.state`
`POST change/N`         `{"since": R, "blocks": [{"block": 3, "label": "h", "role": null}, ...]}`
`POST undo/N`, `redo/N` `{"since": R}`
`POST mark/N`           `{"since": R, "status": "done"}`, or `skipped`, `open`
======================  ====================================================================================

Every `POST` returns the state after the revision R, once the change is on the disk.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final, Self

from vclean.cli.batch import describe_unexpected
from vclean.errors import InputError, OutputError, UsageError, VcleanError
from vclean.labelling.preparation import list_document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from email.message import Message

    from vclean.labelling.session import AnnotationSession, Answer

    Headers = Mapping[str, str] | Message
    "The names of an `email.message.Message` are case-insensitive."


ADDRESS: Final = "127.0.0.1"
MAX_BODY: Final = 4 * 2**20
"""Bytes of the largest request: annotations of all the 150,000 blocks that a page can have fit in."""

_NAMES: Final = (ADDRESS, "localhost")
_HTTP_PORT: Final = 80


class RefusedError(Exception):
    """Refusal of a request, with its HTTP `status` and a reason."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


def strip_token(path: str, token: str) -> str:
    """Remove the token from the path of a request.

    A cookie would not do: the browser would send it to other servers on this machine, and on requests of other pages.

    Raises:
        RefusedError: the path does not begin with the token.
    """
    first, slash, rest = path.removeprefix("/").partition("/")
    if not slash or not secrets.compare_digest(first.encode(), token.encode()):
        raise RefusedError(HTTPStatus.NOT_FOUND, "no such address: open the one that vclean label printed")
    return rest


def check_request(method: str, headers: Headers, port: int) -> None:
    """Check that a request comes from the annotator's browser and from a page of this server.

    The Host header has to name this server, against DNS rebinding. If the browser sends the origin of the request, it
    has to be this server.

    Args:
        method: HTTP method.
        headers: headers of the request.
        port: port of this server.

    Raises:
        RefusedError: it does not come from a page of this server, or its body is not JSON or too large.
    """
    hosts = [f"{name}:{port}" for name in _NAMES] + list(_NAMES if port == _HTTP_PORT else ())
    host, origin = headers.get("Host", "").lower(), headers.get("Origin")
    if host not in hosts:
        raise RefusedError(HTTPStatus.FORBIDDEN, "this server only answers requests to its own address")
    # The user may follow a link to this server, as in a terminal that is a web page itself.
    mode_and_destination = headers.get("Sec-Fetch-Mode"), headers.get("Sec-Fetch-Dest")
    is_navigation = method == "GET" and mode_and_destination == ("navigate", "document")
    is_own = is_navigation or headers.get("Sec-Fetch-Site", "none") in ("same-origin", "none")
    if not is_own or (origin is not None and origin.lower() != f"http://{host}"):
        raise RefusedError(HTTPStatus.FORBIDDEN, "this server does not answer other sites")
    if method == "POST":
        _check_body(headers)


def _check_body(headers: Headers) -> None:
    if headers.get("Content-Type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "changes are sent as JSON")
    length = headers.get("Content-Length", "")
    if not (length.isascii() and length.isdecimal()):
        raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "the request has no Content-Length")
    if int(length) > MAX_BODY:
        raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the request is too large")


_SECONDS: Final = 30.0
"""Seconds in which a request has to arrive."""
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


class LabelServer(ThreadingHTTPServer):
    """Serve an annotation session in threads inside a `with` block; its end waits for a change in progress.

    Attributes:
        token: secret of 43 characters, the first part of the path of all addresses.

    Args:
        session: answers the requests.
        document: returns the HTML of a page with a number.
        port: port; 0 for any free one.

    Raises:
        UsageError: the port is in use.
    """

    def __init__(self, session: AnnotationSession, document: Callable[[int], str], port: int = 0) -> None:
        self._session = session
        self._document = document
        self.token = secrets.token_urlsafe(32)
        try:
            super().__init__((ADDRESS, port), _Handler)
        except OSError as error:
            reason = error.strerror or error
            raise UsageError(f"cannot serve on port {port} ({reason}): choose another --port, or none") from error
        self._thread = threading.Thread(target=self.serve_forever, args=(_POLL,), daemon=True)

    @property
    def url(self) -> str:
        """Return the address of the list of pages."""
        return f"http://{ADDRESS}:{self.server_port}/{self.token}/"

    def __enter__(self) -> Self:
        """Start the server."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server. Its threads are daemons: connections that browsers open early may stay idle."""
        self.shutdown()
        self.server_close()
        self._thread.join()
        self._session.lock.acquire()  # no change is in progress, and none begins

    def get(self, path: str) -> str | Answer:
        """Return an HTML document, or a value to send as JSON."""
        match path.split("/"):
            case [""]:
                return list_document(self._session.listing())
            case ["page", number]:
                return self._document(_parse_number(number))
            case ["state", number, revision]:
                return self._session.state(_parse_number(number), _parse_number(revision))
        raise _not_found()

    def post(self, path: str, body: dict[str, Any]) -> Answer:
        """Apply a change and return the state after it."""
        action, _, number = path.partition("/")
        page = _parse_number(number)
        match action:
            case "change":
                self._session.change(page, body.get("blocks"))
            case "undo" | "redo":
                self._session.undo_or_redo(page, action)
            case "mark":
                self._session.set_status(page, str(body.get("status")))
            case _:
                raise _not_found()
        return self._session.state(page, _parse_number(str(body.get("since", 0))))

    def handle_error(self, *_: object) -> None:
        """Log the error at DEBUG level: a browser that disconnects needs no traceback."""
        _log.debug("a request failed", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    server_version = "vclean"
    sys_version = ""
    timeout = _SECONDS
    server: LabelServer

    def do_GET(self) -> None:
        """Answer with a document or with JSON."""
        self._answer(self.server.get)

    def do_POST(self) -> None:
        """Apply a change."""
        self._answer(lambda path: self.server.post(path, self._read_body()))

    def log_message(self, *_: object) -> None:
        """Suppress log messages: the terminal is for the annotator."""

    def _answer(self, respond: Callable[[str], str | Answer]) -> None:
        try:
            check_request(self.command, self.headers, self.server.server_port)
            self._send(HTTPStatus.OK, respond(strip_token(self.path, self.server.token)))
        except RefusedError as error:
            self._send(error.status, {"error": str(error)})
        except VcleanError as error:
            self._send(_STATUS.get(type(error), HTTPStatus.INTERNAL_SERVER_ERROR), {"error": str(error)})
        except OSError:
            raise
        except Exception as error:  # a bug must not end the server
            _log.debug("", exc_info=True)
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": describe_unexpected(error)})

    def _read_body(self) -> dict[str, Any]:
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
            for name, value in _HEADERS.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)


def _parse_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise _not_found()
    return int(text)


def _not_found() -> RefusedError:
    return RefusedError(HTTPStatus.NOT_FOUND, "no such address: go back to the list of pages")
