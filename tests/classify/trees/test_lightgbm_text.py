import numpy as np
import pytest

from vclean.classify.trees.lightgbm_text import DamagedTreesError, Splits, header_field

# A root with a leaf on the left and a split with two leaves on the right; then a tree without splits.
TEXT = """tree
max_feature_idx=5

Tree=0
num_leaves=3
split_feature=4 2
threshold=0.5 -1e-3
decision_type=2 8
left_child=-1 -2
right_child=1 -3
leaf_value=0.1 0.2 0.3

Tree=1
num_leaves=1
split_feature=
threshold=
decision_type=
left_child=
right_child=
leaf_value=7

end of trees

num_leaves=99
"""


def changed(old, new):
    assert old in TEXT
    return TEXT.replace(old, new, 1)


class TestSplits:
    def test_parses_the_text(self) -> None:
        splits = Splits.parse(TEXT)
        assert splits.leaves.tolist() == [3, 1]
        assert splits.feature.tolist() == [4, 2]
        assert splits.threshold.tolist() == [0.5, -0.001]
        assert splits.children.tolist() == [[-1, 1], [-2, -3]]
        assert splits.leaf_value.tolist() == [0.1, 0.2, 0.3, 7]

    def test_tree_and_index_of_splits(self) -> None:
        splits = Splits.parse(TEXT)
        assert (splits.tree.tolist(), splits.index_in_tree.tolist()) == ([0, 0], [0, 1])

    def test_nodes_of_trees_and_siblings_are_consecutive(self) -> None:
        inner, leaves = Splits.parse(TEXT).node_indices()
        assert inner.tolist() == [0, 2]
        assert leaves.tolist() == [1, 3, 4, 5]

    def test_each_node_has_an_index(self) -> None:
        inner, leaves = Splits.parse(TEXT).node_indices()
        assert sorted([*inner, *leaves]) == list(range(6))

    def test_direction_of_missing_values(self) -> None:
        """Check a column without missing values in training (NaN counts as 0), and one with them (a bit decides)."""
        assert Splits.parse(TEXT).sends_nan_left.tolist() == [True, False]
        assert Splits.parse(changed("decision_type=2 8", "decision_type=0 10")).sends_nan_left.tolist() == [True, True]
        assert Splits.parse(changed("threshold=0.5", "threshold=-0.5")).sends_nan_left.tolist() == [False, False]

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("num_leaves=3", "num_leaves=4"),
            ("num_leaves=3", "num_leaves=x"),
            ("num_leaves=1", "num_leaves=0"),
            ("num_leaves=1\n", ""),
            ("threshold=0.5 -1e-3", "threshold=0.5"),
            ("threshold=0.5 -1e-3", "threshold=0.5 low"),
            ("leaf_value=7", "leaf_value="),
            ("right_child=1 -3", "right_child=2 -3"),
            ("right_child=1 -3", "right_child=0 -3"),
            ("right_child=1 -3", "right_child=1 -4"),
            ("left_child=-1 -2", "left_child=-1 1"),
        ],
    )
    def test_damaged_text(self, old: str, new: str) -> None:
        with pytest.raises(DamagedTreesError):
            Splits.parse(changed(old, new))

    @pytest.mark.parametrize(
        ("old", "new"),
        [("right_child=1 -3", "right_child=1 -2"), ("left_child=-1 -2", "left_child=1 -2")],
    )
    def test_nodes_without_exactly_one_parent(self, old: str, new: str) -> None:
        with pytest.raises(DamagedTreesError):
            Splits.parse(changed(old, new)).node_indices()

    def test_trees_without_splits(self) -> None:
        single = TEXT[TEXT.index("Tree=1") : TEXT.index("end of")]
        splits = Splits.parse(f"tree\n{single}{single}\nend of trees\n")
        assert (splits.leaves.tolist(), splits.leaf_value.tolist(), splits.children.shape) == ([1, 1], [7, 7], (0, 2))
        assert [index.tolist() for index in splits.node_indices()] == [[], [0, 1]]

    def test_no_trees(self) -> None:
        with pytest.raises(DamagedTreesError):
            Splits.parse("tree\n\nend of trees\n")

    def test_types(self) -> None:
        splits = Splits.parse(TEXT)
        dtypes = [splits.leaves.dtype, splits.children.dtype, splits.threshold.dtype, splits.leaf_value.dtype]
        assert dtypes == [np.int64, np.int64, np.float64, np.float64]


class TestHeaderField:
    def test_first_line_with_the_name(self) -> None:
        assert header_field(TEXT, "num_leaves") == "3"

    def test_missing_field(self) -> None:
        assert header_field(TEXT, "leaves") is None

    def test_last_line_without_line_end(self) -> None:
        assert header_field("tree\nversion=v4", "version") == "v4"
