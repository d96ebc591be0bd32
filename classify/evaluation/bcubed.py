"""Extended BCubed: how well one segmentation of a page agrees with another, element by element.

The measure is that of Amigó et al. 2009 for overlapping clusters, as Kiesel et al. 2020 (CIKM) use it for web pages.
For two elements that share segments of the method, precision is the smaller of the numbers of segments they share on
the two sides over that of the method's; an element's precision is the mean over all elements it shares a segment of the
method with, itself among them; the precision of a page is the mean over the elements that are in a segment of the
method. Recall is the same with the sides swapped.

So elements in no segment of either side do not count at all; one that only the method has in a segment lowers
precision, and one that only the truth has lowers recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_CELLS: Final = 2**23
"""Pairs of groups that are compared at a time: 32 MB a matrix."""


@dataclass(frozen=True, slots=True)
class BCubedScore:
    """Precision and recall of a page; each is NaN where no element is in a segment of its side."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Their harmonic mean; 0 where one is unknown."""
        return harmonic(self.precision, self.recall)


class BCubedSummary(NamedTuple):
    """Scores of several pages: means of precision, recall and F1 (F_B3), and F of the mean precision and recall (F*).

    NaN where there are no pages; an unknown precision or recall counts as 0.
    """

    precision: float
    recall: float
    f_b3: float
    f_star: float


def harmonic(precision: float, recall: float) -> float:
    """The harmonic mean; 0 where it is not defined."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def score(weight: NDArray[Any], found: NDArray[np.bool_], truth: NDArray[np.bool_]) -> BCubedScore:
    """Extended BCubed over K groups of elements.

    Args:
        weight: (K,), the size of every group; groups of no size do not count.
        found: bool (K, F), whether a group is in each segment of the method.
        truth: bool (K, G), whether it is in each segment of the truth.
    """
    size, ours, theirs = _merged(np.asarray(weight, dtype=np.float64), found, truth)
    return BCubedScore(*_both(size, ours.astype(np.float32), theirs.astype(np.float32)))


def summary(scores: Iterable[BCubedScore]) -> BCubedSummary:
    """The scores of several pages as one."""
    rows = [(page.precision, page.recall, page.f1) for page in scores]
    if not rows:
        return BCubedSummary(*[float("nan")] * 4)
    precision, recall, f_b3 = np.nan_to_num(np.array(rows)).mean(axis=0).tolist()
    return BCubedSummary(precision, recall, f_b3, harmonic(precision, recall))


def _merged(
    weight: NDArray[np.float64], found: NDArray[np.bool_], truth: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Groups in the same segments on both sides as one: the measure is the same, and the pairs are far fewer."""
    counts = (weight > 0) & (found.any(axis=1) | truth.any(axis=1))
    rows = np.hstack([found, truth])[counts]
    if not len(rows):
        return weight[counts], found[counts], truth[counts]
    _, first, group = np.unique(np.packbits(rows, axis=1), axis=0, return_index=True, return_inverse=True)
    merged = rows[first]
    size = np.bincount(group.ravel(), weight[counts]).astype(np.float64)
    return size, merged[:, : found.shape[1]], merged[:, found.shape[1] :]


def _both(size: NDArray[np.float64], ours: NDArray[np.float32], theirs: NDArray[np.float32]) -> tuple[float, float]:
    """Precision and recall, from the numbers of segments that pairs of groups share on either side."""
    values = np.full((2, len(size)), np.nan)
    step = max(1, _CELLS // max(len(size), 1))
    for begin in range(0, len(size), step):
        rows = slice(begin, begin + step)
        shared, wanted = ours[rows] @ ours.T, theirs[rows] @ theirs.T
        least = np.minimum(shared, wanted)
        values[0, rows] = _mean_share(least, shared, size)
        values[1, rows] = _mean_share(least, wanted, size)
    return _mean(values[0], size), _mean(values[1], size)


def _mean_share(least: NDArray[np.float32], shared: NDArray[np.float32], size: NDArray[np.float64]) -> NDArray[Any]:
    """Mean of `least` over `shared` over the pairs that share any, by row; NaN in rows without one."""
    share = np.divide(least, shared, out=np.zeros_like(least), where=shared > 0)
    partners = (shared > 0) @ size
    return np.asarray(np.divide(share @ size, partners, out=np.full(len(partners), np.nan), where=partners > 0))


def _mean(values: NDArray[np.float64], size: NDArray[np.float64]) -> float:
    known = ~np.isnan(values)
    return float(np.average(values[known], weights=size[known])) if known.any() else float("nan")
