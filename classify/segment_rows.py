"""The rows the learned segmenter learns from: the containers of marked pages, and where each stands to the segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify import region_rows
from vclean.classify.corpora import registered_domain
from vclean.classify.marks import locate
from vclean.classify.segment_cut import Sizes
from vclean.classify.segment_states import true_states
from vclean.features import vips
from vclean.features.blocks import cut
from vclean.features.regions import candidates
from vclean.features.segment_columns import segment_matrix
from vclean.features.view import View
from vclean.features.vips_page import VisualPage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.marks import Mark
    from vclean.classify.region_rows import RegionRows
    from vclean.features.regions import Regions
    from vclean.render.snapshot import Snapshot

LEVELS: Final = (1, 2)
"""Of the marks: the main segments, and their parts."""


@dataclass(frozen=True, eq=False)
class SegmentPage:
    """The C containers of a rendered page, as the segmenter sees them.

    Attributes:
        painted: what there is to see.
        regions: the containers.
        sizes: their characters.
        x: float32 (C, len(segment_columns.SEEN_COLUMNS)).
    """

    painted: VisualPage
    regions: Regions
    sizes: Sizes
    x: NDArray[np.float32]

    @classmethod
    def of(cls, snapshot: Snapshot) -> SegmentPage | None:
        """The page; None where there is nothing to cut: no text, or one thing to see.

        Raises:
            UsageError: it was not rendered.
        """
        seen = vips.segment(snapshot)
        view = View(cut(snapshot))
        if not len(view) or len(seen) == 1:
            return None
        regions, painted = candidates(view), VisualPage(snapshot)
        extent = np.array(painted.extent)[regions.node]
        x = segment_matrix(regions, region_rows.block_values(view), seen, extent)
        return cls(painted, regions, Sizes.of(regions), x)


@dataclass(frozen=True, slots=True, eq=False)
class SegmentRows:
    """C containers of one page with their states.

    Attributes:
        address: of the page.
        x: float32 (C, len(segment_columns.SEEN_COLUMNS)).
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


def marked_rows(snapshot: Snapshot, marks: Sequence[Mark], address: str) -> SegmentRows | None:
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
    roles = region_rows.marked_rows(page.regions.view, marks, site=registered_domain(address))
    state = {level: states for level, (states, _) in known.items()}
    told = {level: sure for level, (_, sure) in known.items()}
    return SegmentRows(address, page.x, page.regions.parent, state, told, roles)


def _marked(snapshot: Snapshot, marks: Sequence[Mark], level: int) -> NDArray[np.int32]:
    elements = locate(snapshot, [mark for mark in marks if mark.level == level])
    return elements[elements >= 0]
