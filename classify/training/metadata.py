"""Fit the models of metadata: those that choose title, authors and date among their candidates, and that of types."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.forest import Forest
from vclean.classify.metadata import (
    MetadataModel,
    card_columns,
    confirmed_blocks,
    marked_candidate,
    metadata_page,
)
from vclean.classify.page_type import FORMAT
from vclean.classify.training import fits
from vclean.classify.training.fits import SEED
from vclean.features.blocks import extract_blocks
from vclean.features.facts.candidates import FIELDS
from vclean.features.facts.mentions import Field
from vclean.features.facts.names import names_key, without_credentials
from vclean.features.facts.page_type import without_address
from vclean.features.headline import normalize
from vclean.features.page_context import PageContext
from vclean.imports import versions
from vclean.labels import PAGE_TYPES, PageType

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.gold import GoldPage
    from vclean.features.facts.candidates import Candidates, MetadataPage
    from vclean.labels import PartKind
    from vclean.render.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class MetadataExample:
    """Candidates of one page, and which are right.

    Attributes:
        candidates: the candidates of each of `FIELDS`.
        is_right: bool (C,) for each of `FIELDS`.
        has_gold: for each field that the gold knows of, whether the page has it.
    """

    candidates: dict[Field, Candidates]
    is_right: dict[Field, NDArray[np.bool_]]
    has_gold: dict[Field, bool]


def make_example(
    snapshot: Snapshot, page: GoldPage, language: str, fields: Collection[Field] = FIELDS
) -> MetadataExample:
    """Return the candidates of a page, and which of them its gold has.

    Args:
        snapshot: the page.
        page: its gold.
        language: its detected language, ISO 639-1.
        fields: the fields that its annotators looked for; without a value, the page has none.
    """
    candidates = _candidates(metadata_page(PageContext(extract_blocks(snapshot)), language))
    gold: dict[Field, tuple[str, ...]] = {
        Field.TITLE: (page.title,) if page.title else (),
        Field.AUTHORS: page.authors,
        Field.PUBLISHED: (page.date,) if page.date else (),
    }
    is_right = {
        field: np.array([is_same(field, row.values, gold[field]) for row in candidates[field].rows], dtype=bool)
        for field in FIELDS
    }
    return MetadataExample(candidates, is_right, {field: bool(gold[field]) for field in fields})


def corrected_example(
    context: PageContext, language: str, parts: Mapping[int, PartKind], base: MetadataModel
) -> MetadataExample:
    """Return the candidates of a page, and which of them are right: the best in the blocks marked as this part.

    Args:
        context: the blocks of the page.
        language: its detected language, ISO 639-1.
        parts: the parts of the page by block.
        base: the model that chooses among several candidates in the marked blocks.
    """
    candidates = _candidates(metadata_page(context, language, parts))
    is_right = {name: np.zeros(len(candidates[name].rows), dtype=bool) for name in FIELDS}
    for name in FIELDS:
        row = marked_candidate(candidates[name], base.forests[name], confirmed_blocks(parts, name))
        if row is not None:
            is_right[name][row] = True
    return MetadataExample(candidates, is_right, {name: bool(is_right[name].any()) for name in FIELDS})


def _candidates(page: MetadataPage) -> dict[Field, Candidates]:
    return {name: page.candidates(name) for name in FIELDS}


def continue_training(base: MetadataModel, examples: Sequence[MetadataExample]) -> MetadataModel:
    """Return a model with more trees for each field, fitted on the pages of `examples` that have it."""
    forests = dict(base.forests)
    for field in FIELDS:
        if used := [example for example in examples if example.has_gold.get(field)]:
            forests[field] = _fit(used, field, base.forests[field])
    return MetadataModel(forests, base.page_types, base.card)


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


def fit(
    examples: Sequence[MetadataExample],
    types: Sequence[PageTypeExample] | Forest,
    card_fields: Mapping[str, Any] | None = None,
) -> MetadataModel:
    """Fit a model for each of `FIELDS`, and that of types; the same examples give the same model.

    Args:
        examples: candidates of pages with gold.
        types: pages of known type, or trees that predict it.
        card_fields: additional fields of the model card.
    """
    contents = {"columns": card_columns(), "page_types": [*PAGE_TYPES]}
    card = {"format": FORMAT, **(card_fields or {}), "versions": versions("lightgbm"), "seed": SEED, **contents}
    page_types = types if isinstance(types, Forest) else fit_page_types(types)
    return MetadataModel(fit_fields(examples), page_types, card)


def fit_fields(examples: Sequence[MetadataExample]) -> dict[Field, Forest]:
    """Fit the trees of each of `FIELDS`, also on pages without the field: none of their candidates is right."""
    return {field: _fit([example for example in examples if field in example.has_gold], field) for field in FIELDS}


def _fit(examples: Sequence[MetadataExample], field: Field, base: Forest | None = None) -> Forest:
    """Fit the probability that a candidate is right."""
    used = [example for example in examples if example.candidates[field].rows]
    x = np.concatenate([example.candidates[field].x for example in used])
    y = np.concatenate([example.is_right[field] for example in used])
    return fits.fit("metadata", x, y, base=base)


_BALANCE: Final = 0.5
"""Exponent of the balance of types: 0 counts every page the same, 1 every type. Half of the pages are articles."""


@dataclass(frozen=True, slots=True, eq=False)
class PageTypeExample:
    """Page of known type.

    Attributes:
        x: float32 (F,), its features, see `vclean.features.facts.page_type`.
        page_type: its type.
        weight: how much it counts.
    """

    x: NDArray[np.float32]
    page_type: PageType
    weight: float = 1.0


def add_unknown_addresses(examples: Sequence[PageTypeExample]) -> list[PageTypeExample]:
    """Return the examples, and each of them again as a page without URL, with half the weight each.

    Without the copies, a page without URL is taken for an article: the others of the corpora have a URL.
    """
    half = [replace(example, weight=example.weight / 2) for example in examples]
    return [*half, *(replace(example, x=without_address(example.x)) for example in half)]


def fit_page_types(examples: Sequence[PageTypeExample]) -> Forest:
    """Fit the model; the same examples give the same trees."""
    x = np.stack([example.x for example in examples])
    y = np.array([PAGE_TYPES.index(example.page_type) for example in examples])
    own = np.array([example.weight for example in examples])
    weight = own * np.bincount(y, own)[y] ** -_BALANCE
    return fits.fit("page types", x, y, weight=weight / weight.mean())
