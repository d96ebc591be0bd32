from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.render.snapshot import subtree_ends
from vclean.render.tree import (
    inside,
    is_ancestor,
    lowest_common_ancestor,
    nearest_ancestor,
    path_counts,
    path_sum,
    subtree_argmax,
    subtree_sum,
)

#     0
#    / \
#   1   4
#  / \
# 2   3
PARENT = np.array([-1, 0, 1, 1, 0], dtype=np.int32)
END = np.array([5, 4, 3, 4, 5], dtype=np.int32)


@st.composite
def trees(draw):
    """Return parents in preorder: each element is a child of the previous one or of one of its ancestors."""
    parent = [-1]
    for element in range(1, draw(st.integers(1, 30))):
        chain = ancestors(parent, element - 1)
        parent.append(chain[draw(st.integers(0, len(chain) - 1))])
    return np.array(parent, dtype=np.int32)


@st.composite
def weighted_trees(draw):
    parent = draw(trees())
    values = draw(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=len(parent), max_size=len(parent)))
    return parent, np.array(values, dtype=np.int32)


def ancestors(parent, element):
    """Return the element and its ancestors by following the parents."""
    chain = []
    while element >= 0:
        chain.append(element)
        element = int(parent[element])
    return chain


class TestSubtreeSum:
    def test_by_hand(self):
        values = np.array([1, 10, 100, 1000, 10000])
        assert subtree_sum(values, END).tolist() == [11111, 1110, 100, 1000, 10000]

    def test_several_columns_at_once(self):
        values = np.array([[1, 0], [0, 1], [1, 1], [0, 2], [0, 0]])
        assert subtree_sum(values, END).tolist() == [[2, 4], [1, 4], [1, 1], [0, 2], [0, 0]]

    def test_flags_are_counted(self):
        flags = np.array([False, True, True, False, True])
        assert subtree_sum(flags, END).tolist() == [3, 2, 1, 0, 1]

    def test_keeps_fractions(self):
        sums = subtree_sum(np.array([0.5, 0.25, 0, 0, 1], dtype=np.float32), END)
        assert sums.dtype == np.float64
        assert sums.tolist() == [1.75, 0.25, 0, 0, 1]

    @given(weighted_trees())
    def test_equals_the_loop(self, tree):
        parent, values = tree
        expected = [0] * len(parent)
        for element, value in enumerate(values.tolist()):
            for above in ancestors(parent, element):
                expected[above] += value
        assert subtree_sum(values, subtree_ends(parent)).tolist() == expected


class TestPathSum:
    def test_by_hand(self):
        values = np.array([1, 10, 100, 1000, 10000])
        assert path_sum(values, END).tolist() == [1, 11, 111, 1011, 10001]

    def test_several_columns_at_once(self):
        values = np.array([[1, 0], [0, 1], [1, 1], [0, 2], [0, 0]])
        assert path_sum(values, END).tolist() == [[1, 0], [1, 1], [2, 2], [1, 3], [1, 0]]

    def test_flags_are_counted(self):
        flags = np.array([True, True, False, True, False])
        assert path_sum(flags, END).tolist() == [1, 2, 2, 3, 1]

    def test_wraps_around(self):
        """Check sums modulo 2^64, on which path signatures rely."""
        values = np.full(5, 2**63 - 1, dtype=np.int64)
        sums = path_sum(values, END).view(np.uint64)
        assert sums.tolist() == [k * (2**63 - 1) % 2**64 for k in (1, 2, 3, 3, 2)]

    @given(weighted_trees())
    def test_equals_the_loop(self, tree):
        parent, values = tree
        expected = [sum(int(values[above]) for above in ancestors(parent, e)) for e in range(len(parent))]
        assert path_sum(values, subtree_ends(parent)).tolist() == expected

    @given(trees())
    def test_sum_of_ones_is_the_depth(self, parent):
        depth = [len(ancestors(parent, element)) for element in range(len(parent))]
        assert path_sum(np.ones(len(parent), dtype=np.int64), subtree_ends(parent)).tolist() == depth


class TestInside:
    @given(weighted_trees())
    def test_equals_the_sum_over_the_path(self, tree):
        parent, values = tree
        mask, end = values % 3 == 0, subtree_ends(parent)
        assert inside(mask, end).tolist() == (path_sum(mask, end) > 0).tolist()


class TestPathCounts:
    def test_by_hand(self):
        kind = np.array([1, 0, -1, 1, 0])
        counts = path_counts(kind, 3, END)
        assert counts.dtype == np.int64
        assert counts.tolist() == [[0, 1, 1, 1, 1], [1, 1, 1, 2, 1], [0, 0, 0, 0, 0]]

    @given(weighted_trees())
    def test_equals_the_sums_of_flags(self, tree):
        parent, values = tree
        kind, end = values % 5 - 1, subtree_ends(parent)
        counts = path_counts(kind, 4, end)
        assert counts.tolist() == [path_sum(kind == which, end).tolist() for which in range(4)]


class TestNearestAncestor:
    def test_includes_the_element(self):
        assert nearest_ancestor(np.ones(5, dtype=bool), PARENT).tolist() == [0, 1, 2, 3, 4]

    def test_by_hand(self):
        mask = np.array([False, True, False, True, False])
        assert nearest_ancestor(mask, PARENT).tolist() == [0, 1, 1, 3, 0]

    def test_root_if_none(self):
        assert nearest_ancestor(np.zeros(5, dtype=bool), PARENT).tolist() == [0] * 5

    @given(trees(), st.randoms())
    def test_equals_the_loop(self, parent, random):
        mask = np.array([random.random() < 0.3 for _ in parent])
        expected = [next((i for i in ancestors(parent, e) if mask[i]), 0) for e in range(len(parent))]
        assert nearest_ancestor(mask, parent).tolist() == expected

    def test_a_deep_chain(self):
        depth = 50_000
        parent = np.arange(-1, depth - 1, dtype=np.int32)
        mask = np.zeros(depth, dtype=bool)
        mask[7] = True
        nearest = nearest_ancestor(mask, parent)
        assert nearest[:7].tolist() == [0] * 7
        assert (nearest[7:] == 7).all()


class TestIsAncestor:
    @pytest.mark.parametrize(
        ("above", "below", "expected"),
        [(0, 3, True), (1, 3, True), (3, 3, True), (3, 1, False), (2, 3, False), (4, 3, False), (1, 4, False)],
    )
    def test_by_hand(self, above, below, expected):
        assert is_ancestor(np.array([above]), np.array([below]), END).tolist() == [expected]


class TestSubtreeArgmax:
    def test_by_hand(self):
        assert subtree_argmax(np.array([1, 2, 5, 5, 3]), END).tolist() == [2, 2, 2, 3, 4]
        assert subtree_argmax(np.array([9.0, 0.5, 0.25, -1.0, 0.0]), END).tolist() == [0, 1, 2, 3, 4]

    @given(weighted_trees())
    def test_equals_the_loop_over_ranges(self, tree):
        parent, values = tree
        end = subtree_ends(parent)
        expected = [i + int(np.argmax(values[i : end[i]])) for i in range(len(parent))]
        assert subtree_argmax(values, end).tolist() == expected


class TestLowestCommonAncestor:
    def test_by_hand(self):
        first, second = np.array([2, 2, 1, 4, 0, 3], dtype=np.int32), np.array([3, 4, 3, 4, 2, 2], dtype=np.int32)
        assert lowest_common_ancestor(first, second, PARENT, END).tolist() == [1, 0, 1, 4, 0, 1]

    def test_no_pairs(self):
        none = np.zeros(0, dtype=np.int32)
        assert lowest_common_ancestor(none, none, PARENT, END).tolist() == []

    @given(trees(), st.data())
    def test_innermost_shared_ancestor(self, parent, data):
        first, second = (data.draw(st.integers(0, len(parent) - 1)) for _ in range(2))
        shared = set(ancestors(parent, first)) & set(ancestors(parent, second))
        ancestor = lowest_common_ancestor(
            np.array([first], np.int32), np.array([second], np.int32), parent, subtree_ends(parent)
        )
        assert ancestor.tolist() == [max(shared)]
