"""The rows the learned segmenter learns from: the containers of marked pages, and where each stands to the segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.corpora.corpora import registered_domain
from vclean.classify.corpora.marked import locate_marks
from vclean.classify.regions import dataset
from vclean.classify.segments.model import LEVELS, SegmentPage
from vclean.classify.segments.optimal_cut import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.marked import RegionMark
    from vclean.classify.regions.dataset import RegionRows
    from vclean.features.regions.candidates import Regions
    from vclean.render.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class SegmentRows:
    """C containers of one page with their states.

    Attributes:
        address: of the page.
        x: float32 (C, len(segment_columns.COLUMNS)).
        parent: int32 (C,), the container round each, -1 for the outermost.
        state: by level of the marks, int8 (C,); a level that the page has no marks of is left out.
        told: by level, bool (C,), whether the marks tell the state.
        roles: the rows of the page for the region model.
    """

    address: str
    x: NDArray[np.float32]
    parent: NDArray[np.int32]
    state: dict[int, NDArray[np.int8]]
    told: dict[int, NDArray[np.bool_]]
    roles: RegionRows

    @property
    def site(self) -> str:
        """The page's registered domain."""
        return registered_domain(self.address)


def marked_rows(snapshot: Snapshot, marks: Sequence[RegionMark], address: str) -> SegmentRows | None:
    """The containers of a marked page; None where there is nothing to learn from.

    Args:
        snapshot: the page without its marks, rendered.
        marks: what was in it.
        address: of the page.
    """
    page = SegmentPage.of(snapshot)
    if page is None:
        return None
    found = {level: true_states(page.regions, _marked(snapshot, marks, level)) for level in LEVELS}
    known = {level: states for level, states in found.items() if states is not None}
    roles = dataset.marked_rows(page.regions.context, marks, site=registered_domain(address))
    state = {level: states for level, (states, _) in known.items()}
    told = {level: sure for level, (_, sure) in known.items()}
    return SegmentRows(address, page.x, page.regions.parent, state, told, roles)


def _marked(snapshot: Snapshot, marks: Sequence[RegionMark], level: int) -> NDArray[np.int32]:
    elements = locate_marks(snapshot, [mark for mark in marks if mark.level == level])
    return elements[elements >= 0]


def true_states(regions: Regions, elements: NDArray[np.int32]) -> tuple[NDArray[np.int8], NDArray[np.bool_]] | None:
    """The states of candidates, int8 (C,), and whether the marks tell them, bool (C,); None where they tell of none.

    Of marked elements in each other the outermost counts. A mark of all that the page says tells nothing of its
    parts and is passed over: some were put on the whole document by mistake. What no mark has anything to do with is
    taken for a segment where it stands beside marked ones.

    Args:
        regions: the candidates of a page.
        elements: the marked elements of one level.
    """
    held = regions.context.block_count[elements]
    elements = elements[(held > 0) & (held < len(regions.context))]
    if not len(elements):
        return None
    holder = regions.context.container
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
