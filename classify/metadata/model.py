"""Choose title, authors and date of publication of a page with boosted trees.

A model file is a zip archive: `card.json`, for each of `FIELDS` the trees that predict whether a candidate is right,
and the trees that predict the type of a page, in LightGBM's text format.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from vclean.classify import model_file
from vclean.classify.metadata.rules import declared_date, persons, possible, shown_title
from vclean.classify.model_file import READ_ERRORS
from vclean.classify.trees.forest import Forest
from vclean.errors import ModelError
from vclean.features.metadata import authors, publication_dates, titles
from vclean.features.metadata.candidates import MetadataPage
from vclean.features.metadata.dates import is_day_first
from vclean.features.metadata.mentions import Field
from vclean.features.page_type import matrix
from vclean.labels import PAGE_TYPES, PartKind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from vclean.features.metadata.candidates import Candidates
    from vclean.features.metadata.mentions import Mention
    from vclean.features.page_context import PageContext

FORMAT: Final = 2
FIELDS: Final = (Field.TITLE, Field.AUTHORS, Field.PUBLISHED)
"""Fields that trees choose; the others have rules, see `vclean.classify.metadata.declared`."""
PARTS: Final = {
    Field.TITLE: (PartKind.TITLE,),
    Field.AUTHORS: (PartKind.BYLINE, PartKind.BYLINE_DATE),
    Field.PUBLISHED: (PartKind.DATE, PartKind.BYLINE_DATE),
}
"""Parts of a page that show these fields."""
COLUMNS: Final = {
    Field.TITLE: titles.COLUMNS,
    Field.AUTHORS: authors.COLUMNS,
    Field.PUBLISHED: publication_dates.COLUMNS,
}
THRESHOLDS: Final = {Field.TITLE: 0.05, Field.AUTHORS: 0.2, Field.PUBLISHED: 0.2}
"""Lowest probability of a value; below it the field is absent."""
PAGE_TYPE_COLUMNS: Final = matrix.COLUMNS
_SHIPPED: Final = "metadata.vclean"
_CARD: Final = "card.json"


@dataclass(frozen=True, slots=True, eq=False)
class MetadataModel:
    """Trained models that choose among the candidates of a page.

    Attributes:
        forests: for each of `FIELDS`, the trees that predict whether a candidate is right.
        page_types: the trees that predict the type of a page, a class for each of `PAGE_TYPES`.
        card: training corpora, versions, seed, columns.
    """

    forests: Mapping[Field, Forest]
    page_types: Forest
    card: dict[str, Any]

    def to_bytes(self) -> bytes:
        """Serialize the model; equal models give equal bytes."""
        card = json.dumps(self.card, indent=1, sort_keys=True, ensure_ascii=False).encode()
        forests = {**self.forests, Field.PAGE_TYPE: self.page_types}
        return model_file.pack(
            {_CARD: card, **{_member(field): forest.text.encode() for field, forest in forests.items()}}
        )


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Value chosen for a field.

    Attributes:
        values: the value; several for lists.
        probability: the probability that it is right, 0 to 1.
        mentions: the places of the page that give it.
    """

    values: tuple[str, ...]
    probability: float
    mentions: Sequence[Mention]


def choose(
    candidates: Mapping[Field, Candidates], forests: Mapping[Field, Forest], page_type: str = ""
) -> dict[Field, Choice]:
    """Return the most probable candidate of each of `FIELDS` that can be its value; none below the threshold.

    Args:
        candidates: the candidates of each field.
        forests: the trees of each field.
        page_type: the type of the page; empty if unknown.
    """
    choices = {}
    for field in FIELDS:
        rows = candidates[field].rows
        if not rows:
            continue
        probability = forests[field].predict(candidates[field].x) * possible(field, candidates[field], page_type)
        best: int | None = int(probability.argmax())
        if probability[best] < THRESHOLDS[field]:
            best = _less_probable(field, candidates[field], probability, page_type)
        if best is not None:
            values = persons(rows[best].values) if field is Field.AUTHORS else rows[best].values
            choices[field] = Choice(values, float(probability[best]), rows[best].mentions)
    return choices


def _less_probable(
    field: Field, candidates: Candidates, probability: NDArray[np.float64], page_type: str
) -> int | None:
    """Return the candidate below the threshold that rules choose; None if there is none."""
    if field is Field.PUBLISHED:
        return declared_date(candidates, probability, page_type)
    return shown_title(candidates, probability) if field is Field.TITLE else None


def marked_candidate(candidates: Candidates, trees: Forest, blocks: Collection[int]) -> int | None:
    """Return the index of the most probable candidate whose text is in one of the blocks; None if there is none.

    A block may have several, such as the days of publication and of the last change.
    """
    rows = [
        row for row, each in enumerate(candidates.rows) if any(mention.block in blocks for mention in each.mentions)
    ]
    return rows[int(trees.predict(candidates.x[rows]).argmax())] if rows else None


def candidates_of(
    context: PageContext, language: str, parts: Mapping[int, PartKind] | None = None
) -> dict[Field, Candidates]:
    """Return the candidates of each of `FIELDS` for a page.

    Args:
        context: the blocks of the page.
        language: ISO 639-1 code of the page; empty if unknown.
        parts: the parts that a person confirmed, by block.
    """
    return page_candidates(metadata_page(context, language, parts))


def metadata_page(context: PageContext, language: str, parts: Mapping[int, PartKind] | None = None) -> MetadataPage:
    """Return the page for extractors of metadata; mentions are read on first use. Arguments as for `candidates_of`."""
    confirmed = {field: confirmed_blocks(parts, field) for field in FIELDS} if parts else {}
    return MetadataPage(context, language, is_day_first(language, context.snapshot.language), confirmed)


def confirmed_blocks(parts: Mapping[int, PartKind], field: Field) -> set[int]:
    """Return the blocks of a page that a person confirmed to show a field."""
    return {block for block, part in parts.items() if part in PARTS[field]}


def page_candidates(page: MetadataPage) -> dict[Field, Candidates]:
    """Return the candidates of each of `FIELDS`."""
    return {
        Field.TITLE: titles.title_candidates(page),
        Field.AUTHORS: authors.author_candidates(page),
        Field.PUBLISHED: publication_dates.date_candidates(page),
    }


@cache
def load_shipped() -> MetadataModel:
    """Load the model that ships with the package.

    Raises:
        ModelError: the file is missing, damaged or of another version.
    """
    return from_bytes(model_file.read_shipped(_SHIPPED))


def from_bytes(data: bytes) -> MetadataModel:
    """Deserialize the result of `MetadataModel.to_bytes`.

    Raises:
        ModelError: the data is damaged, or of another version.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            card = json.loads(archive.read(_CARD))
            forests = {field: Forest(archive.read(_member(field)).decode()) for field in (*FIELDS, Field.PAGE_TYPE)}
    except READ_ERRORS as error:
        raise ModelError("the model of metadata is damaged: install vclean again") from error
    if card.get("format") != FORMAT or card.get("columns") != card_columns() or card.get("page_types") != [*PAGE_TYPES]:
        raise ModelError("the model of metadata is of another version: install vclean again")
    page_types = forests.pop(Field.PAGE_TYPE)
    return MetadataModel(forests, page_types, card)


def card_columns() -> dict[str, list[str]]:
    """Return the names of the features of each model, as a card has them."""
    columns = {**COLUMNS, Field.PAGE_TYPE: PAGE_TYPE_COLUMNS}
    return {field.value: list(names) for field, names in columns.items()}


def _member(field: Field) -> str:
    return f"{field.value}.txt"
