from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.decision import best_cut, type_codes

BLOCKS = st.lists(st.tuples(st.integers(0, 8).map(lambda eighths: eighths / 8), st.integers(0, 50)), max_size=12)


def cut(*blocks: tuple[float, float]) -> tuple[list[bool], float]:
    probability, words = np.array(blocks, dtype=np.float32).reshape(-1, 2).T
    keep, expected = best_cut(probability, words)
    return keep.tolist(), expected


def expected_f1(kept: list[tuple[float, float]], everything: list[tuple[float, float]]) -> float:
    """2 T / (K + G), written out."""
    true = sum(probability * words for probability, words in kept)
    gold = sum(probability * words for probability, words in everything)
    return 2 * true / max(sum(words for _, words in kept) + gold, 1e-9)


class TestBestCut:
    def test_by_hand(self) -> None:
        """G = 9 + 8 + 1 = 18: keeping one block gives 18 / 28, two 34 / 38, all three 36 / 48."""
        keep, expected = cut((0.9, 10), (0.1, 10), (0.8, 10))
        assert keep == [True, False, True]
        assert expected == pytest.approx(34 / 38)

    def test_a_page_of_doubts_is_kept_whole(self) -> None:
        """No threshold at one half: of equal chances all are taken, which the expected F1 prefers to none."""
        keep, expected = cut((0.3, 10), (0.3, 10))
        assert keep == [True, True]
        assert expected == pytest.approx(12 / 26)

    def test_words_count(self) -> None:
        """A long improbable block costs more than a short one."""
        assert cut((0.9, 100), (0.4, 1))[0] == [True, False]
        assert cut((0.9, 1), (0.4, 100))[0] == [True, True]

    def test_certain_blocks_alone(self) -> None:
        assert cut((1, 5), (0, 5), (1, 2)) == ([True, False, True], 1)

    def test_nothing(self) -> None:
        assert cut() == ([], 0)

    def test_nothing_probable_is_worth_nothing(self) -> None:
        assert cut((0, 10), (0, 20))[1] == 0

    def test_types(self) -> None:
        keep, expected = best_cut(np.full(3, 0.5, dtype=np.float32), np.ones(3, dtype=np.float32))
        assert (keep.dtype, keep.shape, type(expected)) == (np.bool_, (3,), float)

    @given(BLOCKS)
    def test_no_other_prefix_is_better(self, blocks: list[tuple[float, float]]) -> None:
        keep, expected = cut(*blocks)
        ranked = sorted(blocks, key=lambda block: -block[0])
        prefixes = [expected_f1(ranked[:count], blocks) for count in range(1, len(ranked) + 1)]
        assert expected == pytest.approx(max(prefixes, default=0), abs=1e-6)
        kept = [block for block, chosen in zip(blocks, keep, strict=True) if chosen]
        assert expected_f1(kept, blocks) == pytest.approx(expected, abs=1e-6)

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
