"""Sums and searches over a tree in preorder, without a loop over its nodes.

An element `i` owns the range `[i, end[i])`; sums over subtrees and over root paths are differences of running sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def subtree_sum(values: NDArray[Any], end: NDArray[np.int32]) -> NDArray[Any]:
    """The sum of `values` over every element's subtree, itself included; shape of `values`, (N,) or (N, k)."""
    total = _running_sum(values)
    return total[end] - total[:-1]


def path_sum(values: NDArray[Any], end: NDArray[np.int32]) -> NDArray[Any]:
    """The sum of `values` over every element and all its ancestors; shape of `values`, (N,) or (N, k)."""
    change = np.zeros((len(values) + 1, *values.shape[1:]), dtype=_wide(values))
    change[:-1] = values
    np.subtract.at(change, end, values)
    return np.cumsum(change, axis=0)[:-1]


def nearest(mask: NDArray[np.bool_], parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """int32 (N,): the nearest element with `mask` set among the element and its ancestors; the root if none.

    Pointer doubling: the number of rounds is the logarithm of the depth.
    """
    here = np.arange(len(mask), dtype=np.int32)
    jump = np.where(mask, here, np.maximum(parent, 0)).astype(np.int32)
    while True:
        further = jump[jump]
        if np.array_equal(further, jump):
            return jump
        jump = further


def is_ancestor(above: NDArray[np.int32], below: NDArray[np.int32], end: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether element `above[k]` is `below[k]` or an ancestor of it."""
    return (above <= below) & (below < end[above])


def _running_sum(values: NDArray[Any]) -> NDArray[Any]:
    total = np.zeros((len(values) + 1, *values.shape[1:]), dtype=_wide(values))
    np.cumsum(values, axis=0, out=total[1:])
    return total


def _wide(values: NDArray[Any]) -> type:
    return np.float64 if values.dtype.kind == "f" else np.int64
