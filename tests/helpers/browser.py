import base64
import contextlib
import http.server
import io
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PIL import Image

from vclean.page import Page
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Snapshot
from vclean.settings import RenderSettings


@pytest.fixture(scope="session")
def renderer() -> Iterator[Renderer]:
    """Start one browser for all tests that do not break it."""
    with Renderer() as shared:
        yield shared


@pytest.fixture(scope="session")
def scripting() -> Iterator[Renderer]:
    """Start one browser that runs the scripts of pages."""
    with Renderer(RenderSettings(scripts="on", settle=1.0)) as shared:
        yield shared


def processes(group: int) -> list[Path]:
    """Return the folders in `/proc` of the running processes of a group, without zombies."""
    alive = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ends in the meantime
            state, _, pgrp = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(pgrp) == group and state != "Z":
                alive.append(entry)
    return alive


def group_of(renderer: Renderer) -> int:
    """Return the process group of a browser."""
    return renderer._worker.renderer._process.pid


@pytest.fixture
def snap(renderer: Renderer):
    """Return a function that renders HTML to a snapshot."""

    def render(html: str, url: str = "") -> Snapshot:
        return renderer.render(Page(content=html, url=url)).snapshot

    return render


def png(width: int, height: int, color: str | tuple[int, ...] = "red") -> bytes:
    """Return an image in one color."""
    file = io.BytesIO()
    Image.new("RGB", (width, height), color).save(file, "PNG")
    return file.getvalue()


def png_url(width: int, height: int, color: str | tuple[int, ...] = "red") -> str:
    """Return an image in one color as a data URL."""
    return f"data:image/png;base64,{base64.b64encode(png(width, height, color)).decode()}"


@dataclass
class Site:
    """HTTP server on the loopback interface that records requests, and UDP packets that reach it.

    Attributes:
        address: IP address and port.
        udp_port: port of the UDP socket.
        paths: status, headers, body and delay in seconds, by path.
        hits: paths of requests, and records of UDP packets.
        cookies: cookies of the requests.
    """

    address: str
    udp_port: int
    paths: dict[str, tuple[int, dict[str, str], bytes, float]] = field(default_factory=dict)
    hits: list[str] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)

    def serve(
        self,
        path: str,
        body: str | bytes = b"",
        *,
        status: int = 200,
        kind: str = "text/html",
        delay: float = 0,
        **headers: str,
    ) -> str:
        """Respond to `path` with `body` after `delay` seconds. Return its URL."""
        content = body if isinstance(body, bytes) else body.encode()
        self.paths[path] = (status, {"content-type": kind} | headers, content, delay)
        return f"http://{self.address}{path}"


@pytest.fixture
def site() -> Iterator[Site]:
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    closing = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.hits.append(self.path)
            served.cookies.append(self.headers.get("cookie", ""))
            status, headers, body, delay = served.paths.get(self.path, (404, {}, b"nothing here", 0))
            closing.wait(delay)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            with contextlib.suppress(ConnectionError):
                self.end_headers()
                self.wfile.write(body)

        do_POST = do_HEAD = do_OPTIONS = do_GET  # noqa: N815

        def log_message(self, *arguments: object) -> None:
            """Print nothing."""

    def listen() -> None:
        while packet := udp.recvfrom(2048)[0]:
            served.hits.append(f"udp {len(packet)}")

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served = Site(f"127.0.0.1:{server.server_port}", udp.getsockname()[1])
        threads = [threading.Thread(target=server.serve_forever, args=(0.02,)), threading.Thread(target=listen)]
        for thread in threads:
            thread.start()
        yield served
        closing.set()
        server.shutdown()
        udp.sendto(b"", udp.getsockname())
        for thread in threads:
            thread.join()
        udp.close()
