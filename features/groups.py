"""Rows with equal keys: how many they are, where a row stands among them, what they sum to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
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
    def by(cls, keys: Numbers) -> Groups:
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
    def place(self) -> NDArray[np.int64]:
        """int64 (B,): rows of each row's group that come before it."""
        place = np.empty(len(self.number), dtype=np.int64)
        place[self.order] = np.arange(len(place)) - np.repeat(self._start, self.sizes)
        return place

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
