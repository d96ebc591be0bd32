"""Training: gold pages in, a model out; and cross-validation by site."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

import lightgbm
import numpy as np

from vclean.classify import linear
from vclean.classify.dataset import WEIGHT_CAP
from vclean.classify.gold import CODES, UNKNOWN
from vclean.classify.model import FORMAT, Model
from vclean.classify.table import design_matrix
from vclean.errors import InputError
from vclean.features import matrix
from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from vclean.classify.linear import LinearModel
    from vclean.classify.prediction import Prediction
    from vclean.classify.table import LinearFits, Table

SEED: Final = 20071
THREADS: Final = 2
MIN_FOLDS: Final = 3
"""One held out, one whose verdicts are wanted, and one at least to learn them from."""

_SHARED = {
    "learning_rate": 0.06,
    "feature_fraction": 0.2,
    "bagging_fraction": 0.9,
    "bagging_freq": 1,
    "min_data_in_leaf": 40,
    "lambda_l2": 5.0,
    "max_bin": 255,
    "num_threads": THREADS,
    "seed": SEED,
    "deterministic": True,
    "force_col_wise": True,
    "verbosity": -1,
}
CONTENT_PARAMETERS: dict[str, Any] = {**_SHARED, "objective": "binary", "num_leaves": 63}
CONTENT_ROUNDS = 300
TYPE_PARAMETERS: dict[str, Any] = {
    **_SHARED,
    "objective": "multiclass",
    "num_class": 4,
    "num_leaves": 31,
    "learning_rate": 0.1,
}
"""h, p, l, c of content blocks."""
TYPE_ROUNDS = 60


def fit_content(x: NDArray[np.float32], y: NDArray[np.bool_], weight: NDArray[np.float32]) -> lightgbm.Booster:
    """The boosted model of content against the rest."""
    data = lightgbm.Dataset(x, y, weight=weight, params=CONTENT_PARAMETERS, free_raw_data=True)
    return lightgbm.train(CONTENT_PARAMETERS, data, CONTENT_ROUNDS)


def fit_types(x: NDArray[np.float32], label: NDArray[np.int8]) -> lightgbm.Booster:
    """The boosted model of a content block's type; rows without one are left out."""
    typed = np.flatnonzero(_is_typed(label))
    data = lightgbm.Dataset(x[typed], label[typed], params=TYPE_PARAMETERS, free_raw_data=True)
    return lightgbm.train(TYPE_PARAMETERS, data, TYPE_ROUNDS)


def _is_typed(label: NDArray[np.int8]) -> NDArray[np.bool_]:
    return ~np.isin(label, (UNKNOWN, CODES.index(Label.OTHER)))


def _check(table: Table) -> None:
    """Raise an error unless there is something of each kind to learn from, whatever fold is held out."""
    folds = np.unique(table.fold).tolist()
    if len(folds) < MIN_FOLDS or not all(_teaches(table, table.row_fold != fold) for fold in folds):
        raise InputError(
            "too few pages to learn from: give corpora of several sites, with content and boilerplate, "
            "at least one of them with the column gold_markup or gold_markdown"
        )


def _teaches(table: Table, rows: NDArray[np.bool_]) -> bool:
    """Whether there are rows of content of known type among `rows`, and others."""
    return bool(_is_typed(table.label[rows]).any()) and not table.content[rows].all()


def cross_validate(table: Table, *, done: Callable[[], None] = lambda: None) -> list[Prediction]:
    """A prediction for every page of `table`, by a model that saw no page of its site.

    Args:
        table: the pages.
        done: called after each fold.

    Raises:
        InputError: the pages are too few, or nothing is known of the types of their blocks.
    """
    _check(table)
    fits = table.fits
    predictions: dict[int, Prediction] = {}
    for fold in np.unique(table.fold).tolist():
        predictions.update(_predict_fold(table, fits, fold))
        done()
    return [predictions[page] for page in range(len(table.pages))]


def _predict_fold(table: Table, fits: LinearFits, fold: int) -> Iterator[tuple[int, Prediction]]:
    x = design_matrix(table, *fits.scores(fold))
    model = _fit_trees(x, table, table.row_fold != fold, fits.without(fold))
    first = np.cumsum([0, *map(len, table.pages)])
    for page in np.flatnonzero(table.fold == fold).tolist():
        rows = x[first[page] : first[page + 1]]
        yield page, model.decide(rows, table.pages[page].layout.tokens)


def train(table: Table, *, scores: dict[str, Any] | None = None) -> Model:
    """The model of all pages of `table`; the same pages give the same model.

    Args:
        table: the pages.
        scores: cross-validated scores for the model card.

    Raises:
        InputError: the pages are too few, or nothing is known of the types of their blocks.
    """
    _check(table)
    fits = table.fits
    x = design_matrix(table, *fits.scores(None))
    everything = np.ones(len(x), dtype=bool)
    return _fit_trees(x, table, everything, fits.without(), _card(table, scores or {}))


def _fit_trees(
    x: NDArray[np.float32],
    table: Table,
    rows: NDArray[np.bool_],
    linear_model: LinearModel,
    card: dict[str, Any] | None = None,
) -> Model:
    rows = rows & table.sampled
    content = fit_content(x[rows], table.content[rows], table.sampled_weight[rows])
    return Model(linear_model, content, fit_types(x[rows], table.label[rows]), card or {})


def _card(table: Table, scores: dict[str, Any]) -> dict[str, Any]:
    """What a model is, for those who use it."""
    return {
        "format": FORMAT,
        "name": "vclean block classifier: heading, paragraph, list item, continuation or other",
        "trained": datetime.now(tz=UTC).date().isoformat(),
        "corpora": _corpora(table),
        "pages": len(table.pages),
        "rows": len(table.row_fold),
        "scores": scores,
        "seed": SEED,
        "folds": len(np.unique(table.fold)),
        "parameters": {
            "content": {**CONTENT_PARAMETERS, "rounds": CONTENT_ROUNDS},
            "types": {**TYPE_PARAMETERS, "rounds": TYPE_ROUNDS},
            "linear": {
                "path penalty": linear.PATH_PENALTY,
                "word penalty": linear.WORD_PENALTY,
                "rounds": linear.ROUNDS,
            },
            "weight": f"square root of the words, up to {WEIGHT_CAP}",
        },
        "versions": {name: metadata.version(name) for name in ("vclean", "lightgbm", "numpy", "lxml", "scipy")},
        "columns": [column.name for column in matrix.COLUMNS],
    }


def _corpora(table: Table) -> dict[str, dict[str, int]]:
    """Pages of each corpus, by how they were read."""
    counts: dict[str, dict[str, int]] = {}
    for page in table.pages:
        by_way = counts.setdefault(page.corpus, {"rendered": 0, "unrendered": 0})
        by_way["rendered" if page.rendered else "unrendered"] += 1
    return counts
