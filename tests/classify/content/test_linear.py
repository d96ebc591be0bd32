from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from vclean.classify.content.model import load
from vclean.classify.training.dataset import MIN_SITES, Design, fit
from vclean.features import matrix
from vclean.features.blocks import extract_blocks
from vclean.features.columns import RaggedArray

ROWS = st.lists(st.lists(st.integers(1, 6), max_size=5).map(lambda row: [0, *row]), min_size=2, max_size=20)
"""Rows of tokens, each with token 0, as each path has the tag `html`."""


def ragged(*rows: list[int]) -> RaggedArray:
    start = np.cumsum([0, *map(len, rows)])
    return RaggedArray(start, np.array([bucket for row in rows for bucket in row], dtype=np.int32))


def make(*rows: list[int], site=None, fold=None, weight=None, scaled=False) -> Design:
    """Return a design of small rows; by default each has its own site and fold, alternating classes and weight 1."""
    count = len(rows)
    table = SimpleNamespace(
        row_site=np.array(range(count) if site is None else site),
        row_fold=np.array(range(count) if fold is None else fold),
        content=np.arange(count) % 2 == 0,
        weight=np.array([1] * count if weight is None else weight, dtype=np.float32),
    )
    return Design(table, ragged(*rows), 8, scaled=scaled)


def loss(theta, x, positive, negative, penalty) -> float:
    """Compute the objective row by row."""
    total = penalty / 2 * sum(theta[:-1] ** 2)
    for row, plus, minus in zip(x, positive, negative, strict=True):
        margin = row @ theta[:-1] + theta[-1]
        total += plus * np.log1p(np.exp(-margin)) + minus * np.log1p(np.exp(margin))
    return float(total)


class TestFit:
    def test_bias_is_the_log_odds_without_tokens(self) -> None:
        weights, bias = fit(csr_matrix((1, 1), dtype=np.float32), np.array([3.0]), np.array([1.0]), 1.0)
        assert bias == pytest.approx(np.log(3), abs=1e-4)
        assert weights.tolist() == [0]

    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, 10**6))
    def test_result_is_a_minimum(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        x = random.integers(0, 3, (6, 3)).astype(np.float32)
        positive, negative = random.random((2, 6)) * 5
        weights, bias = fit(csr_matrix(x), positive, negative, 1.0)
        best = np.append(weights.astype(float), bias)
        for step in random.normal(0, 0.1, (20, 4)):
            assert loss(best, x, positive, negative, 1.0) <= loss(best + step, x, positive, negative, 1.0) + 1e-6


class TestDesign:
    def test_scales_rows_by_the_root_of_their_length(self) -> None:
        """Count all words of a row, also dropped ones."""
        matrix_design = make([1, 2, 7, 6], [1, 2], [], scaled=True)
        dense = matrix_design.x[matrix_design.row].toarray()
        np.testing.assert_allclose(dense, [[0.5, 0.5], [2**-0.5, 2**-0.5], [0, 0]], rtol=1e-6)

    @given(ROWS, st.booleans(), st.data())
    def test_preserves_rows(self, rows: list[list[int]], scaled: bool, data: st.DataObject) -> None:
        site = [0, 1, *data.draw(st.lists(st.integers(0, 3), min_size=len(rows) - 2, max_size=len(rows) - 2))]
        matrix_design = make(*rows, site=site, scaled=scaled)
        sites = {bucket: {s for s, row in zip(site, rows, strict=True) if bucket in row} for bucket in range(8)}
        assert matrix_design.bucket.tolist() == [bucket for bucket in range(8) if len(sites[bucket]) >= MIN_SITES]
        scale = [len(row) ** -0.5 if scaled else 1 for row in rows]
        expected = [[row.count(b) * s for b in matrix_design.bucket] for row, s in zip(rows, scale, strict=True)]
        np.testing.assert_allclose(matrix_design.x[matrix_design.row].toarray(), expected, rtol=1e-6)


class TestDesignFit:
    ROWS = ([0, 1], [0, 2], [0, 1, 2], [0], [0, 1, 3], [0, 2, 3], [0, 1], [0, 2])
    FOLDS = (0, 0, 0, 0, 1, 1, 2, 2)

    def test_equals_fit_without_excluded_rows(self) -> None:
        excluded, bias = make(*self.ROWS, fold=self.FOLDS).fit(frozenset({1, 2}), 1.0)
        part, part_bias = make(*self.ROWS[:4], fold=self.FOLDS[:4]).fit(frozenset(), 1.0)
        np.testing.assert_allclose(excluded, part, atol=1e-3)
        assert bias == pytest.approx(part_bias, abs=1e-3)

    def test_is_invariant_to_the_scale_of_weights(self) -> None:
        """Check that weights are normalized to a mean of 1; the penalty then has the same effect for each corpus."""
        one, ten = (make(*self.ROWS, fold=self.FOLDS, weight=[w] * 8).fit(frozenset(), 1.0) for w in (1, 10))
        np.testing.assert_allclose(one[0], ten[0], atol=1e-4)


class TestDesignScores:
    def test_known_scores(self) -> None:
        matrix_design = make([0, 1], [0, 5], [0, 1, 5], [0])
        weights = np.array([1, 2, 0, 0, 0, -1, 0, 0], dtype=np.float32)
        assert matrix_design.scores(weights, 0.5).tolist() == [3.5, 0.5, 2.5, 1.5]


class TestLinearModel:
    def test_types(self) -> None:
        blocks = extract_blocks(snapshot("<div class=menu><p>home</p></div><div class=story><p>cats sleep</p></div>"))
        path, word = load().linear.scores(matrix.extract(blocks))
        assert (path.dtype, word.dtype, path.shape, word.shape) == (np.float32, np.float32, (2,), (2,))
