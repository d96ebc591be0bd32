"""`PageContext -> Regions`: the containers of a page that may be regions of it.

Every element that holds blocks is a candidate. Of a chain of elements that hold the same blocks only the outermost is
one: it has the padding, the background and the float that a reader sees, and the names of the whole chain count.
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
    """Elements of a page as regions: C of them, over B blocks.

    Attributes:
        context: the blocks of the page.
        node: int32 (C,), the elements.
        around: int32 (C,), the nearest element round each that is a candidate and holds more blocks, or as many where
            the region holds none; the element itself where it holds all blocks of the page.
        first, last: int64 (C,), the blocks in it are `[first, last)`.
    """

    context: PageContext
    node: NDArray[np.int32]
    around: NDArray[np.int32]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def __len__(self) -> int:
        """The number of regions."""
        return len(self.node)

    @property
    def snapshot(self) -> Snapshot:
        """The page."""
        return self.context.snapshot

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """int32 (C,): the place in `node` of each candidate's `around`, -1 for the outermost; candidates only."""
        place = np.searchsorted(self.node, self.around).astype(np.int32)
        return np.where(self.around == self.node, np.int32(-1), place)

    @cached_property
    def block_region(self) -> NDArray[np.int32]:
        """int32 (B,): the place in `node` of the innermost candidate round each block; candidates only."""
        return np.searchsorted(self.node, self.context.container[self.context.blocks.node]).astype(np.int32)


def candidate_regions(context: PageContext) -> Regions:
    """The candidates of a page, in document order."""
    return regions_at(context, np.flatnonzero(context.is_container).astype(np.int32))


def regions_at(context: PageContext, node: NDArray[np.int32]) -> Regions:
    """Any elements as regions, such as marked ones: inside a chain, or without text."""
    holder, count = context.container[node], context.block_count[node]
    around = np.where(count == 0, holder, context.container[np.maximum(context.snapshot.parent[holder], 0)])
    first = blocks_before(context)[node]
    return Regions(context, node, around.astype(np.int32), first, first + count.astype(np.int64))


def blocks_before(context: PageContext) -> NDArray[np.int64]:
    """int64 (N,): blocks that begin before an element does."""
    blocks = context.blocks
    begun = np.zeros(len(context.snapshot.texts) + 1, dtype=np.int64)
    begun[blocks.members[blocks.first] + 1] = 1
    return np.cumsum(begun)[context.first_text]


@dataclass(frozen=True, eq=False)
class RegionLayout:
    """Which of a page's C candidates stand round which, and round its B blocks.

    Attributes:
        parent: int32 (C,), the candidate round each, which comes before it; -1 for the outermost.
        block_region: int32 (B,), the innermost candidate round each block.
        box: float32 (C, 4), x, y, width, height in page widths and heights; NaN where not rendered.
    """

    parent: NDArray[np.int32]
    block_region: NDArray[np.int32]
    box: NDArray[np.float32]

    @classmethod
    def from_regions(cls, regions: Regions) -> RegionLayout:
        """The layout of a page's candidates."""
        snapshot = regions.snapshot
        page = np.array([snapshot.width, snapshot.height] * 2, dtype=np.float32)
        return cls(
            regions.parent, regions.block_region, (snapshot.box[regions.node] / np.maximum(page, 1)).astype(np.float32)
        )
