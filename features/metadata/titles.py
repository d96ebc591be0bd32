"""Candidates for the title of a page, and their features."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from vclean.features.headline import has_home_url
from vclean.features.metadata.candidates import (
    MENTION_COLUMNS,
    first_form,
    group,
    has_article,
    make_candidates,
    mention_values,
)
from vclean.features.metadata.mentions import Field, Source
from vclean.features.text.page_title import is_site_name, normalize, split_title, strip_site_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.features.metadata.candidates import Candidate, Candidates, MetadataPage
    from vclean.features.metadata.mentions import Mention

_SLOTS: Final = (
    "article.headline", "article.name", "product.name", "page.headline", "page.name", "untyped", "og:title",
    "twitter:title", "meta:title", "meta", "itemprop:headline", "itemprop:name", "document", "stripped", "whole",
    "part", "og:stripped", *(f"headline{rank}" for rank in range(6)),
)  # fmt: skip
_ITEM: Final = re.compile(r"article|posting|product|recipe|discussion|video|question|blog$")
_MANY: Final = re.compile(r"\.{3}$|…$")

COLUMNS: Final = (
    *_SLOTS, *MENTION_COLUMNS, "score", "score_behind", "is_h1", "chars", "own_words",
    "separators", "is_site", "site_part", "truncated", "contains", "contained", "agreement", "in_url", "url_covered",
    "home", "upper", "has_article", "og_article", "colon", "with_site", "document_covered", "same_as_best",
)  # fmt: skip
"""Features of candidates for the title: which properties give it, where it is, and its words."""


def title_candidates(page: MetadataPage) -> Candidates:
    """Return the candidates for the title of a page."""
    keyed = ((normalize(mention.values[0]), mention.values, mention) for mention in _mentions(page))
    rows = group((entry for entry in keyed if entry[0]), first_form)
    words = [set(normalize(row.values[0]).split()) for row in rows]
    shared = _shared_values(page)
    features = [
        {**_values(page, row), **shared, **_relations(index, words), **_url_values(page, words[index])}
        for index, row in enumerate(rows)
    ]
    return make_candidates(page, rows, features, COLUMNS)


def _mentions(page: MetadataPage) -> Iterator[Mention]:
    """Yield the mentions of titles, blocks that readers see first, because their spelling is the best."""
    mentions = page.mentions[Field.TITLE]
    yield from (mention for mention in mentions if mention.source is Source.PAGE)
    yield from (mention for mention in mentions if mention.source is not Source.PAGE)
    url = page.context.snapshot.url
    for mention in mentions:
        if mention.name == "og:title" and (text := strip_site_name(mention.values[0], url)):
            yield type(mention)(Field.TITLE, (text,), mention.source, "og:stripped")


def _slot(mention: Mention) -> str:
    """Return the column of a mention."""
    name = mention.name
    if mention.source is Source.MICRODATA:
        kind, _, item = name.partition(":")
        is_item = kind in ("headline", "dc:title") or bool(_ITEM.search(item))
        return f"itemprop:{'headline' if is_item else 'name'}"
    if mention.source is Source.JSON_LD:
        return name if name in _SLOTS else "untyped"
    if mention.source is Source.META:
        return "meta:title" if name == "title" else "meta"
    return name if name in _SLOTS else "meta"


def _shared_values(page: MetadataPage) -> dict[str, float]:
    """Return the features of the page, which are the same for all candidates."""
    meta = dict(page.context.snapshot.head.meta)
    return {
        "has_article": has_article(page),
        "og_article": float(meta.get("og:type", "").lower() == "article"),
        "home": float(has_home_url(page.context.snapshot)),
    }


def _values(page: MetadataPage, row: Candidate) -> dict[str, float]:
    view, text, url = page.view, row.values[0], page.context.snapshot.url
    blocks = [mention.block for mention in row.mentions if mention.name.startswith("headline")]
    values = mention_values(view, row.mentions, _SLOTS, _slot)
    if blocks:
        best = max(blocks, key=lambda block: float(view.scores[block]))
        values["score"] = float(view.scores[best])
        values["score_behind"] = float(view.scores[view.headline] - view.scores[best])
        values["is_h1"] = float(any(tag == "h1" for tag in _tags(page, best)))
    parts = split_title(text)
    return values | {
        "chars": min(len(text), 300),
        "separators": len(parts) - 1,
        "is_site": float(is_site_name(text, url)),
        "site_part": float(len(parts) > 1 and any(is_site_name(part, url) for part in (parts[0], parts[-1]))),
        "truncated": float(bool(_MANY.search(text))),
        "upper": sum(map(str.isupper, text)) / max(sum(map(str.isalpha, text)), 1),
        "colon": float(":" in text),
    }


def _tags(page: MetadataPage, block: int) -> list[str]:
    """Return the tags of the elements around a block, five at most."""
    snapshot = page.context.snapshot
    around = snapshot.ancestors(int(page.context.anchor[block]))[:5]
    return [snapshot.tags[snapshot.tag[element]] for element in around]


def _relations(index: int, words: list[set[str]]) -> dict[str, float]:
    """Compare the words of a candidate with those of the others."""
    candidate = words[index]
    others = [other for number, other in enumerate(words) if number != index]
    return {
        "own_words": min(len(candidate), 60),
        "contains": sum(other < candidate for other in others),
        "contained": sum(candidate < other for other in others),
        "agreement": sum(2 * len(candidate & other) / max(len(candidate) + len(other), 1) for other in others)
        / max(len(others), 1),
        "same_as_best": 2 * len(candidate & words[0]) / max(len(candidate) + len(words[0]), 1),
    }


def _url_values(page: MetadataPage, words: set[str]) -> dict[str, float]:
    """Compare the words of a candidate with the path of the URL and with the title of the document."""
    try:
        path = unquote(urlsplit(page.context.snapshot.url).path)
    except ValueError:
        path = ""
    slug, document = set(normalize(path).split()), set(normalize(page.context.snapshot.title).split())
    return {
        "in_url": len(words & slug) / max(len(words), 1),
        "url_covered": len(words & slug) / len(slug) if slug else float("nan"),
        "document_covered": len(words & document) / max(len(document), 1),
    }
