from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from vclean.classify.content.expected_f import (
    CORRELATION,
    FACTOR,
    SCENARIO_WEIGHTS,
    adjust_for_kind,
    assign_labels,
    best_selection,
)
from vclean.labels import Label

BLOCKS = st.lists(st.tuples(st.integers(0, 8).map(lambda eighths: eighths / 8), st.integers(0, 50)), max_size=12)


def select(*blocks: tuple[float, float], beta: float = 1.0) -> tuple[list[bool], float]:
    probability, words = np.array(blocks, dtype=np.float32).reshape(-1, 2).T
    keep, expected = best_selection(probability, words, beta)
    return keep.tolist(), expected


GRID = np.linspace(-6, 6, 401)
"""Values of the page factor on a fine grid, in place of the quadrature."""
GRID_WEIGHTS = np.exp(-(GRID**2) / 2) / np.exp(-(GRID**2) / 2).sum()


def expected_gold_words(blocks: list[tuple[float, float]]) -> np.ndarray:
    """Return the expected gold words in `blocks` for each value of the page factor (one-factor copula)."""
    probability, words = np.array(blocks, dtype=float).reshape(-1, 2).T
    quantile = ndtri(probability)[:, None] + CORRELATION**0.5 * GRID
    return words @ ndtr(quantile / (1 - CORRELATION) ** 0.5)


def expected_f(selected: list[tuple[float, float]], everything: list[tuple[float, float]], beta: float = 1) -> float:
    """Return the mean of (1 + beta^2) T / (K + beta^2 G) over the grid."""
    size = sum(words for _, words in selected)
    measure = (
        (1 + beta**2)
        * expected_gold_words(selected)
        / np.maximum(size + beta**2 * expected_gold_words(everything), 1e-9)
    )
    return float(GRID_WEIGHTS @ measure)


def test_scenarios_are_points_of_the_quadrature() -> None:
    factor, weights = np.polynomial.hermite_e.hermegauss(len(FACTOR))
    assert FACTOR.tolist() == pytest.approx(factor.tolist(), abs=1e-12)
    assert SCENARIO_WEIGHTS.tolist() == pytest.approx((weights / weights.sum()).tolist())


class TestBestSelection:
    def test_selects_all_blocks_of_equal_probability(self) -> None:
        """Use no fixed threshold of 0.5: selecting all blocks has a higher expected F than selecting none."""
        keep, expected = select((0.3, 10), (0.3, 10))
        assert keep == [True, True]
        assert 0 < expected < 12 / 26

    def test_no_blocks(self) -> None:
        assert select() == ([], 0)

    @settings(deadline=None, max_examples=30)
    @given(BLOCKS, st.sampled_from([0.5, 1.0, 2.0]))
    def test_no_other_prefix_is_better(self, blocks: list[tuple[float, float]], beta: float) -> None:
        keep, expected = select(*blocks, beta=beta)
        ranked = sorted(blocks, key=lambda block: -block[0])
        prefixes = [expected_f(ranked[:count], blocks, beta) for count in range(1, len(ranked) + 1)]
        selected = [block for block, chosen in zip(blocks, keep, strict=True) if chosen]
        # nine scenarios against two hundred
        assert expected_f(selected, blocks, beta) == pytest.approx(max(prefixes, default=0), abs=0.02)
        assert expected_f(selected, blocks) == pytest.approx(expected, abs=0.02)


class TestAssignLabels:
    @pytest.mark.parametrize(
        ("types", "expected"),
        [
            ([[1, 0, 0, 0], [0.1, 0.2, 0.1, 0.6], [0, 0.3, 0, 0.7]], "hpc"),
            ([[1, 0, 0, 0], [0.3, 0.1, 0, 0.6], [0, 0.4, 0, 0.6]], "hhp"),  # after a second choice, too
            ([[0, 0.1, 0.3, 0.6], [0, 0.4, 0, 0.6]], "lc"),
            ([], ""),
        ],
    )
    def test_no_continuation_comes_first_or_after_a_heading(self, types, expected: str) -> None:
        probability = np.array(types, dtype=np.float32).reshape(-1, 4)
        is_content = np.array([False] + [True] * len(types))
        assert assign_labels(is_content, probability) == [Label(letter) for letter in f"o{expected}"]


class TestAdjustForComments:
    def test_buttons_of_comments_stay_improbable(self) -> None:
        page = [[0.98, 0.4, 0.35, 0.05, 0.02], [0, 0.9, 0.9, 0.9, 0], [200, 50, 50, 3, 10]]
        assert adjust_for_kind(*np.array(page, dtype=np.float32), include=True)[3] < 0.15

    @settings(deadline=None)
    @given(BLOCKS.filter(bool), st.booleans())
    def test_results_are_probabilities(self, blocks: list[tuple[float, float]], include: bool) -> None:
        probability, words = np.array(blocks, dtype=np.float32).T
        adjusted = adjust_for_kind(probability, np.linspace(0, 1, len(words), dtype=np.float32), words, include=include)
        assert ((adjusted >= 0) & (adjusted <= 1)).all()
        assert (adjusted >= probability).all() if include else (adjusted <= probability).all()
