"""HTMLCleaner (Girardi 2007, "Htmlcleaner: extracting the relevant text from the web pages").

As published: invisible elements and forms are dropped. A good sentence is longer than the mean, starts with a capital
and ends in punctuation. Candidates are the sequences that start and end with a good sentence; each scores the
characters in function words less the characters in links, and the best is the content. A heading by its tag is one, and
so is a sentence in capitals.

Chosen here: a sentence is a block; function words are the stop words of the page's language; of forms, only the
controls are dropped, for whole pages stand in a form; all heading tags count, where the paper names `h3`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.methods.base import decide, tag_labels
from vclean.features.block import linguistic
from vclean.features.page_context import PageContext
from vclean.features.text.lexicon import STOP_WORDS
from vclean.labels import Label, Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

_CONTROLS = frozenset(("button", "label", "legend", "option", "select"))


def label(blocks: BlockColumns) -> Prediction:
    """The best sequence of blocks between good sentences is content."""
    context = PageContext(blocks)
    values = linguistic.compute(context)
    kept = (blocks.visibility != Visibility.HIDDEN) & ~context.within(_CONTROLS)[context.anchor]
    chars = np.where(kept, values["chars"], 0)
    good = kept & (chars > chars.sum() / max(kept.sum(), 1))
    good &= (values["starts_capital"] > 0) & (values["ends_sentence"] > 0)
    begin, end = best_sequence(np.where(kept, _worth(context), 0), good)
    kept[:begin] = kept[end:] = False
    types = [Label.HEADING if capitals else kind
             for kind, capitals in zip(tag_labels(blocks), values["all_caps"], strict=True)]  # fmt: skip
    return decide(blocks, kept, types)


def best_sequence(worth: NDArray[np.float64], good: NDArray[np.bool_]) -> tuple[int, int]:
    """The sequence `[begin, end)` of the largest sum of `worth` (B,) that starts and ends with a `good` one (B,).

    It is empty where none is good. One pass: the best start for an end is that of the smallest sum before it.
    """
    if not good.any():
        return 0, 0
    before = np.concatenate([[0], np.cumsum(worth, dtype=np.float64)])
    least = np.minimum.accumulate(np.where(good, before[:-1], np.inf))
    end = int(np.argmax(np.where(good, before[1:] - least, -np.inf)))
    begin = int(np.argmin(np.where(good[: end + 1], before[: end + 1], np.inf)))
    return begin, end + 1


def _worth(context: PageContext) -> NDArray[np.float64]:
    """float64 (B,): characters in function words less characters in links."""
    words = context.words
    function_words = context.terms.covered_words(STOP_WORDS, (words.end - words.start).astype(np.float32))
    return np.asarray(function_words - context.link_share * context.per_block(context.member_chars), dtype=np.float64)
