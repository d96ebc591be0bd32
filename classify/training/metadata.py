"""Train the models of metadata further on corrected pages: title, authors and date among their candidates.

`benchmarks/metadata.py` trains the models that ship with the package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.metadata import MetadataModel, marked_candidate
from vclean.classify.training import fits
from vclean.features.facts.candidates import FIELDS, MetadataPage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.forest import Forest
    from vclean.features.facts.candidates import Candidates
    from vclean.features.facts.mentions import Field
    from vclean.features.page_context import PageContext
    from vclean.labels import PartKind


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
    page = MetadataPage(context, language, parts)
    candidates = {name: page.candidates(name) for name in FIELDS}
    is_right = {name: np.zeros(len(candidates[name].rows), dtype=bool) for name in FIELDS}
    for name in FIELDS:
        row = marked_candidate(candidates[name], base.forests[name], page.confirmed(name))
        if row is not None:
            is_right[name][row] = True
    return MetadataExample(candidates, is_right, {name: bool(is_right[name].any()) for name in FIELDS})


def continue_training(base: MetadataModel, examples: Sequence[MetadataExample]) -> MetadataModel:
    """Return a model with more trees for each field, fitted on the pages of `examples` that have it."""
    forests = dict(base.forests)
    for field in FIELDS:
        if used := [example for example in examples if example.has_gold.get(field)]:
            forests[field] = fit_field(used, field, base.forests[field])
    return MetadataModel(forests, base.card)


def fit_field(examples: Sequence[MetadataExample], field: Field, base: Forest | None = None) -> Forest:
    """Fit the probability that a candidate for a field is right; with `base`, only further trees."""
    used = [example for example in examples if example.candidates[field].rows]
    x = np.concatenate([example.candidates[field].x for example in used])
    y = np.concatenate([example.is_right[field] for example in used])
    return fits.fit("metadata", x, y, base=base)
