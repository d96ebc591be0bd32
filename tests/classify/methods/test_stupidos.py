from __future__ import annotations

import numpy as np
import pytest
from helpers.methods import training_page

from vclean.classify.methods import stupidos
from vclean.classify.methods.stupidos import NONE, log_odds, ngrams
from vclean.features.text.characters import EncodedTexts

STORY = "It rained all day in the valley, and nobody minded at all."
PAGE = f"<p>{STORY}</p><ul><li>Home page and all news</li></ul>"


def keys(*texts):
    return ngrams(EncodedTexts(texts).words)


class TestNgrams:
    def test_ngrams_do_not_cross_texts(self):
        result = keys("a b", "c d")
        assert result[2, 1] == NONE
        assert (result[:, 2] == NONE).all()
        assert (result[1, 1], result[3, 1]) == (keys("a b")[1, 1], keys("c d")[1, 1])


class TestLogOdds:
    def test_agrees_with_manual_computation(self):
        """Compute for `a b` with weights 0.3, 0.4, 0.29 and 0.01 over 3 known n-grams."""
        words = keys("a b")
        key, index = np.unique([words[0, 0], words[1, 0], words[1, 1]], return_inverse=True)
        count = np.zeros((3, 2))
        count[index] = [[1, 2], [1, 2], [0, 2]]
        known = key, count, np.array([10.0, 4.0])
        least = 0.01 / 3
        first = (0.3 * 2 / 4 + least) / (0.3 * 1 / 10 + least)
        second = (0.3 * 2 / 4 + 0.4 * 2 / 2 + least) / (0.3 * 1 / 10 + least)
        assert log_odds(words, *known).tolist() == pytest.approx([np.log(first), np.log(second)])
        assert log_odds(keys("zebra"), *known).tolist() == [0]

    def test_empty_model(self):
        known = np.zeros(0, np.uint32), np.zeros((0, 2)), np.zeros(2)
        assert log_odds(keys("a b"), *known).tolist() == [0, 0]


class TestTrain:
    def test_rare_ngrams_are_left_out(self):
        result = stupidos.unpack_arrays(stupidos.train([stupidos.make_example(training_page(PAGE, STORY))]))
        assert len(result["count"]) == 1  # `all`, three times on a page
