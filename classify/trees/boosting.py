"""Fit boosted trees with LightGBM: parameters that all models share, and one function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from vclean.classify.trees.forest import Forest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SEED: Final = 20071
REPRODUCIBLE: Final[Mapping[str, Any]] = {"deterministic": True, "force_col_wise": True, "verbosity": -1}
"""Parameters by which the same rows give the same trees, without a log; the seed is given beside them."""


def fit_forest(
    parameters: Mapping[str, Any],
    rounds: int,
    x: NDArray[Any],
    y: NDArray[Any],
    *,
    weight: NDArray[Any] | None = None,
    base: Forest | None = None,
) -> Forest:
    """Fit boosted trees; the same arguments give the same trees.

    Args:
        parameters: of LightGBM.
        rounds: number of boosting rounds.
        x: (R, F), one row per example.
        y: (R,), class or value of every row.
        weight: (R,), of every row; 1 without it.
        base: trees to which the new ones are added.
    """
    import lightgbm  # a quarter of a second, for training only

    data = lightgbm.Dataset(x, y, weight=weight, params=dict(parameters), free_raw_data=base is None)
    return Forest.of(lightgbm.train(dict(parameters), data, rounds, init_model=base.booster if base else None))
