from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.methods.bte import best_span

VALUES = st.lists(st.integers(-9, 9), max_size=12)


class TestBestSpan:
    @given(VALUES, st.data())
    def test_returns_the_best_span(self, values, data):
        costs = data.draw(st.lists(st.integers(0, 9), min_size=len(values), max_size=len(values)))

        def worth(begin, end):
            return sum(values[begin:end]) - sum(costs[begin + 1 : end])

        begin, end = best_span(np.array(values, dtype=np.int64), np.array(costs, dtype=np.int64))
        spans = [(a, b) for a in range(len(values)) for b in range(a + 1, len(values) + 1)]
        assert worth(begin, end) == max([0, *(worth(*span) for span in spans)])
        assert begin == end == 0 or worth(begin, end) > 0
