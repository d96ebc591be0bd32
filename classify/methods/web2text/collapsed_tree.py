"""Compute the collapsed document tree of Web2Text (Vogels, Ganea and Eickhoff 2018) over the blocks of a page.

Elements without text are dropped, and a node with a single child is merged with it. The remaining nodes are forks, with
two or more children, and leaves.

Choices of vclean: leaves are blocks, not text nodes, so a word in bold does not split a sentence. A block belongs to
the innermost element that contains all of its text. Elements that contain less than a block are dropped as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot

NONE = -1
"""Index that means "no element"."""


@dataclass(frozen=True, eq=False)
class CollapsedTree:
    """Collapsed tree: the forks and the B leaves of a page with N elements and at least one block.

    A node is identified by its innermost element: a fork by itself, a leaf by its `container`. The elements merged with
    a node are its ancestors up to the next fork.
    """

    blocks: BlockColumns

    @property
    def _snapshot(self) -> Snapshot:
        return self.blocks.snapshot

    @cached_property
    def container(self) -> NDArray[np.int32]:
        """Return the innermost element that contains all text of each block, int32 (B,)."""
        parent = self._snapshot.text_parent[self.blocks.members]
        outer = np.minimum.reduceat(parent, self.blocks.first)
        inner = np.maximum.reduceat(parent, self.blocks.first)
        return tree.lowest_common_ancestor(outer, inner, self._snapshot.parent, self._snapshot.end)

    @cached_property
    def is_fork(self) -> NDArray[np.bool_]:
        """Return whether each element has two or more children that are blocks or contain blocks, bool (N,)."""
        above = self._snapshot.parent[1:][self._count[1:] > 0]
        children = self._direct_count + np.bincount(above, minlength=len(self._snapshot))
        return children > 1

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """Return the parent fork of each leaf, int32 (B,); `NONE` on a page of one block."""
        return self._fork_at(self.container)

    def parents(self, forks: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the parents of `forks`; `NONE` for the root and for `NONE`."""
        outside = np.where(forks == NONE, NONE, self._snapshot.parent[forks])
        return np.where(outside == NONE, NONE, self._fork_at(np.maximum(outside, 0)))

    @cached_property
    def root(self) -> int:
        """Return the outermost fork, which contains all blocks; `NONE` on a page of one block."""
        return int(np.argmax(self.is_fork)) if self.is_fork.any() else NONE

    @cached_property
    def common_fork(self) -> NDArray[np.int32]:
        """Return the innermost fork that contains each leaf and the next, int32 (B - 1,)."""
        return tree.lowest_common_ancestor(
            self.container[:-1], self.container[1:], self._snapshot.parent, self._snapshot.end
        )

    @cached_property
    def distance(self) -> NDArray[np.int64]:
        """Return the steps in the collapsed tree from each leaf to the next, int64 (B - 1,); 2 between siblings."""
        depth = self._forks_to[self.container] + 1
        return np.asarray(depth[:-1] + depth[1:] - 2 * self._forks_to[self.common_fork])

    def runs(self, forks: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first block in each of `forks`, and the index after its last; 0 and 0 for `NONE`.

        The blocks that an element contains completely are consecutive, so the sum of their indexes determines the
        first.
        """
        count = np.where(forks == NONE, 0, self._count[forks])
        index_sum = np.where(forks == NONE, 0, self._index_sum[forks])
        first = (index_sum - count * (count - 1) // 2) // np.maximum(count, 1)
        return first, first + count

    def leaf_tags(self, tags: Sequence[str]) -> NDArray[np.bool_]:
        """Return whether each of `tags` is among the elements merged with a leaf, bool (B, len(tags))."""
        return self._tags_between(self.container, self.parent, tags)

    def fork_tags(self, forks: NDArray[np.int32], tags: Sequence[str]) -> NDArray[np.bool_]:
        """Return whether each of `tags` is among the elements merged with `forks` (M,), bool (M, len(tags))."""
        return self._tags_between(forks, self.parents(forks), tags)

    def has(self, forks: NDArray[np.int32], tags: Collection[str]) -> NDArray[np.bool_]:
        """Return whether one of `tags` is inside each of `forks`; False for `NONE`."""
        inside = tree.subtree_sum(self._snapshot.is_tag(tags), self._end) > 0
        return np.asarray((forks != NONE) & inside[forks])

    @property
    def _end(self) -> NDArray[np.int32]:
        return self._snapshot.end

    @cached_property
    def _direct_count(self) -> NDArray[np.int64]:
        """Return the number of blocks of which an element is the container, int64 (N,)."""
        return np.bincount(self.container, minlength=len(self._snapshot))

    @cached_property
    def _count(self) -> NDArray[np.int64]:
        """Return the number of blocks that an element contains completely, int64 (N,)."""
        return tree.subtree_sum(self._direct_count, self._end)

    @cached_property
    def _index_sum(self) -> NDArray[np.int64]:
        """Return the sum of the indexes of these blocks, int64 (N,)."""
        direct = np.bincount(self.container, np.arange(len(self.blocks)), len(self._snapshot))
        return tree.subtree_sum(direct.astype(np.int64), self._end)

    @cached_property
    def _forks_to(self) -> NDArray[np.int64]:
        """Return the number of forks on the path from the root to an element, itself included, int64 (N,)."""
        return tree.path_sum(self.is_fork, self._end)

    def _fork_at(self, elements: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the nearest fork among each element and its ancestors, or `NONE`."""
        nearest = self._nearest[elements]
        return np.where(self.is_fork[nearest], nearest, NONE).astype(np.int32)

    @cached_property
    def _nearest(self) -> NDArray[np.int32]:
        return tree.nearest_ancestor(self.is_fork, self._snapshot.parent)

    def _tags_between(
        self, inner: NDArray[np.int32], outer: NDArray[np.int32], tags: Sequence[str]
    ) -> NDArray[np.bool_]:
        masks: list[NDArray[Any]] = [self._snapshot.is_tag((tag,)) for tag in tags]
        above = np.vstack([tree.path_sum(np.stack(masks, axis=1), self._end), np.zeros(len(tags), dtype=np.int64)])
        return np.asarray(above[inner] > above[outer])  # the last row, of zeros, is selected by `NONE`
