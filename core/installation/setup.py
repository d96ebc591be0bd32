"""Find or install Chromium with its fonts and libraries, for `vclean setup`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

from vclean.errors import BrowserError, BrowserMissingError
from vclean.installation.system import PackageManager, Run, package_manager, privilege, run
from vclean.page import Page
from vclean.render.browser.chromium import OVERRIDE, Chromium, find_chromium
from vclean.render.browser.fonts import has_fonts

if TYPE_CHECKING:
    from collections.abc import Sequence

DOWNLOAD_SECONDS = 900.0
"""Time limit of the download of the headless shell, 110 MB: enough at 1 Mbit/s."""

INSTALL_SECONDS = 1200.0
DRIVER_SECONDS = 30.0

PLAYWRIGHT = (sys.executable, "-m", "playwright")

TEST_PAGE = Page(content="<!DOCTYPE html><title>vclean</title><p>One line of text.", id="setup")


def setup(out: TextIO, *, run: Run = run) -> Chromium:
    """Install everything that rendering needs on this machine, and test it by rendering a page.

    First, missing fonts and system libraries are installed, which the wheels do not contain. Then Chromium: an existing
    one is used, else the headless shell of Playwright is downloaded, else the system package is installed. The user is
    never asked, and existing parts are not installed again.

    Args:
        out: the stream for messages, one line for each step.
        run: the function that runs the commands of the installation.

    Returns:
        The Chromium that `find_chromium` now returns.

    Raises:
        BrowserMissingError: no Chromium could be installed; the message has the command to run instead.
        BrowserError: the Chromium does not start, or renders no text.
    """
    manager = package_manager()
    _install_missing_packages(manager, out, run)
    chromium = _find_installed(out) or _download(out, run) or _install_chromium_package(manager, out, run)
    print_step(out, f"starting {chromium.path}")
    print_step(out, f"ready: {_start(chromium, out, run)} from {chromium.source}, {chromium.path}")
    return chromium


def check_rendering(chromium: Chromium) -> str:
    """Render one line of text and return the build of the browser.

    Raises:
        BrowserError: the browser does not start, or the text has no width because no font is installed.
    """
    from vclean.render.browser.renderer import Renderer

    with Renderer(chromium=chromium.path) as renderer:
        snapshot = renderer.render(TEST_PAGE).snapshot
    if not (snapshot.line_box[:, 2] > 0).any():
        raise BrowserError("the browser renders no text: install a font, such as the package fonts-liberation")
    return snapshot.build


def missing_packages(manager: PackageManager, run: Run = run) -> list[str]:
    """Return the missing packages of `manager` that rendering and the model need, except a browser."""
    packages: list[str] = []
    if not has_fonts():
        packages += manager.fonts
    if not openmp_loads():
        packages += manager.openmp
    if not driver_starts(run):
        packages += manager.atomic
    return packages


def openmp_loads() -> bool:
    """Return whether LightGBM loads: its wheel does not contain OpenMP, which slim images lack."""
    try:
        import lightgbm  # noqa: F401 - only to see if it loads
    except OSError:
        return False
    return True


def driver_starts(run: Run = run) -> bool:
    """Return whether the Node.js of Playwright starts: it needs libatomic, which slim images lack."""
    return run([*PLAYWRIGHT, "--version"], timeout=DRIVER_SECONDS).succeeded


def print_step(out: TextIO, line: str) -> None:
    """Print one step and flush the stream."""
    out.write(f"setup: {line}\n")
    out.flush()


def _find_installed(out: TextIO) -> Chromium | None:
    """Return the installed Chromium, or None.

    Raises:
        BrowserMissingError: the environment variable names a Chromium that is not usable; it is never replaced.
    """
    try:
        chromium = find_chromium()
    except BrowserMissingError:
        if os.environ.get(OVERRIDE):
            raise
        print_step(out, "no Chromium on this machine yet")
        return None
    print_step(out, f"found Chromium from {chromium.source}")
    return chromium


def _download(out: TextIO, run: Run) -> Chromium | None:
    print_step(out, "downloading Chromium's headless shell with Playwright (110 MB)")
    outcome = run([*PLAYWRIGHT, "install", "--only-shell", "chromium"], timeout=DOWNLOAD_SECONDS)
    if not outcome.succeeded:
        print_step(out, f"the download failed: {outcome.reason}")
        return None
    return find_chromium()


def _install_missing_packages(manager: PackageManager | None, out: TextIO, run: Run) -> None:
    """Install missing fonts and libraries; a failure is only printed, because rendering may work without them."""
    packages = missing_packages(manager, run) if manager else []
    if manager and packages and not _install(manager, packages, out, run):
        print_step(out, f"run this by hand: {manager.command_line(packages)}")


def _install_chromium_package(manager: PackageManager | None, out: TextIO, run: Run) -> Chromium:
    if manager is None:
        raise BrowserMissingError(f"no Chromium: download and install one, or set {OVERRIDE} to one")
    if not _install(manager, manager.browser, out, run):
        command = manager.command_line([*manager.browser, *missing_packages(manager, run)])
        raise BrowserMissingError(f"no Chromium could be installed: run `{command}`, or set {OVERRIDE} to one")
    return find_chromium()


def _install(manager: PackageManager, packages: Sequence[str], out: TextIO, run: Run) -> bool:
    """Install packages with apt-get, the only tested manager, if root rights need no password; return the success."""
    root = privilege(run)
    if manager.command != "apt-get" or root is None:
        return False
    print_step(out, f"installing {' '.join(packages)} with {manager.command}")
    run([*root, *manager.prepare], timeout=INSTALL_SECONDS)
    outcome = run([*root, *manager.install, *packages], timeout=INSTALL_SECONDS)
    if not outcome.succeeded:
        print_step(out, f"{manager.command} failed: {outcome.reason}")
    return outcome.succeeded


def _start(chromium: Chromium, out: TextIO, run: Run) -> str:
    """Return the build of the browser; if it does not start, install its libraries and try again.

    Raises:
        BrowserError: the browser does not start, or renders no text.
    """
    try:
        return check_rendering(chromium)
    except BrowserError as error:
        manager, root = package_manager(), privilege(run)
        if manager is None or manager.command != "apt-get" or root is None:
            raise BrowserError(f"{error}; try `playwright install-deps chromium` as root") from error
        print_step(out, f"it does not work yet: {error}")
    print_step(out, "installing its libraries with apt-get")
    outcome = run([*root, *PLAYWRIGHT, "install-deps", "chromium"], timeout=INSTALL_SECONDS)
    if not outcome.succeeded:
        print_step(out, f"the installation failed: {outcome.reason}")
    return check_rendering(chromium)
