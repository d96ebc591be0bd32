from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import context_of, snapshot

from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.methods import get
from vclean.classify.methods.base import TrainingPage
from vclean.classify.methods.wcc import decision_tree
from vclean.classify.methods.wcc import decision_tree as wcc
from vclean.features.block import structural
from vclean.features.blocks import extract_blocks

LONG = "It rained all day in the valley, and nobody minded at all, for it was warm."
PAGE = f"<p>{LONG}</p><ul><li><a href=/>Link One</a></li></ul>"


class TestColumns:
    def test_agrees_with_manual_computation(self):
        values = wcc.compute(context_of("<p>Cats, Dogs and mice.</p><div>No mark</div>"))
        assert list(values) == [column.name for column in wcc.COLUMNS]
        assert values["words"].tolist() == [4, 2]
        assert [structural.TAG_CODES[code] for code in values["tag"]] == ["p", "div"]
        assert values["capitalised_words"].tolist() == [0.5, 0.5]
        assert values["words_per_mark"].tolist() == [2, 2]


@pytest.fixture(scope="module")
def model():
    training_page = TrainingPage(GoldPage(text=LONG), extract_blocks(snapshot(PAGE)))
    return decision_tree.train([decision_tree.make_example(training_page)] * 100)


class TestTrain:
    def test_fits_the_training_page(self, model):
        prediction = decision_tree.load(model)(extract_blocks(snapshot(f"{PAGE}<p hidden>{LONG}</p>")))
        assert "".join(prediction.labels) == "poo"
        assert prediction.probability.tolist() == pytest.approx([1, 0, 1], abs=0.1)
        assert prediction.probability.dtype == np.float32

    def test_training_is_reproducible(self, model):
        training_page = TrainingPage(GoldPage(text=LONG), extract_blocks(snapshot(PAGE)))
        assert decision_tree.train([decision_tree.make_example(training_page)] * 100) == model

    def test_weight_is_the_root_of_the_words(self):
        example = decision_tree.make_example(TrainingPage(GoldPage(text=LONG), extract_blocks(snapshot(PAGE))))
        assert example.weight.tolist() == pytest.approx([4, 2**0.5])
        assert example.content.tolist() == [True, False]


class TestShipped:
    def test_shipped_model_keeps_the_paragraph_and_drops_the_menu(self):
        menu = "<ul>" + "<li><a href=/>Home page</a></li>" * 5 + "</ul>"
        labels = get("wcc-tree")(extract_blocks(snapshot(f"{menu}<p>{LONG}</p>"))).labels
        assert "".join(labels) == "ooooop"
