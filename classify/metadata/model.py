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
from vclean.classify.model_file import READ_ERRORS
from vclean.classify.trees.forest import Forest
from vclean.errors import ModelError
from vclean.features.facts import page_type
from vclean.features.facts.candidates import COLUMNS, FIELDS
from vclean.features.facts.mentions import Field
from vclean.labels import PAGE_TYPES, PartKind

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT: Final = 3
PARTS: Final = {
    Field.TITLE: (PartKind.TITLE,),
    Field.AUTHORS: (PartKind.BYLINE, PartKind.BYLINE_DATE),
    Field.PUBLISHED: (PartKind.DATE, PartKind.BYLINE_DATE),
}
"""Parts of a page that show these fields."""
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
    columns = {**COLUMNS, Field.PAGE_TYPE: page_type.COLUMNS}
    return {field.value: list(names) for field, names in columns.items()}


def _member(field: Field) -> str:
    return f"{field.value}.txt"
