"""`vclean setup`: a Chromium that works, found or installed, and what has to be on the machine beside it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

from vclean.errors import BrowserError, BrowserMissingError
from vclean.page import Page
from vclean.render.chromium import OVERRIDE, Chromium, find_chromium
from vclean.render.fonts import has_fonts
from vclean.system import PackageManager, Run, package_manager, privilege, run

if TYPE_CHECKING:
    from collections.abc import Sequence

DOWNLOAD_SECONDS = 900.0
"""For the 110 MB of the headless shell: 1 Mbit/s is enough."""

INSTALL_SECONDS = 1200.0

PLAYWRIGHT = (sys.executable, "-m", "playwright")

PROOF = Page(content="<!DOCTYPE html><title>vclean</title><p>One line of text.", id="setup")


def setup(out: TextIO, *, run: Run = run) -> Chromium:
    """Make sure that pages can be rendered here, and prove it by rendering one.

    Looks for Chromium; where there is none, has Playwright download its headless shell, and where that fails
    installs the system's package. Fonts and the OpenMP library that LightGBM needs come the same way where they are
    missing. Says every step on `out`, asks nothing, and does nothing when everything is there.

    Args:
        out: where the steps are told, one line each.
        run: runs the installing commands.

    Returns:
        The Chromium that `find_chromium` will find from now on.

    Raises:
        BrowserMissingError: none could be installed; the text holds the command to run instead.
        BrowserError: the Chromium that was found does not start, or draws no text.
    """
    chromium = _installed(out) or _downloaded(out, run)
    _install_missing(chromium, out, run)
    chromium = find_chromium()
    say(out, f"starting {chromium.path}")
    say(out, f"ready: {_started(chromium, out, run)} from {chromium.source}, {chromium.path}")
    return chromium


def prove(chromium: Chromium) -> str:
    """Render one line of text and give the browser's build.

    Raises:
        BrowserError: the browser does not start, or the text takes no room because there is no font.
    """
    from vclean.render.browser import Renderer

    with Renderer(chromium=chromium.path) as renderer:
        snapshot = renderer.render(PROOF).snapshot
    if not (snapshot.line_box[:, 2] > 0).any():
        raise BrowserError("the browser draws no text: install a font, e.g. the package fonts-liberation")
    return snapshot.build


def missing_packages(manager: PackageManager, *, browser: bool) -> list[str]:
    """The packages of `manager` that rendering and the model still need; with the browser's if `browser`."""
    packages = list(manager.browser) if browser else []
    if not has_fonts():
        packages += manager.fonts
    if not openmp_loads():
        packages += manager.openmp
    return packages


def openmp_loads() -> bool:
    """Whether LightGBM's library loads: its wheel leaves OpenMP to the system, and slim images lack it."""
    try:
        import lightgbm  # noqa: F401 - loading is the question
    except OSError:
        return False
    return True


def say(out: TextIO, line: str) -> None:
    """Write one step, at once."""
    out.write(f"setup: {line}\n")
    out.flush()


def _installed(out: TextIO) -> Chromium | None:
    """The Chromium that is there. One that the user has named is never replaced by another: its error goes on."""
    try:
        chromium = find_chromium()
    except BrowserMissingError:
        if os.environ.get(OVERRIDE):
            raise
        say(out, "no Chromium on this machine yet")
        return None
    say(out, f"found Chromium from {chromium.source}")
    return chromium


def _downloaded(out: TextIO, run: Run) -> Chromium | None:
    say(out, "downloading Chromium's headless shell with Playwright (110 MB)")
    outcome = run([*PLAYWRIGHT, "install", "--only-shell", "chromium"], timeout=DOWNLOAD_SECONDS)
    if not outcome.succeeded:
        say(out, f"the download failed: {outcome.reason}")
        return None
    return find_chromium()


def _install_missing(chromium: Chromium | None, out: TextIO, run: Run) -> None:
    manager = package_manager()
    if manager is None:
        return _require(chromium, "install Chromium or Chrome from its maker's page")
    packages = missing_packages(manager, browser=chromium is None)
    if packages and not _install(manager, packages, out, run):
        command = manager.command_line(packages)
        say(out, f"to be run by hand: {command}")
        _require(chromium, f"run `{command}`")
    return None


def _require(chromium: Chromium | None, remedy: str) -> None:
    if chromium is None:
        raise BrowserMissingError(f"no Chromium could be installed: {remedy}, or set {OVERRIDE} to one")


def _install(manager: PackageManager, packages: Sequence[str], out: TextIO, run: Run) -> bool:
    """Install by apt-get, the one manager whose outcome is tested; the others' commands are shown."""
    root = privilege(run)
    if manager.command != "apt-get" or root is None:
        return False
    say(out, f"installing {' '.join(packages)} with {manager.command}")
    for command in (manager.prepare, (*manager.install, *packages)):
        outcome = run([*root, *command], timeout=INSTALL_SECONDS)
    if not outcome.succeeded:
        say(out, f"{manager.command} failed: {outcome.reason}")
    return outcome.succeeded


def _started(chromium: Chromium, out: TextIO, run: Run) -> str:
    """The build of the browser, given its libraries first if it did not start without."""
    try:
        return prove(chromium)
    except BrowserError as error:
        manager, root = package_manager(), privilege(run)
        if manager is None or manager.command != "apt-get" or root is None:
            raise BrowserError(f"{error}; perhaps `playwright install-deps chromium` as root helps") from error
        say(out, f"it does not work yet: {error}")
    say(out, "installing the libraries it needs with apt-get")
    outcome = run([*root, *PLAYWRIGHT, "install-deps", "chromium"], timeout=INSTALL_SECONDS)
    if not outcome.succeeded:
        say(out, f"that failed: {outcome.reason}")
    return prove(chromium)
