"""Serve as a proxy on the loopback interface for tests."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Proxy:
    """Proxy that answers itself; `requests` has the method and the target of every request."""

    def __init__(self, port: int, requests: list[str]) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.requests = requests


@pytest.fixture
def proxy(monkeypatch):
    """Start a proxy, and set the variables of the environment to it."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(f"GET {self.path}")
            status = 302 if self.path.endswith("/away") else 200
            body = f"<p>The proxy answers for {self.path} with this paragraph.".encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html")
            if status == 302:
                self.send_header("Location", "http://169.254.169.254/latest/meta-data/")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_CONNECT(self) -> None:
            requests.append(f"CONNECT {self.path}")
            self.send_error(403)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        started = Proxy(server.server_port, requests)
        for name in ("ALL_PROXY", "all_proxy", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HTTP_PROXY", started.url)
        monkeypatch.setenv("HTTPS_PROXY", started.url)
        yield started
        server.shutdown()
        thread.join()
