from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.methods import base, registry, training
from vclean.classify.methods.base import decide
from vclean.classify.methods.storage import unpack
from vclean.classify.methods.training import TrainingExamples
from vclean.errors import InputError, UsageError
from vclean.features.blocks import extract_blocks
from vclean.render.static.parse import parse


def page(number, text="Rain.", site=None):
    url = f"http://{site or f'site{number}'}.example/{number}"
    return GoldPage(corpus="news", id=str(number), url=url, html=f"<p>{text}".encode(), text=text)


def examples_of(lesson):
    assert lesson.truth.is_content.tolist() == [True]
    return lesson.blocks.text[0]


def keeps_new(data):
    """Keeps the blocks that were not learned from."""
    known = data.decode().split("|")
    return lambda blocks: decide(blocks, np.array([text not in known for text in blocks.text]))


PARROT = SimpleNamespace(example=examples_of, train=lambda examples: "|".join(examples).encode(), load=keeps_new)
"""A method whose model is what it has seen."""


@pytest.fixture(autouse=True)
def only_parrot(monkeypatch):
    monkeypatch.setattr(registry, "_METHODS", (base.MethodInfo(name="parrot", line="p", place="parrot", trained=True),))
    monkeypatch.setattr(training, "trainable", lambda name: PARROT)


class TestOf:
    def test_pages_that_cannot_be_read_or_have_no_text_are_left_out(self):
        lessons = TrainingExamples.of(
            [page(1), page(2, ""), GoldPage(corpus="news", id="3", html=b"\x00\x01")], ["parrot"], parse
        )
        assert lessons.keys == [("news", "1")]
        assert lessons.sites == ["site1.example"]
        assert lessons.examples == {"parrot": ["Rain."]}

    def test_a_method_that_is_not_trained(self, monkeypatch):
        monkeypatch.setattr(training, "trainable", registry.trainable)
        with pytest.raises(UsageError, match="no method 'bte'"):
            TrainingExamples.of([], ["bte"], parse)


class TestTrain:
    def test_a_file_that_says_what_it_learned_from(self):
        data = TrainingExamples.of([page(1, "Sun."), page(2)], ["parrot"], parse).train("parrot")
        assert b'"pages": 2, "corpora": {"news": 2}' in data
        assert unpack("parrot", data, "it") == b"Sun.|Rain."

    def test_nothing_to_learn_from(self):
        with pytest.raises(InputError, match="there is nothing to learn from"):
            TrainingExamples.of([], ["parrot"], parse).train("parrot")


class TestCrossValidated:
    def test_no_page_is_labelled_by_a_model_that_saw_its_site(self):
        pages = [page(number, f"Text {number % 4}.", site=f"site{number % 4}") for number in range(12)]
        predict = TrainingExamples.of(pages, ["parrot"], parse).cross_validated("parrot", 4)
        for each in pages:
            assert predict(each, extract_blocks(parse(each.page()))).labels == ["p"]

    def test_what_other_sites_have_is_known(self):
        pages = [page(number) for number in range(6)]
        predict = TrainingExamples.of(pages, ["parrot"], parse).cross_validated("parrot", 3)
        assert predict(pages[0], extract_blocks(parse(pages[0].page()))).labels == ["o"]

    def test_a_page_that_was_left_out(self):
        pages = [page(number) for number in range(3)]
        predict = TrainingExamples.of(pages, ["parrot"], parse).cross_validated("parrot", 3)
        assert predict(page(9, ""), extract_blocks(parse(GoldPage(html=b"<p></p>").page()))).labels == []

    def test_fewer_sites_than_folds(self):
        with pytest.raises(InputError, match="the pages are of 1 sites: too few for 3 folds"):
            TrainingExamples.of([page(1)], ["parrot"], parse).cross_validated("parrot", 3)
