from __future__ import annotations

import gzip
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from vclean.errors import DeadlineError, LimitError, NetworkError, NotHtmlError
from vclean.render.fetch import fetch
from vclean.settings import RenderSettings

ALLOWED = frozenset({"127.0.0.1", "localhost"})
CAPPED = RenderSettings(max_bytes=100_000)
QUICK = RenderSettings(deadline=0.6)


class _Site(BaseHTTPRequestHandler):
    """One answer per path."""

    def do_GET(self) -> None:
        getattr(self, "get" + self.path.partition("?")[0].replace("/", "_"), self.get_missing)()

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def get_page(self) -> None:
        self.answer(200, "<p>žluť".encode("cp1250"), Content_Type="text/html; charset=windows-1250")

    def get_host(self) -> None:
        self.answer(200, self.headers["Host"].encode(), Content_Type="text/html")

    def get_packed(self) -> None:
        self.answer(200, gzip.compress(b"<p>packed"), Content_Type="text/html", Content_Encoding="gzip")

    def get_bomb(self) -> None:
        self.answer(200, gzip.compress(bytes(10**7)), Content_Type="text/html", Content_Encoding="gzip")

    def get_broken(self) -> None:
        self.answer(200, b"not gzip", Content_Type="text/html", Content_Encoding="gzip")

    def get_moved(self) -> None:
        self.answer(302, Location="/page#part")

    def get_away(self) -> None:
        self.answer(301, Location="http://169.254.169.254/latest/meta-data/")

    def get_file(self) -> None:
        self.answer(301, Location="file:///etc/passwd")

    def get_loop(self) -> None:
        self.answer(302, Location=f"/loop?{time.monotonic()}")

    def get_image(self) -> None:
        self.answer(200, b"\x89PNG", Content_Type="image/png")

    def get_untyped(self) -> None:
        self.answer(200, b"<p>untyped")

    def get_slow(self) -> None:
        time.sleep(1.2)
        self.answer(200, b"late")

    def get_trickle(self) -> None:
        self.send_response(200)
        self.end_headers()
        for _ in range(40):
            self.wfile.write(b"<p>more")
            self.wfile.flush()
            time.sleep(0.05)

    def get_hangs_up(self) -> None:
        self.close_connection = True

    def get_missing(self) -> None:
        self.answer(404)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Clients of these tests hang up."""


@pytest.fixture(scope="module")
def site():
    server = _Server(("127.0.0.1", 0), _Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class TestFetch:
    def test_a_page(self, site: str) -> None:
        page = fetch(f"{site}/page", CAPPED, allow_hosts=ALLOWED)
        assert page.content == "<p>žluť".encode("cp1250")
        assert (page.url, page.charset) == (f"{site}/page", "windows-1250")
        assert not page.live

    def test_content_encoding_is_undone(self, site: str) -> None:
        assert fetch(f"{site}/packed", CAPPED, allow_hosts=ALLOWED).content == b"<p>packed"

    def test_a_redirect_gives_the_url_it_ends_at(self, site: str) -> None:
        assert fetch(f"{site}/moved", CAPPED, allow_hosts=ALLOWED).url == f"{site}/page"

    def test_the_server_is_told_the_name_not_the_address(self, site: str) -> None:
        named = site.replace("127.0.0.1", "localhost")
        assert fetch(f"{named}/host", CAPPED, allow_hosts=ALLOWED).content == named.removeprefix("http://").encode()

    def test_no_content_type_may_be_html(self, site: str) -> None:
        assert fetch(f"{site}/untyped", CAPPED, allow_hosts=ALLOWED).content == b"<p>untyped"

    def test_this_machine_is_refused(self, site: str) -> None:
        with pytest.raises(NetworkError, match="not a public address"):
            fetch(f"{site}/page", CAPPED)

    @pytest.mark.parametrize(("path", "reason"), [("away", "not a public address"), ("file", "only http and https")])
    def test_every_hop_is_checked(self, site: str, path: str, reason: str) -> None:
        with pytest.raises(NetworkError, match=reason):
            fetch(f"{site}/{path}", CAPPED, allow_hosts=ALLOWED)

    def test_a_redirect_loop(self, site: str) -> None:
        with pytest.raises(NetworkError, match="redirects more than 10 times"):
            fetch(f"{site}/loop", RenderSettings(), allow_hosts=ALLOWED)

    def test_an_error_status(self, site: str) -> None:
        with pytest.raises(NetworkError, match="404 Not Found"):
            fetch(f"{site}/nowhere", CAPPED, allow_hosts=ALLOWED)

    def test_another_media_type(self, site: str) -> None:
        with pytest.raises(NotHtmlError, match="is image/png, not HTML"):
            fetch(f"{site}/image", CAPPED, allow_hosts=ALLOWED)

    def test_a_document_over_the_cap_once_unpacked(self, site: str) -> None:
        with pytest.raises(LimitError, match="--max-bytes"):
            fetch(f"{site}/bomb", CAPPED, allow_hosts=ALLOWED)

    @pytest.mark.parametrize("path", ["broken", "hangs_up"])
    def test_a_broken_answer(self, site: str, path: str) -> None:
        with pytest.raises(NetworkError, match="could not be fetched"):
            fetch(f"{site}/{path}", CAPPED, allow_hosts=ALLOWED)

    @pytest.mark.parametrize("path", ["slow", "trickle"])
    def test_the_deadline(self, site: str, path: str) -> None:
        with pytest.raises(DeadlineError, match="--timeout"):
            fetch(f"{site}/{path}", QUICK, allow_hosts=ALLOWED)

    @pytest.mark.parametrize("url", ["http://", "http://example.org:99999/", "ftp://example.org/", ""])
    def test_no_web_address(self, url: str) -> None:
        """The message names the address as it was given."""
        with pytest.raises(NetworkError, match=f"^{url} is "):
            fetch(url, CAPPED)

    def test_nobody_listening(self) -> None:
        with pytest.raises(NetworkError, match="could not be fetched"):
            fetch("http://127.0.0.1:9/", CAPPED, allow_hosts=ALLOWED)
