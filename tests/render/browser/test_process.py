import asyncio
import mmap
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError

from vclean.errors import BrowserError, DeadlineError, LimitError
from vclean.render.browser import playwright_driver, process
from vclean.render.browser.cdp import ProtocolError
from vclean.render.browser.playwright_driver import PlaywrightDriver, PlaywrightSession
from vclean.render.browser.process import max_memory, page_limits
from vclean.render.isolation.sandbox import Isolation, Obstacle
from vclean.settings import RenderSettings

CHROMIUM = Path("/opt/chromium")
ISOLATED = Isolation(None, None)
RESTRICTED = Isolation(Obstacle("root", ""), Obstacle("no right", ""))


class FakeDriver:
    """Start a browser only in the given ways: "plain" or "isolated"."""

    def __init__(self, *working: str) -> None:
        self.session = self
        self.working = working
        self.attempts: list[str] = []
        self.closed = False

    async def launch(self, command: list[str], folder: str) -> "FakeDriver":
        self.command, self.folder = command, folder
        self.attempts.append("plain" if command[0] == str(CHROMIUM) else "isolated")
        if self.attempts[-1] not in self.working:
            raise ProtocolError("failed\nCall log: ...")
        return self

    async def send(self, method: str) -> None:
        raise ProtocolError("failed")

    async def close(self) -> None:
        self.closed = True


class TestLaunch:
    @pytest.mark.parametrize("working", [[], ["plain", "isolated"]])  # without a session, a started one fails too
    def test_closes_driver_and_removes_folder_after_failure(
        self, working: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        driver = FakeDriver(*working)
        monkeypatch.setattr(process, "launch_driver", driver.launch)
        with pytest.raises(BrowserError) as caught:
            asyncio.run(process.launch(CHROMIUM))
        assert re.fullmatch(r"/opt/chromium does not start.*vclean doctor.*failed.*", str(caught.value))
        assert driver.closed == bool(working)
        assert not Path(driver.folder).exists()

    def test_switches_block_the_network(self) -> None:
        """Check the switches on which the isolation of pages depends; Chromium uses only the last one of a name."""
        names = [switch.partition("=")[0].removeprefix("--") for switch in process.SWITCHES]
        needed = "proxy-server proxy-bypass-list host-resolver-rules force-webrtc-ip-handling-policy"
        assert set(names) >= set(needed.split())
        assert len(names) == len(set(names))


class TestNetwork:
    @pytest.fixture(autouse=True)
    def new_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(process, "_NEEDS_NETWORK", {})

    @pytest.mark.parametrize(
        ("working", "isolation", "attempts", "reason"),
        [
            (["plain", "isolated"], ISOLATED, ["isolated"] * 2, None),
            (["plain", "isolated"], RESTRICTED, ["plain"] * 2, "no right"),
            # Isolation is tried once, and not again after the browser has started without it; both starts report it.
            (["plain"], ISOLATED, ["isolated", "plain", "plain"], f"{CHROMIUM} does not start in one: failed"),
        ],
    )
    def test_isolates_network_if_possible(
        self, working: list[str], isolation: Isolation, attempts: list[str], reason: str | None, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr(process, "available_isolation", lambda: isolation)
        driver = FakeDriver(*working)
        monkeypatch.setattr(process, "launch_driver", driver.launch)
        for _ in range(2):
            _, result = asyncio.run(process._launch_isolated(CHROMIUM, "/nowhere"))
            assert result.sandbox == isolation.sandbox
            assert (result.network and result.network.reason) == reason
        assert driver.attempts == attempts
        assert ("--no-sandbox" in driver.command) == (isolation.sandbox is not None)
        assert set(process.SWITCHES) <= set(driver.command)

    def test_reports_browser_that_never_starts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(process, "available_isolation", lambda: ISOLATED)
        monkeypatch.setattr(process, "launch_driver", FakeDriver().launch)
        with pytest.raises(ProtocolError, match="failed"):
            asyncio.run(process._launch_isolated(CHROMIUM, "/nowhere"))
        assert not process._NEEDS_NETWORK


class Refusing:
    """Fake object of Playwright of which every call fails."""

    def __getattr__(self, name: str) -> Any:
        async def refuse(*_: object, **options: object) -> None:
            raise PlaywrightError(f"{name} refused {options}")

        return refuse


class FakePlaywright:
    """Fake Playwright that records whether it was stopped."""

    chromium = Refusing()
    stopped = False

    async def stop(self) -> None:
        self.stopped = True


@pytest.fixture
def launched() -> PlaywrightDriver:
    return PlaywrightDriver(FakePlaywright(), Refusing(), Refusing())


class TestPlaywrightErrors:
    """Both drivers raise the same error class."""

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda _: PlaywrightSession(Refusing()).send("Page.enable"), "send refused"),
            (lambda _: PlaywrightSession(Refusing()).detach(), "detach refused"),
            # Otherwise Playwright would insert switches of its own.
            (
                lambda _: playwright_driver._launch_browser(FakePlaywright(), ["/chromium"], ""),
                "'ignore_default_args': True",
            ),
            (lambda driver: driver.open_tab(RenderSettings(), on_crash=bool, paint=True), "new_context refused"),
            (lambda driver: driver.close(), "close refused"),
        ],
    )
    def test_raises_protocol_error_with_the_same_message(
        self, call: Callable[[PlaywrightDriver], Any], message: str, launched: PlaywrightDriver
    ) -> None:
        async def run() -> None:
            await call(launched)

        with pytest.raises(ProtocolError, match=message):
            asyncio.run(run())
        assert launched._playwright.stopped == message.startswith("close")


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


class FakeProcess:
    """Fake browser of a given memory size."""

    def __init__(self, size: int = 0) -> None:
        self.size = size
        self.checks = 0
        self.killed = False

    def memory(self) -> int:
        self.checks += 1
        return self.size

    def kill(self) -> None:
        self.killed = True


def run_limited(browser: FakeProcess, seconds: float, busy: float = 0.3) -> Exception | None:
    """Return the error of a page that takes `busy` seconds, or until its browser is killed."""
    end = time.monotonic() + busy
    with page_limits(seconds, browser) as errors:
        while not browser.killed and time.monotonic() < end:
            time.sleep(0.005)
    return errors[0] if errors else None


class TestResourceLimits:
    @pytest.fixture(autouse=True)
    def check_often(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(process, "_CHECK_SECONDS", 0.02)

    @pytest.mark.parametrize("check_seconds", [0.02, 60])
    def test_stops_page_at_deadline(self, check_seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
        # It does not wait for the next check.
        monkeypatch.setattr(process, "_CHECK_SECONDS", check_seconds)
        browser = FakeProcess()
        error = run_limited(browser, 0.05, busy=9)
        assert browser.killed
        assert isinstance(error, DeadlineError)
        assert str(error) == "the page was not rendered within 0.05 s: raise --timeout"

    def test_stops_page_over_memory_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(process, "_MAX_MEMORY", 300 * 2**20)
        browser = FakeProcess(301 * 2**20)
        error = run_limited(browser, 9, busy=9)
        assert browser.killed
        assert isinstance(error, LimitError)
        assert "more than 300 MB of memory" in str(error)

    def test_stops_checks_when_the_page_is_done(self) -> None:
        browser = FakeProcess()
        assert run_limited(browser, 9, busy=0) is None
        time.sleep(0.1)
        checks = browser.checks
        time.sleep(0.1)
        assert browser.checks == checks <= 1
        assert not browser.killed


class TestMaxMemory:
    @pytest.mark.skipif(sys.platform == "win32", reason="uses sysconf")
    @pytest.mark.parametrize(("gigabytes", "expected"), [(64, 4), (4, 2), (1, 0.5)])
    def test_is_half_of_small_memory(self, gigabytes: int, expected: float, monkeypatch: pytest.MonkeyPatch) -> None:
        pages = {"SC_PHYS_PAGES": gigabytes * 2**18, "SC_PAGE_SIZE": 4096}
        monkeypatch.setattr(process.os, "sysconf", pages.__getitem__)
        assert max_memory() == expected * 2**30
