"""Check the installation and suggest fixes, for `vclean doctor`."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

from packaging.requirements import Requirement

from vclean.errors import BrowserError, BrowserMissingError, VcleanError
from vclean.imports import install_command
from vclean.installation.setup import check_rendering
from vclean.installation.system import package_manager
from vclean.render.browser.chromium import OVERRIDE, Chromium, find_chromium
from vclean.render.browser.fonts import has_fonts, uncovered_scripts
from vclean.render.isolation.sandbox import network_obstacle, sandbox_obstacle

if TYPE_CHECKING:
    from collections.abc import Iterator

Status = Literal["ok", "warn", "FAIL"]

NEEDED_TEMP_BYTES = 100 * 2**20
"""Space for a browser profile and screenshots; with less, rendering fails with unclear errors."""

RECOMMENDED_TEMP_BYTES = 2**30

REINSTALL = "run `pip install --force-reinstall .` in vclean's folder"


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


def doctor(out: TextIO, *, as_json: bool = False) -> int:
    """Run every check and print the results; return the exit code.

    Args:
        out: the stream for the results.
        as_json: whether to print a JSON array instead of a table.

    Returns:
        1 if a check fails, else 0.
    """
    checks = list(run_checks())
    write = to_json if as_json else to_lines
    out.write(write(checks))
    return int(any(check.status == "FAIL" for check in checks))


def run_checks() -> Iterator[Check]:
    """Run every check; this takes one or two seconds, because the browser is started."""
    yield check_python()
    yield check_packages()
    yield check_extras()
    yield from check_browser()
    yield check_sandbox()
    yield check_network()
    yield check_fonts()
    yield check_scripts()
    yield check_model()
    yield check_temporary_folder()


def to_lines(checks: list[Check]) -> str:
    """Return a table of the checks, with each remedy on the line below its check."""
    from tabulate import tabulate

    rows: list[tuple[str, str, str]] = []
    for check in checks:
        rows.append((check.status, check.name, check.detail))
        if check.remedy:
            rows.append(("", "", f"-> {check.remedy}"))
    return tabulate(rows, tablefmt="plain", disable_numparse=True) + "\n"


def to_json(checks: list[Check]) -> str:
    """Return a JSON array of objects with the fields of `Check`."""
    return json.dumps([asdict(check) for check in checks], ensure_ascii=False, indent=2) + "\n"


def check_python() -> Check:
    """Return version and path of the running Python; a version too old could not have imported this module."""
    return Check("python", "ok", f"{platform.python_version()}, {sys.executable}")


def check_packages() -> Check:
    """Check that every dependency is installed in a version that the metadata of vclean allows."""
    try:
        requirements = _requirements()
    except metadata.PackageNotFoundError:
        return Check("packages", "FAIL", "vclean itself is not installed", "run `pip install .` in its folder")
    problems = [problem for problem in map(_problem, requirements) if problem]
    if problems:
        names = " ".join(f'"{requirement}"' for requirement in requirements if _problem(requirement))
        return Check("packages", "FAIL", ", ".join(problems), f"pip install {names}")
    return Check("packages", "ok", f"{len(requirements)} at or above their minimum")


def check_extras() -> Check:
    """List the extras that are installed completely, and those that are not."""
    try:
        names = metadata.metadata("vclean").get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        return Check("extras", "FAIL", "vclean itself is not installed", "run `pip install .` in its folder")
    extras = {name: _requirements(name) for name in names}
    missing = [name for name, requirements in extras.items() if requirements and any(map(_problem, requirements))]
    installed = [name for name, requirements in extras.items() if requirements and name not in missing]
    detail = f"installed: {', '.join(installed) or 'none'}"
    if missing:
        detail += f"; not installed: {', '.join(missing)} ({install_command(*missing)})"
    return Check("extras", "ok", detail)


def check_browser() -> Iterator[Check]:
    """Check that there is a Chromium, that it starts, and that it renders text."""
    try:
        chromium = find_chromium()
    except BrowserMissingError as error:
        yield Check("browser", "FAIL", str(error), f"unset {OVERRIDE}" if OVERRIDE in os.environ else "vclean setup")
        return
    yield _check_kind(chromium)
    try:
        yield Check("rendering", "ok", f"a page was rendered by {check_rendering(chromium)}")
    except BrowserError as error:
        yield Check("rendering", "FAIL", str(error), "vclean setup")
    except ImportError as error:
        yield Check("rendering", "FAIL", str(error), REINSTALL)


def check_sandbox() -> Check:
    """Check whether pages are rendered in the sandbox of Chromium."""
    problem = sandbox_obstacle()
    if problem is None:
        return Check("sandbox", "ok", "on")
    return Check("sandbox", "warn", f"off: {problem.reason}", problem.remedy)


def check_network() -> Check:
    """Check how the browser is isolated from the network: by an empty network namespace, or only by its switches."""
    problem = network_obstacle()
    if problem is None:
        return Check("network", "ok", "the browser runs in an empty network namespace")
    return Check("network", "ok", f"command-line switches of the browser disable the network ({problem})")


def check_fonts() -> Check:
    """Check that a font is installed; without a font, all text boxes are empty."""
    if has_fonts():
        return Check("fonts", "ok", "fonts are installed")
    return Check("fonts", "FAIL", "no font is installed, text would have no boxes", "vclean setup")


def check_scripts() -> Check:
    """Check that there are fonts for common scripts; text without a font has boxes of a wrong size."""
    missing = uncovered_scripts()
    if not missing:
        return Check("scripts", "ok", "there is a font for every checked script")
    remedy = "only needed for pages in them: install Noto fonts"
    if (manager := package_manager()) and manager.command == "apt-get":
        remedy = f"only needed for pages in them: {manager.command_line(['fonts-noto-core', 'fonts-noto-cjk'])}"
    return Check("scripts", "warn", f"no font for {', '.join(missing)}", remedy)


def check_model() -> Check:
    """Check that the shipped model can be loaded."""
    try:
        from vclean.classify.content.model import load_default
        from vclean.classify.trees.forest import COMPILED

        model = load_default()
    except VcleanError as error:
        return Check("model", "FAIL", str(error), REINSTALL)
    except ImportError as error:
        return Check("model", "FAIL", str(error), REINSTALL)
    except OSError as error:
        return Check("model", "FAIL", f"LightGBM does not load: {error}", "vclean setup")
    speed = "" if COMPILED else "; evaluated by LightGBM, four times as slowly: the compiled extension was not built"
    return Check("model", "ok", f"version {model.version}{speed}")


def check_temporary_folder() -> Check:
    """Check the space for browser profiles and screenshots."""
    folder = Path(tempfile.gettempdir())
    free = shutil.disk_usage(folder).free
    detail = f"{free / 2**20:,.0f} MB free in {folder}"
    remedy = "free some space, or set TMPDIR to a folder with enough space"
    if not os.access(folder, os.W_OK) or free < NEEDED_TEMP_BYTES:
        return Check("temporary", "FAIL", detail, remedy)
    if free < RECOMMENDED_TEMP_BYTES:
        return Check("temporary", "warn", detail, remedy)
    return Check("temporary", "ok", detail)


def _requirements(extra: str = "") -> list[Requirement]:
    """Return the requirements of vclean on this platform; with an extra, only those that the extra adds."""
    requirements = [line for line in map(Requirement, metadata.requires("vclean") or []) if line.name != "vclean"]
    always = [line for line in requirements if not line.marker or line.marker.evaluate({"extra": ""})]
    if not extra:
        return always
    return [
        line for line in requirements if line not in always and line.marker and line.marker.evaluate({"extra": extra})
    ]


def _problem(requirement: Requirement) -> str:
    """Return the problem with one dependency, or an empty string."""
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        return f"{requirement.name} is missing"
    if requirement.specifier.contains(version, prereleases=True):
        return ""
    return f"{requirement.name} is {version}, not {requirement.specifier}"


def _check_kind(chromium: Chromium) -> Check:
    detail = f"{chromium.path}, from {chromium.source}"
    if chromium.kind == "headless-shell":
        return Check("browser", "ok", detail)
    remedy = "`playwright install --only-shell chromium` installs the headless shell"
    return Check("browser", "warn", f"{detail}: a full browser, slower and larger than the headless shell", remedy)
