"""GenieKnows, a system of CleanEval 2007 for search indexing: keeping content is more important than removing noise.

As published: the page is segmented into semantic blocks. The importance of a block is a weighted sum of its position,
font size, length, number of links, share of link text, number of sentences, and of whether it has a form or an image.
It also depends on relations between blocks: distance, offset and width. Blocks of low importance are dropped. Headings
are blocks in heading tags, and bold blocks set apart as paragraphs. Table cells are list items.

Choices where the paper is silent: the weights, set by hand. Links count only by their share of the text. Half of the
excess importance of aligned neighbors is added to a block. Font size counts for headings, which are kept with the
following block.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods.base import prediction_of_visible, tag_labels
from vclean.features.block import linguistic
from vclean.features.columns import ratio
from vclean.features.page_context import PageContext
from vclean.labels import Label
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS
from vclean.render.static.styles import BOLD_TAGS

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns


LONGEST: Final = 120
"""Maximum number of words of an element that is one semantic block."""
SHORTEST: Final = 8
"""Number of words below which semantic blocks of the same parent are merged."""
_FORMS: Final = ("form", "input", "select", "textarea")
_IMAGES: Final = ("img", "picture", "svg")


class SemanticBlocks:
    """Semantic blocks, S of them in document order, of a page of B blocks, at least one.

    Attributes:
        context: the page.
        number: int64 (B,), semantic block of each block.
        first: int64 (S,), first block of each semantic block.
    """

    def __init__(self, context: PageContext) -> None:
        self.context, snapshot, node = context, context.snapshot, context.blocks.node
        self._is_short = np.asarray(context.sum_over_subtrees(context.tokens) <= LONGEST)
        # The largest element of at most `LONGEST` words around each block, or its container.
        top = self._is_short.copy()
        top[1:] &= ~self._is_short[snapshot.parent[1:]]
        nearest = tree.nearest_ancestor(top, snapshot.parent)
        self._element = np.where(self._is_short, nearest, np.arange(len(snapshot)))[node].astype(np.int64)
        words = np.bincount(self._element, context.tokens, minlength=len(snapshot))[self._element]
        key = np.where(words < SHORTEST, -1 - snapshot.parent[self._element], self._element)
        self.number = np.cumsum(np.diff(key, prepend=key[:1]) != 0)
        self.first = np.flatnonzero(np.diff(self.number, prepend=-1))

    @cached_property
    def link_share(self) -> NDArray[np.float32]:
        """Return the share of link text, float32 (S,)."""
        chars = self.context.chars
        return ratio(self.total(self.context.link_share * chars), self.total(chars))

    def box(self) -> NDArray[np.float32]:
        """Return left, top, right, bottom in CSS px, float32 (S, 4); NaN where nothing is painted."""
        box = self.context.blocks.box
        corners = np.hstack([box[:, :2], box[:, :2] + box[:, 2:]])
        low = np.fmin.reduceat(corners[:, :2], self.first, axis=0)
        return np.hstack([low, np.fmax.reduceat(corners[:, 2:], self.first, axis=0)])

    def aligned(self) -> NDArray[np.bool_]:
        """Return whether each has the same left edge and width as the one before, or the same parent, bool (S,)."""
        left, _, right, _ = self.box().T
        parent = self.context.snapshot.parent[self._element[self.first]]
        aligned = np.zeros(len(self.first), dtype=bool)
        aligned[1:] = np.diff(parent) == 0
        aligned[1:] |= (np.abs(np.diff(left)) < 1) & (
            np.abs(np.diff(right - left)) < 0.1 * np.maximum((right - left)[1:], 1)
        )
        return aligned

    def total(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Sum the `values` (B,) of the blocks over each semantic block, float64 (S,)."""
        return np.add.reduceat(values.astype(np.float64), self.first)

    def has(self, tags: Collection[str]) -> NDArray[np.bool_]:
        """Return whether there is an element with one of `tags`, bool (S,)."""
        inside = tree.subtree_sum(self.context.snapshot.is_tag(tags), self.context.snapshot.end) > 0
        return self.total((inside & self._is_short)[self._element].astype(np.float32)) > 0


_MIN_IMPORTANCE: Final = 0.2
"""Minimum importance of a semantic block that is content."""
_BOLD: Final = 0.9
_TITLE_WORDS: Final = 15


def label(blocks: BlockColumns) -> Prediction:
    """Keep the semantic blocks of enough importance, and the headings directly before them."""
    context = PageContext(blocks)
    semantic = SemanticBlocks(context)
    is_content = (with_neighbors(semantic, importance(semantic)) >= _MIN_IMPORTANCE)[semantic.number]
    heading = context.within(HEADING_TAGS)[context.blocks.main_element]
    is_content[:-1] |= heading[:-1] & is_content[1:]
    return prediction_of_visible(blocks, is_content, _labels(context))


def importance(semantic: SemanticBlocks) -> NDArray[np.float64]:
    """Return the importance of each semantic block by itself, float64 (S,).

    Lengths and numbers of sentences are relative to their maximum, positions are measured in words.
    """
    context = semantic.context
    words = semantic.total(context.tokens)
    ends = np.nan_to_num(np.asarray(linguistic.compute(context)["ends_sentence"], dtype=np.float32))
    sentences, end = semantic.total(ends), np.cumsum(words)
    position = (end - words / 2) / max(float(end[-1]), 1.0)
    return np.asarray(
        0.6 * ratio(words, float(words.max()))
        + 0.4 * ratio(sentences, float(sentences.max()))
        + 0.2 * (1 - np.abs(2 * position - 1))
        - 0.8 * semantic.link_share
        - 0.1 * semantic.has(_FORMS)
        + 0.05 * semantic.has(_IMAGES)
    )


def with_neighbors(semantic: SemanticBlocks, value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add to each importance half of the excess importance of aligned neighbors, reduced by links, float64 (S,)."""
    excess, aligned = np.zeros((2, len(value))), semantic.aligned()[1:]
    excess[0, 1:] = np.where(aligned, np.maximum(-np.diff(value), 0), 0)
    excess[1, :-1] = np.where(aligned, np.maximum(np.diff(value), 0), 0)
    return np.asarray(value + excess.max(axis=0) / 2 * (1 - semantic.link_share))


def _labels(context: PageContext) -> list[Label]:
    bold = (context.char_mean(context.within(BOLD_TAGS)) >= _BOLD) & (context.tokens <= _TITLE_WORDS)
    cell = context.within(("td", "th"))[context.blocks.main_element] & (context.tokens <= _TITLE_WORDS)
    labels = tag_labels(context.blocks)
    for block in np.flatnonzero(bold | cell).tolist():
        if labels[block] is Label.PARAGRAPH:
            labels[block] = Label.HEADING if bold[block] else Label.LIST_ITEM
    return labels
