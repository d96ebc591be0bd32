"""WCC, the system of Amsterdam at CleanEval 2007: its baseline and its heuristic.

As published: the baseline takes every block of text for a paragraph. The heuristic walks the lines: one of over 3
characters with more than 10 words, over 3 characters long on average, is a paragraph; the last short line before it is
its heading if that was fewer than 3 lines ago. Chosen here: lines are blocks, which two `<br>` part as well; what is
hidden is no line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods.base import decide
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
    """Everything that is not hidden is a paragraph."""
    return decide(blocks, _seen(blocks), [Label.PARAGRAPH] * len(blocks))


def heuristic(blocks: BlockColumns) -> Prediction:
    """Long lines of long words are paragraphs, and short lines right before them headings."""
    lines = np.flatnonzero(_seen(blocks))
    words = [blocks.text[line].split() for line in lines.tolist()]
    count = np.array([len(line) for line in words], dtype=np.int64)
    letters = np.array([sum(map(len, line)) for line in words], dtype=np.int64)
    is_line = letters + count - 1 > _CHARACTERS
    paragraph = is_line & (count > _WORDS) & (letters > _WORD_LENGTH * count)
    heading = _titles(paragraph, is_line & ~paragraph)
    kept = np.zeros(len(blocks), dtype=bool)
    kept[lines] = paragraph | heading
    titles = set(lines[heading].tolist())
    return decide(blocks, kept, [Label.HEADING if at in titles else Label.PARAGRAPH for at in range(len(blocks))])


def _titles(paragraph: NDArray[np.bool_], short: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which lines are the last short ones before a paragraph, and near it; bool (L,)."""
    at = np.arange(len(short))
    last = np.maximum.accumulate(np.where(short, at, -_LINES))
    near = paragraph & (at - last < _LINES)
    titles = np.zeros(len(short), dtype=bool)
    titles[last[near]] = True
    return titles


def _seen(blocks: BlockColumns) -> NDArray[np.bool_]:
    return np.asarray(blocks.visibility != Visibility.HIDDEN)
