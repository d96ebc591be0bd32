"""The semantic blocks of GenieKnows and what it measures of them (GenieKnows at CleanEval 2007).

A semantic block is neither very long nor very short: the largest element of at most `LONGEST` words, with its
neighbours of the same parent where it has fewer than `SHORTEST`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import linguistic, tree
from vclean.features.columns import ratio

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from vclean.features.view import View

LONGEST: Final = 120
SHORTEST: Final = 8
_FORMS: Final = ("form", "input", "select", "textarea")
_IMAGES: Final = ("img", "picture", "svg")


@dataclass(frozen=True, eq=False)
class SemanticBlocks:
    """The S semantic blocks of a page of B blocks, at least one, in document order."""

    view: View

    def __len__(self) -> int:
        """The number of semantic blocks."""
        return len(self.first)

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """int64 (B,): the semantic block of every block."""
        starts = np.ones(len(self.view), dtype=bool)
        starts[1:] = np.diff(self._joined) != 0
        return np.cumsum(starts) - 1

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """int64 (S,): the first block of each."""
        return np.flatnonzero(np.diff(self.number, prepend=-1))

    @cached_property
    def words(self) -> NDArray[np.float64]:
        """float64 (S,): words."""
        return self.total(self.view.tokens)

    @cached_property
    def length(self) -> NDArray[np.float32]:
        """float32 (S,): words, relative to the longest."""
        return ratio(self.words, float(self.words.max()))

    @cached_property
    def link_share(self) -> NDArray[np.float32]:
        """float32 (S,): share of link text."""
        return ratio(self.total(self.view.link_share * self._chars), self.total(self._chars))

    @cached_property
    def sentences(self) -> NDArray[np.float32]:
        """float32 (S,): blocks that end as a sentence does, relative to the semantic block with most of them."""
        ends = np.nan_to_num(np.asarray(linguistic.compute(self.view)["ends_sentence"], dtype=np.float32))
        total = self.total(ends)
        return ratio(total, float(total.max()))

    @cached_property
    def has_form(self) -> NDArray[np.bool_]:
        """Whether there is a form or a control of one in it, bool (S,)."""
        return self._has(_FORMS)

    @cached_property
    def has_image(self) -> NDArray[np.bool_]:
        """Whether there is an image in it, bool (S,)."""
        return self._has(_IMAGES)

    @cached_property
    def position(self) -> NDArray[np.float64]:
        """float64 (S,): place of its middle on the page, in words, 0..1."""
        end = np.cumsum(self.words)
        return (end - self.words / 2) / max(float(end[-1]), 1.0)

    @cached_property
    def box(self) -> NDArray[np.float32]:
        """float32 (S, 4): left, top, right, bottom in CSS px; NaN where nothing is painted."""
        box = self.view.blocks.box
        corners = np.hstack([box[:, :2], box[:, :2] + box[:, 2:]])
        low = np.fmin.reduceat(corners[:, :2], self.first, axis=0)
        return np.hstack([low, np.fmax.reduceat(corners[:, 2:], self.first, axis=0)])

    @cached_property
    def akin(self) -> NDArray[np.bool_]:
        """Whether each is in line with the one before, bool (S,): as far left, as wide, or of the same parent."""
        left, width = self.box[:, 0], self.box[:, 2] - self.box[:, 0]
        parent = self.view.snapshot.parent[self._element[self.first]]
        akin = np.zeros(len(self), dtype=bool)
        akin[1:] = np.diff(parent) == 0
        akin[1:] |= (np.abs(np.diff(left)) < 1) & (np.abs(np.diff(width)) < 0.1 * np.maximum(width[1:], 1))
        return akin

    def total(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64 (S,): the sum of the blocks' `values` (B,) over each."""
        return np.add.reduceat(values.astype(np.float64), self.first)

    @cached_property
    def _chars(self) -> NDArray[np.float32]:
        return self.view.per_block(self.view.member_chars)

    @cached_property
    def _fits(self) -> NDArray[np.bool_]:
        """Whether an element has few enough words, bool (N,)."""
        return np.asarray(self.view.on_nodes(self.view.tokens) <= LONGEST)

    @cached_property
    def _element(self) -> NDArray[np.int64]:
        """int64 (B,): the largest element of few enough words round each block, or its container."""
        snapshot, node = self.view.snapshot, self.view.blocks.node
        top = self._fits.copy()
        top[1:] &= ~self._fits[snapshot.parent[1:]]
        return np.where(self._fits[node], tree.nearest(top, snapshot.parent)[node], node).astype(np.int64)

    @cached_property
    def _joined(self) -> NDArray[np.int64]:
        """int64 (B,): a number for the semantic block; small ones go by their parent."""
        snapshot, element = self.view.snapshot, self._element
        words = np.bincount(element, self.view.tokens, minlength=len(snapshot))[element]
        return np.where(words < SHORTEST, -1 - snapshot.parent[element], element)

    def _has(self, tags: Collection[str]) -> NDArray[np.bool_]:
        inside = tree.subtree_sum(self.view.snapshot.is_tag(tags), self.view.snapshot.end) > 0
        return self.total((inside & self._fits)[self._element].astype(np.float32)) > 0
