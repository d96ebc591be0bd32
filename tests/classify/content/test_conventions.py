from __future__ import annotations

import numpy as np
import pytest

from vclean.classify.content.stacking import Conventions, add_columns, page_row
from vclean.errors import UsageError

NAMES = ("generous", "same")
X = np.zeros((4, 3), dtype=np.float32)
WORDS = np.ones(4, dtype=np.float32)


class Predictor:
    """Double of the trees that predict the convention: more blocks make the first less probable."""

    def predict(self, rows: np.ndarray) -> np.ndarray:
        probability = 1 / rows[:, -2].astype(np.float64)
        return np.column_stack([probability, 1 - probability])


class TestColumns:
    def test_convention_that_is_asked_for(self) -> None:
        for predictor in (None, Predictor()):
            assert Conventions(NAMES, predictor).columns(X, WORDS, "same").tolist() == [0, 1]

    def test_unknown_name(self) -> None:
        with pytest.raises(UsageError, match="does not know the convention strict: choose one of generous, same"):
            Conventions(NAMES, Predictor()).columns(X, WORDS, "strict")
        with pytest.raises(UsageError, match="trained without conventions"):
            Conventions().columns(X, WORDS, "same")


class TestPredict:
    ROWS = np.stack([page_row(X[:count], WORDS[:count]) for count in (1, 2, 4)])

    def test_unknown_without_predictor(self) -> None:
        columns = Conventions(NAMES).predict(self.ROWS)
        assert columns.shape == (3, 2)
        assert np.isnan(columns).all()


class TestAddColumns:
    def test_no_rows(self) -> None:
        assert add_columns(X[:0], np.zeros(2)).shape == (0, 5)


class TestPageRow:
    def test_means_and_counts(self) -> None:
        """Weight nine words three times as much as one word."""
        x = np.array([[1, 5], [3, 9]], dtype=np.float32)
        row = page_row(x, np.array([9, 1], dtype=np.float32))
        np.testing.assert_allclose(row, [1.5, 6, 2, 7, 2, 10])
        assert row.dtype == np.float32

    def test_means_are_over_known_values(self) -> None:
        x = np.array([[np.nan, np.nan], [4, np.nan]], dtype=np.float32)
        row = page_row(x, np.array([9, 1], dtype=np.float32))
        np.testing.assert_allclose(row, [4, 0, 4, 0, 2, 10])

    def test_blocks_without_words_weigh_as_one_word(self) -> None:
        x = np.array([[1], [3]], dtype=np.float32)
        assert page_row(x, np.zeros(2, dtype=np.float32)).tolist() == [2, 2, 2, 0]
