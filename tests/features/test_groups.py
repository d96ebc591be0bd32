from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.columns import Groups

KEYS = np.array([7, 3, 7, 5, 7, 3])


class TestGroups:
    def test_groups_are_numbered_by_ascending_key(self):
        groups = Groups.from_keys(KEYS)
        assert groups.number.tolist() == [2, 0, 2, 1, 2, 0]
        assert groups.sizes.tolist() == [2, 1, 3]

    def test_size(self):
        assert Groups.from_keys(KEYS).size.tolist() == [3, 2, 3, 1, 3, 2]

    def test_rank(self):
        assert Groups.from_keys(KEYS).rank.tolist() == [0, 0, 1, 0, 2, 1]

    def test_spread(self):
        """Check row 0 to row 4, and row 1 to row 5."""
        assert Groups.from_keys(KEYS).spread.tolist() == [4, 4, 4, 0, 4, 4]

    def test_total(self):
        values = np.array([1, 10, 2, 100, 4, 20], dtype=np.float32)
        assert Groups.from_keys(KEYS).total(values).tolist() == [7, 30, 7, 100, 7, 30]

    def test_keys_of_other_types(self):
        assert Groups.from_keys(np.array([2**63, 1, 2**63], dtype=np.uint64)).size.tolist() == [2, 1, 2]
        assert Groups.from_keys(np.array([0.5, -1.0, 0.5])).size.tolist() == [2, 1, 2]

    def test_order(self):
        groups = Groups.from_keys(np.array([3, 1, 3, 1]))
        assert groups.number.tolist() == [1, 0, 1, 0]
        assert groups.order.tolist() == [1, 3, 0, 2]

    def test_no_rows(self):
        groups = Groups.from_keys(np.zeros(0, dtype=np.int64))
        assert len(groups.sizes) == len(groups.size) == len(groups.rank) == len(groups.spread) == 0

    @given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
    def test_equals_the_loop(self, keys):
        groups = Groups.from_keys(np.array(keys))
        rows = {key: [row for row, other in enumerate(keys) if other == key] for key in keys}
        assert groups.size.tolist() == [len(rows[key]) for key in keys]
        assert groups.rank.tolist() == [rows[key].index(row) for row, key in enumerate(keys)]
        assert groups.spread.tolist() == [rows[key][-1] - rows[key][0] for key in keys]
        weights = np.arange(len(keys), dtype=np.float32)
        assert groups.total(weights).tolist() == [sum(rows[key]) for key in keys]
