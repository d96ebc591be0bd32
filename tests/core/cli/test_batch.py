from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from vclean.cli import batch
from vclean.cli.batch import PageRun
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a folder of two pages."""
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text("<p>Rain.")
    return tmp_path


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the units that are counted on standard error."""
    seen: list[str] = []

    def tracked(items: Iterable[object], what: str, unit: str) -> Iterator[object]:
        seen.append(f"{what} {unit}")
        yield from items

    monkeypatch.setattr(batch, "track", tracked)
    return seen


def run_over(page: Path, out: Path | None = None) -> PageRun:
    options = SimpleNamespace(pages=[str(page)], out=out, url="", settings=RenderSettings(), verbosity=0)
    return PageRun(options, renders=False)


class TestSources:
    def test_several_pages_are_counted(self, folder: Path, counted: list[str]) -> None:
        assert len(list(run_over(folder, Path("out")).sources())) == 2
        assert counted == ["done pages"]

    def test_one_page_is_not(self, folder: Path, counted: list[str]) -> None:
        assert len(list(run_over(folder / "a.html", Path("out")).sources())) == 1
        assert counted == []

    @pytest.mark.parametrize(
        ("screens", "expected"),
        [
            (("stdout", "stderr"), []),
            (("stdout",), ["done pages"]),
            (("stderr",), ["done pages"]),
            ((), ["done pages"]),
        ],
    )
    def test_no_bar_between_text_on_terminal(
        self,
        folder: Path,
        counted: list[str],
        monkeypatch: pytest.MonkeyPatch,
        screens: tuple[str, ...],
        expected: list[str],
    ) -> None:
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(getattr(sys, name), "isatty", lambda name=name: name in screens, raising=False)
        assert len(list(run_over(folder).sources())) == 2
        assert counted == expected
