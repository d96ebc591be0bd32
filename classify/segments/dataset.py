"""Build training rows of the learned segmenter: containers of marked pages, and their relation to the segments."""

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
    """Training rows of one page: C containers with their states.

    Attributes:
        address: URL of the page.
        x: float32 (C, len(segment_columns.COLUMNS)), features.
        parent: int32 (C,), parent of each container, -1 for outermost containers.
        state: for each level with marks on the page, the states, int8 (C,).
        known: for each level, a mask of the containers with a state that follows from the marks, bool (C,).
        roles: training rows of the region model.
    """

    address: str
    x: NDArray[np.float32]
    parent: NDArray[np.int32]
    state: dict[int, NDArray[np.int8]]
    known: dict[int, NDArray[np.bool_]]
    roles: RegionRows

    @property
    def site(self) -> str:
        """Return the registered domain of the page."""
        return registered_domain(self.address)


def marked_rows(snapshot: Snapshot, marks: Sequence[RegionMark], address: str) -> SegmentRows | None:
    """Return the training rows of a marked page, or None for a page that cannot be divided.

    Args:
        snapshot: the rendered page, without its marks.
        marks: marks of the page.
        address: URL of the page.
    """
    page = SegmentPage.from_snapshot(snapshot)
    if page is None:
        return None
    by_level = {level: true_states(page.regions, _marked(snapshot, marks, level)) for level in LEVELS}
    marked = {level: states for level, states in by_level.items() if states is not None}
    roles = dataset.marked_rows(page.regions.context, marks, site=registered_domain(address))
    state = {level: states for level, (states, _) in marked.items()}
    known = {level: mask for level, (_, mask) in marked.items()}
    return SegmentRows(address, page.x, page.regions.parent, state, known, roles)


def _marked(snapshot: Snapshot, marks: Sequence[RegionMark], level: int) -> NDArray[np.int32]:
    elements = locate_marks(snapshot, [mark for mark in marks if mark.level == level])
    return elements[elements >= 0]


def true_states(regions: Regions, elements: NDArray[np.int32]) -> tuple[NDArray[np.int8], NDArray[np.bool_]] | None:
    """Return the states of candidates, int8 (C,), and a mask of those that follow from the marks, bool (C,).

    Of nested marked elements, the outermost counts. Marks on elements with all blocks of the page are ignored: some
    were set on the whole document by mistake. A candidate without marked ancestors or descendants counts as a segment
    if its parent contains marked elements.

    Args:
        regions: candidates of the page.
        elements: marked elements of one level.

    Returns:
        None if no marked element has a part of the blocks.
    """
    block_count = regions.context.block_count[elements]
    elements = elements[(block_count > 0) & (block_count < len(regions.context))]
    if not len(elements):
        return None
    marked = np.isin(regions.node, regions.context.container[elements])
    contains_marked, in_marked = _relatives(marked, regions.parent)
    state = np.where(in_marked, State.BELOW, np.where(marked, State.AT, State.ABOVE))
    known = in_marked | marked | contains_marked
    for row in np.flatnonzero(~known).tolist():
        parent_row = regions.parent[row]
        state[row] = State.AT if parent_row < 0 or state[parent_row] == State.ABOVE else State.BELOW
    return state.astype(np.int8), known


def _relatives(marked: NDArray[np.bool_], parent: NDArray[np.int32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the containers with a marked descendant, and with a marked ancestor."""
    contains_marked, in_marked = np.zeros(len(marked), dtype=bool), np.zeros(len(marked), dtype=bool)
    for row, parent_row in enumerate(parent.tolist()):
        in_marked[row] = parent_row >= 0 and (in_marked[parent_row] or marked[parent_row])
    for row in range(len(marked) - 1, 0, -1):
        if parent[row] >= 0 and (marked[row] or contains_marked[row]):
            contains_marked[parent[row]] = True
    return contains_marked, in_marked
