"""Tests of `vclean setup` with simulated downloads and package managers, and of running other programs."""

from __future__ import annotations

import os
import sys
import time
from collections import namedtuple
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from vclean.cli import installation as module
from vclean.cli.installation import REINSTALL, Check, check_browser, check_packages, run, setup
from vclean.errors import BrowserError, BrowserMissingError, ModelError, OutputError
from vclean.imports import install_command
from vclean.render.browser.chromium import Chromium, playwright_folder
from vclean.render.isolation.sandbox import Isolation, Obstacle

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
ISOLATED = Isolation(None, None)


class Machine:
    """Simulated machine without a browser, with apt-get and root rights, that records all commands.

    The effect of a command depends on a word in it: an error, or a function.
    """

    def __init__(self, commands):
        self.folder, self.effects, self.lines, self.starts = commands, {}, [], True

    def run(self, command, *, timeout):
        self.lines.append(" ".join(command[-2:]))
        for effect in (effect for word, effect in self.effects.items() if word in " ".join(command)):
            if isinstance(effect, str):
                return effect
            effect(self)
        return ""

    def check_rendering(self, _):
        if not self.starts:
            raise BrowserError("libnss3.so: cannot open shared object file")
        return "HeadlessChrome/1.2", None


@pytest.fixture
def machine(bare_machine, monkeypatch):
    machine = Machine(bare_machine)
    replace(monkeypatch, run=machine.run, check_rendering=machine.check_rendering)
    replace(monkeypatch, **dict.fromkeys(("has_apt", "has_fonts", "driver_starts"), lambda: True), privilege=list)
    return machine


def replace(monkeypatch, **functions):
    for name, function in functions.items():
        monkeypatch.setattr(module, name, function)


def executable(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def downloads(_):
    folder = playwright_folder() / "chromium_headless_shell-1255"
    executable(folder / "chrome-headless-shell-linux64" / "chrome-headless-shell")
    (folder / "INSTALLATION_COMPLETE").touch()


def installs(machine):
    executable(machine.folder / "chromium-headless-shell")


FAILURE = "Error: getaddrinfo ENOTFOUND cdn.example.org"
DOWNLOAD, UPDATE = "--only-shell chromium", "apt-get update"


class TestSetup:
    @pytest.mark.parametrize(
        ("browser", "replaced", "effects", "commands", "message"),
        [
            ("chromium", {}, {}, [], "setup: ready: HeadlessChrome/1.2 from the system"),
            ("", {}, {"install": downloads}, [DOWNLOAD], "setup: ready: HeadlessChrome/1.2 from "),
            (
                "", {}, {"only-shell": FAILURE, "no-install-recommends": installs},
                [DOWNLOAD, UPDATE, "--no-install-recommends chromium-headless-shell"],
                "the download failed: Error: getaddrinfo ENOTFOUND cdn.example.org",
            ),
            (  # the Node.js of Playwright needs its library for the download
                "", {"driver_starts": lambda: False}, {"only-shell": downloads},
                [UPDATE, "--no-install-recommends libatomic1", DOWNLOAD], "installing libatomic1 with apt-get",
            ),
            (
                "chromium", {"has_fonts": lambda: False, "privilege": lambda: None}, {},
                [], "run this by hand: ",
            ),
        ],
    )  # fmt: skip
    def test_steps(self, *, browser, replaced, effects, commands, message, machine, monkeypatch, capsys):
        if browser:
            executable(machine.folder / browser)
        replace(monkeypatch, **replaced)
        machine.effects = effects
        path = setup().path
        assert os.access(path, os.X_OK)
        assert machine.lines == commands
        lines = capsys.readouterr().out.splitlines()
        assert any(message in line for line in lines)
        assert lines[-1].endswith(str(path))

    @pytest.mark.parametrize(
        ("replaced", "message"),
        [
            ({}, r"no-install-recommends chromium-headless-shell`, or set VCLEAN"),
            ({"has_apt": lambda: False}, "download and install one"),
        ],
    )
    def test_nothing_helps(self, replaced, message, machine, monkeypatch):
        # The error ends with the command to run.
        replace(monkeypatch, **replaced)
        machine.effects = {"install": FAILURE}
        with pytest.raises(BrowserMissingError, match=message):
            setup()

    def test_wrong_override_is_an_error(self, machine, monkeypatch):
        monkeypatch.setenv("VCLEAN_CHROMIUM", "/nowhere")
        with pytest.raises(BrowserMissingError, match="VCLEAN_CHROMIUM is '/nowhere'"):
            setup()
        assert machine.lines == []


class TestBrowserThatDoesNotStart:
    """A browser that lacks a system library until `install-deps` runs."""

    @pytest.fixture(autouse=True)
    def broken(self, machine):
        machine.starts = False
        executable(machine.folder / "chromium")

    def test_libraries_are_installed(self, machine, capsys):
        machine.effects = {"install-deps": lambda machine: setattr(machine, "starts", True)}
        setup()
        assert machine.lines == ["install-deps chromium"]
        assert "it does not work yet: libnss3.so" in capsys.readouterr().out

    @pytest.mark.parametrize(("root", "message"), [([], ""), (None, ".*`playwright install-deps chromium` as root")])
    def test_libraries_do_not_help(self, root, message, machine, monkeypatch):
        machine.effects = {"install-deps": FAILURE}
        replace(monkeypatch, privilege=lambda: root)
        with pytest.raises(BrowserError, match=f"libnss3{message}"):
            setup()


class TestLibraries:
    def test_packages_of_all_that_is_missing(self, machine, monkeypatch):
        replace(monkeypatch, **dict.fromkeys(("has_fonts", "openmp_loads", "driver_starts"), lambda: False))
        assert module.missing_packages() == ["fonts-liberation", "fonts-dejavu-core", "libgomp1", "libatomic1"]
        replace(monkeypatch, has_apt=lambda: False)
        assert module.missing_packages() == []

    def test_are_on_this_machine_or_missing(self, tmp_path, monkeypatch):
        assert (module.driver_starts(), module.openmp_loads()) == (True, True)
        replace(monkeypatch, run=lambda _command, *, timeout: "failed")
        (tmp_path / "lightgbm.py").write_text("raise OSError('libgomp.so.1: cannot open shared object file')\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "lightgbm", raising=False)
        assert (module.driver_starts(), module.openmp_loads()) == (False, False)


@pytest.mark.browser
class TestCheckRendering:
    def test_the_browser_of_this_machine(self, capsys):
        # A real browser is found and started, and renders a line of text.
        assert os.access(setup().path, os.X_OK)
        assert capsys.readouterr().out.splitlines()[-1].startswith("setup: ready: ")
        statuses = {check.name: check.status for check in check_browser()}
        assert statuses["rendering"] == "ok"
        assert list(statuses) == ["browser", "rendering", "sandbox", "network"]

    def test_not_a_browser(self, tmp_path):
        fake = Chromium(executable(tmp_path / "chromium"), "a test")
        with pytest.raises(BrowserError, match="chromium"):
            module.check_rendering(fake)


def python(code):
    return [sys.executable, "-c", code]


class TestRun:
    @pytest.mark.parametrize(
        ("command", "reason"),
        [
            (python("print('Error: none')"), ""),
            (python("raise SystemExit(3)"), "exit code 3"),
            (python("print('one'); exit('two')"), "two"),
            (python("print('E: no package x'); exit('Done')"), "E: no package x"),
            (python("print('Error: no network\\n  errno: 3\\n}'); exit('Error: no download')"), "Error: no network"),
            (python("input('password: ')"), "EOFError: EOF when reading a line"),  # there is no input
            (python("import sys; sys.stdout.buffer.write(b'\\xff'); exit(1)"), "\ufffd"),
            (["no-such-program-here"], "no-such-program-here: No such file or directory"),
        ],
    )
    def test_reason_of_a_failure(self, command, reason):
        assert run(command, timeout=20).endswith(reason)
        assert bool(run(command, timeout=20)) == bool(reason)

    @posix
    @pytest.mark.parametrize(
        "command",
        [
            ["sh", "-c", "sleep 60 & sleep 60"],  # a grandchild with the open pipe
            python("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"),
        ],
    )
    def test_time_limit(self, command):
        start = time.monotonic()
        assert run(command, timeout=0.5) == "stopped after 0 s, before it ended"
        assert time.monotonic() - start < 10

    @posix
    def test_time_limit_ends_child_processes(self, tmp_path):
        file = tmp_path / "late"
        run(["sh", "-c", f"(sleep 1; touch {file}) & sleep 60"], timeout=0.5)
        time.sleep(1)
        assert not file.exists()


class TestRights:
    @posix
    def test_apt_is_on_the_path(self, bare_machine):
        assert not module.has_apt()
        (bare_machine / "apt-get").touch(mode=0o755)
        assert module.has_apt()

    @pytest.mark.parametrize(("root", "sudo"), [(True, ""), (False, "sudo ")])
    def test_command_line(self, root, sudo, monkeypatch):
        replace(monkeypatch, is_root=lambda: root)
        expected = f"{sudo}apt-get update && {sudo}apt-get install -y --no-install-recommends a b"
        assert module.command_line(["a", "b"]) == expected

    @posix
    @pytest.mark.parametrize(
        ("root", "sudo", "expected"),
        [(True, None, []), (False, "", ["sudo", "-n"]), (False, "a password is required", None), (False, None, None)],
    )
    def test_sudo_only_without_password(self, root, sudo, expected, bare_machine, monkeypatch):
        replace(monkeypatch, is_root=lambda: root, run=lambda _command, *, timeout: sudo)
        if sudo is not None:
            (bare_machine / "sudo").touch(mode=0o755)
        assert module.privilege() == expected

    def test_never_root_on_windows(self, monkeypatch):
        monkeypatch.setattr(sys, "platform", "win32")
        assert not module.is_root()


class TestRunChecks:
    def test_every_check_once(self, monkeypatch):
        # Every check that is not ok has a remedy.
        shell = Chromium(Path("headless-shell"), "a test")
        replace(monkeypatch, find_chromium=lambda: shell, check_rendering=lambda _: ("Chrome/1", ISOLATED))
        checks = list(module.run_checks())
        assert [check.name for check in checks] == [
            "python", "packages", "extras", "browser", "rendering", "sandbox", "network", "fonts", "model", "temporary",
        ]  # fmt: skip
        assert all((check.status == "ok") == (not check.remedy) for check in checks)
        assert checks[0].detail.endswith(sys.executable)


class TestPackages:
    @pytest.fixture
    def installed(self, monkeypatch):
        """Replace what is installed; two packages are required here, another on other systems, the rest by extras."""
        versions = {"numpy": "2.1.0", "lxml": "6.0.2", "ray": ""}
        required = [
            "numpy>=2.0", "lxml>=6.0", 'pywin32>=300; sys_platform == "os2"', "ray>=2; extra == 'far'",
            "lxml>=1; extra == 'near'", "lxml>=99999; extra == 'old'", "vclean-web[near]; extra == 'all'",
        ]  # fmt: skip
        extras = SimpleNamespace(get_all=lambda _field: ["all", "far", "near", "old"])

        def version(name):
            if not versions[name]:
                raise metadata.PackageNotFoundError(name)
            return versions[name]

        replaced = {"requires": lambda _: required, "metadata": lambda _: extras, "version": version}
        for name, function in (replaced | {"distributions": lambda *, name: []}).items():
            monkeypatch.setattr(module.metadata, name, function)
        return versions

    @pytest.mark.parametrize(
        ("versions", "status", "detail", "remedy"),
        [
            ({}, "ok", "2 at or above their minimum", ""),  # what other systems or extras need is not required
            ({"numpy": "3.0.0rc1"}, "ok", "2 at or above their minimum", ""),
            ({"numpy": "1.26.4"}, "FAIL", "numpy is 1.26.4, not >=2.0", 'pip install "numpy>=2.0"'),
            (
                {"numpy": "", "lxml": ""}, "FAIL", "numpy is missing, lxml is missing",
                'pip install "numpy>=2.0" "lxml>=6.0"',
            ),
        ],
    )  # fmt: skip
    def test_versions(self, versions, status, detail, remedy, installed):
        installed.update(versions)
        assert next(check_packages()) == Check("packages", status, detail, remedy)

    @pytest.mark.parametrize(("record", "status"), [("vclean/__init__.py,,", "FAIL"), (None, "ok")])
    def test_another_distribution_with_the_same_package(self, record, status, installed, monkeypatch):
        # A build leaves metadata without RECORD in the current folder.
        other = SimpleNamespace(read_text=lambda _name: record)
        monkeypatch.setattr(module.metadata, "distributions", lambda *, name: [other] * (name == "vclean"))
        check, _ = check_packages()
        assert (check.status, "pip uninstall vclean vclean-web" in check.remedy) == (status, status == "FAIL")

    @pytest.mark.usefixtures("installed")
    def test_installed_and_missing_extras(self):
        # An extra with an outdated package is missing; an extra that only names others is left out.
        detail = f"installed: near; not installed: far, old ({install_command('far', 'old')})"
        assert list(check_packages())[1] == Check("extras", "ok", detail)


class TestBrowser:
    RENDERED = ("ok", "a page was rendered by Chrome/1")
    SWITCHES = "only the switches of the browser block it"

    @pytest.fixture
    def browser(self, monkeypatch):
        """Return a function that checks a browser that renders with this isolation or error."""

        def checks(outcome):
            rendered = outcome if isinstance(outcome, Exception) else ("Chrome/1", outcome)
            found = Chromium(Path("/opt/headless-shell"), "the system")
            replace(monkeypatch, find_chromium=lambda: found, check_rendering=Mock(side_effect=[rendered]))
            return list(check_browser())

        return checks

    @pytest.mark.parametrize(("override", "remedy"), [("", "vclean setup"), ("/nowhere", "unset VCLEAN_CHROMIUM")])
    def test_none(self, bare_machine, monkeypatch, override, remedy):
        # No rendering is tried.
        if override:
            monkeypatch.setenv("VCLEAN_CHROMIUM", override)
        (check,) = check_browser()
        assert (check.name, check.status, check.remedy) == ("browser", "FAIL", remedy)

    def test_names_browser(self, browser):
        check, rendering, *_ = browser(ISOLATED)
        assert (check.status, rendering.status) == ("ok", "ok")
        assert "/opt/headless-shell, from the system" in check.detail.replace("\\", "/")

    @pytest.mark.parametrize(
        ("outcome", "checks"),
        [
            (BrowserError("libnss3.so"), [("FAIL", "libnss3.so", "vclean setup")]),
            (ModuleNotFoundError("No playwright"), [("FAIL", "No playwright", REINSTALL)]),
            (OutputError("no folder"), [("FAIL", "no folder", module._TEMP_REMEDY)]),
            (ISOLATED, [RENDERED, ("ok", "on"), ("ok", "the browser runs in an empty network namespace")]),
            (
                Isolation(Obstacle("there is a moat", "build a bridge"), Obstacle("no Linux", "")),
                [RENDERED, ("warn", "off: there is a moat", "build a bridge"), ("ok", f"{SWITCHES}: no Linux")],
            ),
            (
                Isolation(None, Obstacle("no right", "ask")),
                [RENDERED, ("ok", "on"), ("warn", f"{SWITCHES}: no right", "ask")],
            ),
        ],
    )
    def test_reports_errors_and_isolation_of_the_browser_it_started(self, browser, outcome, checks):
        named = zip(("rendering", "sandbox", "network"), checks, strict=False)
        assert browser(outcome)[1:] == [Check(name, *fields) for name, fields in named]


class TestFonts:
    @pytest.mark.parametrize(
        ("found", "missing", "apt", "status", "remedy"),
        [
            (True, [], True, "ok", ""),
            (False, [], True, "FAIL", "vclean setup"),
            (True, ["Hindi", "Thai"], True, "warn", "fonts-noto-core fonts-noto-cjk"),
            (True, ["Hindi"], False, "warn", "install Noto fonts"),
        ],
    )
    def test_status(self, *, found, missing, apt, status, remedy, monkeypatch):
        replace(monkeypatch, has_fonts=lambda: found, uncovered_scripts=lambda: missing, has_apt=lambda: apt)
        done = module.check_fonts()
        assert (done.status, done.remedy.endswith(remedy)) == (status, True)
        assert not missing or done.detail == f"no font for {', '.join(missing)}"


class TestModel:
    @pytest.mark.parametrize(
        ("outcome", "check"),
        [
            (SimpleNamespace(version="7"), Check("model", "ok", "version 7")),
            (ModelError("the model is cut short"), Check("model", "FAIL", "the model is cut short", REINSTALL)),
            (ModuleNotFoundError("No lightgbm"), Check("model", "FAIL", "No lightgbm", REINSTALL)),
        ],
    )
    def test_loads(self, outcome, check, monkeypatch):
        replaced = SimpleNamespace(load=Mock(side_effect=[outcome]))
        monkeypatch.setitem(sys.modules, "vclean.classify.content.model", replaced)
        assert module.check_model() == check


class TestTemporaryFolder:
    @pytest.mark.parametrize(("free", "status"), [(2**33, "ok"), (2**29, "warn"), (2**20, "FAIL")])
    def test_free_space(self, free, status, monkeypatch):
        usage = namedtuple("usage", "total used free")
        monkeypatch.setattr(module.shutil, "disk_usage", lambda _folder: usage(2**40, 0, free))
        assert module.check_temporary_folder().status == status

    def test_not_writable(self, monkeypatch):
        monkeypatch.setattr(module.temp_dirs, "root", Mock(side_effect=OutputError("no folder")))
        assert module.check_temporary_folder() == Check("temporary", "FAIL", "no folder", module._TEMP_REMEDY)
