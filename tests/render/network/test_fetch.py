from __future__ import annotations

import pytest
from helpers.http_site import ALLOWED, CAPPED, QUICK, site  # noqa: F401 - a fixture

from vclean.errors import DeadlineError, LimitError, NetworkError, NotHtmlError
from vclean.render.network.fetch import fetch
from vclean.settings import RenderSettings


class TestFetch:
    def test_fetches_page(self, site: str) -> None:
        page = fetch(f"{site}/page", CAPPED, allow_hosts=ALLOWED)
        assert page.content == "<p>žluť".encode("cp1250")
        assert (page.url, page.charset) == (f"{site}/page", "windows-1250")
        assert not page.live

    def test_decodes_content_encoding(self, site: str) -> None:
        for path in ("packed", "nested"):
            assert fetch(f"{site}/{path}", CAPPED, allow_hosts=ALLOWED).content == b"<p>packed"

    def test_returns_url_after_redirects(self, site: str) -> None:
        assert fetch(f"{site}/moved", CAPPED, allow_hosts=ALLOWED).url == f"{site}/page"

    def test_sends_host_name(self, site: str) -> None:
        named = site.replace("127.0.0.1", "localhost")
        assert fetch(f"{named}/host", CAPPED, allow_hosts=ALLOWED).content == named.removeprefix("http://").encode()

    def test_accepts_missing_content_type(self, site: str) -> None:
        assert fetch(f"{site}/untyped", CAPPED, allow_hosts=ALLOWED).content == b"<p>untyped"

    def test_refuses_this_machine(self, site: str) -> None:
        with pytest.raises(NetworkError, match="not a public address"):
            fetch(f"{site}/page", CAPPED)

    @pytest.mark.parametrize(("path", "reason"), [("away", "not a public address"), ("file", "only http and https")])
    def test_checks_every_redirect(self, site: str, path: str, reason: str) -> None:
        with pytest.raises(NetworkError, match=reason):
            fetch(f"{site}/{path}", CAPPED, allow_hosts=ALLOWED)

    def test_stops_redirect_loop(self, site: str) -> None:
        with pytest.raises(NetworkError, match="redirects more than 10 times"):
            fetch(f"{site}/loop", RenderSettings(), allow_hosts=ALLOWED)

    def test_reports_error_status(self, site: str) -> None:
        with pytest.raises(NetworkError, match="404 Not Found"):
            fetch(f"{site}/nowhere", CAPPED, allow_hosts=ALLOWED)

    def test_rejects_other_media_types(self, site: str) -> None:
        with pytest.raises(NotHtmlError, match="is image/png, not HTML"):
            fetch(f"{site}/image", CAPPED, allow_hosts=ALLOWED)

    def test_rejects_document_that_decompresses_over_the_limit(self, site: str) -> None:
        for path in ("bomb", "nested_bomb"):
            with pytest.raises(LimitError, match="--max-bytes"):
                fetch(f"{site}/{path}", CAPPED, allow_hosts=ALLOWED)

    @pytest.mark.parametrize("path", ["broken", "hangs_up"])
    def test_reports_broken_response(self, site: str, path: str) -> None:
        with pytest.raises(NetworkError, match="could not be fetched"):
            fetch(f"{site}/{path}", CAPPED, allow_hosts=ALLOWED)

    @pytest.mark.parametrize("path", ["slow", "trickle"])
    def test_stops_at_deadline(self, site: str, path: str) -> None:
        with pytest.raises(DeadlineError, match="--timeout"):
            fetch(f"{site}/{path}", QUICK, allow_hosts=ALLOWED)

    @pytest.mark.parametrize("url", ["http://", "http://example.org:99999/", "ftp://example.org/", ""])
    def test_rejects_other_urls(self, url: str) -> None:
        # The message contains the original URL.
        with pytest.raises(NetworkError, match=f"^{url} is "):
            fetch(url, CAPPED)

    def test_reports_refused_connection(self) -> None:
        with pytest.raises(NetworkError, match="could not be fetched"):
            fetch("http://127.0.0.1:9/", CAPPED, allow_hosts=ALLOWED)
