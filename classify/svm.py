"""Support vector machines with probabilities, trained by scikit-learn and evaluated by NumPy.

The kernel is Gaussian. The features are the logarithms of the columns, which shortens long tails, standardized. The
probabilities are those of Platt's sigmoid, fitted on rows that were not used for training if there are any. A missing
value counts as the mean of its column.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import expit

from vclean.imports import import_optional

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

ROWS: Final = 6000
"""Maximum number of training rows, drawn at random: training time grows with their square."""
_BATCH: Final = 512
"""Number of rows evaluated at once, which bounds the memory."""


@dataclass(frozen=True, slots=True, eq=False)
class SupportVectorMachine:
    """Trained support vector machine over C columns, with S support vectors.

    Attributes:
        mean, scale: float32 (C,), of the logarithms of the columns.
        vectors: float32 (S, C), standardized; weight: float32 (S,).
        shape: float64 (4,): the kernel's gamma, the bias, the slope and the offset of the sigmoid.
    """

    mean: NDArray[np.float32]
    scale: NDArray[np.float32]
    vectors: NDArray[np.float32]
    weight: NDArray[np.float32]
    shape: NDArray[np.float64]

    def margin(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the decision function of the rows `columns` (R, C), float32 (R,); it is positive for yes."""
        rows = standardized(_logarithm(columns), self.mean, self.scale)
        gamma, bias = self.shape[:2].astype(np.float32)
        margin = np.zeros(len(rows), dtype=np.float32)
        for begin in range(0, len(rows), _BATCH):
            batch = slice(begin, begin + _BATCH)
            kernel = rows[batch] @ self.vectors.T  # computed in place: more such arrays would take most of the time
            kernel *= 2 * gamma
            kernel -= gamma * (rows[batch] ** 2).sum(axis=1)[:, None]
            kernel -= gamma * (self.vectors**2).sum(axis=1)
            np.exp(kernel, out=kernel)
            margin[batch] = kernel @ self.weight + bias
        return margin

    def probability(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probability of the answer yes for the rows `columns` (R, C), float32 (R,)."""
        _, _, slope, offset = self.shape
        return np.asarray(expit(slope * self.margin(columns) + offset), dtype=np.float32)

    def to_arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """Return the arrays of the machine by name; each name begins with `prefix`."""
        return {prefix + name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str = "") -> SupportVectorMachine:
        """Build the machine from the result of `to_arrays`."""
        return cls(*(arrays[prefix + name] for name in cls.__slots__))


def fit(
    columns: NDArray[np.float32], answer: NDArray[np.bool_], weight: NDArray[np.float32] | None = None
) -> SupportVectorMachine:
    """Train a machine that predicts the `answer` (R,) from the rows `columns` (R, C), weighted by `weight` (R,).

    The same rows give the same machine. If all answers are equal, the machine always returns this answer.

    Raises:
        ExtraMissingError: scikit-learn is not installed.
    """
    logs = _logarithm(columns)
    mean, scale = mean_and_scale(logs)
    if answer.all() or not answer.any():
        empty = np.zeros(0, dtype=np.float32)
        bias = 1.0 if answer.any() else -1.0
        return SupportVectorMachine(
            mean, scale, np.zeros((0, len(mean)), np.float32), empty, np.array([1.0, bias, 4.0, 0.0])
        )
    rows = standardized(logs, mean, scale)
    weights = np.ones(len(rows), dtype=np.float32) if weight is None else weight / weight.mean()
    training, calibration = _draw(answer)
    gamma = 1 / columns.shape[1]
    svm = import_optional("sklearn.svm", "scikit-learn", "methods").SVC(C=2.0, gamma=gamma, cache_size=300)
    svm.fit(rows[training], answer[training], sample_weight=weights[training])
    vectors, dual = svm.support_vectors_.astype(np.float32), svm.dual_coef_[0].astype(np.float32)
    raw = SupportVectorMachine(mean, scale, vectors, dual, np.array([gamma, svm.intercept_[0], 1.0, 0.0]))
    slope, offset = _sigmoid(raw.margin(columns[calibration]), answer[calibration], weights[calibration])
    return replace(raw, shape=np.array([gamma, svm.intercept_[0], slope, offset]))


def _draw(answer: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw the rows to train on, with both answers among them, and the rows to fit the sigmoid on."""
    order = np.random.default_rng(len(answer)).permutation(len(answer))
    first_of_each = [int(np.argmax(answer[order])), int(np.argmax(~answer[order]))]
    order = np.concatenate([order[first_of_each], np.delete(order, first_of_each)])
    training, others = order[:ROWS], order[ROWS : 2 * ROWS]
    return training, others if len(others) >= ROWS // 4 else training


def _sigmoid(margin: NDArray[np.float32], answer: NDArray[np.bool_], weight: NDArray[np.float32]) -> list[float]:
    regression = import_optional("sklearn.linear_model", "scikit-learn", "methods").LogisticRegression()
    if answer.all() or not answer.any():
        return [1.0, 0.0]
    regression.fit(margin[:, None], answer, sample_weight=weight)
    return [float(regression.coef_[0, 0]), float(regression.intercept_[0])]


def _logarithm(columns: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.sign(columns) * np.log1p(np.abs(columns)), dtype=np.float32)


def mean_and_scale(columns: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return mean and standard deviation of the known values of `columns` (R, C), float32 (C,) each.

    They are 0 and 1 if all values are missing or equal.
    """
    known = np.ma.masked_invalid(columns.astype(np.float64))
    mean, scale = known.mean(axis=0).filled(0), known.std(axis=0).filled(0)
    return mean.astype(np.float32), np.where(scale > 0, scale, 1).astype(np.float32)


def standardized(
    columns: NDArray[np.float32], mean: NDArray[np.float32], scale: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Standardize `columns`, float32 (R, C); missing values become 0."""
    return np.asarray(np.nan_to_num((columns - mean) / scale, nan=0.0), dtype=np.float32)
