from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.pages import snapshot, view

from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.methods import get
from vclean.classify.methods.base import TrainingPage
from vclean.classify.methods.wcc import language_model
from vclean.classify.methods.wcc import language_model as headings
from vclean.features.blocks import extract_blocks
from vclean.features.text.characters import hash_words

STORY = "The rain came early, and with the rain came the ferry."
PAGE = f"<title>Rain | Valley</title><h1>Rain and ferry</h1><p>{STORY}</p><div>Home page</div><div>About us</div>"


class TestQuery:
    def test_words_of_headings_and_title(self):
        types, share = headings.query(view("<title>Rain snow</title><h1>Rain ferry</h1><p>Other</p>"))
        assert np.array_equal(types, hash_words(["rain", "ferry"]))  # `snow` is nowhere on the page
        assert share[types == hash_words(["rain"])[0]] == pytest.approx(2 / 3)

    def test_a_page_without_headings(self):
        types, share = headings.query(view("<p>Text</p>"))
        assert len(types) == len(share) == 0


class TestDivergence:
    def test_by_hand(self):
        """The query is `rain`; half the words of the first block, none of the second, a third of all."""
        found = headings.heading_divergence(view("<h1>Rain</h1><p>rain today</p><p>sun sun sun</p>"), [0.5])
        expected = [-np.log((p + 1 / 3) / 2) for p in (1, 1 / 2, 0)]
        assert found.shape == (1, 3)
        assert found[0].tolist() == pytest.approx(expected)

    def test_less_smoothing_tells_more(self):
        little, much = headings.heading_divergence(view("<h1>Rain</h1><p>sun</p>"), [0.1, 0.9])
        assert little[1] > much[1]

    def test_a_page_without_headings(self):
        assert headings.heading_divergence(view("<p>Text</p><p>…</p>"), [0.5]).tolist() == [[0, 0]]


class TestBestConstant:
    def test_by_hand(self):
        """Up to 2: two of weight 1 rightly, one of 2 missed: F1 = 2 * 2 / (2 + 4)."""
        divergence = np.array([1, 2, 3, 4], dtype=np.float32)
        content = np.array([True, True, False, True])
        weight = np.array([1, 1, 10, 2], dtype=np.float32)
        constant, f1 = language_model.best_constant(divergence, content, weight)
        assert constant == 2.5
        assert f1 == pytest.approx(2 / 3)

    def test_nothing_is_content(self):
        constant, f1 = language_model.best_constant(np.ones(3, np.float32), np.zeros(3, bool), np.ones(3, np.float32))
        assert (constant, f1) == (1, 0)


@pytest.fixture(scope="module")
def model():
    lesson = TrainingPage(GoldPage(text=f"Rain and ferry\n{STORY}"), extract_blocks(snapshot(PAGE)))
    return language_model.train([language_model.example(lesson)] * 3)


class TestTrain:
    def test_it_learns(self, model):
        assert set(json.loads(model)) == {"smoothing", "constant"}
        prediction = language_model.load(model)(extract_blocks(snapshot(f"{PAGE}<p hidden>{STORY}</p>")))
        assert "".join(prediction.labels) == "hpooo"
        assert prediction.probability[1] > 0.5 > prediction.probability[2]
        assert prediction.probability.dtype == np.float32

    def test_the_same_examples_give_the_same_bytes(self, model):
        lesson = TrainingPage(GoldPage(text=f"Rain and ferry\n{STORY}"), extract_blocks(snapshot(PAGE)))
        assert language_model.train([language_model.example(lesson)] * 3) == model

    def test_a_page_without_headings_is_content(self, model):
        assert language_model.load(model)(extract_blocks(snapshot("<p>One</p><div>Two</div>"))).labels == ["p", "p"]


class TestShipped:
    def test_what_the_headings_speak_of(self):
        found = get("wcc-lm")(extract_blocks(snapshot(PAGE)))
        assert found.labels[0] == "h"
        assert found.probability[1] > found.probability[2]
