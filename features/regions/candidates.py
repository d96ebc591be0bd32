"""Find the elements of a page that may be regions.

Each element that contains blocks is a candidate. Of nested elements with the same blocks only the outermost is a
candidate, because it has the visible padding, background and float. The names of all nested elements count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot


@dataclass(frozen=True, eq=False)
class Regions:
    """C elements of a page as regions, over B blocks.

    Attributes:
        context: the blocks of the page.
        node: int32 (C,), the elements.
        enclosing: int32 (C,), the enclosing candidate of each: the nearest one with more blocks. For a region without
            blocks the nearest one; for a region with all blocks of the page the region itself.
        first, last: int64 (C,), the region contains the blocks `[first, last)`.
    """

    context: PageContext
    node: NDArray[np.int32]
    enclosing: NDArray[np.int32]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of regions."""
        return len(self.node)

    @property
    def snapshot(self) -> Snapshot:
        """Return the snapshot of the page."""
        return self.context.snapshot

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """Return the index in `node` of each candidate's `enclosing`, -1 for the outermost: int32 (C,).

        Valid only if all regions are candidates.
        """
        index = np.searchsorted(self.node, self.enclosing).astype(np.int32)
        return np.where(self.enclosing == self.node, np.int32(-1), index)

    @cached_property
    def block_region(self) -> NDArray[np.int32]:
        """Return the index in `node` of the innermost candidate around each block: int32 (B,).

        Valid only if all regions are candidates.
        """
        return np.searchsorted(self.node, self.context.container[self.context.blocks.node]).astype(np.int32)


def candidate_regions(context: PageContext) -> Regions:
    """Return the candidates of a page in document order."""
    return regions_at(context, np.flatnonzero(context.is_container).astype(np.int32))


def regions_at(context: PageContext, node: NDArray[np.int32]) -> Regions:
    """Return any elements as regions, for example marked ones.

    Unlike candidates they may have the same blocks as their parent, or no text.
    """
    holder, count = context.container[node], context.block_count[node]
    enclosing = np.where(count == 0, holder, context.container[np.maximum(context.snapshot.parent[holder], 0)])
    first = blocks_before(context)[node]
    return Regions(context, node, enclosing.astype(np.int32), first, first + count.astype(np.int64))


def blocks_before(context: PageContext) -> NDArray[np.int64]:
    """Return the number of blocks that begin before each element: int64 (N,)."""
    blocks = context.blocks
    begun = np.zeros(len(context.snapshot.texts) + 1, dtype=np.int64)
    begun[blocks.members[blocks.first] + 1] = 1
    return np.cumsum(begun)[context.first_text]
