"""The region model: which role a container of the page has, if any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import lightgbm
import numpy as np

from vclean.features.region_blocks import CLASSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.region_rows import RegionRows

SEED: Final = 20071
ROUNDS: Final = 30
PARAMETERS: dict[str, Any] = {
    "objective": "multiclass",
    "num_class": CLASSES,
    "num_leaves": 15,
    "learning_rate": 0.12,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "min_data_in_leaf": 10,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "num_threads": 1,  # a round is too short to be worth a second thread
    "seed": SEED,
    "deterministic": True,
    "force_col_wise": True,
    "verbosity": -1,
}


def fit(rows: Sequence[RegionRows], weight: Sequence[float] | None = None) -> lightgbm.Booster:
    """The boosted model of the role of a container; the same rows give the same model.

    Args:
        rows: of the pages.
        weight: of every page's rows, 1 without it.
    """
    x = np.vstack([page.x for page in rows])
    role = np.concatenate([page.role for page in rows])
    scale = np.repeat([1.0] * len(rows) if weight is None else weight, [len(page) for page in rows])
    data = lightgbm.Dataset(x, role, weight=scale, params=PARAMETERS, free_raw_data=True)
    return lightgbm.train(PARAMETERS, data, ROUNDS)


def posterior(booster: lightgbm.Booster, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (C, CLASSES): the probability of every role, and of being no region, for rows `x`."""
    if not len(x):
        return np.zeros((0, CLASSES), dtype=np.float32)
    return np.asarray(booster.predict(x, num_threads=1), dtype=np.float32)
