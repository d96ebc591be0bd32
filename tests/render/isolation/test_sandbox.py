"""Test the checks of the sandbox of Chromium."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from vclean.render.isolation import sandbox
from vclean.render.isolation.sandbox import Isolation, Obstacle, available_isolation


@pytest.fixture
def commands() -> list[list[str]]:
    """Return the commands that `kernel` records instead of running them."""
    return []


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch, commands: list[list[str]]) -> Iterator[dict[str, str]]:
    """Simulate Linux for a user who is not root; maps kernel flags to values, and `denied` refuses namespaces."""
    flags: dict[str, str] = {}

    def run(command, *, check, stderr, start_new_session):
        assert start_new_session  # or Ctrl-C would end it, which is no obstacle
        commands.append(command)
        return subprocess.CompletedProcess(command, 255 if flags else 0)

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sandbox.os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr(sandbox.subprocess, "run", run)
    monkeypatch.setattr(sandbox, "_kernel_flag", lambda name: flags.get(name, ""))
    available_isolation.cache_clear()
    yield flags
    available_isolation.cache_clear()


class TestAvailableIsolation:
    def test_finds_no_obstacle(self, kernel: dict[str, str], commands: list[list[str]]) -> None:
        # The system is asked once; the sandbox must also work inside the network namespace.
        assert [available_isolation() for _ in range(3)] == [Isolation(None, None)] * 3
        assert [command[-1] for command in commands] == [sandbox._PROBE] * 2

    def test_reports_root(
        self, kernel: dict[str, str], commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sandbox.os, "geteuid", lambda: 0)
        obstacle = Obstacle("Chromium has no sandbox for root", "run vclean as an ordinary user")
        assert available_isolation() == Isolation(obstacle, None)
        assert [command[-1] for command in commands] == [""]

    @pytest.mark.parametrize("platform", ["darwin", "win32"])
    def test_runs_nothing_on_other_systems(
        self, platform: str, kernel: dict[str, str], commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kernel["denied"] = "1"
        monkeypatch.setattr(sys, "platform", platform)
        assert available_isolation() == Isolation(None, Obstacle("only Linux has network namespaces", ""))
        assert commands == []

    @pytest.mark.parametrize(
        ("flag", "value", "remedy"),
        [
            ("kernel/apparmor_restrict_unprivileged_userns", "1", "apparmor_restrict_unprivileged_userns=0"),
            ("user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
            ("denied", "1", "seccomp profile"),
        ],
    )
    def test_suggests_remedies(self, flag: str, value: str, remedy: str, kernel: dict[str, str]) -> None:
        kernel[flag] = value
        isolation = available_isolation()
        assert isolation.sandbox == isolation.network
        assert remedy in isolation.network.remedy


class TestWarn:
    @pytest.mark.parametrize(
        ("isolation", "lines"),
        [
            (Isolation(None, None), []),
            (Isolation(Obstacle("root", "be nobody"), None), ["WARNING Chromium's sandbox is off (root): be nobody"]),
            (Isolation(None, Obstacle("x", "ask")), ["WARNING Chromium's network namespace is off (x): ask"]),
            (
                Isolation(None, Obstacle("no Linux", "")),
                ["INFO Chromium's network namespace is off (no Linux): its switches replace it"],
            ),
        ],
    )
    def test_logs_once(self, isolation: Isolation, lines: list[str], caplog: pytest.LogCaptureFixture) -> None:
        sandbox._warn.cache_clear()
        caplog.set_level("INFO", logger="vclean")
        for _ in range(3):
            isolation.warn()
        assert [f"{record.levelname} {record.message}" for record in caplog.records] == lines


@pytest.mark.skipif(sys.platform != "linux", reason="calls the Linux kernel")
class TestProbe:
    def test_runs_without_errors(self) -> None:
        # The exit code is that of a granted or denied call, not that of an exception, which is 1.
        probe = subprocess.run([sys.executable, "-I", "-S", "-c", sandbox._PROBE], capture_output=True, check=False)
        assert (probe.returncode in {0, 255}, probe.stderr) == (True, b"")

    def test_reads_kernel_flag(self) -> None:
        assert sandbox._kernel_flag("kernel/ostype") == "Linux"
        assert sandbox._kernel_flag("kernel/no-such-flag") == ""
