"""Fit what decides how much of a page is kept: the threshold model, and the map that calibrates probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.content.threshold import CalibrationMap, ThresholdModel
from vclean.classify.evaluation.reliability import reliability
from vclean.classify.trees.boosting import REPRODUCIBLE, SEED, fit_forest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from vclean.classify.content.threshold import CandidateSelections
    from vclean.classify.training.dataset import PageRows
    from vclean.classify.trees.forest import Forest

KNOTS: Final = 24
"""Points of a calibration map: more follow the noise."""
_STEP: Final = 1e-6
"""What a map rises between two points at least, so that it keeps the order of what it maps."""


def fit_map(
    said: ArrayLike, observed: ArrayLike, weight: ArrayLike | None = None, *, knots: int = KNOTS
) -> CalibrationMap:
    """Fit the map from probabilities to outcomes: isotonic regression (Zadrozny and Elkan 2002) over equal masses.

    It has `knots` points at most; the rest is as in `reliability`.
    """
    from scipy.optimize import isotonic_regression  # takes as long to import as the whole model to load

    found = reliability(said, observed, weight, bins=knots, equal_mass=True)
    if len(found.count) < 2:
        return CalibrationMap()
    level = isotonic_regression(found.observed, weights=found.weight).x
    x, y = _apart(found.said), _apart(level)
    # Beyond the outermost bins as much is added or taken away as there, as far as 0..1 reaches.
    low, high = max(0.0, y[0] - x[0]), min(1.0, y[-1] + 1 - x[-1])
    return CalibrationMap((0.0, *x.tolist(), 1.0), (low, *y.tolist(), high))


def _apart(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ascending `values` (K,) of 0..1, a little apart from each other and from the ends."""
    count = len(values)
    return np.asarray(values * (1 - _STEP * (count + 1)) + _STEP * np.arange(1, count + 1))


PARAMETERS: dict[str, Any] = {
    "objective": "regression",
    "num_leaves": 15,
    "learning_rate": 0.03,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "min_data_in_leaf": 50,
    "lambda_l2": 20.0,
    "num_threads": 2,
    "seed": SEED,
    **REPRODUCIBLE,
}
ROUNDS: Final = 300


def word_f1(
    keeps: NDArray[np.bool_], share: NDArray[np.float32], words: NDArray[np.float32], gold_words: int
) -> NDArray[np.float64]:
    """Return the word F1 of K selections, float64 (K,), from the share (B,) of each block's words that are gold.

    Exact up to words that gold has once and the page more often: .005 from the score of the text, on average.
    """
    hits, kept = keeps @ (share * words), keeps @ words
    return np.minimum(2 * hits / np.maximum(kept + gold_words, 1), 1.0).astype(np.float64)


def fit(rows: NDArray[np.float32], f1: NDArray[np.float64]) -> Forest:
    """Fit the trees of a threshold model, from the candidates' rows (N, F) and their word F1 (N,)."""
    return fit_forest(PARAMETERS, ROUNDS, rows, f1)


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutPrediction:
    """Prediction for the B blocks of a page by a model that never saw its site.

    Attributes:
        probability: float32 (B,), that a block is content, as the trees have it.
        types: float32 (B, 4), the probabilities of h, p, l and c, were it content.
        candidates: to choose from; None for a page without blocks.
    """

    probability: NDArray[np.float32]
    types: NDArray[np.float32]
    candidates: CandidateSelections | None


def fit_threshold_model(pages: Sequence[PageRows], unseen: Sequence[HeldOutPrediction]) -> ThresholdModel:
    """Fit the threshold model of `pages`, of which at least one has blocks, and their calibration map."""
    chosen = [(page, said.candidates) for page, said in zip(pages, unseen, strict=True) if said.candidates]
    rows = np.vstack([found.rows for _, found in chosen])
    scores = [word_f1(found.keeps, page.share, page.layout.tokens, page.gold_words) for page, found in chosen]
    return ThresholdModel(fit(rows, np.concatenate(scores)), _calibration(pages, unseen))


def _calibration(pages: Sequence[PageRows], unseen: Sequence[HeldOutPrediction]) -> CalibrationMap:
    """Fit the calibration map of the blocks; a block counts as in training, between one each and its words."""
    said = np.concatenate([page.probability for page in unseen])
    content = np.concatenate([page.content for page in pages])
    return fit_map(said, content, np.concatenate([page.weight for page in pages]))
