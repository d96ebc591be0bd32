from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from unittest.mock import ANY, Mock

import pytest

from vclean.cli import batch
from vclean.cli.batch import PageRun
from vclean.errors import UsageError
from vclean.settings import RenderSettings


@pytest.fixture
def folder(tmp_path):
    """Write a folder of two pages."""
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text("<p>Rain.")
    return tmp_path


def run_over(*pages, limit=None, verbosity=0):
    names = [str(page) for page in pages]
    values = {"pages": names, "out": Path("out"), "verbosity": verbosity, "limit": limit}
    options = SimpleNamespace(**values, url="", settings=RenderSettings(), render_mode=False)
    return PageRun(options)


@pytest.mark.parametrize(("limit", "count"), [(1, 1), (3, 3), (9, 4), (None, 4)])
def test_several_pages_are_counted(folder, monkeypatch, limit, count):
    track = Mock(side_effect=lambda items, *_, **__: items)
    monkeypatch.setattr(batch, "track", track)
    assert len(list(run_over(folder, folder, limit=limit).sources())) == count
    track.assert_called_once_with(ANY, "done", "pages", total=count)


class TestLargeFolder:
    @pytest.fixture(autouse=True)
    def _one_page_is_many(self, monkeypatch):
        monkeypatch.setattr(batch, "_MANY_PAGES", 1)

    @pytest.fixture
    def questions(self, monkeypatch):
        """Simulate a terminal on which every question is answered with no; record the questions."""
        seen = []
        tty = SimpleNamespace(isatty=lambda: True)
        monkeypatch.setattr(batch, "sys", SimpleNamespace(stdin=tty, stdout=tty, stderr=tty, maxsize=9))
        monkeypatch.setattr("click.confirm", lambda text, **_: seen.append(text))
        return seen

    def test_logs_the_number_of_pages(self, folder, caplog):
        assert len(list(run_over(folder).sources())) == 2
        assert caplog.messages == [f"{folder} has 2 pages: --limit N reads only N of them"]

    def test_asks_on_terminal(self, folder, questions):
        with pytest.raises(UsageError, match="was not read: name another folder, or add --limit N"):
            next(run_over(folder).sources())
        assert questions == ["Read all of them?"]

    @pytest.mark.parametrize("options", [{"limit": 2}, {"verbosity": -1}])
    def test_does_not_ask_with_limit_or_quiet(self, folder, questions, options):
        assert len(list(run_over(folder, **options).sources())) == 2
        assert questions == []
