"""Fit the trees that adjust the content model to the convention of each corpus, and those that predict it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.content.conventions import Conventions, page_row
from vclean.classify.content.site_evidence import log_odds
from vclean.classify.trees.boosting import REPRODUCIBLE, SEED, fit_forest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.training.dataset import PageRows, TrainingTable
    from vclean.classify.trees.forest import Forest

PARAMETERS: Final[dict[str, Any]] = {
    "objective": "binary",
    "num_leaves": 15,
    "learning_rate": 0.05,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.9,
    "bagging_freq": 1,
    "min_data_in_leaf": 40,
    "lambda_l2": 10.0,
    "num_threads": 2,
    "seed": SEED,
    **REPRODUCIBLE,
}
ROUNDS: Final = 80
PREDICTOR_PARAMETERS: Final[dict[str, Any]] = {
    "objective": "multiclass",
    "num_leaves": 7,
    "learning_rate": 0.08,
    "feature_fraction": 0.2,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "min_data_in_leaf": 10,
    "lambda_l2": 5.0,
    "num_threads": 2,
    "seed": SEED,
    **REPRODUCIBLE,
}
"""Parameters of the model that predicts the convention of a page."""
PREDICTOR_ROUNDS: Final = 100
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


def fit_conventions(
    table: TrainingTable, x: NDArray[np.float32], probability: NDArray[np.float32], held_out: int | None = None
) -> Conventions:
    """Fit the trees of each convention, and those that predict the convention of a page.

    Args:
        table: training rows, R of them.
        x: float32 (R, F), their feature matrix.
        probability: float32 (R,), held-out content probabilities.
        held_out: fold whose pages are left out; None for none.
    """
    offset, page_names = log_odds(probability), np.array(conventions(table.pages))
    names = page_names[table.row_page]
    usable = table.sampled & (table.row_fold != held_out if held_out is not None else True)
    forests = {
        name: fit_forest(
            PARAMETERS,
            ROUNDS,
            x[rows],
            table.content[rows],
            weight=table.sampled_weight[rows],
            offset=offset[rows],
        )
        for name in sorted(set(page_names.tolist()) - {""})
        if len(rows := np.flatnonzero(usable & (names == name)))
    }
    return Conventions(forests, _fit_predictor(table, x, page_names, list(forests), held_out))


def _fit_predictor(
    table: TrainingTable, x: NDArray[np.float32], page_names: NDArray[np.str_], names: list[str], held_out: int | None
) -> Forest | None:
    """Fit the trees that predict which of `names` is the convention (P,) of a page; None for fewer than two."""
    if len(names) < 2:
        return None
    first = np.cumsum([0, *map(len, table.pages)])
    usable = np.isin(page_names, names) & (table.fold != held_out if held_out is not None else True)
    pages = [page for page in np.flatnonzero(usable).tolist() if len(table.pages[page])]
    rows = np.array([page_row(x[first[page] : first[page + 1]], table.pages[page].layout.tokens) for page in pages])
    parameters = PREDICTOR_PARAMETERS | {"num_class": len(names)}
    return fit_forest(parameters, PREDICTOR_ROUNDS, rows, np.searchsorted(names, page_names[pages]))
