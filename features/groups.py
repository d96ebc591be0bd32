"""Group rows by key, and store rows of different lengths."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.columns import Numbers


@dataclass(frozen=True, eq=False)
class Groups:
    """B rows in G groups of equal keys.

    Attributes:
        number: int64 (B,), the group of each row; groups are numbered by ascending key.
        sizes: int64 (G,), the number of rows of each group.
        order: int64 (B,), the rows sorted by group, in their original order within a group.
    """

    number: NDArray[np.int64]
    sizes: NDArray[np.int64]
    order: NDArray[np.int64]

    @classmethod
    def from_keys(cls, keys: Numbers) -> Groups:
        """Group rows with equal `keys` (B,)."""
        order = np.argsort(keys, kind="stable")
        ascending = keys[order]
        new = np.ones(len(keys), dtype=bool)
        new[1:] = ascending[1:] != ascending[:-1]
        number = np.empty(len(keys), dtype=np.int64)
        number[order] = np.cumsum(new) - 1
        return cls(number, np.bincount(number), order)

    @cached_property
    def size(self) -> NDArray[np.int64]:
        """Return the number of rows in each row's group, itself included: int64 (B,)."""
        return self.sizes[self.number]

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """Return the number of earlier rows in each row's group: int64 (B,)."""
        rank = np.empty(len(self.number), dtype=np.int64)
        rank[self.order] = np.arange(len(rank)) - np.repeat(self._start, self.sizes)
        return rank

    @cached_property
    def spread(self) -> NDArray[np.int64]:
        """Return the distance in rows from the first to the last row of each row's group: int64 (B,)."""
        first, last = self.order[self._start], self.order[self._start + self.sizes - 1]
        return np.asarray((last - first)[self.number])

    def total(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of `values` (B,) over each row's group: float64 (B,)."""
        return np.bincount(self.number, values).astype(np.float64)[self.number]

    @cached_property
    def _start(self) -> NDArray[np.int64]:
        """Return the index in `order` of the first row of each group: int64 (G,)."""
        return np.cumsum(self.sizes) - self.sizes


@dataclass(frozen=True, eq=False)
class RaggedArray:
    """R rows of different lengths: row `i` is `values[start[i]:start[i + 1]]`.

    Attributes:
        start: int64 (R + 1,), the index in `values` of the first value of each row, then the number of values.
        values: int32 (M,), the values of all rows, row by row.
    """

    start: NDArray[np.int64]
    values: NDArray[np.int32]

    @classmethod
    def from_pairs(cls, owner: NDArray[np.integer[Any]], values: NDArray[np.integer[Any]], rows: int) -> RaggedArray:
        """Return `rows` rows from pairs of row number (`owner`, ascending) and value."""
        return cls(np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=rows))]), values.astype(np.int32))

    @classmethod
    def concatenate(cls, arrays: Sequence[RaggedArray]) -> RaggedArray:
        """Concatenate the rows of arrays into one array."""
        lengths = np.concatenate([np.diff(array.start) for array in arrays])
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(start, np.concatenate([array.values for array in arrays]))

    def take(self, rows: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the values of `rows`.

        Returns:
            For each value its index in `rows`, int64 (K,), and the value, int32 (K,).
        """
        length = np.diff(self.start)[rows]
        owner = np.repeat(np.arange(len(rows)), length)
        return owner, self.values[np.arange(len(owner)) + (self.start[rows] - np.cumsum(length) + length)[owner]]

    def row_sums(self, weights: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of `weights[value]` over each row: float64 (R,)."""
        total = np.zeros(len(self.values) + 1)
        np.cumsum(weights[self.values], out=total[1:])
        return total[self.start[1:]] - total[self.start[:-1]]

    def union(self, bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the bitwise or of `bits[value]` over each row: uint64 (R,)."""
        union = np.zeros(len(self.start) - 1, dtype=np.uint64)
        rows = np.flatnonzero(np.diff(self.start))
        if len(rows):
            union[rows] = np.bitwise_or.reduceat(bits[self.values], self.start[rows])
        return union
