"""Test the checks of the sandbox of Chromium."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from vclean.render.isolation import sandbox
from vclean.render.isolation.sandbox import network_obstacle, sandbox_obstacle


@pytest.fixture
def commands() -> list[list[str]]:
    """Return the commands that `kernel` records instead of running them."""
    return []


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch, commands: list[list[str]]) -> Iterator[dict[str, str]]:
    """Simulate Linux for a user who is not root; maps kernel flags to values, and `denied` refuses namespaces."""
    flags: dict[str, str] = {}

    def run(command: list[str], *, check: bool, stderr: int | None = None) -> subprocess.CompletedProcess[bytes]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 255 if flags else 0)

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sandbox.os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr(sandbox.subprocess, "run", run)
    monkeypatch.setattr(sandbox, "_kernel_flag", lambda name: flags.get(name, ""))
    sandbox_obstacle.cache_clear()
    network_obstacle.cache_clear()
    yield flags
    sandbox_obstacle.cache_clear()
    network_obstacle.cache_clear()


class TestSandboxObstacle:
    def test_finds_no_obstacle(self, kernel: dict[str, str]) -> None:
        assert sandbox_obstacle() is None

    def test_reports_root(self, kernel: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sandbox.os, "geteuid", lambda: 0)
        assert sandbox_obstacle() == sandbox.Obstacle(
            "Chromium has no sandbox for root", "run vclean as an ordinary user"
        )

    @pytest.mark.parametrize("platform", ["darwin", "win32"])
    def test_skips_other_systems(self, platform: str, kernel: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        kernel["denied"] = "1"
        monkeypatch.setattr(sys, "platform", platform)
        assert sandbox_obstacle() is None

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
        problem = sandbox_obstacle()
        assert problem is not None
        assert remedy in problem.remedy


class TestNetworkObstacle:
    def test_finds_no_obstacle(self, kernel: dict[str, str]) -> None:
        assert network_obstacle() is None

    def test_checks_sandbox_inside_the_namespace(self, kernel: dict[str, str], commands: list[list[str]]) -> None:
        network_obstacle()
        assert commands[-1][-1] == sandbox._PROBE

    def test_skips_sandbox_check_without_a_sandbox(
        self, kernel: dict[str, str], commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sandbox.os, "geteuid", lambda: 0)
        network_obstacle()
        assert commands[-1][-1] == ""

    def test_reports_denial(self, kernel: dict[str, str]) -> None:
        kernel["denied"] = "1"
        assert network_obstacle() == "this user or container may not make network namespaces"

    def test_checks_once(self, kernel: dict[str, str], commands: list[list[str]]) -> None:
        for _ in range(3):
            network_obstacle()
        assert len(commands) == 2

    @pytest.mark.parametrize("platform", ["darwin", "win32"])
    def test_reports_other_systems(
        self, platform: str, kernel: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "platform", platform)
        assert network_obstacle() == "only Linux has network namespaces"


@pytest.mark.skipif(sys.platform != "linux", reason="calls the Linux kernel")
class TestProbe:
    def test_runs_without_errors(self) -> None:
        # The exit code is that of a granted or denied call, not that of an exception, which is 1.
        probe = subprocess.run([sys.executable, "-I", "-S", "-c", sandbox._PROBE], capture_output=True, check=False)
        assert (probe.returncode in {0, 255}, probe.stderr) == (True, b"")

    def test_reads_kernel_flag(self) -> None:
        assert sandbox._kernel_flag("kernel/ostype") == "Linux"
        assert sandbox._kernel_flag("kernel/no-such-flag") == ""
