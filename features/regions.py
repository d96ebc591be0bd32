"""`View -> Regions`: the containers of a page that may be regions of it.

Every element that holds blocks is a candidate. Of a chain of elements that hold the same blocks only the outermost is
one: it has the padding, the background and the float that a reader sees, and the names of the whole chain count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import tree

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
        holder = tree.nearest(is_candidate(self.view), self.snapshot.parent)
        return np.searchsorted(self.node, holder[self.view.blocks.node]).astype(np.int32)


def is_candidate(view: View) -> NDArray[np.bool_]:
    """Whether an element holds blocks, and its parent holds more, bool (N,)."""
    count, parent = view.block_count, view.snapshot.parent
    outgrown = count[np.maximum(parent, 0)] > count
    outgrown[:1] = True
    return (count > 0) & outgrown


def candidates(view: View) -> Regions:
    """The candidates of a page, in document order."""
    return regions_at(view, np.flatnonzero(is_candidate(view)).astype(np.int32))


def regions_at(view: View, node: NDArray[np.int32]) -> Regions:
    """Any elements as regions, such as marked ones: inside a chain, or without text."""
    parent = np.maximum(view.snapshot.parent, 0)
    holder = tree.nearest(is_candidate(view), view.snapshot.parent)
    empty = view.block_count[node] == 0
    around = np.where(empty, holder[node], holder[parent[holder[node]]])
    first = _blocks_before(view)[node]
    return Regions(view, node, around.astype(np.int32), first, first + view.block_count[node].astype(np.int64))


def _blocks_before(view: View) -> NDArray[np.int64]:
    """int64 (N,): blocks that begin before an element does."""
    blocks = view.blocks
    first_text = np.searchsorted(view.snapshot.text_after, np.arange(len(view.snapshot)))
    return np.searchsorted(blocks.members[blocks.first], first_text)
