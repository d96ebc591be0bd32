"""Score blocks with two logistic regressions over hashed tokens, names on the tag path and words, for the trees.

The matrix of the trees has two parts: the base matrix (`vclean.features.matrix`), and the scores of the two linear
models, of the block itself and averaged over related blocks (stacking).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import matrix
from vclean.features.block.neighbourhood import (
    LEVELS,
    STEPS,
    cumulative_sums,
    neighbour_values,
    step_doc,
    sum_over_runs,
)
from vclean.features.columns import FeatureColumn
from vclean.features.names.hashed_tokens import BUCKETS, path_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.block.neighbourhood import Layout
    from vclean.features.groups import RaggedArray
    from vclean.features.matrix import Features


WINDOW: Final = 5
"""Number of blocks on each side over which the linear scores are averaged."""

_SCORES: Final = ("path", "word", "both")

SCORE_COLUMNS: tuple[FeatureColumn, ...] = (
    *(
        FeatureColumn(
            f"{score}_{part}", "log odds", f"Score of the {score} linear model{'s' * (score == 'both')}: {doc}."
        )
        for score in _SCORES
        for part, doc in (
            ("score", "of the block itself"),
            *((f"up{level}", f"mean over the words of the {level}. larger subtree") for level in range(1, LEVELS + 1)),
            ("alike", "mean over the blocks with the same chain of tags and classes"),
            *((f"{step:+d}", step_doc(step)) for step in STEPS),
            (f"window{WINDOW}", f"mean over the words of the {WINDOW} blocks on both sides"),
            ("page", "mean over the words of the page"),
        )
    ),
    FeatureColumn("both_rank", "share", "Share of the page's words in blocks with a higher score of both."),
)

COLUMNS: Final = (*matrix.COLUMNS, *SCORE_COLUMNS)
"""Columns of the trees' matrix: the base matrix, and the scores of the two linear models."""


def stack_columns(features: Features, path: NDArray[np.float32], word: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the feature matrix of the trees, float32 (B, len(COLUMNS)).

    Args:
        features: base features of the page.
        path: float32 (B,), log odds of the path model.
        word: float32 (B,), log odds of the word model.
    """
    if not len(features.base):
        return np.zeros((0, len(COLUMNS)), dtype=np.float32)
    return np.hstack([features.base, score_columns(path, word, features.layout)])


def score_columns(path: NDArray[np.float32], word: NDArray[np.float32], layout: Layout) -> NDArray[np.float32]:
    """Return the score columns for the linear scores `path` and `word` (B,): float32 (B, len(SCORE_COLUMNS))."""
    score, weight = np.array([path, word, path + word]), layout.tokens + 1
    weighted = score * weight
    total = cumulative_sums(np.vstack([weighted, weight]))
    parts = [
        score[:, None],
        _subtree_means(total, layout),
        _means_alike(weighted, weight, layout.alike)[:, None],
        neighbour_values(score),
        _window(total)[:, None],
        np.broadcast_to((weighted.sum(axis=1) / weight.sum())[:, None, None], (len(score), 1, len(path))),
    ]
    columns = np.concatenate(parts, axis=1, dtype=np.float32, casting="same_kind").reshape(-1, len(path))
    return np.ascontiguousarray(np.vstack([columns, _rank(score[-1], weight)]).T)


def _subtree_means(total: NDArray[np.float64], layout: Layout) -> NDArray[np.float32]:
    """Return weighted means over the subtrees around each block, float32 (K, LEVELS, B); for `total` see `_window`."""
    sums = sum_over_runs(total, layout)
    return np.asarray(sums[:-1] / np.maximum(sums[-1], 1)).transpose(0, 2, 1)


def _means_alike(
    weighted: NDArray[np.float32], weight: NDArray[np.float32], alike: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return weighted means over the blocks with the same number in `alike`, float64 (K, B).

    Args:
        weighted: float32 (K, B), values times weights.
        weight: float32 (B,).
        alike: int32 (B,), equal for blocks with the same chain of tags and classes.
    """
    sums = np.array([np.bincount(alike, values) for values in weighted])
    return (sums / np.bincount(alike, weight)).take(alike, axis=1)


def _rank(score: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the share of the weight in blocks ranked above each block, float32 (B,).

    Blocks are ranked by decreasing score, and by position for equal scores.
    """
    order = np.argsort(-np.round(score, 3), kind="stable")  # stable ties despite rounding differences between sums
    ordered = weight[order]
    rank = np.empty(len(score), dtype=np.float32)
    rank[order] = (np.cumsum(ordered) - ordered) / weight.sum()
    return rank


def _window(total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weighted means over a window of `WINDOW` blocks on both sides of each block, float64 (K, B).

    Args:
        total: float64 (K + 1, B + 1), running sums of K weighted values and, last, of their weights.
    """
    index, count = np.arange(total.shape[1] - 1), total.shape[1] - 1
    high, low = np.minimum(index + WINDOW + 1, count), np.maximum(index - WINDOW, 0)
    sums = total.take(high, axis=1) - total.take(low, axis=1)
    return np.asarray(sums[:-1] / sums[-1])


_CLIP = 12.0


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """Weights and biases of the two logistic regressions.

    They learn weights of single names and words: `sidebar` in a class name, or `subscribe` in a text, is evidence
    against content. A fixed list of features cannot cover these. In training, the scores of a page come from models
    that were fitted without the page's site.

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
