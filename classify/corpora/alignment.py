"""Align the words of a page with its gold text: a longest common subsequence that prefers unbroken runs."""

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
"""Upper limit of the product of the two lengths for an exact alignment: one bit each, so 125 MB and half a second."""
ANCHOR = 5
"""Length in words of the unique n-grams at which a pair of longer texts is split into pieces."""

# Prevents pairing the last words of the two texts only because both are last, such as those of a footer and the gold.
_NO_WORD = -1
# Scripts written without spaces have no words to `\w+`; their characters are aligned one by one.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class MatchingRun:
    """Run of `size` equal tokens: `page[page : page + size] == gold[gold : gold + size]`."""

    page: int
    gold: int
    size: int


def tokenize(text: str) -> list[str]:
    """Return the lower-cased words of `text`, and single characters in scripts that put no space between words."""
    return _TOKEN.findall(text.lower())


def common_runs(page: Sequence[str], gold: Sequence[str]) -> list[MatchingRun]:
    """Return the runs of a longest common subsequence of two token lists, ascending in both, without overlaps.

    A run that occurs several times on the page is moved next to the following run of the gold, if it fits there: a
    title then matches the heading above its text, not a menu or a table of contents. Texts are split at n-grams unique
    in both (patience diff) if their lengths multiply to more than `MAX_CELLS`. Pieces that are still too long stay
    unaligned, so time and memory are bounded.
    """
    token_ids: dict[str, int] = {}
    left = [token_ids.setdefault(token, len(token_ids)) for token in page]
    right = [token_ids.setdefault(token, len(token_ids)) for token in gold]
    if len(left) * len(right) <= MAX_CELLS:
        return _close_up(_exact_runs(left, right, 0, 0), left, right)
    split_points = [(0, 0), *_anchors(left, right), (len(left), len(right))]
    pieces = (_exact_runs(left[a:c], right[b:d], a, b) for (a, b), (c, d) in pairwise(split_points))
    return _close_up([run for piece in pieces for run in piece], left, right)


def gold_positions(runs: Sequence[MatchingRun], size: int) -> NDArray[np.int32]:
    """Return the gold token that each of `size` page tokens is aligned with, int32 (size,); -1 for none."""
    positions = np.full(size, -1, dtype=np.int32)
    for run in runs:
        positions[run.page : run.page + run.size] = np.arange(run.gold, run.gold + run.size)
    return positions


def _exact_runs(page: list[int], gold: list[int], page_start: int, gold_start: int) -> list[MatchingRun]:
    if len(page) * len(gold) > MAX_CELLS:
        return []
    from rapidfuzz.distance import LCSseq  # only needed to compare pages with gold

    return [
        MatchingRun(page_start + block.a, gold_start + block.b, block.size)
        for block in LCSseq.opcodes([*page, _NO_WORD], gold).as_matching_blocks()
        if block.size
    ]


def _close_up(runs: list[MatchingRun], page: list[int], gold: list[int]) -> list[MatchingRun]:
    """Move each run on the page next to the run that follows it in the gold, where the page has the same words."""
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
    """Return the starts of n-grams unique in both texts, ascending in both: a longest increasing subsequence."""
    gold_starts = _unique_ngrams(gold)
    pairs = [(start, gold_starts[gram]) for gram, start in _unique_ngrams(page).items() if gram in gold_starts]
    return _longest_increasing(sorted(pairs))


def _unique_ngrams(ids: list[int]) -> dict[tuple[int, ...], int]:
    grams = list(zip(*(ids[shift:] for shift in range(ANCHOR)), strict=False))
    counts = Counter(grams)
    return {gram: start for start, gram in enumerate(grams) if counts[gram] == 1}


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest chain of `pairs`, sorted by the first, that ascends in the second (patience sorting)."""
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


MIN_MATCH_SHARE = 0.7
"""Minimum share of a block's n-grams that has to occur in the free gold words."""
GRAM = 3
"""Length of the n-grams in words."""
MAX_STARTS = 16
"""Maximum number of positions tried for an n-gram: bounds the time on repetitive gold."""


class UncoveredGold:
    """Words of the gold that no content block covers yet."""

    def __init__(self, words: list[str], matched: Iterable[NDArray[np.int32]]) -> None:
        self._words = words
        self._free = np.ones(len(words), dtype=bool)
        for positions in matched:
            self.mark_covered(positions)
        self._starts: dict[tuple[str, ...], list[int]] = {}
        for start in np.flatnonzero(self._free).tolist():
            starts = self._starts.setdefault(tuple(words[start : start + GRAM]), [])
            if len(starts) < MAX_STARTS:
                starts.append(start)

    def mark_covered(self, positions: NDArray[np.int32]) -> None:
        """Mark gold positions as covered; negative positions are ignored."""
        self._free[positions[positions >= 0]] = False

    def match(self, block: list[str]) -> NDArray[np.int32] | None:
        """Return the free gold position of each word of `block`, -1 for none; None if too few n-grams match.

        A position is used once only, so a block that repeats itself needs gold that repeats itself.
        """
        if not self._starts:
            return None
        positions = np.full(len(block), -1, dtype=np.int32)
        taken: set[int] = set()
        hits = 0
        for index, start, size in self._runs(block, taken):
            positions[index : index + size] = np.arange(start, start + size)
            taken.update(range(start, start + size))
            hits += size - GRAM + 1
        return positions if hits and hits >= MIN_MATCH_SHARE * (len(block) - GRAM + 1) else None

    def _runs(self, block: list[str], taken: set[int]) -> Iterator[tuple[int, int, int]]:
        """Yield runs of at least one n-gram from left to right: start in the block, start in the gold, and length."""
        index = 0
        while index + GRAM <= len(block):
            starts = self._starts.get(tuple(block[index : index + GRAM]), ())
            sizes = [self._run_size(block[index:], start, taken) for start in starts]
            size = max(sizes, default=0)
            if size >= GRAM:
                yield index, starts[sizes.index(size)], size
            index += size if size >= GRAM else 1

    def _run_size(self, words: list[str], start: int, taken: set[int]) -> int:
        size = 0
        for word, position in zip(words, range(start, len(self._words)), strict=False):
            if word != self._words[position] or not self._free[position] or position in taken:
                break
            size += 1
        return size
