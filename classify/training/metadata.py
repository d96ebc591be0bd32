"""Fit and cross-validate the models that choose title, authors and date of a page among their candidates."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.metadata.model import COLUMNS, FIELDS, FORMAT, MetadataModel, candidates_of
from vclean.classify.trees.boosting import REPRODUCIBLE, SEED, fit_forest
from vclean.features.blocks import extract_blocks
from vclean.features.metadata.mentions import Field
from vclean.features.metadata.names import names_key, without_credentials
from vclean.features.page_context import PageContext
from vclean.features.text.page_title import normalize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.corpora import GoldPage
    from vclean.classify.trees.forest import Forest
    from vclean.features.metadata.candidates import Candidates
    from vclean.render.snapshot import Snapshot

ROUNDS: Final = 150
PARAMETERS: Final[Mapping[str, Any]] = {
    "objective": "binary",
    "num_leaves": 15,
    "learning_rate": 0.05,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "min_data_in_leaf": 10,
    "lambda_l2": 3.0,
    "max_bin": 63,
    "num_threads": 1,
    "seed": SEED,
    **REPRODUCIBLE,
}
_ABSENT_WEIGHT: Final = 0.3
"""Weight of the candidates of a page whose gold lacks the field: some have an author that the annotators left out."""


@dataclass(frozen=True, slots=True, eq=False)
class MetadataExample:
    """Candidates of one page, and which are right.

    Attributes:
        candidates: the candidates of each of `FIELDS`.
        is_right: bool (C,) for each of `FIELDS`.
        has_gold: which of `FIELDS` the gold has.
    """

    candidates: dict[Field, Candidates]
    is_right: dict[Field, NDArray[np.bool_]]
    has_gold: dict[Field, bool]


def make_example(snapshot: Snapshot, page: GoldPage, language: str) -> MetadataExample:
    """Return the candidates of a page, and which of them its gold has.

    Args:
        snapshot: the page.
        page: its gold.
        language: its detected language, ISO 639-1.
    """
    candidates = candidates_of(PageContext(extract_blocks(snapshot)), language)
    gold: dict[Field, tuple[str, ...]] = {
        Field.TITLE: (page.title,) if page.title else (),
        Field.AUTHORS: page.authors,
        Field.PUBLISHED: (page.date,) if page.date else (),
    }
    is_right = {
        field: np.array([is_same(field, row.values, gold[field]) for row in candidates[field].rows], dtype=bool)
        for field in FIELDS
    }
    return MetadataExample(candidates, is_right, {field: bool(gold[field]) for field in FIELDS})


def is_same(field: Field, values: Sequence[str], gold: Sequence[str]) -> bool:
    """Return whether a value of a field is that of the gold.

    Titles have the same words, dates the same day, authors the same names but for their order and their degrees.
    """
    if not values or not gold:
        return False
    if field is Field.PUBLISHED:
        return values[0][:10] == gold[0][:10]
    if field is Field.TITLE:
        return normalize(values[0]) == normalize(gold[0])
    return names_key(without_credentials(tuple(values))) == names_key(without_credentials(tuple(gold)))


def fit(examples: Sequence[MetadataExample], card_fields: Mapping[str, Any] | None = None) -> MetadataModel:
    """Fit a model for each of `FIELDS`; the same examples give the same model.

    Args:
        examples: candidates of pages with gold.
        card_fields: additional fields of the model card.
    """
    forests = {field: _fit(examples, field) for field in FIELDS}
    versions = {name: metadata.version(name) for name in ("vclean", "lightgbm")}
    columns = {field.value: list(COLUMNS[field]) for field in FIELDS}
    card = {"format": FORMAT, **(card_fields or {}), "versions": versions, "seed": SEED, "columns": columns}
    return MetadataModel(forests, card)


def _fit(examples: Sequence[MetadataExample], field: Field) -> Forest:
    """Fit the probability that a candidate is right; each page counts the same."""
    used = [example for example in examples if example.candidates[field].rows]
    x = np.concatenate([example.candidates[field].x for example in used])
    y = np.concatenate([example.is_right[field] for example in used])
    weights = [
        np.full(len(example.is_right[field]), 1.0 if example.has_gold[field] else _ABSENT_WEIGHT) for example in used
    ]
    return fit_forest(PARAMETERS, ROUNDS, x, y, weight=np.concatenate(weights))
