"""Fit the model of kinds on the blocks of known kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.trees.boosting import REPRODUCIBLE, SEED, fit_forest
from vclean.labels import KINDS, LEARNED_KINDS, UNKNOWN, Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.trees.forest import Forest

PARAMETERS: Final[dict[str, Any]] = {
    "objective": "multiclass",
    "num_class": len(LEARNED_KINDS),
    "num_leaves": 15,
    "learning_rate": 0.2,
    "feature_fraction": 0.2,
    "bagging_fraction": 0.9,
    "bagging_freq": 1,
    "min_data_in_leaf": 40,
    "lambda_l2": 5.0,
    "num_threads": 2,
    "seed": SEED,
    **REPRODUCIBLE,
}
ROUNDS: Final = 30
OTHERS_PER_BLOCK: Final = 3
"""Maximum number of blocks of the kind `OTHER` per block of another kind; they are much alike."""


def known_rows(kind: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the rows to fit the model on, ascending, int64: all of known kind, with a sample of those of `OTHER`."""
    other = np.flatnonzero(kind == KINDS.index(Kind.OTHER))
    rest = np.flatnonzero((kind != UNKNOWN) & (kind != KINDS.index(Kind.OTHER)))
    limit = OTHERS_PER_BLOCK * max(len(rest), 1)
    draw = np.random.default_rng(SEED).permutation(other)[:limit]
    return np.sort(np.concatenate([rest, draw]))


def fit_kinds(x: NDArray[np.float32], kind: NDArray[np.int8], page: NDArray[np.int64]) -> Forest | None:
    """Fit the boosted trees of kinds; None if fewer than two kinds are known.

    Args:
        x: float32 (R, F), feature matrix of the training rows.
        kind: int8 (R,), indices into `KINDS`, `UNKNOWN` for rows that are left out.
        page: int64 (R,), the page of each row. A row weighs one over the root of the number of known rows of its page.
    """
    rows = known_rows(kind)
    if len(np.unique(kind[rows])) < 2:
        return None
    weight = 1 / np.sqrt(np.bincount(page[rows])[page[rows]])
    return fit_forest(PARAMETERS, ROUNDS, x[rows], kind[rows], weight=weight)
