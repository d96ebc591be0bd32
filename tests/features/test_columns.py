from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.block import linguistic, structural, visual
from vclean.features.columns import (
    COUNT_LIMITS,
    FeatureColumn,
    Groups,
    _declared,
    count_limits,
    limit_counts,
    ratio,
    stack_columns,
    stack_rows,
)
from vclean.features.segments import columns


class TestReadColumns:
    def test_every_declared_column_is_in_a_table(self):
        tables = (linguistic, structural, visual, columns)
        names = [column.name for table in tables for column in table.COLUMNS]
        declared = [column.name for part in _declared().values() for column in part]
        assert [name for name in declared if name not in names] == []


class TestCountLimits:
    def test_by_unit(self):
        columns = [FeatureColumn("a", unit, "") for unit in ("blocks", "share", "words")]
        assert count_limits(columns).tolist() == [COUNT_LIMITS["blocks"], np.inf, COUNT_LIMITS["words"]]

    def test_neighbors_have_the_limit_of_the_block(self):
        columns = [FeatureColumn("n", "elements", ""), FeatureColumn("n+1", "as `n`", "")]
        assert count_limits(columns).tolist() == [COUNT_LIMITS["elements"]] * 2


class TestLimitCounts:
    def test_bounds_both_signs_and_keeps_nan(self):
        values = np.array([[5, 5], [-5, np.nan]], dtype=np.float32)
        limited = limit_counts(values, np.array([3, np.inf], dtype=np.float32))
        np.testing.assert_array_equal(limited, [[3, 5], [-3, np.nan]])


class TestStackColumns:
    COLUMNS = (FeatureColumn("b", "", ""), FeatureColumn("a", "", ""))

    def test_rejects_column_without_values(self):
        with pytest.raises(KeyError, match="a"):
            stack_columns(self.COLUMNS, {"b": np.zeros(2)})


class TestStackRows:
    def test_rounds_to_single_precision(self):
        assert stack_rows(["a"], {"a": np.array([1 / 3])})[0, 0] == np.float32(1 / 3)


class TestRatio:
    def test_element_by_element(self):
        assert ratio(np.array([1, 3]), np.array([2, 4])).tolist() == [0.5, 0.75]

    def test_zero_where_the_whole_is_zero(self):
        assert ratio(np.array([5.0, 0.0]), np.array([0.0, 0.0])).tolist() == [0, 0]

    def test_negative_part_of_zero_is_positive_zero(self):
        assert not np.signbit(ratio(np.array([-1.0, -0.0]), np.zeros(2))).any()

    def test_nan_part_of_zero_is_zero(self):
        assert ratio(np.array([np.nan]), np.zeros(1)).tolist() == [0]


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
