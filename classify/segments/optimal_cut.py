"""The cut of a page along its tree that promises the best score, given how probable every cut is.

Of every container a model tells how probably it is divided, if it is not inside a segment already. That makes every
container a segment with a known probability, and extended BCubed over characters of a flat cut is a sum over its
segments: the expected precision and recall of every cut follow exactly. The best one for a balance of the two is found
from the innermost containers outwards; of those for several balances, the one with the best F1 is taken.

With n characters in a container, and segments T of the truth: its precision is the sum over T of |T and it| squared
over n, its recall that of |T and it| squared over |T|. A true segment round the container holds all of it; one inside
is held by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.regions.candidates import Regions


class State(IntEnum):
    """Where a container stands to the segments of a page, cut along its tree."""

    ABOVE = 0
    """It holds segments."""
    AT = 1
    """It is one."""
    BELOW = 2
    """It lies in one."""


_BALANCES: Final = np.linspace(0.1, 0.9, 17)
"""Weights of precision against recall that are tried."""


@dataclass(frozen=True, eq=False)
class Sizes:
    """The characters that are shown in C containers, and in K runs of blocks that stand in one without another.

    Attributes:
        parent: int32 (C,), the container round each, which comes before it; -1 for the outermost.
        whole: float64 (C,), characters in each.
        run_in: int64 (K,), the container each run stands in.
        run: float64 (K,), characters of each run.
    """

    parent: NDArray[np.int32]
    whole: NDArray[np.float64]
    run_in: NDArray[np.int64]
    run: NDArray[np.float64]

    @classmethod
    def of(cls, regions: Regions) -> Sizes:
        """Those of the candidates of a page with at least one block."""
        blocks = regions.context.blocks
        lengths = np.array([len(" ".join(text.split())) for text in blocks.text], dtype=np.float64)
        shown = np.where(blocks.visibility == Visibility.SHOWN, lengths, 0)
        before = np.append(0, np.cumsum(shown))
        first = np.flatnonzero(np.diff(regions.block_region, prepend=-1))
        return cls(
            parent=regions.parent,
            whole=before[regions.last] - before[regions.first],
            run_in=regions.block_region[first].astype(np.int64),
            run=np.add.reduceat(shown, first),
        )

    @cached_property
    def divisible(self) -> NDArray[np.bool_]:
        """Bool (C,): whether a container is in it."""
        held = np.zeros(len(self.parent), dtype=bool)
        held[self.parent[self.parent >= 0]] = True
        return held


class SegmentProbabilities(NamedTuple):
    """What is expected of C containers, float64 (C,) each.

    Attributes:
        divided: the probability that it is divided, and all that are round it.
        is_segment: that it is a segment.
        inside: that it is one or lies in one.
        share: the expected value of one over the size of the segment that it is or lies in, 0 where it is divided.
    """

    divided: NDArray[np.float64]
    is_segment: NDArray[np.float64]
    inside: NDArray[np.float64]
    share: NDArray[np.float64]


def best_states(divide: NDArray[np.floating], sizes: Sizes) -> NDArray[np.int8]:
    """int8 (C,): the states (`State`) of the containers in the cut with the best expected score.

    Args:
        divide: (C,), the probability that a container is divided if no segment is round it.
        sizes: of the containers.
    """
    own, loose = _gains(sizes, segment_probabilities(divide, sizes))
    cuts = [_best_for(np.array([balance, 1 - balance]), own, loose, sizes) for balance in _BALANCES]
    _, is_segment = max(cuts, key=lambda cut: cut[0])
    return _handed_down(is_segment, sizes.parent)


def segment_probabilities(divide: NDArray[np.floating], sizes: Sizes) -> SegmentProbabilities:
    """What follows from the probabilities `divide` (C,); a container without one in it is never divided."""
    stays = 1 - np.where(sizes.divisible, divide, 0).astype(np.float64)
    found = SegmentProbabilities(*np.zeros((4, len(stays))))
    for row, above in enumerate(sizes.parent.tolist()):
        reached, inside, share = (1.0, 0.0, 0.0) if above < 0 else (found.divided[above], *_of(found, above))
        found.is_segment[row] = at = reached * stays[row]
        found.divided[row] = reached - at
        found.inside[row] = inside + at
        found.share[row] = share + at / max(sizes.whole[row], 1.0)
    return found


def _of(found: SegmentProbabilities, row: int) -> tuple[float, float]:
    return found.inside[row], found.share[row]


def _gains(sizes: Sizes, found: SegmentProbabilities) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What a container adds to expected precision and recall as a segment, (C, 2), and its runs, if it is divided."""
    whole, place = sizes.whole, sizes.run_in
    held = np.bincount(place, found.divided[place] * sizes.run**2, minlength=len(whole))
    above = sizes.parent.tolist()
    for row in range(len(whole) - 1, 0, -1):
        if above[row] >= 0:
            held[above[row]] += held[row] + found.is_segment[row] * whole[row] ** 2
    precision = whole * found.inside + held / np.maximum(whole, 1.0)
    recall = whole**2 * found.share + whole * found.divided
    run_precision = sizes.run * (found.inside + found.divided)[place]
    run_recall = sizes.run**2 * found.share[place] + sizes.run * found.divided[place]
    loose = [np.bincount(place, gain, minlength=len(whole)) for gain in (run_precision, run_recall)]
    return np.stack([precision, recall], axis=1), np.stack(loose, axis=1)


def _best_for(
    balance: NDArray[np.float64], own: NDArray[np.float64], loose: NDArray[np.float64], sizes: Sizes
) -> tuple[float, NDArray[np.bool_]]:
    """The cut with the best sum of precision and recall weighted by `balance` (2,): its F1, and what is a segment."""
    cut, is_segment = loose.copy(), np.ones(len(own), dtype=bool)
    total = np.zeros(2)
    for row in range(len(own) - 1, -1, -1):
        is_segment[row] = not sizes.divisible[row] or own[row] @ balance >= cut[row] @ balance
        best = own[row] if is_segment[row] else cut[row]
        above = sizes.parent[row]
        if above >= 0:
            cut[above] += best
        else:
            total += best
    precision, recall = (total / max(sizes.whole[sizes.parent < 0].sum(), 1.0)).tolist()
    return _f1(precision, recall), is_segment


def _f1(precision: float, recall: float) -> float:
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def _handed_down(is_segment: NDArray[np.bool_], parent: NDArray[np.int32]) -> NDArray[np.int8]:
    state = np.where(is_segment, State.AT, State.ABOVE).astype(np.int8)
    for row, above in enumerate(parent.tolist()):
        if above >= 0 and state[above] != State.ABOVE:
            state[row] = State.BELOW
    return state
