"""Body text extraction (Finn, Kushmerick and Smyth 2001, "Fact or fiction: content classification").

As published: a page is a sequence of tokens, which are tags and words. The content is the span with most words inside
it and most tags outside it. Maximizing words inside plus tags outside is the same as maximizing words minus tags
inside. This is the maximum subarray of a page's words (+1) and tags (-1), found in linear time.

Choices of vclean: spans begin and end with blocks, so no block is split. Hidden blocks inside the span are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.methods.base import prediction_of_visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns


def label(blocks: BlockColumns) -> Prediction:
    """Label the blocks of the best span as content."""
    words = np.array([len(text.split()) for text in blocks.text], dtype=np.int64)
    # The tags between a text node and the one before it: opening tags are the elements that start between the two, and
    # closing tags follow from the difference in depth.
    snapshot, members = blocks.snapshot, blocks.members
    opened = np.diff(snapshot.text_after[members], prepend=-1).astype(np.int64)
    depth = snapshot.depth[snapshot.text_parent[members]].astype(np.int64)
    tags = 2 * opened - np.diff(depth, prepend=-1)
    before = tags[blocks.first]
    tags[blocks.first] = 0
    begin, end = best_span(words - np.add.reduceat(tags, blocks.first), before)
    inside = np.zeros(len(blocks), dtype=bool)
    inside[begin:end] = True
    return prediction_of_visible(blocks, inside)


def best_span(values: NDArray[np.int64], costs: NDArray[np.int64]) -> tuple[int, int]:
    """Return the span `[begin, end)` with the highest sum of `values`, minus the `costs` between its members.

    `costs[k]` is the cost between `k - 1` and `k`. Among equal spans the first is returned, and an empty span if no sum
    is positive (Kadane's algorithm).
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
