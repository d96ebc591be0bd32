"""Adjust the model to the convention of a corpus: what its annotators counted as content.

Annotators disagree on comments, titles, captions and lists of links. The content trees are fitted on all corpora and
know no convention. For each convention, a few more trees are added to their log odds, and the threshold model gets
the convention as a feature. Without a convention, nothing is added.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.content.site_evidence import add_evidence, log_odds
from vclean.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from vclean.classify.trees.forest import Forest


@dataclass(frozen=True, slots=True, eq=False)
class Conventions:
    """Conventions that a model knows, C of them.

    Attributes:
        forests: boosted trees for the change in log odds, by the name of the convention.
    """

    forests: Mapping[str, Forest] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the conventions, in the order of the columns of the threshold model."""
        return tuple(self.forests)

    def adjust(self, probability: NDArray[np.float32], x: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        """Return the content probabilities under a convention, float32 (B,).

        Args:
            probability: float32 (B,), content probabilities of the trees for all corpora.
            x: float32 (B, len(stacking.COLUMNS)), the feature matrix.
            name: the convention; empty for none.

        Raises:
            UsageError: the model does not know the convention.
        """
        if not name:
            return probability
        if name not in self.forests:
            choices = f"choose one of {', '.join(self.names)}" if self.forests else "it was trained without conventions"
            raise UsageError(f"the model does not know the convention {name}: {choices}")
        # The trees were fitted with the log odds of all corpora as offset, so their predictions are changes of them.
        change = log_odds(self.forests[name].predict(x)).astype(np.float32)
        return add_evidence(probability, change)


def one_hot(names: tuple[str, ...], name: str) -> NDArray[np.float32]:
    """Return 1 at the position of `name`, else 0: float32 (C,); NaN for an empty or unknown name."""
    if name not in names:
        return np.full(len(names), np.nan, dtype=np.float32)
    return np.array([each == name for each in names], dtype=np.float32)
