"""Choose all metadata of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.classify.metadata.declared import choose_declared
from vclean.classify.metadata.model import (
    FIELDS,
    Choice,
    choose,
    confirmed_blocks,
    load_shipped,
    marked_candidate,
    metadata_page,
    page_candidates,
)
from vclean.classify.metadata.page_type import choose_page_type
from vclean.features.metadata.mentions import Field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vclean.classify.metadata.model import MetadataModel
    from vclean.features.metadata.candidates import Candidates
    from vclean.features.page_context import PageContext
    from vclean.labels import PartKind


def choose_metadata(
    context: PageContext,
    language: str,
    model: MetadataModel | None = None,
    parts: Mapping[int, PartKind] | None = None,
) -> dict[Field, Choice]:
    """Return the most probable value of each field of a page, without fields that have no probable value.

    Args:
        context: the blocks of the page.
        language: ISO 639-1 code of the page; empty if unknown.
        model: the trained models; by default those that ship with the package.
        parts: the parts that a person confirmed, by block; they win over the model.

    Raises:
        ModelError: the shipped models are missing or damaged.
    """
    page = metadata_page(context, language, parts)
    model = model or load_shipped()
    candidates = page_candidates(page)
    page_type = choose_page_type(context, model.page_types)
    choices = choose(candidates, model.forests, page_type.values[0] if page_type else "")
    choices |= choose_confirmed(candidates, parts or {}, model) | choose_declared(page)
    if page_type:
        choices[Field.PAGE_TYPE] = page_type
    published, modified = choices.get(Field.PUBLISHED), choices.get(Field.MODIFIED)
    if published and modified and modified.values[0][:10] < published.values[0][:10]:
        del choices[Field.MODIFIED]
    return {field: choices[field] for field in Field if field in choices}


def choose_confirmed(
    candidates: Mapping[Field, Candidates], parts: Mapping[int, PartKind], model: MetadataModel
) -> dict[Field, Choice]:
    """Return the most probable candidate of each field in the blocks that a person confirmed to be this part."""
    choices = {}
    for field in FIELDS:
        blocks = confirmed_blocks(parts, field)
        row = marked_candidate(candidates[field], model.forests[field], blocks)
        if row is not None:
            candidate = candidates[field].rows[row]
            mentions = [mention for mention in candidate.mentions if mention.block in blocks]
            choices[field] = Choice(candidate.values, 1.0, [*mentions, *candidate.mentions])
    return choices
