"""Fit the threshold model, which selects the content blocks of a page, and the calibration map of probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content.conventions import add_columns
from vclean.classify.content.threshold import CalibrationMap, ThresholdModel
from vclean.classify.evaluation.reliability import reliability
from vclean.classify.training.fits import fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from vclean.classify.content.threshold import CandidateSelections
    from vclean.classify.training.dataset import PageRows

KNOTS: Final = 24
"""Maximum number of points of a calibration map: more follow the noise."""
_STEP: Final = 1e-6
"""Minimum rise of a map between two points, which keeps the order of the values."""


def fit_map(
    predicted: ArrayLike, observed: ArrayLike, weight: ArrayLike | None = None, *, knots: int = KNOTS
) -> CalibrationMap:
    """Fit the map from probabilities to outcomes by isotonic regression (Zadrozny and Elkan 2002) on equal-mass bins.

    The map has at most `knots` points. The other arguments are those of `reliability`.
    """
    from scipy.optimize import isotonic_regression  # takes as long to import as the whole model to load

    bins = reliability(predicted, observed, weight, bins=knots, equal_mass=True)
    if len(bins.count) < 2:
        return CalibrationMap()
    level = isotonic_regression(bins.observed, weights=bins.weight).x
    x, y = _separate(bins.predicted), _separate(level)
    # Beyond the outermost bins the correction stays that of the nearest bin, limited to 0..1.
    low, high = max(0.0, y[0] - x[0]), min(1.0, y[-1] + 1 - x[-1])
    return CalibrationMap((0.0, *x.tolist(), 1.0), (low, *y.tolist(), high))


def _separate(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ascending `values` (K,) in 0..1, moved slightly apart from each other and from 0 and 1."""
    count = len(values)
    return np.asarray(values * (1 - _STEP * (count + 1)) + _STEP * np.arange(1, count + 1))


def word_f1(
    keeps: NDArray[np.bool_], share: NDArray[np.float32], words: NDArray[np.float32], gold_words: int
) -> NDArray[np.float64]:
    """Return the word F1 of K selections, float64 (K,), from the share (B,) of each block's words that are gold.

    Exact except for words that the page has more often than the gold: .005 off the score of the text, on average.
    """
    gold_hits, selected_words = keeps @ (share * words), keeps @ words
    return np.minimum(2 * gold_hits / np.maximum(selected_words + gold_words, 1), 1.0).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutPrediction:
    """Prediction for the B blocks of a page by a model that never saw its site.

    Attributes:
        probability: float32 (B,), that a block is content, before calibration.
        types: float32 (B, 4), probabilities of h, p, l and c, given that the block is content.
        candidates: selections to choose from; None for a page without blocks.
    """

    probability: NDArray[np.float32]
    types: NDArray[np.float32]
    candidates: CandidateSelections | None


def fit_threshold_model(
    examples: Sequence[tuple[PageRows, NDArray[np.float32], HeldOutPrediction]],
) -> ThresholdModel:
    """Fit the threshold model and the calibration map.

    Pages with partial gold are left out: the word F1 of a selection is not known.

    Args:
        examples: pages, at least one with blocks, each with the columns of the convention, float32 (C,), and the
            prediction with them. The calibration map is fitted on the first prediction of each page.
    """
    complete = [example for example in examples if not example[0].is_partial and example[2].candidates]
    rows, scores = [], []
    for page, convention, held_out in complete:
        if held_out.candidates:
            rows.append(add_columns(held_out.candidates.rows, convention))
            scores.append(word_f1(held_out.candidates.masks, page.share, page.layout.tokens, page.gold_words))
    first = {id(page): (page, held_out) for page, _, held_out in reversed(complete)}
    return ThresholdModel(fit("cuts", np.vstack(rows), np.concatenate(scores)), _calibration([*first.values()][::-1]))


def _calibration(pages: Sequence[tuple[PageRows, HeldOutPrediction]]) -> CalibrationMap:
    """Fit the calibration map of the blocks, with the training weights, between one per block and one per word."""
    predicted = np.concatenate([held_out.probability for _, held_out in pages])
    content = np.concatenate([page.content for page, _ in pages])
    return fit_map(predicted, content, np.concatenate([page.weight for page, _ in pages]))
