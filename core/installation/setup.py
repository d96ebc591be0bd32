"""Find or install Chromium with its fonts and libraries, for `vclean setup`."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from vclean.errors import BrowserError, BrowserMissingError
from vclean.page import Page
from vclean.render.browser.chromium import OVERRIDE, Chromium, find_chromium
from vclean.render.browser.fonts import has_fonts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vclean.render.isolation.sandbox import Isolation
    from vclean.render.snapshot import Snapshot

    Run = Callable[..., "CommandOutcome"]
    """The function `run`, or a replacement with the same parameters."""

DOWNLOAD_SECONDS = 900.0
"""Time limit of the download of the headless shell, 110 MB: enough at 1 Mbit/s."""

INSTALL_SECONDS = 1200.0
DRIVER_SECONDS = 30.0

PLAYWRIGHT = (sys.executable, "-m", "playwright")

TEST_PAGE = Page(content="<!DOCTYPE html><title>vclean</title><p>One line of text.", id="setup")


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """Outcome of a program.

    Attributes:
        code: the exit code; None if the program could not be started or reached its time limit.
        output: standard output and standard error.
    """

    code: int | None
    output: str

    @property
    def succeeded(self) -> bool:
        """Return whether the program ended with exit code 0."""
        return self.code == 0

    @property
    def reason(self) -> str:
        """Return one line of the output about the failure: the first with an error, or else the last."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower() or line.startswith("E:")]
        return [*errors[:1], *lines[-1:], f"exit code {self.code}"][0]


def run(command: Sequence[str], *, timeout: float) -> CommandOutcome:
    """Run a command without input and return its exit code and output; a failure of the command raises no error.

    After `timeout` seconds, and on an interrupt, the command and its child processes are terminated.
    """
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "NO_COLOR": "1"}
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        return CommandOutcome(None, f"{command[0]}: {error.strerror}")
    with process:
        return _collect(process, timeout)


@dataclass(frozen=True, slots=True)
class PackageManager:
    """Package manager of a system.

    Attributes:
        command: the program name.
        prepare: the command that updates the package lists; empty if not needed.
        install: the command that installs packages, without their names.
        browser: the packages of Chromium.
        fonts: the packages of fonts.
        openmp: the packages of the OpenMP library.
        atomic: the packages of libatomic.
    """

    command: str
    prepare: tuple[str, ...]
    install: tuple[str, ...]
    browser: tuple[str, ...]
    fonts: tuple[str, ...]
    openmp: tuple[str, ...]
    atomic: tuple[str, ...]

    def command_line(self, packages: Sequence[str]) -> str:
        """Return the command that installs `packages`, for the user to type."""
        sudo = [] if self.command == "brew" or is_root() else ["sudo"]
        steps = [step for step in (self.prepare, (*self.install, *packages)) if step]
        return " && ".join(shlex.join([*sudo, *step]) for step in steps)


MANAGERS = (
    PackageManager(
        "apt-get",
        ("apt-get", "update"),
        ("apt-get", "install", "-y", "--no-install-recommends"),
        ("chromium-headless-shell",),
        ("fonts-liberation", "fonts-dejavu-core"),
        ("libgomp1",),
        ("libatomic1",),
    ),
    PackageManager(
        "dnf",
        (),
        ("dnf", "install", "-y"),
        ("chromium-headless",),
        ("liberation-fonts", "dejavu-sans-fonts"),
        ("libgomp",),
        ("libatomic",),
    ),
    PackageManager(
        "pacman",
        (),
        ("pacman", "-Sy", "--noconfirm"),
        ("chromium",),
        ("ttf-liberation", "ttf-dejavu"),
        ("gcc-libs",),
        ("gcc-libs",),
    ),
    PackageManager("brew", (), ("brew", "install"), ("chromium",), (), ("libomp",), ()),
)


def package_manager() -> PackageManager | None:
    """Return the first known package manager on the PATH; None if there is none."""
    return next((manager for manager in MANAGERS if shutil.which(manager.command)), None)


def is_root() -> bool:
    """Return whether this process runs as root; always False on Windows."""
    return sys.platform != "win32" and os.geteuid() == 0


def privilege(run: Run = run) -> list[str] | None:
    """Return the prefix of a command that runs it as root without a password; None if that is impossible."""
    if is_root():
        return []
    if shutil.which("sudo") and run(["sudo", "-n", "true"], timeout=10).succeeded:
        return ["sudo", "-n"]
    return None


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


def check_rendering(chromium: Chromium) -> tuple[str, Isolation]:
    """Render one line of text, and return the build of the browser and its isolation.

    Raises:
        BrowserError: the browser does not start, or the text has no width because no font is installed.
    """
    from vclean.render.browser.async_renderer import AsyncRenderer

    async def render() -> tuple[Snapshot, Isolation]:
        async with AsyncRenderer(chromium=chromium.path) as renderer:
            process = await renderer.start(TEST_PAGE)
            return (await renderer.render(TEST_PAGE)).snapshot, process.isolation

    snapshot, isolation = asyncio.run(render())
    if not (snapshot.line_box[:, 2] > 0).any():
        raise BrowserError("the browser renders no text: install a font, such as the package fonts-liberation")
    return snapshot.build, isolation


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
        return check_rendering(chromium)[0]
    except BrowserError as error:
        manager, root = package_manager(), privilege(run)
        if manager is None or manager.command != "apt-get" or root is None:
            raise BrowserError(f"{error}; try `playwright install-deps chromium` as root") from error
        print_step(out, f"it does not work yet: {error}")
    print_step(out, "installing its libraries with apt-get")
    outcome = run([*root, *PLAYWRIGHT, "install-deps", "chromium"], timeout=INSTALL_SECONDS)
    if not outcome.succeeded:
        print_step(out, f"the installation failed: {outcome.reason}")
    return check_rendering(chromium)[0]


def _collect(process: subprocess.Popen[str], timeout: float) -> CommandOutcome:
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _end(process)
        return CommandOutcome(None, f"error: stopped after {timeout:.0f} s, before it ended")
    except BaseException:
        _end(process)
        raise
    return CommandOutcome(process.returncode, output)


def _end(process: subprocess.Popen[str]) -> None:
    """Terminate all processes of the session: a grandchild with the open pipe would block `communicate`."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
