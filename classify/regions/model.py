"""Predict the roles of a page's containers, and combine each prediction with those of the surrounding containers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.labels import REGION_ROLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.trees.forest import Forest

CLASSES: Final = len(REGION_ROLES) + 1
"""Number of classes: the roles, then one class for containers that are not regions."""
NONE: Final = len(REGION_ROLES)
"""Class of containers that are not regions."""


def posterior(trees: Forest, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the probabilities of each role, and of not being a region, for C rows `x`: float32 (C, CLASSES)."""
    if not len(x):
        return np.zeros((0, CLASSES), dtype=np.float32)
    return trees.predict(x).astype(np.float32)


def inherit_roles(
    posterior: NDArray[np.float32], parent: NDArray[np.int32]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
    """Combine the prediction for each candidate with those for its ancestors.

    Args:
        posterior: float32 (C, CLASSES), predictions of `posterior`.
        parent: int32 (C,), parent of each candidate, which comes before it; -1 for outermost candidates.

    Returns:
        Probabilities of the role of the nearest region, float32 (C, CLASSES): the candidate itself if it is a region,
        else the nearest region of its parent; predictions count as independent. The highest probability of each role
        among the candidate and its ancestors, float32 (C, len(REGION_ROLES)). The one of them that is most probably a
        region, the innermost in case of ties, int32 (C,).
    """
    order, ends = _levels(parent)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    parent_rank = rank[parent[order]]
    nearest = posterior.take(order, axis=0)
    within, is_region, best = nearest[:, :NONE].copy(), 1 - nearest[:, NONE], order.astype(np.int32)
    for begin, end in pairwise(ends):
        level, outer = slice(begin, end), parent_rank[begin:end]
        inherited = nearest[level, NONE, None] * nearest.take(outer, axis=0)
        nearest[level, :NONE] += inherited[:, :NONE]
        nearest[level, NONE] = inherited[:, NONE]
        within[level] = np.maximum(within[level], within.take(outer, axis=0))
        best[level] = np.where(is_region.take(outer) > is_region[level], best.take(outer), best[level])
        is_region[level] = np.maximum(is_region[level], is_region.take(outer))
    return nearest.take(rank, axis=0), within.take(rank, axis=0), best.take(rank)


def _levels(parent: NDArray[np.int32]) -> tuple[NDArray[np.intp], list[int]]:
    """Return the candidates in order of nesting depth, and the end of each depth in this order."""
    depth: list[int] = []
    for parent_row in parent.tolist():
        depth.append(depth[parent_row] + 1 if parent_row >= 0 else 0)
    return np.argsort(depth, kind="stable"), np.cumsum(np.bincount(depth)).tolist()
