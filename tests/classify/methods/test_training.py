"""Test `vclean train --method` and `vclean evaluate --folds` with trained methods."""

from __future__ import annotations

import zlib
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from helpers.benchmarks import write_corpus

from vclean.classify.corpora.gold import GoldPage
from vclean.classify.methods import registry
from vclean.classify.methods.base import prediction_from_mask
from vclean.classify.methods.registry import TrainingExamples
from vclean.cli.main import main
from vclean.errors import InputError
from vclean.features.blocks import extract_blocks
from vclean.render.static.parse import parse

if TYPE_CHECKING:
    from pathlib import Path


def page(number, text="Rain.", site=None):
    url = f"http://{site or f'site{number}'}.example/{number}"
    return GoldPage(corpus="news", id=str(number), url=url, html=f"<p>{text}".encode(), text=text)


def examples_of(training_page):
    assert training_page.truth.is_content.tolist() == [True]
    return training_page.blocks.text[0]


def keeps_new(data):
    """Return a method that keeps the blocks that it was not trained on."""
    known = data.decode().split("|")
    return lambda blocks: prediction_from_mask(blocks, np.array([text not in known for text in blocks.text]))


PARROT = SimpleNamespace(make_example=examples_of, train=lambda examples: "|".join(examples).encode(), load=keeps_new)
"""A method whose model is what it has seen."""


@pytest.fixture
def learn(monkeypatch):
    """Return a function that makes the training examples of pages for "stupidos", which learns by heart."""
    monkeypatch.setattr(registry, "training_module", lambda name: PARROT)
    return lambda *pages: TrainingExamples(pages, ["stupidos"], parse)


class TestFromPages:
    def test_skips_unreadable_pages_and_pages_without_text(self, learn):
        examples = learn(page(1), page(2, ""), GoldPage(corpus="news", id="3", html=b"\x00\x01"))
        assert examples.keys == [("news", "1")]
        assert examples.sites == ["site1.example"]
        assert examples.examples == {"stupidos": ["Rain."]}


class TestTrain:
    def test_file_describes_the_training_data(self, learn):
        data = learn(page(1, "Sun."), page(2)).train("stupidos")
        assert b'"pages": 2, "corpora": {"news": 2}' in data
        assert zlib.decompress(data.partition(b"\n")[2]) == b"Sun.|Rain."

    def test_no_pages(self, learn):
        with pytest.raises(InputError, match="there is nothing to learn from"):
            learn().train("stupidos")


class TestCrossValidatedPredictor:
    def test_predictor_uses_models_that_did_not_see_the_site(self, learn):
        pages = [page(number, f"Text {number % 4}.", site=f"site{number % 4}") for number in range(12)]
        predict = learn(*pages).cross_validated_predictor("stupidos", 4)
        for each in pages:
            assert predict(each, extract_blocks(parse(each.to_page()))).labels == ["p"]

    def test_skipped_page(self, learn):
        predict = learn(*map(page, range(3))).cross_validated_predictor("stupidos", 3)
        assert predict(page(9, ""), extract_blocks(parse(GoldPage(html=b"<p></p>").to_page()))).labels == []

    def test_fewer_sites_than_folds(self, learn):
        with pytest.raises(InputError, match="the pages come from 1 site: too few for 3 folds"):
            learn(page(1)).cross_validated_predictor("stupidos", 3)


TEXT = "It rained all day in the valley, and nobody minded it at all, for it was warm."
PAGE = "<ul>" + "<li><a href=/>Link</a></li>" * 12 + "</ul>" + f"<p>{TEXT}</p>" * 8
GOLD = " ".join([TEXT] * 8)


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    pages = [GoldPage(id=str(at), url=f"http://site{at}.example/", html=PAGE.encode(), text=GOLD) for at in range(12)]
    return str(write_corpus(tmp_path / "small.parquet", pages))


class TestTrainCommand:
    def test_prints_scores_and_writes_a_working_model(
        self, corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        model, page = tmp_path / "tree.model", tmp_path / "page.html"
        page.write_text(PAGE)
        predictions = tmp_path / "said.jsonl"
        arguments = ["--method", "wcc-tree", "-o", str(model), "--predictions", str(predictions)]
        assert main(["train", corpus, *arguments]) == 0
        table = capsys.readouterr().out
        assert "small, wcc-tree" in table
        assert "1.000" in table
        assert len(predictions.read_text().splitlines()) == 12
        assert main([str(page), "--method", "wcc-tree", "--model", str(model), "-f", "cleaneval"]) == 0
        assert capsys.readouterr().out == f"<p>{TEXT}\n" * 8

    def test_rejects_untrained_methods(self, corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["train", corpus, "--method", "bte", "-o", str(tmp_path / "m")]) == 2
        assert "the method bte is not trained" in capsys.readouterr().err


class TestEvaluate:
    def test_cross_validates_with_folds(self, corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["evaluate", corpus, "--method", "wcc-tree", "--method", "text", "--folds", "3"]) == 0
        out = capsys.readouterr().out
        assert "small, wcc-tree" in out
        assert "small, text" in out
