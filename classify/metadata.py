"""Choose the metadata of a page among the candidates of each field; none below the threshold of the field.

Trees predict whether a title, an author or a day of publication is right. For the other fields each property has a
precision, see `features/facts/data/properties.tsv`; properties that agree are combined by noisy-or (Pearl 1988, 4.3.2):
1 - (1 - p)(1 - q).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import model_file
from vclean.classify.page_type import SHIPPED, choose_page_type, read
from vclean.features.facts.candidates import COLUMNS, FIELDS, Candidate, MetadataPage
from vclean.features.facts.mentions import PROPERTIES, Field, Mention, Source
from vclean.features.facts.page_type import COLUMNS as PAGE_COLUMNS
from vclean.features.headline import is_site_name, normalize, split_title
from vclean.labels import PageType, PartKind
from vclean.page import join_url

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from vclean.classify.forest import Forest
    from vclean.features.facts.candidates import Candidates
    from vclean.features.page_context import PageContext


THRESHOLDS: Final = {Field.TITLE: 0.005, Field.AUTHORS: 0.16, Field.PUBLISHED: 0.2}
"""Lowest probability of a value of these fields; below it the field is absent."""
_DATED: Final = frozenset((PageType.ARTICLE, PageType.FORUM))
_OTHERS: Final = {Field.TITLE: 0.005, Field.AUTHORS: 0.3, Field.PUBLISHED: 0.4}
"""The same for pages of other types than `_DATED`, which rarely have authors and a day of publication.

Of 614 pages of wcxb without authors, cross-validated, 55 get one, and 71 with the thresholds above; of 625 with
authors, 511 have the right ones, and 512. Of 580 without a day 74 get one, and 94; of 659 with one, 581 and 583 have
the right one."""
THRESHOLD: Final = 0.5
"""The same for the other fields."""
_DEFAULT: Final = 0.55
"""Precision of properties without their own."""
_PRECISIONS: Final = {(row.field, row.slot): row.precision for row in PROPERTIES.values()} | {
    (Field.MODIFIED, "updated"): 0.7
}
_DECLARED: Final = tuple(field for field in Field if field not in (*FIELDS, Field.PAGE_TYPE))
_URLS: Final = (Field.CANONICAL_URL, Field.IMAGE)
_NO_VALUE: Final = re.compile(
    r"\{\{[^{}]*\}\}|\{%[^{}]*%\}|<[?%][^<>]*>|\$\{[^{}]*\}|\{\w+\}|%\w+%|\[\w*(?:author|title|name)\w*\]",
    re.IGNORECASE,
)
"""Variables of templates that were not filled in."""
_NO_TITLE: Final = re.compile(r"(?:untitled(?:[ -](?:document|page))?|no title|new page \d*|index\.\w+)", re.IGNORECASE)
"""What editors and servers call documents without a title."""
_ANY_PAGE: Final = re.compile(
    r"(?:home(?: ?page)?|document|index|page title|new page|welcome|loading\W*)", re.IGNORECASE
)
"""Titles that say nothing about a page; readers may see them as headlines nevertheless, such as in an encyclopedia."""
_NO_PERSON: Final = re.compile(
    r"(?:(?:web|site|sys|wp|super)?[ _-]?admin(?:istrator)?|root|editor|webmaster|user|superuser|test|guest|author|"
    r"name|null|none|undefined|n/a)\d*",
    re.IGNORECASE,
)
"""Names of accounts that belong to no person."""


def choose_metadata(
    context: PageContext,
    language: str,
    model: MetadataModel | None = None,
    parts: Mapping[int, PartKind] | None = None,
) -> dict[Field, Candidate]:
    """Return the most probable value of each field of a page, without fields that have no probable value.

    Args:
        context: the blocks of the page.
        language: ISO 639-1 code of the page; empty if unknown.
        model: the trained models; by default those that ship with the package.
        parts: the parts that a person confirmed, by block; they win over the model.

    Raises:
        ModelError: the shipped models are missing or damaged.
    """
    page, model = MetadataPage(context, language, parts or {}), model or load_shipped()
    page_type = ""
    choices: dict[Field, Candidate | None] = {}
    if chosen := choose_page_type(context, model.forests[Field.PAGE_TYPE]):
        page_type, probability = chosen[0].value, chosen[1]
        mention = Mention(Field.PAGE_TYPE, (page_type,), Source.PAGE, "")
        choices[Field.PAGE_TYPE] = Candidate(mention.values, [mention], probability)
    for field in FIELDS:
        candidates, forest = page.candidates(field), model.forests[field]
        choices[field] = choose(field, candidates, forest, page.confirmed(field), page_type=page_type)
    choices |= {field: _declared(field, page) for field in _DECLARED}
    published, modified = choices[Field.PUBLISHED], choices[Field.MODIFIED]
    if published and modified and modified.values[0][:10] < published.values[0][:10]:
        del choices[Field.MODIFIED]
    return {field: choice for field in Field if (choice := choices.get(field))}


def choose(
    field: Field,
    candidates: Candidates,
    forest: Forest,
    confirmed: Collection[int] = (),
    *,
    page_type: str = "",
) -> Candidate | None:
    """Return the most probable candidate for one of `FIELDS`; None if none reaches the threshold.

    Args:
        field: the field.
        candidates: its candidates.
        forest: its trees.
        confirmed: the blocks that a person confirmed to show it; one of their candidates is certain.
        page_type: the type of the page. Candidates among comments may be right if it is a thread of a forum.
    """
    certain = marked_candidate(candidates, forest, confirmed)
    if certain is not None:
        mentions = candidates.rows[certain].mentions
        marked = [mention for mention in mentions if mention.block in confirmed]
        return Candidate(candidates.rows[certain].values, [*marked, *mentions], 1.0)
    if not candidates.rows:
        return None
    is_possible = np.array([_is_possible(field, row) for row in candidates.rows], dtype=bool)
    if field is not Field.TITLE and page_type != PageType.FORUM:
        is_possible &= ~candidates.in_comments
    probability = forest.predict(candidates.x) * is_possible
    best = int(probability.argmax())
    row = candidates.rows[best if field is not Field.PUBLISHED else _day_in_url(candidates.rows, best)]
    values = persons(row.values) if field is Field.AUTHORS else row.values
    threshold = (THRESHOLDS if page_type in _DATED else _OTHERS)[field]
    is_probable = values and probability[best] >= threshold
    return Candidate(values, row.mentions, float(probability[best])) if is_probable else None


def _day_in_url(rows: Sequence[Candidate], best: int) -> int:
    """Return the index of the day in the URL if it is beside the best candidate, else that of the best.

    Moments in markup often are those of another time zone. The URL was right on all five such pages of 850.
    """
    day = date.fromisoformat(rows[best].values[0][:10])
    for index, row in enumerate(rows):
        in_url = any(mention.source is Source.URL and mention.name == "url" for mention in row.mentions)
        if in_url and abs(date.fromisoformat(row.values[0][:10]) - day).days == 1:
            return index
    return best


def marked_candidate(candidates: Candidates, trees: Forest, blocks: Collection[int]) -> int | None:
    """Return the index of the most probable candidate with text in one of the blocks, or None.

    A block may have several, such as the days of publication and of the last change.
    """
    rows = [
        row for row, each in enumerate(candidates.rows) if any(mention.block in blocks for mention in each.mentions)
    ]
    return rows[int(trees.predict(candidates.x[rows]).argmax())] if rows else None


def _is_possible(field: Field, row: Candidate) -> bool:
    """Return whether a candidate can be the value of a field, whatever its probability.

    A publication has more than markup for the last change. On pages, days of changes are shown as dates.
    """
    if field is Field.AUTHORS:
        return bool(persons(row.values))
    if field is Field.PUBLISHED:
        return any(mention.field is Field.PUBLISHED or mention.block >= 0 for mention in row.mentions)
    title = _NO_VALUE.sub("", row.values[0]).strip(" -|:.")
    if not title or _NO_TITLE.fullmatch(title):
        return False
    return not _ANY_PAGE.fullmatch(title) or any(mention.source is Source.PAGE for mention in row.mentions)


def persons(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names without variables of templates and names of accounts.

    >>> persons(("Ann Lee", "admin")), persons(("{{author}}",))
    (('Ann Lee',), ())
    """
    return tuple(name for name in names if not _NO_VALUE.search(name) and not _NO_PERSON.fullmatch(name))


def _declared(field: Field, page: MetadataPage) -> Candidate | None:
    """Return the value that markup most probably gives for a field, the first one of equals; None below `THRESHOLD`."""
    groups: dict[object, list[tuple[tuple[str, ...], Mention]]] = {}
    for mention in _mentions(field, page):
        if values := _values(field, mention, page):
            groups.setdefault(_key(field, values), []).append((values, mention))
    choices = [_combined(several) for several in groups.values()]
    best = max(choices, key=lambda choice: choice.probability, default=None)
    return best if best and best.probability >= THRESHOLD else None


def _combined(several: Sequence[tuple[tuple[str, ...], Mention]]) -> Candidate:
    """Return the value of mentions that agree: its form in the most precise property; each property counts once."""
    precision = {
        mention.name: _PRECISIONS.get((mention.field, mention.slot or mention.name), _DEFAULT) for _, mention in several
    }
    values = max(several, key=lambda each: precision[each[1].name])[0]
    return Candidate(values, [mention for _, mention in several], 1 - prod(1 - each for each in precision.values()))


def _mentions(field: Field, page: MetadataPage) -> Iterator[Mention]:
    """Yield the mentions of a field.

    For the site, also parts of the title that are written in the host name; for tags, the linked ones as one list.
    """
    mentions = page.mentions[field]
    if field is Field.TAGS and (linked := [mention.values[0] for mention in mentions if mention.name == "rel"][:50]):
        mentions = [mention for mention in mentions if mention.name != "rel"]
        mentions.append(Mention(field, tuple(linked), Source.MICRODATA, "rel", slot="microdata:tag"))
    yield from mentions
    if field is Field.SITE_NAME:
        snapshot = page.context.snapshot
        for part in split_title(snapshot.title[:1000]):
            if is_site_name(part, snapshot.url):
                yield Mention(field, (part[:100],), Source.TITLE, "part", slot="title:part")


def _values(field: Field, mention: Mention, page: MetadataPage) -> tuple[str, ...]:
    """Return the printed form of the values of a mention; empty if they are not of the kind of the field."""
    value = mention.values[0]
    if field in _URLS:
        return _absolute(value, page.context.snapshot.url)
    if field is Field.MODIFIED:
        return tuple(filter(None, [page.date_of(mention)]))
    if field is Field.TAGS:
        return tuple(dict.fromkeys(each for each in mention.values if normalize(each)))
    if field in (Field.FEEDS, Field.ALTERNATES):
        return tuple(each for each in mention.values if "://" in each)
    if field is Field.LICENSE:
        return _absolute(value, "") or (value[:200],)
    return () if value.startswith(("http://", "https://")) or not normalize(value) else (value,)


def _absolute(link: str, base: str) -> tuple[str, ...]:
    """Return a link as an absolute http(s) URL; empty if it is none."""
    url = join_url(base, link)
    return (url,) if url.startswith(("http://", "https://")) else ()


def _key(field: Field, values: tuple[str, ...]) -> object:
    """Return a key that equal values share; descriptions by their beginning, because some properties truncate them."""
    if field is Field.MODIFIED:
        return values[0][:10]
    if field in _URLS:
        return values[0].partition("://")[2].partition("?")[0].rstrip("/")
    return normalize(values[0])[:60] if field is Field.DESCRIPTION else tuple(map(normalize, values))


@dataclass(frozen=True, slots=True, eq=False)
class MetadataModel:
    """Trained models that choose among the candidates of a page.

    A model file is a zip archive: `card.json`, and the trees in LightGBM's text format.

    Attributes:
        forests: for each of `FIELDS`, the trees that predict whether a candidate is right, and for the type of the page
            those that predict it, a class for each of `PAGE_TYPES`.
        card: training corpora, versions, seed, columns.
    """

    forests: Mapping[Field, Forest]
    card: dict[str, Any]

    def to_bytes(self) -> bytes:
        """Serialize the model; equal models give equal bytes."""
        card = json.dumps(self.card, indent=1, sort_keys=True, ensure_ascii=False)
        trees = {f"{field.value}.txt": forest.text.encode() for field, forest in self.forests.items()}
        return model_file.pack({"card.json": card.encode(), **trees})


@cache
def load_shipped() -> MetadataModel:
    """Load the model that ships with the package.

    Raises:
        ModelError: the file is missing, damaged or of another version.
    """
    return from_bytes(model_file.read_shipped(SHIPPED))


def from_bytes(data: bytes) -> MetadataModel:
    """Deserialize the result of `MetadataModel.to_bytes`.

    Raises:
        ModelError: the data is damaged, or of another version.
    """
    card, forests = read(data, card_columns())
    return MetadataModel(forests, card)


def card_columns() -> dict[Field, list[str]]:
    """Return the names of the features of each model, as a card has them."""
    return {**{name: list(columns) for name, columns in COLUMNS.items()}, Field.PAGE_TYPE: list(PAGE_COLUMNS)}
