from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import context_of

from vclean.classify.content.linear import LinearModel
from vclean.classify.explain.surroundings import MAX_TOKENS, SalientTokens
from vclean.features.names import hashed_tokens

PAGE = '<div class="sideBar menu" id=left><p>Sign up for free news now</p></div>'


def weighted(page, **weights):
    """Return a model with weights for some names (`path`) and words (`word`) of the only block."""
    model = LinearModel(
        np.zeros(2 * hashed_tokens.BUCKETS, dtype=np.float32),
        0.0,
        np.zeros(hashed_tokens.BUCKETS, dtype=np.float32),
        0.0,
    )
    named = hashed_tokens.named_attributes(page.snapshot)
    known = {"path": hashed_tokens.path_names(page, named, 0), "word": hashed_tokens.word_names(page, 0)}
    for score, token_weights in weights.items():
        for name, weight in token_weights.items():
            bucket = next(bucket for token, bucket in known[score] if token.lower() == name)
            getattr(model, score)[bucket] = weight
    return model


class TestNames:
    def strongest(self, sign, /, **weights):
        page = context_of(PAGE)
        return SalientTokens(page, weighted(page, path=weights)).names(0, sign)

    def test_sorts_by_weight(self) -> None:
        assert self.strongest(-1, sidebar=-1, menu=-2) == ["menu", "sidebar"]

    def test_returns_one_sign_only(self) -> None:
        assert self.strongest(1, sidebar=-1, menu=2) == ["menu"]
        assert self.strongest(-1, sidebar=-1, menu=2) == ["sidebar"]

    def test_tags_and_parts_of_names(self) -> None:
        assert self.strongest(1, **{"<div>": 1.0, "side": 0.9}) == ["<div>", "side"]

    def test_omits_small_weights(self) -> None:
        assert self.strongest(1, menu=10, left=1) == ["menu"]

    def test_no_weights(self) -> None:
        assert self.strongest(1) == []


class TestWords:
    def strongest(self, sign, /, **weights):
        page = context_of(PAGE)
        return SalientTokens(page, weighted(page, word=weights)).words(0, sign)

    def test_lowercases_words(self) -> None:
        assert self.strongest(-1, sign=-1) == ["sign"]

    def test_omits_words_of_a_returned_pair(self) -> None:
        assert self.strongest(-1, **{"sign up": -2.0, "sign": -1.5, "free": -1.0}) == ["sign up", "free"]

    def test_limits_the_number_of_tokens(self) -> None:
        assert len(self.strongest(1, sign=1, up=1, free=1, news=1, now=1)) == MAX_TOKENS

    @pytest.mark.parametrize("sign", [1, -1])
    def test_block_without_words(self, sign: int) -> None:
        page = context_of("<p>&mdash;")
        assert SalientTokens(page, weighted(page)).words(0, sign) == []
