"""Sums and means over the blocks and the elements of regions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from vclean.features.columns import Numbers, Values
    from vclean.features.regions import Regions

IMAGES: Final = ("img", "svg", "picture", "canvas", "video", "object", "embed", "iframe")
"""What counts as an image or a film."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Regions with sums over their runs of blocks and over their subtrees."""

    regions: Regions
    values: Values

    @property
    def rendered(self) -> bool:
        """Whether the page was."""
        return self.regions.snapshot.rendered

    @cached_property
    def words(self) -> NDArray[np.float32]:
        """float32 (B,): words per block, for shares of the page; never all zero."""
        return self.regions.view.tokens + np.float32(1e-3)

    def sum(self, values: Numbers) -> NDArray[np.float64]:
        """float64 (..., C): sum of `values` (..., B) over each region's blocks."""
        total = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
        np.cumsum(values, axis=-1, out=total[..., 1:])
        return np.asarray(total.take(self.regions.last, axis=-1) - total.take(self.regions.first, axis=-1))

    def around_sum(self, values: Numbers) -> NDArray[np.float64]:
        """float64 (C,): the sum of `values` (B,) over the region round each."""
        return self.regions.view.on_nodes(values.astype(np.float32))[self.regions.around]

    @cached_property
    def around_blocks(self) -> NDArray[np.float64]:
        """float64 (C,): blocks of the region round each."""
        return self.regions.view.block_count[self.regions.around]

    def means(self, columns: Sequence[str]) -> Values:
        """Mean of columns of the blocks over the words of each region's; NaN where no block has a value."""
        values = np.array([self.values[name] for name in columns], dtype=np.float64)
        known = ~np.isnan(values)
        weight = self.sum(known * self.words)
        total = self.sum(np.where(known, values, 0) * self.words)
        mean = np.where(weight > 1e-9, total / np.maximum(weight, 1e-9), np.nan)
        return dict(zip(columns, mean, strict=True))

    def elements(self, kinds: Sequence[Collection[str]]) -> NDArray[np.int64]:
        """int64 (k, C): elements of each of k sets of tags in each region, itself included."""
        snapshot, node = self.regions.snapshot, self.regions.node
        running = np.zeros((len(kinds), len(snapshot) + 1), dtype=np.int64)
        np.cumsum([snapshot.is_tag(tags) for tags in kinds], axis=1, out=running[:, 1:])
        return np.asarray(running.take(snapshot.end[node], axis=1) - running.take(node, axis=1))

    @cached_property
    def chain(self) -> NDArray[np.int32]:
        """int32 (N,): a number for the elements that hold the same blocks; elements without blocks are alone."""
        view = self.regions.view
        return np.where(view.block_count > 0, view.container, np.arange(len(view.snapshot), dtype=np.int32))

    def any_in_chain(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether `mask` (N,) is set for an element that holds the same blocks as the region, bool (C,)."""
        return np.bincount(self.chain, mask, minlength=len(mask))[self.chain[self.regions.node]] > 0

    def gathered(self, bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """uint64 (C,): the `bits` (N,) of all elements that hold the same blocks as the region, together."""
        together = np.zeros_like(bits)
        np.bitwise_or.at(together, self.chain, bits)
        return together[self.chain[self.regions.node]]
