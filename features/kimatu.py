"""The blocks of Kimatu and their ratios.

Saralegi and Leturia 2007, "Kimatu, a tool for cleaning non-content text parts from HTML docs". A block of Kimatu is a
run of neighbouring elements with the same tags and classes. Its ratios are relative to the largest of the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import signatures
from vclean.features.columns import ratio
from vclean.features.text import PUNCT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.view import View


@dataclass(frozen=True, eq=False)
class Runs:
    """The R runs of a page of B blocks, at least one.

    Attributes:
        view: the page's blocks.
        visible: bool (B,), the blocks that count; a run has all or none of its blocks among them.
    """

    view: View
    visible: NDArray[np.bool_]

    @cached_property
    def signature(self) -> NDArray[np.uint64]:
        """uint64 (R,): a number for the tags and classes of a run."""
        return self._of_block[self.first]

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """int64 (R,): the first block of every run."""
        signature = self._of_block
        starts = np.ones(len(signature), dtype=bool)
        starts[1:] = (signature[1:] != signature[:-1]) | (self.visible[1:] != self.visible[:-1])
        return np.flatnonzero(starts)

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """int64 (B,): the run of every block."""
        return np.repeat(np.arange(len(self.first)), np.diff(self.first, append=len(self.view)))

    @cached_property
    def length(self) -> NDArray[np.float32]:
        """float32 (R,): characters, relative to the longest run."""
        return _relative(self._chars)

    @cached_property
    def mean_length(self) -> NDArray[np.float32]:
        """float32 (R,): characters per block, relative to the run where they are most."""
        return _relative(self._chars / np.bincount(self.number))

    @cached_property
    def punctuation(self) -> NDArray[np.float32]:
        """float32 (R,): punctuation marks, relative to the run with most of them."""
        return _relative(self.total(self.view.texts.has(PUNCT)))

    @cached_property
    def links(self) -> NDArray[np.float32]:
        """float32 (R,): share of link text."""
        return ratio(self.total(self.view.link_share * self._block_chars), self._chars)

    def total(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64 (R,): the sum of the blocks' `values` (B,) over every run; what is not visible counts nothing."""
        return np.add.reduceat(np.where(self.visible, values, 0).astype(np.float64), self.first)

    @cached_property
    def _of_block(self) -> NDArray[np.uint64]:
        return signatures.class_hashes(self.view.naming)[self.view.blocks.node]

    @cached_property
    def _block_chars(self) -> NDArray[np.float32]:
        texts = self.view.texts
        return (np.diff(texts.start, append=len(texts.code)) - 1).astype(np.float32)

    @cached_property
    def _chars(self) -> NDArray[np.float64]:
        return self.total(self._block_chars)


def _relative(values: NDArray[np.float64]) -> NDArray[np.float32]:
    return ratio(values, float(values.max()))
