"""Training: gold pages in, a model out; and cross-validation by site."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

import lightgbm
import numpy as np

from vclean.classify import cuts, linear, region_model
from vclean.classify.cuts import candidates
from vclean.classify.dataset import WEIGHT_CAP
from vclean.classify.decider import Unseen
from vclean.classify.decider import fit as fit_decider
from vclean.classify.decision import labelled
from vclean.classify.forest import Forest
from vclean.classify.gold import CODES, UNKNOWN
from vclean.classify.model import FORMAT, Model, content_probability, type_probability
from vclean.classify.prediction import Prediction
from vclean.classify.smoothing import smooth
from vclean.classify.table import design_matrix
from vclean.errors import InputError
from vclean.features import matrix
from vclean.labels import Label
from vclean.roles import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from vclean.classify.dataset import PageRows
    from vclean.classify.decider import Decider
    from vclean.classify.table import Table

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


def fit_content(x: NDArray[np.float32], y: NDArray[np.bool_], weight: NDArray[np.float32]) -> Forest:
    """The boosted model of content against the rest."""
    data = lightgbm.Dataset(x, y, weight=weight, params=CONTENT_PARAMETERS, free_raw_data=True)
    return Forest.of(lightgbm.train(CONTENT_PARAMETERS, data, CONTENT_ROUNDS))


def fit_types(x: NDArray[np.float32], label: NDArray[np.int8], page: NDArray[np.int64]) -> Forest:
    """The boosted model of a content block's type; rows without one are left out.

    A row weighs one over the root of the typed rows of its `page` (R,): long pages are less of a page each (page means
    of type accuracy: .850 for .847 on CleanEval, .899 for .898 on wcxb).
    """
    typed = np.flatnonzero(_is_typed(label))
    weight = 1 / np.sqrt(np.bincount(page[typed])[page[typed]])
    data = lightgbm.Dataset(x[typed], label[typed], weight=weight, params=TYPE_PARAMETERS, free_raw_data=True)
    return Forest.of(lightgbm.train(TYPE_PARAMETERS, data, TYPE_ROUNDS))


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


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """What models say of the P pages of a table, each by one that saw no page of its site.

    Attributes:
        table: the pages.
        unseen: P verdicts.
    """

    table: Table
    unseen: list[Unseen]

    @classmethod
    def of(cls, table: Table, *, done: Callable[[], None] = lambda: None) -> CrossValidation:
        """Fit a model for each fold; `done` is called after each.

        Raises:
            InputError: the pages are too few, or nothing is known of the types of their blocks.
        """
        _check(table)
        found: dict[int, Unseen] = {}
        for fold in np.unique(table.fold).tolist():
            found.update(_read_fold(table, fold))
            done()
        return cls(table, [found[page] for page in range(len(table.pages))])

    def decider(self, held_out: int | None = None) -> Decider:
        """The decider fitted on all pages but those of a fold."""
        pages = np.flatnonzero(self.table.fold != (-1 if held_out is None else held_out)).tolist()
        return fit_decider([self.table.pages[page] for page in pages], [self.unseen[page] for page in pages])

    def predictions(self) -> list[Prediction]:
        """A prediction for every page, the decider fitted without its fold too.

        What the decider learns from, the verdicts on the other folds, is by models that saw this one. They know its
        sites, not its answer, and the decider reads but a few numbers a page: it was not worth twenty fits more.
        """
        deciders = {fold: self.decider(fold) for fold in np.unique(self.table.fold).tolist()}
        folds = self.table.fold.tolist()
        return [
            _decided(deciders[fold], page, said)
            for fold, page, said in zip(folds, self.table.pages, self.unseen, strict=True)
        ]


def _read_fold(table: Table, fold: int) -> Iterator[tuple[int, Unseen]]:
    x = design_matrix(table, *table.fits.scores(fold))
    content, types = _fit_trees(x, table, table.row_fold != fold)
    first = np.cumsum([0, *map(len, table.pages)])
    for page in np.flatnonzero(table.fold == fold).tolist():
        yield page, _said(content, types, x[first[page] : first[page + 1]], table.pages[page])


def _said(content: Forest, types: Forest, x: NDArray[np.float32], page: PageRows) -> Unseen:
    if not len(page):
        nothing = np.zeros(0, dtype=np.float32)
        return Unseen(nothing, nothing.reshape(0, 4), None)
    probability = content_probability(content, x)
    found = candidates(x, probability, page.layout.tokens, page.comments)
    return Unseen(probability, type_probability(types, x), found)


def _decided(decider: Decider, page: PageRows, said: Unseen) -> Prediction:
    if said.cuts is None:
        return Prediction([], said.probability, 0.0)
    keep, confidence = decider.keep(said.cuts)
    kept = smooth(keep, page.layout.tokens, page.group)
    return Prediction(labelled(kept, said.types[kept]), decider.calibration(said.probability), confidence)


def train(validation: CrossValidation, *, facts: dict[str, Any] | None = None, regions: Forest | None = None) -> Model:
    """The model of all pages of a table; the same pages give the same model.

    Args:
        validation: what the decider learns from, and the pages.
        facts: what else the model card says: cross-validated scores, calibration.
        regions: the region model of all marked pages; those that did not see a page's site made its rows.
    """
    table = validation.table
    x = design_matrix(table, *table.fits.scores(None))
    content, types = _fit_trees(x, table, np.ones(len(x), dtype=bool))
    card = _card(table) | {"regions": _region_card(regions)} | (facts or {})
    return Model(table.fits.without(), content, types, validation.decider(), card, regions=regions)


def _fit_trees(x: NDArray[np.float32], table: Table, rows: NDArray[np.bool_]) -> tuple[Forest, Forest]:
    """The boosted models of content and of types, from some rows of `table`, whose whole matrix is `x`."""
    rows = rows & table.sampled
    content = fit_content(x[rows], table.content[rows], table.sampled_weight[rows])
    return content, fit_types(x[rows], table.label[rows], table.row_page[rows])


def _card(table: Table) -> dict[str, Any]:
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
            "cuts": {**cuts.PARAMETERS, "rounds": cuts.ROUNDS},
            "weight": f"square root of the words, up to {WEIGHT_CAP}",
        },
        "versions": {name: metadata.version(name) for name in ("vclean", "lightgbm", "numpy", "lxml", "scipy")},
        "columns": [column.name for column in matrix.COLUMNS],
    }


def _region_card(regions: Forest | None) -> dict[str, Any]:
    """What the region model is; nothing without one."""
    if regions is None:
        return {}
    parameters = {**region_model.PARAMETERS, "rounds": region_model.ROUNDS}
    return {"roles": [str(role) for role in Role], "parameters": parameters}


def _corpora(table: Table) -> dict[str, dict[str, int]]:
    """Pages of each corpus, by how they were read."""
    counts: dict[str, dict[str, int]] = {}
    for page in table.pages:
        by_way = counts.setdefault(page.corpus, {"rendered": 0, "unrendered": 0})
        by_way["rendered" if page.rendered else "unrendered"] += 1
    return counts
