"""Tests of `vclean setup` with simulated downloads and package managers, and of running other programs."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from vclean.errors import BrowserError, BrowserMissingError
from vclean.installation import setup as module
from vclean.installation.setup import (
    MANAGERS,
    CommandOutcome,
    PackageManager,
    check_rendering,
    driver_starts,
    is_root,
    missing_packages,
    openmp_loads,
    package_manager,
    privilege,
    run,
    setup,
)
from vclean.render.browser.chromium import Chromium, playwright_folder

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")

APT = MANAGERS[0]
DNF = MANAGERS[1]


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
    monkeypatch.setattr(module, "package_manager", lambda: APT)
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

    def test_twice(self, bare: Path) -> None:
        # The second run uses the download of the first.
        setup(io.StringIO(), run=Machine(install=downloads))
        machine = Machine()
        setup(io.StringIO(), run=machine)
        assert machine.commands == []

    def test_system_package_where_the_download_fails(self, bare: Path) -> None:
        def installs() -> CommandOutcome:
            executable(bare / "chromium-headless-shell")
            return CommandOutcome(0, "")

        machine, out = Machine(only_shell=fails, no_install_recommends=installs), io.StringIO()
        assert setup(out, run=machine).path == bare / "chromium-headless-shell"
        assert machine.commands[1:] == [["apt-get", "update"], [*APT.install, "chromium-headless-shell"]]
        assert "the download failed: Error: getaddrinfo ENOTFOUND cdn.example.org" in out.getvalue()

    def test_nothing_helps(self, bare: Path) -> None:
        # The error ends with the command to run.
        machine = Machine(install=fails)
        with pytest.raises(BrowserMissingError, match=r"no-install-recommends chromium-headless-shell`, or set VCLEAN"):
            setup(io.StringIO(), run=machine)

    def test_not_root(self, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "privilege", lambda _run: None)
        machine = Machine(install=fails)
        with pytest.raises(BrowserMissingError, match="apt-get update"):
            setup(io.StringIO(), run=machine)
        assert machine.lines == ["--only-shell chromium"]

    def test_other_managers_are_named_and_not_run(self, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "package_manager", lambda: DNF)
        machine = Machine(install=fails)
        with pytest.raises(BrowserMissingError, match="dnf install -y chromium-headless"):
            setup(io.StringIO(), run=machine)
        assert machine.lines == ["--only-shell chromium"]

    def test_no_manager_at_all(self, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "package_manager", lambda: None)
        with pytest.raises(BrowserMissingError, match="download and install one"):
            setup(io.StringIO(), run=Machine(install=fails))

    def test_fonts(self, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Install fonts, which slim images lack: text without a font has no boxes."""
        monkeypatch.setattr(module, "has_fonts", lambda: False)
        executable(bare / "chromium")
        machine = Machine()
        setup(io.StringIO(), run=machine)
        assert machine.commands == [["apt-get", "update"], [*APT.install, "fonts-liberation", "fonts-dejavu-core"]]

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
    @pytest.mark.parametrize("manager", MANAGERS, ids=lambda manager: manager.command)
    def test_nothing(self, manager: PackageManager, bare: Path) -> None:
        assert missing_packages(manager, Machine()) == []

    def test_all(self, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for check in ("has_fonts", "openmp_loads"):
            monkeypatch.setattr(module, check, lambda: False)
        monkeypatch.setattr(module, "driver_starts", lambda _run: False)
        assert missing_packages(APT, Machine()) == ["fonts-liberation", "fonts-dejavu-core", "libgomp1", "libatomic1"]


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


class TestPackageManager:
    def test_none(self, bare_machine: Path) -> None:
        assert package_manager() is None

    @posix
    @pytest.mark.parametrize("manager", MANAGERS, ids=lambda manager: manager.command)
    def test_first_on_path(self, manager: PackageManager, bare_machine: Path) -> None:
        command = bare_machine / manager.command
        command.touch(mode=0o755)
        assert package_manager() == manager

    @pytest.mark.parametrize(
        ("manager", "root", "command_line"),
        [
            (0, True, "apt-get update && apt-get install -y --no-install-recommends a b"),
            (1, False, "sudo dnf install -y a b"),
            (3, False, "brew install a b"),
        ],
    )
    def test_command_line(self, manager: int, root: bool, command_line: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "is_root", lambda: root)
        assert MANAGERS[manager].command_line(["a", "b"]) == command_line


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
