"""StupidOS, the system of Osnabrück at CleanEval 2007.

As published: the page is rendered as text, without images; regular expressions remove what is surely no text, such as
footers with many `|`; the rest is split at paragraphs, headings and list items, and two models of word trigrams, each
interpolated with its bigrams and single words, decide for every unit whether it is clean or dirty. The model of dirty
text learns from what the gold leaves out.

Left open and chosen: a unit is a block; the weights of trigrams, bigrams and words; what the units themselves are
expected to be is the share of clean ones in training; sequences that are rare in training are left out, for a small
model; types are those of the markup.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import expit

from vclean.classify.methods import storage
from vclean.classify.methods.base import decide
from vclean.classify.prediction import Prediction
from vclean.features.text.characters import EncodedTexts, mix
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Method, TrainingPage
    from vclean.features.blocks import BlockColumns
    from vclean.features.text.characters import Words


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


RARE: Final = 3
"""A sequence has to occur as often in training."""
_WEIGHTS: Final = (0.3, 0.4, 0.29, 0.01)
"""Of single words, bigrams, trigrams, and of any word at all."""
_FOOTER: Final = re.compile(r"(?:[^|]*\|){4}")
_CLIP: Final = 15.0


@dataclass(frozen=True, slots=True, eq=False)
class StupidosExample:
    """A page: uint32 (W, 3) n-grams of its words, bool (W,) whether a word is clean, bool (B,) whether a block is."""

    ngrams: NDArray[np.uint32]
    clean: NDArray[np.bool_]
    units: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Trigrams:
    """The two models.

    Attributes:
        key: uint32 (K,), the n-grams that are known, ascending.
        count: float64 (K, 2), how often each is in dirty and in clean text.
        total: float64 (2,), words of either.
        prior: log odds of a unit.
    """

    key: NDArray[np.uint32]
    count: NDArray[np.float64]
    total: NDArray[np.float64]
    prior: float

    @classmethod
    def of(cls, found: Mapping[str, NDArray[Any]]) -> Trigrams:
        """The models from their arrays."""
        key = np.cumsum(found["step"], dtype=np.uint32)
        return cls(key, found["count"].astype(np.float64), found["total"], float(found["prior"][0]))

    def log_odds(self, keys: NDArray[np.uint32]) -> NDArray[np.float64]:
        """float64 (W,): by how much likelier a word is in clean text than in dirty, after the two before it.

        Args:
            keys: (W, 3), the n-grams that end with the words of a page.
        """
        count = self._counts(keys)
        before = np.zeros_like(count[:, :2])
        before[1:] = count[:-1, :2]
        single, known = _WEIGHTS[0], len(self.key)
        probability = single * count[:, 0] / self.total.clip(1) + _WEIGHTS[3] / max(known, 1)
        for length, weight in enumerate(_WEIGHTS[1:3], 1):
            probability += weight * count[:, length] / before[:, length - 1].clip(1)
        return np.asarray(np.log(probability[:, 1] / probability[:, 0]))

    def _counts(self, keys: NDArray[np.uint32]) -> NDArray[np.float64]:
        """float64 (W, 3, 2): how often the n-grams are in dirty and in clean text."""
        if not len(self.key):
            return np.zeros((*keys.shape, 2))
        place = np.minimum(np.searchsorted(self.key, keys), len(self.key) - 1)
        known = (self.key[place] == keys) & (keys != NONE)
        return np.where(known[..., None], self.count[place], 0)


def example(lesson: TrainingPage) -> StupidosExample:
    """The n-grams of a page's words and the truth of its blocks."""
    words, clean = EncodedTexts.from_texts(lesson.blocks.text).words, lesson.truth.is_content
    return StupidosExample(ngrams(words), clean[words.owner], clean)


def train(examples: Sequence[StupidosExample]) -> bytes:
    """How often n-grams are in clean and in dirty text."""
    keys = np.concatenate([page.ngrams for page in examples])
    clean = np.concatenate([page.clean for page in examples])
    key, number = np.unique(keys, return_inverse=True)
    each = np.broadcast_to(clean[:, None], keys.shape).ravel()
    count = np.stack([np.bincount(number.ravel(), each == kind, len(key)) for kind in (False, True)], axis=1)
    kept = (count.sum(axis=1) >= RARE) & (key != NONE)
    units = np.concatenate([page.units for page in examples])
    return storage.to_bytes(
        {
            "step": np.diff(key[kept], prepend=np.uint32(0)),
            "count": count[kept].astype(np.uint32),
            "total": np.array([(~clean).sum(), clean.sum()], dtype=np.float64),
            "prior": np.array([np.log((units.sum() + 1) / ((~units).sum() + 1))]),
        }
    )


def load(data: bytes) -> Method:
    """Keeps the blocks that are likelier as clean text than as dirty, that are no footer and not hidden."""
    model = Trigrams.of(storage.from_bytes(data))

    def label(blocks: BlockColumns) -> Prediction:
        words = EncodedTexts.from_texts(blocks.text).words
        odds = model.prior + np.bincount(words.owner, model.log_odds(ngrams(words)), len(blocks))
        footer = np.array([bool(_FOOTER.match(text)) for text in blocks.text], dtype=bool)
        kept = (odds > 0) & ~footer & (blocks.visibility != Visibility.HIDDEN)
        probability = np.where(footer, 0, expit(odds.clip(-_CLIP, _CLIP)))
        return Prediction(decide(blocks, kept).labels, probability.astype(np.float32))

    return label
