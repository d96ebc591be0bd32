"""Test the browser in an empty network namespace, in which nothing can be reached."""

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
    pytest.mark.skipif(sandbox.network_obstacle() is not None, reason="no network namespaces, see `vclean doctor`"),
]

ORIGIN = "https://example.org/dir/page.html"


@pytest.fixture(scope="module")
def isolated() -> Iterator[Renderer]:
    with Renderer(RenderSettings(scripts=True, settle=0.4, deadline=20)) as shared:
        shared.render(Page(content="<p>Text"))
        yield shared


class TestNamespace:
    def read_network_files(self, renderer: Renderer, name: str) -> list[str]:
        """Return the content of a network file in `/proc` for each process of the browser."""
        group = renderer._worker.renderer._process.pid
        contents = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # some processes end in the meantime
                if process._group(entry) == group:
                    contents.append((entry / "net" / name).read_text())
        return contents

    def test_has_no_interface(self, isolated: Renderer) -> None:
        # The loopback interface has no addresses, because it is down.
        interfaces = self.read_network_files(isolated, "dev")
        assert len(interfaces) >= 4
        for interface in interfaces:
            assert [line.split(":")[0].strip() for line in interface.splitlines()[2:]] == ["lo"]
        assert set(self.read_network_files(isolated, "if_inet6") + self.read_network_files(isolated, "fib_trie")) == {
            ""
        }

    def test_opens_no_port(self, isolated: Renderer) -> None:
        connect = "const p = new RTCPeerConnection(); p.createDataChannel('x'); p.createOffer().then(o =>"
        isolated.render(Page(content=f"<script>{connect} p.setLocalDescription(o))</script>", url=ORIGIN))
        for table in ("tcp", "tcp6", "udp", "udp6"):
            assert {len(text.splitlines()) for text in self.read_network_files(isolated, table)} == {1}

    def test_blocks_attacks(self, isolated: Renderer) -> None:
        # The attacks are combined on few pages; test_isolation.py tests them one by one.
        with listening() as listener:
            for page in [*listener.pages(PASSIVE, size=26), *listener.pages(ACTIVE, size=12)]:
                isolated.render(Page(content=page, url=ORIGIN))
        assert listener.hits == []
