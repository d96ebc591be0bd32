"""`vclean setup`: a Chromium that works, found or installed, and what has to be on the machine beside it."""

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
"""For the 110 MB of the headless shell: 1 Mbit/s is enough."""

INSTALL_SECONDS = 1200.0
DRIVER_SECONDS = 30.0

PLAYWRIGHT = (sys.executable, "-m", "playwright")

PROOF = Page(content="<!DOCTYPE html><title>vclean</title><p>One line of text.", id="setup")


def setup(out: TextIO, *, run: Run = run) -> Chromium:
    """Make sure that pages can be rendered here, and prove it by rendering one.

    First come fonts and the libraries that the wheels leave to the system, where they are missing. Then Chromium:
    the one that is there, else Playwright's headless shell, else the system's package. Says every step on `out`,
    asks nothing, and installs nothing when everything is there.

    Args:
        out: where the steps are told, one line each.
        run: runs the installing commands.

    Returns:
        The Chromium that `find_chromium` finds from now on.

    Raises:
        BrowserMissingError: none could be installed; the text holds the command to run instead.
        BrowserError: the Chromium that was found does not start, or draws no text.
    """
    manager = package_manager()
    _complete(manager, out, run)
    chromium = _installed(out) or _downloaded(out, run) or _packaged(manager, out, run)
    say(out, f"starting {chromium.path}")
    say(out, f"ready: {_started(chromium, out, run)} from {chromium.source}, {chromium.path}")
    return chromium


def prove(chromium: Chromium) -> str:
    """Render one line of text and give the browser's build.

    Raises:
        BrowserError: the browser does not start, or the text takes no room because there is no font.
    """
    from vclean.render.browser.renderer import Renderer

    with Renderer(chromium=chromium.path) as renderer:
        snapshot = renderer.render(PROOF).snapshot
    if not (snapshot.line_box[:, 2] > 0).any():
        raise BrowserError("the browser draws no text: install a font, e.g. the package fonts-liberation")
    return snapshot.build


def missing_packages(manager: PackageManager, run: Run = run) -> list[str]:
    """The packages of `manager`, beside a browser, that rendering and the model still need on this machine."""
    packages: list[str] = []
    if not has_fonts():
        packages += manager.fonts
    if not openmp_loads():
        packages += manager.openmp
    if not driver_starts(run):
        packages += manager.atomic
    return packages


def openmp_loads() -> bool:
    """Whether LightGBM's library loads: its wheel leaves OpenMP to the system, and slim images lack it."""
    try:
        import lightgbm  # noqa: F401 - loading is the question
    except OSError:
        return False
    return True


def driver_starts(run: Run = run) -> bool:
    """Whether Playwright's own Node starts: it wants libatomic, which slim images lack."""
    return run([*PLAYWRIGHT, "--version"], timeout=DRIVER_SECONDS).succeeded


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


def _complete(manager: PackageManager | None, out: TextIO, run: Run) -> None:
    """Install what is missing beside a browser; what cannot be installed may yet turn out not to be needed."""
    packages = missing_packages(manager, run) if manager else []
    if manager and packages and not _install(manager, packages, out, run):
        say(out, f"to be run by hand: {manager.command_line(packages)}")


def _packaged(manager: PackageManager | None, out: TextIO, run: Run) -> Chromium:
    if manager is None:
        raise BrowserMissingError(f"no Chromium: install one from its maker's page, or set {OVERRIDE} to one")
    if not _install(manager, manager.browser, out, run):
        command = manager.command_line([*manager.browser, *missing_packages(manager, run)])
        raise BrowserMissingError(f"no Chromium could be installed: run `{command}`, or set {OVERRIDE} to one")
    return find_chromium()


def _install(manager: PackageManager, packages: Sequence[str], out: TextIO, run: Run) -> bool:
    """Install by apt-get, the one manager whose outcome is tested, where that can be done without a question."""
    root = privilege(run)
    if manager.command != "apt-get" or root is None:
        return False
    say(out, f"installing {' '.join(packages)} with {manager.command}")
    run([*root, *manager.prepare], timeout=INSTALL_SECONDS)
    outcome = run([*root, *manager.install, *packages], timeout=INSTALL_SECONDS)
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
