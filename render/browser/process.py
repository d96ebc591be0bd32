"""Start a browser process without network access, end it, and limit the time and memory of a page in it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.errors import BrowserError, DeadlineError, LimitError
from vclean.render.browser.cdp import ProtocolError, launch_driver
from vclean.render.isolation import network_namespace, orphan_reaper, temp_dirs
from vclean.render.isolation.sandbox import Isolation, Obstacle, available_isolation
from vclean.runtime import background_thread

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from vclean.errors import VcleanError
    from vclean.render.browser.cdp import Driver
    from vclean.render.browser.walker import DocumentTab


_DISABLED_FEATURES: Final = (
    # One renderer process per page, frames included: one session receives all requests of a page.
    "IsolateOrigins",
    "site-per-process",
    "SpareRendererForSitePerProcess",
    # URLs are not upgraded, even if an old https page contains http URLs.
    "AutoupgradeMixedContent",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    # No activity that a page did not request.
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "Prerender2",
)
"""Disabled features, including those that Playwright disables and that affect pages."""

_BLINK_SETTINGS: Final = (
    "availableHoverTypes=2",
    "availablePointerTypes=4",
    "lazyLoadEnabled=false",
    "primaryHoverType=2",
    "primaryPointerType=4",
)

SWITCHES: Final = (
    # Those of Playwright that affect a headless browser; two of its others lift protections against hostile pages.
    "--headless",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--mute-audio",
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-infobars",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-stack-profiler",
    "--disable-sync",
    "--enable-features=CDPScreenshotNewSurface",
    "--enable-unsafe-swiftshader",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    # Of Edge and Chrome on Windows, which would otherwise start again without their pipes.
    "--do-not-de-elevate",
    "--edge-skip-compat-layer-relaunch",
    "--no-startup-window",
    "--remote-debugging-pipe",
    # Only interception.py answers requests: proxies, host names and UDP cannot reach the network.
    "--proxy-server=http://proxy.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--block-new-web-contents",
    "--disable-site-isolation-trials",
    "--disable-features=" + ",".join(_DISABLED_FEATURES),
    "--blink-settings=" + ",".join(_BLINK_SETTINGS),
    # Pages run few scripts or none; the helper threads of V8 increase the CPU time by 7 %.
    "--js-flags=--single-threaded",
    # The same glyphs and boxes on all machines with the same fonts.
    "--font-render-hinting=none",
    "--disable-lcd-text",
)
"""Switches of every browser, for both drivers."""

_NEEDS_NETWORK: Final[dict[Path, Obstacle]] = {}
"""Executables that do not start in a network namespace, for example because a helper loses necessary rights."""


@dataclass(slots=True)
class BrowserProcess:
    """Running browser.

    Attributes:
        driver: controls the browser.
        pid: id of the browser process; its children are in the same process group.
        build: product and version, recorded in snapshots.
        folder: folder of temporary files and the browser profile, which is part of the command line.
        isolation: what isolates the browser from the machine.
        killed: whether `kill` was called.
        document_tabs: the open tabs for documents, by whether they paint.
    """

    driver: Driver
    pid: int
    build: str
    folder: str
    isolation: Isolation
    _reaper: subprocess.Popen[bytes]
    killed: bool = False
    document_tabs: dict[bool, DocumentTab] = field(default_factory=dict)

    @property
    def is_alive(self) -> bool:
        """Return whether the browser can render another page."""
        return not self.killed and self.driver.is_connected()

    def kill(self) -> None:
        """End the browser and its children at once; safe from any thread."""
        self.killed = True
        orphan_reaper.kill_tree(self.pid, self.folder)

    async def close(self) -> None:
        """End the browser and its driver, and remove their files."""
        self.kill()
        try:
            with contextlib.suppress(ProtocolError):
                await self.driver.close()
        finally:
            await asyncio.to_thread(self._reaper.communicate)
            await asyncio.to_thread(temp_dirs.remove, self.folder)  # an interrupt may have ended the reaper

    def memory(self) -> int:
        """Return the private memory of the browser and its children in bytes; 0 except on Linux."""
        if sys.platform != "linux":
            return 0
        group = _group(Path("/proc", str(self.pid)))
        return sum(_private_bytes(entry) for entry in Path("/proc").glob("[0-9]*") if _group(entry) == group)


async def launch(executable: Path) -> BrowserProcess:
    """Start a browser that ends with this process, with all isolation that this system offers.

    Raises:
        BrowserError: the browser does not start.
    """
    folder = temp_dirs.create()
    driver = None
    try:
        driver, isolation = await _launch_isolated(executable, folder)
        isolation.warn()
        processes = (await driver.session.send("SystemInfo.getProcessInfo"))["processInfo"]
        pid = next(process["id"] for process in processes if process["type"] == "browser")
        build = (await driver.session.send("Browser.getVersion"))["product"]
        script = [sys.executable, "-I", "-S", orphan_reaper.__file__, str(os.getpid()), str(pid), folder]
        reaper = subprocess.Popen(script, stdin=subprocess.PIPE, start_new_session=True)
        return BrowserProcess(driver, pid, build, folder, isolation, reaper)
    except BaseException as error:
        with contextlib.suppress(ProtocolError):
            if driver is not None:
                await driver.close()
        temp_dirs.remove(folder)  # the last processes of the browser may still write
        if isinstance(error, ProtocolError):
            raise BrowserError(f"{executable} does not start: run `vclean doctor` ({_reason(error)})") from error
        raise


async def _launch_isolated(executable: Path, folder: str) -> tuple[Driver, Isolation]:
    """Start the browser in an empty network namespace; if that fails, rely on its switches to block the network."""
    isolation = available_isolation()
    unprotected = ["--no-sandbox"] if isolation.sandbox else []
    command = [str(executable), *SWITCHES, *unprotected, f"--user-data-dir={Path(folder, 'profile')}"]
    obstacle = isolation.network or _NEEDS_NETWORK.get(executable)
    if obstacle is None:
        try:
            return await launch_driver(network_namespace.command(*command), folder), isolation
        except ProtocolError as error:
            obstacle = Obstacle(f"{executable} does not start in one: {_reason(error)}", "try another browser")
    driver = await launch_driver(command, folder)
    if isolation.network is None:
        _NEEDS_NETWORK[executable] = obstacle
    return driver, replace(isolation, network=obstacle)


def _group(entry: Path) -> int:
    try:
        return os.getpgid(int(entry.name))
    except OSError:
        return 0


def _private_bytes(entry: Path) -> int:
    """Return resident minus shared memory in bytes (proc(5), statm)."""
    try:
        resident, shared = (entry / "statm").read_text().split()[1:3]
    except OSError:
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def _reason(error: Exception) -> str:
    """Return the fatal or the last line of the browser on standard error, else the first line of the error."""
    lines = str(error).strip().splitlines()
    messages = [line.partition("[err] ")[2] for line in lines if "[err] " in line]
    fatal = [line for line in messages if "FATAL" in line or "error while loading" in line]
    return [*fatal[:1], *messages[-1:], *lines[:1], "no reason given"][0]


_CHECK_SECONDS: Final = 0.5
"""Seconds between memory checks, which take 3 ms; most pages finish before the first one."""

_MAX_MEMORY: Final = 4 * 2**30
"""Largest memory of the browser and its children in bytes; a page of 50 MB takes 1.4 GB."""


@contextlib.contextmanager
def resource_limits(
    seconds: float, late: VcleanError, is_large: Callable[[], bool], large: VcleanError, kill: Callable[[], None]
) -> Iterator[list[VcleanError]]:
    """Limit time and memory of a process inside the block, from a thread that the process cannot block.

    Args:
        seconds: the deadline, from now.
        late: the error for a process that exceeds it.
        is_large: returns whether the process takes too much memory.
        large: the error if it does.
        kill: ends the process; called after an error.

    Yields:
        A list that gets the error, if there is one.
    """
    errors: list[VcleanError] = []

    def check(done: threading.Event) -> None:
        end = time.monotonic() + seconds
        while not errors and not done.wait(max(0.0, min(_CHECK_SECONDS, end - time.monotonic()))):
            if time.monotonic() >= end:
                errors.append(late)
            elif is_large():
                errors.append(large)
        if errors:
            kill()

    with background_thread(check):
        yield errors


def page_limits(seconds: float, process: BrowserProcess) -> AbstractContextManager[list[VcleanError]]:
    """Limit time and memory of a page in a browser (see `resource_limits`)."""
    most = max_memory()
    size = f"{most / 2**20:,.0f} MB of memory in the browser"
    large = LimitError(f"the page takes more than {size}: clean it without rendering")
    return resource_limits(seconds, deadline_error(seconds), lambda: process.memory() > most, large, process.kill)


def deadline_error(seconds: float) -> DeadlineError:
    """Return the error for a page that was not rendered in time."""
    return DeadlineError(f"the page was not rendered within {seconds:g} s: raise --timeout")


def max_memory() -> int:
    """Return the largest memory of the browser for one page in bytes: 4 GB, or half of the physical memory if less."""
    if sys.platform == "win32":
        return _MAX_MEMORY
    return min(_MAX_MEMORY, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
