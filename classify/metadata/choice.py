"""Choose all metadata of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.classify.metadata.declared import choose_declared
from vclean.classify.metadata.model import choose, load_shipped, metadata_page, page_candidates
from vclean.classify.metadata.page_type import choose_page_type
from vclean.features.metadata.mentions import Field

if TYPE_CHECKING:
    from vclean.classify.metadata.model import Choice, MetadataModel
    from vclean.features.page_context import PageContext


def choose_metadata(context: PageContext, language: str, model: MetadataModel | None = None) -> dict[Field, Choice]:
    """Return the most probable value of each field of a page, without fields that have no probable value.

    Args:
        context: the blocks of the page.
        language: ISO 639-1 code of the page; empty if unknown.
        model: the trained models; by default those that ship with the package.

    Raises:
        ModelError: the shipped models are missing or damaged.
    """
    page = metadata_page(context, language)
    model = model or load_shipped()
    choices = choose(page_candidates(page), model) | choose_declared(page)
    if page_type := choose_page_type(context, model.page_types):
        choices[Field.PAGE_TYPE] = page_type
    published, modified = choices.get(Field.PUBLISHED), choices.get(Field.MODIFIED)
    if published and modified and modified.values[0][:10] < published.values[0][:10]:
        del choices[Field.MODIFIED]
    return {field: choices[field] for field in Field if field in choices}
