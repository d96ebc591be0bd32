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

    def test_spread(self):
        """Check row 0 to row 4, and row 1 to row 5."""
        assert Groups.from_keys(KEYS).spread.tolist() == [4, 4, 4, 0, 4, 4]

    @given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
    def test_equals_the_loop(self, keys):
        groups = Groups.from_keys(np.array(keys))
        rows = {key: [row for row, other in enumerate(keys) if other == key] for key in keys}
        assert groups.size.tolist() == [len(rows[key]) for key in keys]
        assert groups.rank.tolist() == [rows[key].index(row) for row, key in enumerate(keys)]
        assert groups.spread.tolist() == [rows[key][-1] - rows[key][0] for key in keys]
        weights = np.arange(len(keys), dtype=np.float32)
        assert groups.total(weights).tolist() == [sum(rows[key]) for key in keys]
