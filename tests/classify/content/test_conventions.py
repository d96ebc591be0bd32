from __future__ import annotations

import numpy as np
import pytest

from vclean.classify.content.conventions import Conventions, one_hot
from vclean.errors import UsageError


class Constant:
    def __init__(self, value: float) -> None:
        self.value = value

    def predict(self, x: np.ndarray) -> np.ndarray:
        return np.full(len(x), self.value)


X = np.zeros((2, 3), dtype=np.float32)
PROBABILITY = np.array([0.5, 0.2], dtype=np.float32)
CONVENTIONS = Conventions({"generous": Constant(0.9), "same": Constant(0.5)})


class TestConventions:
    def test_log_odds_are_added(self) -> None:
        np.testing.assert_allclose(CONVENTIONS.adjust(PROBABILITY, X, "generous"), [0.9, 9 / 13], rtol=1e-5)

    def test_no_change(self) -> None:
        assert CONVENTIONS.adjust(PROBABILITY, X, "") is PROBABILITY
        np.testing.assert_allclose(CONVENTIONS.adjust(PROBABILITY, X, "same"), PROBABILITY, rtol=1e-5)

    def test_unknown_name(self) -> None:
        with pytest.raises(UsageError, match="choose one of generous, same"):
            CONVENTIONS.adjust(PROBABILITY, X, "strict")
        with pytest.raises(UsageError, match="without conventions"):
            Conventions().adjust(PROBABILITY, X, "strict")


class TestOneHot:
    def test_values(self) -> None:
        assert one_hot(("a", "b"), "b").tolist() == [0, 1]
        assert np.isnan(one_hot(("a", "b"), "")).all()
        assert len(one_hot((), "")) == 0
