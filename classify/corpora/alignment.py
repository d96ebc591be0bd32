"""Word alignment of a page with its gold text: a longest common subsequence that prefers unbroken runs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray


MAX_CELLS = 10**9
"""Cap on the product of the two lengths for an exact alignment: one bit each, so 125 MB and half a second."""
ANCHOR = 5
"""Length in words of the unique n-grams that cut a pair of longer texts into pieces."""

# Keeps the aligner from pairing equal ends of the two texts at once, such as a footer's last word with the gold's.
_NO_WORD = -1
# Scripts written without spaces have no words to `\w+`; their characters are aligned one by one.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class MatchingRun:
    """`size` equal tokens: `page[page : page + size] == gold[gold : gold + size]`."""

    page: int
    gold: int
    size: int


def tokens(text: str) -> list[str]:
    """The lower-cased words of `text`; single characters in scripts that put no space between words."""
    return _TOKEN.findall(text.lower())


def common_runs(page: Sequence[str], gold: Sequence[str]) -> list[MatchingRun]:
    """The runs of a longest common subsequence of two token lists, ascending in both, none overlapping.

    Of several places on the page a run has the one right before the run that follows it in the gold, if it fits
    there: a title is found over its text, not in a menu or a table of contents. Texts whose lengths multiply to more
    than `MAX_CELLS` are cut at n-grams unique in both (patience diff), and pieces that are still too long are
    left unaligned, so time and memory are bounded.
    """
    numbers: dict[str, int] = {}
    left = [numbers.setdefault(token, len(numbers)) for token in page]
    right = [numbers.setdefault(token, len(numbers)) for token in gold]
    if len(left) * len(right) <= MAX_CELLS:
        return _close_up(_exact_runs(left, right, 0, 0), left, right)
    cuts = [(0, 0), *_anchors(left, right), (len(left), len(right))]
    pieces = (_exact_runs(left[a:c], right[b:d], a, b) for (a, b), (c, d) in pairwise(cuts))
    return _close_up([run for piece in pieces for run in piece], left, right)


def gold_positions(runs: Sequence[MatchingRun], size: int) -> NDArray[np.int32]:
    """The gold token every one of `size` page tokens is aligned with, int32 (size,); -1 for none."""
    positions = np.full(size, -1, dtype=np.int32)
    for run in runs:
        positions[run.page : run.page + run.size] = np.arange(run.gold, run.gold + run.size)
    return positions


def _exact_runs(page: list[int], gold: list[int], page_at: int, gold_at: int) -> list[MatchingRun]:
    if len(page) * len(gold) > MAX_CELLS:
        return []
    from rapidfuzz.distance import LCSseq  # pages that nobody compares with gold do without

    return [
        MatchingRun(page_at + block.a, gold_at + block.b, block.size)
        for block in LCSseq.opcodes([*page, _NO_WORD], gold).as_matching_blocks()
        if block.size
    ]


def _close_up(runs: list[MatchingRun], page: list[int], gold: list[int]) -> list[MatchingRun]:
    moved: list[MatchingRun] = []
    page_end, gold_end = len(page), len(gold)
    for run in reversed(runs):
        start = page_end - run.size
        words = gold[run.gold : run.gold + run.size]
        fits = run.gold + run.size == gold_end and start >= 0 and page[start:page_end] == words
        moved.append(MatchingRun(start, run.gold, run.size) if fits else run)
        page_end, gold_end = moved[-1].page, run.gold
    return moved[::-1]


def _anchors(page: list[int], gold: list[int]) -> list[tuple[int, int]]:
    """Where n-grams unique in both texts start, ascending in both: a longest increasing subsequence."""
    there = _unique_ngrams(gold)
    pairs = [(at, there[gram]) for gram, at in _unique_ngrams(page).items() if gram in there]
    return _longest_increasing(sorted(pairs))


def _unique_ngrams(ids: list[int]) -> dict[tuple[int, ...], int]:
    grams = list(zip(*(ids[shift:] for shift in range(ANCHOR)), strict=False))
    counts = Counter(grams)
    return {gram: at for at, gram in enumerate(grams) if counts[gram] == 1}


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest chain of `pairs`, sorted by the first, that ascends in the second (patience sorting)."""
    tails: list[int] = []
    tail_index: list[int] = []
    previous: list[int] = []
    for index, (_, gold) in enumerate(pairs):
        pile = bisect_left(tails, gold)
        previous.append(tail_index[pile - 1] if pile else -1)
        tails[pile : pile + 1] = [gold]
        tail_index[pile : pile + 1] = [index]
    chain = []
    index = tail_index[-1] if tail_index else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]


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
