from __future__ import annotations

import numpy as np
import pytest

from vclean.classify.content.conventions import Conventions, one_hot, page_row
from vclean.errors import UsageError


class Constant:
    def __init__(self, value: float) -> None:
        self.value = value

    def predict(self, x: np.ndarray) -> np.ndarray:
        return np.full(len(x), self.value)


class Predictor:
    """Double of the trees that predict the convention: more blocks make the first less probable."""

    def predict(self, rows: np.ndarray) -> np.ndarray:
        probability = 1 / rows[:, -2]
        return np.column_stack([probability, 1 - probability])


X = np.zeros((2, 3), dtype=np.float32)
WORDS = np.ones(2, dtype=np.float32)
PROBABILITY = np.array([0.5, 0.2], dtype=np.float32)
CONVENTIONS = Conventions({"generous": Constant(0.9), "same": Constant(0.5)})
PREDICTED = Conventions(CONVENTIONS.forests, Predictor())


def adjust(conventions: Conventions, name: str = "", x: np.ndarray = X) -> np.ndarray:
    return conventions.adjust(PROBABILITY, x, conventions.weights(x, np.ones(len(x), dtype=np.float32), name))


class TestWeights:
    def test_chosen_convention(self) -> None:
        assert CONVENTIONS.weights(X, WORDS, "same").tolist() == [0, 1]

    def test_probabilities(self) -> None:
        np.testing.assert_allclose(PREDICTED.weights(X, WORDS), [0.25, 0.25])
        assert PREDICTED.weights(X, WORDS, "same").tolist() == [0, 1]

    def test_zero_without_a_predictor(self) -> None:
        assert CONVENTIONS.weights(X, WORDS).tolist() == [0, 0]
        assert len(Conventions().weights(X, WORDS)) == 0

    def test_unknown_name(self) -> None:
        with pytest.raises(UsageError, match="choose one of generous, same"):
            CONVENTIONS.weights(X, WORDS, "strict")
        with pytest.raises(UsageError, match="without conventions"):
            Conventions().weights(X, WORDS, "strict")


class TestAdjust:
    def test_log_odds_are_added(self) -> None:
        np.testing.assert_allclose(adjust(CONVENTIONS, "generous"), [0.9, 9 / 13], rtol=1e-5)

    def test_no_change(self) -> None:
        assert adjust(CONVENTIONS) is PROBABILITY
        np.testing.assert_allclose(adjust(CONVENTIONS, "same"), PROBABILITY, rtol=1e-5)

    def test_quarter_of_the_change(self) -> None:
        """Add half of the probability .5 times the log odds 9 : 1."""
        odds = 9**0.25 * np.array([1, 1 / 4])
        np.testing.assert_allclose(adjust(PREDICTED), odds / (1 + odds), rtol=1e-5)

    def test_improbable_conventions_change_nothing(self) -> None:
        weights = np.array([0.04, 0.96], dtype=np.float32)
        np.testing.assert_allclose(CONVENTIONS.adjust(PROBABILITY, X, weights), PROBABILITY, rtol=1e-5)


class TestPageRow:
    def test_means_and_counts(self) -> None:
        x = np.array([[1, np.nan, np.nan], [3, 4, np.nan]], dtype=np.float32)
        row = page_row(x, np.array([9, 1], dtype=np.float32))
        np.testing.assert_allclose(row, [1.5, 4, np.nan, 2, 4, np.nan, 2, 10])

    def test_long_blocks_weigh_no_more(self) -> None:
        x = np.array([[1], [3]], dtype=np.float32)
        one, other = (page_row(x, np.array([1, words], dtype=np.float32))[:2] for words in (200, 20_000))
        np.testing.assert_array_equal(one, other)


class TestOneHot:
    def test_values(self) -> None:
        assert one_hot(("a", "b"), "b").tolist() == [0, 1]
        assert np.isnan(one_hot(("a", "b"), "")).all()
        assert len(one_hot((), "")) == 0
