"""Intercept the requests of a page: each is paused, and answered by a `Responder` or refused.

The browser itself reaches no network (see the flags in process.py): a request that is not intercepted fails too.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from vclean.errors import VcleanError
from vclean.render.browser.cdp import ProtocolError, main_frame_id

if TYPE_CHECKING:
    from vclean.page import Resources
    from vclean.render.browser.driver import Session

_LOG = logging.getLogger("vclean")

_POLICY: Final = "sandbox allow-forms allow-same-origin allow-scripts"
"""Everything is allowed but downloads (which fill the disk before they are refused), dialogs and new windows."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request of a page.

    Attributes:
        url: its address.
        method: the HTTP method.
        headers: the headers that the browser sets, before cookies.
        body: the data that is sent.
        document: whether the request is for the page itself.
    """

    url: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    document: bool = False


@dataclass(frozen=True, slots=True)
class PageResponse:
    """The response to a request; the body is not compressed."""

    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


class Responder(Protocol):
    """Answers the requests of a page."""

    async def answer(self, request: PageRequest) -> PageResponse | None:
        """Return the response, or None to refuse the request.

        Raises:
            VcleanError: the request cannot be answered; if it is for the page itself, rendering fails.
        """


def html_response(text: str, **headers: str) -> PageResponse:
    """Return an HTML response in UTF-8; header names are given with underscores."""
    fields = {"content-type": "text/html; charset=utf-8", "content-security-policy": _POLICY} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return PageResponse(text.encode("utf-8", "replace"), tuple(fields.items()))


class StoredResponder:
    """Answers requests from a page and its sub-resources.

    Args:
        text: the document; the answer to the first request for one, which is the tab's navigation to the page.
        resources: the sub-resources; None for none.
        fallback: answers requests for other sub-resources; None to refuse them.

    A browser may request again what it did not get: a URL counts once.
    """

    def __init__(self, text: str, resources: Resources | None, fallback: Responder | None = None) -> None:
        self._answered: dict[str, bool] = {}
        self._text: str | None = text
        self._resources = resources
        self._fallback = fallback

    @property
    def served(self) -> int:
        """The number of sub-resources that were answered."""
        return sum(self._answered.values())

    @property
    def missed(self) -> int:
        """The number of sub-resources that were not, or not yet."""
        return len(self._answered) - self.served

    async def answer(self, request: PageRequest) -> PageResponse | None:
        """Return the document, once, or a sub-resource. The page cannot navigate elsewhere, and sends no data."""
        if request.document:
            text, self._text = self._text, None
            return None if text is None else html_response(text)
        self._answered.setdefault(request.url, False)
        if request.method not in ("GET", "HEAD"):
            return None
        response = await self._stored(request.url) or await self._fetched(request)
        if response is not None and response.status < 400:
            self._answered[request.url] = True
        return response

    async def _stored(self, url: str) -> PageResponse | None:
        if self._resources is None:
            return None
        # In a thread: a source may read from disk, and must not hold up the pages of other tabs.
        resource = await asyncio.to_thread(self._resources.get, url)
        if resource is None:
            return None
        # Fonts and modules are loaded with CORS, whose headers archives do not keep.
        headers = (("content-type", resource.content_type), ("access-control-allow-origin", "*"))
        return PageResponse(resource.body, headers if resource.content_type else headers[1:], resource.status)

    async def _fetched(self, request: PageRequest) -> PageResponse | None:
        return None if self._fallback is None else await self._fallback.answer(request)


class RequestInterceptor:
    """Pauses the requests of a tab and lets a responder answer them.

    Attributes:
        failure: the error that the responder raised for the page itself.
    """

    def __init__(self, session: Session, responder: Responder) -> None:
        self.failure: VcleanError | None = None
        self._session = session
        self._responder = responder
        self._frame = ""

    async def start(self, resource_type: str | None = None) -> None:
        """Intercept requests from now on: all, or those of one CDP resource type."""
        self._frame = await main_frame_id(self._session)
        self._session.on("Fetch.requestPaused", self._on_request_paused)
        pattern = {"urlPattern": "*"} | ({"resourceType": resource_type} if resource_type else {})
        await self._session.send("Fetch.enable", {"patterns": [pattern]})

    async def _on_request_paused(self, event: dict[str, Any]) -> None:
        response = await self._answer(_request(event, self._frame))
        # The tab may be closed by now.
        with contextlib.suppress(ProtocolError):
            if response is None:
                await self._refuse(event["requestId"])
            else:
                await self._fulfill(event["requestId"], response)

    async def _answer(self, request: PageRequest) -> PageResponse | None:
        try:
            return await self._responder.answer(request)
        except VcleanError as error:
            if request.document:
                self.failure = error
        except Exception:  # a responder may be foreign code, and a paused request would wait for ever
            _LOG.warning("%s could not be read from the page's resources", request.url, exc_info=True)
        return None

    async def _refuse(self, request_id: str) -> None:
        """Abort the request; an aborted navigation leaves the present page in place."""
        await self._session.send("Fetch.failRequest", {"requestId": request_id, "errorReason": "Aborted"})

    async def _fulfill(self, request_id: str, response: PageResponse) -> None:
        answer = {
            "requestId": request_id,
            "responseCode": response.status,
            "responseHeaders": [{"name": name, "value": value} for name, value in response.headers],
            "body": base64.b64encode(response.body).decode("ascii"),
        }
        await self._session.send("Fetch.fulfillRequest", answer)


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
