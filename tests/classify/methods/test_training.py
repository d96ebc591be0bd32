from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.methods import base, registry, training
from vclean.classify.methods.base import prediction_from_mask
from vclean.classify.methods.storage import unpack
from vclean.classify.methods.training import TrainingExamples
from vclean.errors import InputError, UsageError
from vclean.features.blocks import extract_blocks
from vclean.render.static.parse import parse


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


@pytest.fixture(autouse=True)
def only_parrot(monkeypatch):
    monkeypatch.setattr(
        registry, "_METHODS", (base.MethodInfo(name="parrot", summary="p", entry_point="parrot", trained=True),)
    )
    monkeypatch.setattr(training, "training_module", lambda name: PARROT)


class TestOf:
    def test_skips_unreadable_pages_and_pages_without_text(self):
        examples = TrainingExamples.from_pages(
            [page(1), page(2, ""), GoldPage(corpus="news", id="3", html=b"\x00\x01")], ["parrot"], parse
        )
        assert examples.keys == [("news", "1")]
        assert examples.sites == ["site1.example"]
        assert examples.examples == {"parrot": ["Rain."]}

    def test_untrained_method(self, monkeypatch):
        monkeypatch.setattr(training, "training_module", registry.training_module)
        with pytest.raises(UsageError, match="no method 'bte'"):
            TrainingExamples.from_pages([], ["bte"], parse)


class TestTrain:
    def test_file_describes_the_training_data(self):
        data = TrainingExamples.from_pages([page(1, "Sun."), page(2)], ["parrot"], parse).train("parrot")
        assert b'"pages": 2, "corpora": {"news": 2}' in data
        assert unpack("parrot", data, "it") == b"Sun.|Rain."

    def test_no_pages(self):
        with pytest.raises(InputError, match="there is nothing to learn from"):
            TrainingExamples.from_pages([], ["parrot"], parse).train("parrot")


class TestCrossValidatedPredictor:
    def test_predictor_uses_models_that_did_not_see_the_site(self):
        pages = [page(number, f"Text {number % 4}.", site=f"site{number % 4}") for number in range(12)]
        predict = TrainingExamples.from_pages(pages, ["parrot"], parse).cross_validated_predictor("parrot", 4)
        for each in pages:
            assert predict(each, extract_blocks(parse(each.to_page()))).labels == ["p"]

    def test_predictor_knows_content_of_other_sites(self):
        pages = [page(number) for number in range(6)]
        predict = TrainingExamples.from_pages(pages, ["parrot"], parse).cross_validated_predictor("parrot", 3)
        assert predict(pages[0], extract_blocks(parse(pages[0].to_page()))).labels == ["o"]

    def test_skipped_page(self):
        pages = [page(number) for number in range(3)]
        predict = TrainingExamples.from_pages(pages, ["parrot"], parse).cross_validated_predictor("parrot", 3)
        assert predict(page(9, ""), extract_blocks(parse(GoldPage(html=b"<p></p>").to_page()))).labels == []

    def test_fewer_sites_than_folds(self):
        with pytest.raises(InputError, match="the pages come from 1 site: too few for 3 folds"):
            TrainingExamples.from_pages([page(1)], ["parrot"], parse).cross_validated_predictor("parrot", 3)
