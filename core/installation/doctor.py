"""Check the installation and suggest fixes, for `vclean doctor`."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Literal, TextIO

from packaging.requirements import Requirement

from vclean.errors import BrowserError, BrowserMissingError, OutputError, VcleanError
from vclean.imports import DISTRIBUTION, install_command
from vclean.installation.setup import check_rendering, package_manager
from vclean.render.browser.chromium import OVERRIDE, Chromium, find_chromium
from vclean.render.browser.fonts import has_fonts, uncovered_scripts
from vclean.render.isolation import temp_dirs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.render.isolation.sandbox import Obstacle

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
        return Check("packages", "FAIL", f"{DISTRIBUTION} is not installed", REINSTALL)
    if any(found.read_text("RECORD") for found in metadata.distributions(name="vclean")):
        detail = f"the distribution vclean is installed beside {DISTRIBUTION}, and both write to the folder vclean"
        return Check("packages", "FAIL", detail, f"pip uninstall vclean {DISTRIBUTION}; then {REINSTALL}")
    problems = [problem for problem in map(_problem, requirements) if problem]
    if problems:
        names = " ".join(f'"{requirement}"' for requirement in requirements if _problem(requirement))
        return Check("packages", "FAIL", ", ".join(problems), f"pip install {names}")
    return Check("packages", "ok", f"{len(requirements)} at or above their minimum")


def check_extras() -> Check:
    """List the extras that are installed completely, and those that are not."""
    try:
        names = metadata.metadata(DISTRIBUTION).get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        return Check("extras", "FAIL", f"{DISTRIBUTION} is not installed", REINSTALL)
    extras = {name: _requirements(name) for name in names}
    missing = [name for name, requirements in extras.items() if requirements and any(map(_problem, requirements))]
    installed = [name for name, requirements in extras.items() if requirements and name not in missing]
    detail = f"installed: {', '.join(installed) or 'none'}"
    if missing:
        detail += f"; not installed: {', '.join(missing)} ({install_command(*missing)})"
    return Check("extras", "ok", detail)


def check_browser() -> Iterator[Check]:
    """Check that there is a Chromium, that it starts and renders text, and what isolates it from the machine."""
    try:
        chromium = find_chromium()
    except BrowserMissingError as error:
        yield Check("browser", "FAIL", str(error), f"unset {OVERRIDE}" if OVERRIDE in os.environ else "vclean setup")
        return
    yield _check_kind(chromium)
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


def _check_isolation(name: str, obstacle: Obstacle | None, on: str, off: str) -> Check:
    """Return the check of a part of the isolation; it is `ok` where the system cannot have that part."""
    if obstacle is None:
        return Check(name, "ok", on)
    return Check(name, "warn" if obstacle.remedy else "ok", f"{off}: {obstacle.reason}", obstacle.remedy)


def _check_kind(chromium: Chromium) -> Check:
    detail = f"{chromium.path}, from {chromium.source}"
    if chromium.kind == "headless-shell":
        return Check("browser", "ok", detail)
    remedy = "`playwright install --only-shell chromium` installs the headless shell"
    return Check("browser", "warn", f"{detail}: a full browser, slower and larger than the headless shell", remedy)
