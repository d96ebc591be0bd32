"""Tests of `vclean doctor`: good and bad outcome of every check, and its remedy."""

from __future__ import annotations

import io
import json
import sys
from collections import namedtuple
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from vclean.errors import BrowserError, ModelError
from vclean.imports import install_command
from vclean.installation import doctor as module
from vclean.installation.doctor import (
    REINSTALL,
    Check,
    check_browser,
    check_extras,
    check_fonts,
    check_model,
    check_network,
    check_packages,
    check_python,
    check_sandbox,
    check_scripts,
    check_temporary_folder,
    doctor,
    run_checks,
    to_json,
    to_lines,
)
from vclean.installation.system import MANAGERS
from vclean.render.browser.chromium import Chromium
from vclean.render.isolation.sandbox import Obstacle

GOOD = Check("fonts", "ok", "there are fonts")
BAD = Check("browser", "FAIL", "none", "vclean setup")
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
        assert [check["status"] for check in json.loads(out.getvalue())] == ["ok", "FAIL"]


class TestForms:
    def test_lines(self) -> None:
        assert to_lines([GOOD, BAD]) == (
            "ok    fonts    there are fonts\nFAIL  browser  none\n               -> vclean setup\n"
        )

    def test_json_has_every_field(self) -> None:
        assert json.loads(to_json([WARN])) == [
            {"name": "sandbox", "status": "warn", "detail": "off", "remedy": "be no root"}
        ]


class TestRunChecks:
    def test_every_check_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # Every check that is not ok has a remedy.
        monkeypatch.setattr(module, "check_rendering", lambda _chromium: "HeadlessChrome/1.2")
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
        assert check_packages().remedy == "run `pip install .` in its folder"


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
        monkeypatch.setattr(module, "check_rendering", lambda _chromium: "Chrome/1")
        browser, rendering = check_browser()
        assert (browser.status, rendering.status) == (status, "ok")
        assert "/opt/chrome, from the system" in browser.detail.replace("\\", "/")

    def test_does_not_start(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def prove(_chromium: Chromium) -> str:
            raise BrowserError("libnss3.so is missing")

        monkeypatch.setattr(module, "find_chromium", lambda: Chromium(Path("x"), "headless-shell", "a test"))
        monkeypatch.setattr(module, "check_rendering", prove)
        assert list(check_browser())[1] == Check("rendering", "FAIL", "libnss3.so is missing", "vclean setup")

    def test_a_library_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def prove(_chromium: Chromium) -> str:
            raise ModuleNotFoundError("No module named 'playwright'")

        monkeypatch.setattr(module, "find_chromium", lambda: Chromium(Path("x"), "headless-shell", "a test"))
        monkeypatch.setattr(module, "check_rendering", prove)
        assert list(check_browser())[1] == Check("rendering", "FAIL", "No module named 'playwright'", REINSTALL)


class TestExtras:
    @pytest.fixture(autouse=True)
    def declared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lines = ["lxml>=1", "no-such-package-here; extra == 'far'", "lxml>=1; extra == 'near'",
                 "lxml>=99999; extra == 'old'", "vclean[near]; extra == 'all'"]  # fmt: skip
        names = SimpleNamespace(get_all=lambda _field: ["all", "far", "near", "old"])
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


class TestSandbox:
    def test_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "sandbox_obstacle", lambda: None)
        assert check_sandbox() == Check("sandbox", "ok", "on")

    def test_off(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # Pages are still rendered.
        monkeypatch.setattr(module, "sandbox_obstacle", lambda: Obstacle("there is a moat", "build a bridge"))
        assert check_sandbox() == Check("sandbox", "warn", "off: there is a moat", "build a bridge")


class TestNetwork:
    @pytest.mark.parametrize(("reason", "words"), [(None, "in an empty network namespace"), ("no right", "(no right)")])
    def test_names_kind_of_isolation(self, reason: str | None, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "network_obstacle", lambda: reason)
        assert (check_network().status, words in check_network().detail) == ("ok", True)


class TestFonts:
    @pytest.mark.parametrize(("there", "status"), [(True, "ok"), (False, "FAIL")])
    def test_fonts(self, there: bool, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "has_fonts", lambda: there)
        assert check_fonts().status == status


class TestScripts:
    def test_all(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "uncovered_scripts", list)
        assert check_scripts().status == "ok"

    def test_some(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "uncovered_scripts", lambda: ["Hindi", "Thai"])
        monkeypatch.setattr(module, "package_manager", lambda: MANAGERS[0])
        check = check_scripts()
        assert (check.status, check.detail) == ("warn", "no font for Hindi, Thai")
        assert check.remedy.endswith("fonts-noto-core fonts-noto-cjk")

    def test_other_manager(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "uncovered_scripts", lambda: ["Hindi"])
        monkeypatch.setattr(module, "package_manager", lambda: None)
        assert check_scripts().remedy.endswith("install Noto fonts")


class TestModel:
    def play(self, monkeypatch: pytest.MonkeyPatch, outcome: object) -> None:
        def load_default() -> object:
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        monkeypatch.setitem(sys.modules, "vclean.classify.content.model", SimpleNamespace(load_default=load_default))

    def test_loads(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.play(monkeypatch, SimpleNamespace(version="7"))
        monkeypatch.setattr("vclean.classify.trees.forest.COMPILED", True)
        assert check_model() == Check("model", "ok", "version 7")

    def test_built_without_a_compiler(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.play(monkeypatch, SimpleNamespace(version="7"))
        monkeypatch.setattr("vclean.classify.trees.forest.COMPILED", False)
        check = check_model()
        assert check.status == "ok"
        assert check.detail.startswith("version 7; evaluated by LightGBM")

    def test_damaged(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.play(monkeypatch, ModelError("the model is cut short"))
        assert (check_model().status, check_model().detail) == ("FAIL", "the model is cut short")

    def test_lightgbm_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.play(monkeypatch, ModuleNotFoundError("No module named 'lightgbm'"))
        assert check_model() == Check("model", "FAIL", "No module named 'lightgbm'", REINSTALL)

    def test_lightgbm_lacks_its_library(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.play(monkeypatch, OSError("libgomp.so.1: cannot open shared object file"))
        check = check_model()
        assert "libgomp.so.1" in check.detail
        assert check.remedy == "vclean setup"


class TestTemporaryFolder:
    @pytest.mark.parametrize(("free", "status"), [(2**33, "ok"), (2**29, "warn"), (2**20, "FAIL")])
    def test_free_space(self, free: int, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
        usage = namedtuple("usage", "total used free")
        monkeypatch.setattr(module.shutil, "disk_usage", lambda _folder: usage(2**40, 0, free))
        assert check_temporary_folder().status == status

    def test_not_writable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module.os, "access", lambda _path, _mode: False)
        assert check_temporary_folder().status == "FAIL"
