from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.benchmarks import imported_benchmark
from helpers.synthetic import gold_page, train_quickly

from vclean.classify.corpora.corpora import GoldPage

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bench():
    with imported_benchmark("site_evidence") as module:
        yield module


def page(bench, number: int, *, host: str = "", count: int = 3):
    """Return a page with a menu that all pages repeat, with probability .6, and a text with probability .9."""
    return bench.HostPage(
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
    def test_host_of_the_url_or_most_mentioned_host(self, bench, url: str, html: bytes, host: str) -> None:
        assert bench.host_of(GoldPage(url=url, html=html)) == host

    def test_page_without_any_url(self, bench) -> None:
        assert bench.host_of(GoldPage(corpus="c", id="7", html=b"<p>x")) == "c/7"


class TestFit:
    def test_negative_weights_if_repeated_blocks_are_not_content(self, bench) -> None:
        assert bench.fit([page(bench, number) for number in range(40)]).sum() < -1

    def test_positive_weights_if_repeated_blocks_are_content(self, bench) -> None:
        odd = [replace(page(bench, number), content=np.array([True, True])) for number in range(40)]
        assert bench.fit(odd).sum() > 0.5

    def test_host_weight_grows_slower_than_its_pages(self, bench) -> None:
        large_host = [replace(page(bench, 0, host="loud"), content=np.array([True, True])) for _ in range(60)]
        assert bench.fit([*large_host, *(page(bench, number) for number in range(40))]).sum() < 0


class TestCrossValidatedF1:
    def test_removes_the_menu(self, bench) -> None:
        f1 = bench.cross_validated_f1([page(bench, number) for number in range(40)])
        assert f1[:, 0] == pytest.approx(40 / 46)
        assert f1[:, 1] == pytest.approx(1)

    def test_weights_come_from_other_hosts(self, bench) -> None:
        """Learn nothing from a host about evidence that is content on that host only."""
        odd = [replace(page(bench, number, host="odd"), probability=np.float32([0.2, 0.9])) for number in range(5)]
        odd = [replace(each, content=np.array([True, True]), gold="menu text") for each in odd]
        f1 = bench.cross_validated_f1([*odd, *(page(bench, number) for number in range(40))])
        assert (f1[:5, 1] <= f1[:5, 0]).all()


class TestSummary:
    def test_by_size_of_the_host_and_by_corpus(self, bench) -> None:
        pages = [page(bench, number, count=2 if number < 8 else 7) for number in range(40)]
        results = bench.summary(pages, bench.cross_validated_f1(pages))
        assert {name: row["pages"] for name, row in results["parts"].items()} == {
            "pages of the host: all": 40,
            "pages of the host: 2": 8,
            "pages of the host: 5 to 9": 32,
            "synthetic": 40,
        }
        row = results["parts"]["pages of the host: 2"]
        assert row["hosts"] == 8
        assert row["gain"] == pytest.approx(6 / 46)
        assert row["low"] <= row["gain"] <= row["high"]
        assert len(results["weights"]) == 2


class TestMain:
    @pytest.fixture
    def corpus(self, tmp_path: Path) -> Path:
        """Write a corpus of thirty pages of ten sites, and one page that cannot be read."""
        pages = [gold_page(number) for number in range(30)] + [GoldPage(id="bad", html=b"")]
        columns = {name: [getattr(page, name) for page in pages] for name in ("id", "url", "html")}
        gold = {"gold_text": [page.text for page in pages], "gold_markup": [page.markup for page in pages]}
        pq.write_table(pa.table(columns | gold), tmp_path / "small.parquet")
        return tmp_path / "small.parquet"

    def test_results_of_a_corpus(self, bench, corpus: Path, tmp_path: Path, monkeypatch, capsys) -> None:
        train_quickly(monkeypatch)
        assert bench.main([str(corpus), "--json", str(tmp_path / "found.json")]) == 0
        results = json.loads((tmp_path / "found.json").read_text())
        assert results["parts"]["pages of the host: 3 to 4"]["pages"] == 30
        assert results["parts"]["small"]["hosts"] == 10
        assert "| small | 30 | 10 |" in capsys.readouterr().out

    def test_errors_are_one_line(self, bench, capsys) -> None:
        assert bench.main(["missing.parquet"]) == 3
        assert capsys.readouterr().err.startswith("site_evidence.py: missing.parquet does not exist")
