"""Rows with equal keys: how many they are, where a row stands among them, what they sum to."""

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
    """B rows in G groups.

    Attributes:
        number: int64 (B,), the group of every row; groups are numbered by ascending key.
        sizes: int64 (G,), rows of every group.
        order: int64 (B,), the rows, group by group, in each as they come.
    """

    number: NDArray[np.int64]
    sizes: NDArray[np.int64]
    order: NDArray[np.int64]

    @classmethod
    def from_keys(cls, keys: Numbers) -> Groups:
        """Rows with equal `keys` (B,) are a group."""
        order = np.argsort(keys, kind="stable")
        ascending = keys[order]
        new = np.ones(len(keys), dtype=bool)
        new[1:] = ascending[1:] != ascending[:-1]
        number = np.empty(len(keys), dtype=np.int64)
        number[order] = np.cumsum(new) - 1
        return cls(number, np.bincount(number), order)

    @cached_property
    def size(self) -> NDArray[np.int64]:
        """int64 (B,): rows of each row's group, itself included."""
        return self.sizes[self.number]

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """int64 (B,): rows of each row's group that come before it."""
        rank = np.empty(len(self.number), dtype=np.int64)
        rank[self.order] = np.arange(len(rank)) - np.repeat(self._start, self.sizes)
        return rank

    @cached_property
    def spread(self) -> NDArray[np.int64]:
        """int64 (B,): rows from the first of each row's group to its last, 0 where it is alone."""
        first, last = self.order[self._start], self.order[self._start + self.sizes - 1]
        return np.asarray((last - first)[self.number])

    def total(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64 (B,): the sum of `values` (B,) over each row's group."""
        return np.bincount(self.number, values).astype(np.float64)[self.number]

    @cached_property
    def _start(self) -> NDArray[np.int64]:
        """Where each group begins in `order`."""
        return np.cumsum(self.sizes) - self.sizes


@dataclass(frozen=True, eq=False)
class RaggedArray:
    """R rows of different length: row `i` is `values[start[i]:start[i + 1]]`; int64 (R + 1,), int32 (M,)."""

    start: NDArray[np.int64]
    values: NDArray[np.int32]

    @classmethod
    def from_pairs(cls, owner: NDArray[np.integer[Any]], values: NDArray[np.integer[Any]], rows: int) -> RaggedArray:
        """Return `rows` rows from pairs of row number (ascending) and value."""
        return cls(np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=rows))]), values.astype(np.int32))

    @classmethod
    def concatenate(cls, arrays: Sequence[RaggedArray]) -> RaggedArray:
        """Return the rows of several arrays, one after the other."""
        lengths = np.concatenate([np.diff(array.start) for array in arrays])
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(start, np.concatenate([array.values for array in arrays]))

    def take(
        self, rows: NDArray[np.integer[Any]], most: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the values of `rows`, of each the first `most`: for every value its place in `rows`, and the value."""
        length = np.diff(self.start)[rows]
        if most is not None:
            length = np.minimum(length, most)
        owner = np.repeat(np.arange(len(rows)), length)
        return owner, self.values[np.arange(len(owner)) + (self.start[rows] - np.cumsum(length) + length)[owner]]

    def row_sums(self, weights: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of the `weights` of each row's values, float64 (R,)."""
        total = np.zeros(len(self.values) + 1)
        np.cumsum(weights[self.values], out=total[1:])
        return total[self.start[1:]] - total[self.start[:-1]]

    def union(self, bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the `bits` of each row's values, combined by or: uint64 (R,)."""
        found = np.zeros(len(self.start) - 1, dtype=np.uint64)
        np.bitwise_or.at(found, np.repeat(np.arange(len(found)), np.diff(self.start)), bits[self.values])
        return found
