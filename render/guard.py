"""What a page may load: every request of a tab is paused, and answered from a `Source` or refused.

The browser itself has no way out (see the flags in launch.py), so that what slips past the pause fails too.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from vclean.errors import VcleanError
from vclean.render.devtools import main_frame
from vclean.render.pipe import refusals

if TYPE_CHECKING:
    from vclean.page import Resources
    from vclean.render.devtools import Session

_LOG = logging.getLogger("vclean")

_POLICY: Final = "sandbox allow-forms allow-same-origin allow-scripts"
"""Pages act as ever, but for downloads (which fill the disk before they are refused), dialogs and new windows."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a page: headers as the browser has them before cookies; `document` for the page itself."""

    url: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    document: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to a request, with the body as the page sees it, not compressed."""

    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


class Source(Protocol):
    """Where the answers to a page's requests come from."""

    async def answer(self, request: Request) -> Response | None:
        """The answer, or None to refuse the request.

        Raises:
            VcleanError: the request cannot be answered; for the page itself, that is the end of the rendering.
        """


def html(text: str, **headers: str) -> Response:
    """A page of UTF-8 text; header names are given with underscores."""
    fields = {"content-type": "text/html; charset=utf-8", "content-security-policy": _POLICY} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return Response(text.encode("utf-8", "replace"), tuple(fields.items()))


class StoredSource:
    """A page at hand and its sub-resources, if it has any.

    Args:
        text: the document, given to the first request for one: the tab's navigation to the page.
        resources: everything else; None for nothing.
        otherwise: asked for the sub-resources that are not there; None for nobody.

    A browser may ask twice for what it did not get: a URL counts once.
    """

    def __init__(self, text: str, resources: Resources | None, otherwise: Source | None = None) -> None:
        self._found: dict[str, bool] = {}
        self._text: str | None = text
        self._resources = resources
        self._otherwise = otherwise

    @property
    def served(self) -> int:
        """The sub-resources that were found."""
        return sum(self._found.values())

    @property
    def missed(self) -> int:
        """Those that were not, or not yet."""
        return len(self._found) - self.served

    async def answer(self, request: Request) -> Response | None:
        """The document, once, or a sub-resource. The page may not go elsewhere, and sends nothing."""
        if request.document:
            text, self._text = self._text, None
            return None if text is None else html(text)
        self._found.setdefault(request.url, False)
        if request.method not in ("GET", "HEAD"):
            return None
        response = await self._stored(request.url) or await self._fetched(request)
        if response is not None and response.status < 400:
            self._found[request.url] = True
        return response

    async def _stored(self, url: str) -> Response | None:
        if self._resources is None:
            return None
        # In a thread: a source may read from disk, and must not hold up the pages of other tabs.
        found = await asyncio.to_thread(self._resources.get, url)
        if found is None:
            return None
        # Fonts and modules are loaded with CORS, whose headers archives do not keep.
        headers = (("content-type", found.content_type), ("access-control-allow-origin", "*"))
        return Response(found.body, headers if found.content_type else headers[1:], found.status)

    async def _fetched(self, request: Request) -> Response | None:
        return None if self._otherwise is None else await self._otherwise.answer(request)


class Guard:
    """Pauses the requests of a session's target and lets `source` answer them.

    Attributes:
        failure: what `source` raised for the page itself.
    """

    def __init__(self, session: Session, source: Source) -> None:
        self.failure: VcleanError | None = None
        self._session = session
        self._source = source
        self._frame = ""

    async def start(self, resource_type: str | None = None) -> None:
        """Pause requests from now on: all, or those of one CDP resource type."""
        self._frame = await main_frame(self._session)
        self._session.on("Fetch.requestPaused", self._paused)
        pattern = {"urlPattern": "*"} | ({"resourceType": resource_type} if resource_type else {})
        await self._session.send("Fetch.enable", {"patterns": [pattern]})

    async def _paused(self, event: dict[str, Any]) -> None:
        response = await self._answer(_request(event, self._frame))
        # The tab may be gone by now, with nobody left to tell.
        with contextlib.suppress(*refusals()):
            if response is None:
                await self._refuse(event["requestId"])
            else:
                await self._fulfil(event["requestId"], response)

    async def _answer(self, request: Request) -> Response | None:
        try:
            return await self._source.answer(request)
        except VcleanError as error:
            if request.document:
                self.failure = error
        except Exception:  # a source is anybody's code, and a paused request would wait for ever
            _LOG.warning("%s could not be read from the page's resources", request.url, exc_info=True)
        return None

    async def _refuse(self, request_id: str) -> None:
        """Aborting a navigation leaves the page that is there in place."""
        await self._session.send("Fetch.failRequest", {"requestId": request_id, "errorReason": "Aborted"})

    async def _fulfil(self, request_id: str, response: Response) -> None:
        answer = {
            "requestId": request_id,
            "responseCode": response.status,
            "responseHeaders": [{"name": name, "value": value} for name, value in response.headers],
            "body": base64.b64encode(response.body).decode("ascii"),
        }
        await self._session.send("Fetch.fulfillRequest", answer)


def _request(event: dict[str, Any], frame: str) -> Request:
    request = event["request"]
    entries = [base64.b64decode(entry["bytes"]) for entry in request.get("postDataEntries", ()) if "bytes" in entry]
    return Request(
        url=request["url"],
        method=request["method"],
        headers=request["headers"],
        body=b"".join(entries) or None,
        document=event["resourceType"] == "Document" and event["frameId"] == frame,
    )
