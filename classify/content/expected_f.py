"""Select the blocks of a page that maximize the expected word F measure, and assign labels from probabilities.

A model of the word F1 of seven such selections, of different weights of recall, was no better: .0003 in the mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.labels import LABELS, Label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

CORRELATION: Final = 0.5
"""Correlation between the labels of a page's blocks (the parameter of the copula in `_scenarios`)."""
_POINTS: Final = np.array([1.0232556637891326, 2.07684797867783, 3.20542900285647, 4.512745863399783])
_POINT_WEIGHTS: Final = np.array(
    [0.24409750289493953, 0.04991640676521782, 0.0027891413212317692, 2.2345844007746607e-05]
)
"""Positive points of the Gauss-Hermite quadrature for the normal distribution, of nine, and their weights, as
`numpy.polynomial.hermite_e.hermegauss` returns them, whose import takes longer than a page."""
FACTOR: Final = np.concatenate([-_POINTS[::-1], [0.0], _POINTS])
SCENARIO_WEIGHTS: Final = np.concatenate([_POINT_WEIGHTS[::-1], [0.40634920634920635], _POINT_WEIGHTS])
"""Values of the page factor in the scenarios, and their probabilities."""
_PER_UNIT: Final = 256
_LAST: Final = 8 * _PER_UNIT
_DEVIATION: Final = np.arange(-_LAST, _LAST + 1) / _PER_UNIT
_NORMAL: Final = np.array([math.erfc(-z / math.sqrt(2)) / 2 for z in _DEVIATION.tolist()])
"""Standard normal distribution at `_DEVIATION`, for linear interpolation with errors below 1e-6.

The import of `scipy.special` takes as long as all other imports of a page without a browser."""
_LEVEL: Final = np.concatenate([[0], _NORMAL[:-1], [1]])
_RISE: Final = np.diff(_NORMAL, prepend=_NORMAL[0], append=_NORMAL[-1])
"""The distribution below, at and above the points of `_DEVIATION`, and its rise up to the next point."""
_TINY: Final = 1e-9
_SURE: Final = 0.95
_QUARTILE: Final = 0.75
_LARGEST_LOG_ODDS: Final = 16.0
"""About the log odds of the largest float32 below 1."""

HEADING, CONTINUATION = (list(Label).index(label) for label in (Label.HEADING, Label.CONTINUATION))


def best_selection(
    probability: NDArray[np.float32], words: NDArray[np.float32], beta: float = 1.0
) -> tuple[NDArray[np.bool_], float]:
    """Select the most probable blocks that maximize the expected word F measure of the page.

    Let K be the selected words, G the gold words of the page, and T the words in both. Then
    F = (1 + beta^2) T / (K + beta^2 G). The expectation is over the scenarios of `_scenarios`; within a scenario, T and
    G are replaced by their expected values. It is maximized over the prefixes of the blocks in order of decreasing
    probability (Lewis 1995; Jansche 2007).

    Args:
        probability: float32 (B,), probability that a block is content.
        words: float32 (B,), words per block.
        beta: weight of recall relative to precision (van Rijsbergen 1979).

    Returns:
        The selection, bool (B,), and its expected F1, which is 0 for an empty page.
    """
    selection = np.zeros(len(probability), dtype=bool)
    if not len(probability):
        return selection, 0.0
    order = np.argsort(-probability, kind="stable")
    size = words[order].astype(np.float64)[:, None]
    hits = np.cumsum(_scenarios(probability[order]) * size, axis=0)
    selected = np.cumsum(size, axis=0)

    def expected(beta: float) -> NDArray[np.float64]:
        measure = (1 + beta**2) * hits / np.maximum(selected + beta**2 * hits[-1], _TINY)
        return np.asarray(measure @ SCENARIO_WEIGHTS)

    by_beta = expected(beta)
    last = int(np.argmax(by_beta))
    selection[order[: last + 1]] = True
    return selection, float((by_beta if beta == 1 else expected(1.0))[last])


def _scenarios(probability: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the probabilities of a page's blocks in each scenario, from strict to generous annotators.

    The labels of a page's blocks are correlated: either all its comments are content or none. If the blocks were
    independent, it would pay to select forty comments of probability 1/3 each. So one normal factor per page, with
    correlation `CORRELATION`, shifts the probabilities of all its blocks (one-factor Gaussian copula; Vasicek 1987).

    Returns:
        float64 (B, 9).
    """
    quantile = np.interp(probability, _NORMAL, _DEVIATION, left=-np.inf, right=np.inf)[:, None]
    shifted = (quantile + np.sqrt(CORRELATION) * FACTOR) / np.sqrt(1 - CORRELATION)
    steps = np.clip(shifted * _PER_UNIT, -_LAST - 1, _LAST)  # a quarter of the time of `np.interp`, which searches
    below = np.floor(steps)
    row = below.astype(np.intp) + _LAST + 1
    return np.asarray(_RISE.take(row) * (steps - below) + _LEVEL.take(row))


def assign_labels(is_content: NDArray[np.bool_], types: NDArray[np.float32]) -> list[Label]:
    """Return the labels of the B blocks of a page: for each content block the most probable allowed label.

    A continuation is not allowed as the first content block, nor after a heading.

    Args:
        is_content: bool (B,), True for K blocks.
        types: float32 (K, 4), probabilities of h, p, l and c of the content blocks.
    """
    labels = [Label.OTHER] * len(is_content)
    best, second = types.argmax(axis=1).tolist(), types[:, :CONTINUATION].argmax(axis=1).tolist()
    previous = HEADING
    for row, block in enumerate(np.flatnonzero(is_content).tolist()):
        is_forbidden = best[row] == CONTINUATION and previous == HEADING
        previous = second[row] if is_forbidden else best[row]
        labels[block] = LABELS[previous]
    return labels


def adjust_for_kind(
    probability: NDArray[np.float32], members: NDArray[np.float32], words: NDArray[np.float32], *, include: bool
) -> NDArray[np.float32]:
    """Return content probabilities, given whether blocks of a kind, such as readers' comments, are content.

    To exclude the kind, multiply each probability by the probability that the block is not of the kind. To include it,
    remove the doubt whether it counts: scale the probabilities of its blocks until the upper quartile, typically the
    text of comments, is .95. Names, dates and buttons between comments keep their ratio to it. No probability is
    lowered, and none is raised above .95.

    Args:
        probability: float32 (B,), content probability when the treatment of the kind is unknown.
        members: float32 (B,), probability that a block is of the kind.
        words: float32 (B,), words per block.
        include: whether the kind is content.

    Returns:
        float32 (B,).
    """
    if not include:
        return probability * (1 - members)
    order = np.argsort(probability, kind="stable")
    cumulative = np.cumsum((members * words)[order], dtype=np.float64)
    index = int(np.searchsorted(cumulative, _QUARTILE * cumulative[-1]))
    upper_quartile = max(float(probability[order[min(index, len(order) - 1)]]), _TINY)
    lifted = np.maximum(np.minimum(probability * (_SURE / upper_quartile), _SURE), probability)
    return np.asarray(probability + members * (lifted - probability), dtype=np.float32)


def bounded_log_odds(probability: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the log odds of probabilities, float64 (B,), at most 16 in absolute value."""
    least = 1 / (1 + math.exp(_LARGEST_LOG_ODDS))
    bounded = np.clip(probability.astype(np.float64), least, 1 - least)
    return np.asarray(np.log(bounded / (1 - bounded)))


@dataclass(frozen=True, slots=True)
class CalibrationMap:
    """Piecewise linear, increasing map from predicted to calibrated probabilities.

    Attributes:
        predicted, observed: coordinates of its points, both ascending; without points, the map is the identity.
    """

    predicted: tuple[float, ...] = ()
    observed: tuple[float, ...] = ()

    def __call__(self, probability: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
        """Return the calibrated probabilities of `probability` (N,), float32 (N,)."""
        if not self.predicted:
            return probability.astype(np.float32)
        return np.asarray(np.interp(probability, self.predicted, self.observed), dtype=np.float32)

    def to_dict(self) -> dict[str, list[float]]:
        """Return the points for JSON."""
        # "said" is the name of the predicted probabilities in model files.
        return {"said": list(self.predicted), "observed": list(self.observed)}

    @classmethod
    def from_dict(cls, points: Mapping[str, Sequence[float]]) -> CalibrationMap:
        """Build the map from the result of `to_dict`.

        Raises:
            ValueError: the points are not those of an increasing map.
        """
        predicted, observed = (tuple(map(float, points[name])) for name in ("said", "observed"))
        if len(predicted) != len(observed) or not all(np.diff(predicted) > 0) or not all(np.diff(observed) > 0):
            raise ValueError("not an increasing map")
        return cls(predicted, observed)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration maps of a model: of the probabilities of blocks, and of the expected word F1 of pages."""

    blocks: CalibrationMap
    pages: CalibrationMap
