"""Sequences of one, two and three words, as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.features.text import mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.text import Words

LENGTHS = 3
NONE = 0
"""Stands where a text has too few words before a word."""


def ngrams(words: Words) -> NDArray[np.uint32]:
    """uint32 (W, LENGTHS): every word, it with the word before, and with the two before; `NONE` across texts."""
    found = np.full((len(words), LENGTHS), NONE, dtype=np.uint32)
    found[:, 0] = _short(words.hash)
    pair = words.bigram_owner >= 0
    found[1:, 1] = np.where(pair, _short(words.bigram), NONE)
    triple = pair[1:] & pair[:-1]
    hashed = mix(words.bigram[:-1] * np.uint64(3) + words.hash[2:])
    found[2:, 2] = np.where(triple, _short(hashed), NONE)
    return found


def _short(values: NDArray[np.uint64]) -> NDArray[np.uint32]:
    return (values >> np.uint64(32)).astype(np.uint32)
