"""What every column contributed to what the trees say of a block: SHAP values, exact for trees (Lundberg et al. 2020).

They are those of LightGBM's `pred_contrib`, for a quarter of the time. A leaf is reached under conditions on D columns.
Let z be the share of the training rows that meet a condition among those that come to it, and o whether the row at hand
meets it, 0 or 1. With a share t of the columns known, a row is expected to reach the leaf with the probability
P(t) = prod((1 - t) z + t o), and the Shapley value of a column is the leaf's value times the integral over t, from 0 to
1, of (o - z) P(t) / ((1 - t) z + t o) (Owen 1972). That is a polynomial of degree D - 1, for which Gauss and Legendre's
quadrature with D / 2 points, rounded up, is exact. So all rows, and many leaves, are computed together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from vclean.classify.trees.lightgbm_text import CATEGORICAL, DEFAULT_LEFT, MISSING, MISSING_IS_NAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.classify.trees.forest import Forest

    Numbers = NDArray[np.float64]

ROWS_AT_ONCE: Final = 128
_LEAVES_AT_ONCE: Final = 128
"""Leaves and rows whose arrays fit into the cache of a processor."""
_TINY: Final = 1e-12
"""Stands for no share at all, whose logarithm is none."""


def contributions(trees: Forest, x: NDArray[np.float32]) -> tuple[float, Numbers]:
    """What the trees say of an average row, and what each column of `x` (B, F) adds to that; in log odds.

    Returns:
        The base, and float64 (B, F); the base and a row's sum are what the trees say of the row.

    Raises:
        ValueError: the trees have splits of a kind that vclean does not train.
    """
    base, leaves = _forest(trees)
    parts = [_of_rows(leaves, x[at : at + ROWS_AT_ONCE]) for at in range(0, len(x), ROWS_AT_ONCE)]
    return base, np.vstack(parts) if parts else np.zeros(x.shape)


class _Condition(NamedTuple):
    """What a row has to meet in one column to reach a leaf: a value over `low` up to `high`, or NaN where it may be."""

    low: float = -np.inf
    high: float = np.inf
    nan: bool = True
    share: float = 1.0


_Leaf = tuple[float, dict[int, _Condition]]
"""Its value, and its conditions by column."""


@dataclass(frozen=True, slots=True, eq=False)
class _Leaves:
    """L leaves with D conditions each, for Q points of quadrature.

    Attributes:
        column: int64 (L * D,), the column of each condition.
        low, high, nan: (L * D, 1), see `_Condition`.
        log_ratio: float64 (L, Q, D), how much likelier the leaf is for a row that meets the condition.
        log_none: float64 (L, Q, 1), log probability of a row that meets none.
        met: float64 (L, D, Q), weight of the points in the contribution of a condition that is met.
        unmet: float64 (L, 1, Q), the same for one that is not.
        to_columns: (F, L * D) sparse, sums conditions by column.
    """

    column: NDArray[np.int64]
    low: Numbers
    high: Numbers
    nan: NDArray[np.bool_]
    log_ratio: Numbers
    log_none: Numbers
    met: Numbers
    unmet: Numbers
    to_columns: csr_matrix

    @classmethod
    def of(cls, leaves: Sequence[_Leaf], columns: int) -> _Leaves:
        """Leaves with equally many conditions, at least one."""
        column = np.array([list(conditions) for _, conditions in leaves])
        told = np.array([list(conditions.values()) for _, conditions in leaves], dtype=np.float64)
        low, high, nan, share = np.moveaxis(told, 2, 0)
        share = np.maximum(share, _TINY)
        value = np.array([value for value, _ in leaves])[:, None, None]
        points, weights = np.polynomial.legendre.leggauss((column.shape[1] + 1) // 2)
        points, weights = (points + 1) / 2, weights / 2
        none = share[:, None, :] * (1 - points)[:, None]
        every = none + points[:, None]
        return cls(
            column=column.ravel(),
            low=low.reshape(-1, 1),
            high=high.reshape(-1, 1),
            nan=nan.reshape(-1, 1) > 0,
            log_ratio=np.log(every) - np.log(none),
            log_none=np.log(none).sum(axis=2, keepdims=True),
            met=np.ascontiguousarray(((1 - share)[:, None, :] / every).transpose(0, 2, 1)) * weights * value,
            unmet=-weights / (1 - points) * value,
            to_columns=csr_matrix(
                (np.ones(column.size), (column.ravel(), np.arange(column.size))), (columns, column.size)
            ),
        )

    def contributions(self, x: NDArray[np.float32], is_nan: NDArray[np.bool_]) -> Numbers:
        """float64 (F, B): what the columns `x` (F, B) contribute by these leaves."""
        count, _, conditions = self.log_ratio.shape
        values = x[self.column]
        is_met = (values > self.low) & (values <= self.high)
        is_met |= is_nan[self.column] & self.nan
        is_met = is_met.reshape(count, conditions, -1)
        reached = np.exp(np.matmul(self.log_ratio, is_met.astype(np.float64)) + self.log_none)
        met, unmet = self.met @ reached, self.unmet @ reached
        found: Numbers = np.where(is_met, met, unmet)
        return np.asarray(self.to_columns @ found.reshape(count * conditions, -1))


def _of_rows(leaves: Sequence[_Leaves], x: NDArray[np.float32]) -> Numbers:
    columns = np.ascontiguousarray(x.T)
    is_nan, total = np.isnan(columns), np.zeros(columns.shape)
    for some in leaves:
        total += some.contributions(columns, is_nan)
    return total.T


@lru_cache(maxsize=2)
def _forest(trees: Forest) -> tuple[float, list[_Leaves]]:
    """The base of the trees, and their leaves by the number of conditions; half a second for the shipped model."""
    read = [_Tree(part) for part in trees.text.split("\nTree=")[1:]]
    by_size: dict[int, list[_Leaf]] = {}
    for leaf in chain.from_iterable(tree.leaves() for tree in read):
        by_size.setdefault(len(leaf[1]), []).append(leaf)
    pieces = [part for size, leaves in sorted(by_size.items()) if size for part in _pieces(leaves)]
    return sum(tree.base for tree in read), [_Leaves.of(part, trees.columns) for part in pieces]


def _pieces(leaves: Sequence[_Leaf]) -> Iterator[Sequence[_Leaf]]:
    return (leaves[at : at + _LEAVES_AT_ONCE] for at in range(0, len(leaves), _LEAVES_AT_ONCE))


class _Tree:
    """A tree in LightGBM's own text format; a child below 0 is a leaf, whose number is its complement.

    Attributes:
        base: the tree's mean over the training rows.

    Raises:
        ValueError: there is a split of an unknown kind.
    """

    def __init__(self, text: str) -> None:
        fields = dict(line.split("=", 1) for line in text.partition("\n\n")[0].splitlines() if "=" in line)
        self._value = [float(value) for value in fields["leaf_value"].split()]
        self._column, self._kind, self._left, self._right = (
            [int(value) for value in fields.get(name, "").split()]
            for name in ("split_feature", "decision_type", "left_child", "right_child")
        )
        self._threshold, inner, leaf = (
            [float(value) for value in fields.get(name, "").split()]
            for name in ("threshold", "internal_count", "leaf_count")
        )
        self._count = [*inner, *reversed(leaf)]
        if any(kind & CATEGORICAL or kind & MISSING not in (0, MISSING_IS_NAN) for kind in self._kind):
            raise ValueError("splits by category or of zeros as missing values cannot be explained")
        self.base = float(np.average(self._value, weights=leaf)) if self._column else self._value[0]

    def leaves(self) -> Iterator[_Leaf]:
        """All leaves with their conditions; the one of a tree that never split has none."""
        stack: list[tuple[int, dict[int, _Condition]]] = [(0 if self._column else -1, {})]
        while stack:
            node, conditions = stack.pop()
            if node < 0:
                yield self._value[~node], conditions
            else:
                stack += [(child, conditions | self._split(node, child, conditions)) for child in self._children(node)]

    def _children(self, node: int) -> tuple[int, int]:
        return self._left[node], self._right[node]

    def _split(self, node: int, child: int, conditions: dict[int, _Condition]) -> dict[int, _Condition]:
        """What the way from a node to its child adds to the condition on the column it splits."""
        column, threshold = self._column[node], self._threshold[node]
        before, share = conditions.get(column, _Condition()), self._count[child] / self._count[node]
        goes_left = child == self._left[node]
        nan = before.nan and goes_left == self._sends_nan_left(node)
        if goes_left:
            return {column: _Condition(before.low, min(before.high, threshold), nan, before.share * share)}
        return {column: _Condition(max(before.low, threshold), before.high, nan, before.share * share)}

    def _sends_nan_left(self, node: int) -> bool:
        """A column without missing values in training takes them for 0."""
        if self._kind[node] & MISSING:
            return bool(self._kind[node] & DEFAULT_LEFT)
        return self._threshold[node] >= 0
