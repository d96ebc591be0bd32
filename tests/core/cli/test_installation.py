"""Tests of `vclean setup` with simulated downloads and package managers, and of running other programs."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from vclean.cli import installation as module
from vclean.cli.installation import (
    INSTALL,
    REINSTALL,
    Check,
    CommandOutcome,
    check_browser,
    check_extras,
    check_fonts,
    check_model,
    check_packages,
    check_python,
    check_rendering,
    check_scripts,
    check_temporary_folder,
    command_line,
    doctor,
    driver_starts,
    has_apt,
    is_root,
    missing_packages,
    openmp_loads,
    privilege,
    run,
    run_checks,
    setup,
    to_lines,
)
from vclean.errors import BrowserError, BrowserMissingError, ModelError, OutputError
from vclean.imports import install_command
from vclean.render.browser.chromium import Chromium, playwright_folder
from vclean.render.isolation.sandbox import Isolation, Obstacle

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")


class Machine:
    """Simulated machine that records all commands; the effect of a command depends on a word in it."""

    def __init__(self, **effects: Callable[[], CommandOutcome]) -> None:
        self.effects = effects
        self.commands: list[list[str]] = []

    def __call__(self, command: Sequence[str], *, timeout: float) -> CommandOutcome:
        self.commands.append(list(command))
        words = " ".join(command)
        for word, effect in self.effects.items():
            if word.replace("_", "-") in words:
                return effect()
        return CommandOutcome(0, "")

    @property
    def lines(self) -> list[str]:
        return [" ".join(command[-2:]) for command in self.commands]


def fails() -> CommandOutcome:
    return CommandOutcome(1, "Error: getaddrinfo ENOTFOUND cdn.example.org\n")


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def downloads() -> CommandOutcome:
    folder = playwright_folder() / "chromium_headless_shell-1255"
    executable(folder / "chrome-headless-shell-linux64" / "chrome-headless-shell")
    (folder / "INSTALLATION_COMPLETE").touch()
    return CommandOutcome(0, "")


@pytest.fixture
def bare(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulate a machine without a browser, with apt-get and root rights, on which every browser starts."""
    monkeypatch.setattr(module, "check_rendering", lambda _chromium: ("HeadlessChrome/1.2", None))
    monkeypatch.setattr(module, "has_apt", lambda: True)
    monkeypatch.setattr(module, "privilege", lambda _run: [])
    monkeypatch.setattr(module, "has_fonts", lambda: True)
    monkeypatch.setattr(module, "driver_starts", lambda _run: True)
    return bare_machine


class TestSetup:
    def test_nothing_missing(self, bare: Path) -> None:
        # No command is run.
        there = executable(bare / "chromium")
        machine, out = Machine(), io.StringIO()
        assert setup(out, run=machine).path == there
        assert machine.commands == []
        assert out.getvalue().splitlines()[-1].startswith("setup: ready: HeadlessChrome/1.2 from the system")

    def test_download(self, bare: Path) -> None:
        # The headless shell of Playwright is tried first.
        machine = Machine(install=downloads)
        chromium = setup(io.StringIO(), run=machine)
        assert chromium.kind == "headless-shell"
        assert machine.lines == ["--only-shell chromium"]

    def test_system_package_where_the_download_fails(self, bare: Path) -> None:
        def installs() -> CommandOutcome:
            executable(bare / "chromium-headless-shell")
            return CommandOutcome(0, "")

        machine, out = Machine(only_shell=fails, no_install_recommends=installs), io.StringIO()
        assert setup(out, run=machine).path == bare / "chromium-headless-shell"
        assert machine.commands[1:] == [["apt-get", "update"], [*INSTALL, "chromium-headless-shell"]]
        assert "the download failed: Error: getaddrinfo ENOTFOUND cdn.example.org" in out.getvalue()

    def test_nothing_helps(self, bare: Path) -> None:
        # The error ends with the command to run.
        machine = Machine(install=fails)
        with pytest.raises(BrowserMissingError, match=r"no-install-recommends chromium-headless-shell`, or set VCLEAN"):
            setup(io.StringIO(), run=machine)

    def test_without_apt(self, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "has_apt", lambda: False)
        with pytest.raises(BrowserMissingError, match="download and install one"):
            setup(io.StringIO(), run=Machine(install=fails))

    def test_libraries_come_before_the_download(self, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        # The Node.js of Playwright needs its library for the download.
        monkeypatch.setattr(module, "driver_starts", lambda _run: False)
        machine = Machine(only_shell=downloads)
        setup(io.StringIO(), run=machine)
        assert machine.lines == ["apt-get update", "--no-install-recommends libatomic1", "--only-shell chromium"]

    def test_continues_without_fonts_if_browser_renders_text(self, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "has_fonts", lambda: False)
        monkeypatch.setattr(module, "privilege", lambda _run: None)
        executable(bare / "chromium")
        out = io.StringIO()
        setup(out, run=Machine())
        assert "run this by hand:" in out.getvalue()

    def test_wrong_override_is_an_error(self, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("VCLEAN_CHROMIUM", "/nowhere")
        machine = Machine()
        with pytest.raises(BrowserMissingError, match="VCLEAN_CHROMIUM is '/nowhere'"):
            setup(io.StringIO(), run=machine)
        assert machine.commands == []


class TestBrowserThatDoesNotStart:
    @pytest.fixture
    def broken(self, bare: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Simulate a browser that lacks a system library until `install-deps` runs."""
        results = ["libnss3.so: cannot open shared object file"]

        def start(_chromium: Chromium) -> tuple[str, None]:
            if results:
                raise BrowserError(results[0])
            return "HeadlessChrome/1.2", None

        monkeypatch.setattr(module, "check_rendering", start)
        executable(bare / "chromium")
        return results

    def test_libraries_are_installed(self, broken: list[str]) -> None:
        def install() -> CommandOutcome:
            broken.clear()
            return CommandOutcome(0, "")

        machine, out = Machine(install_deps=install), io.StringIO()
        setup(out, run=machine)
        assert machine.lines == ["install-deps chromium"]
        assert "it does not work yet: libnss3.so" in out.getvalue()

    def test_libraries_do_not_help(self, broken: list[str]) -> None:
        with pytest.raises(BrowserError, match="libnss3"):
            setup(io.StringIO(), run=Machine(install_deps=fails))

    def test_without_privilege(self, broken: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "privilege", lambda _run: None)
        with pytest.raises(BrowserError, match=r"libnss3.*`playwright install-deps chromium` as root"):
            setup(io.StringIO(), run=Machine())


class TestMissingPackages:
    def test_nothing(self, bare: Path) -> None:
        assert missing_packages(Machine()) == []

    def test_all(self, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for check in ("has_fonts", "openmp_loads"):
            monkeypatch.setattr(module, check, lambda: False)
        monkeypatch.setattr(module, "driver_starts", lambda _run: False)
        assert missing_packages(Machine()) == ["fonts-liberation", "fonts-dejavu-core", "libgomp1", "libatomic1"]
        monkeypatch.setattr(module, "has_apt", lambda: False)
        assert missing_packages(Machine()) == []


class TestDriverStarts:
    def test_on_this_machine_and_without_its_library(self) -> None:
        assert (driver_starts(), driver_starts(Machine(version=fails))) == (True, False)


class TestOpenmpLoads:
    def test_on_this_machine(self) -> None:
        assert openmp_loads()

    def test_library_is_missing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "lightgbm.py").write_text("raise OSError('libgomp.so.1: cannot open shared object file')\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "lightgbm", raising=False)
        assert not openmp_loads()


@pytest.mark.browser
class TestCheckRendering:
    def test_the_browser_of_this_machine(self) -> None:
        # A real browser is found and started, and renders a line of text.
        out = io.StringIO()
        chromium = setup(out)
        assert os.access(chromium.path, os.X_OK)
        assert out.getvalue().splitlines()[-1].startswith("setup: ready: ")

    def test_not_a_browser(self, tmp_path: Path) -> None:
        fake = Chromium(executable(tmp_path / "chromium"), "chromium", "a test")
        with pytest.raises(BrowserError, match="chromium"):
            check_rendering(fake)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


class TestRun:
    @pytest.mark.parametrize(
        ("command", "code", "output"),
        [
            (python("print('fine')"), 0, "fine"),
            (python("raise SystemExit(3)"), 3, ""),
            (python("import sys; sys.stderr.write('oh')"), 0, "oh"),
            (python("input('password: ')"), 1, "EOFError"),  # there is no input, and it does not wait for some
            (python("import sys; sys.stdout.buffer.write(b'\\xff')"), 0, "\ufffd"),
            (["no-such-program-here"], None, "no-such-program-here: No such file or directory"),
        ],
    )
    def test_outcome(self, command: list[str], code: int | None, output: str) -> None:
        outcome = run(command, timeout=20)
        assert (outcome.code, outcome.succeeded) == (code, code == 0)
        assert output in outcome.output

    @posix
    @pytest.mark.parametrize(
        "command",
        [
            ["sh", "-c", "sleep 60 & sleep 60"],  # a grandchild with the open pipe
            python("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"),
        ],
    )
    def test_time_limit(self, command: list[str]) -> None:
        start = time.monotonic()
        outcome = run(command, timeout=0.5)
        assert (outcome.code, "stopped after 0 s" in outcome.reason) == (None, True)
        assert time.monotonic() - start < 10


class TestOutcome:
    @pytest.mark.parametrize(
        ("output", "reason"),
        [
            ("", "exit code 7"),
            ("one\ntwo\n", "two"),
            ("one\nError: no network\n  errno: 3,\n}\nError: download failed\n", "Error: no network"),
            ("Reading\nE: Unable to locate package x\nDone\n", "E: Unable to locate package x"),
        ],
    )
    def test_reason(self, output: str, reason: str) -> None:
        assert CommandOutcome(7, output).reason == reason


class TestApt:
    @posix
    def test_is_on_the_path(self, bare_machine: Path) -> None:
        assert not has_apt()
        (bare_machine / "apt-get").touch(mode=0o755)
        assert has_apt()

    @pytest.mark.parametrize(("root", "sudo"), [(True, ""), (False, "sudo ")])
    def test_command_line(self, root: bool, sudo: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "is_root", lambda: root)
        expected = f"{sudo}apt-get update && {sudo}apt-get install -y --no-install-recommends a b"
        assert command_line(["a", "b"]) == expected


class TestPrivilege:
    @posix
    @pytest.mark.parametrize(
        ("root", "sudo", "expected"),
        [(True, None, []), (False, 0, ["sudo", "-n"]), (False, 1, None), (False, None, None)],
    )
    def test_sudo_only_without_password(
        self, root: bool, sudo: int | None, expected: object, bare_machine: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "is_root", lambda: root)
        if sudo is not None:
            (bare_machine / "sudo").touch(mode=0o755)
        assert privilege(lambda _command, *, timeout: CommandOutcome(sudo, "")) == expected


class TestIsRoot:
    def test_never_on_windows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "platform", "win32")
        assert not is_root()


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
        ("missing", "apt", "status", "remedy"),
        [
            ([], True, "ok", ""),
            (["Hindi", "Thai"], True, "warn", "fonts-noto-core fonts-noto-cjk"),
            (["Hindi"], False, "warn", "install Noto fonts"),
        ],
    )
    def test_scripts(
        self, missing: list[str], apt: bool, status: str, remedy: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "uncovered_scripts", lambda: missing)
        monkeypatch.setattr(module, "has_apt", lambda: apt)
        check = check_scripts()
        assert (check.status, check.remedy.endswith(remedy)) == (status, True)
        assert not missing or check.detail == f"no font for {', '.join(missing)}"


class TestModel:
    @pytest.mark.parametrize(
        ("outcome", "check"),
        [
            (SimpleNamespace(version="7"), Check("model", "ok", "version 7")),
            (ModelError("the model is cut short"), Check("model", "FAIL", "the model is cut short", REINSTALL)),
            (ModuleNotFoundError("No lightgbm"), Check("model", "FAIL", "No lightgbm", REINSTALL)),
        ],
    )
    def test_loads(self, outcome: object, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
        def load_default() -> object:
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        monkeypatch.setitem(sys.modules, "vclean.classify.content.model", SimpleNamespace(load_default=load_default))
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
