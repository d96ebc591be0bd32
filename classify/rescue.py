"""Gold out of order: blocks whose n-grams stand in a part of the gold that no other block covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

RESCUE_SHARE = 0.7
"""A block is rescued if at least this share of its n-grams is found."""
GRAM = 3
"""Length of the n-grams in words."""
SPOTS = 16
"""So many places of an n-gram are looked at, at most: bounds the time on repetitive gold."""


class FreeGold:
    """The words of the gold that no content block covers yet."""

    def __init__(self, words: list[str], matched: Iterable[NDArray[np.int32]]) -> None:
        self._words = words
        self._free = np.ones(len(words), dtype=bool)
        for positions in matched:
            self.take(positions)
        self._spots: dict[tuple[str, ...], list[int]] = {}
        for at in np.flatnonzero(self._free).tolist():
            spots = self._spots.setdefault(tuple(words[at : at + GRAM]), [])
            if len(spots) < SPOTS:
                spots.append(at)

    def take(self, positions: NDArray[np.int32]) -> None:
        """Mark gold positions as covered; negative ones are passed over."""
        self._free[positions[positions >= 0]] = False

    def find(self, block: list[str]) -> NDArray[np.int32] | None:
        """The free gold position of every word of `block`, -1 for none; None when too few n-grams are there.

        No position is given twice, so a block that repeats itself needs gold that does.
        """
        if not self._spots:
            return None
        positions = np.full(len(block), -1, dtype=np.int32)
        taken: set[int] = set()
        hits = 0
        for at, spot, size in self._runs(block, taken):
            positions[at : at + size] = np.arange(spot, spot + size)
            taken.update(range(spot, spot + size))
            hits += size - GRAM + 1
        return positions if hits and hits >= RESCUE_SHARE * (len(block) - GRAM + 1) else None

    def _runs(self, block: list[str], taken: set[int]) -> Iterator[tuple[int, int, int]]:
        """Where runs of at least an n-gram stand in block and gold, and their length, from left to right."""
        at = 0
        while at + GRAM <= len(block):
            spots = self._spots.get(tuple(block[at : at + GRAM]), ())
            sizes = [self._run_size(block[at:], spot, taken) for spot in spots]
            size = max(sizes, default=0)
            if size >= GRAM:
                yield at, spots[sizes.index(size)], size
            at += size if size >= GRAM else 1

    def _run_size(self, words: list[str], spot: int, taken: set[int]) -> int:
        size = 0
        for word, place in zip(words, range(spot, len(self._words)), strict=False):
            if word != self._words[place] or not self._free[place] or place in taken:
                break
            size += 1
        return size
