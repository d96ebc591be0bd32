"""Sums and searches over a tree in preorder, without a loop over its nodes.

An element `i` owns the range `[i, end[i])`; sums over subtrees and over root paths are differences of running sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.integer[Any]] | NDArray[np.bool_]
    Real = NDArray[np.floating[Any]]


@overload
def subtree_sum(values: Whole, end: NDArray[np.int32]) -> NDArray[np.int64]: ...
@overload
def subtree_sum(values: Real, end: NDArray[np.int32]) -> NDArray[np.float64]: ...
def subtree_sum(values: Whole | Real, end: NDArray[np.int32]) -> NDArray[np.int64] | NDArray[np.float64]:
    """The sum of `values` over every element's subtree, itself included; shape of `values`, (N,) or (N, k)."""
    wide = _widen(values)
    total = np.zeros((len(wide) + 1, *wide.shape[1:]), dtype=wide.dtype)
    np.cumsum(wide, axis=0, out=total[1:])
    return np.asarray(total[end] - total[:-1])


@overload
def path_sum(values: Whole, end: NDArray[np.int32]) -> NDArray[np.int64]: ...
@overload
def path_sum(values: Real, end: NDArray[np.int32]) -> NDArray[np.float64]: ...
def path_sum(values: Whole | Real, end: NDArray[np.int32]) -> NDArray[np.int64] | NDArray[np.float64]:
    """The sum of `values` over every element and all its ancestors; shape of `values`, (N,) or (N, k)."""
    wide = _widen(values)
    change = np.zeros((len(wide) + 1, *wide.shape[1:]), dtype=wide.dtype)
    change[:-1] = wide
    np.subtract.at(change, end, wide)
    return np.asarray(np.cumsum(change, axis=0)[:-1])


def path_counts(kind: NDArray[np.integer[Any]], kinds: int, end: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64 (kinds, N): how many of every element and its ancestors are of each kind.

    Args:
        kind: (N,), a number below `kinds`, or -1 for what does not count.
        kinds: how many there are.
        end: int32 (N,).
    """
    element = np.flatnonzero(kind >= 0)
    row = kind[element].astype(np.int64) * (len(kind) + 1)
    size = kinds * (len(kind) + 1)
    change = np.bincount(row + element, minlength=size)
    change -= np.bincount(row + end[element], minlength=size)
    return np.cumsum(change.reshape(kinds, -1), axis=1)[:, :-1]


def subtree_argmax(values: Whole | Real, end: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64 (N,): the element with the largest of `values` (N,) in every element's subtree, the first of equal ones.

    A table of the best in runs of 1, 2, 4, ... elements answers for any range by the two runs that cover it.
    """
    order = np.lexsort((np.arange(len(values)), -_widen(values)))
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values))
    length = end - np.arange(len(end))
    best = rank.copy()
    width = 1
    while width < length.max(initial=0):
        rank[:-width] = np.minimum(rank[:-width], rank[width:])
        width *= 2
        wide = np.flatnonzero(length >= width)
        best[wide] = np.minimum(rank[wide], rank[end[wide] - width])
    return order[best]


def nearest_ancestor(mask: NDArray[np.bool_], parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """int32 (N,): the nearest element with `mask` set among the element and its ancestors; the root if none.

    Pointer doubling: the number of rounds is the logarithm of the depth.
    """
    jump = np.where(mask, np.arange(len(mask), dtype=np.int32), np.maximum(parent, 0)).astype(np.int32, copy=False)
    while True:
        further = jump.take(jump)
        if (further == jump).all():
            return jump
        jump = further


def lowest_common_ancestor(
    one: NDArray[np.int32], other: NDArray[np.int32], parent: NDArray[np.int32], end: NDArray[np.int32]
) -> NDArray[np.int32]:
    """int32: the innermost element that holds both `one[k]` and `other[k]`, or is one of them.

    As many rounds as the pair that is furthest apart has to go up.
    """
    here, inside = np.minimum(one, other), np.maximum(one, other)
    while (outside := inside >= end[here]).any():
        here = np.where(outside, parent[here], here)
    return here


def is_ancestor(above: NDArray[np.int32], below: NDArray[np.int32], end: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether element `above[k]` is `below[k]` or an ancestor of it."""
    return (above <= below) & (below < end[above])


def _widen(values: Whole | Real) -> NDArray[np.int64] | NDArray[np.float64]:
    """64 bits, so that no sum over a page overflows."""
    if values.dtype.kind == "f":
        return values.astype(np.float64, copy=False)
    return values.astype(np.int64, copy=False)
