"""Fit all boosted trees from one table of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from vclean.classify.forest import Forest
from vclean.classify.regions import CLASSES
from vclean.labels import PAGE_TYPES

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED: Final = 20071

_NAMES: Final = (
    "objective", "num_class", "rounds", "num_leaves", "learning_rate", "feature_fraction", "bagging_fraction",
    "min_data_in_leaf", "lambda_l2", "max_bin", "num_threads",
)  # fmt: skip
_TABLE: Final = {
    "content": ("binary", None, 150, 63, 0.12, 0.3, 0.9, 40, 5.0, 255, 2),
    "types": ("multiclass", 4, 40, 31, 0.15, 0.3, 0.9, 40, 5.0, 255, 2),
    "conventions": ("multiclass", None, 50, 7, 0.15, 0.2, 0.8, 10, 5.0, 255, 2),
    "regions": ("multiclass", CLASSES, 45, 7, 0.15, 0.3, 0.8, 10, 5.0, 63, 1),
    "segments": ("binary", None, 120, 7, 0.06, 0.2, 0.8, 8, 5.0, 63, 1),
    "metadata": ("binary", None, 150, 15, 0.05, 0.5, 0.8, 10, 3.0, 63, 1),
    "page types": ("multiclass", len(PAGE_TYPES), 60, 8, 0.1, 0.3, 0.8, 8, 3.0, 63, 1),
}
FITS: Final[dict[str, dict[str, Any]]] = {
    name: {
        **{key: value for key, value in zip(_NAMES, row, strict=True) if value is not None},
        "bagging_freq": 1,
        "seed": SEED,
        "deterministic": True,
        "force_col_wise": True,
        "verbosity": -1,  # reproducible, without log output
    }
    for name, row in _TABLE.items()
}
"""Parameters of LightGBM and number of rounds by model. Small models have one thread: a second one costs more than it
saves in short rounds."""
CORRECTIONS: Final[dict[str, Any]] = {
    "rounds": 40,
    "num_leaves": 8,
    "learning_rate": 0.1,
    "bagging_fraction": 1.0,
    "bagging_freq": 0,
    "min_data_in_leaf": 3,
    "num_threads": 1,
}
"""Changed parameters of trees that are added to a model, for a few pages with a few hundred blocks: small trees, and
several rows in each leaf."""


def fit(
    name: str,
    x: NDArray[Any],
    y: NDArray[Any],
    *,
    weight: NDArray[Any] | None = None,
    base: Forest | None = None,
    **changes: float,
) -> Forest:
    """Fit the model called `name` in `FITS`; the same arguments give the same trees.

    Args:
        name: name of the model.
        x: (R, F), one row per example.
        y: (R,), class or value of each row.
        weight: (R,), weight of each row; 1 by default.
        base: trees to continue from, with the parameters `CORRECTIONS`; the result contains them and the new trees.
        changes: other parameters of LightGBM.
    """
    import lightgbm  # takes a quarter of a second; needed for training only

    parameters = FITS[name] | (CORRECTIONS if base else {}) | changes
    rounds = parameters.pop("rounds")
    data = lightgbm.Dataset(x, y, weight=weight, params=dict(parameters), free_raw_data=base is None)
    booster = lightgbm.train(parameters, data, rounds, init_model=base.booster if base else None)
    return Forest(booster.model_to_string())
