"""Tests of looking for fonts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vclean.render.browser import fonts
from vclean.render.browser.fonts import SCRIPTS, font_folders, has_fonts, uncovered_scripts


class TestHasFonts:
    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(fonts, "font_folders", lambda: [tmp_path / "missing", tmp_path])
        return tmp_path

    def test_none(self, folder: Path) -> None:
        (folder / "README.txt").touch()
        assert not has_fonts()

    @pytest.mark.parametrize("name", ["a.ttf", "B.OTF", "c.ttc"])
    def test_deep_down(self, name: str, folder: Path) -> None:
        (folder / "truetype" / "serif").mkdir(parents=True)
        (folder / "truetype" / "serif" / name).touch()
        assert has_fonts()


class TestFontFolders:
    @pytest.mark.parametrize(
        ("platform", "expected"), [("linux", "share/fonts"), ("darwin", "/Library/Fonts"), ("win32", "Fonts")]
    )
    def test_every_system_has_some(self, platform: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "platform", platform)
        assert font_folders()[0].as_posix().endswith(expected)


class TestUncoveredScripts:
    def play(self, monkeypatch: pytest.MonkeyPatch, output: str, code: int = 0) -> None:
        monkeypatch.setattr(fonts.shutil, "which", lambda _name: "/usr/bin/fc-list")
        answer = subprocess.CompletedProcess("fc-list", code, stdout=output)
        monkeypatch.setattr(fonts.subprocess, "run", lambda *_args, **_options: answer)

    def test_union_over_fonts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.play(monkeypatch, ":lang=en|ar|he\n:lang=bn|hi|ta|th\n:lang=ja\n")
        assert uncovered_scripts() == ["Chinese", "Korean"]

    def test_no_font(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.play(monkeypatch, "")
        assert uncovered_scripts() == list(SCRIPTS)

    def test_whole_tags_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The tag `har` does not cover Arabic."""
        self.play(monkeypatch, ":lang=har|thx\n")
        assert "Arabic" in uncovered_scripts()

    def test_fontconfig_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.play(monkeypatch, "", code=1)
        assert uncovered_scripts() == []

    def test_no_fontconfig(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fonts.shutil, "which", lambda _name: None)
        assert uncovered_scripts() == []
