"""Read metadata from elements of the body: microdata, RDFa, `rel`, `<time>`, and links to pages of authors."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.metadata.mentions import MAX_MENTIONS, MAX_NAME_CHARS, Field, Mention, Source, clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.features.metadata.page_view import PageView

_PROPERTIES: Final = {
    "headline": Field.TITLE, "name": Field.TITLE, "author": Field.AUTHORS, "creator": Field.AUTHORS,
    "datepublished": Field.PUBLISHED, "datecreated": Field.PUBLISHED, "datemodified": Field.MODIFIED,
    "description": Field.DESCRIPTION, "articlesection": Field.SECTION, "keywords": Field.TAGS,
    "license": Field.LICENSE, "image": Field.IMAGE, "publisher": Field.SITE_NAME,
    "dateupdated": Field.MODIFIED, "dc:date": Field.PUBLISHED, "dc:creator": Field.AUTHORS, "dc:title": Field.TITLE,
}  # fmt: skip
"""Fields by property in lower case, without the vocabulary."""
_CONTENT: Final = ("content", "datetime", "title")
_AUTHOR_PAGE: Final = re.compile(
    r"/(?:authors?|autor(?:en|es|in)?|auteurs?|profiles?|contributors?|users?|u|members?|people|staff|journalists?|"
    r"by|writers?|redaktion|team|person|bio)/[^/?#]+/?(?:\Z|[?#])|/@[\w.-]+/?\Z|member\.php|memberlist\.php.*u=|author=",
    re.IGNORECASE,
)
"""Links to pages of authors and members."""
_LIMIT: Final = MAX_MENTIONS // 4


def marked_mentions(page: PageView) -> list[Mention]:
    """Return the mentions in marked elements, at most `MAX_MENTIONS`, those of one kind of markup after the other."""
    readers = (_properties, _related, _times, _author_links)
    return [mention for read in readers for mention in islice(read(page), _LIMIT)]


def _properties(page: PageView) -> Iterator[Mention]:
    for attribute in ("itemprop", "property"):
        for element, value in page.snapshot.attributes(attribute).items():
            names = [name.lower().rpartition("/")[2].removeprefix("schema:") for name in value[:200].split()]
            for name in names:
                if name in _PROPERTIES:
                    yield from _property(page, element, name, _PROPERTIES[name])


def site_prefix(url: str) -> str:
    """Return the scheme and the host of a URL, with the slash after it; an empty string without a URL.

    >>> site_prefix("https://www.example.org/a?b"), site_prefix("")
    ('https://www.example.org/', '')
    """
    parts = url.split("/", 3)
    return "/".join((*parts[:3], "")) if len(parts) >= 3 else ""


def _name_within(page: PageView, element: int) -> int:
    """Return the first element with the property `name` inside an element, such as that of an author; else itself."""
    properties = page.snapshot.values("itemprop")
    start, end = np.searchsorted(properties.node, [element + 1, int(page.snapshot.end[element])])
    inside = zip(properties.node[start:end].tolist(), properties.index[start:end].tolist(), strict=True)
    return next((node for node, index in inside if properties.distinct[index] == "name"), element)


def _property(page: PageView, element: int, name: str, field: Field) -> Iterator[Mention]:
    """Yield the mention of a property: the attribute that carries its value, or the text of the element."""
    attributes = page.snapshot.attributes
    if field in (Field.IMAGE, Field.LICENSE):
        value = attributes("src").get(element) or attributes("href").get(element) or attributes("content").get(element)
    else:
        element = _name_within(page, element) if field is Field.AUTHORS else element
        carried = (attributes(attribute).get(element) for attribute in _CONTENT[: 2 if field is Field.AUTHORS else 3])
        value = next(filter(None, carried), None) or page.text_of(element, 300)
    text = clean_text(value, 2000 if field is Field.IMAGE else 300)
    if text:
        kind = name if field is not Field.TITLE else f"{name}:{_item_type(page, element)}"
        yield Mention(field, (text,), Source.MICRODATA, kind, page.block_of(element), element)


def _item_type(page: PageView, element: int) -> str:
    """Return the kind of item around a property: the last part of the nearest `itemtype`, in lower case."""
    types = page.snapshot.attributes("itemtype")
    if not types:
        return ""
    nearest = next((types[each] for each in page.snapshot.ancestors(element)[:12] if each in types), "")
    return nearest[:200].rpartition("/")[2].lower()


def _related(page: PageView) -> Iterator[Mention]:
    for element, value in page.snapshot.attributes("rel").items():
        names = value[:200].lower().split()
        if "author" in names and (text := page.text_of(element, MAX_NAME_CHARS)):
            yield Mention(Field.AUTHORS, (text,), Source.MICRODATA, "rel", page.block_of(element), element)
        if "license" in names and (link := page.snapshot.attributes("href").get(element)):
            yield Mention(Field.LICENSE, (link,), Source.MICRODATA, "rel", page.block_of(element), element)
        if "tag" in names and (text := page.text_of(element, 60)):
            yield Mention(Field.TAGS, (text,), Source.MICRODATA, "rel", page.block_of(element), element)


def _times(page: PageView) -> Iterator[Mention]:
    snapshot = page.snapshot
    stamps = snapshot.attributes("datetime")
    for element in snapshot.is_tag(("time",)).nonzero()[0].tolist():
        text = stamps.get(element) or snapshot.attributes("title").get(element) or page.text_of(element, 100)
        if text:
            yield Mention(Field.PUBLISHED, (text[:100],), Source.TIME, "time", page.block_of(element), element)


def _author_links(page: PageView) -> Iterator[Mention]:
    links, site = page.snapshot.values("href"), site_prefix(page.snapshot.url)
    is_author = [link.startswith(site) and bool(_AUTHOR_PAGE.search(link[:300])) for link in links.distinct]
    for element, index in zip(links.node.tolist(), links.index.tolist(), strict=True):
        if is_author[index] and (text := page.text_of(element, MAX_NAME_CHARS)):
            yield Mention(Field.AUTHORS, (text,), Source.PAGE, "link", page.block_of(element), element)
