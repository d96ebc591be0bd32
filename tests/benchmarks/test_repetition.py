from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.synthetic import gold_page, train_quickly

from vclean.classify.corpora.corpora import GoldPage

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def bench():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield import_module("repetition")
        for name in ("repetition", "leaderboard", "rivals", "documents", "speed"):
            sys.modules.pop(name, None)


def page(bench, number: int, *, host: str = "", count: int = 3):
    """A menu that every page has, of which the model is in doubt, and a text that it takes for content."""
    return bench.Company(
        corpus="synthetic",
        host=host or f"host{number % 8}",
        count=count,
        shares=np.array([[1.0, 1.0], [0.0, 0.0]]),
        probability=np.array([0.6, 0.9], dtype=np.float32),
        content=np.array([False, True]),
        words=np.array([6, 20], dtype=np.float32),
        texts=["menu " * 6, "text " * 20],
        gold="text " * 20,
    )


class TestHostOf:
    @pytest.mark.parametrize(
        ("url", "html", "host"),
        [
            ("https://www.a.example.org/x", b"", "a.example.org"),
            (
                "",
                b"<a href=http://one.site.com/1><a href=http://one.site.com/2><a href=http://x.site.com>",
                "one.site.com",
            ),
            ("", b"<base href=http://www.site.com/><a href=http://other.org/>", "site.com"),
        ],
    )
    def test_by_the_url_or_by_what_the_source_names_most(self, bench, url: str, html: bytes, host: str) -> None:
        assert bench.host_of(GoldPage(url=url, html=html)) == host

    def test_a_page_that_names_none_is_alone(self, bench) -> None:
        assert bench.host_of(GoldPage(corpus="c", id="7", html=b"<p>x")) == "c/7"


class TestFit:
    def test_repeated_blocks_that_are_no_content_have_weights_against_them(self, bench) -> None:
        assert bench.fit([page(bench, number) for number in range(40)]).sum() < -1

    def test_and_for_them_where_they_are(self, bench) -> None:
        odd = [replace(page(bench, number), content=np.array([True, True])) for number in range(40)]
        assert bench.fit(odd).sum() > 0.5

    def test_many_pages_of_a_host_do_not_count_as_much(self, bench) -> None:
        loud = [replace(page(bench, 0, host="loud"), content=np.array([True, True])) for _ in range(60)]
        assert bench.fit([*loud, *(page(bench, number) for number in range(40))]).sum() < 0


class TestGains:
    def test_the_menu_goes(self, bench) -> None:
        f1 = bench.gains([page(bench, number) for number in range(40)])
        assert f1[:, 0] == pytest.approx(40 / 46)
        assert f1[:, 1] == pytest.approx(1)

    def test_weights_come_from_other_hosts(self, bench) -> None:
        """What is so on one host alone is not learned for it."""
        odd = [replace(page(bench, number, host="odd"), probability=np.float32([0.2, 0.9])) for number in range(5)]
        odd = [replace(each, content=np.array([True, True]), gold="menu text") for each in odd]
        f1 = bench.gains([*odd, *(page(bench, number) for number in range(40))])
        assert (f1[:5, 1] <= f1[:5, 0]).all()


class TestSummary:
    def test_by_size_of_the_host_and_by_corpus(self, bench) -> None:
        pages = [page(bench, number, count=2 if number < 8 else 7) for number in range(40)]
        found = bench.summary(pages, bench.gains(pages))
        assert {name: row["pages"] for name, row in found["parts"].items()} == {
            "pages of the host: all": 40,
            "pages of the host: 2": 8,
            "pages of the host: 5 to 9": 32,
            "synthetic": 40,
        }
        row = found["parts"]["pages of the host: 2"]
        assert row["hosts"] == 8
        assert row["gain"] == pytest.approx(6 / 46)
        assert row["low"] <= row["gain"] <= row["high"]
        assert len(found["weights"]) == 2


class TestMain:
    @pytest.fixture
    def corpus(self, tmp_path: Path) -> Path:
        """Thirty pages of ten sites, and one that cannot be read."""
        pages = [gold_page(number) for number in range(30)] + [GoldPage(id="bad", html=b"")]
        columns = {name: [getattr(page, name) for page in pages] for name in ("id", "url", "html")}
        gold = {"gold_text": [page.text for page in pages], "gold_markup": [page.markup for page in pages]}
        pq.write_table(pa.table(columns | gold), tmp_path / "small.parquet")
        return tmp_path / "small.parquet"

    def test_from_corpora_to_figures(self, bench, corpus: Path, tmp_path: Path, monkeypatch, capsys) -> None:
        train_quickly(monkeypatch)
        assert bench.main([str(corpus), "--json", str(tmp_path / "found.json")]) == 0
        found = json.loads((tmp_path / "found.json").read_text())
        assert found["parts"]["pages of the host: 3 to 4"]["pages"] == 30
        assert found["parts"]["small"]["hosts"] == 10
        assert "| small | 30 | 10 |" in capsys.readouterr().out

    def test_errors_are_one_line(self, bench, capsys) -> None:
        assert bench.main(["missing.parquet"]) == 3
        assert capsys.readouterr().err.startswith("repetition.py: missing.parquet does not exist")
