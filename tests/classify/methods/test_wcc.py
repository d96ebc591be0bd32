from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.methods import blocks_for, letters, training_page
from helpers.pages import context_of

from vclean.classify.methods import get, wcc
from vclean.classify.methods.wcc import DECISION_TREE, GENETIC, LANGUAGE_MODEL, breed, fitness, indicative_words
from vclean.features.block import structural

RAINY = "It rained all day in the valley, and nobody minded at all, for it was warm."


class TestColumns:
    def test_agrees_with_manual_computation(self):
        words, tag, capitalised, per_mark = wcc.tree_columns(
            context_of("<p>Cats, Dogs and mice.</p><div>No mark</div>")
        ).T
        assert words.tolist() == [4, 2]
        assert [structural.TAG_CODES[int(code)] for code in tag] == ["p", "div"]
        assert capitalised.tolist() == [0.5, 0.5]
        assert per_mark.tolist() == [2, 2]


class TestTrain:
    def test_weight_is_the_root_of_the_words(self):
        page = f"<p>{RAINY}</p><ul><li><a href=/>Link One</a></li></ul>"
        example = DECISION_TREE.make_example(training_page(page, RAINY))
        assert example[1].tolist() == [True, False]
        assert example[2].tolist() == pytest.approx([4, 2**0.5])


STORY = "The rain came early, and with the rain came the ferry."
FERRY_PAGE = f"<title>Rain | Valley</title><h1>Rain and ferry</h1><p>{STORY}</p><div>Home page</div><div>About us</div>"


class TestHeadingDivergence:
    def test_agrees_with_manual_computation(self):
        """Use the query `rain`: half the words of the first block, none of the second, a third of all."""
        result = wcc.heading_divergence(context_of("<h1>Rain</h1><p>rain today</p><p>sun sun sun</p>"), [0.25])
        expected = [-np.log(0.75 * p + 0.25 / 3) for p in (1, 1 / 2, 0)]
        assert result.shape == (1, 3)
        assert result[0].tolist() == pytest.approx(expected)

    def test_page_without_headings(self):
        assert wcc.heading_divergence(context_of("<p>Text</p><p>…</p>"), [0.5]).tolist() == [[0, 0]]


class TestBestConstant:
    def test_agrees_with_manual_computation(self):
        """Compute by hand: two rows of weight 1 are correct and one of weight 2 is missed: F1 = 2 * 2 / (2 + 4)."""
        divergence = np.array([1, 2, 3, 4], dtype=np.float32)
        content = np.array([True, True, False, True])
        weight = np.array([1, 1, 10, 2], dtype=np.float32)
        constant, f1 = wcc.best_constant(divergence, content, weight)
        assert constant == 2.5
        assert f1 == pytest.approx(2 / 3)

    def test_without_content(self):
        constant, f1 = wcc.best_constant(np.ones(3, np.float32), np.zeros(3, bool), np.ones(3, np.float32))
        assert (constant, f1) == (1, 0)


class TestTrainLanguageModel:
    def test_fits_the_training_page(self):
        example = LANGUAGE_MODEL.make_example(training_page(FERRY_PAGE, f"Rain and ferry\n{STORY}"))
        model = LANGUAGE_MODEL.train([example] * 3)
        prediction = LANGUAGE_MODEL.load(model)(blocks_for("wcc-lm", f"{FERRY_PAGE}<p hidden>{STORY}</p>"))
        assert letters(prediction) == "hpooo"
        assert prediction.probability[1] > 0.5 > prediction.probability[2]
        assert prediction.probability.dtype == np.float32


class TestShippedLanguageModel:
    def test_keeps_blocks_with_the_words_of_the_headings(self):
        result = get("wcc-lm")(blocks_for("wcc-lm", FERRY_PAGE))
        assert result.labels[0] == "h"
        assert result.probability[1] > result.probability[2]


NEWS_PAGE = (
    f"<p>{RAINY}</p><div>Home page</div><div>All | news</div><div>© nobody at all owns the valley, or the rain</div>"
)


@pytest.fixture(scope="module")
def example():
    return GENETIC.make_example(training_page(NEWS_PAGE, RAINY))


class TestExample:
    def test_counts_words_and_gold_words(self, example):
        texts, words, gold = example
        assert wcc._types(texts[2]) == {"all", "news"}
        assert words.tolist() == [16, 2, 3, 10]
        assert gold.tolist() == [16, 0, 0, 0]

    def test_form_of_texts_decides_without_frequent_words(self, example):
        method = GENETIC.load(GENETIC.train([example] * 3))
        assert letters(method(blocks_for("wcc-genetic", NEWS_PAGE))) == "pooo"


class TestIndicativeWords:
    def test_words_occur_on_enough_pages(self, example, monkeypatch):
        monkeypatch.setattr(wcc, "WORDS", 1)
        assert indicative_words([example] * 7) == []
        result = indicative_words([example] * 8)
        assert len(result) == 2
        assert sum(word in RAINY for word in result) == 1


class TestFitness:
    def test_agrees_with_manual_computation(self):
        """Use two leaves on three blocks: kept by the first, by either, and by the first but not the second."""
        matches = np.packbits([[1, 1, 0], [0, 1, 1]], axis=1)
        worth = np.array([10.0, -3, 5])
        trees = np.array([[1, 0], [1, 1], [1, -1], [0, 0], [0, -1]], dtype=np.int8)
        assert fitness(trees, matches, worth).tolist() == [7, 12, 10, 0, 0]


class TestBreed:
    MATCHES = np.random.default_rng(3).random((20, 200)) < 0.2

    def test_finds_the_optimal_leaves(self):
        """Give points to blocks that leaf 4 or 7 matches and leaf 9 does not."""
        expected = (self.MATCHES[4] | self.MATCHES[7]) & ~self.MATCHES[9]
        worth = np.where(expected, 2.0, -1.0)
        result = breed(self.MATCHES, worth)
        assert fitness(result[None], np.packbits(self.MATCHES, axis=1), worth)[0] == 2 * expected.sum()
        assert (result[4], result[7], result[9]) == (1, 1, -1)


class TestLoad:
    def test_agrees_with_manual_computation(self):
        data = json.dumps({"positive": ["rain", r"^\d"], "negative": ["©"]}).encode()
        blocks = blocks_for("wcc-genetic", "<p>the rain</p><p>1. first</p><p>© rain</p><p>sun</p>")
        assert letters(GENETIC.load(data)(blocks)) == "ppoo"
