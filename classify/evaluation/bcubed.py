"""Compute extended BCubed: the agreement of two segmentations of a page, element by element.

The measure is that of Amigó et al. 2009 for overlapping clusters, as Kiesel et al. 2020 (CIKM) use it for web pages.
Take two elements that share segments of the method. Their precision is min(m, t) / m, where m and t are the numbers of
segments of the method and of true segments that they share. The precision of an element is the mean over all elements
with which it shares a segment of the method, itself included. The precision of a page is the mean over the elements in
segments of the method. Recall is the same with the sides swapped.

So elements in no segment of either side do not count. An element in a segment of the method only lowers precision, and
one in a true segment only lowers recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_CELLS: Final = 2**23
"""Number of pairs of groups compared at a time: 32 MB per matrix."""


@dataclass(frozen=True, slots=True)
class BCubedScore:
    """Precision and recall of a page; NaN if no element is in a segment of the method, or in a true segment."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall; 0 if one is undefined."""
        return harmonic(self.precision, self.recall)


class BCubedSummary(NamedTuple):
    """Mean precision, recall and F1 of several pages (F_B3), and F of the mean precision and recall (F*).

    NaN without pages. An undefined precision or recall counts as 0.
    """

    precision: float
    recall: float
    f_b3: float
    f_star: float


def harmonic(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where it is undefined."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def score(weight: NDArray[Any], predicted: NDArray[np.bool_], truth: NDArray[np.bool_]) -> BCubedScore:
    """Return extended BCubed over K groups of elements.

    Args:
        weight: (K,), size of each group; groups of size 0 do not count.
        predicted: bool (K, F), whether a group is in each segment of the method.
        truth: bool (K, G), whether a group is in each true segment.
    """
    size, predicted, truth = _merged(np.asarray(weight, dtype=np.float64), predicted, truth)
    return BCubedScore(*_precision_and_recall(size, predicted.astype(np.float32), truth.astype(np.float32)))


def summary(scores: Iterable[BCubedScore]) -> BCubedSummary:
    """Return the mean scores of several pages."""
    rows = [(page.precision, page.recall, page.f1) for page in scores]
    if not rows:
        return BCubedSummary(*[float("nan")] * 4)
    precision, recall, f_b3 = np.nan_to_num(np.array(rows)).mean(axis=0).tolist()
    return BCubedSummary(precision, recall, f_b3, harmonic(precision, recall))


def _merged(
    weight: NDArray[np.float64], predicted: NDArray[np.bool_], truth: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Merge groups that are in the same segments on both sides: the measure is the same, with far fewer pairs."""
    counts = (weight > 0) & (predicted.any(axis=1) | truth.any(axis=1))
    rows = np.hstack([predicted, truth])[counts]
    if not len(rows):
        return weight[counts], predicted[counts], truth[counts]
    _, first, group = np.unique(np.packbits(rows, axis=1), axis=0, return_index=True, return_inverse=True)
    merged = rows[first]
    size = np.bincount(group.ravel(), weight[counts]).astype(np.float64)
    return size, merged[:, : predicted.shape[1]], merged[:, predicted.shape[1] :]


def _precision_and_recall(
    size: NDArray[np.float64], predicted: NDArray[np.float32], truth: NDArray[np.float32]
) -> tuple[float, float]:
    values = np.full((2, len(size)), np.nan)
    step = max(1, _CELLS // max(len(size), 1))
    for begin in range(0, len(size), step):
        rows = slice(begin, begin + step)
        shared_predicted, shared_truth = predicted[rows] @ predicted.T, truth[rows] @ truth.T
        least = np.minimum(shared_predicted, shared_truth)
        values[0, rows] = _mean_share(least, shared_predicted, size)
        values[1, rows] = _mean_share(least, shared_truth, size)
    return _mean(values[0], size), _mean(values[1], size)


def _mean_share(least: NDArray[np.float32], shared: NDArray[np.float32], size: NDArray[np.float64]) -> NDArray[Any]:
    """Return by row the mean of `least / shared` over the pairs that share a segment; NaN in rows without one."""
    share = np.divide(least, shared, out=np.zeros_like(least), where=shared > 0)
    partners = (shared > 0) @ size
    return np.asarray(np.divide(share @ size, partners, out=np.full(len(partners), np.nan), where=partners > 0))


def _mean(values: NDArray[np.float64], size: NDArray[np.float64]) -> float:
    known = ~np.isnan(values)
    return float(np.average(values[known], weights=size[known])) if known.any() else float("nan")
