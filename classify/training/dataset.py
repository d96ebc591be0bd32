"""Build the training table of all pages, and fit the linear models on parts of it.

The boosted model gets the probabilities of the two linear models as features (stacking). In training, the
probabilities of a page come from linear models fitted without its fold, as they will for unknown sites. A
cross-validated model for fold `k` needs linear models without `k` and, for each other fold `j`, without both: fifteen
fits for five folds, which are shared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.content.postprocess import block_groups
from vclean.classify.content.stacking import LinearModel, clipped, row_scale
from vclean.classify.corpora import gold
from vclean.classify.corpora.corpora import assign_folds
from vclean.classify.evaluation.scores import count_words
from vclean.features import hashed_tokens, matrix
from vclean.features.columns import Groups, RaggedArray
from vclean.features.hashed_tokens import BUCKETS
from vclean.features.text.characters import mix
from vclean.labels import LABELS, UNKNOWN, Label
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from vclean.classify.corpora.gold import GoldPage
    from vclean.features.block.neighbourhood import Layout
    from vclean.features.blocks import BlockColumns


ROUNDS = 60
"""Iterations of L-BFGS; the ranking of the scores is stable well before."""
PATH_PENALTY = 50.0
WORD_PENALTY = 3.0
"""L2 penalties, relative to the sum of log losses with weights of mean 1."""
STEP = 1 / 64
"""Step of the weights, in log odds: with exact weights the model file would be .7 MB larger."""
MIN_SITES = 2
"""Minimum number of sites on which a token has to occur to get a weight."""


class Design:
    """Design matrix of one linear model over the R rows of a table; equal rows are stored once.

    Its columns are the tokens that occur on several sites; a token of one site does not generalize to others.

    Attributes:
        x: (U, M) sparse, the distinct rows.
        bucket: int64 (M,), hash bucket of each column.
        row: int64 (R,), index of the distinct row of each row of the table.

    Args:
        table: the table.
        tokens: tokens of its rows.
        size: number of hash buckets of tokens.
        scaled: whether to divide a row by the root of its number of tokens, see `stacking.row_scale`.
    """

    def __init__(self, table: TrainingTable, tokens: RaggedArray, size: int, *, scaled: bool) -> None:
        from scipy.sparse import csr_matrix  # takes longer to import than a page to label

        rows = len(table.row_site)
        owner = np.repeat(np.arange(rows), np.diff(tokens.start))
        self._table, self._size = table, size
        sites = table.row_site[owner]
        ones, shape = np.ones(len(sites), dtype=np.int8), (int(sites.max(initial=0)) + 1, size)
        occurrences = csr_matrix((ones, (sites, tokens.values)), shape=shape)
        self.bucket = np.flatnonzero(np.bincount(occurrences.indices, minlength=size) >= MIN_SITES)
        column_of = np.full(size, -1)
        column_of[self.bucket] = np.arange(len(self.bucket))
        column = column_of[tokens.values]
        owner, column = owner[column >= 0], column[column >= 0]
        scale = row_scale(tokens) if scaled else np.ones(rows)
        key = mix(scale.view(np.uint64))  # equal for rows with the same columns and scale
        np.add.at(key, owner, mix(column.astype(np.uint64) + np.uint64(1)))  # `mix` leaves 0 as it is
        _, first, self.row = np.unique(key, return_index=True, return_inverse=True)
        values = scale[owner].astype(np.float32)
        self.x = csr_matrix((values, (owner, column)), shape=(rows, len(self.bucket)))[first, :]

    def fit(self, held_out: frozenset[int], penalty: float) -> tuple[NDArray[np.float32], float]:
        """Return weights (size,), multiples of `STEP`, and bias of the regression on all folds but `held_out`."""
        table = self._table
        used = ~np.isin(table.row_fold, list(held_out))
        by_class = ((table.weight * each)[used] for each in (table.content, ~table.content))
        positive, negative = (np.bincount(self.row[used], each, self.x.shape[0]) for each in by_class)
        used_distinct = np.flatnonzero(positive + negative)
        scale = used.sum() / (positive.sum() + negative.sum())
        weights, bias = fit(
            self.x[used_distinct], positive[used_distinct] * scale, negative[used_distinct] * scale, penalty
        )
        full = np.zeros(self._size, dtype=np.float32)
        full[self.bucket] = np.round(weights / STEP) * STEP
        return full, bias

    def scores(self, weights: NDArray[np.float32], bias: float) -> NDArray[np.float32]:
        """Return the score of each training row, float32 (R,)."""
        return clipped((self.x @ weights[self.bucket] + bias)[self.row])


def fit(
    x: csr_matrix, positive: NDArray[np.float64], negative: NDArray[np.float64], penalty: float
) -> tuple[NDArray[np.float32], float]:
    """Return weights (M,) and bias of the logistic regression on the rows of `x` (U, M), each weighted by class.

    Minimizes the weighted sum of log losses plus `penalty / 2` times the squared weights; the bias is not penalized.
    """
    from scipy.optimize import minimize  # takes as long to import as the whole model to load
    from scipy.special import expit

    back = x.T.tocsr()

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = x @ theta[:-1].astype(np.float32) + theta[-1]
        probability = expit(margin)
        value = positive @ np.logaddexp(0, -margin) + negative @ np.logaddexp(0, margin)
        slope = (positive + negative) * probability - positive
        gradient = back @ slope.astype(np.float32) + penalty * theta[:-1]
        return float(value + penalty / 2 * theta[:-1] @ theta[:-1]), np.append(gradient, slope.sum())

    optimum = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS})
    return optimum.x[:-1].astype(np.float32), float(optimum.x[-1])


_ITEM_TAGS, _CELL_TAGS = ("li", "dt", "dd"), ("td", "th")

WEIGHT_CAP = 200
"""Number of words from which the training weight of a block stays constant."""


ENTRIES: Final = frozenset(("listing", "collection", "service", "product"))
"""Types of pages in the corpora that consist of entries, rather than of an article."""
ENTRIES_IMPORTANCE: Final = 3.0
"""Number of pages that a page of entries counts as: most pages of the corpora are articles.

With 3, word F1 of wcxb is .871 and .873 rendered, with 1 it is .867 and .869; the means of the other corpora are equal.
"""


@dataclass(frozen=True, eq=False)
class PageRows:
    """Training rows of one page, read with or without a browser: one row for each of B blocks.

    Attributes:
        corpus, id: the page.
        site: its registered domain; folds never split a site.
        rendered: whether it was read in a browser.
        base: float32 (B, F), features that depend on the page alone.
        layout: input for the averages of the linear scores.
        path, word: the tokens of the two linear models, B rows each.
        share: float32 (B,), share of a block's words that are in the gold.
        content: bool (B,).
        label: int8 (B,), an index into `Label`, or `vclean.labels.UNKNOWN`.
        group: int32 (B,), index of the list, table or code that contains the block, or -1: see
            `postprocess.block_groups`.
        gold_words: number of words of the page's gold.
        is_partial: whether the gold is only part of the content. Then nothing is known of the other blocks.
        importance: number of pages that it counts as.
    """

    corpus: str
    id: str
    site: str
    rendered: bool
    base: NDArray[np.float32]
    layout: Layout
    path: RaggedArray
    word: RaggedArray
    share: NDArray[np.float32]
    content: NDArray[np.bool_]
    label: NDArray[np.int8]
    group: NDArray[np.int32]
    gold_words: int
    is_partial: bool = False
    importance: float = 1.0

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.content)

    @property
    def weight(self) -> NDArray[np.float32]:
        """Return the training weights, float32 (B,): the root of the words up to `WEIGHT_CAP`, times the importance.

        A block weighs 0 if it is not known whether it is content.
        """
        known = self.content if self.is_partial else np.ones(len(self), dtype=bool)
        weight = self.importance * np.sqrt(np.clip(self.layout.tokens, 1, WEIGHT_CAP))
        return np.where(known, weight, 0).astype(np.float32)


def page_rows(page: GoldPage, site: str, blocks: BlockColumns) -> PageRows:
    """Return the training rows of the `blocks` of `page`."""
    features = matrix.extract(blocks)
    truth = gold.align(blocks.text, page)
    return PageRows(
        corpus=page.corpus,
        id=page.id,
        site=site,
        rendered=blocks.snapshot.rendered,
        base=features.base,
        layout=features.layout,
        path=hashed_tokens.path_tokens(features.context, features.element_tokens)
        if len(blocks)
        else features.word_tokens,
        word=features.word_tokens,
        share=truth.content_share,
        content=truth.is_content,
        label=_reliable_labels(truth.label, page, blocks),
        group=block_groups(blocks),
        gold_words=count_words(page.text),
        is_partial=page.is_partial,
        importance=ENTRIES_IMPORTANCE if page.page_type in ENTRIES else 1.0,
    )


def _reliable_labels(label: NDArray[np.int8], page: GoldPage, blocks: BlockColumns) -> NDArray[np.int8]:
    """Return `label` with `UNKNOWN` for the labels that gold in Markdown does not determine, int8 (B,).

    Such gold omits marks: a paragraph in a heading tag or a list item is of unknown type. It also joins lines that are
    separate on the page: a continuation counts only in a table cell, or if it does not begin its item or container.
    """
    if page.markup or not page.markdown:
        return label
    snapshot, node = blocks.snapshot, blocks.node
    marked = tree.nearest_ancestor(snapshot.is_tag(HEADING_TAGS), snapshot.parent)[node] > 0
    marked |= snapshot.is_tag(_ITEM_TAGS)[node]
    in_cell = tree.nearest_ancestor(snapshot.is_tag(_CELL_TAGS), snapshot.parent)[node] > 0
    container = tree.nearest_ancestor(snapshot.is_tag(_ITEM_TAGS), snapshot.parent)[node]
    is_first = Groups(np.where(container > 0, container, node)).rank == 0
    unreliable = (label == LABELS.index(Label.PARAGRAPH)) & marked
    unreliable |= (label == LABELS.index(Label.CONTINUATION)) & is_first & ~in_cell
    return np.where(unreliable, np.int8(UNKNOWN), label)


FOLDS: Final = 5
ALL: Final = -1
"""Number of a fold that no page has: a model that is fitted without it is fitted on all pages."""
ROWS_PER_PAGE: Final = 200
"""Maximum number of rows of a page for the boosted models. The other rows of a long page are much alike; leaving them
out saves a third of the training time."""


class TrainingTable:
    """Training rows of all pages as one table of R rows.

    Attributes:
        pages: the pages.
        fold: int64 (P,), fold of each page.
        row_page, row_fold, row_site: int64 (R,), page, fold and number of the site of each row.
        content, label, weight: (R,), see `PageRows`.
        sampled: bool (R,), rows to fit the boosted models on: up to `ROWS_PER_PAGE` of a page, seeded. Rows without
            weight are left out.
        sampled_weight: float32 (R,), weights of the rows after sampling: sampled rows carry the weight of their page.
    """

    def __init__(self, pages: Sequence[PageRows], fold: NDArray[np.int64]) -> None:
        self.pages, self.fold = pages, fold
        sizes = np.array([len(page) for page in pages], dtype=np.int64)
        self.row_page = np.repeat(np.arange(len(pages)), sizes)
        self.row_fold = fold[self.row_page]
        self.row_site = np.unique([page.site for page in pages], return_inverse=True)[1][self.row_page]
        self.content, self.label, self.weight = (
            np.concatenate([np.zeros(0, dtype), *(getattr(page, name) for page in pages)])
            for name, dtype in (("content", np.bool_), ("label", np.int8), ("weight", np.float32))
        )
        draw = np.random.default_rng(len(pages))
        order = np.concatenate([np.zeros(0, np.int64), *map(draw.permutation, sizes.tolist())])
        self.sampled = (order < ROWS_PER_PAGE) & (self.weight > 0)
        self.sampled_weight = self.weight * np.maximum(1, sizes / ROWS_PER_PAGE).astype(np.float32)[self.row_page]
        self._linear: dict[frozenset[int], LinearModel] = {}

    @classmethod
    def from_pages(cls, pages: Sequence[PageRows], k: int = FOLDS, seed: int = 0) -> TrainingTable:
        """Return the table of `pages` with folds by site. A page read both ways is in one fold."""
        return cls(pages, assign_folds([page.site for page in pages], k, seed))

    def split(self, rows: NDArray[Any]) -> list[NDArray[Any]]:
        """Split `rows` (R, ...) by page."""
        return np.split(rows, np.cumsum([len(page) for page in self.pages])[:-1])

    @cached_property
    def designs(self) -> tuple[Design, Design]:
        """Return the design matrices of the path and word models."""
        paths, words = ([page.path for page in self.pages], [page.word for page in self.pages])
        path = Design(self, RaggedArray.concatenate(paths), 2 * BUCKETS, scaled=False)
        return path, Design(self, RaggedArray.concatenate(words), BUCKETS, scaled=True)

    def linear(self, *held_out: int) -> LinearModel:
        """Return the linear models fitted on all folds but `held_out`, each once; `ALL` means no fold."""
        key = frozenset(held_out) - {ALL}
        if key not in self._linear:
            path, word = self.designs
            self._linear[key] = LinearModel(*path.fit(key, PATH_PENALTY), *word.fit(key, WORD_PENALTY))
        return self._linear[key]

    def linear_scores(self, held_out: int = ALL) -> NDArray[np.float32]:
        """Return the scores of the path and word models, float32 (2, R), to fit a boosted model without a fold.

        The scores of a row come from models that saw neither its fold nor `held_out`.
        """
        (path, word), scores = self.designs, np.empty((2, len(self.row_fold)), dtype=np.float32)
        for fold in np.unique(self.row_fold).tolist():
            rows, model = self.row_fold == fold, self.linear(fold, held_out)
            scores[0, rows] = path.scores(model.path, model.path_bias)[rows]
            scores[1, rows] = word.scores(model.word, model.word_bias)[rows]
        return scores


def design_matrix(table: TrainingTable, held_out: int = ALL) -> NDArray[np.float32]:
    """Return the feature matrix of the table, float32 (R, len(stacking.COLUMNS)), to fit boosted models without a fold.

    The linear scores of a row come from models that saw neither its fold nor `held_out`.
    """
    full_matrix = np.empty((len(table.row_fold), len(stacking.COLUMNS)), dtype=np.float32)
    path, word = map(table.split, table.linear_scores(held_out))
    for rows, page, by_path, by_word in zip(table.split(full_matrix), table.pages, path, word, strict=True):
        if len(page):
            rows[:] = np.hstack([page.base, stacking.score_columns(by_path, by_word, page.layout)])
    return full_matrix
