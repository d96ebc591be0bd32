from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import view

from vclean.classify.content.linear import LinearModel
from vclean.classify.explain.surroundings import MAX_TOKENS, SalientTokens
from vclean.features.names import hashed_tokens

PAGE = '<div class="sideBar menu" id=left><p>Sign up for free news now</p></div>'


def weighted(page, **weights):
    """A model with weights for some names on the path (`path`) and words (`word`) of the only block."""
    model = LinearModel(
        np.zeros(2 * hashed_tokens.BUCKETS, dtype=np.float32),
        0.0,
        np.zeros(hashed_tokens.BUCKETS, dtype=np.float32),
        0.0,
    )
    named = hashed_tokens.named_attributes(page.snapshot)
    known = {"path": hashed_tokens.path_names(page, named, 0), "word": hashed_tokens.word_names(page, 0)}
    for kind, wanted in weights.items():
        for name, weight in wanted.items():
            place = next(place for each, place in known[kind] if each.lower() == name)
            getattr(model, kind)[place] = weight
    return model


class TestNames:
    def told(self, side, /, **weights):
        page = view(PAGE)
        return SalientTokens(page, weighted(page, path=weights)).names(0, side)

    def test_those_of_most_weight_first(self) -> None:
        assert self.told(-1, sidebar=-1, menu=-2) == ["menu", "sidebar"]

    def test_only_those_on_the_side_that_is_asked_for(self) -> None:
        assert self.told(1, sidebar=-1, menu=2) == ["menu"]
        assert self.told(-1, sidebar=-1, menu=2) == ["sidebar"]

    def test_tags_and_parts_of_names(self) -> None:
        assert self.told(1, **{"<div>": 1.0, "side": 0.9}) == ["<div>", "side"]

    def test_light_ones_are_left_out(self) -> None:
        assert self.told(1, menu=10, left=1) == ["menu"]

    def test_nothing_of_no_weight(self) -> None:
        assert self.told(1) == []


class TestWords:
    def told(self, side, /, **weights):
        page = view(PAGE)
        return SalientTokens(page, weighted(page, word=weights)).words(0, side)

    def test_words_in_lower_case(self) -> None:
        assert self.told(-1, sign=-1) == ["sign"]

    def test_a_pair_stands_for_its_words(self) -> None:
        assert self.told(-1, **{"sign up": -2.0, "sign": -1.5, "free": -1.0}) == ["sign up", "free"]

    def test_no_more_than_a_few(self) -> None:
        assert len(self.told(1, sign=1, up=1, free=1, news=1, now=1)) == MAX_TOKENS

    @pytest.mark.parametrize("sign", [1, -1])
    def test_a_block_without_words(self, sign: int) -> None:
        page = view("<p>&mdash;")
        assert SalientTokens(page, weighted(page)).words(0, sign) == []
