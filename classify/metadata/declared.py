"""Choose the fields that documents declare in markup.

They are site name, description, canonical URL, image, section, tags, license and the day of the last change.

Each property has a precision: how often its value is that of the other properties of the page, on the training
corpora. Properties that agree are combined by noisy-or (Pearl 1988, 4.3.2): 1 - (1 - p)(1 - q).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from vclean.classify.metadata.model import Choice
from vclean.features.metadata.dates import parse_date
from vclean.features.metadata.mentions import Field, Mention, Source
from vclean.features.text.page_title import is_site_name, normalize, split_title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.features.metadata.candidates import MetadataPage

THRESHOLD: Final = 0.5
"""Lowest probability of a value; below it the field is absent."""

_DEFAULT: Final = 0.55
_PRECISION: Final = {
    Field.MODIFIED: {
        "article.dateModified": 0.9, "article:modified_time": 0.9, "page.dateModified": 0.75, "updated": 0.7,
        "og:updated_time": 0.7, "datemodified": 0.8, "product.dateModified": 0.6,
    },
    Field.SITE_NAME: {
        "og:site_name": 0.9, "site.name": 0.8, "article.publisher": 0.75, "page.isPartOf": 0.7, "part": 0.6,
        "organization.name": 0.6, "application-name": 0.7, "apple-mobile-web-app-title": 0.6, "publisher": 0.6,
    },
    Field.DESCRIPTION: {
        "og:description": 0.85, "description": 0.85, "twitter:description": 0.8, "article.description": 0.8,
        "product.description": 0.6, "page.description": 0.7,
    },
    Field.CANONICAL_URL: {"canonical": 0.97, "og:url": 0.85, "twitter:url": 0.6},
    Field.IMAGE: {
        "og:image": 0.9, "og:image:url": 0.9, "og:image:secure_url": 0.9, "twitter:image": 0.85,
        "twitter:image:src": 0.85,
        "article.image": 0.85, "product.image": 0.8, "image_src": 0.8, "image": 0.6, "page.image": 0.7,
        "msapplication-tileimage": 0.2,
    },
    Field.SECTION: {"article:section": 0.85, "article.articleSection": 0.85, "parsely-section": 0.85, "section": 0.7},
    Field.TAGS: {
        "article:tag": 0.85, "article.keywords": 0.8, "parsely-tags": 0.75, "news_keywords": 0.8, "keywords": 0.65,
        "rel": 0.6,
    },
    Field.LICENSE: {"license": 0.9, "rel": 0.75, "article.license": 0.8, "dc.rights.license": 0.8},
}  # fmt: skip
_URLS: Final = (Field.CANONICAL_URL, Field.IMAGE)
_MAX_TAGS: Final = 50


def choose_declared(page: MetadataPage) -> dict[Field, Choice]:
    """Return the most probable value of each field in markup; none below `THRESHOLD`."""
    chosen = {field: _best(field, page) for field in _PRECISION}
    return {field: choice for field, choice in chosen.items() if choice and choice.probability >= THRESHOLD}


def _best(field: Field, page: MetadataPage) -> Choice | None:
    """Return the value with the highest probability, the first one of equals."""
    groups: dict[object, list[tuple[tuple[str, ...], Mention]]] = {}
    for mention in _mentions(field, page):
        values = _values(field, mention, page)
        if values:
            groups.setdefault(_key(field, values), []).append((values, mention))
    best: Choice | None = None
    for several in groups.values():
        probability = _noisy_or(field, [mention for _, mention in several])
        if best is None or probability > best.probability:
            values = max(several, key=lambda each: _precision(field, each[1]))[0]
            best = Choice(values, probability, [mention for _, mention in several])
    return best


def _mentions(field: Field, page: MetadataPage) -> Iterator[Mention]:
    """Yield the mentions of a field.

    For the site, also parts of the title that are written in the host name; for tags, the linked ones as one list.
    """
    mentions = page.mentions[field]
    if field is Field.TAGS:
        linked = tuple(mention.values[0] for mention in mentions if mention.name == "rel")[:_MAX_TAGS]
        yield from (mention for mention in mentions if mention.name != "rel")
        if linked:
            yield Mention(field, linked, Source.MICRODATA, "rel")
        return
    yield from mentions
    if field is Field.SITE_NAME:
        snapshot = page.context.snapshot
        for part in split_title(snapshot.title[:1000]):
            if is_site_name(part, snapshot.url):
                yield Mention(field, (part[:100],), Source.TITLE, "part")


def _values(field: Field, mention: Mention, page: MetadataPage) -> tuple[str, ...]:
    """Return the printed form of the values of a mention; empty if they are not of the kind of the field."""
    if field in _URLS:
        return _absolute(mention.values[0], page.context.snapshot.url)
    if field is Field.MODIFIED:
        value = parse_date(mention.values[0], page.language, day_first=page.day_first)
        return (value,) if value else ()
    if field is Field.TAGS:
        return tuple(dict.fromkeys(value for value in mention.values if normalize(value)))
    if field is Field.LICENSE:
        return _absolute(mention.values[0], "") or (mention.values[0][:200],)
    is_link = mention.values[0].startswith(("http://", "https://"))
    return () if is_link or not normalize(mention.values[0]) else mention.values[:1]


def _absolute(link: str, base: str) -> tuple[str, ...]:
    """Return a link as an absolute http(s) URL; empty if it is none."""
    try:
        url = urljoin(base, link.strip())
    except ValueError:
        return ()
    return (url,) if url.startswith(("http://", "https://")) else ()


def _key(field: Field, values: tuple[str, ...]) -> object:
    """Return a key that equal values share."""
    if field is Field.MODIFIED:
        return values[0][:10]
    if field in _URLS:
        return values[0].partition("://")[2].partition("?")[0].rstrip("/")
    return tuple(map(_short if field is Field.DESCRIPTION else normalize, values))


def _short(text: str) -> str:
    """Return the beginning of a description, because some properties truncate it."""
    return normalize(text)[:60]


def _precision(field: Field, mention: Mention) -> float:
    return _PRECISION[field].get(mention.name, _DEFAULT)


def _noisy_or(field: Field, mentions: list[Mention]) -> float:
    """Return the probability that the common value of mentions is right; each property counts once."""
    wrong = 1.0

    for precision in {mention.name: _precision(field, mention) for mention in mentions}.values():
        wrong *= 1 - precision
    return 1 - wrong
