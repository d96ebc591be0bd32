import asyncio
import os
import sys
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
        names = [flag.partition("=")[0] for flag in launch._FLAGS]
        assert len(names) == len(set(names))


class TestSandbox:
    @pytest.fixture(autouse=True)
    def forget(self):
        launch._can_be_sandboxed.cache_clear()
        yield
        launch._can_be_sandboxed.cache_clear()

    def test_on_where_it_can_work(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        monkeypatch.setattr(launch, "obstacle", lambda: None)
        assert launch._can_be_sandboxed()
        assert caplog.text == ""

    def test_off_is_said_once(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        monkeypatch.setattr(launch, "obstacle", lambda: Obstacle("root", "be another user"))
        assert [launch._can_be_sandboxed() for _ in range(3)] == [False] * 3
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
