"""Where the containers of a page stand to its segments, by marks."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.regions import Regions


class State(IntEnum):
    """Where a container stands to the segments of a page, cut along its tree."""

    ABOVE = 0
    """It holds segments."""
    AT = 1
    """It is one."""
    BELOW = 2
    """It lies in one."""


def true_states(regions: Regions, elements: NDArray[np.int32]) -> tuple[NDArray[np.int8], NDArray[np.bool_]] | None:
    """The states of candidates, int8 (C,), and whether the marks tell them, bool (C,); None where they tell of none.

    Of marked elements in each other the outermost counts. A mark of all that the page says tells nothing of its
    parts and is passed over: some were put on the whole document by mistake. What no mark has anything to do with is
    taken for a segment where it stands beside marked ones.

    Args:
        regions: the candidates of a page.
        elements: the marked elements of one level.
    """
    held = regions.view.block_count[elements]
    elements = elements[(held > 0) & (held < len(regions.view))]
    if not len(elements):
        return None
    holder = regions.view.container
    marked = np.isin(regions.node, holder[elements])
    holds, lies = _around(marked, regions.parent)
    state = np.where(lies, State.BELOW, np.where(marked, State.AT, State.ABOVE))
    told = lies | marked | holds
    for row in np.flatnonzero(~told).tolist():
        above = regions.parent[row]
        state[row] = State.AT if above < 0 or state[above] == State.ABOVE else State.BELOW
    return state.astype(np.int8), told


def _around(marked: NDArray[np.bool_], parent: NDArray[np.int32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which containers have a marked one in them, and which lie in one."""
    holds, lies = np.zeros(len(marked), dtype=bool), np.zeros(len(marked), dtype=bool)
    for row, above in enumerate(parent.tolist()):
        lies[row] = above >= 0 and (lies[above] or marked[above])
    for row in range(len(marked) - 1, 0, -1):
        if parent[row] >= 0 and (marked[row] or holds[row]):
            holds[parent[row]] = True
    return holds, lies
