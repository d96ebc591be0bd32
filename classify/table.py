"""All training pages as one table, and the linear models fitted on parts of it.

The two linear models see every page; the boosted model must see their verdicts as they will be on unknown sites, so a
page's verdicts in training come from linear models that were fitted without its fold. A cross-validated model for fold
`k` needs linear models without `k` and, for each other fold `j`, without both: fifteen fits for five folds, shared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import linear
from vclean.classify.corpora import folds
from vclean.classify.dataset import concatenate
from vclean.classify.linear import LinearModel
from vclean.features import context, matrix
from vclean.features.tokens import BUCKETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.dataset import PageRows
    from vclean.classify.linear import Design
    from vclean.features.tokens import Ragged

FOLDS: Final = 5
ROWS_PER_PAGE: Final = 200
"""The boosted models learn from so many rows of a page at most: the rest of a long page repeats what they say, and a
third of the training time goes."""


@dataclass(frozen=True, eq=False)
class Table:
    """All training pages as one table of R rows.

    Attributes:
        pages: the pages.
        fold: int64 (P,), the fold of every page.
    """

    pages: Sequence[PageRows]
    fold: NDArray[np.int64]

    @classmethod
    def of(cls, pages: Sequence[PageRows], k: int = FOLDS, seed: int = 0) -> Table:
        """`pages` with folds by site; a page read two ways is in one fold."""
        return cls(pages, folds([page.site for page in pages], k, seed))

    @cached_property
    def row_fold(self) -> NDArray[np.int64]:
        """int64 (R,): the fold of every row."""
        return self.fold[self.row_page]

    @cached_property
    def row_page(self) -> NDArray[np.int64]:
        """int64 (R,): the page of every row."""
        return np.repeat(np.arange(len(self.pages)), [len(page) for page in self.pages])

    @cached_property
    def row_site(self) -> NDArray[np.int64]:
        """int64 (R,): a number for the site of every row."""
        numbers = np.unique([page.site for page in self.pages], return_inverse=True)[1]
        return numbers[self.row_page]

    @cached_property
    def content(self) -> NDArray[np.bool_]:
        """Whether a row is content, bool (R,)."""
        return np.concatenate([page.content for page in self.pages])

    @cached_property
    def label(self) -> NDArray[np.int8]:
        """The code of a row's label, int8 (R,)."""
        return np.concatenate([page.label for page in self.pages])

    @cached_property
    def weight(self) -> NDArray[np.float32]:
        """The training weight of a row, float32 (R,)."""
        return np.concatenate([page.weight for page in self.pages])

    @cached_property
    def sampled(self) -> NDArray[np.bool_]:
        """Whether the boosted models learn from a row, bool (R,): up to `ROWS_PER_PAGE` of a page, seeded."""
        draw = np.random.default_rng(len(self.pages))
        return np.concatenate([draw.permutation(len(page)) < ROWS_PER_PAGE for page in self.pages])

    @cached_property
    def sampled_weight(self) -> NDArray[np.float32]:
        """The training weight of a row among the sampled ones, float32 (R,): a page keeps its weight."""
        scale = [np.full(len(page), max(1, len(page) / ROWS_PER_PAGE), dtype=np.float32) for page in self.pages]
        return self.weight * np.concatenate(scale)

    @cached_property
    def fits(self) -> LinearFits:
        """The linear models of the table; cross-validation and training share those they both need."""
        return LinearFits(self)

    def split(self, rows: NDArray[Any]) -> list[NDArray[Any]]:
        """`rows` (R, ...) page by page."""
        return np.split(rows, np.cumsum([len(page) for page in self.pages])[:-1])


class LinearFits:
    """The linear models of a table, each fitted once, by the folds it did not see."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._path = _design(table, [page.path for page in table.pages], 2 * BUCKETS, scaled=False)
        self._word = _design(table, [page.word for page in table.pages], BUCKETS, scaled=True)
        self._fits: dict[frozenset[int], LinearModel] = {}

    def without(self, *unseen: int) -> LinearModel:
        """The models fitted on all folds but `unseen`."""
        key = frozenset(unseen)
        if key not in self._fits:
            self._fits[key] = LinearModel(
                *self._path.fit(key, linear.PATH_PENALTY), *self._word.fit(key, linear.WORD_PENALTY)
            )
        return self._fits[key]

    def scores(self, held_out: int | None) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Verdicts (R,) of the path and the word models, as a boosted model that holds out a fold has to learn from.

        Every row's are from models that saw neither its own fold nor the one held out.
        """
        path, word = np.empty((2, len(self._table.row_fold)), dtype=np.float32)
        for fold in np.unique(self._table.row_fold).tolist():
            rows = self._table.row_fold == fold
            model = self.without(*({fold} if held_out is None else {fold, held_out}))
            path[rows] = self._path.scores(model.path, model.path_bias)[rows]
            word[rows] = self._word.scores(model.word, model.word_bias)[rows]
        return path, word


def _design(table: Table, tokens: Sequence[Ragged], size: int, *, scaled: bool) -> Design:
    """The design of one linear model over the rows of `table`, given the tokens of every page."""
    return linear.design(
        concatenate(tokens),
        size,
        scaled=scaled,
        site=table.row_site,
        fold=table.row_fold,
        content=table.content,
        weight=table.weight,
    )


def design_matrix(table: Table, path: NDArray[np.float32], word: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (R, len(matrix.COLUMNS)): the whole matrix of the table, given the linear verdicts (R,)."""
    full = np.empty((len(table.row_fold), len(matrix.COLUMNS)), dtype=np.float32)
    begin = 0
    for page, by_path, by_word in zip(table.pages, table.split(path), table.split(word), strict=True):
        end = begin + len(page)
        if len(page):
            scores = context.score_columns(by_path, by_word, page.layout)
            full[begin:end] = np.hstack([page.fixed, scores, page.region])
        begin = end
    return full
