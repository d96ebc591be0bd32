"""Kimatu, the system of Elhuyar at CleanEval 2007 (Saralegi and Leturia).

As published: a block is a run of neighboring elements of the same kind. Candidates are chosen by ratios of length, mean
length, punctuation and links. Functional blocks with repeated content ("posted by X") are dropped, and so are
quotations, which a later small block repeats. Blocks of low ratio that are near the candidates and similar to them are
restored. Headings directly before candidates are added. Labels depend on tag, punctuation and size.

Choices of vclean: the ratio of a run is the mean of its three ratios of size, times its share of text outside links;
and the minimum ratio of a candidate. A functional block is short and begins like several others. Similar runs have the
same tags and classes, and near means within a few runs.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz.distance import LCSseq

from vclean.classify.methods.base import prediction_from_mask, tag_labels
from vclean.features import element_names
from vclean.features.columns import ratio
from vclean.features.page_context import PageContext
from vclean.features.text.characters import PUNCT, SENTENCE_END
from vclean.labels import Label, Visibility
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns


class MarkupRuns:
    """R runs of blocks with the same markup on a page of B blocks; each has only visible or only hidden blocks.

    Args:
        context: the page, with at least one block.
        visible: bool (B,), the blocks that count.

    Attributes:
        number: int64 (B,), run of each block.
        signature: uint64 (R,), hash of tags and classes.
        size: float32 (R,), mean of characters, characters per block and punctuation marks, each relative to the
            maximum of all runs.
        links: float32 (R,), share of link text.
    """

    def __init__(self, context: PageContext, visible: NDArray[np.bool_]) -> None:
        signature = element_names.class_hashes(context.names)[context.blocks.node]
        starts = np.ones(len(signature), dtype=bool)
        starts[1:] = (signature[1:] != signature[:-1]) | (visible[1:] != visible[:-1])
        first, self.number = np.flatnonzero(starts), np.cumsum(starts) - 1
        self.signature, texts = signature[first], context.texts
        chars = texts.length.astype(np.float32)

        def total(values: NDArray[np.float32]) -> NDArray[np.float64]:
            return np.add.reduceat(np.where(visible, values, 0).astype(np.float64), first)

        sizes = (total(chars), total(chars) / np.bincount(self.number), total(texts.count_class(PUNCT)))
        length, mean_length, punctuation = (ratio(values, float(values.max())) for values in sizes)
        self.size = np.asarray((length + mean_length + punctuation) / 3)
        self.links = ratio(total(context.link_share * chars), total(chars))


_MIN_RATIO: Final = 0.15
"""Minimum ratio of a candidate."""
_MAX_LINKS: Final = 0.5
"""Share of link text from which a run is neither a candidate nor restored."""
_NEAR: Final = 4
"""Distance in runs within which similar runs are restored."""
_SMALL: Final = 15
"""Maximum number of words of a small block."""
_REPEATS: Final = 3
_QUOTED: Final = 0.8
"""Share of a block's words that a later small block has to repeat in their order."""


def label(blocks: BlockColumns) -> Prediction:
    """Keep runs of high ratio, similar runs near them, and their headings."""
    context = PageContext(blocks)
    visible = blocks.visibility != Visibility.HIDDEN
    runs = MarkupRuns(context, visible)
    candidate = (runs.size * (1 - runs.links) >= _MIN_RATIO) & (runs.links < _MAX_LINKS)
    chosen = _restore(runs, candidate)
    is_content = chosen[runs.number] & visible & ~_functional(context) & ~_quoted(context)
    headings = _headings(context, is_content)
    return prediction_from_mask(blocks, is_content | headings, _labels(context, headings))


def _restore(runs: MarkupRuns, candidate: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the candidates, and runs near them that are similar to one or between two, bool (R,)."""
    index = np.arange(len(candidate))
    before = np.maximum.accumulate(np.where(candidate, index, -len(index)))
    after = np.minimum.accumulate(np.where(candidate, index, 2 * len(index))[::-1])[::-1]
    near = np.minimum(index - before, after - index) <= _NEAR
    between = after - before <= _NEAR
    similar = np.isin(runs.signature, runs.signature[candidate])
    return np.asarray(candidate | (near & (similar | between) & (runs.links < _MAX_LINKS)))


def _functional(context: PageContext) -> NDArray[np.bool_]:
    """Mark small blocks with two first words that begin at least `_REPEATS` blocks, bool (B,)."""
    begins = [" ".join(text.lower().split()[:2]) for text in context.blocks.text]
    count = Counter(begins)
    repeated = np.array([count[text] >= _REPEATS and " " in text for text in begins], dtype=bool)
    return np.asarray(repeated & (context.tokens <= _SMALL))


def _quoted(context: PageContext) -> NDArray[np.bool_]:
    """Mark small blocks that a later small block repeats word by word in order, bool (B,)."""
    small = np.flatnonzero((context.tokens > 2) & (context.tokens <= _SMALL)).tolist()
    words = {block: context.blocks.text[block].split() for block in small}
    by_first_word: dict[str, list[int]] = {}
    quoted = np.zeros(len(context), dtype=bool)
    for block in reversed(small):
        later = by_first_word.setdefault(words[block][0], [])
        quoted[block] = any(
            LCSseq.similarity(words[block], words[other]) >= _QUOTED * len(words[block]) for other in later[:_NEAR]
        )
        later.append(block)
    return quoted


def _headings(context: PageContext, is_content: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return blocks in heading tags directly before a content block, or before another such heading, bool (B,)."""
    blocks = context.blocks
    tagged = context.within(HEADING_TAGS)[blocks.main_element] & (blocks.visibility != Visibility.HIDDEN)
    headings = np.zeros(len(is_content), dtype=bool)
    for block in np.flatnonzero(tagged)[::-1].tolist():
        following = slice(block + 1, block + 1 + _NEAR)
        headings[block] = bool((is_content[following] | headings[following]).any())
    return headings


def _labels(context: PageContext, headings: NDArray[np.bool_]) -> list[Label]:
    """Return labels by markup; a heading that ends like a sentence and is not small is a paragraph."""
    texts = context.texts
    last_kind = texts.kind[np.append(texts.start[1:], len(texts.code)) - 2]
    long_sentence = ((last_kind & SENTENCE_END) > 0) & (context.tokens > _SMALL) & ~headings
    return [Label.PARAGRAPH if is_long and label is Label.HEADING else label
            for label, is_long in zip(tag_labels(context.blocks), long_sentence.tolist(), strict=True)]  # fmt: skip
