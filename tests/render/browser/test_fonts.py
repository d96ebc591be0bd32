"""Test the search for fonts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vclean.render.browser import chromium
from vclean.render.browser.chromium import SCRIPTS, font_folders, has_fonts, uncovered_scripts


class TestHasFonts:
    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(chromium, "font_folders", lambda: [tmp_path / "missing", tmp_path])
        return tmp_path

    def test_finds_no_fonts(self, folder: Path) -> None:
        (folder / "README.txt").touch()
        assert not has_fonts()

    @pytest.mark.parametrize("name", ["a.ttf", "B.OTF", "c.ttc"])
    def test_finds_fonts_in_subfolders(self, name: str, folder: Path) -> None:
        (folder / "truetype" / "serif").mkdir(parents=True)
        (folder / "truetype" / "serif" / name).touch()
        assert has_fonts()


class TestFontFolders:
    @pytest.mark.parametrize(
        ("platform", "expected"), [("linux", "share/fonts"), ("darwin", "/Library/Fonts"), ("win32", "Fonts")]
    )
    def test_returns_folders_by_platform(self, platform: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "platform", platform)
        assert font_folders()[0].as_posix().endswith(expected)


class TestUncoveredScripts:
    def fake_fc_list(self, monkeypatch: pytest.MonkeyPatch, output: str, code: int = 0) -> None:
        monkeypatch.setattr(chromium.shutil, "which", lambda _name: "/usr/bin/fc-list")
        answer = subprocess.CompletedProcess("fc-list", code, stdout=output)
        monkeypatch.setattr(chromium.subprocess, "run", lambda *_args, **_options: answer)

    def test_combines_all_fonts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fake_fc_list(monkeypatch, ":lang=en|ar|he\n:lang=bn|hi|ta|th\n:lang=ja\n")
        assert uncovered_scripts() == ["Chinese", "Korean"]

    def test_reports_all_scripts_without_fonts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fake_fc_list(monkeypatch, "")
        assert uncovered_scripts() == list(SCRIPTS)

    def test_compares_whole_tags(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # The tag `har` does not cover Arabic.
        self.fake_fc_list(monkeypatch, ":lang=har|thx\n")
        assert "Arabic" in uncovered_scripts()

    def test_returns_nothing_if_fontconfig_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fake_fc_list(monkeypatch, "", code=1)
        assert uncovered_scripts() == []

    def test_returns_nothing_without_fontconfig(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(chromium.shutil, "which", lambda _name: None)
        assert uncovered_scripts() == []
