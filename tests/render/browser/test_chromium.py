"""Test finding a Chromium; nothing is started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from vclean.errors import BrowserMissingError
from vclean.render.browser.chromium import Chromium, candidates, find_chromium, playwright_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the test uses executables without a suffix")


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def download(revision: int, *, name: str = "chromium_headless_shell", complete: bool = True) -> Path:
    folder = playwright_folder() / f"{name}-{revision}"
    inside = "chrome-linux64/chrome" if name == "chromium" else "chrome-headless-shell-linux64/chrome-headless-shell"
    path = executable(folder / inside)
    if complete:
        (folder / "INSTALLATION_COMPLETE").touch()
    return path


class TestFindChromium:
    def test_prefers_override(self, bare_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        download(1)
        override = executable(tmp_path / "my" / "chrome")
        monkeypatch.setenv("VCLEAN_CHROMIUM", str(override))
        assert find_chromium() == Chromium(override, "chromium", "VCLEAN_CHROMIUM")

    def test_finds_override_by_command_name(self, bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        override = executable(bare_machine / "headless-thing")
        monkeypatch.setenv("VCLEAN_CHROMIUM", "headless-thing")
        assert find_chromium() == Chromium(override, "headless-shell", "VCLEAN_CHROMIUM")

    def test_rejects_missing_override(self, bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        # The error is raised even if another browser exists, because the user requested this one.
        download(1)
        monkeypatch.setenv("VCLEAN_CHROMIUM", "/nowhere/chrome")
        with pytest.raises(BrowserMissingError, match="VCLEAN_CHROMIUM is '/nowhere/chrome', which is no executable"):
            find_chromium()

    def test_rejects_override_that_is_not_executable(
        self, bare_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain = executable(tmp_path / "chrome")
        plain.chmod(0o644)
        monkeypatch.setenv("VCLEAN_CHROMIUM", str(plain))
        with pytest.raises(BrowserMissingError, match="no executable file"):
            find_chromium()


class TestCandidates:
    def test_sorts_shells_before_browsers(self, bare_machine: Path) -> None:
        # Downloads of Playwright precede browsers of the system.
        full = download(9, name="chromium")
        google = executable(bare_machine / "google-chrome")
        chromium = executable(bare_machine / "chromium")
        debian = executable(bare_machine / "chromium-headless-shell")
        shell = download(7)
        assert [candidate.path for candidate in candidates()] == [shell, debian, full, chromium, google]

    def test_detects_kind(self, bare_machine: Path) -> None:
        executable(bare_machine / "msedge")
        download(7)
        assert [candidate.kind for candidate in candidates()] == ["headless-shell", "chromium"]

    def test_sorts_downloads_by_revision_number(self, bare_machine: Path) -> None:
        # Revision 1000 is newer than 999, although it precedes it as text.
        old, new = download(999), download(1000)
        assert [candidate.path for candidate in candidates()] == [new, old]

    def test_ignores_incomplete_download(self, bare_machine: Path) -> None:
        download(5, complete=False)
        assert list(candidates()) == []

    def test_ignores_download_without_permission(self, bare_machine: Path) -> None:
        download(5).chmod(0o644)
        assert list(candidates()) == []

    def test_finds_mac_bundle(self, bare_machine: Path) -> None:
        folder = playwright_folder() / "chromium-1255"
        inside = "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing"
        browser = executable(folder / inside)
        (folder / "INSTALLATION_COMPLETE").touch()
        assert [candidate.path for candidate in candidates()] == [browser]


class TestPlaywrightFolder:
    def test_uses_environment_variable(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
        assert playwright_folder() == tmp_path

    def test_zero_means_the_package_folder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", "0")
        assert playwright_folder().parts[-4:] == ("playwright", "driver", "package", ".local-browsers")

    @pytest.mark.parametrize(
        ("platform", "expected"),
        [("linux", ".cache/ms-playwright"), ("darwin", "Library/Caches/ms-playwright")],
    )
    def test_uses_platform_default(
        self, platform: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("PLAYWRIGHT_BROWSERS_PATH", "XDG_CACHE_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setattr(sys, "platform", platform)
        assert playwright_folder() == tmp_path / expected

    def test_uses_local_app_data_on_windows(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("PLAYWRIGHT_BROWSERS_PATH", raising=False)
        monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
        monkeypatch.setattr(sys, "platform", "win32")
        assert playwright_folder() == tmp_path / "ms-playwright"

    def test_uses_xdg_cache_home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("PLAYWRIGHT_BROWSERS_PATH", raising=False)
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert playwright_folder() == tmp_path / "ms-playwright"
