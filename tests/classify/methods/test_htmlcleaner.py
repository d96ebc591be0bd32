from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.methods.htmlcleaner import best_sequence


class TestBestSequence:
    @given(st.lists(st.tuples(st.integers(-9, 9), st.booleans()), min_size=1, max_size=10))
    def test_returns_the_best_sequence(self, rows):
        worth = np.array([value for value, _ in rows], dtype=np.float64)
        good = np.array([flag for _, flag in rows])
        ends = np.flatnonzero(good).tolist()
        sums = [worth[a : b + 1].sum() for a in ends for b in ends if a <= b]
        begin, end = best_sequence(worth, good)
        assert worth[begin:end].sum() == pytest.approx(max(sums, default=0))
        if sums:
            assert good[begin]
            assert good[end - 1]
