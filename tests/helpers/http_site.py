"""Serve pages over HTTP on the loopback interface for tests."""

from __future__ import annotations

import asyncio
import gzip
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from vclean.render.fetch import CheckedTransport
from vclean.settings import RenderSettings

CAPPED = RenderSettings(max_bytes=100_000, allow_hosts=("127.0.0.1", "localhost"))
QUICK = RenderSettings(deadline=0.6, allow_hosts=("127.0.0.1",))


class _Site(BaseHTTPRequestHandler):
    """Request handler with one method per path; connections are kept alive."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        getattr(self, "get" + self.path.partition("?")[0].replace("/", "_"), self.get_missing)()

    def respond(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def get_page(self) -> None:
        self.respond(200, "<p>žluť".encode("cp1250"), Content_Type="text/html; charset=windows-1250")

    def get_host(self) -> None:
        self.respond(200, self.headers["Host"].encode(), Content_Type="text/html")

    def get_client(self) -> None:
        self.respond(200, str(self.client_address[1]).encode(), Content_Type="text/html")

    def get_packed(self) -> None:
        self.respond(200, gzip.compress(b"<p>packed"), Content_Type="text/html", Content_Encoding="gzip")

    def get_bomb(self) -> None:
        self.respond(200, gzip.compress(bytes(10**7)), Content_Type="text/html", Content_Encoding="gzip")

    def get_nested(self) -> None:
        body = gzip.compress(gzip.compress(b"<p>packed"))
        self.respond(200, body, Content_Type="text/html", Content_Encoding="gzip, gzip")

    def get_nested_bomb(self) -> None:
        body = gzip.compress(gzip.compress(bytes(10**8)))
        self.respond(200, body, Content_Type="text/html", Content_Encoding="gzip, gzip")

    def get_broken(self) -> None:
        self.respond(200, b"not gzip", Content_Type="text/html", Content_Encoding="gzip")

    def get_moved(self) -> None:
        self.respond(302, Location="/page#part")

    def get_away(self) -> None:
        self.respond(301, Location="http://169.254.169.254/latest/meta-data/")

    def get_file(self) -> None:
        self.respond(301, Location="file:///etc/passwd")

    def get_loop(self) -> None:
        self.respond(302, Location=f"/loop?{time.monotonic()}")

    def get_image(self) -> None:
        self.respond(200, b"\x89PNG", Content_Type="image/png")

    def get_untyped(self) -> None:
        self.respond(200, b"<p>untyped")

    def get_slow(self) -> None:
        time.sleep(1.2)
        self.respond(200, b"late")

    def get_trickle(self) -> None:
        self.close_connection = True
        self.send_response(200)
        self.end_headers()
        for _ in range(40):
            self.wfile.write(b"<p>more")
            self.wfile.flush()
            time.sleep(0.05)

    def get_hangs_up(self) -> None:
        self.close_connection = True

    def get_missing(self) -> None:
        self.respond(404)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Ignore errors: clients of these tests close connections early."""


def get(url: str, hosts: frozenset[str] = frozenset()) -> str:
    """Return the text at a URL through the checked transport."""
    return get_all(url, hosts=hosts)[0]


def get_all(*urls: str, hosts: frozenset[str] = frozenset()) -> list[str]:
    """Return the texts at URLs through one checked transport."""

    async def run() -> list[str]:
        async with httpx.AsyncClient(transport=CheckedTransport(hosts), follow_redirects=True) as client:
            return [(await client.get(url)).text for url in urls]

    return asyncio.run(run())


@pytest.fixture(scope="module")
def site():
    server = _Server(("127.0.0.1", 0), _Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
