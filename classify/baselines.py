"""Methods without a model, to measure against: body text extraction, and all shown text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.prediction import Prediction
from vclean.features import tree
from vclean.labels import Label, Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks

HEADING_TAGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
ITEM_TAGS = frozenset(("li", "dt", "dd"))


def all_text(blocks: Blocks) -> Prediction:
    """Every block that is shown at once is content."""
    return _decide(blocks, blocks.visibility == Visibility.SHOWN)


def body_text_extraction(blocks: Blocks) -> Prediction:
    """The run of blocks with most words inside it and most tags outside it (Finn, Kushmerick and Smyth 2001).

    Maximising words inside plus tags outside is maximising words minus tags inside, the maximum subarray of a
    page's words (+1) and tags (-1): linear time. What is hidden is left out of the run found.
    """
    words = np.array([len(text.split()) for text in blocks.text], dtype=np.int64)
    begin, end = best_span(words - _tags_inside(blocks), _tags_before(blocks))
    inside = np.zeros(len(blocks), dtype=bool)
    inside[begin:end] = True
    return _decide(blocks, inside & (blocks.visibility != Visibility.HIDDEN))


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


def tag_labels(blocks: Blocks) -> list[Label]:
    """The type of every block by its markup: heading, first block of a list item, continuation of it, paragraph."""
    snapshot = blocks.snapshot
    heading = snapshot.is_tag(HEADING_TAGS)
    item = snapshot.is_tag(ITEM_TAGS)
    is_heading = heading[tree.nearest(heading, snapshot.parent)[blocks.node]]
    nearest_item = tree.nearest(item, snapshot.parent)[blocks.node]
    in_item = item[nearest_item]
    first = np.zeros(len(blocks), dtype=bool)
    first[np.unique(nearest_item, return_index=True)[1]] = True
    codes = np.select([is_heading, in_item & first, in_item], [0, 2, 3], 1)
    kinds = tuple(Label)
    return [kinds[code] for code in codes]


def _decide(blocks: Blocks, is_content: NDArray[np.bool_]) -> Prediction:
    labels = [
        label if kept else Label.OTHER for label, kept in zip(tag_labels(blocks), is_content.tolist(), strict=True)
    ]
    return Prediction(labels, is_content.astype(np.float32))


def _tag_gaps(blocks: Blocks) -> NDArray[np.int64]:
    """How many tags stand before every text node in a block, since the one before it; int64 (K,).

    Between two text nodes as many elements open as start between them; those that close make up the
    difference in depth.
    """
    snapshot, members = blocks.snapshot, blocks.members
    opened = np.diff(snapshot.text_after[members], prepend=-1).astype(np.int64)
    depth = snapshot.depth[snapshot.text_parent[members]].astype(np.int64)
    return 2 * opened - np.diff(depth, prepend=-1)


def _tags_before(blocks: Blocks) -> NDArray[np.int64]:
    return _tag_gaps(blocks)[blocks.first]


def _tags_inside(blocks: Blocks) -> NDArray[np.int64]:
    gaps = _tag_gaps(blocks)
    gaps[blocks.first] = 0
    return np.add.reduceat(gaps, blocks.first) if len(blocks) else np.zeros(0, dtype=np.int64)
