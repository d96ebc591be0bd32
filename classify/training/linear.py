"""Fit the two linear models over all training pages: logistic regression on hashed tokens, by L-BFGS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.content.stacking import clipped, row_scale
from vclean.features.text.characters import mix

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from vclean.features.groups import RaggedArray

ROUNDS = 60
"""Iterations of L-BFGS; the ranking of the scores is stable well before."""
PATH_PENALTY = 50.0
WORD_PENALTY = 3.0
"""L2 penalties, relative to the sum of log losses with weights of mean 1."""
STEP = 1 / 64
"""Step of the weights, in log odds: with exact weights the model file would be .7 MB larger."""
MIN_SITES = 2
"""Minimum number of sites on which a token has to occur to get a weight."""


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Design matrix of one linear model over all training rows; equal rows are stored once.

    Attributes:
        x: (U, M) sparse, the distinct rows over the tokens that occur on several sites; a token of one site does not
            generalize to others.
        bucket: int64 (M,), hash bucket of each column.
        size: number of hash buckets.
        row: int64 (R,), index of the distinct row of each training row.
        fold: int64 (R,); positive, negative: float32 (R,), weights of the training rows by class.
    """

    x: csr_matrix
    bucket: NDArray[np.int64]
    size: int
    row: NDArray[np.int64]
    fold: NDArray[np.int64]
    positive: NDArray[np.float32]
    negative: NDArray[np.float32]

    def fit(self, held_out: frozenset[int], penalty: float) -> tuple[NDArray[np.float32], float]:
        """Return weights (size,), multiples of `STEP`, and bias of the regression on all folds but `held_out`."""
        used_rows = ~np.isin(self.fold, list(held_out))
        positive = np.bincount(self.row[used_rows], self.positive[used_rows], minlength=self.x.shape[0])
        negative = np.bincount(self.row[used_rows], self.negative[used_rows], minlength=self.x.shape[0])
        used_distinct = np.flatnonzero(positive + negative)
        scale = used_rows.sum() / (positive.sum() + negative.sum())
        weights, bias = fit(
            self.x[used_distinct], positive[used_distinct] * scale, negative[used_distinct] * scale, penalty
        )
        full = np.zeros(self.size, dtype=np.float32)
        full[self.bucket] = np.round(weights / STEP) * STEP
        return full, bias

    def scores(self, weights: NDArray[np.float32], bias: float) -> NDArray[np.float32]:
        """Return the score of each training row, float32 (R,)."""
        return clipped((self.x @ weights[self.bucket] + bias)[self.row])


def build_design(
    rows: RaggedArray, size: int, *, scaled: bool, site: NDArray[np.int64], fold: NDArray[np.int64],
    content: NDArray[np.bool_], weight: NDArray[np.float32],
) -> Design:  # fmt: skip
    """Return the design matrix of the R training rows in `rows`, over `size` buckets; the arrays are (R,)."""
    from scipy.sparse import csr_matrix  # takes longer to import than a page to label

    owner = np.repeat(np.arange(len(site)), np.diff(rows.start))
    bucket = _shared_buckets(site[owner], rows.values, size)
    column_of = np.full(size, -1)
    column_of[bucket] = np.arange(len(bucket))
    column = column_of[rows.values]
    owner, column = owner[column >= 0], column[column >= 0]
    scale = row_scale(rows) if scaled else np.ones(len(site))
    first, row = _distinct_rows(owner, column, scale)
    values = scale[owner].astype(np.float32)
    x = csr_matrix((values, (owner, column)), shape=(len(site), len(bucket)))[first, :]
    return Design(x, bucket, size, row, fold, weight * content, weight * ~content)


def _shared_buckets(site: NDArray[np.int64], bucket: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """Return the buckets, ascending, of tokens from at least `MIN_SITES` sites, given site and bucket of each token."""
    from scipy.sparse import csr_matrix

    shape = (int(site.max(initial=0)) + 1, size)
    occurrences = csr_matrix((np.ones(len(site), dtype=np.int8), (site, bucket)), shape=shape)
    return np.flatnonzero(np.bincount(occurrences.indices, minlength=size) >= MIN_SITES)


def _distinct_rows(
    owner: NDArray[np.int64], column: NDArray[np.int64], scale: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of each group of equal rows (same columns and scale), and the group of each row."""
    key = mix(scale.view(np.uint64))
    np.add.at(key, owner, mix(column.astype(np.uint64) + np.uint64(1)))  # `mix` leaves 0 as it is
    _, first, row = np.unique(key, return_index=True, return_inverse=True)
    return first, row


def fit(
    x: csr_matrix, positive: NDArray[np.float64], negative: NDArray[np.float64], penalty: float
) -> tuple[NDArray[np.float32], float]:
    """Return weights (M,) and bias of the logistic regression on the rows of `x` (U, M), each weighted by class.

    Minimizes the weighted sum of log losses plus `penalty / 2` times the squared weights; the bias is not penalized.
    """
    from scipy.optimize import minimize  # takes as long to import as the whole model to load
    from scipy.special import expit

    back = x.T.tocsr()

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = x @ theta[:-1].astype(np.float32) + theta[-1]
        probability = expit(margin)
        value = positive @ np.logaddexp(0, -margin) + negative @ np.logaddexp(0, margin)
        slope = (positive + negative) * probability - positive
        gradient = back @ slope.astype(np.float32) + penalty * theta[:-1]
        return float(value + penalty / 2 * theta[:-1] @ theta[:-1]), np.append(gradient, slope.sum())

    optimum = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS})
    return optimum.x[:-1].astype(np.float32), float(optimum.x[-1])
