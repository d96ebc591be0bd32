"""Adjust the model to the convention of a corpus: what its annotators counted as content.

Annotators disagree on comments, titles, captions and lists of links. The content trees are fitted on all corpora and
know no convention. For each convention, a few more trees are added to their log odds, and the threshold model gets
the convention as a feature. If no convention is chosen, other trees predict from the page how probable each convention
is, and the changes of all conventions are added, weighted by half of these probabilities. The predictions are
uncertain: with the full weights some corpora lose what others win (`docs/background/experiments.md`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content.site_evidence import add_evidence, log_odds
from vclean.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from vclean.classify.trees.forest import Forest

_PREDICTED: Final = 0.5
"""Weight of a convention that is certain to be predicted, relative to one that is chosen."""
_MIN_WEIGHT: Final = 0.05
"""Weight below which a convention changes nothing, which saves most of the time."""
_COLUMNS: Final = 128
"""Columns whose means are computed at once: their copies then fit into the cache."""
_WEIGHT_CAP: Final = 200
"""Number of words from which the weight of a block in the means of a page stays constant."""


@dataclass(frozen=True, slots=True, eq=False)
class Conventions:
    """Conventions that a model knows, C of them.

    Attributes:
        forests: boosted trees for the change in log odds, by the name of the convention.
        predictor: boosted trees for the probabilities of the conventions on a page; None for fewer than two.
    """

    forests: Mapping[str, Forest] = field(default_factory=dict)
    predictor: Forest | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the conventions, in the order of the columns of the threshold model."""
        return tuple(self.forests)

    def weights(self, x: NDArray[np.float32], words: NDArray[np.float32], name: str = "") -> NDArray[np.float32]:
        """Return the weight of each convention on a page, float32 (C,).

        1 for the convention `name` and 0 for the others; without a name, half of their probabilities, or 0 if the
        model predicts none.

        Args:
            x: float32 (B, len(stacking.COLUMNS)), the feature matrix, B at least 1.
            words: float32 (B,), words per block.
            name: the convention; empty for none.

        Raises:
            UsageError: the model does not know the convention.
        """
        if name:
            self._check(name)
            return np.array([each == name for each in self.names], dtype=np.float32)
        if self.predictor is None:
            return np.zeros(len(self.names), dtype=np.float32)
        probabilities = self.predictor.predict(page_row(x, words)[None]).astype(np.float32)
        return np.asarray(_PREDICTED * probabilities[0])

    def adjust(
        self, probability: NDArray[np.float32], x: NDArray[np.float32], weights: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the content probabilities under weighted conventions, float32 (B,).

        Args:
            probability: float32 (B,), content probabilities of the trees for all corpora.
            x: float32 (B, len(stacking.COLUMNS)), the feature matrix.
            weights: float32 (C,), see `weights`.
        """
        # The trees were fitted with the log odds of all corpora as offset, so their predictions are changes of them.
        for forest, weight in zip(self.forests.values(), weights.tolist(), strict=True):
            if weight >= _MIN_WEIGHT:
                change = weight * log_odds(forest.predict(x))
                probability = add_evidence(probability, change.astype(np.float32))
        return probability

    def _check(self, name: str) -> None:
        if name not in self.forests:
            choices = f"choose one of {', '.join(self.names)}" if self.forests else "it was trained without conventions"
            raise UsageError(f"the model does not know the convention {name}: {choices}")


def one_hot(names: tuple[str, ...], name: str) -> NDArray[np.float32]:
    """Return 1 at the position of `name`, else 0: float32 (C,); NaN for an empty or unknown name."""
    if name not in names:
        return np.full(len(names), np.nan, dtype=np.float32)
    return np.array([each == name for each in names], dtype=np.float32)


def page_row(x: NDArray[np.float32], words: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the features of a page for the prediction of its convention, float32 (2 F + 2,).

    The means of the columns over the blocks, weighted with the root of their words and unweighted, the number of
    blocks, and that of words.

    Args:
        x: float32 (B, F), the feature matrix, B at least 1.
        words: float32 (B,), words per block.
    """
    weight = np.vstack([np.sqrt(np.clip(words, 1, _WEIGHT_CAP)), np.ones(len(x))])
    parts = [_means(x[:, first : first + _COLUMNS], weight) for first in range(0, x.shape[1], _COLUMNS)]
    return np.concatenate([np.hstack(parts).ravel(), [len(x), words.sum()]]).astype(np.float32)


def _means(x: NDArray[np.float32], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted means of the columns of x without NaN, float64 (W, F); NaN where all is NaN.

    Args:
        x: float32 (B, F).
        weight: float64 (W, B).
    """
    means = weight @ x.astype(np.float64) / weight.sum(axis=1, keepdims=True)
    incomplete = np.flatnonzero(np.isnan(means[0]))
    known = ~np.isnan(x[:, incomplete])
    sums = weight @ np.where(known, x[:, incomplete], 0).astype(np.float64)
    with np.errstate(invalid="ignore"):
        means[:, incomplete] = sums / (weight @ known.astype(np.float64))
    return np.asarray(means)
