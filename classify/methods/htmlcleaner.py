"""HTMLCleaner (Girardi 2007, "Htmlcleaner: extracting the relevant text from the web pages").

As published: invisible elements and forms are dropped. A good sentence is longer than the mean, starts with a capital
and ends in punctuation. Candidates are the sequences that start and end with a good sentence. The score of a sequence
is its characters in function words minus its characters in links, and the best sequence is the content. Blocks in
heading tags and sentences in capitals are headings.

Choices of vclean: a sentence is a block. Function words are the stop words of the page's language. Of forms, only the
controls are dropped, because some pages are in a form as a whole. All heading tags count; the paper names `h3`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.methods.base import prediction_from_mask, tag_labels
from vclean.features.block import linguistic
from vclean.features.page_context import PageContext
from vclean.features.text.terms import STOP_WORDS, stop_words_of
from vclean.labels import Label, Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

_CONTROLS = frozenset(("button", "label", "legend", "option", "select"))


def label(blocks: BlockColumns) -> Prediction:
    """Label the best sequence of blocks between good sentences as content."""
    context = PageContext(blocks)
    values = linguistic.compute(context)
    is_content = (blocks.visibility != Visibility.HIDDEN) & ~context.within(_CONTROLS)[context.blocks.main_element]
    chars = np.where(is_content, values["chars"], 0)
    good = is_content & (chars > chars.sum() / max(is_content.sum(), 1))
    good &= (values["starts_capital"] > 0) & (values["ends_sentence"] > 0)
    words, terms = context.words, stop_words_of(context.language)
    length = (words.end - words.start).astype(np.float32)
    in_terms = terms.find(words).covered_words(STOP_WORDS, length) if terms else np.float32(0)
    worth = np.asarray(in_terms - context.link_share * context.chars, dtype=np.float64)
    begin, end = best_sequence(np.where(is_content, worth, 0), good)
    is_content[:begin] = is_content[end:] = False
    labels = [Label.HEADING if capitals else label
              for label, capitals in zip(tag_labels(blocks), values["all_caps"], strict=True)]  # fmt: skip
    return prediction_from_mask(blocks, is_content, labels)


def best_sequence(worth: NDArray[np.float64], good: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the sequence `[begin, end)` between `good` (B,) blocks that has the largest sum of `worth` (B,).

    It is empty if no block is good. One pass: the best start for an end has the smallest sum before it.
    """
    if not good.any():
        return 0, 0
    before = np.concatenate([[0], np.cumsum(worth, dtype=np.float64)])
    least = np.minimum.accumulate(np.where(good, before[:-1], np.inf))
    end = int(np.argmax(np.where(good, before[1:] - least, -np.inf)))
    begin = int(np.argmin(np.where(good[: end + 1], before[: end + 1], np.inf)))
    return begin, end + 1
