from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.evaluation.scores import (
    Overlap,
    SnippetShare,
    cleaneval_markup_score,
    cleaneval_score,
    lcs_overlap,
    snippets_absent,
    snippets_present,
    word_score,
)

TEXT = st.text(alphabet="abC ,.\n<p>hl", max_size=60)
WORDS = st.lists(st.sampled_from(["cat", "dog", "the", "sat"]), max_size=12)


class TestWordScore:
    def test_by_hand(self):
        """Compare four words with three, two in common: P 2/4, R 2/3, F1 4/7."""
        score = word_score("the cat the dog", "The cat sat")
        assert (score.precision, score.recall, score.f1) == pytest.approx((1 / 2, 2 / 3, 4 / 7))

    @pytest.mark.parametrize(("output", "gold", "score"), [("", " — ", 1), ("", "a", 0), ("a", "", 0), ("a", "b", 0)])
    def test_no_common_words(self, output, gold, score):
        """Check that two texts without words agree."""
        result = word_score(output, gold)
        assert (result.precision, result.recall, result.f1) == (score, score, score)

    @given(TEXT, TEXT)
    def test_bounds_symmetry_and_identity(self, left, right):
        score, mirrored = word_score(left, right), word_score(right, left)
        assert 0 <= score.f1 <= 1
        assert (score.f1, score.precision) == (mirrored.f1, mirrored.recall)
        assert word_score(left, left).f1 == 1
        assert cleaneval_markup_score(left, left) == 100


class TestLcsOverlap:
    def test_by_hand(self):
        assert lcs_overlap("a x b c", "a b y c d") == Overlap(3, 4, 5)

    def test_depends_on_case_and_punctuation(self):
        assert lcs_overlap("Cat, dog", "cat dog").common == 1

    @given(WORDS, WORDS)
    def test_common_length_is_at_most_each_length(self, left, right):
        overlap = lcs_overlap(" ".join(left), " ".join(right))
        assert overlap.common <= min(overlap.output, overlap.gold)
        assert (overlap.f1 == 1) == (left == right)


class TestCleanevalScore:
    def test_by_hand(self):
        """Compare `a b` with `a b c`: one insertion, 100 x (1 - 1 / 5)."""
        assert cleaneval_score("A, b", "a b! c") == pytest.approx(80)

    @given(WORDS, WORDS)
    def test_equals_one_minus_relative_edit_distance(self, left, right):
        """Compute the distance with substitutions at cost 2 by the textbook recurrence."""
        row = list(range(len(right) + 1))
        for word in left:
            above, row = row, [row[0] + 1]
            for at, other in enumerate(right):
                row.append(min(above[at + 1] + 1, row[at] + 1, above[at] + 2 * (word != other)))
        expected = 100 * (1 - row[-1] / (len(left) + len(right))) if left or right else 100
        assert cleaneval_score(" ".join(left), " ".join(right)) == pytest.approx(expected)


class TestCleanevalMarkupScore:
    def test_by_hand(self):
        """Compare `h a p b` with `p a p b`: three of four in order, twice."""
        assert cleaneval_markup_score("<h>a\n<p>b", "<p>a\n<p>b") == pytest.approx(75)


class TestSnippets:
    def test_ignores_white_space_and_case(self):
        assert snippets_present("The  cat\nsat", ["the CAT sat", "cat  sat"]) == SnippetShare(2, 2)

    def test_present_and_absent_add_up(self):
        assert snippets_present("a b", ["a", "x", "b"]) == SnippetShare(2, 3)
        assert snippets_absent("a b", ["a", "x", "b"]) == SnippetShare(1, 3)
