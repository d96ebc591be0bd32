"""Two logistic regressions over hashed tokens: one over names on the tag path, one over words.

They carry what no fixed list of columns can: that `sidebar` in a class name, or `subscribe` in a text, speaks against
content. The gradient-boosted model reads their verdicts, which in training have to come from models that did not see
the page's site.
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
    """Weights and biases of the two models.

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
        """Log odds that a block is content, float32 (B,) each: by its tag path, and by its words."""
        if not len(features.context):
            return np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.float32)
        path = path_scores(features.context, features.element_tokens, self.path[:BUCKETS], self.path[BUCKETS:])
        word = features.word_tokens.row_sums(self.word) * row_scale(features.word_tokens)
        return clipped(path + self.path_bias), clipped(word + self.word_bias)


def clipped(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return `scores` within the bounds of a linear score, float32."""
    return np.asarray(np.clip(scores, -_CLIP, _CLIP), dtype=np.float32)


def row_scale(rows: RaggedArray) -> NDArray[np.float64]:
    """Return one over the root of each row's length: long texts must not count by length alone."""
    return np.asarray(1 / np.sqrt(np.maximum(np.diff(rows.start), 1)))
