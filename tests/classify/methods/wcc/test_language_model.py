from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.pages import context_of, snapshot

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
    def test_query_has_words_of_headings_and_title(self):
        types, share = headings.heading_query(context_of("<title>Rain snow</title><h1>Rain ferry</h1><p>Other</p>"))
        assert np.array_equal(types, hash_words(["rain", "ferry"]))  # `snow` is nowhere on the page
        assert share[types == hash_words(["rain"])[0]] == pytest.approx(2 / 3)

    def test_page_without_headings(self):
        types, share = headings.heading_query(context_of("<p>Text</p>"))
        assert len(types) == len(share) == 0


class TestHeadingDivergence:
    def test_agrees_with_manual_computation(self):
        """Use the query `rain`: half the words of the first block, none of the second, a third of all."""
        result = headings.heading_divergence(context_of("<h1>Rain</h1><p>rain today</p><p>sun sun sun</p>"), [0.5])
        expected = [-np.log((p + 1 / 3) / 2) for p in (1, 1 / 2, 0)]
        assert result.shape == (1, 3)
        assert result[0].tolist() == pytest.approx(expected)

    def test_less_smoothing_increases_differences(self):
        little, much = headings.heading_divergence(context_of("<h1>Rain</h1><p>sun</p>"), [0.1, 0.9])
        assert little[1] > much[1]

    def test_page_without_headings(self):
        assert headings.heading_divergence(context_of("<p>Text</p><p>…</p>"), [0.5]).tolist() == [[0, 0]]


class TestBestConstant:
    def test_agrees_with_manual_computation(self):
        """Compute by hand: two rows of weight 1 are correct and one of weight 2 is missed: F1 = 2 * 2 / (2 + 4)."""
        divergence = np.array([1, 2, 3, 4], dtype=np.float32)
        content = np.array([True, True, False, True])
        weight = np.array([1, 1, 10, 2], dtype=np.float32)
        constant, f1 = language_model.best_constant(divergence, content, weight)
        assert constant == 2.5
        assert f1 == pytest.approx(2 / 3)

    def test_without_content(self):
        constant, f1 = language_model.best_constant(np.ones(3, np.float32), np.zeros(3, bool), np.ones(3, np.float32))
        assert (constant, f1) == (1, 0)


@pytest.fixture(scope="module")
def model():
    training_page = TrainingPage(GoldPage(text=f"Rain and ferry\n{STORY}"), extract_blocks(snapshot(PAGE)))
    return language_model.train([language_model.make_example(training_page)] * 3)


class TestTrain:
    def test_fits_the_training_page(self, model):
        assert set(json.loads(model)) == {"smoothing", "constant"}
        prediction = language_model.load(model)(extract_blocks(snapshot(f"{PAGE}<p hidden>{STORY}</p>")))
        assert "".join(prediction.labels) == "hpooo"
        assert prediction.probability[1] > 0.5 > prediction.probability[2]
        assert prediction.probability.dtype == np.float32

    def test_training_is_reproducible(self, model):
        training_page = TrainingPage(GoldPage(text=f"Rain and ferry\n{STORY}"), extract_blocks(snapshot(PAGE)))
        assert language_model.train([language_model.make_example(training_page)] * 3) == model

    def test_page_without_headings_is_content(self, model):
        assert language_model.load(model)(extract_blocks(snapshot("<p>One</p><div>Two</div>"))).labels == ["p", "p"]


class TestShipped:
    def test_keeps_blocks_with_the_words_of_the_headings(self):
        result = get("wcc-lm")(extract_blocks(snapshot(PAGE)))
        assert result.labels[0] == "h"
        assert result.probability[1] > result.probability[2]
