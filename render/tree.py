"""Sum and search over trees in preorder without a loop over nodes.

The subtree of element `i` is the range `[i, end[i])`. Sums over subtrees and root paths are differences of cumulative
sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.render.static import _tree

if TYPE_CHECKING:
    from numpy.typing import NDArray


def subtree_sum(values: NDArray[Any], end: NDArray[np.int32]) -> NDArray[Any]:
    """Return the sum of `values` over each element and its descendants; same shape as `values`, (N,) or (N, k)."""
    return _sum(values, end, on_path=False)


def path_sum(values: NDArray[Any], end: NDArray[np.int32]) -> NDArray[Any]:
    """Return the sum of `values` over each element and its ancestors; same shape as `values`, (N,) or (N, k)."""
    return _sum(values, end, on_path=True)


def _sum(values: NDArray[Any], end: NDArray[np.int32], *, on_path: bool) -> NDArray[Any]:
    wide = np.ascontiguousarray(_widen(values))
    sums = _tree.sums(wide, np.ascontiguousarray(end), wide.dtype.kind == "f", on_path)
    return np.frombuffer(sums, wide.dtype, wide.size).reshape(wide.shape)


def inside(mask: NDArray[np.bool_], end: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which elements are in `mask`, or have an ancestor in it: bool (N,)."""
    return np.frombuffer(_tree.inside(np.ascontiguousarray(mask), np.ascontiguousarray(end)), dtype=np.bool_)


def path_counts(kind: NDArray[np.integer[Any]], kinds: int, end: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return how many of each element and its ancestors have each kind: int64 (kinds, N).

    Args:
        kind: (N,), a number below `kinds`, or -1 for elements that do not count.
        kinds: the number of kinds.
        end: int32 (N,).
    """
    element = np.flatnonzero(kind >= 0)
    row = kind[element].astype(np.int64) * (len(kind) + 1)
    size = kinds * (len(kind) + 1)
    change = np.bincount(row + element, minlength=size)
    change -= np.bincount(row + end[element], minlength=size)
    return np.cumsum(change.reshape(kinds, -1), axis=1)[:, :-1]


def subtree_argmax(values: NDArray[Any], end: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the element with the largest of `values` (N,) in each element's subtree, the first of equals: int64 (N,).

    Uses a sparse table of the minima of runs of 1, 2, 4, ... ranks: two overlapping runs cover any range.
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
    """Return the nearest element in `mask` among each element and its ancestors: int32 (N,); the root if none."""
    return np.frombuffer(_tree.nearest_ancestor(np.ascontiguousarray(mask), np.ascontiguousarray(parent)), np.int32)


def lowest_common_ancestor(
    first: NDArray[np.int32], second: NDArray[np.int32], parent: NDArray[np.int32], end: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the innermost element that contains or equals both `one[k]` and `other[k]`: int32.

    The number of rounds is the largest distance from the earlier element of a pair to the common ancestor.
    """
    ancestor, later = np.minimum(first, second), np.maximum(first, second)
    while (is_outside := later >= end[ancestor]).any():
        ancestor = np.where(is_outside, parent[ancestor], ancestor)
    return ancestor


def is_ancestor(above: NDArray[np.int32], below: NDArray[np.int32], end: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return whether element `above[k]` equals `below[k]` or is an ancestor of it."""
    return (above <= below) & (below < end[above])


def _widen(values: NDArray[Any]) -> NDArray[Any]:
    """Return `values` as int64 or float64, in which no sum over a page overflows."""
    return values.astype(np.float64 if values.dtype.kind == "f" else np.int64, copy=False)
