"""Tests of asking whether Chromium's sandbox can work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from vclean.render import sandbox
from vclean.render.sandbox import obstacle


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """A Linux of a user who is not root; maps kernel flags to values, and `denied` to refuse namespaces."""
    flags: dict[str, str] = {}

    def run(command: list[str], *, check: bool) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess(command, 255 if flags else 0)

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sandbox.os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr(sandbox.subprocess, "run", run)
    monkeypatch.setattr(sandbox, "_kernel_flag", lambda name: flags.get(name, ""))
    obstacle.cache_clear()
    yield flags
    obstacle.cache_clear()


class TestObstacle:
    def test_none(self, kernel: dict[str, str]) -> None:
        assert obstacle() is None

    def test_root(self, kernel: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sandbox.os, "geteuid", lambda: 0)
        assert obstacle() == sandbox.Obstacle("Chromium has no sandbox for root", "run vclean as an ordinary user")

    @pytest.mark.parametrize("platform", ["darwin", "win32"])
    def test_other_systems_have_their_own(
        self, platform: str, kernel: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kernel["denied"] = "1"
        monkeypatch.setattr(sys, "platform", platform)
        assert obstacle() is None

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
        found = obstacle()
        assert found is not None
        assert remedy in found.remedy


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
class TestProbe:
    def test_runs_for_real(self) -> None:
        """Granted or denied, but no accident: those would be 1."""
        probe = subprocess.run([sys.executable, "-I", "-S", "-c", sandbox._PROBE], capture_output=True, check=False)
        assert (probe.returncode in {0, 255}, probe.stderr) == (True, b"")

    def test_kernel_flag(self) -> None:
        assert sandbox._kernel_flag("kernel/ostype") == "Linux"
        assert sandbox._kernel_flag("kernel/no-such-flag") == ""
