from __future__ import annotations

import httpx
import pytest
from helpers.http_site import CAPPED, QUICK, get, get_all, site  # noqa: F401 - a fixture

from vclean.errors import DeadlineError, LimitError, NetworkError, NotHtmlError
from vclean.render import addresses
from vclean.render.fetch import connection_error, fetch, status_error


class TestFetch:
    def test_fetches_page(self, site: str) -> None:
        page = fetch(f"{site}/page", CAPPED)
        assert page.content == "<p>žluť".encode("cp1250")
        assert (page.url, page.charset) == (f"{site}/page", "windows-1250")
        assert not page.live

    @pytest.mark.parametrize(
        ("path", "content"), [("packed", b"<p>packed"), ("nested", b"<p>packed"), ("untyped", b"<p>untyped")]
    )
    def test_accepts_coded_and_untyped_content(self, site: str, path: str, content: bytes) -> None:
        assert fetch(f"{site}/{path}", CAPPED).content == content

    def test_returns_url_after_redirects(self, site: str) -> None:
        assert fetch(f"{site}/moved", CAPPED).url == f"{site}/page"

    def test_sends_host_name(self, site: str) -> None:
        named = site.replace("127.0.0.1", "localhost")
        assert fetch(f"{named}/host", CAPPED).content == named.removeprefix("http://").encode()

    @pytest.mark.parametrize(
        ("path", "error", "message"),
        [
            ("away", NetworkError, "not a public address"),
            ("file", NetworkError, "only http and https"),
            ("nowhere", NetworkError, "404 Not Found"),
            ("loop", NetworkError, "redirects more than 10 times"),
            ("broken", NetworkError, "could not be fetched"),
            ("hangs_up", NetworkError, "could not be fetched"),
            ("image", NotHtmlError, "is image/png, not HTML"),
            ("bomb", LimitError, "--max-bytes"),
            ("nested_bomb", LimitError, "--max-bytes"),
            ("slow", DeadlineError, "--timeout"),
            ("trickle", DeadlineError, "--timeout"),
        ],
    )
    def test_reports_other_responses(self, site: str, path: str, error: type[Exception], message: str) -> None:
        settings = QUICK if error is DeadlineError else CAPPED
        with pytest.raises(error, match=message):
            fetch(f"{site}/{path}", settings)

    @pytest.mark.parametrize("url", ["http://", "http://example.org:99999/", "ftp://example.org/", ""])
    def test_rejects_other_urls(self, url: str) -> None:
        # The message contains the original URL.
        with pytest.raises(NetworkError, match=f"^{url} is "):
            fetch(url, CAPPED)

    def test_reports_refused_connection(self) -> None:
        with pytest.raises(NetworkError, match="could not be fetched"):
            fetch("http://127.0.0.1:9/", CAPPED)


HOSTS = frozenset({"127.0.0.1", "name.example"})


class TestErrors:
    @pytest.mark.parametrize(
        ("code", "message"),
        [
            (404, "u: the server answered 404 Not Found: check the address"),
            (403, "u: the server answered 403 Forbidden: save the page in a browser"),
            (429, "u: the server answered 429 Too Many Requests: try again later"),
            (503, "u: the server answered 503 Service Unavailable: try again later"),
            (499, "u: the server answered 499: check the address"),
        ],
    )
    def test_status(self, code: int, message: str) -> None:
        assert str(status_error("u", httpx.Response(code))) == message

    @pytest.mark.parametrize(("error", "reason"), [(OSError("Refused."), "Refused"), (TimeoutError(), "TimeoutError")])
    def test_connection(self, error: Exception, reason: str) -> None:
        expected = f"u could not be fetched ({reason}): check the address and the connection"
        assert str(connection_error("u", error)) == expected


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Resolve `name.example` to this machine; return the resolved names."""
    resolved: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        resolved.append(host)
        return ["127.0.0.1"]

    monkeypatch.setattr(addresses, "resolve", resolve)
    return resolved


class TestCheckedTransport:
    def test_refuses_private_addresses(self, site: str) -> None:
        with pytest.raises(NetworkError, match="not a public address"):
            get(f"{site}/host")

    def test_sends_host_name_to_the_checked_address(self, site: str, names: list[str]) -> None:
        # The name is resolved once; a second lookup could return another address.
        named = site.replace("127.0.0.1", "name.example")
        assert get(f"{named}/host", HOSTS) == named.removeprefix("http://")
        assert names == ["name.example"]

    def test_checks_certificate_for_the_host_name(self, names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        sent: list[httpx.Request] = []

        async def handle(self: object, request: httpx.Request) -> httpx.Response:
            sent.append(request)
            return httpx.Response(200)

        monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", handle)
        get("https://name.example/a?b", HOSTS)
        assert str(sent[0].url) == "https://127.0.0.1/a?b"
        assert sent[0].extensions["sni_hostname"] == "name.example"

    def test_checks_every_request_and_uses_new_connections(self, site: str, names: list[str]) -> None:
        # A reused connection would be used, without a check, for another host at the same address.
        named = site.replace("127.0.0.1", "name.example")
        first, second = get_all(f"{named}/client", f"{site}/client", hosts=HOSTS)
        assert names == ["name.example", "127.0.0.1"]
        assert first != second
