from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.methods import get
from vclean.classify.methods.base import TrainingPage
from vclean.classify.methods.models.convolution import Network
from vclean.classify.methods.storage import from_bytes, to_bytes
from vclean.classify.methods.web2text import method
from vclean.classify.methods.web2text.columns import COLUMNS, PAIR_COLUMNS
from vclean.classify.methods.web2text.method import Potential, standardized
from vclean.errors import ExtraMissingError
from vclean.features.blocks import extract_blocks
from vclean.features.columns import FeatureColumn

STORY = "It rained all day in the valley, and nobody minded at all."
MENU = "<ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul>"
PAGE = f"{MENU}<h1>Rain</h1><p>{STORY}</p><p>{STORY} {STORY}</p><div>© 2026</div>"
NAMES = [column.name for column in COLUMNS]


def training_page():
    return TrainingPage(GoldPage(text=f"Rain\n{STORY}\n{STORY} {STORY}"), extract_blocks(snapshot(PAGE)))


def layer(columns, outputs, **weights):
    """Return a potential of one layer without neighbors, with `weights` by column name."""
    weight = np.zeros((outputs, len(columns), 1), dtype=np.float32)
    for index, column in enumerate(columns):
        weight[:, index, 0] = weights.get(column.name, 0)
    count = len(columns)
    network = Network([weight], [np.zeros(outputs, dtype=np.float32)])
    return Potential(np.zeros(count, dtype=np.float32), np.ones(count, dtype=np.float32), network)


def model(block, pair):
    """Return a method with weights set by hand."""
    return method.load(to_bytes(block.to_arrays("block_") | pair.to_arrays("pair_")))


@pytest.fixture(scope="module")
def trained():
    pytest.importorskip("torch", reason="comes with the extra web2text")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_BLOCK_PLAN", "_PAIR_PLAN"):
            patch.setattr(method, name, replace(getattr(method, name), steps=60, batch=16))
        yield method.train([method.make_example(training_page())] * 4)


class TestExample:
    def test_features_and_content(self):
        example = method.make_example(training_page())
        assert example.content.tolist() == [False, False, True, True, True, False]
        assert (example.blocks.shape, example.pairs.shape) == ((6, 128), (5, 25))


class TestStandardized:
    def test_missing_values_become_the_mean(self):
        rows = np.array([[1, np.nan], [4, 8]], dtype=np.float32)
        mean, scale = np.array([1, 2], dtype=np.float32), np.array([1, 3], dtype=np.float32)
        assert standardized(rows, mean, scale).tolist() == [[0, 0], [3, 2]]


class TestStandard:
    def test_standardization_of_numbers_and_flags(self):
        of = [
            FeatureColumn("length", "words", ""),
            FeatureColumn("marked", "flag", ""),
            FeatureColumn("none", "words", ""),
        ]
        rows = np.array([[1, 0, np.nan], [5, 0, np.nan], [np.nan, 1, np.nan]], dtype=np.float32)
        mean, scale = method._standard(rows, of)
        assert (mean.tolist(), scale.tolist()) == ([3, 0.5, 0], [2, 0.5, 1])
        assert standardized(rows, mean, scale).tolist() == [[-1, -1, 0], [1, -1, 0], [0, 1, 0]]


class TestPotential:
    def test_probabilities_sum_to_1(self):
        potential = layer(COLUMNS, 2, log_words=[0, 1])
        rows = np.zeros((3, len(COLUMNS)), dtype=np.float32)
        rows[:, NAMES.index("log_words")] = [0, np.log(3), 1000]
        assert np.exp(potential(rows)) == pytest.approx(np.array([[0.5, 0.5], [0.25, 0.75], [0, 1]]))

    def test_arrays_round_trip(self):
        potential = layer(COLUMNS, 2, log_words=[0, 1])
        rows = np.ones((2, len(COLUMNS)), dtype=np.float32)
        again = Potential.from_arrays(from_bytes(to_bytes(potential.to_arrays("a_"))), "a_")
        assert np.array_equal(again(rows), potential(rows))


class TestLoad:
    def test_block_scores_decide(self):
        run = model(layer(COLUMNS, 2, ends_punctuation=[0, 9]), layer(PAIR_COLUMNS, 4))
        prediction = run(extract_blocks(snapshot(f"<p>{STORY}</p><p>Rain</p>")))
        assert "".join(prediction.labels) == "po"
        assert prediction.probability.tolist() == pytest.approx([1, 0.5], abs=1e-3)

    def test_pair_scores_decide_undecided_blocks(self):
        """Use pair scores, in the order 00, 01, 10, 11, that make neighbors of content content."""
        run = model(layer(COLUMNS, 2, ends_punctuation=[0, 9]), layer(PAIR_COLUMNS, 4, distance_2=[0, 0, 0, 9]))
        prediction = run(extract_blocks(snapshot(f"<p>{STORY}</p><p>Rain</p>")))
        assert "".join(prediction.labels) == "pp"
        assert prediction.probability.min() > 0.9

    def test_transition_from_boilerplate_to_content(self):
        run = model(layer(COLUMNS, 2), layer(PAIR_COLUMNS, 4, distance_2=[0, 9, 0, 0]))
        assert "".join(run(extract_blocks(snapshot("<p>Rain</p><h2>Sun</h2>"))).labels) == "oh"

    def test_page_of_one_block(self):
        run = model(layer(COLUMNS, 2, ends_punctuation=[0, 9]), layer(PAIR_COLUMNS, 4))
        assert "".join(run(extract_blocks(snapshot(f"<h1>{STORY}</h1>"))).labels) == "h"

    def test_drops_hidden_blocks(self):
        run = model(layer(COLUMNS, 2, ends_punctuation=[0, 9]), layer(PAIR_COLUMNS, 4))
        assert "".join(run(extract_blocks(snapshot(f"<p>{STORY}</p><p hidden>{STORY}</p>"))).labels) == "po"


class TestTrain:
    def test_fits_the_training_page(self, trained):
        page = f"{MENU}<h1>Sun</h1><p>{STORY}</p><p>{STORY} {STORY}</p><div>© 2025</div>"
        prediction = method.load(trained)(extract_blocks(snapshot(page)))
        assert "".join(prediction.labels) == "oohppo"
        assert prediction.probability[3] > 0.5 > prediction.probability[0]
        assert prediction.probability.dtype == np.float32

    def test_training_is_reproducible(self, trained, monkeypatch):
        for name in ("_BLOCK_PLAN", "_PAIR_PLAN"):
            monkeypatch.setattr(method, name, replace(getattr(method, name), steps=60, batch=16))
        assert method.train([method.make_example(training_page())] * 4) == trained

    def test_layers_as_published(self, trained):
        arrays = from_bytes(trained)
        shapes = {name: values.shape for name, values in arrays.items() if name.endswith("w")}
        both = [((50, 50, 1), (50, 50, 3), (10, 50, 3))] * 2
        for name, columns, outputs, (second, third, fourth) in zip(
            ("block", "pair"), (128, 25), (2, 4), both, strict=True
        ):
            expected = [(50, columns, 1), second, third, fourth, (outputs, 10, 3)]
            assert [shapes[f"{name}_layer_{number}_w"] for number in range(5)] == expected

    def test_missing_library(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        with pytest.raises(ExtraMissingError, match=r"pip install .*\[web2text\]'"):
            method.train([method.make_example(training_page())])


class TestShipped:
    def test_shipped_model_works_without_the_training_library(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        menu = "<ul>" + "<li><a href=/>Home page</a></li>" * 5 + "</ul>"
        paragraphs = f"<p>{STORY} {STORY} {STORY}</p>" * 3
        assert (
            "".join(get("web2text")(extract_blocks(snapshot(f"{menu}<h1>Rain</h1>{paragraphs}"))).labels) == "ooooohppp"
        )
