"""Name the convention of each page, and predict it, for the content trees and the threshold model."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content.conventions import Conventions, one_hot, page_row
from vclean.classify.training.fits import SEED, fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.training.dataset import PageRows, TrainingTable

KNOWN_SHARE: Final = 0.25
"""Share of the pages that the content trees see with their convention; they see the others with predicted ones.

With .25 word F1 by default is .001 higher than without columns, and .009 higher with the convention of the page.
"""
MIN_PAGES: Final = 50
"""Minimum number of pages of a corpus, or of its parts together, to learn a convention from."""
_PART: Final = re.compile(r"[-_](?:train|dev|test|final)$")


def convention_name(corpus: str) -> str:
    """Return the convention of a corpus: its name without that of a part.

    >>> convention_name("cleaneval-dev")
    'cleaneval'
    """
    return _PART.sub("", corpus)


def conventions(pages: Sequence[PageRows]) -> list[str]:
    """Return the conventions of P pages; empty for pages with partial gold, and for corpora of few pages."""
    names = ["" if page.is_partial else convention_name(page.corpus) for page in pages]
    counts = Counter({(name, page.id) for name, page in zip(names, pages, strict=True)})
    sizes = Counter(name for name, _ in counts)
    return [name if sizes[name] >= MIN_PAGES else "" for name in names]


def model_conventions(pages: Sequence[PageRows]) -> tuple[str, ...]:
    """Return the conventions of a model that is trained on these pages, in the order of their columns."""
    return tuple(sorted(set(conventions(pages)) - {""}))


def seen_columns(
    pages: Sequence[PageRows], known: tuple[str, ...], predicted: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the columns of conventions that the content trees see of P pages, float32 (P, len(known)).

    Args:
        pages: the pages.
        known: the conventions of the model.
        predicted: float32 (P, len(known)), the predicted columns; those of `KNOWN_SHARE` of the pages are replaced.
    """
    is_known = np.random.default_rng(SEED).random(len(pages)) < KNOWN_SHARE
    columns = predicted.copy()
    for page, name in enumerate(conventions(pages)):
        if name and is_known[page]:
            columns[page] = one_hot(known, name)
    return columns


class ConventionFits:
    """Conventions of the P pages of a table, and predictors of them."""

    def __init__(self, table: TrainingTable, x: NDArray[np.float32]) -> None:
        """Read the pages of `table`, given its feature matrix float32 (R, F)."""
        self.names = conventions(table.pages)
        self.known = model_conventions(table.pages)
        self._fold = table.fold
        self._code = np.array([self.known.index(name) if name else -1 for name in self.names])
        pages = zip(table.pages, table.split(x), strict=True)
        self._rows = np.vstack([page_row(rows, page.layout.tokens) for page, rows in pages])

    def without(self, fold: int | None = None) -> Conventions:
        """Return the conventions, with a predictor that is fitted on the pages of the other folds, or on all."""
        pages = (self._code >= 0) & (self._fold != (-1 if fold is None else fold))
        if len(np.unique(self._code[pages])) < 2:
            return Conventions(self.known)
        forest = fit("conventions", self._rows[pages], self._code[pages], num_class=len(self.known))
        return Conventions(self.known, forest)

    def predicted(self) -> NDArray[np.float32]:
        """Return the columns of each page by a predictor that did not see its fold, float32 (P, len(known))."""
        columns = np.empty((len(self._rows), len(self.known)), dtype=np.float32)
        for fold in np.unique(self._fold).tolist():
            pages = self._fold == fold
            columns[pages] = self.without(fold).predict(self._rows[pages])
        return columns
