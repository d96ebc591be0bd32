"""What every column contributed to what the trees say of a block: SHAP values, exact for trees (Lundberg et al. 2020).

They cost a thousand times as much as the verdict itself, about 10 ms a block, and are for those who ask why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import lightgbm
    from numpy.typing import NDArray

ROWS_AT_ONCE: Final = 64
"""A deadline is looked at between two calls of the library only; this many rows take less than a second."""


def contributions(trees: lightgbm.Booster, x: NDArray[np.float32]) -> tuple[float, NDArray[np.float64]]:
    """What the trees say of an average block, and what each column of `x` (B, F) adds to that; in log odds.

    Returns:
        The base, and float64 (B, F); the base and a row's sum are what the trees say of the row.
    """
    parts = [
        np.asarray(trees.predict(x[at : at + ROWS_AT_ONCE], pred_contrib=True)) for at in range(0, len(x), ROWS_AT_ONCE)
    ]
    whole = np.vstack(parts) if parts else np.zeros((0, x.shape[1] + 1))
    return (float(whole[0, -1]) if len(whole) else 0.0), whole[:, :-1]
