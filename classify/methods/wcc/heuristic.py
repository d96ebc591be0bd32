"""Baseline and heuristic of WCC, the system of Amsterdam at CleanEval 2007.

As published: the baseline labels each block of text as a paragraph. The heuristic processes lines. A line of over 3
characters with more than 10 words, which have over 3 characters on average, is a paragraph. The last short line before
it is its heading if it is fewer than 3 lines before. Choices of vclean: lines are blocks, which two `<br>` split as
well, and hidden blocks are not lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods.base import prediction_from_mask
from vclean.labels import Label, Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

_CHARACTERS: Final = 3
_WORDS: Final = 10
_WORD_LENGTH: Final = 3
_LINES: Final = 3


def baseline(blocks: BlockColumns) -> Prediction:
    """Label each visible block as a paragraph."""
    return prediction_from_mask(blocks, _visible(blocks), [Label.PARAGRAPH] * len(blocks))


def heuristic(blocks: BlockColumns) -> Prediction:
    """Label long lines of long words as paragraphs, and short lines directly before them as headings."""
    lines = np.flatnonzero(_visible(blocks))
    words = [blocks.text[line].split() for line in lines.tolist()]
    count = np.array([len(line) for line in words], dtype=np.int64)
    letters = np.array([sum(map(len, line)) for line in words], dtype=np.int64)
    is_line = letters + count - 1 > _CHARACTERS
    paragraph = is_line & (count > _WORDS) & (letters > _WORD_LENGTH * count)
    heading = _headings(paragraph, is_line & ~paragraph)
    is_content = np.zeros(len(blocks), dtype=bool)
    is_content[lines] = paragraph | heading
    headings = set(lines[heading].tolist())
    labels = [Label.HEADING if block in headings else Label.PARAGRAPH for block in range(len(blocks))]
    return prediction_from_mask(blocks, is_content, labels)


def _headings(paragraph: NDArray[np.bool_], short: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which lines are the last short line before a paragraph and near it, bool (L,)."""
    index = np.arange(len(short))
    last = np.maximum.accumulate(np.where(short, index, -_LINES))
    near = paragraph & (index - last < _LINES)
    headings = np.zeros(len(short), dtype=bool)
    headings[last[near]] = True
    return headings


def _visible(blocks: BlockColumns) -> NDArray[np.bool_]:
    return np.asarray(blocks.visibility != Visibility.HIDDEN)
