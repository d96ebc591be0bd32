"""Two logistic regressions over hashed tokens: one over names on the tag path, one over words.

They carry what no fixed list of columns can: that `sidebar` in a class name, or `subscribe` in a text, speaks against
content. The gradient-boosted model reads their verdicts, which in training have to come from models that did not see
the page's site.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import expit

from vclean.features.text import mix
from vclean.features.tokens import BUCKETS, Ragged, path_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.matrix import Features

ROUNDS = 60
"""L-BFGS iterations; the verdicts' ranking settles well before."""
PATH_PENALTY = 3.0
WORD_PENALTY = 1.0
"""L2 penalties, over the sum of log losses with weights of mean 1."""
MIN_SITES = 2
"""A token has to occur on this many sites to be learned from."""
_CLIP = 12.0


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """Weights float32 over hash buckets: `path` (2 * BUCKETS,), its second half for the innermost elements, `word` (BUCKETS,)."""

    path: NDArray[np.float32]
    path_bias: float
    word: NDArray[np.float32]
    word_bias: float

    def scores(self, features: Features) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Log odds that a block is content, float32 (B,) each: by its tag path, and by its words."""
        if not len(features.view):
            return np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.float32)
        path = path_scores(features.view, features.element_tokens, self.path[:BUCKETS], self.path[BUCKETS:])
        word = features.word_tokens.sums(self.word) * _row_scale(features.word_tokens)
        return _clipped(path + self.path_bias), _clipped(word + self.word_bias)


def _clipped(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.clip(scores, -_CLIP, _CLIP).astype(np.float32)


def _row_scale(rows: Ragged) -> NDArray[np.float64]:
    """One over the root of each row's length: long texts must not count by length alone."""
    return np.asarray(1 / np.sqrt(np.maximum(np.diff(rows.start), 1)))


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The rows of one linear model over all training pages, equal rows of a fold put together.

    Attributes:
        x: (U, M) sparse, the distinct rows over the tokens that occur on several sites: a token of one site tells
            nothing of another.
        bucket: int64 (M,), the hash bucket of every column.
        size: number of hash buckets.
        row: int64 (R,), the distinct row of every training row.
        fold: int64 (R,); positive, negative: float64 (R,), weights of the training rows by class.
    """

    x: csr_matrix
    bucket: NDArray[np.int64]
    size: int
    row: NDArray[np.int64]
    fold: NDArray[np.int64]
    positive: NDArray[np.float64]
    negative: NDArray[np.float64]

    def fit(self, unseen: frozenset[int], penalty: float) -> tuple[NDArray[np.float32], float]:
        """Weights (size,) and bias of the logistic regression on all folds but `unseen`."""
        seen = ~np.isin(self.fold, list(unseen))
        positive = np.bincount(self.row[seen], self.positive[seen], minlength=self.x.shape[0])
        negative = np.bincount(self.row[seen], self.negative[seen], minlength=self.x.shape[0])
        used = np.flatnonzero(positive + negative)
        scale = seen.sum() / (positive.sum() + negative.sum())
        weights, bias = fit(self.x[used], positive[used] * scale, negative[used] * scale, penalty)
        full = np.zeros(self.size, dtype=np.float32)
        full[self.bucket] = weights
        return full, bias

    def scores(self, weights: NDArray[np.float32], bias: float) -> NDArray[np.float32]:
        """Verdicts float32 (R,) of every training row."""
        return _clipped((self.x @ weights[self.bucket] + bias)[self.row])


def design(
    rows: Ragged, size: int, *, scaled: bool, site: NDArray[np.int64], fold: NDArray[np.int64],
    content: NDArray[np.bool_], weight: NDArray[np.float32],
) -> Design:  # fmt: skip
    """The design of training rows: `rows` (R rows over `size` buckets), the site, fold, class and weight (R,) of each."""
    owner = np.repeat(np.arange(len(site)), np.diff(rows.start))
    spread = csr_matrix((np.ones(len(owner), dtype=np.int8), (site[owner], rows.bucket)), shape=(site.max() + 1, size))
    bucket = np.flatnonzero(np.bincount(spread.indices, minlength=size) >= MIN_SITES)
    place = np.full(size, -1)
    place[bucket] = np.arange(len(bucket))
    column = place[rows.bucket]
    owner, column = owner[column >= 0], column[column >= 0]
    key = np.zeros(len(site), dtype=np.uint64)
    np.add.at(key, owner, mix(column.astype(np.uint64)))
    scale = _row_scale(rows) if scaled else np.ones(len(site))
    _, first, row = np.unique(key + mix(scale.view(np.uint64)), return_index=True, return_inverse=True)
    values = scale[owner].astype(np.float32)
    x = csr_matrix((values, (owner, column)), shape=(len(site), len(bucket)))[first]
    return Design(x, bucket, size, row, fold, weight * content, weight * ~content)


def fit(
    x: csr_matrix, positive: NDArray[np.float64], negative: NDArray[np.float64], penalty: float
) -> tuple[NDArray[np.float32], float]:
    """Weights (M,) and bias of the logistic regression on the rows of `x` (U, M), each weighted by class; deterministic."""
    back = x.T.tocsr()

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = x @ theta[:-1].astype(np.float32) + theta[-1]
        probability = expit(margin)
        value = positive @ np.logaddexp(0, -margin) + negative @ np.logaddexp(0, margin)
        slope = (positive + negative) * probability - positive
        gradient = back @ slope.astype(np.float32) + penalty * theta[:-1]
        return float(value + penalty / 2 * theta[:-1] @ theta[:-1]), np.append(gradient, slope.sum())

    found = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS})
    return found.x[:-1].astype(np.float32), float(found.x[-1])
