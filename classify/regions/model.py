"""The region model: the role of each container of a page, and what a container inherits from those around it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.labels import Role

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.trees.forest import Forest

CLASSES: Final = len(Role) + 1
"""Roles, then one class for what is no region."""
NONE: Final = len(Role)
"""The class of what is no region."""


def posterior(trees: Forest, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (C, CLASSES): the probability of every role, and of being no region, for rows `x`."""
    if not len(x):
        return np.zeros((0, CLASSES), dtype=np.float32)
    return trees.predict(x).astype(np.float32)


def inherit_roles(
    posterior: NDArray[np.float32], parent: NDArray[np.int32]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
    """What each candidate has from itself and the ones round it.

    Returns:
        The role of the nearest region, float32 (C, CLASSES), taking the candidates' verdicts as independent: its own
        with the probability that it is a region, else that of the one round it; the highest probability of every role,
        float32 (C, len(Role)); and the candidate that is most probably a region, the innermost of equals, int32 (C,).
    """
    order, ends = _levels(parent)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    above = place[parent[order]]
    nearest = posterior.take(order, axis=0)
    within, chance, best = nearest[:, :NONE].copy(), 1 - nearest[:, NONE], order.astype(np.int32)
    for begin, end in pairwise(ends):
        level, outer = slice(begin, end), above[begin:end]
        passed_on = nearest[level, NONE, None] * nearest.take(outer, axis=0)
        nearest[level, :NONE] += passed_on[:, :NONE]
        nearest[level, NONE] = passed_on[:, NONE]
        within[level] = np.maximum(within[level], within.take(outer, axis=0))
        best[level] = np.where(chance.take(outer) > chance[level], best.take(outer), best[level])
        chance[level] = np.maximum(chance[level], chance.take(outer))
    return nearest.take(place, axis=0), within.take(place, axis=0), best.take(place)


def _levels(parent: NDArray[np.int32]) -> tuple[NDArray[np.intp], list[int]]:
    """The candidates by how many they have round them, fewest first, and where in this order each number ends."""
    depth: list[int] = []
    for above in parent.tolist():
        depth.append(depth[above] + 1 if above >= 0 else 0)
    return np.argsort(depth, kind="stable"), np.cumsum(np.bincount(depth)).tolist()
