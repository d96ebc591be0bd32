"""Score blocks with two logistic regressions over hashed tokens, names on the tag path and words, for the trees.

The matrix of the trees has two parts: the base matrix (`vclean.features.matrix`), and the scores of the two linear
models, of the block itself and averaged over related blocks (stacking).

After these the trees have one column for each convention, what the annotators of a corpus counted as content: 1 for the
convention that is asked for and 0 for the others. If none is asked for, other trees predict from the page how probable
each is, and the columns have these probabilities. So the trees learn how far a prediction is to be trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.errors import UsageError
from vclean.features import matrix
from vclean.features.block.neighbourhood import LEVELS, STEPS, neighbour_values, step_doc
from vclean.features.columns import FeatureColumn, sum_over_runs
from vclean.features.hashed_tokens import BUCKETS, path_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.forest import Forest
    from vclean.features.block.neighbourhood import Layout
    from vclean.features.columns import RaggedArray
    from vclean.features.matrix import Features

_WEIGHT_CAP: Final = 200
"""Number of words from which the weight of a block in the means of a page stays constant."""


@dataclass(frozen=True, slots=True, eq=False)
class Conventions:
    """Conventions that a model knows, C of them.

    Attributes:
        names: their names, in the order of their columns.
        predictor: boosted trees for their probabilities on a page; None for fewer than two.
    """

    names: tuple[str, ...] = ()
    predictor: Forest | None = None

    def columns(self, x: NDArray[np.float32], words: NDArray[np.float32], name: str = "") -> NDArray[np.float32]:
        """Return the values of the columns for a page, float32 (C,); NaN if nothing is known of the convention.

        Args:
            x: float32 (B, len(stacking.COLUMNS)), the feature matrix, B at least 1.
            words: float32 (B,), words per block.
            name: the convention that is asked for; empty for none.

        Raises:
            UsageError: the model does not know the convention.
        """
        if name:
            if name not in self.names:
                choices = ", ".join(self.names)
                reason = f"choose one of {choices}" if choices else "it was trained without conventions"
                raise UsageError(f"the model does not know the convention {name}: {reason}")
            return np.array([each == name for each in self.names], dtype=np.float32)
        return np.asarray(self.predict(page_row(x, words)[None])[0])

    def predict(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Predict the columns of P pages from their `page_row`s, float32 (P, C)."""
        if self.predictor is None:
            return np.full((len(rows), len(self.names)), np.nan, dtype=np.float32)
        return self.predictor.predict(rows).astype(np.float32)


def add_columns(rows: NDArray[np.float32], columns: NDArray[np.float32]) -> NDArray[np.float32]:
    """Add `columns` (C,) to each of `rows` (K, F): float32 (K, F + C)."""
    return np.hstack([rows, np.tile(columns, (len(rows), 1))])


def page_row(x: NDArray[np.float32], words: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the features of a page for the prediction of its convention, float32 (2 F + 2,).

    The means of the columns over the blocks, weighted with the root of their words and unweighted, the number of
    blocks, and that of words. A mean is over the known values, and 0 without any.

    Args:
        x: float32 (B, F), the feature matrix.
        words: float32 (B,), words per block.
    """
    weight = np.vstack([np.sqrt(np.clip(words, 1, _WEIGHT_CAP)), np.ones(len(x), dtype=np.float32)])
    known = ~np.isnan(x)
    means = (weight @ np.where(known, x, 0)) / np.maximum(weight @ known, 1e-9)
    return np.concatenate([means.ravel(), [len(x), words.sum()]]).astype(np.float32)


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
    summed = np.vstack([weighted, weight])
    of_subtrees = sum_over_runs(summed, layout.begin, layout.end).astype(np.float32)
    index = np.arange(len(path))
    high, low = np.minimum(index + WINDOW + 1, len(path)), np.maximum(index - WINDOW, 0)
    of_windows = sum_over_runs(summed, low, high)
    of_alike = np.array([np.bincount(layout.alike, values) for values in summed])
    parts = [
        score[:, None],
        np.asarray(of_subtrees[:-1] / np.maximum(of_subtrees[-1], 1)).transpose(0, 2, 1),
        (of_alike[:-1] / of_alike[-1]).take(layout.alike, axis=1)[:, None],
        neighbour_values(score),
        (of_windows[:-1] / of_windows[-1])[:, None],
        np.broadcast_to((weighted.sum(axis=1) / weight.sum())[:, None, None], (len(score), 1, len(path))),
    ]
    columns = np.concatenate(parts, axis=1, dtype=np.float32, casting="same_kind").reshape(-1, len(path))
    return np.vstack([columns, _rank(score[-1], weight)]).T


def _rank(score: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the share of the weight in blocks ranked above each block, float32 (B,).

    Blocks are ranked by decreasing score, and by position for equal scores.
    """
    order = np.argsort(-np.round(score, 3), kind="stable")  # stable ties despite rounding differences between sums
    ordered = weight[order]
    rank = np.empty(len(score), dtype=np.float32)
    rank[order] = (np.cumsum(ordered) - ordered) / weight.sum()
    return rank


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
