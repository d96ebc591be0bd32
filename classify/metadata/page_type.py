"""Choose the type of a page with boosted trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.metadata.model import Choice
from vclean.features.metadata.mentions import Field, Mention, Source
from vclean.features.page_type.matrix import page_features
from vclean.labels import PAGE_TYPES, PageType

if TYPE_CHECKING:
    from vclean.classify.trees.forest import Forest
    from vclean.features.page_context import PageContext

THRESHOLD: Final = 0.5
"""Lowest probability of a type; below it the field is absent."""
_FEW_WORDS: Final = 50
_SHORT: Final = (PageType.HOME, PageType.OTHER)
"""Types of pages with fewer words than `_FEW_WORDS`. The training corpora have few such pages of other types."""


def choose_page_type(context: PageContext, forest: Forest) -> Choice | None:
    """Return the most probable type of a page; None if none is probable, or the page has too little text."""
    words = float(context.tokens.sum())
    if not words:
        return None
    probability = forest.predict(page_features(context)[np.newaxis])[0]
    best = int(probability.argmax())
    if probability[best] < THRESHOLD or (words < _FEW_WORDS and PAGE_TYPES[best] not in _SHORT):
        return None
    values = (PAGE_TYPES[best].value,)
    return Choice(values, float(probability[best]), [Mention(Field.PAGE_TYPE, values, Source.PAGE, "")])
