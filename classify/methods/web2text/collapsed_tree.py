"""The collapsed document tree of Web2Text (Vogels, Ganea and Eickhoff 2018), over the blocks of a page.

Elements that hold no text are dropped, and a node with one child only is one node with that child. What is left are
forks, which have two children or more, and leaves.

Chosen: leaves are the blocks, not the text nodes, so that a word in bold does not part a sentence. A block is in the
innermost element that holds all of its text; elements that hold less than a block are dropped with the empty ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.features import tree

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot

NONE = -1
"""Stands for an element where there is none."""


@dataclass(frozen=True, eq=False)
class CollapsedTree:
    """The forks and the B leaves of a page of N elements and one block at least.

    Each node is known by its innermost element: a fork by itself, a leaf by its `holder`. The elements that are one
    with it stand above it, up to the next fork.
    """

    blocks: BlockColumns

    @property
    def _snapshot(self) -> Snapshot:
        return self.blocks.snapshot

    @cached_property
    def holder(self) -> NDArray[np.int32]:
        """int32 (B,): the innermost element that holds all text of a block."""
        parent = self._snapshot.text_parent[self.blocks.members]
        outer = np.minimum.reduceat(parent, self.blocks.first)
        inner = np.maximum.reduceat(parent, self.blocks.first)
        return tree.lowest_common_ancestor(outer, inner, self._snapshot.parent, self._snapshot.end)

    @cached_property
    def is_fork(self) -> NDArray[np.bool_]:
        """Whether an element has two children or more, blocks or elements with blocks in them, bool (N,)."""
        above = self._snapshot.parent[1:][self._count[1:] > 0]
        children = self._held + np.bincount(above, minlength=len(self._snapshot))
        return children > 1

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """int32 (B,): the fork round every leaf; `NONE` on a page of one block."""
        return self._fork_at(self.holder)

    def above(self, forks: NDArray[np.int32]) -> NDArray[np.int32]:
        """The forks round `forks`; `NONE` round the outermost and round `NONE`."""
        outside = np.where(forks == NONE, NONE, self._snapshot.parent[forks])
        return np.where(outside == NONE, NONE, self._fork_at(np.maximum(outside, 0)))

    @cached_property
    def root(self) -> int:
        """The outermost fork, which holds all blocks; `NONE` on a page of one block."""
        return int(np.argmax(self.is_fork)) if self.is_fork.any() else NONE

    @cached_property
    def meeting(self) -> NDArray[np.int32]:
        """int32 (B - 1,): the innermost fork round every leaf and the next."""
        return tree.lowest_common_ancestor(self.holder[:-1], self.holder[1:], self._snapshot.parent, self._snapshot.end)

    @cached_property
    def distance(self) -> NDArray[np.int64]:
        """int64 (B - 1,): steps in the collapsed tree from every leaf to the next; 2 between siblings."""
        depth = self._forks_to[self.holder] + 1
        return np.asarray(depth[:-1] + depth[1:] - 2 * self._forks_to[self.meeting])

    def runs(self, forks: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first block in each of `forks`, and one past the last; 0 and 0 for `NONE`.

        Blocks that are in an element as a whole follow each other, so that the sum of their numbers tells the first.
        """
        count = np.where(forks == NONE, 0, self._count[forks])
        numbers = np.where(forks == NONE, 0, self._numbers[forks])
        first = (numbers - count * (count - 1) // 2) // np.maximum(count, 1)
        return first, first + count

    def leaf_tags(self, tags: Sequence[str]) -> NDArray[np.bool_]:
        """Whether there is one of each of `tags` among the elements that are one with a leaf, bool (B, len(tags))."""
        return self._tags_between(self.holder, self.parent, tags)

    def fork_tags(self, forks: NDArray[np.int32], tags: Sequence[str]) -> NDArray[np.bool_]:
        """The same of `forks` (M,), bool (M, len(tags)); none in `NONE`."""
        return self._tags_between(forks, self.above(forks), tags)

    def has(self, forks: NDArray[np.int32], tags: Collection[str]) -> NDArray[np.bool_]:
        """Whether there is one of `tags` inside `forks`; none in `NONE`."""
        inside = tree.subtree_sum(self._snapshot.is_tag(tags), self._end) > 0
        return np.asarray((forks != NONE) & inside[forks])

    @property
    def _end(self) -> NDArray[np.int32]:
        return self._snapshot.end

    @cached_property
    def _held(self) -> NDArray[np.int64]:
        """int64 (N,): blocks that an element is the holder of."""
        return np.bincount(self.holder, minlength=len(self._snapshot))

    @cached_property
    def _count(self) -> NDArray[np.int64]:
        """int64 (N,): blocks that are in an element as a whole."""
        return tree.subtree_sum(self._held, self._end)

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        """int64 (N,): the sum of the numbers of those blocks."""
        held = np.bincount(self.holder, np.arange(len(self.blocks)), len(self._snapshot))
        return tree.subtree_sum(held.astype(np.int64), self._end)

    @cached_property
    def _forks_to(self) -> NDArray[np.int64]:
        """int64 (N,): forks on the way from the root to an element, itself included."""
        return tree.path_sum(self.is_fork, self._end)

    def _fork_at(self, elements: NDArray[np.int32]) -> NDArray[np.int32]:
        """The nearest fork among each element and its ancestors, or `NONE`."""
        found = self._nearest[elements]
        return np.where(self.is_fork[found], found, NONE).astype(np.int32)

    @cached_property
    def _nearest(self) -> NDArray[np.int32]:
        return tree.nearest_ancestor(self.is_fork, self._snapshot.parent)

    def _tags_between(
        self, inner: NDArray[np.int32], outer: NDArray[np.int32], tags: Sequence[str]
    ) -> NDArray[np.bool_]:
        masks: list[NDArray[Any]] = [self._snapshot.is_tag((tag,)) for tag in tags]
        above = np.vstack([tree.path_sum(np.stack(masks, axis=1), self._end), np.zeros(len(tags), dtype=np.int64)])
        return np.asarray(above[inner] > above[outer])  # the last row, of zeros, is that of `NONE`
