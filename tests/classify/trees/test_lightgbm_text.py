import numpy as np
import pytest

from vclean.classify.trees.lightgbm_text import DamagedTreesError, Splits, header_field

# A root with a leaf on its left; on its right a split with two leaves. Then a tree that never split.
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
    def test_what_the_text_says(self) -> None:
        splits = Splits.parse(TEXT)
        assert splits.leaves.tolist() == [3, 1]
        assert splits.feature.tolist() == [4, 2]
        assert splits.threshold.tolist() == [0.5, -0.001]
        assert splits.children.tolist() == [[-1, 1], [-2, -3]]
        assert splits.leaf_value.tolist() == [0.1, 0.2, 0.3, 7]

    def test_where_they_are(self) -> None:
        splits = Splits.parse(TEXT)
        assert (splits.tree.tolist(), splits.index_in_tree.tolist()) == ([0, 0], [0, 1])

    def test_siblings_follow_each_other_and_trees_too(self) -> None:
        inner, leaves = Splits.parse(TEXT).node_indices()
        assert inner.tolist() == [0, 2]
        assert leaves.tolist() == [1, 3, 4, 5]

    def test_every_node_has_a_place(self) -> None:
        inner, leaves = Splits.parse(TEXT).node_indices()
        assert sorted([*inner, *leaves]) == list(range(6))

    def test_where_missing_values_go(self) -> None:
        """The first column had none: NaN counts as 0, which is not above .5. The second had: its bit says right."""
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
    def test_damage(self, old: str, new: str) -> None:
        with pytest.raises(DamagedTreesError):
            Splits.parse(changed(old, new))

    @pytest.mark.parametrize(
        ("old", "new"),
        [("right_child=1 -3", "right_child=1 -2"), ("left_child=-1 -2", "left_child=1 -2")],
    )
    def test_nodes_with_two_parents_or_none(self, old: str, new: str) -> None:
        with pytest.raises(DamagedTreesError):
            Splits.parse(changed(old, new)).node_indices()

    def test_trees_that_never_split(self) -> None:
        single = TEXT[TEXT.index("Tree=1") : TEXT.index("end of")]
        splits = Splits.parse(f"tree\n{single}{single}\nend of trees\n")
        assert (splits.leaves.tolist(), splits.leaf_value.tolist(), splits.children.shape) == ([1, 1], [7, 7], (0, 2))
        assert [place.tolist() for place in splits.node_indices()] == [[], [0, 1]]

    def test_no_trees(self) -> None:
        with pytest.raises(DamagedTreesError):
            Splits.parse("tree\n\nend of trees\n")

    def test_types(self) -> None:
        splits = Splits.parse(TEXT)
        kinds = [splits.leaves.dtype, splits.children.dtype, splits.threshold.dtype, splits.leaf_value.dtype]
        assert kinds == [np.int64, np.int64, np.float64, np.float64]


class TestField:
    def test_the_first_line_of_that_name(self) -> None:
        assert header_field(TEXT, "num_leaves") == "3"

    def test_none(self) -> None:
        assert header_field(TEXT, "leaves") is None

    def test_a_line_without_an_end(self) -> None:
        assert header_field("tree\nversion=v4", "version") == "v4"
