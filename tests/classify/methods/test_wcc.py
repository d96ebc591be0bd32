from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.pages import context_of, snapshot

from vclean.classify.corpora.gold import GoldPage
from vclean.classify.methods import get, wcc
from vclean.classify.methods.base import TrainingPage
from vclean.classify.methods.wcc import DECISION_TREE, GENETIC, LANGUAGE_MODEL, SHAPES, breed, fitness, indicative_words
from vclean.features.block import structural
from vclean.features.blocks import extract_blocks

RAINY = "It rained all day in the valley, and nobody minded at all, for it was warm."
LONG = "It rained without stopping through the whole afternoon, and nobody in town minded much."
WEAK = "It is as it is and so it was as it has to be."


def letters(name, html):
    return "".join(get(name)(extract_blocks(snapshot(html))).labels)


class TestBaseline:
    def test_every_block_is_a_paragraph(self):
        html = "<h1>Cats</h1><ul><li>one</ul><p>two<br><br>three</p><p style='display:none'>no</p>"
        assert letters("wcc-baseline", html) == "ppppo"


class TestHeuristic:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            (f"<p>{LONG}</p>", "p"),
            (f"<h1>Title</h1><p>{LONG}</p>", "hp"),
            (f"<p>Title</p><p>ab</p><p>{LONG}</p>", "hop"),  # a line of 3 characters or fewer is no title
            (f"<p>Title</p><p>ab</p><p>ab</p><p>{LONG}</p>", "ooop"),  # 3 lines ago is too far
            (f"<p>First</p><p>Second</p><p>{LONG}</p>", "ohp"),
            (f"<p>Title</p><p>{LONG}</p><p>{LONG}</p>", "hpp"),
            (f"<p>{LONG}</p><p>Last</p>", "po"),
            (f"<p>{WEAK}</p><p>{LONG}</p>", "hp"),  # words of 3 characters or fewer on average
            ("<p>Ten words have to be more than that here, ten</p>", "o"),
            (f"<p>Title</p><p hidden>{LONG}</p>", "oo"),
            (f"<p>Title</p><p hidden>Hidden</p><p hidden>Hidden</p><p>{LONG}</p>", "hoop"),
        ],
    )
    def test_labels_lines(self, html, expected):
        assert letters("wcc-heuristic", html) == expected


PAGE = f"<p>{RAINY}</p><ul><li><a href=/>Link One</a></li></ul>"


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
        example = DECISION_TREE.make_example(TrainingPage(GoldPage(text=RAINY), extract_blocks(snapshot(PAGE))))
        assert example.weight.tolist() == pytest.approx([4, 2**0.5])
        assert example.target.tolist() == [True, False]


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


@pytest.fixture(scope="module")
def lm_model():
    training_page = TrainingPage(GoldPage(text=f"Rain and ferry\n{STORY}"), extract_blocks(snapshot(FERRY_PAGE)))
    return LANGUAGE_MODEL.train([LANGUAGE_MODEL.make_example(training_page)] * 3)


class TestTrainLanguageModel:
    def test_fits_the_training_page(self, lm_model):
        assert set(json.loads(lm_model)) == {"smoothing", "constant"}
        prediction = LANGUAGE_MODEL.load(lm_model)(extract_blocks(snapshot(f"{FERRY_PAGE}<p hidden>{STORY}</p>")))
        assert "".join(prediction.labels) == "hpooo"
        assert prediction.probability[1] > 0.5 > prediction.probability[2]
        assert prediction.probability.dtype == np.float32


class TestShippedLanguageModel:
    def test_keeps_blocks_with_the_words_of_the_headings(self):
        result = get("wcc-lm")(extract_blocks(snapshot(FERRY_PAGE)))
        assert result.labels[0] == "h"
        assert result.probability[1] > result.probability[2]


NEWS_PAGE = (
    f"<p>{RAINY}</p><div>Home page</div><div>All | news</div><div>© nobody at all owns the valley, or the rain</div>"
)


def training_page(text=RAINY):
    return TrainingPage(GoldPage(text=text), extract_blocks(snapshot(NEWS_PAGE)))


@pytest.fixture(scope="module")
def bred():
    return GENETIC.train([GENETIC.make_example(training_page())] * 8)


class TestExample:
    def test_counts_words_and_gold_words(self):
        example = GENETIC.make_example(training_page())
        assert example.words.tolist() == [16, 2, 3, 10]
        assert example.gold.tolist() == [16, 0, 0, 0]
        assert example.types[2] == {"all", "news"}
        assert example.shapes[SHAPES.index(r"\|")].tolist() == [False, False, True, False]


class TestIndicativeWords:
    def test_words_occur_on_enough_pages(self, monkeypatch):
        monkeypatch.setattr(wcc, "WORDS", 1)
        example = GENETIC.make_example(training_page())
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


class TestTrainGenetic:
    def test_fits_the_training_page(self, bred):
        page = f"{NEWS_PAGE}<p hidden>{RAINY}</p>"
        prediction = GENETIC.load(bred)(extract_blocks(snapshot(page)))
        assert "".join(prediction.labels) == "poooo"
        assert prediction.probability.tolist() == [1, 0, 0, 0, 0]


class TestLoad:
    def test_agrees_with_manual_computation(self):
        data = json.dumps({"positive": ["rain", r"^\d"], "negative": ["©"]}).encode()
        blocks = extract_blocks(snapshot("<p>the rain</p><p>1. first</p><p>© rain</p><p>sun</p>"))
        assert "".join(GENETIC.load(data)(blocks).labels) == "ppoo"
