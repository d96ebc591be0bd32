"""Serve pages over HTTP on the loopback interface for tests."""

from __future__ import annotations

import gzip
import time

import pytest

from vclean.settings import RenderSettings

CAPPED = RenderSettings(max_bytes=100_000, allow_hosts=("127.0.0.1", "localhost"))
QUICK = RenderSettings(deadline=0.6, allow_hosts=("127.0.0.1",))

_ONCE, _TWICE = {"content-encoding": "gzip"}, {"content-encoding": "gzip, gzip"}
_PAGES = {
    "page": ("<p>žluť".encode("cp1250"), {"kind": "text/html; charset=windows-1250"}),
    "packed": (gzip.compress(b"<p>packed"), _ONCE),
    "bomb": (gzip.compress(bytes(10**7)), _ONCE),
    "nested": (gzip.compress(gzip.compress(b"<p>packed")), _TWICE),
    "nested_bomb": (lambda handler: handler.wfile.write(gzip.compress(gzip.compress(bytes(10**8)))), _TWICE),
    "broken": (b"not gzip", _ONCE),
    "image": (b"\x89PNG", {"kind": "image/png"}),
    "untyped": (b"<p>untyped", {"kind": ""}),
    "slow": (b"late", {"delay": 1.2}),
    "host": (lambda handler: handler.wfile.write(handler.headers["host"].encode()), {}),
    "trickle": (lambda handler: _trickle(handler.wfile), {}),
    "hangs_up": (b"", {"status": 0}),
}
"""Bodies of pages by path, with the other arguments of `Site.serve`."""
_REDIRECTS = {
    "moved": "/page#part",
    "away": "http://169.254.169.254/latest/meta-data/",
    "file": "file:///etc/passwd",
    "loop": "/loop0",
    **{f"loop{number}": f"/loop{number + 1}" for number in range(20)},
}


def _trickle(file):
    for _ in range(40):
        file.write(b"<p>more")
        file.flush()
        time.sleep(0.05)


@pytest.fixture
def site(site):
    """Serve the pages and redirects, and return the URL of the site."""
    for path, (body, options) in _PAGES.items():
        site.serve(f"/{path}", body, **options)
    for path, target in _REDIRECTS.items():
        site.serve(f"/{path}", status=302, location=target)
    return f"http://{site.address}"
