"""Tests of asking whether Chromium's sandbox can work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from vclean.render.isolation import sandbox
from vclean.render.isolation.sandbox import network_obstacle, sandbox_obstacle


@pytest.fixture
def commands() -> list[list[str]]:
    """The commands that were run, of which `kernel` runs none."""
    return []


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch, commands: list[list[str]]) -> Iterator[dict[str, str]]:
    """A Linux of a user who is not root; maps kernel flags to values, and `denied` to refuse namespaces."""
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


class TestObstacle:
    def test_none(self, kernel: dict[str, str]) -> None:
        assert sandbox_obstacle() is None

    def test_root(self, kernel: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sandbox.os, "geteuid", lambda: 0)
        assert sandbox_obstacle() == sandbox.Obstacle(
            "Chromium has no sandbox for root", "run vclean as an ordinary user"
        )

    @pytest.mark.parametrize("platform", ["darwin", "win32"])
    def test_other_systems_have_their_own(
        self, platform: str, kernel: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
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
    def test_remedies(self, flag: str, value: str, remedy: str, kernel: dict[str, str]) -> None:
        kernel[flag] = value
        found = sandbox_obstacle()
        assert found is not None
        assert remedy in found.remedy


class TestNetworkObstacle:
    def test_none(self, kernel: dict[str, str]) -> None:
        assert network_obstacle() is None

    def test_sandbox_has_to_work_inside(self, kernel: dict[str, str], commands: list[list[str]]) -> None:
        network_obstacle()
        assert commands[-1][-1] == sandbox._PROBE

    def test_without_a_sandbox_there_is_no_such_need(
        self, kernel: dict[str, str], commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sandbox.os, "geteuid", lambda: 0)
        network_obstacle()
        assert commands[-1][-1] == ""

    def test_denied(self, kernel: dict[str, str]) -> None:
        kernel["denied"] = "1"
        assert network_obstacle() == "this user or container may not make network namespaces"

    def test_asked_once(self, kernel: dict[str, str], commands: list[list[str]]) -> None:
        for _ in range(3):
            network_obstacle()
        assert len(commands) == 2

    @pytest.mark.parametrize("platform", ["darwin", "win32"])
    def test_other_systems(self, platform: str, kernel: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "platform", platform)
        assert network_obstacle() == "only Linux has network namespaces"


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
class TestProbe:
    def test_runs_for_real(self) -> None:
        """Granted or denied, but no accident: those would be 1."""
        probe = subprocess.run([sys.executable, "-I", "-S", "-c", sandbox._PROBE], capture_output=True, check=False)
        assert (probe.returncode in {0, 255}, probe.stderr) == (True, b"")

    def test_kernel_flag(self) -> None:
        assert sandbox._kernel_flag("kernel/ostype") == "Linux"
        assert sandbox._kernel_flag("kernel/no-such-flag") == ""
