from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import ModuleType

import pytest
from helpers.benchmarks import imported_benchmark, write_corpus
from helpers.synthetic import gold_page

from vclean.classify.content.model import load
from vclean.classify.corpora.corpora import read_corpus
from vclean.classify.corpora.gold import GoldPage
from vclean.page import Page
from vclean.render.static.parse import parse

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def speed() -> Iterator[ModuleType]:
    with imported_benchmark("speed") as module:
        yield module


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Write a corpus of twelve pages, one of which is empty."""
    pages = [gold_page(number) for number in range(11)]
    return write_corpus(tmp_path / "twelve.parquet", [*pages, GoldPage(id="11", html=b"")])


class TestStages:
    def test_every_stage_and_the_total(self, speed) -> None:
        """Read the clock at the start, and twice at every lap, so that no lap includes the bookkeeping."""
        ticks = (number**2 for number in count())
        times = speed.stages(Page(content=gold_page(1).html), parse, load(), lambda: next(ticks))
        laps = {stage: 4 * number + 1 for number, stage in enumerate(speed.STAGES)}
        assert times == laps | {"total": sum(laps.values())}


class TestEvenly:
    @pytest.mark.parametrize(
        ("number", "expected"),
        [(3, ["0", "5", "11"]), (1, ["0"]), (0, [])],
    )
    def test_spread_over_the_corpus(self, speed, corpus: Path, number: int, expected: list[str]) -> None:
        assert [page.id for page in speed.evenly(read_corpus(corpus), number)] == expected


class TestMain:
    def test_table_and_json(self, speed, corpus: Path, tmp_path: Path, capsys) -> None:
        assert speed.main([str(corpus), "--pages", "99", "--json", str(tmp_path / "out.json")]) == 0
        assert "6 pages of twelve, 1 failed" in capsys.readouterr().out
        report = json.loads((tmp_path / "out.json").read_text())
        assert (report["corpus"], report["pages"], report["failed"], report["ratio"]) == ("twelve", 6, 1, None)
        assert list(report["ms"]["unrendered"]) == [*speed.STAGES, "total"]
        assert report["ms"]["unrendered"]["total"]["median"] > 0

    def test_too_few_pages(self, speed, corpus: Path, monkeypatch, capsys) -> None:
        monkeypatch.setattr(speed, "WARM_UP", 50)
        assert speed.main([str(corpus)]) == 3
        assert "too few pages" in capsys.readouterr().err
