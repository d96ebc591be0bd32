"""Test finding a Chromium and fonts; nothing is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vclean.errors import BrowserMissingError
from vclean.render.browser import chromium
from vclean.render.browser.chromium import (
    SCRIPTS,
    Chromium,
    candidates,
    find_chromium,
    has_fonts,
    playwright_folder,
    uncovered_scripts,
)

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
    @pytest.mark.parametrize(
        ("name", "value"),
        [("chrome", "{path}"), ("headless-thing", "headless-thing")],
    )
    def test_prefers_override(self, name: str, value: str, bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        download(1)
        override = executable(bare_machine / name)
        monkeypatch.setenv("VCLEAN_CHROMIUM", value.format(path=override))
        assert find_chromium() == Chromium(override, "VCLEAN_CHROMIUM")

    def test_rejects_override_that_is_not_executable(
        self, bare_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # The error is raised even if another browser exists, because the user requested this one.
        download(1)
        plain = executable(tmp_path / "chrome")
        plain.chmod(0o644)
        for path in ("/nowhere/chrome", str(plain)):
            monkeypatch.setenv("VCLEAN_CHROMIUM", path)
            with pytest.raises(BrowserMissingError, match=f"VCLEAN_CHROMIUM is '{path}', which is no executable file"):
                find_chromium()


class TestCandidates:
    def test_sorts_shells_before_browsers(self, bare_machine: Path) -> None:
        # Downloads of Playwright precede browsers of the system.
        full = download(9, name="chromium")
        google = executable(bare_machine / "google-chrome")
        plain = executable(bare_machine / "chromium")
        debian = executable(bare_machine / "chromium-headless-shell")
        shell = download(7)
        assert [candidate.path for candidate in candidates()] == [shell, debian, full, plain, google]

    def test_sorts_downloads_by_revision_number(self, bare_machine: Path) -> None:
        # Revision 1000 is newer than 999, although it precedes it as text.
        old, new = download(999), download(1000)
        assert [candidate.path for candidate in candidates()] == [new, old]

    def test_ignores_incomplete_download_and_one_without_permission(self, bare_machine: Path) -> None:
        download(5, complete=False)
        download(6).chmod(0o644)
        assert list(candidates()) == []

    def test_finds_mac_bundle(self, bare_machine: Path) -> None:
        folder = playwright_folder() / "chromium-1255"
        inside = "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing"
        browser = executable(folder / inside)
        (folder / "INSTALLATION_COMPLETE").touch()
        assert [candidate.path for candidate in candidates()] == [browser]


class TestPlaywrightFolder:
    def test_zero_means_the_package_folder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", "0")
        assert playwright_folder().parts[-4:] == ("playwright", "driver", "package", ".local-browsers")

    @pytest.mark.parametrize(
        ("platform", "variable", "expected"),
        [
            ("linux", "PLAYWRIGHT_BROWSERS_PATH", ""),
            ("linux", "HOME", ".cache/ms-playwright"),
            ("linux", "XDG_CACHE_HOME", "ms-playwright"),
            ("darwin", "HOME", "Library/Caches/ms-playwright"),
            ("win32", "LOCALAPPDATA", "ms-playwright"),
        ],
    )
    def test_uses_variable_of_the_platform(
        self, platform: str, variable: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("PLAYWRIGHT_BROWSERS_PATH", "XDG_CACHE_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(variable, str(tmp_path))
        monkeypatch.setattr(sys, "platform", platform)
        assert playwright_folder() == tmp_path / expected


class TestHasFonts:
    @pytest.mark.parametrize(
        ("name", "expected"), [("README.txt", False), ("a.ttf", True), ("B.OTF", True), ("serif/c.ttc", True)]
    )
    def test_finds_fonts_in_subfolders(
        self, name: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(chromium, "font_folders", lambda: [tmp_path / "missing", tmp_path])
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
        assert has_fonts() == expected


class TestUncoveredScripts:
    @pytest.mark.parametrize(
        ("output", "code", "expected"),
        [
            (":lang=en|ar|he\n:lang=bn|hi|ta|th\n:lang=ja\n", 0, ["Chinese", "Korean"]),
            ("", 0, list(SCRIPTS)),
            (":lang=har|thx\n", 0, list(SCRIPTS)),  # whole tags: `har` does not cover Arabic
            ("", 1, []),
            (None, 0, []),
        ],
    )
    def test_combines_all_fonts(
        self, output: str | None, code: int, expected: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answer = subprocess.CompletedProcess("fc-list", code, stdout=output)
        monkeypatch.setattr(chromium.shutil, "which", lambda _name: None if output is None else "/usr/bin/fc-list")
        monkeypatch.setattr(chromium.subprocess, "run", lambda *_args, **_options: answer)
        assert uncovered_scripts() == expected
