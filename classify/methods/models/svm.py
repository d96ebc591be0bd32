"""Support vector machines that give a probability: scikit-learn trains them, NumPy evaluates them.

Gaussian kernel, over columns that are standardised after long tails are cut down to their logarithm; probabilities by
Platt's sigmoid, fitted on rows that the machine did not learn from where there are any. A missing value stands for the
mean of its column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import expit

from vclean.imports import need

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

ROWS: Final = 6000
"""Rows that a machine learns from, drawn at random: training time grows with their square."""
_PENALTY: Final = 2.0
_AT_ONCE: Final = 512
"""Rows evaluated at once, which bounds the memory."""


@dataclass(frozen=True, slots=True, eq=False)
class SupportVectorMachine:
    """A trained machine over C columns, with S support vectors.

    Attributes:
        mean, scale: float32 (C,), of the columns' logarithms.
        vectors: float32 (S, C), standardised; weight: float32 (S,).
        shape: float64 (4,): the kernel's gamma, the bias, the slope and the offset of the sigmoid.
    """

    mean: NDArray[np.float32]
    scale: NDArray[np.float32]
    vectors: NDArray[np.float32]
    weight: NDArray[np.float32]
    shape: NDArray[np.float64]

    def margin(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32 (R,): on which side of the boundary the rows `columns` (R, C) are, and how far; positive is yes."""
        rows = _standardised(columns, self.mean, self.scale)
        parts = [self._margin(rows[at : at + _AT_ONCE]) for at in range(0, len(rows), _AT_ONCE)]
        return np.concatenate([np.zeros(0, dtype=np.float32), *parts])

    def probability(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32 (R,): that the answer for the rows `columns` (R, C) is yes."""
        _, _, slope, offset = self.shape
        return np.asarray(expit(slope * self.margin(columns) + offset), dtype=np.float32)

    def _margin(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        gamma, bias = self.shape[:2].astype(np.float32)
        kernel = rows @ self.vectors.T  # All of it in one array: others of its size would take most of the time.
        kernel *= 2 * gamma
        kernel -= gamma * (rows**2).sum(axis=1)[:, None]
        kernel -= gamma * (self.vectors**2).sum(axis=1)
        np.exp(kernel, out=kernel)
        return np.asarray(kernel @ self.weight + bias, dtype=np.float32)

    def to_arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """What the machine is, by name; `prefix` begins every name."""
        return {prefix + name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str = "") -> SupportVectorMachine:
        """The machine that `to_arrays` took apart."""
        return cls(*(arrays[prefix + name] for name in cls.__slots__))


def fit(
    columns: NDArray[np.float32], answer: NDArray[np.bool_], weight: NDArray[np.float32] | None = None
) -> SupportVectorMachine:
    """A machine that gives the `answer` (R,) for the rows `columns` (R, C), which count by `weight` (R,).

    The same rows give the same machine. Where all answers are the same, it always gives that one.

    Raises:
        ExtraMissingError: scikit-learn is not installed.
    """
    mean, scale = _standard(columns)
    if answer.all() or not answer.any():
        nothing = np.zeros(0, dtype=np.float32)
        bias = 1.0 if answer.any() else -1.0
        return SupportVectorMachine(
            mean, scale, np.zeros((0, len(mean)), np.float32), nothing, np.array([1.0, bias, 4.0, 0.0])
        )
    rows = _standardised(columns, mean, scale)
    counts = np.ones(len(rows), dtype=np.float32) if weight is None else weight / weight.mean()
    drawn, others = _draw(answer)
    gamma = 1 / columns.shape[1]
    svm = need("sklearn.svm", "scikit-learn", "methods").SVC(C=_PENALTY, gamma=gamma, cache_size=300)
    svm.fit(rows[drawn], answer[drawn], sample_weight=counts[drawn])
    vectors, dual = svm.support_vectors_.astype(np.float32), svm.dual_coef_[0].astype(np.float32)
    raw = SupportVectorMachine(mean, scale, vectors, dual, np.array([gamma, svm.intercept_[0], 1.0, 0.0]))
    slope, offset = _sigmoid(raw.margin(columns[others]), answer[others], counts[others])
    return SupportVectorMachine(mean, scale, vectors, dual, np.array([gamma, svm.intercept_[0], slope, offset]))


def _draw(answer: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows to learn from, with both answers among them, and those to fit the sigmoid on."""
    order = np.random.default_rng(len(answer)).permutation(len(answer))
    ends = [int(np.argmax(answer[order])), int(np.argmax(~answer[order]))]
    order = np.concatenate([order[ends], np.delete(order, ends)])
    drawn, others = order[:ROWS], order[ROWS : 2 * ROWS]
    return drawn, others if len(others) >= ROWS // 4 else drawn


def _sigmoid(margin: NDArray[np.float32], answer: NDArray[np.bool_], weight: NDArray[np.float32]) -> list[float]:
    regression = need("sklearn.linear_model", "scikit-learn", "methods").LogisticRegression()
    if answer.all() or not answer.any():
        return [1.0, 0.0]
    regression.fit(margin[:, None], answer, sample_weight=weight)
    return [float(regression.coef_[0, 0]), float(regression.intercept_[0])]


def _logarithm(columns: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.sign(columns) * np.log1p(np.abs(columns)), dtype=np.float32)


def _standard(columns: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean and standard deviation of the columns' logarithms; 0 and 1 where all are missing or equal."""
    logs = np.ma.masked_invalid(_logarithm(columns).astype(np.float64))
    mean, scale = logs.mean(axis=0).filled(0), logs.std(axis=0).filled(0)
    return mean.astype(np.float32), np.where(scale > 0, scale, 1).astype(np.float32)


def _standardised(
    columns: NDArray[np.float32], mean: NDArray[np.float32], scale: NDArray[np.float32]
) -> NDArray[np.float32]:
    return np.asarray(np.nan_to_num((_logarithm(columns) - mean) / scale, nan=0.0), dtype=np.float32)
