"""Predict the type of a page, such as an article, and decide whether it is a thread.

The posts of a thread are its content, though forums mark them with the names that blogs give to readers' comments. Its
title, its address and its type show that a page is one. The file of the model of types has those of metadata, too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import model_file
from vclean.classify.forest import Forest
from vclean.errors import ModelError
from vclean.features.facts.mentions import Field
from vclean.features.facts.page_type import COLUMNS
from vclean.labels import PAGE_TYPES, PageType
from vclean.page import split_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from vclean.classify.metadata import MetadataModel
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot

FORMAT: Final = 3
SHIPPED: Final = "metadata.vclean"
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
    chosen = choose_page_type(context, model.forests[Field.PAGE_TYPE] if model else _shipped())
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


def read(data: bytes, columns: Mapping[Field, list[str]]) -> tuple[dict[str, Any], dict[Field, Forest]]:
    """Return the card of a model of metadata, and the trees of the fields with these columns.

    Raises:
        ModelError: the data is damaged, or of another version.
    """
    with model_file.opened(data, "the model of metadata is damaged: install vclean again") as (archive, card):
        forests = {field: Forest(archive.read(f"{field.value}.txt").decode()) for field in columns}
    named = {field: card.get("columns", {}).get(field) for field in columns}
    if card.get("format") != FORMAT or named != columns or card.get("page_types") != [*PAGE_TYPES]:
        raise ModelError("the model of metadata is of another version: install vclean again")
    return card, forests


_ONLY_POSTS: Final = 0.9
"""Share of the likely content among the posts from which a page that is not one of a forum is a thread."""
_IS_LIKELY: Final = 0.5
"""Probability from which a block is likely content."""

_FORUM_PART: Final = re.compile(
    r"(forums?|foros?|foren|bbs|threads?|(show|view)(thread|topic)|questions)(\.\w+)?|(thread|showtopic)-\w*\d.*"
)
"""Part of an address that only threads and their forums have: a label of the host, or a segment of path or query."""
_FORUM_WORD: Final = re.compile(
    r"\b(?:\w*forum|forums|foros?|foren|fóra|message boards?|форум\w*)\b|论坛|論壇|掲示板|フォーラム|포럼",
    re.IGNORECASE,
)
"""Words for a forum in titles of documents."""


def is_thread(
    context: PageContext,
    model: MetadataModel | None,
    probability: NDArray[np.float32],
    comments: NDArray[np.bool_],
) -> bool:
    """Return whether the posts of a page are its content: it is one of a forum, or little else is content.

    Args:
        context: the page.
        model: the model that predicts its type; None for the one that ships with the package.
        probability: float32 (B,), probability that a block is content.
        comments: bool (B,), the blocks among comments, which are the posts of a thread.
    """
    likely = context.tokens * (probability >= _IS_LIKELY)
    inside = float((likely * comments).sum())
    return may_be_forum(context, model) or inside >= _ONLY_POSTS * max(float(likely.sum()), 1)


def may_be_forum(context: PageContext, model: MetadataModel | None) -> bool:
    """Return whether the title, the address or the type of a page is that of a forum; arguments as for `is_thread`."""
    return is_named_forum(context.snapshot) or page_type(context, model) == PageType.FORUM


def is_named_forum(snapshot: Snapshot) -> bool:
    """Return whether the title or the address of a page is that of a forum.

    The parts of an address are the labels of the host, and the segments of path, query and fragment.
    """
    address = split_url(snapshot.url.lower())
    segments = re.split(r"[/?&=#;]", f"{address.path}?{address.query}#{address.fragment}")
    parts = {*(address.hostname or "").split("."), *segments}
    return bool(_FORUM_WORD.search(snapshot.title)) or any(map(_FORUM_PART.fullmatch, parts))
