from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.content import stacking
from vclean.classify.segments import model
from vclean.features import matrix
from vclean.features import regions as region_columns
from vclean.features.block import linguistic, structural, visual
from vclean.features.columns import (
    COUNT_LIMITS,
    FeatureColumn,
    Groups,
    RaggedArray,
    _declared,
    count_limits,
    ratio,
    stack_rows,
)
from vclean.features.segments import columns as segment_columns


class TestReadColumns:
    def test_every_declared_column_is_in_a_table(self):
        tables = (linguistic, structural, visual, segment_columns)
        names = [column.name for table in tables for column in table.COLUMNS]
        declared = [column.name for part in _declared().values() for column in part]
        assert [name for name in declared if name not in names] == []

    @pytest.mark.parametrize("columns", [stacking.COLUMNS, model.COLUMNS], ids=["blocks", "containers"])
    def test_columns_of_a_model(self, columns):
        """Check that names are unique and contain no characters with a meaning in JSON, which LightGBM rejects."""
        names = [column.name for column in columns]
        assert len(set(names)) == len(names)
        assert [name for name in names if not name or set(name) & set('"[]{},: ')] == []
        assert [column for column in columns if not column.unit.strip()] == []
        assert [column.doc for column in columns if not column.doc.endswith(".") or "|" in column.doc] == []

    def test_base_columns_come_first(self):
        assert (*matrix.COLUMNS, *stacking.SCORE_COLUMNS) == stacking.COLUMNS
        assert (*segment_columns.COLUMNS, *model.ROLE_COLUMNS) == model.COLUMNS
        assert segment_columns.COLUMNS[: segment_columns.REGIONAL] == region_columns.COLUMNS


class TestCountLimits:
    def test_by_unit(self):
        """Check also that a column of neighbours has the limit of the block."""
        columns = [FeatureColumn(*each, "") for each in (("a", "blocks"), ("b", "share"), ("a+1", "as `a`"))]
        assert count_limits(columns).tolist() == [COUNT_LIMITS["blocks"], np.inf, COUNT_LIMITS["blocks"]]


class TestStackRows:
    def test_rejects_column_without_values(self):
        with pytest.raises(KeyError, match="a"):
            stack_rows(["b", "a"], {"b": np.zeros(2)})

    def test_rounds_to_single_precision(self):
        assert stack_rows(["a"], {"a": np.array([1 / 3])})[0, 0] == np.float32(1 / 3)


class TestRatio:
    def test_is_zero_where_the_whole_is_zero(self):
        """Check also that parts below zero, or unknown ones, give positive zero."""
        part, whole = np.array([1, 3, 5, -1, -0.0, np.nan]), np.array([2.0, 4, 0, 0, 0, 0])
        assert ratio(part, whole).tolist() == [0.5, 0.75, 0, 0, 0, 0]
        assert not np.signbit(ratio(part, whole)).any()


class TestGroups:
    def test_groups_are_numbered_by_ascending_key(self):
        groups = Groups(np.array([7, 3, 7, 5, 7, 3]))
        assert groups.number.tolist() == [2, 0, 2, 1, 2, 0]
        assert groups.sizes.tolist() == [2, 1, 3]

    @given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
    def test_equals_the_loop(self, keys):
        groups = Groups(np.array(keys))
        rows = {key: [row for row, other in enumerate(keys) if other == key] for key in keys}
        assert groups.size.tolist() == [len(rows[key]) for key in keys]
        assert groups.rank.tolist() == [rows[key].index(row) for row, key in enumerate(keys)]
        assert groups.spread.tolist() == [rows[key][-1] - rows[key][0] for key in keys]
        weights = np.arange(len(keys), dtype=np.float32)
        assert groups.total(weights).tolist() == [sum(rows[key]) for key in keys]


class TestRaggedArray:
    def test_sums(self):
        rows = RaggedArray(np.array([0, 2, 2, 3]), np.array([0, 1, 1], np.int32))
        assert rows.row_sums(np.array([1, 2], np.float32)).tolist() == [3, 0, 2]

    @pytest.mark.parametrize("start", [[], [0, 2], [-1, 1], [1, 0]])
    def test_rows_that_do_not_fit(self, start):
        rows = RaggedArray(np.array(start, np.int64), np.zeros(1, np.int32))
        with pytest.raises(ValueError, match="rows do not fit"):
            rows.row_sums(np.zeros(1, np.float32))
