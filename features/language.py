"""The page's language, by what stands in its text and what the page says of itself."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import language_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier

SAMPLE = 320
"""Characters that are looked at: of messages of this length 995 in 1,000 are recognised, of longer ones hardly more."""
PIECE = 80
"""Characters of one block in a sample: one long block (a list of names, a quotation) must not speak for the page."""
LINKED = 1 / 3
"""Link share from which on a block is likely an entry of a menu, which speaks only where the others say too little."""
ENOUGH = 60
"""Characters that tell a language: of messages of this length 98 in 100 are recognised."""

_TRUST = 20.0
"""Odds that the page's own word adds: it decides on a few words, and never against a paragraph."""
_SURE = 0.2
"""Probability from which a verdict counts: below, every fourth is wrong (short messages in 55 languages)."""
_NO_LANGUAGE = "zxx"
_MACROLANGUAGES = {"yue": "zh", "wuu": "zh", "arz": "ar", "ary": "ar", "hbo": "he"}
"""Languages that are written like one that has a code of two letters."""


def detect(text: str, declared: str = "") -> str:
    """ISO 639-1 code of the language of `text`, or an empty string when there is no telling.

    Args:
        text: the page's text; the first `SAMPLE` characters count.
        declared: what the page says of itself (`<html lang>`); decides where the text says little.
    """
    stated = declared.partition("-")[0].partition("_")[0].lower()
    sample = " ".join(text[:SAMPLE].split())
    if not any(map(str.isalpha, sample)):
        return stated
    probability: dict[str, float] = {}
    for code, share in _identifier().rank(sample):
        language = _MACROLANGUAGES.get(code, code)
        if len(language) == 2 or language == _NO_LANGUAGE:
            probability[language] = probability.get(language, 0.0) + share
    if stated in probability:
        probability[stated] *= _TRUST
    best = max(probability, key=probability.__getitem__)
    sure = probability[best] >= _SURE * sum(probability.values())
    return best if sure and best != _NO_LANGUAGE else stated


@cache
def _identifier() -> LanguageIdentifier:
    """The detector; a choice of languages would copy its table."""
    return language_model.load()


def sample(texts: Sequence[str], link_share: NDArray[np.float32]) -> str:
    """Pieces of the texts that tell a page's language best: those without links first, the long ones among them."""
    length = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    pieces, size = [], 0
    for index in np.lexsort((-length, link_share > LINKED)).tolist():
        if size > SAMPLE or (size > ENOUGH and link_share[index] > LINKED):
            break
        pieces.append(texts[index][:PIECE])
        size += len(pieces[-1]) + 1
    return " ".join(pieces)
