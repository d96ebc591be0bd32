from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.benchmarks import imported_benchmark, write_corpus
from helpers.pages import snapshot
from helpers.synthetic import gold_page

from vclean.classify.content.model import load_default
from vclean.classify.prediction import Prediction
from vclean.features.blocks import extract_blocks
from vclean.labels import Label

PAGES = [gold_page(number, "small") for number in range(8)]


@pytest.fixture(scope="module")
def agreement():
    with imported_benchmark("agreement") as module:
        yield module


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "small.parquet", PAGES)


class TestRemoveStyles:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<style>p{}</style><p style='color:red' class=a>b", b'<p class="a">b</p>'),
            ("<p align=center onclick=x>a<script>1</script>", b"<p>a</p>"),
            ("<center><font color=red>a</font></center>", b"<div><span>a</span></div>"),
            ("<link rel=stylesheet href=x><p>\xe9", "<p>é</p>".encode()),
        ],
    )
    def test_elements_and_attributes(self, agreement, html: str, expected: bytes) -> None:
        assert expected + b"</body>" in agreement.remove_styles(html.encode())
        assert b"<style" not in agreement.remove_styles(html.encode())


class TestJoinPages:
    def test_bodies_in_order(self, agreement) -> None:
        html = agreement.join_pages([b"<title>t</title><p>a", b"<p>b<p>c", b"<div>d</div>"])
        assert [text for text in snapshot(html).texts if text.strip()] == ["a", "b", "c", "d"]


class Fixed:
    """Stub of a model with a fixed probability; blocks above one half are paragraphs."""

    def __init__(self, probability: float) -> None:
        self.probability = probability

    def label(self, blocks):
        label = Label.PARAGRAPH if self.probability > 0.5 else Label.OTHER
        probability = np.full(len(blocks), self.probability, dtype=np.float32)
        self.probability -= 0.3
        return Prediction([label] * len(blocks), probability, float(probability[0]))


class TestCompare:
    def test_blocks_with_the_same_text(self, agreement) -> None:
        first, second = (extract_blocks(snapshot(html)) for html in ("<p>a<p>b<p>c", "<p>a<p>x<p>c"))
        result = agreement.compare(first, second, Fixed(0.75))
        assert (result.blocks, result.flips) == (2, 2)
        assert (result.probability, result.confidence) == pytest.approx((0.6, 0.3))

    def test_table_has_each_corpus_and_all(self, agreement) -> None:
        results = [("a", agreement.Agreement(10, 1, 0.5, 0.1)), ("b", agreement.Agreement(30, 0, 0.0, 0.0))]
        lines = agreement.agreement_table(results).splitlines()
        assert lines[2:] == [
            "| a | 1 | 10 | 10.00 % | 0.0500 | 0.100 |",
            "| b | 1 | 30 | 0.00 % | 0.0000 | 0.000 |",
            "| all | 2 | 40 | 2.50 % | 0.0125 | 0.050 |",
        ]


class TestLength:
    def test_best_cut_is_at_least_the_choice(self, agreement) -> None:
        model = load_default()
        scores = [agreement.score(page.html, page.url, page.text, model) for page in PAGES]
        assert all(each.f1 <= each.best <= 1 for each in scores)

    def test_quintiles_begin_with_the_shortest(self, agreement) -> None:
        groups = agreement.quintiles([agreement.Score(1, 1, 1, words) for words in (50, 10, 40, 20, 30)])
        assert [[each.words for each in group] for group in groups.values()] == [[10], [20], [30], [40], [50]]

    def test_tables(self, agreement, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert agreement.main([str(corpus), "--length"]) == 0
        output = capsys.readouterr().out
        assert [output.count(f"| {count} joined | 1 |") for count in agreement.JOINED] == [1] * 4
        assert output.count(" words | ") == 5

    def test_missing_corpus(self, agreement, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert agreement.main([str(tmp_path / "x.parquet")]) > 0
        assert "x.parquet" in capsys.readouterr().err


@pytest.mark.browser
class TestRendered:
    def test_unstyled_pages_agree(self, agreement) -> None:
        results = list(agreement.agreements(PAGES[:2], load_default()))
        assert [each.flips for _, each in results] == [0, 0]
