"""Fit the trained segmenter and cross-validate it by site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.corpora.corpora import assign_folds
from vclean.classify.segments.dataset import marked_rows
from vclean.classify.segments.model import COLUMNS, FORMAT, LEVELS, SEEDS, SegmentModel, with_roles
from vclean.classify.segments.optimal_cut import State
from vclean.classify.training.regions import RegionFits
from vclean.classify.trees.boosting import REPRODUCIBLE, fit_forest
from vclean.errors import InputError
from vclean.features.segments.columns import words_of_page
from vclean.imports import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.rendering import RenderedMarkedPage
    from vclean.classify.segments.dataset import SegmentRows
    from vclean.classify.trees.forest import Forest

FOLDS: Final = 10
ROUNDS: Final = 120
PARAMETERS: dict[str, Any] = {
    "objective": "binary",
    "num_leaves": 7,
    "learning_rate": 0.06,
    "feature_fraction": 0.2,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "min_data_in_leaf": 8,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "num_threads": 1,
    **REPRODUCIBLE,
}
_UNMARKED_WEIGHT: Final = 0.3
"""Weight of a container whose state no mark determines."""
_MIN_WEIGHT, _WORD_WEIGHT = 0.2, 2.0
"""Constant and slope of the weight over the root of the container's share of the page's words: scores count
characters."""


def fit(rows: Sequence[SegmentRows], card_fields: dict[str, Any] | None = None) -> SegmentModel:
    """Fit a segmenter; the same rows give the same model.

    The rows of a page get roles from a region model that did not see its site.

    Args:
        rows: training rows of pages from several sites.
        card_fields: additional fields of the model card.

    Raises:
        InputError: there are fewer than two sites, or a level has no marks.
    """
    roles = RegionFits.from_rows([page.roles for page in rows])
    matrices = [with_roles(page.x, page.parent, roles.for_site(page.site)) for page in rows]
    levels = tuple(_fit(rows, matrices, level) for level in LEVELS)
    columns = [column.name for column in COLUMNS]
    pages = [page.address for page in rows]
    card = {
        "format": FORMAT,
        **(card_fields or {}),
        "versions": versions("lightgbm"),
        "seeds": SEEDS,
        "pages": pages,
        "columns": columns,
    }
    return SegmentModel(roles.full, levels, card)


def _fit(rows: Sequence[SegmentRows], matrices: Sequence[NDArray[np.float32]], level: int) -> tuple[Forest, ...]:
    """Fit one forest per seed that predicts whether a container is divided, on the containers outside segments."""
    parts = [_examples(page, x, level) for page, x in zip(rows, matrices, strict=True) if level in page.state]
    if not parts:
        raise InputError(f"no page has marks of level {level} to learn from: give an archive whose pages have both")
    x, divided, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    return tuple(fit_forest(PARAMETERS | {"seed": seed}, ROUNDS, x, divided, weight=weight) for seed in SEEDS)


def _examples(
    page: SegmentRows, x: NDArray[np.float32], level: int
) -> tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.float64]]:
    """Return the features, whether it is divided, and the weight of each container that can be divided."""
    state, is_marked = page.state[level], page.known[level]
    divisible = np.isin(np.arange(len(x)), page.parent)
    used = divisible & (state != State.BELOW)
    weight = np.where(is_marked, 1, _UNMARKED_WEIGHT) * (_MIN_WEIGHT + _WORD_WEIGHT * np.sqrt(words_of_page(x)))
    return x[used], (state == State.ABOVE)[used].astype(np.int8), weight[used]


def training_rows(pages: Iterable[RenderedMarkedPage]) -> list[SegmentRows]:
    """Return the rows of the pages that have examples."""
    candidates = [marked_rows(page.snapshot, page.marks, page.id) for page in pages]
    return [rows for rows in candidates if rows is not None]


def cross_validate(
    rows: Sequence[SegmentRows], *, done: Callable[[], None] = lambda: None
) -> Callable[[str], SegmentModel]:
    """Return a function from a page's address to a model that saw no page of its site, or any model for unknown pages.

    Args:
        rows: training rows of pages from several sites.
        done: called after each of the `FOLDS` folds.

    Raises:
        InputError: the other folds have too few pages to fit the model of a fold.
    """
    fold_of = dict(
        zip([page.address for page in rows], assign_folds([page.site for page in rows], FOLDS).tolist(), strict=True)
    )
    models = {}
    for fold in sorted(set(fold_of.values())):
        models[fold] = fit([page for page in rows if fold_of[page.address] != fold])
        done()
    return lambda address: models[fold_of.get(address, min(models))]
