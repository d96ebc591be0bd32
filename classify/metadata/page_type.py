"""Predict the type of a page, such as an article or a thread; read the file of this model and those of metadata."""

from __future__ import annotations

import io
import json
import zipfile
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import model_file
from vclean.classify.trees.forest import Forest
from vclean.errors import ModelError
from vclean.features.facts.mentions import Field
from vclean.features.facts.page_type import COLUMNS
from vclean.files import ZIP_ERRORS
from vclean.labels import PAGE_TYPES, PageType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vclean.classify.metadata.choice import MetadataModel
    from vclean.features.page_context import PageContext

FORMAT: Final = 3
SHIPPED: Final = "metadata.vclean"
_CARD: Final = "card.json"
THRESHOLD: Final = 0.5
"""Lowest probability of a type; below it the type is absent."""
_FEW_WORDS: Final = 50
_SHORT: Final = (PageType.HOME, PageType.OTHER)
"""Types of pages with fewer words than `_FEW_WORDS`. The training corpora have few such pages of other types."""


def page_type(context: PageContext, model: MetadataModel | None = None) -> str:
    """Return the type of a page, a value of `PageType`; empty if none is probable.

    Args:
        context: the blocks of the page.
        model: the trained models; by default those that ship with the package.

    Raises:
        ModelError: the shipped models are missing or damaged.
    """
    chosen = choose_page_type(context, model.page_types if model else _shipped())
    return chosen[0].value if chosen else ""


def choose_page_type(context: PageContext, forest: Forest) -> tuple[PageType, float] | None:
    """Return the most probable type of a page and its probability; None if none is probable, or it has little text."""
    words = float(context.tokens.sum())
    if not words:
        return None
    probability = forest.predict(context.page_features[np.newaxis])[0]
    best = int(probability.argmax())
    if probability[best] < THRESHOLD or (words < _FEW_WORDS and PAGE_TYPES[best] not in _SHORT):
        return None
    return PAGE_TYPES[best], float(probability[best])


@cache
def _shipped() -> Forest:
    return read(model_file.read_shipped(SHIPPED), {Field.PAGE_TYPE: list(COLUMNS)})[1][Field.PAGE_TYPE]


def pack(card: Mapping[str, Any], forests: Mapping[Field, Forest]) -> bytes:
    """Serialize trees by field and their card: a zip archive of `card.json` and of the trees in LightGBM's format."""
    text = json.dumps(card, indent=1, sort_keys=True, ensure_ascii=False)
    return model_file.pack(
        {_CARD: text.encode(), **{_member(field): forest.text.encode() for field, forest in forests.items()}}
    )


def read(data: bytes, columns: Mapping[Field, list[str]]) -> tuple[dict[str, Any], dict[Field, Forest]]:
    """Return the card of the result of `pack`, and the trees of the fields with these columns.

    Raises:
        ModelError: the data is damaged, or of another version.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            card = json.loads(archive.read(_CARD))
            forests = {field: Forest(archive.read(_member(field)).decode()) for field in columns}
    except ZIP_ERRORS as error:
        raise ModelError("the model of metadata is damaged: install vclean again") from error
    named = {field: card.get("columns", {}).get(field) for field in columns}
    if card.get("format") != FORMAT or named != columns or card.get("page_types") != [*PAGE_TYPES]:
        raise ModelError("the model of metadata is of another version: install vclean again")
    return card, forests


def _member(field: Field) -> str:
    return f"{field.value}.txt"
