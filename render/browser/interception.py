"""Intercept the requests of a page: pause each request, and let a `Responder` answer or refuse it.

The browser cannot reach the network (see the flags in process.py): requests that are not intercepted fail.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import VcleanError
from vclean.render.browser.cdp import ProtocolError, main_frame

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from vclean.page import Resources
    from vclean.render.browser.cdp import Session

    Responder = Callable[["PageRequest"], Awaitable["PageResponse | None"]]
    """Function that returns the response to a request of a page, or None to refuse it.

    It raises `VcleanError` if it cannot be answered; if the request is for the page itself, rendering fails.
    """

_LOG = logging.getLogger("vclean")

_POLICY: Final = "sandbox allow-forms allow-same-origin allow-scripts"
"""Sandbox that forbids downloads (they fill the disk before they are refused), dialogs and new windows."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Request of a page.

    Attributes:
        url: the requested URL.
        method: the HTTP method.
        headers: the headers from the browser, without cookies.
        body: the data to send.
        document: whether the request is for the page itself.
    """

    url: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    document: bool = False


@dataclass(frozen=True, slots=True)
class PageResponse:
    """Response to a request; the body is not compressed."""

    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


def html_response(text: str, **headers: str) -> PageResponse:
    """Return an HTML response in UTF-8; `headers` are named with underscores."""
    fields = {"content-type": "text/html; charset=utf-8", "content-security-policy": _POLICY} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return PageResponse(text.encode("utf-8", "replace"), tuple(fields.items()))


class StoredResponder:
    """Server of a given document and its subresources; its method `answer` is a `Responder`.

    It counts each URL once, because a browser may repeat a request that failed.

    Args:
        text: the document, which answers the first request for a document: the navigation to the page.
        resources: the subresources; None for none.
        fallback: answers requests for other subresources; None to refuse them.
    """

    def __init__(self, text: str, resources: Resources | None, fallback: Responder | None = None) -> None:
        self._answered: dict[str, bool] = {}
        self._text: str | None = text
        self._resources = resources
        self._fallback = fallback

    @property
    def counts(self) -> tuple[int, int]:
        """Return the number of subresources that were served, and of those that were requested and not served."""
        served = sum(self._answered.values())
        return served, len(self._answered) - served

    async def answer(self, request: PageRequest) -> PageResponse | None:
        """Return the document, once, or a subresource. The page cannot navigate to another URL or send data."""
        if request.document:
            text, self._text = self._text, None
            return None if text is None else html_response(text)
        self._answered.setdefault(request.url, False)
        if request.method not in ("GET", "HEAD"):
            return None
        # In a thread: a source may read from disk, and must not block the pages of other tabs.
        stored = await asyncio.to_thread(self._resources.get, request.url) if self._resources is not None else None
        response = None
        if stored is not None:
            # Fonts and modules are loaded with CORS; archives do not store its headers.
            headers = (("content-type", stored.content_type), ("access-control-allow-origin", "*"))
            response = PageResponse(stored.body, headers if stored.content_type else headers[1:], stored.status)
        elif self._fallback is not None:
            response = await self._fallback(request)
        if response is not None and response.status < 400:
            self._answered[request.url] = True
        return response


class RequestInterceptor:
    """Interceptor that pauses the requests of a tab and lets a responder answer them.

    Attributes:
        failure: the error of the responder for the page itself, or None.
        refuses_all: whether to refuse all requests from now on.
        missed_scripts: number of scripts that were requested before and not served.
    """

    def __init__(self, session: Session, responder: Responder) -> None:
        self.failure: VcleanError | None = None
        self.refuses_all = False
        self.missed_scripts = 0
        self._session = session
        self._responder = responder
        self._frame = ""

    async def start(self, resource_type: str | None = None) -> None:
        """Start to intercept all requests, or those of one CDP resource type."""
        self._frame = (await main_frame(self._session))["id"]
        self._session.on("Fetch.requestPaused", self._on_request_paused)
        pattern = {"urlPattern": "*"} | ({"resourceType": resource_type} if resource_type else {})
        await self._session.send("Fetch.enable", {"patterns": [pattern]})

    async def _on_request_paused(self, event: dict[str, Any]) -> None:
        response = None if self.refuses_all else await self._answer(_request(event, self._frame))
        if event["resourceType"] == "Script" and not self.refuses_all and (response is None or response.status >= 400):
            self.missed_scripts += 1
        # The tab may have been closed.
        with contextlib.suppress(ProtocolError):
            if response is None:
                # After an aborted navigation the current page remains.
                aborted = {"requestId": event["requestId"], "errorReason": "Aborted"}
                await self._session.send("Fetch.failRequest", aborted)
            else:
                answer = {
                    "requestId": event["requestId"],
                    "responseCode": response.status,
                    "responseHeaders": [{"name": name, "value": value} for name, value in response.headers],
                    "body": base64.b64encode(response.body).decode("ascii"),
                }
                await self._session.send("Fetch.fulfillRequest", answer)

    async def _answer(self, request: PageRequest) -> PageResponse | None:
        try:
            return await self._responder(request)
        except VcleanError as error:
            if request.document:
                self.failure = error
        except Exception:  # a responder may be code of a user, and a paused request would wait forever
            _LOG.warning("%s could not be read from the page's resources", request.url, exc_info=True)
        return None


def _request(event: dict[str, Any], frame: str) -> PageRequest:
    request = event["request"]
    entries = [base64.b64decode(entry["bytes"]) for entry in request.get("postDataEntries", ()) if "bytes" in entry]
    return PageRequest(
        url=request["url"],
        method=request["method"],
        headers=request["headers"],
        body=b"".join(entries) or None,
        document=event["resourceType"] == "Document" and event["frameId"] == frame,
    )
