"""Tests of running other programs; most tests run Python."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from vclean.installation import system
from vclean.installation.system import MANAGERS, CommandOutcome, is_root, package_manager, privilege, run

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


class TestRun:
    def test_success(self) -> None:
        outcome = run(python("print('fine')"), timeout=20)
        assert (outcome.succeeded, outcome.output.strip()) == (True, "fine")

    def test_failure(self) -> None:
        outcome = run(python("raise SystemExit(3)"), timeout=20)
        assert (outcome.succeeded, outcome.code) == (False, 3)

    def test_standard_error_is_collected(self) -> None:
        assert "oh" in run(python("import sys; sys.stderr.write('oh')"), timeout=20).output

    def test_there_is_no_input(self) -> None:
        # A program that reads input gets the end of the file and does not wait.
        outcome = run(python("input('password: ')"), timeout=20)
        assert "EOFError" in outcome.reason

    def test_missing_program(self) -> None:
        outcome = run(["no-such-program-here"], timeout=5)
        assert outcome == CommandOutcome(None, "no-such-program-here: No such file or directory")

    def test_timeout(self) -> None:
        assert "stopped after 0 s" in run(python("import time; time.sleep(60)"), timeout=0.3).reason

    @posix
    def test_timeout_reaches_grandchildren(self) -> None:
        # A grandchild with the open pipe would block for a minute.
        start = time.monotonic()
        outcome = run(["sh", "-c", "sleep 60 & sleep 60"], timeout=0.3)
        assert outcome.code is None
        assert time.monotonic() - start < 5

    @posix
    def test_kills_program_that_ignores_sigterm(self) -> None:
        start = time.monotonic()
        code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
        assert run(python(code), timeout=0.5).code is None
        assert time.monotonic() - start < 10

    def test_output_that_is_not_utf_8(self) -> None:
        outcome = run(python("import sys; sys.stdout.buffer.write(b'\\xff')"), timeout=20)
        assert outcome.output == "\ufffd"


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
    def test_first_on_path(self, manager: system.PackageManager, bare_machine: Path) -> None:
        command = bare_machine / manager.command
        command.touch(mode=0o755)
        assert package_manager() == manager

    def test_command_line_of_root(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(system, "is_root", lambda: True)
        assert MANAGERS[0].command_line(["a", "b"]) == (
            "apt-get update && apt-get install -y --no-install-recommends a b"
        )

    def test_command_line_of_a_user(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(system, "is_root", lambda: False)
        assert MANAGERS[1].command_line(["a"]) == "sudo dnf install -y a"

    def test_homebrew_needs_no_root(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(system, "is_root", lambda: False)
        assert MANAGERS[3].command_line(["a"]) == "brew install a"


class TestPrivilege:
    def test_root(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(system, "is_root", lambda: True)
        assert privilege() == []

    @posix
    @pytest.mark.parametrize(("code", "expected"), [(0, ["sudo", "-n"]), (1, None)])
    def test_sudo(
        self, code: int, expected: list[str] | None, bare_machine: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Use sudo only if it needs no password."""
        monkeypatch.setattr(system, "is_root", lambda: False)
        (bare_machine / "sudo").touch(mode=0o755)
        assert privilege(lambda _command, *, timeout: CommandOutcome(code, "")) == expected

    def test_no_sudo(self, bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(system, "is_root", lambda: False)
        assert privilege() is None


class TestIsRoot:
    def test_never_on_windows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "platform", "win32")
        assert not is_root()
