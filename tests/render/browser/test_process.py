import asyncio
import mmap
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError

from vclean.errors import BrowserError
from vclean.render.browser import process
from vclean.render.browser.cdp import ProtocolError
from vclean.render.browser.playwright_driver import PlaywrightDriver, PlaywrightSession
from vclean.render.isolation.sandbox import Isolation, Obstacle
from vclean.settings import RenderSettings


class Chromium:
    """Fake browser type of Playwright that records its options and fails to start."""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}

    async def launch(self, **options: Any) -> None:
        self.options = options
        raise PlaywrightError("spawn failed\nCall log: ...")


class FakePlaywright:
    """Fake Playwright that records whether it was stopped."""

    def __init__(self, chromium: Chromium) -> None:
        self.chromium = chromium
        self.stopped = False

    async def stop(self) -> None:
        self.stopped = True


class TestLaunch:
    @pytest.fixture
    def failed(self) -> FakePlaywright:
        """Return a driver after a browser did not start; the error is one line with a remedy."""
        playwright = FakePlaywright(Chromium())
        with pytest.raises(BrowserError) as caught:
            asyncio.run(process.launch(PlaywrightDriver(playwright), Path("/opt/chromium")))
        assert re.search(r"/opt/chromium does not start.*vclean doctor.*spawn failed", str(caught.value))
        assert "\n" not in str(caught.value)
        return playwright

    def test_stops_driver_and_removes_folder_after_failure(self, failed: FakePlaywright) -> None:
        assert failed.stopped
        assert not Path(failed.chromium.options["artifacts_dir"]).exists()

    def test_blocks_the_network(self, failed: FakePlaywright) -> None:
        """Check the four switches on which the isolation of pages depends, for Playwright's own are left out."""
        assert failed.chromium.options["ignore_default_args"] is True
        names = {switch.partition("=")[0].removeprefix("--") for switch in failed.chromium.options["args"]}
        needed = "proxy-server proxy-bypass-list host-resolver-rules force-webrtc-ip-handling-policy"
        assert names >= set(needed.split())

    def test_has_no_duplicate_switches(self) -> None:
        # Chromium uses only the last switch of a name.
        names = [switch.partition("=")[0] for switch in process.SWITCHES]
        assert len(names) == len(set(names))


class PartlyWorking(Chromium):
    """Fake browser type that starts only in the given ways: "plain" or "isolated"."""

    def __init__(self, *working: str) -> None:
        super().__init__()
        self.working = working
        self.attempts: list[str] = []

    async def launch(self, **options: Any) -> str:
        self.options = options
        self.attempts.append("plain" if options["executable_path"] == "/opt/chromium" else "isolated")
        if self.attempts[-1] not in self.working:
            raise PlaywrightError("spawn failed")
        return self.attempts[-1]


class TestNetwork:
    @pytest.fixture(autouse=True)
    def forget(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(process, "_NEEDS_NETWORK", {})

    def start(self, chromium: PartlyWorking, monkeypatch: pytest.MonkeyPatch, **obstacles: Obstacle) -> Isolation:
        isolation = Isolation(**{"sandbox": None, "network": None} | obstacles)
        monkeypatch.setattr(process, "available_isolation", lambda: isolation)
        driver = PlaywrightDriver(SimpleNamespace(chromium=chromium))
        return asyncio.run(process._launch_isolated(driver, Path("/opt/chromium"), "/nowhere"))

    def test_isolates_network_if_possible(self, monkeypatch: pytest.MonkeyPatch) -> None:
        chromium = PartlyWorking("plain", "isolated")
        assert self.start(chromium, monkeypatch) == Isolation(None, None)
        assert chromium.attempts == ["isolated"]
        assert "--no-sandbox" not in chromium.options["args"]

    def test_reports_obstacles(self, monkeypatch: pytest.MonkeyPatch) -> None:
        obstacles = {"sandbox": Obstacle("root", "be another user"), "network": Obstacle("no right", "ask for it")}
        chromium = PartlyWorking("plain", "isolated")
        assert self.start(chromium, monkeypatch, **obstacles) == Isolation(**obstacles)
        assert chromium.attempts == ["plain"]
        assert "--no-sandbox" in chromium.options["args"]

    def test_falls_back_if_isolated_start_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # Isolation is tried once, and not again after the browser has started without it; both starts report it.
        chromium = PartlyWorking("plain")
        isolations = [self.start(chromium, monkeypatch) for _ in range(2)]
        assert chromium.attempts == ["isolated", "plain", "plain"]
        obstacle = Obstacle("/opt/chromium does not start in one: spawn failed", "try another browser")
        assert isolations == [Isolation(None, obstacle)] * 2

    def test_reports_browser_that_never_starts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ProtocolError, match="spawn failed"):
            self.start(PartlyWorking(), monkeypatch)
        assert not process._NEEDS_NETWORK


class Refusing:
    """Fake object of Playwright of which every call fails."""

    url = "about:blank"

    def __getattr__(self, name: str) -> Any:
        async def refuse(*_: object, **__: object) -> None:
            raise PlaywrightError(f"{name} refused")

        return refuse


class TestPlaywrightErrors:
    """Both drivers raise the same error class."""

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: PlaywrightSession(Refusing()).send("Page.enable"), "send refused"),
            (lambda: PlaywrightSession(Refusing()).detach(), "detach refused"),
            (lambda: launched().open_browser_session(), "new_browser_cdp_session refused"),
            (lambda: launched().open_tab(RenderSettings(), on_crash=bool, paint=True), "new_context refused"),
            (lambda: launched().close(), "close refused"),
            (lambda: PlaywrightDriver(Refusing()).open_browser_session(), "not started"),
        ],
    )
    def test_raises_protocol_error_with_the_same_message(self, call: Callable[[], Any], message: str) -> None:
        async def run() -> None:
            await call()

        with pytest.raises(ProtocolError, match=message):
            asyncio.run(run())


def launched() -> PlaywrightDriver:
    driver = PlaywrightDriver(FakePlaywright(Chromium()))
    driver._browser = Refusing()
    return driver


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
class TestPrivateBytes:
    def test_measures_this_process(self) -> None:
        process_folder = Path("/proc", str(os.getpid()))
        before = process._private_bytes(process_folder)
        with mmap.mmap(-1, 50 * 2**20, flags=mmap.MAP_PRIVATE) as ballast:  # not from the heap, which may have room
            ballast.write(b"x" * len(ballast))
            grown = process._private_bytes(process_folder) - before
            assert abs(grown - len(ballast)) < 5 * 2**20

    def test_is_zero_for_an_ended_process(self, tmp_path: Path) -> None:
        assert process._private_bytes(tmp_path / "none") == 0
