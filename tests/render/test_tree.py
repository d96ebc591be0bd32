from __future__ import annotations

import numpy as np
import pytest
from helpers.trees import ancestors, trees
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
END = np.array([5, 4, 3, 4, 5], dtype=np.int32)


@st.composite
def weighted_trees(draw):
    parent = draw(trees())
    values = draw(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=len(parent), max_size=len(parent)))
    return parent, np.array(values, dtype=np.int32)


class TestSums:
    @pytest.mark.parametrize(
        ("values", "of_subtree", "of_path"),
        [
            (
                [[1, 0], [0, 1], [1, 1], [0, 2], [0, 0]],
                [[2, 4], [1, 4], [1, 1], [0, 2], [0, 0]],
                [[1, 0], [1, 1], [2, 2], [1, 3], [1, 0]],
            ),
            ([False, True, True, False, True], [3, 2, 1, 0, 1], [0, 1, 2, 1, 1]),
            ([0.5, 0.25, 0, 0, 1], [1.75, 0.25, 0, 0, 1], [0.5, 0.75, 0.75, 0.75, 1.5]),
        ],
    )
    def test_by_hand(self, values, of_subtree, of_path):
        assert subtree_sum(np.array(values), END).tolist() == of_subtree
        assert path_sum(np.array(values), END).tolist() == of_path

    def test_are_in_wide_types(self):
        assert subtree_sum(np.ones(5, dtype=np.float32), END).dtype == np.float64
        assert path_sum(np.ones(5, dtype=bool), END).dtype == np.int64

    def test_wrap_around(self):
        """Check sums modulo 2^64, on which path signatures rely."""
        values = np.full(5, 2**63 - 1, dtype=np.int64)
        sums = path_sum(values, END).view(np.uint64)
        assert sums.tolist() == [k * (2**63 - 1) % 2**64 for k in (1, 2, 3, 3, 2)]

    @given(weighted_trees())
    def test_equal_the_loop(self, tree):
        parent, values = tree
        chains = [ancestors(parent, element) for element in range(len(parent))]
        below = [0] * len(parent)
        for chain in chains:
            for above in chain:
                below[above] += int(values[chain[0]])
        assert subtree_sum(values, subtree_ends(parent)).tolist() == below
        assert path_sum(values, subtree_ends(parent)).tolist() == [sum(values[chain].tolist()) for chain in chains]


class TestOnPaths:
    """Functions that are the same as sums over paths."""

    @given(weighted_trees())
    def test_inside(self, tree):
        parent, values = tree
        mask, end = values % 3 == 0, subtree_ends(parent)
        assert inside(mask, end).tolist() == (path_sum(mask, end) > 0).tolist()

    @given(weighted_trees())
    def test_path_counts(self, tree):
        parent, values = tree
        kind, end = values % 5 - 1, subtree_ends(parent)
        counts = path_counts(kind, 4, end)
        assert counts.dtype == np.int64
        assert counts.tolist() == [path_sum(kind == which, end).tolist() for which in range(4)]


class TestNearestAncestor:
    @given(trees(), st.randoms())
    def test_equals_the_loop(self, parent, random):
        mask = np.array([random.random() < 0.3 for _ in parent])
        expected = [next((i for i in ancestors(parent, e) if mask[i]), 0) for e in range(len(parent))]
        assert nearest_ancestor(mask, parent).tolist() == expected

    def test_a_deep_chain(self):
        mask = np.arange(50_000) == 7
        nearest = nearest_ancestor(mask, np.arange(-1, 49_999, dtype=np.int32))
        assert nearest.tolist() == [0] * 7 + [7] * 49_993


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [(0, 3, True), (1, 3, True), (3, 3, True), (3, 1, False), (2, 3, False), (4, 3, False), (1, 4, False)],
)
def test_is_ancestor(above, below, expected):
    assert is_ancestor(np.array([above]), np.array([below]), END).tolist() == [expected]


class TestSubtreeArgmax:
    @pytest.mark.parametrize(
        ("values", "largest"), [([1, 2, 5, 5, 3], [2, 2, 2, 3, 4]), ([9.0, 0.5, 0.25, -1.0, 0.0], [0, 1, 2, 3, 4])]
    )
    def test_by_hand(self, values, largest):
        assert subtree_argmax(np.array(values), END).tolist() == largest

    @given(weighted_trees())
    def test_equals_the_loop_over_ranges(self, tree):
        parent, values = tree
        end = subtree_ends(parent)
        expected = [i + int(np.argmax(values[i : end[i]])) for i in range(len(parent))]
        assert subtree_argmax(values, end).tolist() == expected


@given(trees(), st.data())
def test_lowest_common_ancestor(parent, data):
    pairs = data.draw(st.lists(st.tuples(*[st.integers(0, len(parent) - 1)] * 2), max_size=4))
    first, second = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    expected = [max(set(ancestors(parent, one)) & set(ancestors(parent, other))) for one, other in pairs]
    assert lowest_common_ancestor(first, second, parent, subtree_ends(parent)).tolist() == expected
