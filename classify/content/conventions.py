"""Add the convention of a corpus to features: what its annotators counted as content.

Annotators disagree on comments, titles, captions and lists of links. The content trees and the threshold model have one
column for each convention, after their other columns: 1 for the convention that is asked for and 0 for the others. If
none is asked for, other trees predict from the page how probable each is, and the columns have these probabilities. So
the trees learn how far a prediction is to be trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.trees.forest import Forest

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
            self._check(name)
            return one_hot(self.names, name)
        return np.asarray(self.predict(page_row(x, words)[None])[0])

    def predict(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Predict the columns of P pages from their `page_row`s, float32 (P, C)."""
        if self.predictor is None:
            return np.full((len(rows), len(self.names)), np.nan, dtype=np.float32)
        return self.predictor.predict(rows).astype(np.float32)

    def _check(self, name: str) -> None:
        if name not in self.names:
            choices = f"choose one of {', '.join(self.names)}" if self.names else "it was trained without conventions"
            raise UsageError(f"the model does not know the convention {name}: {choices}")


def one_hot(names: tuple[str, ...], name: str) -> NDArray[np.float32]:
    """Return 1 at the position of `name`, else 0: float32 (C,)."""
    return np.array([each == name for each in names], dtype=np.float32)


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
