"""Training: gold pages in, a model out; and cross-validation by site."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.content.expected_f import assign_labels
from vclean.classify.content.model import FORMAT, Model, content_probability, type_probability
from vclean.classify.content.postprocess import smooth
from vclean.classify.content.threshold import candidate_selections
from vclean.classify.prediction import Prediction
from vclean.classify.training import linear, threshold
from vclean.classify.training import regions as region_training
from vclean.classify.training.dataset import WEIGHT_CAP, design_matrix
from vclean.classify.training.threshold import HeldOutPrediction, fit_threshold_model
from vclean.classify.trees.boosting import REPRODUCIBLE, SEED, fit_forest
from vclean.errors import InputError
from vclean.labels import LABELS, UNKNOWN, Label, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from vclean.classify.content.threshold import ThresholdModel
    from vclean.classify.training.dataset import PageRows, TrainingTable
    from vclean.classify.trees.forest import Forest

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
    **REPRODUCIBLE,
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


def fit_content(x: NDArray[np.float32], y: NDArray[np.bool_], weight: NDArray[np.float32]) -> Forest:
    """Fit the boosted model of content against the rest."""
    return fit_forest(CONTENT_PARAMETERS, CONTENT_ROUNDS, x, y, weight=weight)


def fit_types(x: NDArray[np.float32], label: NDArray[np.int8], page: NDArray[np.int64]) -> Forest:
    """Fit the boosted model of a content block's type; rows without one are left out.

    A row weighs one over the root of the typed rows of its `page` (R,): long pages are less of a page each (page means
    of type accuracy: .850 for .847 on CleanEval, .899 for .898 on wcxb).
    """
    typed = np.flatnonzero(_is_typed(label))
    weight = 1 / np.sqrt(np.bincount(page[typed])[page[typed]])
    return fit_forest(TYPE_PARAMETERS, TYPE_ROUNDS, x[typed], label[typed], weight=weight)


def _is_typed(label: NDArray[np.int8]) -> NDArray[np.bool_]:
    return ~np.isin(label, (UNKNOWN, LABELS.index(Label.OTHER)))


def _check(table: TrainingTable) -> None:
    """Raise an error unless there is something of each kind to learn from, whatever fold is held out."""
    folds = np.unique(table.fold).tolist()
    if len(folds) < MIN_FOLDS or not all(_teaches(table, table.row_fold != fold) for fold in folds):
        raise InputError(
            "too few pages to learn from: give corpora of several sites, with content and boilerplate, "
            "at least one of them with the column gold_markup or gold_markdown"
        )


def _teaches(table: TrainingTable, rows: NDArray[np.bool_]) -> bool:
    """Whether there are rows of content of known type among `rows`, and others."""
    return bool(_is_typed(table.label[rows]).any()) and not table.content[rows].all()


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """What models say of the P pages of a table, each by one that saw no page of its site.

    Attributes:
        table: the pages.
        unseen: P verdicts.
    """

    table: TrainingTable
    unseen: list[HeldOutPrediction]

    @classmethod
    def of(cls, table: TrainingTable, *, done: Callable[[], None] = lambda: None) -> CrossValidation:
        """Fit a model for each fold; `done` is called after each.

        Raises:
            InputError: the pages are too few, or nothing is known of the types of their blocks.
        """
        _check(table)
        found: dict[int, HeldOutPrediction] = {}
        for fold in np.unique(table.fold).tolist():
            found.update(_read_fold(table, fold))
            done()
        return cls(table, [found[page] for page in range(len(table.pages))])

    def threshold_model(self, held_out: int | None = None) -> ThresholdModel:
        """Fit the threshold model on all pages but those of a fold."""
        pages = np.flatnonzero(self.table.fold != (-1 if held_out is None else held_out)).tolist()
        return fit_threshold_model([self.table.pages[page] for page in pages], [self.unseen[page] for page in pages])

    def predictions(self) -> list[Prediction]:
        """Return a prediction for every page, by a threshold model fitted without its fold too.

        The threshold model is fitted on scores of the other folds, by models that saw this one. They know its sites,
        not its answer, and the threshold model reads only a few numbers a page: twenty more fits were not worth it.
        """
        threshold_models = {fold: self.threshold_model(fold) for fold in np.unique(self.table.fold).tolist()}
        folds = self.table.fold.tolist()
        return [
            _predict_page(threshold_models[fold], page, said)
            for fold, page, said in zip(folds, self.table.pages, self.unseen, strict=True)
        ]


def _read_fold(table: TrainingTable, fold: int) -> Iterator[tuple[int, HeldOutPrediction]]:
    x = design_matrix(table, *table.fits.scores(fold))
    content, types = _fit_trees(x, table, table.row_fold != fold)
    first = np.cumsum([0, *map(len, table.pages)])
    for page in np.flatnonzero(table.fold == fold).tolist():
        yield page, _said(content, types, x[first[page] : first[page + 1]], table.pages[page])


def _said(content: Forest, types: Forest, x: NDArray[np.float32], page: PageRows) -> HeldOutPrediction:
    if not len(page):
        nothing = np.zeros(0, dtype=np.float32)
        return HeldOutPrediction(nothing, nothing.reshape(0, 4), None)
    probability = content_probability(content, x)
    found = candidate_selections(x, probability, page.layout.tokens, page.comments)
    return HeldOutPrediction(probability, type_probability(types, x), found)


def _predict_page(threshold_model: ThresholdModel, page: PageRows, said: HeldOutPrediction) -> Prediction:
    if said.candidates is None:
        return Prediction([], said.probability, 0.0)
    keep, confidence = threshold_model.keep(said.candidates)
    kept = smooth(keep, page.layout.tokens, page.group)
    return Prediction(assign_labels(kept, said.types[kept]), threshold_model.calibration(said.probability), confidence)


def train(validation: CrossValidation, *, facts: dict[str, Any] | None = None, regions: Forest | None = None) -> Model:
    """The model of all pages of a table; the same pages give the same model.

    Args:
        validation: the held-out predictions that the threshold model is fitted on, and the pages.
        facts: what else the model card says: cross-validated scores, calibration.
        regions: the region model of all marked pages; those that did not see a page's site made its rows.
    """
    table = validation.table
    x = design_matrix(table, *table.fits.scores(None))
    content, types = _fit_trees(x, table, np.ones(len(x), dtype=bool))
    card = _card(table) | {"regions": _region_card(regions)} | (facts or {})
    return Model(table.fits.without(), content, types, validation.threshold_model(), card, regions=regions)


def _fit_trees(x: NDArray[np.float32], table: TrainingTable, rows: NDArray[np.bool_]) -> tuple[Forest, Forest]:
    """The boosted models of content and of types, from some rows of `table`, whose whole matrix is `x`."""
    rows = rows & table.sampled
    content = fit_content(x[rows], table.content[rows], table.sampled_weight[rows])
    return content, fit_types(x[rows], table.label[rows], table.row_page[rows])


def _card(table: TrainingTable) -> dict[str, Any]:
    """What a model is, for those who use it."""
    return {
        "format": FORMAT,
        "name": "vclean block classifier: heading, paragraph, list item, continuation or other",
        "trained": datetime.now(tz=UTC).date().isoformat(),
        "corpora": _corpora(table),
        "pages": len(table.pages),
        "rows": len(table.row_fold),
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
            "cuts": {**threshold.PARAMETERS, "rounds": threshold.ROUNDS},
            "weight": f"square root of the words, up to {WEIGHT_CAP}",
        },
        "versions": {name: metadata.version(name) for name in ("vclean", "lightgbm", "numpy", "lxml", "scipy")},
        "columns": [column.name for column in stacking.COLUMNS],
    }


def _region_card(regions: Forest | None) -> dict[str, Any]:
    """What the region model is; nothing without one."""
    if regions is None:
        return {}
    parameters = {**region_training.PARAMETERS, "rounds": region_training.ROUNDS}
    return {"roles": [str(role) for role in Role], "parameters": parameters}


def _corpora(table: TrainingTable) -> dict[str, dict[str, int]]:
    """Pages of each corpus, by how they were read."""
    counts: dict[str, dict[str, int]] = {}
    for page in table.pages:
        by_way = counts.setdefault(page.corpus, {"rendered": 0, "unrendered": 0})
        by_way["rendered" if page.rendered else "unrendered"] += 1
    return counts
