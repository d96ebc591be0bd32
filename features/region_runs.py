"""Sums and means over the blocks and the elements of regions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree

if TYPE_CHECKING:
    from collections.abc import Collection

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
        """float64 (C, ...): sum of `values` (B, ...) over each region's blocks."""
        total = np.zeros((len(values) + 1, *values.shape[1:]))
        np.cumsum(values, axis=0, out=total[1:])
        return np.asarray(total[self.regions.last] - total[self.regions.first])

    def around_sum(self, values: Numbers) -> NDArray[np.float64]:
        """float64 (C,): the same over the region round each."""
        return self._on_nodes(values)[self.regions.around]

    def _on_nodes(self, values: Numbers) -> NDArray[np.float64]:
        return self.regions.view.on_nodes(values.astype(np.float32))

    def means(self, columns: Collection[str]) -> Values:
        """Mean of columns of the blocks over the words of each region's; NaN where no block has a value."""
        stacked = np.stack([self.values[name].astype(np.float64) for name in columns], axis=1)
        known = ~np.isnan(stacked)
        weight = self.sum(known * self.words[:, None])
        total = self.sum(np.where(known, stacked, 0) * self.words[:, None])
        mean = np.where(weight > 1e-9, total / np.maximum(weight, 1e-9), np.nan)
        return {name: mean[:, at] for at, name in enumerate(columns)}

    def elements(self, tags: Collection[str]) -> NDArray[np.int64]:
        """int64 (C,): elements of one of `tags` in each region, itself included."""
        snapshot = self.regions.snapshot
        return tree.subtree_sum(snapshot.is_tag(tags), snapshot.end)[self.regions.node]

    @cached_property
    def chain(self) -> NDArray[np.int32]:
        """int32 (N,): a number for the elements that hold the same blocks; elements without blocks are alone."""
        view = self.regions.view
        return np.where(view.block_count > 0, view.container, np.arange(len(view.snapshot), dtype=np.int32))

    def any_in_chain(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether `mask` (N,) is set for an element that holds the same blocks as the region, bool (C,)."""
        return np.bincount(self.chain, mask, minlength=len(mask))[self.chain[self.regions.node]] > 0
