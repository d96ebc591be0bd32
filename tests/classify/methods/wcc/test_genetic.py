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


def lesson(text=STORY):
    return TrainingPage(GoldPage(text=text), extract_blocks(snapshot(PAGE)))


@pytest.fixture(scope="module")
def model():
    return genetic.train([genetic.example(lesson())] * 8)


class TestExample:
    def test_words_and_those_of_the_gold(self):
        example = genetic.example(lesson())
        assert example.words.tolist() == [16, 2, 3, 10]
        assert example.gold.tolist() == [16, 0, 0, 0]
        assert example.types[2] == {"all", "news"}
        assert example.shapes[SHAPES.index(r"\|")].tolist() == [False, False, True, False]

    def test_a_long_page_is_drawn_from(self, monkeypatch):
        monkeypatch.setattr(genetic, "BLOCKS", 2)
        first, second = genetic.example(lesson()), genetic.example(lesson())
        assert len(first.types) == 2
        assert first.types == second.types


class TestTellingWords:
    def test_words_of_enough_pages(self, monkeypatch):
        monkeypatch.setattr(genetic, "WORDS", 1)
        example = genetic.example(lesson())
        assert indicative_words([example] * 7) == []
        found = indicative_words([example] * 8)
        assert len(found) == 2
        assert sum(word in STORY for word in found) == 1


class TestFitness:
    def test_by_hand(self):
        """Two leaves on three blocks: kept by the first, by either, and by the first but not the second."""
        matches = np.packbits([[1, 1, 0], [0, 1, 1]], axis=1)
        worth = np.array([10.0, -3, 5])
        trees = np.array([[1, 0], [1, 1], [1, -1], [0, 0], [0, -1]], dtype=np.int8)
        assert fitness(trees, matches, worth).tolist() == [7, 12, 10, 0, 0]


class TestBreed:
    MATCHES = np.random.default_rng(3).random((20, 200)) < 0.2

    def test_it_finds_what_was_hidden(self):
        """Blocks are worth keeping where leaf 4 or 7 matches and leaf 9 does not."""
        wanted = (self.MATCHES[4] | self.MATCHES[7]) & ~self.MATCHES[9]
        worth = np.where(wanted, 2.0, -1.0)
        found = breed(self.MATCHES, worth)
        assert fitness(found[None], np.packbits(self.MATCHES, axis=1), worth)[0] == 2 * wanted.sum()
        assert (found[4], found[7], found[9]) == (1, 1, -1)

    def test_the_same_each_time(self):
        worth = np.random.default_rng(4).normal(size=200)
        assert np.array_equal(breed(self.MATCHES, worth), breed(self.MATCHES, worth))


class TestTrain:
    def test_it_learns(self, model):
        page = f"{PAGE}<p hidden>{STORY}</p>"
        prediction = genetic.load(model)(extract_blocks(snapshot(page)))
        assert "".join(prediction.labels) == "poooo"
        assert prediction.probability.tolist() == [1, 0, 0, 0, 0]

    def test_the_same_examples_give_the_same_bytes(self, model):
        assert genetic.train([genetic.example(lesson())] * 8) == model

    def test_a_model_is_two_lists_of_patterns(self, model):
        found = json.loads(model)
        assert set(found) == {"positive", "negative"}
        assert found["positive"]


class TestLoad:
    def test_by_hand(self):
        data = json.dumps({"positive": ["rain", r"^\d"], "negative": ["©"]}).encode()
        blocks = extract_blocks(snapshot("<p>the rain</p><p>1. first</p><p>© rain</p><p>sun</p>"))
        assert "".join(genetic.load(data)(blocks).labels) == "ppoo"


class TestShipped:
    def test_a_paragraph_and_a_menu(self):
        menu = "<ul>" + "<li><a href=/>Home</a></li>" * 5 + "</ul>"
        labels = get("wcc-genetic")(extract_blocks(snapshot(f"{menu}<p>{STORY} {STORY}</p>"))).labels
        assert "".join(labels) == "ooooop"
