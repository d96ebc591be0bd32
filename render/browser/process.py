"""Start a browser process without a network, limit it to its flags, and end it."""

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
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.errors import BrowserError
from vclean.render.browser.cdp import ProtocolError
from vclean.render.isolation import network_namespace, orphan_reaper, temp_dirs
from vclean.render.isolation.sandbox import network_obstacle, sandbox_obstacle

if TYPE_CHECKING:
    from vclean.render.browser.driver import BrowserTab, Driver
    from vclean.settings import RenderSettings

_LOG = logging.getLogger("vclean")

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
    # Every request is answered by us or not at all: no proxy, no name and no UDP leads out (see interception.py).
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
"""The flags of every browser, for both drivers."""

_NEEDS_NETWORK: Final[set[Path]] = set()
"""Executables that do not start in a network namespace, e.g. because a helper needs rights that a namespace removes."""


@dataclass(slots=True)
class BrowserProcess:
    """A running browser.

    Attributes:
        driver: controls the browser.
        pid: the id of the browser process; its children are in the same process group.
        build: product and version, recorded in snapshots.
        profile: the folder of the browser's profile, which is in its command line.
        folder: the folder of its temporary files.
        killed: whether `kill` was called.
    """

    driver: Driver
    pid: int
    build: str
    profile: str
    folder: str
    _reaper: subprocess.Popen[bytes]
    killed: bool = False

    @property
    def is_alive(self) -> bool:
        """Whether the browser can render another page."""
        return not self.killed and self.driver.is_connected()

    def kill(self) -> None:
        """End the browser and its children at once; safe from any thread."""
        self.killed = True
        orphan_reaper.kill_tree(self.pid, self.profile)

    async def close(self) -> None:
        """End the browser and its driver, and remove their files."""
        self.kill()
        try:
            with contextlib.suppress(ProtocolError):
                await self.driver.close()
        finally:
            await asyncio.to_thread(self._reaper.communicate)

    async def open_tab(self, settings: RenderSettings, *, paint: bool) -> BrowserTab:
        """Open a tab; a crash of its page ends the browser, because pending commands then wait for ever."""
        return await self.driver.open_tab(settings, on_crash=self.kill, paint=paint)

    def memory(self) -> int:
        """Return the private memory of the browser and its children in bytes; 0 except on Linux."""
        if sys.platform != "linux":
            return 0
        group = _group(Path("/proc", str(self.pid)))
        return sum(_private_bytes(entry) for entry in Path("/proc").glob("[0-9]*") if _group(entry) == group)


async def launch(driver: Driver, executable: Path) -> BrowserProcess:
    """Start a browser that ends with this process and, where possible, has no network.

    Args:
        driver: starts the browser; closed if that fails.
        executable: Chromium.

    Raises:
        BrowserError: the browser does not start.
    """
    folder = temp_dirs.create()
    try:
        await _launch_isolated(driver, executable, folder)
        return await _describe(driver, folder)
    except ProtocolError as error:
        await _discard(driver, folder)
        raise BrowserError(f"{executable} does not start: run `vclean doctor` ({_reason(error)})") from error
    except BaseException:
        await _discard(driver, folder)
        raise


async def _discard(driver: Driver, folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(ProtocolError):
        await driver.close()


async def _launch_isolated(driver: Driver, executable: Path, folder: str) -> None:
    """Start the browser in an empty network namespace; where that fails, its flags keep it from the network."""
    isolated = _can_lose_network() and executable not in _NEEDS_NETWORK
    if isolated:
        with contextlib.suppress(ProtocolError):
            await driver.launch(_wrapper(executable, folder), folder, FLAGS, sandbox=can_be_sandboxed())
            return
    await driver.launch(executable, folder, FLAGS, sandbox=can_be_sandboxed())
    if isolated:
        _LOG.info("%s starts only with a network: its flags keep it from that", executable)
        _NEEDS_NETWORK.add(executable)


def _wrapper(executable: Path, folder: str) -> Path:
    """Write a script that runs `executable` with its arguments in an empty network namespace."""
    path = Path(folder, "chromium")
    command = shlex.join(network_namespace.command(str(executable)))
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8", errors="surrogateescape")
    path.chmod(0o700)
    return path


async def _describe(driver: Driver, folder: str) -> BrowserProcess:
    session = await driver.open_browser_session()
    processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
    pid = next(process["id"] for process in processes if process["type"] == "browser")
    arguments = (await session.send("Browser.getBrowserCommandLine"))["arguments"]
    build = (await session.send("Browser.getVersion"))["product"]
    await session.detach()
    profile = next(each.partition("=")[2] for each in arguments if each.startswith("--user-data-dir="))
    temp_dirs.record_owner(folder, profile)
    return BrowserProcess(driver, pid, build, profile, folder, _start_reaper(pid, profile, folder))


def _start_reaper(pid: int, *folders: str) -> subprocess.Popen[bytes]:
    script = [sys.executable, "-I", "-S", orphan_reaper.__file__]
    return subprocess.Popen(
        [*script, str(os.getpid()), str(pid), *folders], stdin=subprocess.PIPE, start_new_session=True
    )


@cache
def can_be_sandboxed() -> bool:
    """Return whether Chromium's sandbox can be on; log a warning once where it cannot."""
    found_obstacle = sandbox_obstacle()
    if found_obstacle is not None:
        _LOG.warning("Chromium's sandbox is off (%s): %s", found_obstacle.reason, found_obstacle.remedy)
    return found_obstacle is None


@cache
def _can_lose_network() -> bool:
    found_obstacle = network_obstacle()
    if found_obstacle is not None:
        _LOG.info("Chromium has a network, and its flags keep it from that (%s)", found_obstacle)
    return found_obstacle is None


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
    """Return one line: the browser's fatal or last line on standard error, else the first line of the error."""
    lines = str(error).strip().splitlines()
    messages = [line.partition("[err] ")[2] for line in lines if "[err] " in line]
    fatal = [line for line in messages if "FATAL" in line or "error while loading" in line]
    return [*fatal[:1], *messages[-1:], *lines[:1], "no reason given"][0]
