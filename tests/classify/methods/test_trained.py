"""Test what all trained methods have in common."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.methods import blocks_for, labels_of, letters

from vclean.classify.corpora.gold import GoldPage
from vclean.classify.methods import all_method_infos
from vclean.classify.methods.base import TrainingPage
from vclean.classify.methods.registry import DEFAULT, training_module

STORY = "It rained all day in the valley, and nobody minded it at all, for it was warm. " * 3
MENU = "<ul>" + "<li><a href=/>Home page</a></li>" * 5 + "</ul>"
PAGE = f"<title>Rain</title><div>{MENU}</div><div><h1>Rain</h1>{f'<p>{STORY}</p>' * 6}</div>"
GOLD = "\n".join([STORY] * 6)
TRAINED = {info.name for info in all_method_infos() if info.trained} - {DEFAULT, "wcc-lm"}
"""But the two that have tests of their own."""


class TestTrain:
    @pytest.mark.parametrize("name", sorted(TRAINED - {"web2text"}))
    def test_is_reproducible_and_fits_the_page(self, name):
        pytest.importorskip("sklearn")
        method, page = training_module(name), blocks_for(name, PAGE)
        examples = [method.make_example(TrainingPage(GoldPage(text=GOLD), page))] * 20
        model = method.train(examples)
        assert method.train(examples) == model
        prediction = method.load(model)(blocks_for(name, f"{PAGE}<p hidden>{STORY}</p>"))
        assert letters(prediction)[-7:] == "ppppppo"
        assert prediction.probability.dtype == np.float32


class TestShipped:
    @pytest.mark.parametrize("name", sorted(TRAINED))
    def test_keeps_the_story_and_drops_the_menu(self, name):
        labels = labels_of(name, PAGE)
        assert (labels[:5], labels[-6:]) == ("ooooo", "pppppp")
