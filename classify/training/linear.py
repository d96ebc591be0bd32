"""Fit the two linear models over all training pages: logistic regression on hashed tokens, by L-BFGS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.content.linear import clipped, row_scale
from vclean.features.text.characters import mix

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from vclean.features.groups import RaggedArray

ROUNDS = 60
"""L-BFGS iterations; the verdicts' ranking settles well before."""
PATH_PENALTY = 50.0
WORD_PENALTY = 3.0
"""L2 penalties, over the sum of log losses with weights of mean 1."""
MIN_SITES = 2
"""A token has to occur on this many sites to be learned from."""


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The rows of one linear model over all training pages, equal rows of a fold put together.

    Attributes:
        x: (U, M) sparse, the distinct rows over the tokens that occur on several sites: a token of one site tells
            nothing of another.
        bucket: int64 (M,), the hash bucket of every column.
        size: number of hash buckets.
        row: int64 (R,), the distinct row of every training row.
        fold: int64 (R,); positive, negative: float32 (R,), weights of the training rows by class.
    """

    x: csr_matrix
    bucket: NDArray[np.int64]
    size: int
    row: NDArray[np.int64]
    fold: NDArray[np.int64]
    positive: NDArray[np.float32]
    negative: NDArray[np.float32]

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
        return clipped((self.x @ weights[self.bucket] + bias)[self.row])


def design(
    rows: RaggedArray, size: int, *, scaled: bool, site: NDArray[np.int64], fold: NDArray[np.int64],
    content: NDArray[np.bool_], weight: NDArray[np.float32],
) -> Design:  # fmt: skip
    """The design of the R training rows in `rows`, over `size` buckets; site, fold, class and weight are (R,)."""
    from scipy.sparse import csr_matrix  # takes longer to import than a page to label

    owner = np.repeat(np.arange(len(site)), np.diff(rows.start))
    bucket = _shared_buckets(site[owner], rows.values, size)
    place = np.full(size, -1)
    place[bucket] = np.arange(len(bucket))
    column = place[rows.values]
    owner, column = owner[column >= 0], column[column >= 0]
    scale = row_scale(rows) if scaled else np.ones(len(site))
    first, row = _distinct_rows(owner, column, scale)
    values = scale[owner].astype(np.float32)
    x = csr_matrix((values, (owner, column)), shape=(len(site), len(bucket)))[first, :]
    return Design(x, bucket, size, row, fold, weight * content, weight * ~content)


def _shared_buckets(site: NDArray[np.int64], bucket: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """The buckets, ascending, that tokens of `MIN_SITES` sites or more fall into; site and bucket of every token."""
    from scipy.sparse import csr_matrix

    shape = (int(site.max(initial=0)) + 1, size)
    spread = csr_matrix((np.ones(len(site), dtype=np.int8), (site, bucket)), shape=shape)
    return np.flatnonzero(np.bincount(spread.indices, minlength=size) >= MIN_SITES)


def _distinct_rows(
    owner: NDArray[np.int64], column: NDArray[np.int64], scale: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A row of each kind, and the kind of every row: of one kind are rows of the same columns and the same scale."""
    key = mix(scale.view(np.uint64))
    np.add.at(key, owner, mix(column.astype(np.uint64) + np.uint64(1)))  # `mix` leaves 0 as it is
    _, first, row = np.unique(key, return_index=True, return_inverse=True)
    return first, row


def fit(
    x: csr_matrix, positive: NDArray[np.float64], negative: NDArray[np.float64], penalty: float
) -> tuple[NDArray[np.float32], float]:
    """Weights (M,) and bias of the logistic regression on the rows of `x` (U, M), each weighted by class.

    Minimises the weighted sum of log losses plus `penalty / 2` times the squared weights; the bias goes unpunished.
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

    found = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS})
    return found.x[:-1].astype(np.float32), float(found.x[-1])
