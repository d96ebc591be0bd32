import asyncio
import os
import shlex
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError

from vclean.errors import BrowserError
from vclean.render import launch
from vclean.render.sandbox import Obstacle


class Chromium:
    """Stands in for Playwright's browser type: keeps the options, and does not start."""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}

    async def launch(self, **options: Any) -> None:
        self.options = options
        raise PlaywrightError("spawn failed\nCall log: ...")


def start(chromium: Chromium) -> None:
    asyncio.run(launch.launch(SimpleNamespace(chromium=chromium), Path("/opt/chromium")))


class TestLaunch:
    def test_failure_is_one_line_with_a_remedy(self) -> None:
        with pytest.raises(BrowserError, match=r"/opt/chromium does not start.*vclean doctor.*spawn failed") as caught:
            start(Chromium())
        assert "\n" not in str(caught.value)

    def test_failure_leaves_no_folder(self) -> None:
        chromium = Chromium()
        with pytest.raises(BrowserError):
            start(chromium)
        assert not Path(chromium.options["artifacts_dir"]).exists()

    def test_no_way_out(self) -> None:
        """The four switches that the isolation of pages rests on."""
        chromium = Chromium()
        with pytest.raises(BrowserError):
            start(chromium)
        names = {flag.partition("=")[0] for flag in chromium.options["args"]}
        assert names >= {
            "--proxy-server",
            "--proxy-bypass-list",
            "--host-resolver-rules",
            "--force-webrtc-ip-handling-policy",
        }

    def test_no_switch_twice(self) -> None:
        """Chromium heeds only the last switch of a name."""
        names = [flag.partition("=")[0] for flag in launch.FLAGS]
        assert len(names) == len(set(names))


class Fickle(Chromium):
    """Starts only as `executable_path` says."""

    def __init__(self, *fitting: str) -> None:
        super().__init__()
        self.fitting = fitting
        self.tried: list[str] = []

    async def launch(self, **options: Any) -> str:
        self.tried.append("plain" if options["executable_path"] == Path("/opt/chromium") else "walled")
        if self.tried[-1] not in self.fitting:
            raise PlaywrightError("spawn failed")
        return self.tried[-1]


class TestNetwork:
    @pytest.fixture(autouse=True)
    def forget(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(launch, "_UNWALLED", set())
        launch._can_lose_network.cache_clear()
        yield
        launch._can_lose_network.cache_clear()

    def start(self, chromium: Fickle, folder: Path) -> str:
        start = partial(launch._start, SimpleNamespace(chromium=chromium))
        return asyncio.run(launch._walled(start, Path("/opt/chromium"), str(folder)))

    def test_none_where_that_can_be(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(launch, "network_obstacle", lambda: None)
        assert self.start(Fickle("plain", "walled"), tmp_path) == "walled"

    def test_fallback_is_silent_but_for_the_log(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(launch, "network_obstacle", lambda: "no right")
        caplog.set_level("INFO", logger="vclean")
        assert [self.start(Fickle("plain", "walled"), tmp_path) for _ in range(2)] == ["plain", "plain"]
        messages = [(record.levelname, record.message) for record in caplog.records if "network" in record.message]
        assert messages == [("INFO", "Chromium has a network, and its flags keep it from that (no right)")]

    def test_browser_that_does_not_start_inside(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """It is tried once, and not again when it has started outside."""
        monkeypatch.setattr(launch, "network_obstacle", lambda: None)
        chromium = Fickle("plain")
        assert [self.start(chromium, tmp_path) for _ in range(2)] == ["plain", "plain"]
        assert chromium.tried == ["walled", "plain", "plain"]

    def test_browser_that_does_not_start_at_all(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """Says nothing about namespaces."""
        monkeypatch.setattr(launch, "network_obstacle", lambda: None)
        with pytest.raises(PlaywrightError):
            self.start(Fickle(), tmp_path)
        assert not launch._UNWALLED


class TestWrapper:
    def test_only_its_owner_can_use_it(self, tmp_path: Path) -> None:
        wrapper = launch._wrapper(Path("/opt/it's/chromium"), str(tmp_path))
        assert wrapper.parent == tmp_path
        assert wrapper.stat().st_mode & 0o777 == 0o700

    def test_odd_paths_are_quoted(self, tmp_path: Path) -> None:
        words = shlex.split(launch._wrapper(Path("/opt/it's/a chromium"), str(tmp_path)).read_text().splitlines()[1])
        assert words[0] == "exec"
        assert words[-2:] == ["/opt/it's/a chromium", "$@"]


class TestSandbox:
    @pytest.fixture(autouse=True)
    def forget(self):
        launch.can_be_sandboxed.cache_clear()
        yield
        launch.can_be_sandboxed.cache_clear()

    def test_on_where_it_can_work(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        monkeypatch.setattr(launch, "obstacle", lambda: None)
        assert launch.can_be_sandboxed()
        assert caplog.text == ""

    def test_off_is_said_once(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        monkeypatch.setattr(launch, "obstacle", lambda: Obstacle("root", "be another user"))
        assert [launch.can_be_sandboxed() for _ in range(3)] == [False] * 3
        assert caplog.text.count("sandbox is off (root): be another user") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
class TestPrivateBytes:
    def test_of_this_process(self) -> None:
        own = Path("/proc", str(os.getpid()))
        before = launch._private_bytes(own)
        ballast = bytearray(os.urandom(50 * 2**20))
        grown = launch._private_bytes(own) - before
        assert abs(grown - len(ballast)) < 5 * 2**20

    def test_of_one_that_is_gone(self, tmp_path: Path) -> None:
        assert launch._private_bytes(tmp_path / "none") == 0
