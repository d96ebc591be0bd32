"""Body text extraction (Finn, Kushmerick and Smyth 2001, "Fact or fiction: content classification").

As published: a page is a sequence of tokens, tags and words; the span with most words inside it and most tags outside
it is the content. Maximising words inside plus tags outside is maximising words minus tags inside, the maximum subarray
of a page's words (+1) and tags (-1): linear time. Chosen here: spans begin and end with blocks, so that half a block is
never taken, and what is hidden is left out of the span found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.methods.base import decide
from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns


def label(blocks: BlockColumns) -> Prediction:
    """The best span of blocks is content."""
    words = np.array([len(text.split()) for text in blocks.text], dtype=np.int64)
    begin, end = best_span(words - _tags_inside(blocks), _tags_before(blocks))
    inside = np.zeros(len(blocks), dtype=bool)
    inside[begin:end] = True
    return decide(blocks, inside & (blocks.visibility != Visibility.HIDDEN))


def best_span(values: NDArray[np.int64], costs: NDArray[np.int64]) -> tuple[int, int]:
    """The span `[begin, end)` with the highest sum of `values`, less the `costs` between its members.

    `costs[k]` lies between `k - 1` and `k`; the first span among equals, the empty one where none is positive
    (Kadane's algorithm).
    """
    best = total = begin = 0
    span = (0, 0)
    for index, (value, cost) in enumerate(zip(values.tolist(), costs.tolist(), strict=True)):
        if total - cost <= 0:
            total, begin = 0, index
        else:
            total -= cost
        total += value
        if total > best:
            best, span = total, (begin, index + 1)
    return span


def _tag_gaps(blocks: BlockColumns) -> NDArray[np.int64]:
    """How many tags stand before every text node in a block, since the one before it; int64 (K,).

    Between two text nodes as many elements open as start between them; those that close make up the
    difference in depth.
    """
    snapshot, members = blocks.snapshot, blocks.members
    opened = np.diff(snapshot.text_after[members], prepend=-1).astype(np.int64)
    depth = snapshot.depth[snapshot.text_parent[members]].astype(np.int64)
    return 2 * opened - np.diff(depth, prepend=-1)


def _tags_before(blocks: BlockColumns) -> NDArray[np.int64]:
    return _tag_gaps(blocks)[blocks.first]


def _tags_inside(blocks: BlockColumns) -> NDArray[np.int64]:
    gaps = _tag_gaps(blocks)
    gaps[blocks.first] = 0
    return np.add.reduceat(gaps, blocks.first) if len(blocks) else np.zeros(0, dtype=np.int64)
