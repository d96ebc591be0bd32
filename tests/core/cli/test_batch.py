from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from vclean.cli import batch
from vclean.cli.batch import PageRun
from vclean.errors import UsageError
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
    """Record the units that are counted on standard error, with their total."""
    seen: list[str] = []

    def tracked(items: Iterable[object], what: str, unit: str, *, total: int | None) -> Iterator[object]:
        seen.append(f"{what} {total} {unit}")
        yield from items

    monkeypatch.setattr(batch, "track", tracked)
    return seen


def run_over(*pages: Path, out: Path | None = None, limit: int | None = None, verbosity: int = 0) -> PageRun:
    names = [str(page) for page in pages]
    values = {"pages": names, "out": out, "verbosity": verbosity, "limit": limit}
    options = SimpleNamespace(**values, url="", settings=RenderSettings(), render_mode=False)
    return PageRun(options)


class TestSources:
    def test_several_pages_are_counted(self, folder: Path, counted: list[str]) -> None:
        assert len(list(run_over(folder, out=Path("out")).sources())) == 2
        assert counted == ["done 2 pages"]

    @pytest.mark.parametrize(("limit", "count"), [(1, 1), (3, 3), (9, 4)])
    def test_limit(self, folder: Path, counted: list[str], limit: int, count: int) -> None:
        assert len(list(run_over(folder, folder, out=Path("out"), limit=limit).sources())) == count
        assert counted == [f"done {count} pages"]


class TestLargeFolder:
    @pytest.fixture(autouse=True)
    def _one_page_is_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(batch, "_MANY_PAGES", 1)

    @pytest.fixture
    def questions(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Simulate a terminal on which every question is answered with no; record the questions."""
        seen: list[str] = []
        monkeypatch.setattr(batch, "_is_interactive", lambda: True)
        monkeypatch.setattr("click.confirm", lambda text, **_: seen.append(text))
        return seen

    def test_logs_the_number_of_pages(self, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
        assert len(list(run_over(folder, out=Path("out")).sources())) == 2
        assert caplog.messages == [f"{folder} has 2 pages: --limit N reads only N of them"]

    def test_asks_on_terminal(self, folder: Path, questions: list[str]) -> None:
        with pytest.raises(UsageError, match="was not read: name another folder, or add --limit N"):
            next(run_over(folder, out=Path("out")).sources())
        assert questions == ["Read all of them?"]

    @pytest.mark.parametrize("options", [{"limit": 2}, {"verbosity": -1}])
    def test_does_not_ask_with_limit_or_quiet(
        self, folder: Path, questions: list[str], options: dict[str, int]
    ) -> None:
        assert len(list(run_over(folder, out=Path("out"), **options).sources())) == 2
        assert questions == []
