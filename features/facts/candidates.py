"""Make one table of candidates for a field: its distinct values, where the page gives them, and their features.

Titles, authors and days of publication have the same features but for their properties: the properties and words that
give a candidate, its place on the page, its letters, its agreement with the other candidates, and for authors and days
the whole page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import chain, compress
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import numpy as np

from vclean.features.facts import page_type
from vclean.features.facts.markup import ORGANIZATION, body_mentions, head_mentions, json_ld_mentions
from vclean.features.facts.mentions import Field, Mention, Source, clean_text, slots_of
from vclean.features.facts.names import (
    byline_word,
    has_role,
    name_part,
    names_key,
    read_names,
    split_names,
    without_credentials,
)
from vclean.features.facts.page_view import (
    HEADLINES,
    NAMES,
    PageView,
    block_dates,
    byline_mentions,
    date_mentions,
    title_mentions,
)
from vclean.features.headline import is_site_name, normalize, split_title, strip_site_name
from vclean.features.text.dates import date_in_url, parse_date
from vclean.labels import PartKind
from vclean.page import split_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    Entry = tuple[object, tuple[str, ...], Mention]
    """Key that equal values share, values, and mention."""

MAX_CANDIDATES: Final = 60
"""Most candidates of a field; those of later mentions are left out."""
FIELDS: Final = (Field.TITLE, Field.AUTHORS, Field.PUBLISHED)
"""Fields with a table of candidates."""
PARTS: Final = {
    Field.TITLE: (PartKind.TITLE,),
    Field.AUTHORS: (PartKind.BYLINE, PartKind.BYLINE_DATE),
    Field.PUBLISHED: (PartKind.DATE, PartKind.BYLINE_DATE),
}
"""Parts of a page that show these fields."""
_INVERTED: Final = frozenset(("citation_author", "dc.creator", "dcterms.creator", "dc.creator.personalname"))
"""Properties with names such as `Lee, Ann`."""
_GENERIC: Final = re.compile(
    r"admin|administrator|staff|team|editors?|editorial|redaktion|redaction|rédaction|webmaster|guest|unknown|user|"
    r"anonymous|contributor|author|marketing|support|blog|newsroom|desk|root|content|sponsored"
)
_MOST_DAYS: Final = 3650

_SEEN: Final = {
    Field.TITLE: ("document", "stripped", "whole", "part", "og:stripped", *(f"headline{n}" for n in range(HEADLINES))),
    Field.AUTHORS: (ORGANIZATION, "link", "by", "class", "beside", "near"),
    Field.PUBLISHED: (*slots_of(Field.MODIFIED), "time", "text", "published", "updated", "url", "url_month"),
}
"""Feature columns of what is no property of markup."""
_PLACE: Final = (
    "block", "share_before", "after_headline", "before_headline", "link_share", "words", "alike", "visible", "covered",
    "actions", "bylines", *(f"in_{name}" for name in NAMES),
)  # fmt: skip
"""Place of a candidate: its mention in a block nearest to the headline.

`block` is the number of the block by its share of all, `share_before` the share of the words before it. Distances from
the headline are in blocks. `alike` is the number of blocks with the same chain of tags and classes, `covered` the share
of the characters of the block in the candidate. `actions` and `bylines` count the words of user interfaces.
"""
_MARKUP: Final = ("mentions", "sources", "in_markup", "blocks", "has_markup")
_LETTERS: Final = (
    "values", "chars", "words_per_value", "capitals", "upper", "digits", "colon", "separators", "generic", "role",
    "is_site", "site_part", "one_word", "by_word", "has_time", "has_zone",
)  # fmt: skip
_AGREEMENT: Final = (
    "candidates", "order", "first_visible", "contains", "contained", "shared", "agreement", "same_as_first",
    "in_headline", "in_document", "document_covered", "in_url", "url_covered",
)  # fmt: skip
_HEADLINE: Final = ("score", "score_behind", "is_h1")
_DAYS: Final = ("days_after_first", "days_before_last", "rank_by_day", "rank_from_last", "days_from_markup",
                "has_day_before", "has_day_after")  # fmt: skip
_OF_PAGE: Final = (
    "og_article", "og_product", "type_article", "type_product", "url_root", "words", "link_words", "long_share",
    "date_blocks",
)  # fmt: skip
_PAGE: Final = tuple(f"page_{name}" for name in _OF_PAGE)
"""Features of the whole page, see `page_type`: they tell whether it has an author or a date at all."""
_OF_FIELD: Final = {Field.TITLE: _HEADLINE, Field.AUTHORS: _PAGE, Field.PUBLISHED: (*_DAYS, *_PAGE)}
COLUMNS: Final = {
    name: (*slots_of(name), *_SEEN[name], *_PLACE, *_MARKUP, *_LETTERS, *_AGREEMENT, *_OF_FIELD[name])
    for name in FIELDS
}
"""Names of the features of the candidates of each field."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Distinct value for a field.

    Attributes:
        values: the value, as in the mention that is the best to print; several for lists of authors.
        mentions: the places that give it.
        probability: the probability that it is right, 0 to 1; NaN before a model predicts it.
    """

    values: tuple[str, ...]
    mentions: list[Mention]
    probability: float = float("nan")


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
class MetadataPage(PageView):
    """Mentions of all fields on a page.

    Attributes:
        parts: the parts of the page that a person marked, such as its title, by block.
    """

    parts: Mapping[int, PartKind] = field(default_factory=dict)

    @cached_property
    def mentions(self) -> dict[Field, list[Mention]]:
        """Return the mentions of each field, those of markup first."""
        head = self.snapshot.head
        of_head = (*json_ld_mentions(head.json_ld), *head_mentions(head))
        finders = (body_mentions, title_mentions, byline_mentions, date_mentions)
        of_body = (mention for find in finders for mention in find(self))
        by_field: dict[Field, list[Mention]] = {name: [] for name in Field}
        for mention in chain(of_head, of_body):
            by_field[mention.field].append(mention)
        for name in FIELDS:
            for block in sorted(self.confirmed(name)):
                by_field[name] = self._with_marked(by_field[name], name, block)
        return by_field

    def _with_marked(self, mentions: list[Mention], name: Field, block: int) -> list[Mention]:
        """Return the mentions of a field with those in a block that a person marked; it need not look like a byline."""
        text = self.texts[block]
        shown = [mention for mention in mentions if mention.block == block and mention.source is Source.PAGE]
        if name is Field.AUTHORS and (names := read_names(text)):
            mention = shown[0] if shown else Mention(name, (), Source.PAGE, "near", block)
            return [*(each for each in mentions if each not in shown), replace(mention, values=names)]
        if shown or name is Field.AUTHORS:
            return mentions
        if name is Field.TITLE:
            last = f"headline{HEADLINES - 1}"
            return [*mentions, Mention(name, (clean_text(text, 500),), Source.PAGE, last, block)]
        return [*mentions, *block_dates(self, block)]

    def confirmed(self, name: Field) -> set[int]:
        """Return the blocks that a person marked as a part that shows one of `FIELDS`."""
        return {block for block, part in self.parts.items() if part in PARTS[name]}

    def date_of(self, mention: Mention) -> str:
        """Return the date of a mention in ISO 8601; empty if it has none."""
        return parse_date(mention.values[0], self.language, day_first=self.day_first)

    def candidates(self, name: Field) -> Candidates:
        """Return the candidates for one of `FIELDS`."""
        rows = _group(_ENTRIES[name](self))
        table = _Table(self, name, rows)
        columns = COLUMNS[name]
        features = map(table.features, range(len(rows)))
        x = [[row.get(column, float("nan")) for column in columns] for row in features]
        in_comments = self.in_comments
        only = [all(each.block >= 0 and in_comments[each.block] for each in row.mentions) for row in rows]
        return Candidates(rows, np.array(x, dtype=np.float32).reshape(-1, len(columns)), np.array(only, dtype=bool))


def _group(entries: Iterator[Entry]) -> list[Candidate]:
    """Return a candidate for each distinct key, in the order of their first mentions, at most `MAX_CANDIDATES`.

    Dates have the form with the most parts, such as the zone; other values that of the first mention.
    """
    groups: dict[object, Candidate] = {}
    for key, values, mention in entries:
        if key in groups or len(groups) < MAX_CANDIDATES:
            candidate = groups.setdefault(key, Candidate(values, []))
            candidate.mentions.append(mention)
            is_date = mention.field in (Field.PUBLISHED, Field.MODIFIED)
            if is_date and len(values[0]) > len(candidate.values[0]):
                groups[key] = Candidate(values, candidate.mentions)
    return list(groups.values())


def _titles(page: MetadataPage) -> Iterator[Entry]:
    """Yield the titles, blocks that readers see first, because their spelling is the best."""
    mentions = page.mentions[Field.TITLE]
    for mention in sorted(mentions, key=lambda mention: mention.source is not Source.PAGE):
        if key := normalize(mention.values[0]):
            yield key, mention.values, mention
    for mention in mentions:
        if mention.name == "og:title" and (text := strip_site_name(mention.values[0], page.snapshot.url)):
            yield normalize(text), (text,), Mention(Field.TITLE, (text,), mention.source, "og:stripped")


def _authors(page: MetadataPage) -> Iterator[Entry]:
    """Yield the names of each mention by itself, and all authors of one property of the body together."""
    together: dict[str, list[tuple[Mention, tuple[str, ...]]]] = {}
    for mention in page.mentions[Field.AUTHORS]:
        values = tuple(map(_first_name_first, mention.values)) if mention.name in _INVERTED else mention.values
        names = without_credentials(tuple(dict.fromkeys(name for value in values for name in split_names(value)))[:20])
        if names:
            yield names_key(names), names, mention
            if mention.element >= 0:
                together.setdefault(mention.name, []).append((mention, names))
    for several in together.values():
        joined = tuple(dict.fromkeys(name for _, names in several[:6] for name in names))
        if 1 < len(joined) <= 6:
            yield names_key(joined), joined, several[0][0]


def _first_name_first(name: str) -> str:
    """Return `Ann Lee` for `Lee, Ann`, the form of bibliographies."""
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma and "," not in first and len(name.split()) <= 5 else name


def _dates(page: MetadataPage) -> Iterator[Entry]:
    """Yield all days of the page, also those of modifications."""
    for mention in (*page.mentions[Field.PUBLISHED], *page.mentions[Field.MODIFIED]):
        if value := page.date_of(mention):
            yield value[:10], (value,), mention
    value, has_day = date_in_url(page.snapshot.url)
    if value:
        yield value, (value,), Mention(Field.PUBLISHED, (value,), Source.URL, "url" if has_day else "url_month")


_ENTRIES: Final = {Field.TITLE: _titles, Field.AUTHORS: _authors, Field.PUBLISHED: _dates}


class _Table:
    """Features of the candidates of a field."""

    def __init__(self, page: MetadataPage, name: Field, rows: list[Candidate]) -> None:
        self.page, self.name, self.rows, self.snapshot = page, name, rows, page.snapshot
        self.words = [set(normalize(" ".join(row.values)).split()) for row in rows]
        visible = (index for index, row in enumerate(rows) if any(mention.block >= 0 for mention in row.mentions))
        self.first_visible = next(visible, -1)
        self.headline = set(normalize(page.texts[page.headline]).split()) if page.texts else set[str]()
        self.document = set(normalize(self.snapshot.title).split())
        self.slug = set(normalize(unquote(split_url(self.snapshot.url).path)).split())
        self.interface = {name: page.context.terms.count(name) for name in ("actions", "bylines")}
        self.of_page = {"has_markup": float(any(mention.block < 0 for mention in page.mentions[name]))}
        if name is not Field.TITLE:
            of_page = dict(zip(page_type.COLUMNS, page.context.page_features.tolist(), strict=True))
            self.of_page |= {column: of_page[feature] for column, feature in zip(_PAGE, _OF_PAGE, strict=True)}
        if name is Field.PUBLISHED:
            self.days = [date.fromisoformat(row.values[0][:10]).toordinal() for row in rows]
            first = [row.mentions[0] for row in rows]
            is_of_head = [each.field is name and each.block < 0 and each.source is not Source.URL for each in first]
            self.declared_day = next(compress(self.days, is_of_head), None)

    def features(self, index: int) -> dict[str, float]:
        """Return the features of a candidate by name; missing ones are NaN."""
        row = self.rows[index]
        values = dict.fromkeys((*slots_of(self.name), *_SEEN[self.name]), 0.0)
        values |= {mention.slot or mention.name: 1.0 for mention in row.mentions}
        values |= self._place(row) | self._letters(row) | self._agreement(index) | self.of_page
        if self.name is Field.TITLE:
            values |= self._headline(row)
        if self.name is Field.PUBLISHED:
            values |= self._days(index)
        return values

    def _place(self, row: Candidate) -> dict[str, float]:
        """Return the features of `_MARKUP` and `_PLACE`."""
        sources = {mention.source for mention in row.mentions}
        blocks = {mention.block for mention in row.mentions if mention.block >= 0}
        values = {
            "mentions": min(len(row.mentions), 20),
            "sources": len(sources),
            "in_markup": float(not sources.isdisjoint((Source.JSON_LD, Source.META, Source.OPEN_GRAPH))),
            "blocks": min(len(blocks), 20),
        }
        if not blocks:
            return values
        page, context, headline = self.page, self.page.context, self.page.headline
        block = min(sorted(blocks), key=lambda each: each - headline if each >= headline else 3 * (headline - each))
        distance, total = block - headline, max(float(context.tokens.sum()), 1.0)
        return values | {
            "block": block / len(context),
            "share_before": float(context.words_before[block]) / total,
            "after_headline": min(max(distance, 0), 50),
            "before_headline": min(max(-distance, 0), 50),
            "link_share": float(context.link_share[block]),
            "words": min(float(context.tokens[block]), 100.0),
            "alike": min(float(context.blocks_by_class_path.size[block]), 50.0),
            "visible": float(context.blocks.visibility[block]),
            "covered": min(len("".join(row.values)) / max(len(page.texts[block]), 1), 2),
            **{name: float(count[block]) for name, count in self.interface.items()},
            **{
                f"in_{name}": float(inside)
                for name, inside in zip(NAMES, page.block_names[block].tolist(), strict=True)
            },
        }

    def _letters(self, row: Candidate) -> dict[str, float]:
        text, url, count = " ".join(row.values), self.snapshot.url, len(row.values)
        words, parts = text.split(), split_title(row.values[0])
        return {
            "values": count,
            "chars": min(len(text), 300),
            "words_per_value": len(words) / count,
            "capitals": sum(word[0].isupper() for word in words) / max(len(words), 1),
            "upper": sum(map(str.isupper, text)) / max(sum(map(str.isalpha, text)), 1),
            "digits": sum(map(str.isdigit, text)) / max(len(text), 1),
            "colon": float(":" in text),
            "separators": len(parts) - 1,
            "generic": float(bool(_GENERIC.search(text.casefold()))),
            "role": float(any(map(has_role, row.values))),
            "is_site": float(is_site_name(row.values[0], url)),
            "site_part": float(len(parts) > 1 and any(is_site_name(part, url) for part in (parts[0], parts[-1]))),
            "one_word": sum(len(value.split()) == 1 for value in row.values) / count,
            "by_word": float(
                any(byline_word(name_part(value)) != "" for each in row.mentions for value in each.values)
            ),
            "has_time": float("T" in text),
            "has_zone": float(len(text) > 19),
        }

    def _agreement(self, index: int) -> dict[str, float]:
        """Compare the words of a candidate with those of the others, of the headline, the document and the URL."""
        words = self.words[index]
        others = [other for number, other in enumerate(self.words) if number != index]
        likeness = [2 * len(words & other) / max(len(words) + len(other), 1) for other in (*others, self.words[0])]
        size = max(len(words), 1)
        return {
            "candidates": len(self.rows),
            "order": index,
            "first_visible": float(index == self.first_visible),
            "contains": sum(other < words for other in others),
            "contained": sum(words < other for other in others),
            "shared": sum(not words.isdisjoint(other) for other in others),
            "agreement": sum(likeness[:-1]) / max(len(others), 1),
            "same_as_first": likeness[-1],
            "in_headline": len(words & self.headline) / size,
            "in_document": len(words & self.document) / size,
            "document_covered": len(words & self.document) / max(len(self.document), 1),
            "in_url": len(words & self.slug) / size,
            "url_covered": len(words & self.slug) / len(self.slug) if self.slug else float("nan"),
        }

    def _headline(self, row: Candidate) -> dict[str, float]:
        blocks = [mention.block for mention in row.mentions if mention.name.startswith("headline")]
        if not any(block >= 0 for block in blocks):
            return {}
        scores = self.page.context.headline_scores
        best = max(blocks, key=lambda block: float(scores[block]))
        around = self.snapshot.ancestors(int(self.page.context.blocks.main_element[best]))[:5]
        return {
            "score": float(scores[best]),
            "score_behind": float(scores[self.page.headline] - scores[best]),
            "is_h1": float(any(self.snapshot.tags[self.snapshot.tag[element]] == "h1" for element in around)),
        }

    def _days(self, index: int) -> dict[str, float]:
        """Compare a day with the other days of the page. Days of one moment in two time zones follow each other."""
        day, days, declared = self.days[index], self.days, self.declared_day
        return {
            "days_after_first": min(day - min(days), _MOST_DAYS),
            "days_before_last": min(max(days) - day, _MOST_DAYS),
            "rank_by_day": sum(other < day for other in days),
            "rank_from_last": sum(other > day for other in days),
            "days_from_markup": float("nan") if declared is None else max(min(day - declared, _MOST_DAYS), -_MOST_DAYS),
            "has_day_before": float(day - 1 in days),
            "has_day_after": float(day + 1 in days),
        }
