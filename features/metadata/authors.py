"""Candidates for the authors of a page, lists of names, and their features."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from vclean.features.metadata.candidates import (
    MENTION_COLUMNS,
    first_form,
    group,
    has_article,
    make_candidates,
    mention_values,
)
from vclean.features.metadata.mentions import Field, Source
from vclean.features.metadata.names import byline_word, names_key, split_names, without_credentials
from vclean.features.text.page_title import is_site_name, normalize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vclean.features.metadata.candidates import Candidate, Candidates, MetadataPage
    from vclean.features.metadata.mentions import Mention

_SLOTS: Final = (
    "article.author", "article.creator", "product.author", "page.author", "untyped", "meta:author", "article:author",
    "twitter:data", "dc", "citation", "social", "itemprop", "rel", "link", "by", "class", "beside", "near",
    "by_word",
)  # fmt: skip
_GENERIC: Final = re.compile(
    r"admin|administrator|staff|team|editors?|editorial|redaktion|redaction|rédaction|webmaster|guest|unknown|user|"
    r"anonymous|contributor|author|marketing|support|blog|newsroom|desk|root|content|sponsored"
)
_INVERTED: Final = frozenset(("citation_author", "dc.creator", "dcterms.creator", "dc.creator.personalname"))
_SHAPE: Final = ("names", "words_per_name", "chars_per_name", "capitals", "digits", "generic", "is_site", "one_word",
                 "lower", "credentials")  # fmt: skip
_RELATIONS: Final = ("within", "around", "shared", "order", "candidates", "is_title", "repeated", "first_visible")

COLUMNS: Final = (*_SLOTS, *MENTION_COLUMNS, *_SHAPE, *_RELATIONS, "has_author", "has_article")
"""Features of candidates for the authors: which properties and words give them, where they are, and how they look."""


def author_candidates(page: MetadataPage) -> Candidates:
    """Return the candidates for the authors of a page: lists of names."""
    rows = group(_entries(page.mentions[Field.AUTHORS]), first_form)
    keys = [set(names_key(row.values)) for row in rows]
    shared = _shared_values(page)
    features = [
        {**_values(page, row), **shared, **_relations(page, index, rows, keys)} for index, row in enumerate(rows)
    ]
    return make_candidates(page, rows, features, COLUMNS)


def _entries(mentions: Sequence[Mention]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], Mention]]:
    """Yield key, names and mention: each mention by itself, and all authors of one property of the body together."""
    together: dict[str, list[tuple[Mention, tuple[str, ...]]]] = {}
    for mention in mentions:
        names = _names(mention)
        if names:
            yield names_key(names), names, mention
            if mention.name in ("author", "rel", "link") and mention.source is not Source.JSON_LD:
                together.setdefault(mention.name, []).append((mention, names))
    for several in together.values():
        joined = tuple(dict.fromkeys(name for _, names in several[:6] for name in names))
        if 1 < len(joined) <= 6:
            yield names_key(joined), joined, several[0][0]


def _names(mention: Mention) -> tuple[str, ...]:
    """Return the names of a mention, without credentials."""
    values = tuple(map(_first_name_first, mention.values)) if mention.name in _INVERTED else mention.values
    names = [name for value in values for name in split_names(value)]
    return without_credentials(tuple(dict.fromkeys(names))[:20]) if names else ()


def _first_name_first(name: str) -> str:
    """Return `Ann Lee` for `Lee, Ann`, the form of bibliographies."""
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma and "," not in first and len(name.split()) <= 5 else name


def _slot(mention: Mention) -> str:
    """Return the column of a mention."""
    name = mention.name
    if mention.source is Source.JSON_LD:
        return name if name in _SLOTS else "untyped"
    if mention.source is Source.MICRODATA:
        return "rel" if name == "rel" else "itemprop"
    if mention.source is Source.PAGE:
        return name
    if name in ("article:author", "twitter:data"):
        return name
    return "meta:author" if name == "author" else name[:2] if name[:2] == "dc" else _rare_slot(name)


def _rare_slot(name: str) -> str:
    return "citation" if name.startswith("citation") else "social"


def _values(page: MetadataPage, row: Candidate) -> dict[str, float]:
    values = mention_values(page.view, row.mentions, _SLOTS, _slot)
    values["by_word"] = float(any(byline_word(value) != "" for each in row.mentions for value in each.values))
    return values | _shape(row.values, page.context.snapshot.url)


def _shape(names: tuple[str, ...], url: str) -> dict[str, float]:
    """Return features of the letters and words of names."""
    count, text = len(names), " ".join(names)
    words = text.split()
    return {
        "names": count,
        "words_per_name": len(words) / count,
        "chars_per_name": len(text) / count,
        "capitals": sum(word[0].isupper() for word in words) / len(words),
        "digits": float(any(map(str.isdigit, text))),
        "generic": float(bool(_GENERIC.search(text.casefold()))),
        "is_site": float(is_site_name(names[0], url)),
        "one_word": sum(len(name.split()) == 1 for name in names) / count,
        "lower": float(text == text.lower()),
        "credentials": float("." in text),
    }


def _shared_values(page: MetadataPage) -> dict[str, float]:
    mentions = page.mentions[Field.AUTHORS]
    return {
        "has_author": float(any(each.source in (Source.JSON_LD, Source.META) for each in mentions)),
        "has_article": has_article(page),
    }


def _relations(page: MetadataPage, index: int, rows: Sequence[Candidate], keys: Sequence[set[str]]) -> dict[str, float]:
    """Compare a candidate with the others, and with the title."""
    candidate, row = keys[index], rows[index]
    others = [key for number, key in enumerate(keys) if number != index]
    visible = [number for number, each in enumerate(rows) if any(mention.block >= 0 for mention in each.mentions)]
    headline = page.view.texts[page.view.headline] if page.view.texts else ""
    return {
        "within": sum(candidate < other for other in others),
        "around": sum(other < candidate for other in others),
        "shared": sum(not candidate.isdisjoint(other) for other in others),
        "order": index,
        "candidates": len(rows),
        "is_title": float(normalize(row.values[0]) in normalize(headline)),
        "repeated": min(len({mention.block for mention in row.mentions if mention.block >= 0}), 20),
        "first_visible": float(visible[:1] == [index]),
    }
