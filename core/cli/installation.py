"""Install Chromium with its fonts and libraries, and check the installation: `vclean setup` and `vclean doctor`."""

from __future__ import annotations

import asyncio
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Literal

from packaging.requirements import Requirement

from vclean.errors import BrowserError, BrowserMissingError, OutputError, VcleanError
from vclean.files import write_stream
from vclean.imports import DISTRIBUTION, install_command
from vclean.page import Page
from vclean.render.browser.chromium import OVERRIDE, Chromium, find_chromium, has_fonts, uncovered_scripts
from vclean.render.isolation import temp_dirs
from vclean.render.isolation.orphan_reaper import kill_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vclean.render.isolation.sandbox import Isolation, Obstacle
    from vclean.render.snapshot import Snapshot

DOWNLOAD_SECONDS = 900.0
"""Time limit of the download of the headless shell, 110 MB: enough at 1 Mbit/s."""

INSTALL_SECONDS = 1200.0

PLAYWRIGHT = (sys.executable, "-m", "playwright")

TEST_PAGE = Page(content="<!DOCTYPE html><title>vclean</title><p>One line of text.", id="setup")


def run(command: Sequence[str], *, timeout: float) -> str:
    """Run a command without input. Return an empty string, or the reason of its failure in one line.

    After `timeout` seconds, and on an interrupt, the command and its child processes are ended.
    """
    settings = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "NO_COLOR": "1"}
    with tempfile.TemporaryFile() as file:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=settings,
                start_new_session=True,
            )
        except OSError as error:
            return f"{command[0]}: {error.strerror}"
        with process:
            try:
                code = process.wait(timeout)
            except BaseException as error:
                kill_tree(process.pid, command[0])
                if isinstance(error, subprocess.TimeoutExpired):
                    return f"stopped after {timeout:.0f} s, before it ended"
                raise
        file.seek(0)
        output = file.read().decode(errors="replace")
    return _reason(output) or f"exit code {code}" if code else ""


def _reason(output: str) -> str:
    """Return the line of the output of a failed command that has the reason: the first with an error, or the last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower() or line.startswith("E:")]
    return next(iter([*errors, *lines[-1:]]), "")


UPDATE = ("apt-get", "update")
INSTALL = ("apt-get", "install", "-y", "--no-install-recommends")
"""Commands of Debian and Ubuntu: no other system is known, and none of their packages is installed elsewhere."""


def has_apt() -> bool:
    """Return whether the system has apt-get."""
    return shutil.which("apt-get") is not None


def command_line(packages: Sequence[str]) -> str:
    """Return the command that installs packages, for the user to type."""
    sudo = [] if is_root() else ["sudo"]
    return " && ".join(shlex.join([*sudo, *step]) for step in (UPDATE, (*INSTALL, *packages)))


def is_root() -> bool:
    """Return whether this process runs as root; always False on Windows."""
    return sys.platform != "win32" and os.geteuid() == 0


def privilege() -> list[str] | None:
    """Return the prefix of a command that runs it as root without a password; None if that is impossible."""
    if is_root():
        return []
    if shutil.which("sudo") and not run(["sudo", "-n", "true"], timeout=10):
        return ["sudo", "-n"]
    return None


def setup() -> Chromium:
    """Install everything that rendering needs on this machine, test it by rendering a page, and print each step.

    First, missing fonts and system libraries are installed, which the wheels do not contain. Then Chromium: an existing
    one is used, else the headless shell of Playwright is downloaded, else the system package is installed. The user is
    never asked, and existing parts are not installed again.

    Returns:
        The Chromium that `find_chromium` now returns.

    Raises:
        BrowserMissingError: no Chromium could be installed; the message has the command to run instead.
        BrowserError: the Chromium does not start, or renders no text.
    """
    packages = missing_packages()
    if packages and not _install(packages):  # rendering may work without them
        print_step(f"run this by hand: {command_line(packages)}")
    chromium = _find_or_install()
    print_step(f"starting {chromium.path}")
    print_step(f"ready: {_start(chromium)} from {chromium.source}, {chromium.path}")
    return chromium


def check_rendering(chromium: Chromium) -> tuple[str, Isolation]:
    """Render one line of text, and return the build of the browser and its isolation.

    Raises:
        BrowserError: the browser does not start, or the text has no width because no font is installed.
    """
    from vclean.render.browser.renderer import AsyncRenderer

    async def render() -> tuple[Snapshot, Isolation]:
        async with AsyncRenderer(chromium=chromium.path) as renderer:
            process = await renderer.start()
            return (await renderer.render(TEST_PAGE)).snapshot, process.isolation

    snapshot, isolation = asyncio.run(render())
    if not (snapshot.line_box[:, 2] > 0).any():
        raise BrowserError("the browser renders no text: install a font, such as the package fonts-liberation")
    return snapshot.build, isolation


def missing_packages() -> list[str]:
    """Return the missing packages that rendering and training need, except a browser; none without apt-get."""
    if not has_apt():
        return []
    fonts = ("fonts-liberation", "fonts-dejavu-core")
    is_there = {fonts: has_fonts(), ("libgomp1",): openmp_loads(), ("libatomic1",): driver_starts()}
    return [package for packages, found in is_there.items() if not found for package in packages]


def openmp_loads() -> bool:
    """Return whether LightGBM loads: its wheel does not contain OpenMP, which slim images lack."""
    try:
        import lightgbm  # noqa: F401 - only to see if it loads
    except OSError:
        return False
    return True


def driver_starts() -> bool:
    """Return whether the Node.js of Playwright starts: it needs libatomic, which slim images lack."""
    return not run([*PLAYWRIGHT, "--version"], timeout=30)


def print_step(line: str) -> None:
    """Print one step of the installation."""
    write_stream(sys.stdout, f"setup: {line}\n")


def _find_or_install() -> Chromium:
    """Return the installed Chromium; if there is none, download the headless shell, or install the system package.

    Raises:
        BrowserMissingError: none of this is possible, or the environment variable names a Chromium that is not usable;
            it is never replaced.
    """
    try:
        chromium = find_chromium()
        print_step(f"found Chromium from {chromium.source}")
        return chromium
    except BrowserMissingError:
        if os.environ.get(OVERRIDE):
            raise
    print_step("no Chromium on this machine yet")
    print_step("downloading Chromium's headless shell with Playwright (110 MB)")
    if failure := run([*PLAYWRIGHT, "install", "--only-shell", "chromium"], timeout=DOWNLOAD_SECONDS):
        print_step(f"the download failed: {failure}")
        if not has_apt():
            raise BrowserMissingError(f"no Chromium: download and install one, or set {OVERRIDE} to one")
        if not _install([browser := "chromium-headless-shell"]):
            command = command_line([browser, *missing_packages()])
            raise BrowserMissingError(f"no Chromium could be installed: run `{command}`, or set {OVERRIDE} to one")
    return find_chromium()


def _install(packages: Sequence[str]) -> bool:
    """Install packages if root rights need no password; return the success."""
    root = privilege()
    if root is None:
        return False
    print_step(f"installing {' '.join(packages)} with apt-get")
    run([*root, *UPDATE], timeout=INSTALL_SECONDS)
    failure = run([*root, *INSTALL, *packages], timeout=INSTALL_SECONDS)
    if failure:
        print_step(f"apt-get failed: {failure}")
    return not failure


def _start(chromium: Chromium) -> str:
    """Return the build of the browser; if it does not start, install its libraries and try again.

    Raises:
        BrowserError: the browser does not start, or renders no text.
    """
    try:
        return check_rendering(chromium)[0]
    except BrowserError as error:
        root = privilege()
        if root is None or not has_apt():
            raise BrowserError(f"{error}; try `playwright install-deps chromium` as root") from error
        print_step(f"it does not work yet: {error}")
    print_step("installing its libraries with apt-get")
    if failure := run([*root, *PLAYWRIGHT, "install-deps", "chromium"], timeout=INSTALL_SECONDS):
        print_step(f"the installation failed: {failure}")
    return check_rendering(chromium)[0]


Status = Literal["ok", "warn", "FAIL"]

NEEDED_TEMP_BYTES = 100 * 2**20
"""Space for a browser profile and screenshots; with less, rendering fails with unclear errors."""

RECOMMENDED_TEMP_BYTES = 2**30

_TEMP_REMEDY = "free some space, or set TMPDIR to a folder with enough space that you may write to"

REINSTALL = f"run `pip install --force-reinstall {DISTRIBUTION}`, or in a clone `pip install .`"


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one check.

    Attributes:
        name: the subject of the check.
        status: `ok`; `warn` if vclean works with limitations; `FAIL` if it does not work.
        detail: the finding.
        remedy: the fix, as an exact command if possible; empty if none is needed.
    """

    name: str
    status: Status
    detail: str
    remedy: str = ""


def run_checks() -> Iterator[Check]:
    """Run every check; this takes one or two seconds, because the browser is started."""
    yield Check("python", "ok", f"{platform.python_version()}, {sys.executable}")
    yield from check_packages()
    yield from check_browser()
    yield check_fonts()
    yield check_model()
    yield check_temporary_folder()


def check_packages() -> Iterator[Check]:
    """Check that every dependency is installed in a version that the metadata of vclean allows, and list the extras."""
    requirements = _requirements()
    names = metadata.metadata(DISTRIBUTION).get_all("Provides-Extra") or []
    problems = {f'"{requirement}"': problem for requirement in requirements if (problem := _problem(requirement))}
    if any(found.read_text("RECORD") for found in metadata.distributions(name="vclean")):
        detail = f"the distribution vclean is installed beside {DISTRIBUTION}, and both write to the folder vclean"
        yield Check("packages", "FAIL", detail, f"pip uninstall vclean {DISTRIBUTION}; then {REINSTALL}")
    elif problems:
        yield Check("packages", "FAIL", ", ".join(problems.values()), f"pip install {' '.join(problems)}")
    else:
        yield Check("packages", "ok", f"{len(requirements)} at or above their minimum")
    extras = {name: required for name in names if (required := _requirements(name))}
    missing = [name for name, required in extras.items() if any(map(_problem, required))]
    detail = f"installed: {', '.join(name for name in extras if name not in missing) or 'none'}"
    if missing:
        detail += f"; not installed: {', '.join(missing)} ({install_command(*missing)})"
    yield Check("extras", "ok", detail)


def check_browser() -> Iterator[Check]:
    """Check that there is a Chromium, that it starts and renders text, and what isolates it from the machine."""
    try:
        chromium = find_chromium()
    except BrowserMissingError as error:
        yield Check("browser", "FAIL", str(error), f"unset {OVERRIDE}" if OVERRIDE in os.environ else "vclean setup")
        return
    yield Check("browser", "ok", f"{chromium.path}, from {chromium.source}")
    try:
        build, isolation = check_rendering(chromium)
    except (BrowserError, OutputError, ImportError) as error:
        remedies: dict[type[Exception], str] = {OutputError: _TEMP_REMEDY, BrowserError: "vclean setup"}
        yield Check("rendering", "FAIL", str(error), remedies.get(type(error), REINSTALL))
        return
    yield Check("rendering", "ok", f"a page was rendered by {build}")
    yield _check_isolation("sandbox", isolation.sandbox, "on", "off")
    on, off = "the browser runs in an empty network namespace", "only the switches of the browser block it"
    yield _check_isolation("network", isolation.network, on, off)


def check_fonts() -> Check:
    """Check that there are fonts, also for common scripts; text without a font has empty boxes or of a wrong size."""
    if not has_fonts():
        return Check("fonts", "FAIL", "no font is installed, text would have no boxes", "vclean setup")
    if missing := uncovered_scripts():
        remedy = command_line(["fonts-noto-core", "fonts-noto-cjk"]) if has_apt() else "install Noto fonts"
        return Check("fonts", "warn", f"no font for {', '.join(missing)}", f"only needed for pages in them: {remedy}")
    return Check("fonts", "ok", "there is a font for every checked script")


def check_model() -> Check:
    """Check that the shipped model can be loaded."""
    try:
        from vclean.classify.content.model import load

        model = load()
    except (VcleanError, ImportError) as error:
        return Check("model", "FAIL", str(error), REINSTALL)
    return Check("model", "ok", f"version {model.version}")


def check_temporary_folder() -> Check:
    """Check the space for browser profiles and screenshots."""
    try:
        folder = temp_dirs.root()
    except OutputError as error:
        return Check("temporary", "FAIL", str(error), _TEMP_REMEDY)
    free = shutil.disk_usage(folder).free
    detail = f"{free / 2**20:,.0f} MB free in {folder}"
    if free < RECOMMENDED_TEMP_BYTES:
        return Check("temporary", "FAIL" if free < NEEDED_TEMP_BYTES else "warn", detail, _TEMP_REMEDY)
    return Check("temporary", "ok", detail)


def _requirements(extra: str = "") -> list[Requirement]:
    """Return the requirements of vclean on this platform; with an extra, only those that the extra adds."""
    lines = map(Requirement, metadata.requires(DISTRIBUTION) or [])
    requirements = [line for line in lines if line.name != DISTRIBUTION]
    always = [line for line in requirements if not line.marker or line.marker.evaluate({"extra": ""})]
    added = [line for line in requirements if line.marker and line.marker.evaluate({"extra": extra})]
    return [line for line in added if line not in always] if extra else always


def _problem(requirement: Requirement) -> str:
    """Return the problem with one dependency, or an empty string."""
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        return f"{requirement.name} is missing"
    if requirement.specifier.contains(version, prereleases=True):
        return ""
    return f"{requirement.name} is {version}, not {requirement.specifier}"


def _check_isolation(name: str, obstacle: Obstacle | None, on: str, off: str) -> Check:
    """Return the check of a part of the isolation; it is `ok` where the system cannot have that part."""
    if obstacle is None:
        return Check(name, "ok", on)
    return Check(name, "warn" if obstacle.remedy else "ok", f"{off}: {obstacle.reason}", obstacle.remedy)
