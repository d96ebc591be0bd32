from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from vclean.classify.content.expected_f import (
    CORRELATION,
    adjust_for_comments,
    assign_labels,
    best_selection,
    type_codes,
)
from vclean.labels import Label

BLOCKS = st.lists(st.tuples(st.integers(0, 8).map(lambda eighths: eighths / 8), st.integers(0, 50)), max_size=12)


def cut(*blocks: tuple[float, float], beta: float = 1.0) -> tuple[list[bool], float]:
    probability, words = np.array(blocks, dtype=np.float32).reshape(-1, 2).T
    keep, expected = best_selection(probability, words, beta)
    return keep.tolist(), expected


GRID = np.linspace(-6, 6, 401)
"""The factor that a page's blocks share, on a fine grid: no quadrature."""
CHANCES = np.exp(-(GRID**2) / 2) / np.exp(-(GRID**2) / 2).sum()


def promised(blocks: list[tuple[float, float]]) -> np.ndarray:
    """Words of gold in `blocks` by the shared factor: the one-factor copula, written out."""
    probability, words = np.array(blocks, dtype=float).reshape(-1, 2).T
    doubt = ndtri(probability)[:, None] + CORRELATION**0.5 * GRID
    return words @ ndtr(doubt / (1 - CORRELATION) ** 0.5)


def expected_f(kept: list[tuple[float, float]], everything: list[tuple[float, float]], beta: float = 1) -> float:
    """The mean of (1 + beta^2) T / (K + beta^2 G) over the grid."""
    size = sum(words for _, words in kept)
    measure = (1 + beta**2) * promised(kept) / np.maximum(size + beta**2 * promised(everything), 1e-9)
    return float(CHANCES @ measure)


class TestBestCut:
    def test_the_better_half(self) -> None:
        page = [(0.9, 10), (0.1, 10), (0.8, 10)]
        keep, expected = cut(*page)
        assert keep == [True, False, True]
        assert expected == pytest.approx(expected_f([page[0], page[2]], page), abs=2e-3)

    def test_a_page_of_doubts_is_kept_whole(self) -> None:
        """No threshold at one half: of equal chances all are taken, which the expected F prefers to none."""
        keep, expected = cut((0.3, 10), (0.3, 10))
        assert keep == [True, True]
        assert 0 < expected < 12 / 26

    def test_long_doubtful_comments_go_together(self) -> None:
        """An article of 200 sure words and forty comments of 50 words at one quarter each: independent throws would
        keep them all, 2 (200 + 500) / (2200 + 700) = .48 against 400 / (200 + 700) = .44; but they stand or fall
        together."""
        keep, _ = cut((0.99, 200), *[(1 / 4, 50)] * 40)
        assert keep == [True] + [False] * 40

    def test_words_count(self) -> None:
        """A long improbable block costs more than a short one."""
        assert cut((0.9, 100), (0.4, 1))[0] == [True, False]
        assert cut((0.9, 1), (0.4, 100))[0] == [True, True]

    def test_certain_blocks_alone(self) -> None:
        keep, expected = cut((1, 5), (0, 5), (1, 2))
        assert keep == [True, False, True]
        assert expected == pytest.approx(1)

    def test_nothing(self) -> None:
        assert cut() == ([], 0)

    def test_nothing_probable_is_worth_nothing(self) -> None:
        assert cut((0, 10), (0, 20))[1] == 0

    def test_types(self) -> None:
        keep, expected = best_selection(np.full(3, 0.5, dtype=np.float32), np.ones(3, dtype=np.float32))
        assert (keep.dtype, keep.shape, type(expected)) == (np.bool_, (3,), float)

    @pytest.mark.parametrize(("beta", "kept"), [(0.5, 1), (1, 2), (2, 3)])
    def test_beta_weighs_recall(self, beta: float, kept: int) -> None:
        keep, _ = cut((0.95, 10), (0.5, 10), (0.3, 10), beta=beta)
        assert keep == [True] * kept + [False] * (3 - kept)

    @settings(deadline=None, max_examples=30)
    @given(BLOCKS, st.sampled_from([0.5, 1.0, 2.0]))
    def test_no_other_prefix_is_better(self, blocks: list[tuple[float, float]], beta: float) -> None:
        keep, expected = cut(*blocks, beta=beta)
        ranked = sorted(blocks, key=lambda block: -block[0])
        prefixes = [expected_f(ranked[:count], blocks, beta) for count in range(1, len(ranked) + 1)]
        assert expected == pytest.approx(max(prefixes, default=0), abs=0.02)  # nine scenarios against two hundred
        kept = [block for block, chosen in zip(blocks, keep, strict=True) if chosen]
        assert expected_f(kept, blocks, beta) == pytest.approx(expected, abs=0.02)

    @settings(deadline=None)
    @given(BLOCKS)
    def test_kept_blocks_are_the_most_probable(self, blocks: list[tuple[float, float]]) -> None:
        keep, _ = cut(*blocks)
        kept = [probability for (probability, _), chosen in zip(blocks, keep, strict=True) if chosen]
        left = [probability for (probability, _), chosen in zip(blocks, keep, strict=True) if not chosen]
        assert min(kept, default=1) >= max(left, default=0)


class TestTypeCodes:
    H, P, L, C = range(4)

    def codes(self, *rows):
        return type_codes(np.array(rows, dtype=float).reshape(-1, 4))

    def test_the_most_probable_type(self):
        assert self.codes([0.7, 0.1, 0.1, 0.1], [0.1, 0.7, 0.1, 0.1], [0.1, 0.1, 0.7, 0.1]) == [self.H, self.P, self.L]

    def test_a_block_continues_the_one_before(self):
        assert self.codes([0, 1, 0, 0], [0, 0.2, 0.1, 0.7], [0, 0.1, 0.2, 0.7]) == [self.P, self.C, self.C]

    def test_the_first_block_continues_nothing(self):
        assert self.codes([0.1, 0.1, 0.2, 0.6]) == [self.L]

    def test_nothing_continues_a_heading(self):
        assert self.codes([1, 0, 0, 0], [0.1, 0.2, 0.1, 0.6], [0, 0.3, 0, 0.7]) == [self.H, self.P, self.C]

    def test_what_becomes_a_heading_is_not_continued_either(self):
        assert self.codes([1, 0, 0, 0], [0.3, 0.1, 0, 0.6], [0, 0.4, 0, 0.6]) == [self.H, self.H, self.P]

    def test_no_block(self):
        assert self.codes() == []


class TestWithComments:
    PROBABILITY = np.array([0.98, 0.4, 0.35, 0.05, 0.02], dtype=np.float32)
    COMMENTS = np.array([0, 0.9, 0.9, 0.9, 0], dtype=np.float32)
    WORDS = np.array([200, 50, 50, 3, 10], dtype=np.float32)

    def told(self, *, wanted: bool) -> np.ndarray:
        return adjust_for_comments(self.PROBABILITY, self.COMMENTS, self.WORDS, include=wanted)

    def test_unwanted_they_go(self) -> None:
        np.testing.assert_allclose(self.told(include=False), [0.98, 0.04, 0.035, 0.005, 0.02], rtol=1e-5)

    def test_wanted_their_text_is_sure(self) -> None:
        """By words, the upper quartile of the comments is .4: it becomes .95, with nine parts in ten of it taken."""
        found = self.told(include=True)
        assert found[1] == pytest.approx(0.4 + 0.9 * (0.95 - 0.4))
        assert found[2] == pytest.approx(0.35 + 0.9 * (0.35 * 0.95 / 0.4 - 0.35))

    def test_wanted_their_buttons_stay_behind(self) -> None:
        assert self.told(include=True)[3] < 0.15

    @pytest.mark.parametrize("wanted", [True, False])
    def test_the_rest_stays(self, wanted: bool) -> None:
        np.testing.assert_array_equal(self.told(include=wanted)[[0, 4]], self.PROBABILITY[[0, 4]])

    def test_sure_ones_do_not_fall(self) -> None:
        sure = np.full(5, 0.99, dtype=np.float32)
        np.testing.assert_allclose(adjust_for_comments(sure, self.COMMENTS, self.WORDS, include=True), sure)

    @pytest.mark.parametrize("wanted", [True, False])
    def test_a_page_without_comments(self, wanted: bool) -> None:
        found = adjust_for_comments(self.PROBABILITY, np.zeros(5, dtype=np.float32), self.WORDS, include=wanted)
        np.testing.assert_array_equal(found, self.PROBABILITY)
        assert found.dtype == np.float32

    @settings(deadline=None)
    @given(BLOCKS.filter(bool), st.booleans())
    def test_they_stay_probabilities(self, blocks: list[tuple[float, float]], wanted: bool) -> None:
        probability, words = np.array(blocks, dtype=np.float32).T
        found = adjust_for_comments(probability, np.linspace(0, 1, len(words), dtype=np.float32), words, include=wanted)
        assert ((found >= 0) & (found <= 1)).all()
        assert (found >= probability).all() if wanted else (found <= probability).all()


class TestLabelled:
    def test_kept_blocks_have_a_type(self) -> None:
        types = np.array([[1, 0, 0, 0], [0, 0, 1, 0]], dtype=np.float32)
        found = assign_labels(np.array([False, True, False, True]), types)
        assert found == [Label.OTHER, Label.HEADING, Label.OTHER, Label.LIST_ITEM]

    def test_nothing_kept(self) -> None:
        assert assign_labels(np.zeros(2, dtype=bool), np.zeros((0, 4), dtype=np.float32)) == [Label.OTHER] * 2
