"""Start a browser process without network access, and end it."""

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
"""Disabled features, including those of Playwright that affect pages: this switch replaces Playwright's, because the
last switch of a name is used."""

_BLINK_SETTINGS: Final = (
    "availableHoverTypes=2",
    "availablePointerTypes=4",
    "lazyLoadEnabled=false",
    "primaryHoverType=2",
    "primaryPointerType=4",
)

FLAGS: Final = (
    # Only interception.py answers requests: proxies, host names and UDP cannot reach the network.
    "--proxy-server=http://proxy.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--block-new-web-contents",
    "--disable-site-isolation-trials",
    "--disable-features=" + ",".join(_DISABLED_FEATURES),
    "--blink-settings=" + ",".join(_BLINK_SETTINGS),
    # The browser reports its command line, which contains the profile folder, only in automation mode.
    "--enable-automation",
    # Pages run few scripts or none; the helper threads of V8 increase the CPU time by 7 %.
    "--js-flags=--single-threaded",
    # The same glyphs and boxes on all machines with the same fonts.
    "--font-render-hinting=none",
    "--disable-lcd-text",
)
"""Flags of every browser, for both drivers."""

_NEEDS_NETWORK: Final[set[Path]] = set()
"""Executables that do not start in a network namespace, for example because a helper loses necessary rights."""


@dataclass(slots=True)
class BrowserProcess:
    """Running browser.

    Attributes:
        driver: controls the browser.
        pid: id of the browser process; its children are in the same process group.
        build: product and version, recorded in snapshots.
        profile: folder of the browser profile, which is part of the command line.
        folder: folder of temporary files.
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
        """Return whether the browser can render another page."""
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
        """Open a tab; a crash of its page ends the browser, because pending commands would never return."""
        return await self.driver.open_tab(settings, on_crash=self.kill, paint=paint)

    def memory(self) -> int:
        """Return the private memory of the browser and its children in bytes; 0 except on Linux."""
        if sys.platform != "linux":
            return 0
        group = _group(Path("/proc", str(self.pid)))
        return sum(_private_bytes(entry) for entry in Path("/proc").glob("[0-9]*") if _group(entry) == group)


async def launch(driver: Driver, executable: Path) -> BrowserProcess:
    """Start a browser that ends with this process and, if possible, has no network.

    Args:
        driver: starts the browser; it is closed on failure.
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
    """Start the browser in an empty network namespace; if that fails, rely on its flags to block the network."""
    isolated = _can_isolate_network() and executable not in _NEEDS_NETWORK
    if isolated:
        with contextlib.suppress(ProtocolError):
            await driver.launch(_wrapper(executable, folder), folder, FLAGS, sandbox=can_be_sandboxed())
            return
    await driver.launch(executable, folder, FLAGS, sandbox=can_be_sandboxed())
    if isolated:
        _LOG.info("%s starts only with a network: its flags block requests", executable)
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
    switch = next(argument for argument in arguments if argument.startswith("--user-data-dir="))
    profile = switch.partition("=")[2]
    temp_dirs.record_owner(folder, profile)
    return BrowserProcess(driver, pid, build, profile, folder, _start_reaper(pid, profile, folder))


def _start_reaper(pid: int, *folders: str) -> subprocess.Popen[bytes]:
    script = [sys.executable, "-I", "-S", orphan_reaper.__file__]
    return subprocess.Popen(
        [*script, str(os.getpid()), str(pid), *folders], stdin=subprocess.PIPE, start_new_session=True
    )


@cache
def can_be_sandboxed() -> bool:
    """Return whether the sandbox of Chromium is available; log a warning once if it is not."""
    problem = sandbox_obstacle()
    if problem is not None:
        _LOG.warning("Chromium's sandbox is off (%s): %s", problem.reason, problem.remedy)
    return problem is None


@cache
def _can_isolate_network() -> bool:
    problem = network_obstacle()
    if problem is not None:
        _LOG.info("Chromium has a network, and its flags block requests (%s)", problem)
    return problem is None


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
