import asyncio
import base64
import contextlib
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
        assert (responder.served, responder.missed) == (1, 2)

    def test_uses_fallback_for_missing_resources(self) -> None:
        fallback = FixedResponder(PageResponse(b"other"))
        responder = StoredResponder("<p>", resources(a=Resource(b"x")), fallback.answer)
        names = {"page": True, "a": False, "b": False}
        responses = [send_request(responder, name, document=document) for name, document in names.items()]
        assert [response and response.body for response in responses] == [b"<p>", b"x", b"other"]
        assert [request.url.rpartition("/")[2] for request in fallback.requests] == ["b"]
        assert (responder.served, responder.missed) == (2, 0)

    @pytest.mark.parametrize("answer", [None, PageResponse(b"gone", status=404), NetworkError("unreachable")])
    def test_counts_resources_that_the_fallback_lacks(self, answer: PageResponse | Exception | None) -> None:
        responder = StoredResponder("", None, FixedResponder(answer).answer)
        with contextlib.suppress(NetworkError):
            send_request(responder, "a")
        assert (responder.served, responder.missed) == (0, 1)


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


class FixedResponder:
    """Responder with a fixed response, which may be an error."""

    def __init__(self, answer: PageResponse | Exception | None) -> None:
        self.response = answer
        self.requests: list[PageRequest] = []

    async def answer(self, request: PageRequest) -> PageResponse | None:
        self.requests.append(request)
        if isinstance(self.response, Exception):
            raise self.response
        return self.response


def intercept_one(responder: FixedResponder, **changes: Any) -> tuple[RequestInterceptor, tuple[str, dict[str, Any]]]:
    """Return an interceptor after one request, and the last command it sent."""
    event = {
        "requestId": "r1",
        "frameId": "main",
        "resourceType": "Image",
        "request": {"url": "http://example.org/a", "method": "GET", "headers": {"Accept": "*/*"}},
    }

    async def run() -> tuple[RequestInterceptor, tuple[str, dict[str, Any]]]:
        session = Session()
        interceptor = RequestInterceptor(session, responder.answer)
        await interceptor.start()
        await session.handlers["Fetch.requestPaused"](event | changes)
        return interceptor, session.sent[-1]

    return asyncio.run(run())


class TestRequestInterceptor:
    def test_pauses_all_requests(self) -> None:
        session = Session()
        asyncio.run(RequestInterceptor(session, FixedResponder(None).answer).start())
        assert ("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}) in session.sent

    def test_passes_body_of_post(self) -> None:
        entries = [{"bytes": base64.b64encode(part).decode()} for part in (b"a=1&", b"b=2")]
        responder = FixedResponder(None)
        request = {"url": "u", "method": "POST", "headers": {}, "postDataEntries": entries}
        intercept_one(responder, request=request)
        assert (responder.requests[0].method, responder.requests[0].body) == ("POST", b"a=1&b=2")

    @pytest.mark.parametrize("resource_type", ["Document", "Image"])
    @pytest.mark.parametrize("answer", [None, NetworkError("gone")])
    def test_refuses_request(self, resource_type: str, answer: NetworkError | None) -> None:
        # The error of the page itself is stored.
        interceptor, sent = intercept_one(FixedResponder(answer), resourceType=resource_type)
        assert interceptor.failure is (answer if resource_type == "Document" else None)
        assert sent == ("Fetch.failRequest", {"requestId": "r1", "errorReason": "Aborted"})

    def test_logs_other_errors(self, caplog: pytest.LogCaptureFixture) -> None:
        # A paused request without an answer would block the page until its deadline.
        _, (method, _) = intercept_one(FixedResponder(ValueError("odd")))
        assert method == "Fetch.failRequest"
        assert "http://example.org/a could not be read" in caplog.text
