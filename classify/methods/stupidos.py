"""StupidOS, the system of Osnabrück at CleanEval 2007.

As published: the page is rendered as text, without images. Regular expressions remove obvious boilerplate, such as
footers with many `|`. The rest is split at paragraphs, headings and list items. Two models of word trigrams, each
interpolated with bigrams and single words, classify each unit as clean or dirty. The model of dirty text is trained on
text outside the gold.

Choices where the paper is silent: the interpolation weights of trigrams, bigrams and words. A unit is a block. The
prior of a unit is the share of clean units in training. N-grams that are rare in training are left out, for a small
model. Labels are those of the markup.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import expit

from vclean.classify.methods.base import concatenated, pack_arrays, prediction_of_visible, unpack_arrays
from vclean.features.columns import find_keys
from vclean.features.text.characters import EncodedTexts, mix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Example, Method, TrainingPage
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.text.characters import Words


LENGTHS = 3
NONE = 0
"""N-gram hash where a text has too few words before a word."""


def ngrams(words: Words) -> NDArray[np.uint32]:
    """Return hashes of each word, its bigram and its trigram, uint32 (W, LENGTHS); `NONE` at the beginning of texts."""
    hashes = np.full((len(words), LENGTHS), NONE, dtype=np.uint32)
    hashes[:, 0] = _short(words.hash)
    pair = words.owner[:-1] == words.owner[1:]
    hashes[1:, 1] = np.where(pair, _short(words.bigram), NONE)
    triple = pair[1:] & pair[:-1]
    trigram = mix(words.bigram[:-1] * np.uint64(3) + words.hash[2:])
    hashes[2:, 2] = np.where(triple, _short(trigram), NONE)
    return hashes


def _short(values: NDArray[np.uint64]) -> NDArray[np.uint32]:
    return (values >> np.uint64(32)).astype(np.uint32)


MIN_COUNT: Final = 3
"""Minimum number of occurrences of an n-gram in training."""
_WEIGHTS: Final = (0.3, 0.4, 0.29, 0.01)
"""Interpolation weights of single words, bigrams, trigrams, and any word."""
_FOOTER: Final = re.compile(r"(?:[^|]*\|){4}")


def log_odds(
    ngrams: NDArray[np.uint32], key: NDArray[np.uint32], counts: NDArray[np.float64], total: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the log odds that each word is from clean text, given the two words before it, float64 (W,).

    Args:
        ngrams: (W, 3), n-grams that end at each word of a page.
        key: uint32 (K,), hashes of the known n-grams, ascending, without `NONE`.
        counts: float64 (K, 2), occurrences of each in dirty and in clean text.
        total: float64 (2,), words of dirty and of clean text.
    """
    rows, index = find_keys(ngrams.ravel(), key)
    found = np.zeros((ngrams.size, 2))
    found[rows] = counts[index]
    count = found.reshape(*ngrams.shape, 2)
    before = np.zeros_like(count[:, :2])
    before[1:] = count[:-1, :2]
    probability = _WEIGHTS[0] * count[:, 0] / total.clip(1) + _WEIGHTS[3] / max(len(key), 1)
    for length, weight in enumerate(_WEIGHTS[1:3], 1):
        probability += weight * count[:, length] / before[:, length - 1].clip(1)
    return np.asarray(np.log(probability[:, 1] / probability[:, 0]))


def make_example(training_page: TrainingPage) -> Example:
    """Make the example of a page: uint32 (W, 3) n-grams, bool (W,) and (B,) whether words and blocks are clean."""
    words, clean = EncodedTexts(training_page.blocks.text).words, training_page.truth.is_content
    return ngrams(words), clean[words.owner], clean


def train(examples: Sequence[Example]) -> bytes:
    """Count the n-grams in clean and in dirty text."""
    keys, clean, units = concatenated(examples)
    key, index = np.unique(keys, return_inverse=True)
    each = np.broadcast_to(clean[:, None], keys.shape).ravel()
    count = np.stack([np.bincount(index.ravel(), each == kind, len(key)) for kind in (False, True)], axis=1)
    is_frequent = (count.sum(axis=1) >= MIN_COUNT) & (key != NONE)
    return pack_arrays(
        {
            "step": np.diff(key[is_frequent], prepend=np.uint32(0)),
            "count": count[is_frequent].astype(np.uint32),
            "total": np.array([(~clean).sum(), clean.sum()], dtype=np.float64),
            "prior": np.array([np.log((units.sum() + 1) / ((~units).sum() + 1))]),
        }
    )


def load(data: bytes) -> Method:
    """Return the method that keeps the visible blocks that are likelier as clean than as dirty text, except footers."""
    arrays = unpack_arrays(data)
    prior = float(arrays["prior"][0])
    known = np.cumsum(arrays["step"], dtype=np.uint32), arrays["count"].astype(np.float64), arrays["total"]

    def label(blocks: BlockColumns) -> Prediction:
        words = EncodedTexts(blocks.text).words
        odds = prior + np.bincount(words.owner, log_odds(ngrams(words), *known), len(blocks))
        footer = np.array([bool(_FOOTER.match(text)) for text in blocks.text], dtype=bool)
        probability = np.where(footer, 0, expit(odds.clip(-15, 15)))
        return prediction_of_visible(blocks, (odds > 0) & ~footer, probability=probability)

    return label
