import asyncio
import mmap
import os
import re
import shlex
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
from vclean.render.browser.playwright_driver import PlaywrightDriver, PlaywrightSession, PlaywrightTab
from vclean.render.isolation.sandbox import Obstacle
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


def assert_launch_fails(chromium: Chromium) -> FakePlaywright:
    playwright = FakePlaywright(chromium)
    with pytest.raises(BrowserError) as caught:
        asyncio.run(process.launch(PlaywrightDriver(playwright), Path("/opt/chromium")))
    assert re.search(r"/opt/chromium does not start.*vclean doctor.*spawn failed", str(caught.value))
    assert "\n" not in str(caught.value)
    return playwright


class TestLaunch:
    def test_reports_failure_in_one_line_with_a_remedy(self) -> None:
        assert_launch_fails(Chromium())

    def test_stops_driver_after_failure(self) -> None:
        assert assert_launch_fails(Chromium()).stopped

    def test_removes_folder_after_failure(self) -> None:
        chromium = Chromium()
        assert_launch_fails(chromium)
        assert not Path(chromium.options["artifacts_dir"]).exists()

    def test_blocks_the_network(self) -> None:
        """Check the four switches on which the isolation of pages depends."""
        chromium = Chromium()
        assert_launch_fails(chromium)
        names = {flag.partition("=")[0] for flag in chromium.options["args"]}
        assert names >= {
            "--proxy-server",
            "--proxy-bypass-list",
            "--host-resolver-rules",
            "--force-webrtc-ip-handling-policy",
        }

    def test_has_no_duplicate_switches(self) -> None:
        # Chromium uses only the last switch of a name.
        names = [flag.partition("=")[0] for flag in process.FLAGS]
        assert len(names) == len(set(names))


class PartlyWorking(Chromium):
    """Fake browser type that starts only in the given ways: "plain" or "isolated"."""

    def __init__(self, *working: str) -> None:
        super().__init__()
        self.working = working
        self.attempts: list[str] = []

    async def launch(self, **options: Any) -> str:
        self.attempts.append("plain" if options["executable_path"] == Path("/opt/chromium") else "isolated")
        if self.attempts[-1] not in self.working:
            raise PlaywrightError("spawn failed")
        return self.attempts[-1]


class TestNetwork:
    @pytest.fixture(autouse=True)
    def clear_caches(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(process, "_NEEDS_NETWORK", set())
        process._can_isolate_network.cache_clear()
        yield
        process._can_isolate_network.cache_clear()

    def start(self, chromium: PartlyWorking, folder: Path) -> str:
        driver = PlaywrightDriver(SimpleNamespace(chromium=chromium))
        asyncio.run(process._launch_isolated(driver, Path("/opt/chromium"), str(folder)))
        return chromium.attempts[-1]

    def test_isolates_network_if_possible(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(process, "network_obstacle", lambda: None)
        assert self.start(PartlyWorking("plain", "isolated"), tmp_path) == "isolated"

    def test_logs_fallback_without_isolation(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(process, "network_obstacle", lambda: "no right")
        caplog.set_level("INFO", logger="vclean")
        assert [self.start(PartlyWorking("plain", "isolated"), tmp_path) for _ in range(2)] == ["plain", "plain"]
        messages = [(record.levelname, record.message) for record in caplog.records if "network" in record.message]
        assert messages == [("INFO", "Chromium has a network, and its flags block requests (no right)")]

    def test_falls_back_if_isolated_start_fails(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        # Isolation is tried once, and not again after the browser has started without it.
        monkeypatch.setattr(process, "network_obstacle", lambda: None)
        chromium = PartlyWorking("plain")
        assert [self.start(chromium, tmp_path) for _ in range(2)] == ["plain", "plain"]
        assert chromium.attempts == ["isolated", "plain", "plain"]

    def test_reports_browser_that_never_starts(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(process, "network_obstacle", lambda: None)
        with pytest.raises(ProtocolError, match="spawn failed"):
            self.start(PartlyWorking(), tmp_path)
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
            (lambda: tab().navigate("http://a.example/"), "goto refused"),
            (lambda: tab().wait_until_loaded(), "wait_for_load_state refused"),
            (lambda: tab().close(), "close refused"),
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


def tab() -> PlaywrightTab:
    return PlaywrightTab(Refusing(), Refusing(), Refusing(), scripts=False)


def launched() -> PlaywrightDriver:
    driver = PlaywrightDriver(FakePlaywright(Chromium()))
    driver._browser = Refusing()
    return driver


class TestWrapper:
    def test_is_accessible_only_to_its_owner(self, tmp_path: Path) -> None:
        wrapper = process._wrapper(Path("/opt/it's/chromium"), str(tmp_path))
        assert wrapper.parent == tmp_path
        assert wrapper.stat().st_mode & 0o777 == 0o700

    def test_quotes_paths(self, tmp_path: Path) -> None:
        words = shlex.split(process._wrapper(Path("/opt/it's/a chromium"), str(tmp_path)).read_text().splitlines()[1])
        assert words[0] == "exec"
        assert words[-2:] == ["/opt/it's/a chromium", "$@"]


class TestSandbox:
    @pytest.fixture(autouse=True)
    def clear_caches(self):
        process.can_be_sandboxed.cache_clear()
        yield
        process.can_be_sandboxed.cache_clear()

    def test_is_on_if_available(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        monkeypatch.setattr(process, "sandbox_obstacle", lambda: None)
        assert process.can_be_sandboxed()
        assert caplog.text == ""

    def test_warns_once_if_off(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        monkeypatch.setattr(process, "sandbox_obstacle", lambda: Obstacle("root", "be another user"))
        assert [process.can_be_sandboxed() for _ in range(3)] == [False] * 3
        assert caplog.text.count("sandbox is off (root): be another user") == 1


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
