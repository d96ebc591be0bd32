from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from vclean.classify.methods.base import marginals, viterbi

RANDOM = np.random.default_rng(5)
PLACES = RANDOM.normal(size=(4, 3))
PAIRS = RANDOM.normal(size=(3, 3))
STEPS = RANDOM.normal(size=(3, 3, 3))


def scores(places, pairs):
    """Return the score of each sequence, by enumeration."""
    steps = np.broadcast_to(pairs, (len(places) - 1, *pairs.shape[-2:]))
    return {
        path: sum(places[at, label] for at, label in enumerate(path))
        + sum(steps[at, before, after] for at, (before, after) in enumerate(pairwise(path)))
        for path in product(range(places.shape[1]), repeat=len(places))
    }


class TestViterbi:
    @pytest.mark.parametrize("pairs", [PAIRS, STEPS], ids=["everywhere", "by place"])
    def test_returns_the_best_sequence(self, pairs):
        tried = scores(PLACES, pairs)
        assert tuple(viterbi(PLACES, pairs)) == max(tried, key=tried.get)

    def test_one_position(self):
        assert viterbi(np.array([[0, 2, 1.0]]), PAIRS).tolist() == [1]


class TestMarginals:
    @pytest.mark.parametrize("pairs", [PAIRS, STEPS], ids=["everywhere", "by place"])
    def test_equals_sums_over_all_sequences(self, pairs):
        expected = np.zeros_like(PLACES)
        for path, score in scores(PLACES, pairs).items():
            expected[np.arange(4), path] += np.exp(score)
        expected /= expected.sum(axis=1, keepdims=True)
        assert marginals(PLACES, pairs) == pytest.approx(expected)
