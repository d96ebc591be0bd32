from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.methods import get
from vclean.classify.methods.base import TrainingPage
from vclean.classify.methods.wcc import genetic
from vclean.classify.methods.wcc.genetic import SHAPES, breed, fitness, indicative_words
from vclean.features.blocks import extract_blocks

STORY = "It rained all day in the valley, and nobody minded at all, for it was warm."
PAGE = f"<p>{STORY}</p><div>Home page</div><div>All | news</div><div>© nobody at all owns the valley, or the rain</div>"


def training_page(text=STORY):
    return TrainingPage(GoldPage(text=text), extract_blocks(snapshot(PAGE)))


@pytest.fixture(scope="module")
def model():
    return genetic.train([genetic.make_example(training_page())] * 8)


class TestExample:
    def test_counts_words_and_gold_words(self):
        example = genetic.make_example(training_page())
        assert example.words.tolist() == [16, 2, 3, 10]
        assert example.gold.tolist() == [16, 0, 0, 0]
        assert example.types[2] == {"all", "news"}
        assert example.shapes[SHAPES.index(r"\|")].tolist() == [False, False, True, False]

    def test_samples_blocks_of_a_long_page(self, monkeypatch):
        monkeypatch.setattr(genetic, "BLOCKS", 2)
        first, second = genetic.make_example(training_page()), genetic.make_example(training_page())
        assert len(first.types) == 2
        assert first.types == second.types


class TestIndicativeWords:
    def test_words_occur_on_enough_pages(self, monkeypatch):
        monkeypatch.setattr(genetic, "WORDS", 1)
        example = genetic.make_example(training_page())
        assert indicative_words([example] * 7) == []
        result = indicative_words([example] * 8)
        assert len(result) == 2
        assert sum(word in STORY for word in result) == 1


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

    def test_is_reproducible(self):
        worth = np.random.default_rng(4).normal(size=200)
        assert np.array_equal(breed(self.MATCHES, worth), breed(self.MATCHES, worth))


class TestTrain:
    def test_fits_the_training_page(self, model):
        page = f"{PAGE}<p hidden>{STORY}</p>"
        prediction = genetic.load(model)(extract_blocks(snapshot(page)))
        assert "".join(prediction.labels) == "poooo"
        assert prediction.probability.tolist() == [1, 0, 0, 0, 0]

    def test_training_is_reproducible(self, model):
        assert genetic.train([genetic.make_example(training_page())] * 8) == model

    def test_model_has_two_lists_of_patterns(self, model):
        result = json.loads(model)
        assert set(result) == {"positive", "negative"}
        assert result["positive"]


class TestLoad:
    def test_agrees_with_manual_computation(self):
        data = json.dumps({"positive": ["rain", r"^\d"], "negative": ["©"]}).encode()
        blocks = extract_blocks(snapshot("<p>the rain</p><p>1. first</p><p>© rain</p><p>sun</p>"))
        assert "".join(genetic.load(data)(blocks).labels) == "ppoo"


class TestShipped:
    def test_shipped_model_keeps_the_paragraph_and_drops_the_menu(self):
        menu = "<ul>" + "<li><a href=/>Home</a></li>" * 5 + "</ul>"
        labels = get("wcc-genetic")(extract_blocks(snapshot(f"{menu}<p>{STORY} {STORY}</p>"))).labels
        assert "".join(labels) == "ooooop"
