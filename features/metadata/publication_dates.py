"""Candidates for the day on which a page was published, and their features."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from vclean.features.metadata.candidates import (
    MENTION_COLUMNS,
    group,
    has_article,
    make_candidates,
    mention_values,
)
from vclean.features.metadata.dates import date_in_url, parse_date
from vclean.features.metadata.mentions import Field, Mention, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vclean.features.metadata.candidates import Candidate, Candidates, MetadataPage

_SLOTS: Final = (
    "article.datePublished", "article.dateCreated", "article.uploadDate", "article.dateModified", "product.date",
    "page.datePublished", "page.dateModified", "untyped.datePublished", "untyped.dateModified",
    "article:published_time", "article:modified_time", "og:updated_time", "dc", "meta:date", "meta:published",
    "meta:modified", "itemprop:published", "itemprop:modified", "time", "text", "published", "updated", "url",
    "url_month",
)  # fmt: skip
_RELATIONS: Final = ("candidates", "rank_by_day", "rank_from_last", "days_after_first", "days_before_last", "order",
                     "first_visible", "blocks", "has_time", "has_zone", "days_from_markup")  # fmt: skip

COLUMNS: Final = (*_SLOTS, *MENTION_COLUMNS, *_RELATIONS, "has_article", "has_published")
"""Features of candidates for the day of publication: which properties and words give it, where it is, and its order
among the days of the page."""


def date_candidates(page: MetadataPage) -> Candidates:
    """Return the candidates for the day of publication: all days of the page, also those of modifications."""
    rows = group(_entries(page), most_precise)
    days = [date.fromisoformat(row.values[0][:10]).toordinal() for row in rows]
    shared = _shared_values(page)
    markup = next((day for day, row in zip(days, rows, strict=True) if _slot(row.mentions[0]) in _SLOTS[:10]), None)
    features = [
        {**_values(page, row), **shared, **_relations(index, rows, days, markup)} for index, row in enumerate(rows)
    ]
    return make_candidates(page, rows, features, COLUMNS)


def _entries(page: MetadataPage) -> Iterator[tuple[str, tuple[str, ...], Mention]]:
    """Yield day, moment and mention of each date that can be parsed."""
    for mention in (*page.mentions[Field.PUBLISHED], *page.mentions[Field.MODIFIED]):
        value = parse_date(mention.values[0], page.language, day_first=page.day_first)
        if value:
            yield value[:10], (value,), mention
    value, has_day = date_in_url(page.context.snapshot.url)
    if value:
        name = "url" if has_day else "url_month"
        yield value, (value,), Mention(Field.PUBLISHED, (value,), Source.URL, name)


def most_precise(forms: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the first value that has a time and a zone, else one that has a time, else the first one."""
    return max(forms, key=lambda form: len(form[0]))


def _slot(mention: Mention) -> str:
    """Return the column of a mention."""
    name, modified = mention.name, mention.field is Field.MODIFIED
    if mention.source is Source.JSON_LD:
        return name if name in _SLOTS else "product.date"
    if mention.source is Source.MICRODATA:
        return "itemprop:modified" if modified else "itemprop:published"
    if mention.source is Source.META:
        plain = "dc" if name.startswith(("dc.", "dcterms.")) else "meta:date" if name == "date" else "meta:published"
        return "meta:modified" if modified else plain
    if mention.source is Source.OPEN_GRAPH:
        return name if name in _SLOTS else "meta:modified" if modified else "article:published_time"
    return name


def _values(page: MetadataPage, row: Candidate) -> dict[str, float]:
    return mention_values(page.view, row.mentions, _SLOTS, _slot)


def _shared_values(page: MetadataPage) -> dict[str, float]:
    markup = (Source.JSON_LD, Source.OPEN_GRAPH, Source.META)
    return {
        "has_article": has_article(page),
        "has_published": float(any(each.source in markup for each in page.mentions[Field.PUBLISHED])),
    }


def _relations(index: int, rows: Sequence[Candidate], days: Sequence[int], markup: int | None) -> dict[str, float]:
    """Compare a candidate with the other days of the page."""
    candidate_day, value = days[index], rows[index].values[0]
    visible = [number for number, row in enumerate(rows) if any(mention.block >= 0 for mention in row.mentions)]
    return {
        "candidates": len(rows),
        "rank_by_day": sum(day < candidate_day for day in days),
        "rank_from_last": sum(day > candidate_day for day in days),
        "days_after_first": min(candidate_day - min(days), 3650),
        "days_before_last": min(max(days) - candidate_day, 3650),
        "order": index,
        "first_visible": float(visible[:1] == [index]),
        "blocks": min(len({mention.block for mention in rows[index].mentions if mention.block >= 0}), 20),
        "has_time": float("T" in value),
        "has_zone": float(len(value) > 19),
        "days_from_markup": float("nan") if markup is None else max(min(candidate_day - markup, 3650), -3650),
    }
