"""The browser process: its flags, its process group, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.errors import BrowserError
from vclean.render import netns, scratch, watchdog
from vclean.render.pipe import refusals
from vclean.render.sandbox import network_obstacle, obstacle

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import Browser, Playwright

    from vclean.render.pipe import Connection

    Start = Callable[[Path, str], Awaitable[Browser | Connection]]
    """Starts an executable, whose temporary files go to a folder."""

_LOG = logging.getLogger("vclean")

_START_MS: Final = 30_000

_LEFT_OUT: Final = ("--disable-ipc-flooding-protection", "--disable-popup-blocking")
"""Of Playwright's switches: what they turn off holds up pages that navigate or open windows without end."""

_DISABLED_FEATURES: Final = (
    # One renderer process per page, frames included, so that one session sees all requests of a page.
    "IsolateOrigins",
    "site-per-process",
    "SpareRendererForSitePerProcess",
    # Addresses stay as they are written, also where an old page mixes http into https.
    "AutoupgradeMixedContent",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    # Nothing happens that no page asked for.
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "Prerender2",
)
"""Ours and those of Playwright that matter here: the last switch of a name wins, so ours replaces Playwright's."""

_BLINK_SETTINGS: Final = (
    "availableHoverTypes=2",
    "availablePointerTypes=4",
    "lazyLoadEnabled=false",
    "primaryHoverType=2",
    "primaryPointerType=4",
)

FLAGS: Final = (
    # Every request is answered by us or not at all: no proxy, no name and no UDP leads out (see guard.py).
    "--proxy-server=http://proxy.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--block-new-web-contents",
    "--disable-site-isolation-trials",
    "--disable-features=" + ",".join(_DISABLED_FEATURES),
    "--blink-settings=" + ",".join(_BLINK_SETTINGS),
    # The browser tells its command line, and with it the folder of its profile, only to automation.
    "--enable-automation",
    # Pages run few scripts or none; V8's helper threads cost 7 % more CPU than they save.
    "--js-flags=--single-threaded",
    # Same glyphs and boxes on every machine with the same fonts.
    "--font-render-hinting=none",
    "--disable-lcd-text",
)
"""What every browser is started with, whoever drives it."""

_UNWALLED: Final[set[Path]] = set()
"""Browsers that start only outside of a network namespace, e.g. by a helper with rights that a namespace takes away."""


@dataclass(slots=True)
class Process:
    """A running browser.

    Attributes:
        browser: Playwright's handle, or the pipe to it.
        pid: of the browser process; its children are in the same process group.
        build: product and version, for the record.
        profile: the folder of its profile, which is in its command line.
        folder: its temporary files, this process's alone.
        killed: whether `kill` was called.
    """

    browser: Browser | Connection
    pid: int
    build: str
    profile: str
    folder: str
    _watchdog: subprocess.Popen[bytes]
    killed: bool = False

    @property
    def is_alive(self) -> bool:
        """Whether the browser takes another page."""
        return not self.killed and self.browser.is_connected()

    def kill(self) -> None:
        """End the browser and its children at once; safe from any thread."""
        self.killed = True
        watchdog.kill_tree(self.pid, self.profile)

    async def close(self) -> None:
        """End the browser, and remove what it left on disk."""
        self.kill()
        with contextlib.suppress(*refusals()):
            await self.browser.close()
        await asyncio.to_thread(self._watchdog.communicate)

    def memory(self) -> int:
        """Bytes of private memory of the browser and its children; 0 where the system does not tell."""
        if sys.platform != "linux":
            return 0
        group = _group(Path("/proc", str(self.pid)))
        return sum(_private_bytes(entry) for entry in Path("/proc").glob("[0-9]*") if _group(entry) == group)


async def launch(playwright: Playwright, executable: Path) -> Process:
    """Start a browser that ends with this process, and reaches no network.

    Raises:
        BrowserError: it does not start.
    """
    return await begin(partial(_start, playwright), executable)


async def begin(start: Start, executable: Path) -> Process:
    """Start a browser by `start`, without a network where that can be.

    Raises:
        BrowserError: it does not start.
    """
    folder = scratch.make()
    try:
        return await _describe(await _walled(start, executable, folder), folder)
    except refusals() as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise BrowserError(f"{executable} does not start: run `vclean doctor` ({_reason(error)})") from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


async def _walled(start: Start, executable: Path, folder: str) -> Browser | Connection:
    """Start the browser without a network, or else with one that its flags keep it from."""
    walled = _can_lose_network() and executable not in _UNWALLED
    if walled:
        with contextlib.suppress(*refusals()):
            return await start(_wrapper(executable, folder), folder)
    browser = await start(executable, folder)
    if walled:
        _LOG.info("%s starts only with a network: its flags keep it from that", executable)
        _UNWALLED.add(executable)
    return browser


async def _start(playwright: Playwright, executable: Path, folder: str) -> Browser:
    return await playwright.chromium.launch(
        executable_path=executable,
        args=FLAGS,
        ignore_default_args=_LEFT_OUT,
        artifacts_dir=folder,
        chromium_sandbox=can_be_sandboxed(),
        env={**os.environ, "TMPDIR": folder},
        handle_sigint=False,
        timeout=_START_MS,
    )


def _wrapper(executable: Path, folder: str) -> Path:
    """Write a command that takes the arguments of `executable`, and becomes it without a network."""
    path = Path(folder, "chromium")
    command = shlex.join(netns.command(str(executable)))
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8", errors="surrogateescape")
    path.chmod(0o700)
    return path


async def _describe(browser: Browser | Connection, folder: str) -> Process:
    session = await browser.new_browser_cdp_session()
    processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
    pid = next(process["id"] for process in processes if process["type"] == "browser")
    arguments = (await session.send("Browser.getBrowserCommandLine"))["arguments"]
    build = (await session.send("Browser.getVersion"))["product"]
    await session.detach()
    profile = next(each.partition("=")[2] for each in arguments if each.startswith("--user-data-dir="))
    scratch.note(folder, profile)
    return Process(browser, pid, build, profile, folder, _watch(pid, profile, folder))


def _watch(pid: int, *folders: str) -> subprocess.Popen[bytes]:
    script = [sys.executable, "-I", "-S", watchdog.__file__]
    return subprocess.Popen(
        [*script, str(os.getpid()), str(pid), *folders], stdin=subprocess.PIPE, start_new_session=True
    )


@cache
def can_be_sandboxed() -> bool:
    """Whether Chromium's sandbox can be on; says so once where it cannot."""
    in_the_way = obstacle()
    if in_the_way is not None:
        _LOG.warning("Chromium's sandbox is off (%s): %s", in_the_way.reason, in_the_way.remedy)
    return in_the_way is None


@cache
def _can_lose_network() -> bool:
    in_the_way = network_obstacle()
    if in_the_way is not None:
        _LOG.info("Chromium has a network, and its flags keep it from that (%s)", in_the_way)
    return in_the_way is None


def _group(entry: Path) -> int:
    try:
        return os.getpgid(int(entry.name))
    except OSError:
        return 0


def _private_bytes(entry: Path) -> int:
    """Resident less shared pages (proc(5), statm)."""
    try:
        resident, shared = (entry / "statm").read_text().split()[1:3]
    except OSError:
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def _reason(error: Exception) -> str:
    """One line: what the browser itself said last or fatally, or else what Playwright says."""
    lines = str(error).strip().splitlines()
    said = [line.partition("[err] ")[2] for line in lines if "[err] " in line]
    fatal = [line for line in said if "FATAL" in line or "error while loading" in line]
    return [*fatal[:1], *said[-1:], *lines[:1], "no reason given"][0]
