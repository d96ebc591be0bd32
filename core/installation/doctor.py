"""`vclean doctor`: what of an installation works, and what to do about what does not."""

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
from vclean.installation.setup import prove
from vclean.installation.system import package_manager
from vclean.render.browser.chromium import OVERRIDE, Chromium, find_chromium
from vclean.render.browser.fonts import has_fonts, uncovered_scripts
from vclean.render.isolation.sandbox import network_obstacle, sandbox_obstacle

if TYPE_CHECKING:
    from collections.abc import Iterator

Status = Literal["ok", "warn", "FAIL"]

NEEDED_TEMP_BYTES = 100 * 2**20
"""A browser profile, a picture and their like; below this, rendering fails in odd ways."""

COMFORTABLE_TEMP_BYTES = 2**30

REINSTALL = "run `pip install --force-reinstall .` in vclean's folder"


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of looking at one thing.

    Attributes:
        name: what was looked at.
        status: `ok`; `warn` where vclean works but not as well as it could; `FAIL` where it does not.
        detail: what was found.
        remedy: what to do about it, the exact command where there is one; empty when all is well.
    """

    name: str
    status: Status
    detail: str
    remedy: str = ""


def doctor(out: TextIO, *, as_json: bool = False) -> int:
    """Run every check, write one line each (or a JSON array), and give the exit code: 1 if anything fails, else 0."""
    checks = list(run_checks())
    write = to_json if as_json else to_lines
    out.write(write(checks))
    return int(any(check.status == "FAIL" for check in checks))


def run_checks() -> Iterator[Check]:
    """Look at everything; takes a second or two, for the browser is started."""
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
    """Return a table of the checks, each remedy on a line of its own below."""
    from tabulate import tabulate

    rows: list[tuple[str, str, str]] = []
    for check in checks:
        rows.append((check.status, check.name, check.detail))
        if check.remedy:
            rows.append(("", "", f"-> {check.remedy}"))
    return tabulate(rows, tablefmt="plain", disable_numparse=True) + "\n"


def to_json(checks: list[Check]) -> str:
    """An array of objects with the fields of `Check`."""
    return json.dumps([asdict(check) for check in checks], ensure_ascii=False, indent=2) + "\n"


def check_python() -> Check:
    """The Python that runs now; one too old could not have imported this."""
    return Check("python", "ok", f"{platform.python_version()}, {sys.executable}")


def check_packages() -> Check:
    """Every dependency is installed, in a version that the package's own metadata allows."""
    try:
        requirements = _requirements()
    except metadata.PackageNotFoundError:
        return Check("packages", "FAIL", "vclean itself is not installed", "run `pip install .` in its folder")
    wrong = [found for found in map(_shortfall, requirements) if found]
    if wrong:
        names = " ".join(f'"{requirement}"' for requirement in requirements if _shortfall(requirement))
        return Check("packages", "FAIL", ", ".join(wrong), f"pip install {names}")
    return Check("packages", "ok", f"{len(requirements)} at or above their minimum")


def check_extras() -> Check:
    """List the extras of which every package is installed, and those that are missing."""
    try:
        names = metadata.metadata("vclean").get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        return Check("extras", "FAIL", "vclean itself is not installed", "run `pip install .` in its folder")
    extras = {name: _requirements(name) for name in names}
    missing = [name for name, requirements in extras.items() if requirements and any(map(_shortfall, requirements))]
    installed = [name for name, requirements in extras.items() if requirements and name not in missing]
    detail = f"installed: {', '.join(installed) or 'none'}"
    if missing:
        detail += f"; not installed: {', '.join(missing)} (pip install 'vclean[{','.join(missing)}]')"
    return Check("extras", "ok", detail)


def check_browser() -> Iterator[Check]:
    """There is a Chromium, it starts, and it draws text."""
    try:
        chromium = find_chromium()
    except BrowserMissingError as error:
        yield Check("browser", "FAIL", str(error), f"unset {OVERRIDE}" if OVERRIDE in os.environ else "vclean setup")
        return
    yield _check_kind(chromium)
    try:
        yield Check("rendering", "ok", f"a page was rendered by {prove(chromium)}")
    except BrowserError as error:
        yield Check("rendering", "FAIL", str(error), "vclean setup")
    except ImportError as error:
        yield Check("rendering", "FAIL", str(error), REINSTALL)


def check_sandbox() -> Check:
    """Whether pages are rendered inside Chromium's sandbox."""
    in_the_way = sandbox_obstacle()
    if in_the_way is None:
        return Check("sandbox", "ok", "on")
    return Check("sandbox", "warn", f"off: {in_the_way.reason}", in_the_way.remedy)


def check_network() -> Check:
    """Whether the browser runs without a network; its switches keep it from one in any case."""
    in_the_way = network_obstacle()
    if in_the_way is None:
        return Check("network", "ok", "the browser runs in a network namespace with nothing in it")
    return Check("network", "ok", f"the browser's switches keep it from the network ({in_the_way})")


def check_fonts() -> Check:
    """There is a font; without one, text takes no room and every box is empty."""
    if has_fonts():
        return Check("fonts", "ok", "there are fonts")
    return Check("fonts", "FAIL", "there is no font, text would have no boxes", "vclean setup")


def check_scripts() -> Check:
    """Scripts without a font are drawn in boxes of another size than their readers see."""
    missing = uncovered_scripts()
    if not missing:
        return Check("scripts", "ok", "a font for every script that was looked for")
    remedy = "only needed for pages in them: install Noto fonts"
    if (manager := package_manager()) and manager.command == "apt-get":
        remedy = f"only needed for pages in them: {manager.command_line(['fonts-noto-core', 'fonts-noto-cjk'])}"
    return Check("scripts", "warn", f"no font for {', '.join(missing)}", remedy)


def check_model() -> Check:
    """The shipped model is there and loads."""
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
    speed = "" if COMPILED else "; LightGBM evaluates it, four times as slowly: no compiler was there to build ours"
    return Check("model", "ok", f"version {model.version}{speed}")


def check_temporary_folder() -> Check:
    """Room for the browser's profile and for pictures."""
    folder = Path(tempfile.gettempdir())
    free = shutil.disk_usage(folder).free
    detail = f"{free / 2**20:,.0f} MB free in {folder}"
    remedy = "free some space, or set TMPDIR to a folder that has it"
    if not os.access(folder, os.W_OK) or free < NEEDED_TEMP_BYTES:
        return Check("temporary", "FAIL", detail, remedy)
    if free < COMFORTABLE_TEMP_BYTES:
        return Check("temporary", "warn", detail, remedy)
    return Check("temporary", "ok", detail)


def _requirements(extra: str = "") -> list[Requirement]:
    """Return the requirements of vclean on this platform; with an extra, the ones that the extra adds."""
    requirements = [line for line in map(Requirement, metadata.requires("vclean") or []) if line.name != "vclean"]
    always = [line for line in requirements if not line.marker or line.marker.evaluate({"extra": ""})]
    if not extra:
        return always
    return [
        line for line in requirements if line not in always and line.marker and line.marker.evaluate({"extra": extra})
    ]


def _shortfall(requirement: Requirement) -> str:
    """What is wrong with one dependency, or the empty string."""
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
    remedy = "`playwright install --only-shell chromium` gets the headless shell"
    return Check("browser", "warn", f"{detail}: a full browser, slower and larger than the headless shell", remedy)
