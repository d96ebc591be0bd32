"""The browser in an empty network namespace: there is nothing to reach, whatever a page tries."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.attacks import ACTIVE, PASSIVE, listening

from vclean.page import Page
from vclean.render.browser import process
from vclean.render.browser.renderer import Renderer
from vclean.render.isolation import sandbox
from vclean.settings import RenderSettings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(
        sandbox.network_obstacle() is not None, reason="no network namespaces here, see `vclean doctor`"
    ),
]

ORIGIN = "https://example.org/dir/page.html"


@pytest.fixture(scope="module")
def walled() -> Iterator[Renderer]:
    with Renderer(RenderSettings(scripts=True, settle=0.4, deadline=20)) as shared:
        shared.render(Page(content="<p>Text"))
        yield shared


class TestNamespace:
    def read(self, renderer: Renderer, name: str) -> list[str]:
        """What the kernel says of the network of each of the browser's processes."""
        group = renderer._worker.renderer._process.pid
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # some last for a moment only
                if process._group(entry) == group:
                    found.append((entry / "net" / name).read_text())
        return found

    def test_no_process_has_an_interface(self, walled: Renderer) -> None:
        """But a loopback that is down, as its missing addresses show."""
        interfaces = self.read(walled, "dev")
        assert len(interfaces) >= 4
        for each in interfaces:
            assert [line.split(":")[0].strip() for line in each.splitlines()[2:]] == ["lo"]
        assert set(self.read(walled, "if_inet6") + self.read(walled, "fib_trie")) == {""}

    def test_no_port_is_open(self, walled: Renderer) -> None:
        opened = "const p = new RTCPeerConnection(); p.createDataChannel('x'); p.createOffer().then(o =>"
        walled.render(Page(content=f"<script>{opened} p.setLocalDescription(o))</script>", url=ORIGIN))
        for table in ("tcp", "tcp6", "udp", "udp6"):
            assert {len(each.splitlines()) for each in self.read(walled, table)} == {1}

    def test_roads(self, walled: Renderer) -> None:
        """Attacks that act together; one by one they are in test_isolation.py."""
        with listening() as listener:
            for page in [*listener.pages(PASSIVE, size=26), *listener.pages(ACTIVE, size=12)]:
                walled.render(Page(content=page, url=ORIGIN))
        assert listener.hits == []
