"""Split texts into sentences and runs of words, by punctuation alone."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from vclean.features.text.characters import EncodedTexts

if TYPE_CHECKING:
    from collections.abc import Sequence

_END: Final = re.compile(
    r"(?<!\b[^\W\d_])[.!?…؟۔।](?![.!?…])[\"'”’»)\]]*\s+(?=[^\s\W]|[\"'“‘«(\[¿¡])(?![a-zà-öø-ÿ])|[。！？｡][”’」』）]*|\n+"
)
"""End of a sentence: its mark, closing quotes, and white space before something other than a lowercase letter.

A full stop after a single letter is an initial. Marks of Chinese and Japanese need no white space after them.
"""


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, without white space around them.

    >>> split_sentences("It rained. J. Orrin stayed in! Why?")
    ['It rained.', 'J. Orrin stayed in!', 'Why?']
    """
    edges = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    return [sentence for start, end in pairwise(edges) if (sentence := text[start:end].strip())]


def count_words(texts: Sequence[str]) -> list[int]:
    """Return the number of words of each text; letters of scripts without spaces are words.

    >>> count_words(["It rained.", "雨が降った。"])
    [2, 5]
    """
    if not texts:
        return []
    return [int(count) for count in EncodedTexts.from_texts(list(texts)).words.per_text().tolist()]


def split_words(text: str, max_words: int) -> list[str]:
    """Return parts of a text with at most `max_words` words each, split before words.

    >>> split_words("one two three", 2)
    ['one two', 'three']
    """
    starts = EncodedTexts.from_texts([text]).words.start[max_words::max_words].tolist()
    return [part for start, end in pairwise([0, *starts, len(text)]) if (part := text[start:end].strip())]
