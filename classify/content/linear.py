"""Score blocks with two logistic regressions over hashed tokens: names on the tag path, and words.

They learn weights of single names and words: `sidebar` in a class name, or `subscribe` in a text, is evidence against
content. A fixed list of features cannot cover these. The boosted trees use the scores as features. In training, the
scores of a page come from models that were fitted without the page's site.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.names.hashed_tokens import BUCKETS, path_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.groups import RaggedArray
    from vclean.features.matrix import Features

_CLIP = 12.0


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """Weights and biases of the two logistic regressions.

    Attributes:
        path: float32 (2 * BUCKETS,), over the hash buckets of name tokens; the second half is for innermost elements.
        word: float32 (BUCKETS,), over those of word tokens.
        path_bias, word_bias: log odds of a block without tokens.
    """

    path: NDArray[np.float32]
    path_bias: float
    word: NDArray[np.float32]
    word_bias: float

    def scores(self, features: Features) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the log odds that blocks are content, float32 (B,) each: from tag paths, and from words."""
        if not len(features.context):
            return np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.float32)
        path = path_scores(features.context, features.element_tokens, self.path[:BUCKETS], self.path[BUCKETS:])
        word = features.word_tokens.row_sums(self.word) * row_scale(features.word_tokens)
        return clipped(path + self.path_bias), clipped(word + self.word_bias)


def clipped(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """Clip `scores` to -12..12 and return them as float32."""
    return np.asarray(np.clip(scores, -_CLIP, _CLIP), dtype=np.float32)


def row_scale(rows: RaggedArray) -> NDArray[np.float64]:
    """Return 1 / sqrt(length) of each row, float64 (B,): the score of a text must not grow with its length alone."""
    return np.asarray(1 / np.sqrt(np.maximum(np.diff(rows.start), 1)))
