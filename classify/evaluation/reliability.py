"""Calibration error: how far probabilities are from the outcomes.

A probability is calibrated if of all the blocks given .8, eight in ten are content; a page's confidence, if the pages
given .8 have a word F1 of .8 on average. The reliability table compares the two in bins, the expected calibration error
(ECE) is the mean distance, weighted by bin (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017).
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
    """What was said and what came of it, bin by bin, lowest first; bins without anything in them are left out.

    Attributes:
        count: (K,), how many fell into a bin.
        weight: float64 (K,), how much they weigh together.
        said: float64 (K,), their weighted mean probability.
        observed: float64 (K,), the weighted mean of what came of them.
    """

    count: NDArray[np.intp]
    weight: Numbers
    said: Numbers
    observed: Numbers

    @property
    def error(self) -> float:
        """The expected calibration error, in 0..1; 0 of nothing at all."""
        total = self.weight.sum()
        return float(self.weight @ np.abs(self.said - self.observed) / total) if total else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The error, and a row for each bin, ready for JSON."""
        columns = (self.count.tolist(), self.said.round(4).tolist(), self.observed.round(4).tolist())
        rows = [{"count": n, "said": p, "observed": q} for n, p, q in zip(*columns, strict=True)]
        return {"ece": round(self.error, 5), "bins": rows}


def reliability(
    said: ArrayLike, observed: ArrayLike, weight: ArrayLike | None = None, *, bins: int = BINS, equal_mass: bool = False
) -> Reliability:
    """The reliability table of N probabilities.

    Args:
        said: (N,), in 0..1.
        observed: (N,), what came of each, in 0..1: 0 or 1, or a score.
        weight: (N,), how much each counts; all alike without it.
        bins: how many.
        equal_mass: bins of the same weight, equal probabilities together, in place of bins of the same width.
    """
    p, q = np.asarray(said, dtype=float), np.asarray(observed, dtype=float)
    w = np.ones(len(p)) if weight is None else np.asarray(weight, dtype=float)
    place = _equal_mass(p, w, bins) if equal_mass else np.minimum((p * bins).astype(np.int64), bins - 1)
    count = np.bincount(place, minlength=bins)
    sums = (np.bincount(place, weights=each, minlength=bins) for each in (w, w * p, w * q))
    mass, p_sum, q_sum = (np.asarray(each, dtype=np.float64) for each in sums)
    used = mass > 0
    means = [total[used] / mass[used] for total in (p_sum, q_sum)]
    return Reliability(count[used], mass[used], *means)


def _equal_mass(p: Numbers, w: Numbers, bins: int) -> NDArray[np.int64]:
    """The bin of every probability, int64 (N,), by the weight of all that are smaller and half of its equals."""
    values, kind = np.unique(p, return_inverse=True)
    mass = np.bincount(kind, w, len(values))
    middle = (np.cumsum(mass) - mass / 2) / max(mass.sum(), 1e-300)
    return np.asarray(np.minimum((middle * bins).astype(np.int64), bins - 1)[kind])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PageOutcome:
    """What was said of a page with B blocks, and what came of it.

    Attributes:
        probability: float32 (B,), that a block is content.
        content: bool (B,), whether it is.
        words: float32 (B,), words per block.
        confidence: of the page, in 0..1.
        f1: the word F1 of what was kept of it.
    """

    probability: NDArray[np.float32]
    content: NDArray[np.bool_]
    words: NDArray[np.float32]
    confidence: float
    f1: float


def calibration_report(pages: Sequence[PageOutcome]) -> dict[str, Any]:
    """The reliability of one page's verdicts or of many, ready for JSON: of the blocks, of their words, of the pages.

    Blocks are what is told by their probability, each as one or by its words; pages by their confidence. The errors
    are of ten bins of the same width, `ece`, and of the same mass, `ece_equal_mass`; the bins shown are the former.
    """
    columns = [[getattr(page, name) for page in pages] for name in ("probability", "content", "words")]
    said, content, words = (np.concatenate([*column, np.zeros(0)]) for column in columns)
    confidence, f1 = np.array([[page.confidence, page.f1] for page in pages]).reshape(-1, 2).T
    return {
        "blocks": _examined(said, content, np.ones(len(said))),
        "words": _examined(said, content, words),
        "pages": _examined(confidence, f1, np.ones(len(f1))),
    }


def _examined(said: Numbers, observed: Numbers, weight: Numbers) -> dict[str, Any]:
    even = reliability(said, observed, weight)
    full = reliability(said, observed, weight, equal_mass=True)
    return {"ece": even.to_dict()["ece"], "ece_equal_mass": full.to_dict()["ece"], "bins": even.to_dict()["bins"]}
