"""Test what all trained methods have in common."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

from vclean.classify.corpora.gold import GoldPage
from vclean.classify.methods import all_method_infos, get, method_info
from vclean.classify.methods.base import TrainingPage
from vclean.classify.methods.registry import DEFAULT, training_module
from vclean.features.blocks import extract_blocks

STORY = "It rained all day in the valley, and nobody minded it at all, for it was warm."
MENU = "<ul>" + "<li><a href=/>Home page</a></li>" * 5 + "</ul>"
PAGE = f"<title>Rain</title><div>{MENU}</div><div><h1>Rain</h1>" + f"<p>{STORY} {STORY} {STORY}</p>" * 6 + "</div>"
GOLD = "\n".join([f"{STORY} {STORY} {STORY}"] * 6)
TRAINED = [info.name for info in all_method_infos() if info.trained and info.name != DEFAULT]


def blocks(name):
    """Return the blocks of the page, laid out if the method `name` needs it; skip without the library of the method."""
    info = method_info(name)
    if info.library:
        pytest.importorskip(info.library)
    return extract_blocks((laid_out if info.rendered else snapshot)(PAGE))


class TestTrain:
    @pytest.mark.parametrize("name", sorted({*TRAINED} - {"web2text"}))
    def test_is_reproducible_and_fits_the_page(self, name):
        pytest.importorskip("sklearn")
        method, page = training_module(name), blocks(name)
        examples = [method.make_example(TrainingPage(GoldPage(text=GOLD), page))] * 20
        model = method.train(examples)
        assert method.train(examples) == model
        prediction = method.load(model)(page)
        assert "".join(prediction.labels)[-6:] == "pppppp"
        assert prediction.probability.dtype == np.float32


class TestShipped:
    @pytest.mark.parametrize("name", sorted({*TRAINED} - {"wcc-lm"}))
    def test_keeps_the_story_and_drops_the_menu(self, name):
        labels = "".join(get(name)(blocks(name)).labels)
        assert (labels[:5], labels[-6:]) == ("ooooo", "pppppp")
