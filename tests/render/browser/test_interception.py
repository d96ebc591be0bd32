import asyncio
import base64
from typing import Any

import pytest

from vclean.errors import NetworkError
from vclean.page import Resource
from vclean.render.browser.interception import (
    PageRequest,
    PageResponse,
    RequestInterceptor,
    StoredResponder,
    html_response,
)


def send_request(responder: StoredResponder, name: str, **request: Any) -> PageResponse | None:
    return asyncio.run(responder.answer(PageRequest(url=f"http://example.org/{name}", **request)))


def resources(**named: Resource) -> dict[str, Resource]:
    return {f"http://example.org/{name}": resource for name, resource in named.items()}


class TestHtmlResponse:
    def test_is_utf_8_and_declares_it(self) -> None:
        response = html_response("ž", content_security_policy="x")
        assert response.body == "ž".encode()
        assert dict(response.headers) == {"content-type": "text/html; charset=utf-8", "content-security-policy": "x"}


ANY_ORIGIN = ("access-control-allow-origin", "*")
STYLE_SHEET = ("content-type", "text/css")


class TestStoredResponder:
    @pytest.mark.parametrize(
        ("stored", "method", "expected"),
        [
            (Resource(b"x", "text/css", 203), "GET", PageResponse(b"x", (STYLE_SHEET, ANY_ORIGIN), 203)),
            (Resource(b"x"), "GET", PageResponse(b"x", (ANY_ORIGIN,))),
            (Resource(b"x"), "POST", None),
            (None, "GET", None),
        ],
    )
    def test_serves_stored_resources(self, stored: Resource | None, method: str, expected: PageResponse | None) -> None:
        assert send_request(StoredResponder("", resources(a=stored) if stored else {}), "a", method=method) == expected

    def test_counts_each_url_once(self) -> None:
        responder = StoredResponder("", resources(a=Resource(b"x"), b=Resource(b"", status=404)))
        assert send_request(responder, "page", document=True) is not None
        for name, method in (("a", "GET"), ("a", "HEAD"), ("b", "GET"), ("c", "GET"), ("a", "POST")):
            send_request(responder, name, method=method)
        assert responder.counts == (1, 2)


class Session:
    """Fake CDP session that records the commands."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.handlers: dict[str, Any] = {}

    def on(self, event: str, handler: Any) -> None:
        self.handlers[event] = handler

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.sent.append((method, params or {}))
        return {"frameTree": {"frame": {"id": "main"}}}


def answer_one(
    answer: PageResponse | NetworkError | None = None, *, refuses_all: bool = False, **changes: Any
) -> tuple[RequestInterceptor, list[PageRequest], Any]:
    """Give an answer to one request: a response, an error, or None to refuse it.

    Returns:
        the interceptor, the requests that the responder got, and the last command of the interceptor.
    """
    event = {
        "requestId": "r1",
        "frameId": "main",
        "resourceType": "Image",
        "request": {"url": "http://example.org/a", "method": "GET", "headers": {"Accept": "*/*"}},
    }
    requests: list[PageRequest] = []

    async def respond(request: PageRequest) -> PageResponse | None:
        requests.append(request)
        if isinstance(answer, NetworkError):
            raise answer
        return answer

    async def run() -> tuple[RequestInterceptor, list[PageRequest], Any]:
        session = Session()
        interceptor = RequestInterceptor(session, respond)
        await interceptor.start()
        interceptor.refuses_all = refuses_all
        await session.handlers["Fetch.requestPaused"](event | changes)
        return interceptor, requests, session.sent[-1]

    return asyncio.run(run())


class TestRequestInterceptor:
    def test_passes_body_of_post(self) -> None:
        entries = [{"bytes": base64.b64encode(part).decode()} for part in (b"a=1&", b"b=2")]
        _, (request,), _ = answer_one(request={"url": "u", "method": "POST", "headers": {}, "postDataEntries": entries})
        assert (request.method, request.body) == ("POST", b"a=1&b=2")

    @pytest.mark.parametrize("resource_type", ["Document", "Image"])
    @pytest.mark.parametrize("error", [None, NetworkError("gone")])
    def test_refuses_request(self, resource_type: str, error: NetworkError | None) -> None:
        # The error of the page itself is stored.
        interceptor, _, sent = answer_one(error, resourceType=resource_type)
        assert interceptor.failure is (error if resource_type == "Document" else None)
        assert sent == ("Fetch.failRequest", {"requestId": "r1", "errorReason": "Aborted"})

    def test_refuses_all_requests(self) -> None:
        interceptor, requests, sent = answer_one(PageResponse(b""), refuses_all=True, resourceType="Script")
        assert (interceptor.missed_scripts, requests, sent[0]) == (0, [], "Fetch.failRequest")

    @pytest.mark.parametrize(
        ("resource_type", "response", "missed"),
        [
            ("Script", None, 1),
            ("Script", PageResponse(b"", status=400), 1),
            ("Script", PageResponse(b""), 0),
            ("Image", None, 0),
        ],
    )
    def test_counts_missed_scripts(self, resource_type: str, response: PageResponse | None, missed: int) -> None:
        interceptor, _, _ = answer_one(response, resourceType=resource_type)
        assert interceptor.missed_scripts == missed
