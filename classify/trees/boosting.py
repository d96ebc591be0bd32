"""Fit boosted trees with LightGBM, with the parameters that all models share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from vclean.classify.trees.forest import Forest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SEED: Final = 20071
REPRODUCIBLE: Final[Mapping[str, Any]] = {"deterministic": True, "force_col_wise": True, "verbosity": -1}
"""LightGBM parameters for reproducible training without log output; the seed is a separate parameter."""


def fit_forest(
    parameters: Mapping[str, Any],
    rounds: int,
    x: NDArray[Any],
    y: NDArray[Any],
    *,
    weight: NDArray[Any] | None = None,
    offset: NDArray[Any] | None = None,
    base: Forest | None = None,
) -> Forest:
    """Fit boosted trees; the same arguments give the same trees.

    Args:
        parameters: parameters of LightGBM.
        rounds: number of boosting rounds.
        x: (R, F), one row per example.
        y: (R,), class or value of each row.
        weight: (R,), weight of each row; 1 by default.
        offset: (R,), log odds that the trees are added to, and that they do not contain; 0 by default.
        base: trees to continue from; the result contains them and the new trees.
    """
    import lightgbm  # takes a quarter of a second; needed for training only

    data = lightgbm.Dataset(x, y, weight=weight, init_score=offset, params=dict(parameters), free_raw_data=base is None)
    return Forest.from_booster(
        lightgbm.train(dict(parameters), data, rounds, init_model=base.booster if base else None)
    )
