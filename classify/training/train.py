"""Train a block classifier on gold pages, and cross-validate it by site.

The calibration maps of blocks and pages are fitted after the trees, on held-out predictions.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.content.expected_f import Calibration, CalibrationMap, best_selection
from vclean.classify.content.model import FORMAT, Model
from vclean.classify.content.stacking import Conventions, page_row
from vclean.classify.evaluation.scores import Reliability
from vclean.classify.training.dataset import ALL, PATH_PENALTY, ROUNDS, WEIGHT_CAP, WORD_PENALTY, design_matrix
from vclean.classify.training.fits import FITS, SEED, fit
from vclean.errors import InputError
from vclean.imports import versions
from vclean.labels import LABELS, REGION_ROLES, UNKNOWN, Label
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from vclean.classify.forest import Forest
    from vclean.classify.prediction import Prediction
    from vclean.classify.training.dataset import PageRows, TrainingTable

KNOTS: Final = 24
"""Maximum number of points of a calibration map: more follow the noise."""
_STEP: Final = 1e-6
"""Minimum rise of a map between two points, which keeps the order of the values."""


def fit_map(predicted: ArrayLike, observed: ArrayLike, weight: ArrayLike | None = None) -> CalibrationMap:
    """Fit the map from probabilities to outcomes by isotonic regression (Zadrozny and Elkan 2002) on equal-mass bins.

    The map has at most `KNOTS` points. The other arguments are those of `Reliability`.
    """
    from scipy.optimize import isotonic_regression  # takes as long to import as the whole model to load

    bins = Reliability(predicted, observed, weight, bins=KNOTS, equal_mass=True)
    if len(bins.count) < 2:
        return CalibrationMap()
    level = isotonic_regression(bins.observed, weights=bins.weight).x
    x, y = _separate(bins.predicted), _separate(level)
    # Beyond the outermost bins the correction stays that of the nearest bin, limited to 0..1.
    low, high = max(0.0, y[0] - x[0]), min(1.0, y[-1] + 1 - x[-1])
    return CalibrationMap((0.0, *x.tolist(), 1.0), (low, *y.tolist(), high))


def _separate(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ascending `values` (K,) in 0..1, moved slightly apart from each other and from 0 and 1."""
    count = len(values)
    return np.asarray(values * (1 - _STEP * (count + 1)) + _STEP * np.arange(1, count + 1))


class HeldOut(NamedTuple):
    """Prediction for a page by a model that never saw its site, before calibration.

    Attributes:
        prediction: its labels and probabilities.
        expected: expected word F1 of the selected blocks.
        f1: their word F1.
    """

    prediction: Prediction
    expected: float
    f1: float

    @classmethod
    def from_prediction(cls, page: PageRows, prediction: Prediction) -> HeldOut:
        """Score the selection before its smoothing, and drop the inputs of the decision, which take much memory.

        Word F1 is exact except for words that the page has more often than the gold: .005 off on average.
        """
        words = page.layout.tokens
        selection, expected = best_selection(prediction.probability, words)
        f1 = 2 * (selection @ (page.share * words)) / max(selection @ words + page.gold_words, 1)
        return cls(replace(prediction, decision=None), expected, float(min(f1, 1.0)))

    def calibrated(self, calibration: Calibration) -> Prediction:
        """Return the prediction with calibrated probabilities and confidence."""
        if not self.prediction.labels:
            return self.prediction
        probability = calibration.blocks(self.prediction.probability)
        confidence = float(calibration.pages(np.array([self.expected]))[0])
        return replace(self.prediction, probability=probability, confidence=confidence)


def fit_calibration(examples: Sequence[tuple[PageRows, HeldOut]]) -> Calibration:
    """Fit the calibration maps on held-out predictions.

    Pages without blocks are left out, and pages with partial gold, whose word F1 is not known. Blocks have the training
    weights, which are between one per block and one per word.
    """
    complete = [(page, held_out) for page, held_out in examples if len(page.content) and not page.is_partial]
    return Calibration(
        fit_map(
            np.concatenate([held_out.prediction.probability for _, held_out in complete]),
            np.concatenate([page.content for page, _ in complete]),
            np.concatenate([page.weight for page, _ in complete]),
        ),
        fit_map([held_out.expected for _, held_out in complete], [held_out.f1 for _, held_out in complete]),
    )


KNOWN_SHARE: Final = 0.25
"""Share of the pages that the content trees see with their convention; they see the others with predicted ones.

With .25 word F1 by default is .001 higher than without columns, and .009 higher with the convention of the page.
"""
MIN_PAGES: Final = 50
"""Minimum number of pages of a corpus, or of its parts together, to learn a convention from."""
_PART: Final = re.compile(r"[-_](?:train|dev|test|final)$")


def conventions(pages: Sequence[PageRows]) -> list[str]:
    """Return the conventions of P pages: the names of their corpora without those of parts, such as `-dev`.

    They are empty for pages with partial gold, and for corpora of few pages.
    """
    names = ["" if page.is_partial else _PART.sub("", page.corpus) for page in pages]
    counts = Counter({(name, page.id) for name, page in zip(names, pages, strict=True)})
    sizes = Counter(name for name, _ in counts)
    return [name if sizes[name] >= MIN_PAGES else "" for name in names]


class ConventionFits:
    """Conventions of the P pages of a table, and predictors of them.

    Attributes:
        names: conventions of the pages.
        known: conventions of a model that is trained on the pages, in the order of their columns.
        held_out: the conventions without each fold, by fold.
        predicted: float32 (P, len(known)), the columns of each page by a predictor that did not see its fold.
        seen: float32 (P, len(known)), the columns that the content trees see: `KNOWN_SHARE` of the pages have those of
            their convention, the others the predicted ones.
    """

    def __init__(self, table: TrainingTable, x: NDArray[np.float32]) -> None:
        """Read the pages of `table`, given its feature matrix float32 (R, F)."""
        self.names = conventions(table.pages)
        self.known = tuple(sorted(set(self.names) - {""}))
        self._fold = table.fold
        self._code = np.array([self.known.index(name) if name else -1 for name in self.names])
        pages = zip(table.pages, table.split(x), strict=True)
        self._rows = np.vstack([page_row(rows, page.layout.tokens) for page, rows in pages])
        self.held_out = {fold: self.without(fold) for fold in np.unique(table.fold).tolist()}
        self.predicted = np.empty((len(self._rows), len(self.known)), dtype=np.float32)
        for fold, held_out in self.held_out.items():
            self.predicted[table.fold == fold] = held_out.predict(self._rows[table.fold == fold])
        is_known = (np.random.default_rng(SEED).random(len(self._code)) < KNOWN_SHARE) & (self._code >= 0)
        self.seen = self.predicted.copy()
        self.seen[is_known] = np.eye(len(self.known))[self._code[is_known]]

    def without(self, fold: int = ALL) -> Conventions:
        """Return the conventions, with a predictor that is fitted on the pages of the other folds, or on all."""
        pages = (self._code >= 0) & (self._fold != fold)
        if len(np.unique(self._code[pages])) < 2:
            return Conventions(self.known)
        forest = fit("conventions", self._rows[pages], self._code[pages], num_class=len(self.known))
        return Conventions(self.known, forest)


MIN_FOLDS: Final = 3
"""Minimum number of folds: one held out, one to predict, and at least one to fit the linear models on."""


def fit_types(x: NDArray[np.float32], label: NDArray[np.int8], page: NDArray[np.int64]) -> Forest:
    """Fit the boosted model of a content block's label; rows without a known label are left out.

    A row weighs one over the root of the number of labelled rows of its `page` (R,), so long pages count less. The page
    means of label accuracy are .850 with this weight and .847 without on CleanEval, .899 and .898 on wcxb.
    """
    typed = np.flatnonzero(is_typed(label))
    weight = 1 / np.sqrt(np.bincount(page[typed])[page[typed]])
    return fit("types", x[typed], label[typed], weight=weight)


def is_typed(label: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return which labels are known labels of content, bool (R,)."""
    return ~np.isin(label, (UNKNOWN, LABELS.index(Label.OTHER)))


def _check(table: TrainingTable) -> None:
    """Raise InputError unless the rows of all folds but one have content of known label, and boilerplate, for each."""
    folds = np.unique(table.fold).tolist()
    parts = [table.row_fold != fold for fold in folds]
    has_examples = all(is_typed(table.label[rows]).any() and not table.content[rows].all() for rows in parts)
    if len(folds) < MIN_FOLDS or not has_examples:
        raise InputError(
            "too few pages to learn from: give corpora of several sites, with content and boilerplate, "
            "at least one of them with the column gold_markup or gold_markdown"
        )


class CrossValidation:
    """Predictions for the P pages of a table, each by models that saw no page of its site.

    Attributes:
        table: training rows of the pages.
        conventions: conventions of the pages.
        held_out: P predictions without a convention, by page.
        by_convention: P predictions under the convention of the page's corpus, if it has one, by page.

    Args:
        table: training rows of the pages.
        done: called after each fold.

    Raises:
        InputError: there are too few pages, or no label of their blocks is known.
    """

    def __init__(self, table: TrainingTable, *, done: Callable[[], None] = lambda: None) -> None:
        _check(table)
        self.table = table
        self.conventions = ConventionFits(table, design_matrix(table))
        self.held_out: dict[int, HeldOut] = {}
        self.by_convention: dict[int, HeldOut] = {}
        for fold in np.unique(table.fold).tolist():
            for page, default, own in _predict_fold(table, self.conventions, fold):
                self.held_out[page], self.by_convention[page] = default, own
            done()

    @property
    def has_conventions(self) -> bool:
        """Return whether a corpus has enough pages for a convention."""
        return any(self.conventions.names)

    def calibration(self, held_out: int = ALL) -> Calibration:
        """Fit the calibration maps on all pages except those of the fold `held_out`."""
        pages = np.flatnonzero(self.table.fold != held_out).tolist()
        return fit_calibration([(self.table.pages[page], self.held_out[page]) for page in pages])

    def predictions(self, *, by_convention: bool = False) -> list[Prediction]:
        """Return a prediction for each page; its calibration maps were fitted without its fold.

        With `by_convention`, the predictions are those under the convention of the page's corpus, if it has one.
        """
        calibrations = {fold: self.calibration(fold) for fold in np.unique(self.table.fold).tolist()}
        held_out = self.by_convention if by_convention else self.held_out
        return [held_out[page].calibrated(calibrations[fold]) for page, fold in enumerate(self.table.fold.tolist())]


def _predict_fold(table: TrainingTable, fits: ConventionFits, fold: int) -> Iterator[tuple[int, HeldOut, HeldOut]]:
    """Predict each page of a fold without a convention, and under that of its corpus if it has one."""
    x = design_matrix(table, fold)
    model = _fit_model(x, table, fits, fold)
    rows = table.split(x)
    for number in np.flatnonzero(table.fold == fold).tolist():
        page, name = table.pages[number], fits.names[number]
        decide = partial(model.decide, rows[number], page.layout.tokens, page.group, alike=page.layout.alike)
        default = HeldOut.from_prediction(page, decide())
        own = HeldOut.from_prediction(page, decide(policy=Policy(convention=name))) if name else default
        yield number, default, own


def train(
    validation: CrossValidation, *, card_fields: dict[str, Any] | None = None, regions: Forest | None = None
) -> Model:
    """Train a model on all pages of a table; the same pages give the same model.

    Args:
        validation: pages, with the held-out predictions that the calibration maps are fitted on.
        card_fields: additional fields of the model card: cross-validated scores, calibration.
        regions: region model of all marked pages.
    """
    table = validation.table
    card = _card(validation)
    card["regions"] = {"roles": [*map(str, REGION_ROLES)], "parameters": FITS["regions"]} if regions is not None else {}
    model = _fit_model(design_matrix(table), table, validation.conventions)
    return replace(model, calibration=validation.calibration(), card=card | (card_fields or {}), regions=regions)


def _fit_model(x: NDArray[np.float32], table: TrainingTable, fits: ConventionFits, fold: int = ALL) -> Model:
    """Fit a model on all folds of `table` but one, or on all, without calibration; `x` is the matrix of all rows."""
    rows = (table.row_fold != fold) & table.sampled
    content = fit(
        "content",
        np.hstack([x[rows], fits.seen[table.row_page[rows]]]),
        table.content[rows],
        weight=table.sampled_weight[rows],
    )
    types = fit_types(x[rows], table.label[rows], table.row_page[rows])
    conventions = fits.without() if fold == ALL else fits.held_out[fold]
    identity = Calibration(CalibrationMap(), CalibrationMap())
    return Model(table.linear(fold), content, types, identity, {}, conventions=conventions)


def _card(validation: CrossValidation) -> dict[str, Any]:
    """Return the model card."""
    table = validation.table
    counts = Counter((page.corpus, page.rendered) for page in table.pages)
    return {
        "format": FORMAT,
        "name": "vclean block classifier: heading, paragraph, list item, continuation or other",
        "trained": datetime.now(tz=UTC).date().isoformat(),
        "corpora": {name: {"rendered": counts[name, True], "unrendered": counts[name, False]} for name, _ in counts},
        "pages": len(table.pages),
        "rows": len(table.row_fold),
        "seed": SEED,
        "folds": len(np.unique(table.fold)),
        "parameters": {
            **{name: FITS[name] for name in ("content", "types", "conventions")},
            "linear": {
                "path penalty": PATH_PENALTY,
                "word penalty": WORD_PENALTY,
                "rounds": ROUNDS,
            },
            "weight": f"square root of the words, up to {WEIGHT_CAP}",
        },
        "versions": versions("lightgbm", "numpy", "lxml", "scipy"),
        "columns": [column.name for column in stacking.COLUMNS],
        "conventions": list(validation.conventions.known),
    }
