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


class Store:
    def __init__(self, **held: Resource) -> None:
        self.held = {f"http://example.org/{name}": resource for name, resource in held.items()}

    def get(self, url: str) -> Resource | None:
        return self.held.get(url)


def ask(source: StoredResponder, name: str, **request: Any) -> PageResponse | None:
    return asyncio.run(source.answer(PageRequest(url=f"http://example.org/{name}", **request)))


class TestHtml:
    def test_is_utf_8_and_says_so(self) -> None:
        response = html_response("ž", content_security_policy="x")
        assert response.body == "ž".encode()
        assert dict(response.headers) == {"content-type": "text/html; charset=utf-8", "content-security-policy": "x"}

    def test_lone_surrogates_are_replaced(self) -> None:
        assert html_response("a\ud800").body == b"a?"


class TestStoredSource:
    def test_document_once(self) -> None:
        """The page may not go elsewhere, nor be loaded again."""
        source = StoredResponder("<p>", Store(other=Resource(b"<b>", "text/html")))
        assert ask(source, "page", document=True).body == b"<p>"
        assert ask(source, "page", document=True) is None
        assert ask(source, "other", document=True) is None

    def test_resource_as_it_was_served(self) -> None:
        response = ask(StoredResponder("", Store(a=Resource(b"x", "text/css", 203))), "a")
        assert (response.body, response.status) == (b"x", 203)
        assert dict(response.headers)["content-type"] == "text/css"

    def test_every_origin_may_use_it(self) -> None:
        response = ask(StoredResponder("", Store(a=Resource(b"x"))), "a")
        assert response.headers == (("access-control-allow-origin", "*"),)

    def test_what_is_not_held_is_refused(self) -> None:
        assert ask(StoredResponder("", Store()), "a") is None

    def test_no_resources_at_all(self) -> None:
        assert ask(StoredResponder("", None), "a") is None

    def test_forms_are_not_sent(self) -> None:
        assert ask(StoredResponder("", Store(a=Resource(b"x"))), "a", method="POST") is None

    def test_what_was_served_is_counted_once_and_what_was_missed(self) -> None:
        source = StoredResponder("", Store(a=Resource(b"x"), b=Resource(b"", status=404)))
        assert ask(source, "page", document=True) is not None
        for name, method in (("a", "GET"), ("a", "HEAD"), ("b", "GET"), ("c", "GET"), ("a", "POST")):
            ask(source, name, method=method)
        assert (source.served, source.missed) == (1, 2)

    def test_the_other_source_has_what_is_not_held(self) -> None:
        other = Fixed(PageResponse(b"other"))
        source = StoredResponder("<p>", Store(a=Resource(b"x")), other)
        found = [ask(source, "page", document=True), ask(source, "a"), ask(source, "b")]
        assert [response and response.body for response in found] == [b"<p>", b"x", b"other"]
        assert [request.url.rpartition("/")[2] for request in other.asked] == ["b"]
        assert (source.served, source.missed) == (2, 0)

    def test_the_other_source_is_sent_nothing_and_gives_no_other_page(self) -> None:
        other = Fixed(PageResponse(b"other"))
        source = StoredResponder("<p>", None, other)
        ask(source, "page", document=True)
        assert ask(source, "page", document=True) is None
        assert ask(source, "a", method="POST") is None
        assert other.asked == []

    @pytest.mark.parametrize("answer", [None, PageResponse(b"gone", status=404), NetworkError("unreachable")])
    def test_what_the_other_source_lacks_too_is_missed(self, answer: PageResponse | Exception | None) -> None:
        source = StoredResponder("", None, Fixed(answer))
        with contextlib.suppress(NetworkError):
            ask(source, "a")
        assert (source.served, source.missed) == (0, 1)


class Session:
    """Stands in for a CDP session: records what is sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.handlers: dict[str, Any] = {}

    def on(self, event: str, handler: Any) -> None:
        self.handlers[event] = handler

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.sent.append((method, params or {}))
        return {"frameTree": {"frame": {"id": "main"}}}


class Fixed:
    """A source with one answer, which may be an error."""

    def __init__(self, answer: PageResponse | Exception | None) -> None:
        self.fixed = answer
        self.asked: list[PageRequest] = []

    async def answer(self, request: PageRequest) -> PageResponse | None:
        self.asked.append(request)
        if isinstance(self.fixed, Exception):
            raise self.fixed
        return self.fixed


def paused(source: Fixed, **changes: Any) -> tuple[RequestInterceptor, tuple[str, dict[str, Any]]]:
    """A guard that has dealt with one request, and what it sent last."""
    event = {
        "requestId": "r1",
        "frameId": "main",
        "resourceType": "Image",
        "request": {"url": "http://example.org/a", "method": "GET", "headers": {"Accept": "*/*"}},
    }

    async def run() -> tuple[RequestInterceptor, tuple[str, dict[str, Any]]]:
        session = Session()
        guard = RequestInterceptor(session, source)
        await guard.start()
        await session.handlers["Fetch.requestPaused"](event | changes)
        return guard, session.sent[-1]

    return asyncio.run(run())


class TestGuard:
    def test_all_requests_are_paused(self) -> None:
        async def run() -> list[tuple[str, dict[str, Any]]]:
            session = Session()
            await RequestInterceptor(session, Fixed(None)).start()
            return session.sent

        assert ("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}) in asyncio.run(run())

    def test_answer(self) -> None:
        _, (method, sent) = paused(Fixed(PageResponse(b"body", (("content-type", "image/png"),), 201)))
        assert method == "Fetch.fulfillRequest"
        assert (sent["requestId"], sent["responseCode"]) == ("r1", 201)
        assert base64.b64decode(sent["body"]) == b"body"
        assert sent["responseHeaders"] == [{"name": "content-type", "value": "image/png"}]

    def test_refusal(self) -> None:
        _, (method, sent) = paused(Fixed(None))
        assert (method, sent) == ("Fetch.failRequest", {"requestId": "r1", "errorReason": "Aborted"})

    @pytest.mark.parametrize(
        ("kind", "frame", "document"),
        [("Document", "main", True), ("Document", "inner", False), ("Image", "main", False)],
    )
    def test_document_is_that_of_the_main_frame(self, kind: str, frame: str, document: bool) -> None:
        source = Fixed(None)
        paused(source, resourceType=kind, frameId=frame)
        assert source.asked[0].document is document

    def test_body_of_a_post(self) -> None:
        entries = [{"bytes": base64.b64encode(part).decode()} for part in (b"a=1&", b"b=2")]
        source = Fixed(None)
        request = {"url": "u", "method": "POST", "headers": {}, "postDataEntries": entries}
        paused(source, request=request)
        assert (source.asked[0].method, source.asked[0].body) == ("POST", b"a=1&b=2")

    def test_failure_of_the_page_is_kept(self) -> None:
        error = NetworkError("gone")
        guard, (method, _) = paused(Fixed(error), resourceType="Document")
        assert guard.failure is error
        assert method == "Fetch.failRequest"

    def test_failure_of_a_resource_is_a_refusal(self) -> None:
        guard, (method, _) = paused(Fixed(NetworkError("gone")))
        assert guard.failure is None
        assert method == "Fetch.failRequest"

    def test_any_other_error_is_logged(self, caplog: pytest.LogCaptureFixture) -> None:
        """A paused request that nobody answers would hold the page until its deadline."""
        _, (method, _) = paused(Fixed(ValueError("odd")))
        assert method == "Fetch.failRequest"
        assert "http://example.org/a could not be read" in caplog.text
