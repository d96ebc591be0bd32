from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.evaluation.bcubed import BCubedScore, BCubedSummary, harmonic, score, summary


def rated(weight, found, truth):
    """The score, given which segments each group is in on either side, as strings of names."""
    return score(np.array(weight), _matrix(found), _matrix(truth))


def _matrix(segments):
    names = sorted(set("".join(segments)))
    held = [[name in group for name in names] for group in segments]
    return np.array(held, dtype=bool).reshape(len(segments), len(names))


def by_the_definition(weight, found, truth):
    """Precision as Amigó et al. write it, one pair of elements after the other."""
    values, weights = [], []
    for size, ours, theirs in zip(weight, found, truth, strict=True):
        total = count = 0.0
        for other_size, our_other, their_other in zip(weight, found, truth, strict=True):
            shared, wanted = len(set(ours) & set(our_other)), len(set(theirs) & set(their_other))
            if shared:
                total += other_size * min(shared, wanted) / shared
                count += other_size
        if count:
            values.append(total / count)
            weights.append(size)
    return float(np.average(values, weights=weights)) if values else math.nan


class TestScore:
    def test_equal_cuts(self) -> None:
        assert rated([1, 2, 3], ["a", "b", "b"], ["x", "y", "y"]) == BCubedScore(1.0, 1.0)

    def test_the_whole_against_two_halves(self) -> None:
        """An element shares the one segment with all, and half of those pairs are true: P = 1/2. All true pairs are
        found: R = 1.
        """
        assert rated([1, 1], ["a", "a"], ["x", "y"]) == BCubedScore(0.5, 1.0)

    def test_unequal_parts(self) -> None:
        """Truth: 3 of 4 elements in x, 1 in y; found: one segment. P = 3/4 * 3/4 + 1/4 * 1/4 = 10/16."""
        found = rated([3, 1], ["a", "a"], ["x", "y"])
        assert found.precision == pytest.approx(10 / 16)
        assert found.recall == 1

    def test_shifted_halves(self) -> None:
        """Four quarters; truth 12|34, found 123|4.

        P: quarters 1 and 2 are right with 2 of 3, quarter 3 with itself alone, 1/3, quarter 4 with 1 of 1:
        (2/3 + 2/3 + 1/3 + 1) / 4 = 2/3. R: 1 and 2 find both, 3 and 4 one of two: (1 + 1 + 1/2 + 1/2) / 4 = 3/4.
        """
        found = rated([1, 1, 1, 1], ["a", "a", "a", "b"], ["x", "x", "y", "y"])
        assert found.precision == pytest.approx(2 / 3)
        assert found.recall == pytest.approx(3 / 4)
        assert found.f1 == pytest.approx(12 / 17)

    def test_found_in_vain(self) -> None:
        """An element that only the method has in a segment is wrong with every partner, itself too.

        Element 1 has partners 1 and 2, and is right with itself: 1/2; element 2 is right with none: 0. P = 1/4.
        R sees element 1 alone: 1.
        """
        assert rated([1, 1], ["a", "a"], ["x", ""]) == BCubedScore(0.25, 1.0)

    def test_missed(self) -> None:
        """The same with the sides swapped."""
        assert rated([1, 1], ["a", ""], ["x", "x"]) == BCubedScore(1.0, 0.25)

    def test_in_no_segment_of_either_side(self) -> None:
        assert rated([1, 1, 50], ["a", "b", ""], ["x", "y", ""]) == BCubedScore(1.0, 1.0)

    def test_nested_on_both_sides(self) -> None:
        """An inner segment in an outer one, found as it is."""
        assert rated([1, 1], ["ab", "a"], ["xy", "x"]) == BCubedScore(1.0, 1.0)

    def test_nested_and_found_as_one(self) -> None:
        """Truth: outer x with both elements, inner y with the first. Found: one segment with both.

        P: all pairs share one segment in both: min(1, ..)/1 = 1. R: the first with itself shares two true segments and
        one found: 1/2, with the second 1/1: mean 3/4. The second: 1 and 1: 1. R = 7/8.
        """
        found = rated([1, 1], ["a", "a"], ["xy", "x"])
        assert found.precision == 1
        assert found.recall == pytest.approx(7 / 8)

    def test_a_segment_found_twice(self) -> None:
        """The pairs share two segments where the truth has one: P = 1/2, R = 1."""
        assert rated([1, 1], ["ab", "ab"], ["x", "x"]) == BCubedScore(0.5, 1.0)

    def test_groups_of_no_size_do_not_count(self) -> None:
        assert rated([1, 0], ["a", "a"], ["x", "y"]) == BCubedScore(1.0, 1.0)

    def test_nothing_found(self) -> None:
        found = rated([1, 1], ["", ""], ["x", "x"])
        assert math.isnan(found.precision)
        assert found.recall == 0
        assert found.f1 == 0

    def test_no_elements(self) -> None:
        found = score(np.zeros(0), np.zeros((0, 2), dtype=bool), np.zeros((0, 1), dtype=bool))
        assert math.isnan(found.precision)
        assert math.isnan(found.recall)

    def test_many_groups_are_compared_in_parts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        draw = np.random.default_rng(1)
        weight, found, truth = draw.random(50), draw.random((50, 9)) < 0.3, draw.random((50, 7)) < 0.3
        whole = score(weight, found, truth)
        monkeypatch.setattr("vclean.classify.evaluation.bcubed._CELLS", 120)
        parts = score(weight, found, truth)
        assert (parts.precision, parts.recall) == pytest.approx((whole.precision, whole.recall))


GROUPS = st.lists(
    st.tuples(st.integers(1, 9), st.sets(st.sampled_from("abcd")), st.sets(st.sampled_from("wxyz"))),
    min_size=1,
    max_size=8,
).map(lambda rows: tuple(zip(*((size, "".join(ours), "".join(theirs)) for size, ours, theirs in rows), strict=True)))


class TestProperties:
    @given(GROUPS)
    def test_as_defined(self, groups) -> None:
        weight, found, truth = groups
        ours = rated(weight, found, truth)
        assert ours.precision == pytest.approx(by_the_definition(weight, found, truth), nan_ok=True)
        assert ours.recall == pytest.approx(by_the_definition(weight, truth, found), nan_ok=True)

    @given(GROUPS)
    def test_recall_is_the_precision_of_the_other_side(self, groups) -> None:
        weight, found, truth = groups
        there, back = rated(weight, found, truth), rated(weight, truth, found)
        assert there.precision == pytest.approx(back.recall, nan_ok=True)
        assert there.f1 == pytest.approx(back.f1)

    @given(GROUPS)
    def test_a_cut_agrees_with_itself(self, groups) -> None:
        weight, found, _ = groups
        if any(found):
            assert rated(weight, found, found).f1 == pytest.approx(1)

    @given(GROUPS)
    def test_the_whole_page_misses_no_pair_of_disjoint_segments(self, groups) -> None:
        weight, _, truth = groups
        flat = [group[:1] for group in truth]
        if any(flat):
            assert rated(weight, ["a"] * len(weight), flat).recall == pytest.approx(1)

    @given(GROUPS)
    def test_a_group_may_be_told_in_two(self, groups) -> None:
        weight, found, truth = groups
        whole = rated(weight, found, truth)
        halves = rated((weight[0] / 2, *weight[1:], weight[0] / 2), (*found, found[0]), (*truth, truth[0]))
        assert halves.precision == pytest.approx(whole.precision, nan_ok=True)
        assert halves.recall == pytest.approx(whole.recall, nan_ok=True)

    @given(GROUPS, st.floats(0.1, 100))
    def test_the_unit_of_weight_does_not_matter(self, groups, unit) -> None:
        weight, found, truth = groups
        scaled = rated([size * unit for size in weight], found, truth)
        assert scaled.f1 == pytest.approx(rated(weight, found, truth).f1)


class TestSummary:
    def test_both_means(self) -> None:
        """Pages (1, 1/2) and (1/2, 1): F is 2/3 on each, so F_B3 is 2/3; means .75 and .75 give F* .75."""
        found = summary([BCubedScore(1.0, 0.5), BCubedScore(0.5, 1.0)])
        assert found == pytest.approx(BCubedSummary(0.75, 0.75, 2 / 3, 0.75))

    def test_what_is_unknown_counts_as_nothing(self) -> None:
        assert summary([BCubedScore(math.nan, 0.0), BCubedScore(1.0, 1.0)]) == BCubedSummary(0.5, 0.5, 0.5, 0.5)

    def test_no_pages(self) -> None:
        assert all(math.isnan(value) for value in summary([]))


class TestHarmonic:
    @pytest.mark.parametrize(
        ("precision", "recall", "mean"), [(1, 1, 1), (0.5, 1, 2 / 3), (0, 0, 0), (0, 1, 0), (math.nan, 1, 0)]
    )
    def test_harmonic(self, precision: float, recall: float, mean: float) -> None:
        assert harmonic(precision, recall) == pytest.approx(mean)
