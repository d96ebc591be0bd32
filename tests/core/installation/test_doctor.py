"""Tests of `vclean doctor`: good and bad outcome of every check, and its remedy."""

from __future__ import annotations

import io
import json
import sys
from collections import namedtuple
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from vclean.errors import BrowserError, ModelError, OutputError
from vclean.imports import install_command
from vclean.installation import doctor as module
from vclean.installation.doctor import (
    REINSTALL,
    Check,
    check_browser,
    check_extras,
    check_fonts,
    check_model,
    check_packages,
    check_python,
    check_scripts,
    check_temporary_folder,
    doctor,
    run_checks,
    to_lines,
)
from vclean.installation.setup import MANAGERS
from vclean.render.browser.chromium import Chromium
from vclean.render.isolation.sandbox import Isolation, Obstacle

GOOD = Check("fonts", "ok", "there are fonts")
BAD = Check("browser", "FAIL", "none", "vclean setup")
SLOW = "; evaluated by LightGBM, four times as slowly: the compiled extension was not built"
WARN = Check("sandbox", "warn", "off", "be no root")


class TestDoctor:
    @pytest.mark.parametrize(
        ("checks", "code"), [([GOOD], 0), ([GOOD, WARN], 0), ([GOOD, BAD], 1), ([BAD, WARN, BAD], 1)]
    )
    def test_exit_code(self, checks: list[Check], code: int, monkeypatch: pytest.MonkeyPatch) -> None:
        # A warning does not change the exit code.
        monkeypatch.setattr(module, "run_checks", lambda: iter(checks))
        assert doctor(io.StringIO()) == code

    def test_json(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "run_checks", lambda: iter([GOOD, BAD]))
        out = io.StringIO()
        assert doctor(out, as_json=True) == 1
        assert json.loads(out.getvalue()) == [asdict(GOOD), asdict(BAD)]

    def test_lines(self) -> None:
        assert to_lines([GOOD, BAD]) == (
            "ok    fonts    there are fonts\nFAIL  browser  none\n               -> vclean setup\n"
        )


class TestRunChecks:
    def test_every_check_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # Every check that is not ok has a remedy.
        monkeypatch.setattr(module, "check_rendering", lambda _chromium: ("HeadlessChrome/1.2", Isolation(None, None)))
        monkeypatch.setattr(module, "find_chromium", lambda: Chromium(Path("x"), "headless-shell", "a test"))
        checks = list(run_checks())
        assert [check.name for check in checks] == [
            "python", "packages", "extras", "browser", "rendering", "sandbox", "network", "fonts", "scripts", "model",
            "temporary",
        ]  # fmt: skip
        assert all((check.status == "ok") == (not check.remedy) for check in checks)

    @pytest.mark.browser
    def test_a_page_is_rendered(self) -> None:
        rendering = next(check for check in check_browser() if check.name == "rendering")
        assert rendering.status == "ok"
        assert "Chrome" in rendering.detail


class TestPython:
    def test_names_the_interpreter(self) -> None:
        assert check_python().detail.endswith(sys.executable)


class TestPackages:
    @pytest.fixture
    def installed(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
        """Replace the versions of installed packages; three are required, one of them on other systems only."""
        versions = {"numpy": "2.1.0", "lxml": "6.0.2"}
        required = ["numpy>=2.0", "lxml>=6.0", 'pywin32>=300; sys_platform == "os2"', 'ray>=2; extra == "farm"']

        def version(name: str) -> str:
            if name not in versions:
                raise metadata.PackageNotFoundError(name)
            return versions[name]

        monkeypatch.setattr(module.metadata, "requires", lambda _name: required)
        monkeypatch.setattr(module.metadata, "version", version)
        monkeypatch.setattr(module.metadata, "distributions", lambda *, name: [])
        return versions

    def test_all_installed(self, installed: dict[str, str]) -> None:
        """Require nothing that only other systems or extras need."""
        assert check_packages() == Check("packages", "ok", "2 at or above their minimum")

    def test_accepts_pre_release(self, installed: dict[str, str]) -> None:
        installed["numpy"] = "3.0.0rc1"
        assert check_packages().status == "ok"

    def test_too_old(self, installed: dict[str, str]) -> None:
        installed["numpy"] = "1.26.4"
        assert check_packages() == Check("packages", "FAIL", "numpy is 1.26.4, not >=2.0", 'pip install "numpy>=2.0"')

    def test_missing(self, installed: dict[str, str]) -> None:
        installed.clear()
        check = check_packages()
        assert check.detail == "numpy is missing, lxml is missing"
        assert check.remedy == 'pip install "numpy>=2.0" "lxml>=6.0"'

    def test_vclean_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def requires(name: str) -> list[str]:
            raise metadata.PackageNotFoundError(name)

        monkeypatch.setattr(module.metadata, "requires", requires)
        assert check_packages().remedy == REINSTALL

    @pytest.mark.parametrize(("record", "status"), [("vclean/__init__.py,,", "FAIL"), (None, "ok")])
    def test_another_distribution_with_the_same_package(
        self, record: str | None, status: str, installed: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # A build leaves metadata without RECORD in the current folder.
        other = SimpleNamespace(read_text=lambda _name: record)
        monkeypatch.setattr(module.metadata, "distributions", lambda *, name: [other] * (name == "vclean"))
        assert check_packages().status == status
        assert ("pip uninstall vclean vclean-web" in check_packages().remedy) == (status == "FAIL")


class TestBrowser:
    def test_none(self, bare_machine: Path) -> None:
        """Try no rendering."""
        (check,) = check_browser()
        assert (check.name, check.status, check.remedy) == ("browser", "FAIL", "vclean setup")

    def test_environment_variable_with_wrong_path(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("VCLEAN_CHROMIUM", "/nonexistent")
        (check,) = check_browser()
        assert (check.status, check.remedy) == ("FAIL", "unset VCLEAN_CHROMIUM")

    @pytest.mark.parametrize(("kind", "status"), [("headless-shell", "ok"), ("chromium", "warn")])
    def test_full_browser(self, kind: str, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
        # A full browser works, but is slower.
        monkeypatch.setattr(module, "find_chromium", lambda: Chromium(Path("/opt/chrome"), kind, "the system"))
        monkeypatch.setattr(module, "check_rendering", lambda _chromium: ("Chrome/1", Isolation(None, None)))
        browser, rendering, *_ = check_browser()
        assert (browser.status, rendering.status) == (status, "ok")
        assert "/opt/chrome, from the system" in browser.detail.replace("\\", "/")

    @pytest.mark.parametrize(
        ("error", "remedy"),
        [
            (BrowserError("libnss3.so is missing"), "vclean setup"),
            (ModuleNotFoundError("No module named 'playwright'"), REINSTALL),
            (OutputError("no folder for temporary files"), module._TEMP_REMEDY),
        ],
    )
    def test_does_not_start(self, error: Exception, remedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
        def prove(_chromium: Chromium) -> str:
            raise error

        monkeypatch.setattr(module, "find_chromium", lambda: Chromium(Path("x"), "headless-shell", "a test"))
        monkeypatch.setattr(module, "check_rendering", prove)
        assert list(check_browser())[1:] == [Check("rendering", "FAIL", str(error), remedy)]

    @pytest.mark.parametrize(
        ("isolation", "sandbox", "network"),
        [
            (Isolation(None, None), ("ok", "on"), ("ok", "the browser runs in an empty network namespace")),
            (
                Isolation(Obstacle("there is a moat", "build a bridge"), Obstacle("no Linux", "")),
                ("warn", "off: there is a moat", "build a bridge"),
                ("ok", "only the switches of the browser block it: no Linux"),
            ),
            (
                Isolation(None, Obstacle("no right", "ask")),
                ("ok", "on"),
                ("warn", "only the switches of the browser block it: no right", "ask"),
            ),
        ],
    )
    def test_reports_the_isolation_of_the_browser_it_started(
        self, isolation: Isolation, sandbox: tuple[str, ...], network: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "find_chromium", lambda: Chromium(Path("x"), "headless-shell", "a test"))
        monkeypatch.setattr(module, "check_rendering", lambda _chromium: ("Chrome/1", isolation))
        assert list(check_browser())[2:] == [Check("sandbox", *sandbox), Check("network", *network)]


class TestExtras:
    @pytest.fixture(autouse=True)
    def declared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lines = ["lxml>=1", "no-such-package-here; extra == 'far'", "lxml>=1; extra == 'near'",
                 "lxml>=99999; extra == 'old'", "vclean-web[near]; extra == 'all'"]  # fmt: skip
        names = SimpleNamespace(get_all=lambda _field: ["all", "far", "near", "old"])
        monkeypatch.setattr(module.metadata, "distributions", lambda *, name: [])
        monkeypatch.setattr(module.metadata, "requires", lambda _name: lines)
        monkeypatch.setattr(module.metadata, "metadata", lambda _name: names)

    def test_installed_and_missing_extras(self) -> None:
        # An extra with an outdated package is missing; an extra that only names others is left out.
        detail = f"installed: near; not installed: far, old ({install_command('far', 'old')})"
        assert check_extras() == Check("extras", "ok", detail)

    def test_packages_of_extras_are_not_required(self) -> None:
        assert check_packages() == Check("packages", "ok", "1 at or above their minimum")

    def test_vclean_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def metadata_of(name: str) -> object:
            raise metadata.PackageNotFoundError(name)

        monkeypatch.setattr(module.metadata, "metadata", metadata_of)
        assert check_extras().status == "FAIL"


class TestFonts:
    @pytest.mark.parametrize(("there", "status"), [(True, "ok"), (False, "FAIL")])
    def test_fonts(self, there: bool, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "has_fonts", lambda: there)
        assert check_fonts().status == status


class TestScripts:
    @pytest.mark.parametrize(
        ("missing", "manager", "status", "remedy"),
        [
            ([], MANAGERS[0], "ok", ""),
            (["Hindi", "Thai"], MANAGERS[0], "warn", "fonts-noto-core fonts-noto-cjk"),
            (["Hindi"], None, "warn", "install Noto fonts"),
        ],
    )
    def test_scripts(
        self, missing: list[str], manager: object, status: str, remedy: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "uncovered_scripts", lambda: missing)
        monkeypatch.setattr(module, "package_manager", lambda: manager)
        check = check_scripts()
        assert (check.status, check.remedy.endswith(remedy)) == (status, True)
        assert not missing or check.detail == f"no font for {', '.join(missing)}"


class TestModel:
    @pytest.mark.parametrize(
        ("outcome", "compiled", "check"),
        [
            (SimpleNamespace(version="7"), True, Check("model", "ok", "version 7")),
            (
                SimpleNamespace(version="7"),
                False,
                Check("model", "ok", f"version 7{SLOW}"),
            ),
            (ModelError("the model is cut short"), True, Check("model", "FAIL", "the model is cut short", REINSTALL)),
            (ModuleNotFoundError("No lightgbm"), True, Check("model", "FAIL", "No lightgbm", REINSTALL)),
            (OSError("no libgomp"), True, Check("model", "FAIL", "LightGBM does not load: no libgomp", "vclean setup")),
        ],
    )
    def test_loads(self, outcome: object, compiled: bool, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
        def load_default() -> object:
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        monkeypatch.setitem(sys.modules, "vclean.classify.content.model", SimpleNamespace(load_default=load_default))
        monkeypatch.setattr("vclean.classify.trees.forest.COMPILED", compiled)
        assert check_model() == check


class TestTemporaryFolder:
    @pytest.mark.parametrize(("free", "status"), [(2**33, "ok"), (2**29, "warn"), (2**20, "FAIL")])
    def test_free_space(self, free: int, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
        usage = namedtuple("usage", "total used free")
        monkeypatch.setattr(module.shutil, "disk_usage", lambda _folder: usage(2**40, 0, free))
        assert check_temporary_folder().status == status

    def test_not_writable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def root() -> str:
            raise OutputError("no folder for temporary files")

        monkeypatch.setattr(module.temp_dirs, "root", root)
        assert (check_temporary_folder().status, check_temporary_folder().remedy) == ("FAIL", module._TEMP_REMEDY)
