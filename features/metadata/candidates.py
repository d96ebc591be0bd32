"""Group the mentions of a field into candidates, one for each distinct value, with their features."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.features.metadata.confirmed_blocks import with_confirmed
from vclean.features.metadata.json_ld import json_ld_mentions
from vclean.features.metadata.marked_elements import marked_mentions
from vclean.features.metadata.mentions import Field, Source
from vclean.features.metadata.meta_tags import meta_mentions
from vclean.features.metadata.page_view import NAMES, PageView
from vclean.features.metadata.visible_text import byline_mentions, date_mentions, title_mentions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.features.metadata.mentions import Mention
    from vclean.features.page_context import PageContext

    Values = Mapping[str, float]
    """Features of a candidate by name; missing ones are NaN."""

MAX_CANDIDATES: Final = 60
"""Most candidates of a field; those of later mentions are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Distinct value for a field.

    Attributes:
        values: the value, as in the mention that is the best to print; several for lists of authors.
        mentions: the places that give it.
    """

    values: tuple[str, ...]
    mentions: list[Mention]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """C candidates for a field of a page.

    Attributes:
        rows: the candidates.
        x: float32 (C, F), their features.
        in_comments: bool (C,), which of them only comments have.
    """

    rows: list[Candidate]
    x: NDArray[np.float32]
    in_comments: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MetadataPage:
    """Mentions of all fields on a page.

    Attributes:
        context: the blocks of the page.
        language: ISO 639-1 code of its language, for names of months; empty if unknown.
        day_first: whether 3/7/2024 is in July on this page.
        confirmed: the blocks that a person marked as title, byline or date, by field.
    """

    context: PageContext
    language: str
    day_first: bool
    confirmed: Mapping[Field, Collection[int]] = field(default_factory=dict)

    @cached_property
    def view(self) -> PageView:
        """Return the positions that several fields need."""
        return PageView(self.context)

    @cached_property
    def mentions(self) -> dict[Field, list[Mention]]:
        """Return the mentions of each field, those of markup first."""
        head, view = self.context.snapshot.head, self.view
        every = [
            *json_ld_mentions(head.json_ld),
            *meta_mentions(head),
            *marked_mentions(view),
            *title_mentions(view),
            *byline_mentions(view),
            *date_mentions(view, self.language, day_first=self.day_first),
        ]
        by_field: dict[Field, list[Mention]] = {name: [] for name in Field}
        for mention in every:
            by_field[mention.field].append(mention)
        for name, blocks in self.confirmed.items():
            by_field[name] = with_confirmed(by_field[name], name, blocks, view, self.language, day_first=self.day_first)
        return by_field


def group(
    mentions: Iterable[tuple[Hashable, tuple[str, ...], Mention]],
    prefer: Callable[[Sequence[tuple[str, ...]]], tuple[str, ...]],
) -> list[Candidate]:
    """Return a candidate for each distinct key, in the order of their first mentions, at most `MAX_CANDIDATES`.

    Args:
        mentions: a key, which equal values share, the values, and the mention.
        prefer: returns which of several equal values is printed.
    """
    groups: dict[Hashable, tuple[list[tuple[str, ...]], list[Mention]]] = {}
    for key, values, mention in mentions:
        if key in groups or len(groups) < MAX_CANDIDATES:
            forms, several = groups.setdefault(key, ([], []))
            forms.append(values)
            several.append(mention)
    return [Candidate(prefer(forms), several) for forms, several in groups.values()]


def make_candidates(
    page: MetadataPage, rows: list[Candidate], features: Sequence[Values], columns: Sequence[str]
) -> Candidates:
    """Return candidates with their features: those in `columns`; missing ones are NaN."""
    in_comments = page.view.in_comments
    only = [all(mention.block >= 0 and in_comments[mention.block] for mention in row.mentions) for row in rows]
    return Candidates(rows, to_matrix(features, columns), np.array(only, dtype=bool))


def first_form(forms: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the value of the first mention."""
    return forms[0]


def to_matrix(rows: Sequence[Values], columns: Sequence[str]) -> NDArray[np.float32]:
    """Return the features of C candidates as a matrix, float32 (C, F); missing ones are NaN."""
    nan = float("nan")
    values: list[list[Any]] = [[row.get(name, nan) for name in columns] for row in rows]
    return np.array(values, dtype=np.float32).reshape(-1, len(columns))


POSITION_COLUMNS: Final = (
    "block", "share_before", "after_headline", "before_headline", "link_share", "words", "alike", "font_ratio",
    "y_below_headline", "x_from_headline", "same_row_date", "visible", *(f"in_{name}" for name in NAMES),
)  # fmt: skip
"""Features of the place of a candidate on the page: its mention in a block nearest to the headline.

`block` is the number of the block by its share of all, `share_before` the share of the words before it. Distances from
the headline are in blocks, and in CSS px if the page was rendered; `font_ratio` compares the font size with that of the
headline. `alike` is the number of blocks with the same chain of tags and classes.
"""


def position_values(view: PageView, mentions: Sequence[Mention]) -> dict[str, float]:
    """Return the features of `POSITION_COLUMNS` for the mention in a block that is nearest to the headline."""
    blocks = [mention.block for mention in mentions if mention.block >= 0]
    if not blocks:
        return {}
    context, headline = view.context, view.headline
    block = min(blocks, key=lambda each: each - headline if each >= headline else 3 * (headline - each))
    distance, total = block - headline, max(float(context.tokens.sum()), 1.0)
    values = {
        "block": block / len(context),
        "share_before": float(context.words_before[block]) / total,
        "after_headline": min(max(distance, 0), 50),
        "before_headline": min(max(-distance, 0), 50),
        "link_share": float(context.link_share[block]),
        "words": min(float(context.tokens[block]), 100.0),
        "alike": min(float(context.blocks_by_class_path.size[block]), 50.0),
        "visible": float(context.blocks.visibility[block]),
        **{f"in_{name}": float(inside) for name, inside in zip(NAMES, view.block_names[block].tolist(), strict=True)},
    }
    return values | (_sight(view, block) if view.snapshot.rendered else {})


def _sight(view: PageView, block: int) -> dict[str, float]:
    """Return the features that only a rendered page has."""
    box, headline = view.boxes[block], view.boxes[view.headline]
    return {
        "font_ratio": float(view.font_size[block] / view.font_size[view.headline]),
        "y_below_headline": float(np.clip(box[1] - headline[1] - headline[3], -2000, 4000)),
        "x_from_headline": float(np.clip(box[0] - headline[0], -1500, 1500)),
        "same_row_date": float(view.in_row_of_date[block]),
    }


def markup_values(mentions: Sequence[Mention]) -> dict[str, float]:
    """Return how many mentions and sources a candidate has."""
    sources = {mention.source for mention in mentions}
    return {
        "mentions": min(len(mentions), 20),
        "sources": len(sources),
        "in_markup": len(sources - {Source.PAGE, Source.TITLE, Source.URL}),
    }


MARKUP_COLUMNS: Final = ("mentions", "sources", "in_markup")

MENTION_COLUMNS: Final = (*MARKUP_COLUMNS, *POSITION_COLUMNS)
"""Features of the mentions of a candidate for any field."""


def mention_values(
    view: PageView, mentions: Sequence[Mention], slots: Sequence[str], slot: Callable[[Mention], str]
) -> dict[str, float]:
    """Return the features of the mentions of a candidate.

    Args:
        view: the page.
        mentions: the mentions.
        slots: the columns of the properties and words that may give a value.
        slot: returns the column of a mention.

    Returns:
        1 for each slot with a mention and 0 for the others, and the features of `MENTION_COLUMNS`.
    """
    values = dict.fromkeys(slots, 0.0) | {slot(mention): 1.0 for mention in mentions}
    return values | markup_values(mentions) | position_values(view, mentions)


def has_article(page: MetadataPage) -> float:
    """Return 1 if JSON-LD describes an article with a title, else 0."""
    return float(any(mention.name.startswith("article.") for mention in page.mentions[Field.TITLE]))
