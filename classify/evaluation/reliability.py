"""Measure calibration: the difference between probabilities and outcomes.

Probabilities are calibrated if of all the blocks given .8, eight in ten are content; confidences of pages, if the pages
given .8 have a word F1 of .8 on average. The reliability table compares the two in bins. The expected calibration error
(ECE) is their mean difference, weighted by bin (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Numbers = NDArray[np.float64]

BINS: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """Mean predictions and outcomes by bin, lowest bin first, without empty bins.

    Attributes:
        count: (K,), number of predictions in each bin.
        weight: float64 (K,), sum of their weights.
        predicted: float64 (K,), weighted mean probability.
        observed: float64 (K,), weighted mean outcome.
    """

    count: NDArray[np.intp]
    weight: Numbers
    predicted: Numbers
    observed: Numbers

    @property
    def error(self) -> float:
        """Return the expected calibration error, in 0..1; 0 without predictions."""
        total = self.weight.sum()
        return float(self.weight @ np.abs(self.predicted - self.observed) / total) if total else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the error and a row for each bin, ready for JSON."""
        columns = (self.count.tolist(), self.predicted.round(4).tolist(), self.observed.round(4).tolist())
        rows = [{"count": n, "predicted": p, "observed": q} for n, p, q in zip(*columns, strict=True)]
        return {"ece": round(self.error, 5), "bins": rows}


def reliability(
    predicted: ArrayLike,
    observed: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    bins: int = BINS,
    equal_mass: bool = False,
) -> Reliability:
    """Return the reliability table of N probabilities.

    Args:
        predicted: (N,), in 0..1.
        observed: (N,), outcomes in 0..1: 0 or 1, or a score.
        weight: (N,), weight of each; 1 by default.
        bins: number of bins.
        equal_mass: use bins of equal weight instead of bins of equal width; equal probabilities share a bin.
    """
    p, q = np.asarray(predicted, dtype=float), np.asarray(observed, dtype=float)
    w = np.ones(len(p)) if weight is None else np.asarray(weight, dtype=float)
    bin_index = _equal_mass(p, w, bins) if equal_mass else np.minimum((p * bins).astype(np.int64), bins - 1)
    count = np.bincount(bin_index, minlength=bins)
    sums = (np.bincount(bin_index, weights=each, minlength=bins) for each in (w, w * p, w * q))
    mass, p_sum, q_sum = (np.asarray(each, dtype=np.float64) for each in sums)
    used = mass > 0
    means = [total[used] / mass[used] for total in (p_sum, q_sum)]
    return Reliability(count[used], mass[used], *means)


def _equal_mass(p: Numbers, w: Numbers, bins: int) -> NDArray[np.int64]:
    """Return the bin of each probability, int64 (N,), by the weight of all smaller ones and half of the equal ones."""
    values, index = np.unique(p, return_inverse=True)
    mass = np.bincount(index, w, len(values))
    middle = (np.cumsum(mass) - mass / 2) / max(mass.sum(), 1e-300)
    return np.asarray(np.minimum((middle * bins).astype(np.int64), bins - 1)[index])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CalibrationSample:
    """Predictions and outcomes for a page of B blocks.

    Attributes:
        probability: float32 (B,), that a block is content.
        content: bool (B,), whether a block is content.
        words: float32 (B,), words per block.
        confidence: confidence of the page, in 0..1.
        f1: word F1 of the selected blocks.
    """

    probability: NDArray[np.float32]
    content: NDArray[np.bool_]
    words: NDArray[np.float32]
    confidence: float
    f1: float


def calibration_report(pages: Sequence[CalibrationSample]) -> dict[str, Any]:
    """Return the calibration errors and bins of pages, ready for JSON: of blocks, words and page confidences.

    Blocks and words are scored by the probability of their block, pages by their confidence. `ece` has ten bins of
    equal width and `ece_equal_mass` ten bins of equal mass; `bins` are those of equal width.
    """
    columns = [[getattr(page, name) for page in pages] for name in ("probability", "content", "words")]
    predicted, content, words = (np.concatenate([*column, np.zeros(0)]) for column in columns)
    confidence, f1 = np.array([[page.confidence, page.f1] for page in pages]).reshape(-1, 2).T
    return {
        "blocks": _errors_and_bins(predicted, content, np.ones(len(predicted))),
        "words": _errors_and_bins(predicted, content, words),
        "pages": _errors_and_bins(confidence, f1, np.ones(len(f1))),
    }


def _errors_and_bins(predicted: Numbers, observed: Numbers, weight: Numbers) -> dict[str, Any]:
    equal_width = reliability(predicted, observed, weight).to_dict()
    equal_mass = reliability(predicted, observed, weight, equal_mass=True).to_dict()
    return {"ece": equal_width["ece"], "ece_equal_mass": equal_mass["ece"], "bins": equal_width["bins"]}
