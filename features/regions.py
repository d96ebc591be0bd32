"""`View -> Regions`: the containers of a page that may be regions of it.

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

    from vclean.features.view import View
    from vclean.render.snapshot import Snapshot


@dataclass(frozen=True, eq=False)
class Regions:
    """Elements of a page as regions: C of them, over B blocks.

    Attributes:
        view: the blocks of the page.
        node: int32 (C,), the elements.
        around: int32 (C,), the nearest element round each that is a candidate and holds more blocks, or as many where
            the region holds none; the element itself where it holds all blocks of the page.
        first, last: int64 (C,), the blocks in it are `[first, last)`.
    """

    view: View
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
        return self.view.snapshot

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """int32 (C,): the place in `node` of each candidate's `around`, -1 for the outermost; candidates only."""
        place = np.searchsorted(self.node, self.around).astype(np.int32)
        return np.where(self.around == self.node, np.int32(-1), place)

    @cached_property
    def block_region(self) -> NDArray[np.int32]:
        """int32 (B,): the place in `node` of the innermost candidate round each block; candidates only."""
        return np.searchsorted(self.node, self.view.container[self.view.blocks.node]).astype(np.int32)


def candidates(view: View) -> Regions:
    """The candidates of a page, in document order."""
    return regions_at(view, np.flatnonzero(view.is_container).astype(np.int32))


def regions_at(view: View, node: NDArray[np.int32]) -> Regions:
    """Any elements as regions, such as marked ones: inside a chain, or without text."""
    holder, count = view.container[node], view.block_count[node]
    around = np.where(count == 0, holder, view.container[np.maximum(view.snapshot.parent[holder], 0)])
    first = blocks_before(view)[node]
    return Regions(view, node, around.astype(np.int32), first, first + count.astype(np.int64))


def blocks_before(view: View) -> NDArray[np.int64]:
    """int64 (N,): blocks that begin before an element does."""
    blocks = view.blocks
    begun = np.zeros(len(view.snapshot.texts) + 1, dtype=np.int64)
    begun[blocks.members[blocks.first] + 1] = 1
    return np.cumsum(begun)[view.first_text]
