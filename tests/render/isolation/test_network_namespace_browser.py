"""Test the browser in an empty network namespace, in which nothing can be reached."""

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.browser import group_of, processes

from vclean.page import Page
from vclean.render.browser import process
from vclean.render.browser.renderer import Renderer
from vclean.render.isolation import sandbox
from vclean.settings import RenderSettings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(sandbox.available_isolation().network is not None, reason="no network namespaces"),
]

ORIGIN = "https://example.org/dir/page.html"


@pytest.fixture(scope="module")
def isolated() -> Iterator[Renderer]:
    with Renderer(RenderSettings(scripts="on", settle=0.4, deadline=20)) as shared:
        shared.render(Page(content="<p>Text"))
        yield shared


@pytest.fixture
def noexec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Use a folder for temporary files from which no program starts, as `docker run --tmpfs /tmp` makes one."""
    mount = ["mount", "-t", "tmpfs", "-o", "noexec", "none", str(tmp_path)]
    if subprocess.run(mount, check=False, stderr=subprocess.DEVNULL).returncode != 0:
        pytest.skip("only root mounts")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    yield tmp_path
    subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


def read_network_files(renderer: Renderer, name: str) -> list[str]:
    """Return the content of a network file in `/proc` for each process of the browser."""
    contents = []
    for entry in processes(group_of(renderer)):
        with contextlib.suppress(OSError):  # some processes end in the meantime
            contents.append((entry / "net" / name).read_text())
    return contents


def test_needs_no_executable_file(noexec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The browser starts in the namespace, and reports it. Its only folder is one that the reaper removes.
    monkeypatch.setattr(process, "_NEEDS_NETWORK", {})
    with Renderer() as renderer:
        assert renderer.render(Page(content="<p>Text")).snapshot.texts == ["Text"]
        assert renderer._worker.renderer._process.isolation.network is None
        assert {len(text.splitlines()) for text in read_network_files(renderer, "dev")} == {3}
        assert [path.name[:7] for path in noexec.iterdir()] == ["vclean-"]


class TestNamespace:
    def test_has_no_interface(self, isolated: Renderer) -> None:
        # The loopback interface has no addresses, because it is down.
        interfaces = read_network_files(isolated, "dev")
        assert len(interfaces) >= 4
        for interface in interfaces:
            assert [line.split(":")[0].strip() for line in interface.splitlines()[2:]] == ["lo"]
        assert set(read_network_files(isolated, "if_inet6") + read_network_files(isolated, "fib_trie")) == {""}

    def test_opens_no_port(self, isolated: Renderer) -> None:
        connect = "const p = new RTCPeerConnection(); p.createDataChannel('x'); p.createOffer().then(o =>"
        isolated.render(Page(content=f"<script>{connect} p.setLocalDescription(o))</script>", url=ORIGIN))
        for table in ("tcp", "tcp6", "udp", "udp6"):
            assert {len(text.splitlines()) for text in read_network_files(isolated, table)} == {1}
