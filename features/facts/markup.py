"""Read metadata from `<meta>`, `<link>` and marked elements of the body: microdata, RDFa, `rel`, `<time>`, links.

`data/properties.tsv` has the names that are read: Open Graph, Dublin Core, and those of publishers' tools.
"""

from __future__ import annotations

import html
import re
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.facts.mentions import (
    MAX_MENTIONS,
    MAX_NAME_CHARS,
    PROPERTIES,
    Field,
    Mention,
    Property,
    Source,
    clean_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.features.facts.page_view import PageView
    from vclean.render.document_head import DocumentHead

_LISTS: Final = (Field.AUTHORS, Field.TAGS, Field.FEEDS, Field.ALTERNATES)
_AUTHOR_NAME: Final = re.compile(r"(?:^|[_.:-])authors?(?:[_.-]?names?)?$")
"""Names of `<meta>` that publishers made up for authors."""
_OTHER_AUTHOR: Final = PROPERTIES["meta", "parsely-author"]
_SOCIAL: Final = re.compile(r"(?:og|article|twitter|book|al|product|video|music):")
_MARKUP: Final = re.compile(r"<[^>]{0,200}>")
_SEPARATED: Final = re.compile(r"\s*[,;|]\s*")
_WRITTEN_BY: Final = ("written", "verfasst", "geschrieben", "écrit", "escrito", "scritto", "geschreven", "автор", "by")
"""Beginnings of labels of authors in the languages of WordPress."""
_CONTENT: Final = ("content", "datetime", "title")
_ITEM: Final = re.compile(r"article|posting|product|recipe|discussion|video|question|blog$")
"""Types of items whose name is the title of the page."""
_AUTHOR_PAGE: Final = re.compile(
    r"/(?:authors?|autor(?:en|es|in)?|auteurs?|profiles?|contributors?|users?|u|members?|people|staff|journalists?|"
    r"by|writers?|redaktion|team|person|bio)/[^/?#]+/?(?:\Z|[?#])|/@[\w.-]+/?\Z|member\.php|memberlist\.php.*u=|author=",
    re.IGNORECASE,
)
"""Links to pages of authors and members."""
_LIMIT: Final = MAX_MENTIONS // 4


def head_mentions(head: DocumentHead) -> list[Mention]:
    """Return the mentions in `<meta>` and `<link>`, at most `MAX_MENTIONS`; repeated names are one list.

    >>> from vclean.render.document_head import DocumentHead
    >>> [m.values for m in head_mentions(DocumentHead(meta=(("article:tag", "a"), ("article:tag", "b"))))]
    [('a', 'b')]
    """
    values: dict[str, list[str]] = {}
    for name, content in head.meta:
        if (("meta", name) in PROPERTIES or _AUTHOR_NAME.search(name)) and (text := _plain_text(content)):
            several = values.setdefault(name, [])
            if text not in several and len(several) < MAX_MENTIONS // 8:
                several.append(text)
    mentions = [mention for name, several in values.items() for mention in _meta(name, several)]
    return [*mentions, *_written_by(head), *_links(head)][:MAX_MENTIONS]


def _links(head: DocumentHead) -> Iterator[Mention]:
    """Yield the links that give a field; those of a list in one mention, versions of the page after their language."""
    lists: dict[str, list[str]] = {}
    for rel, href in head.links:
        kind, _, language = rel.partition(":")
        row = PROPERTIES.get(("link", kind))
        if row and row.field in _LISTS:
            lists.setdefault(kind, []).append(f"{language} {href}".lstrip())
        elif row:
            yield Mention(row.field, (href,), Source.LINK, rel, slot=row.slot)
    for kind, values in lists.items():
        row = PROPERTIES["link", kind]
        yield Mention(row.field, tuple(dict.fromkeys(values)), Source.LINK, kind, slot=row.slot)


def _plain_text(content: str) -> str:
    text = clean_text(content, 1000)
    return clean_text(_MARKUP.sub(" ", html.unescape(text)), 1000) if "&" in text or "<" in text else text


def _meta(name: str, values: list[str]) -> Iterator[Mention]:
    row = PROPERTIES.get(("meta", name), _OTHER_AUTHOR)
    source = Source.OPEN_GRAPH if _SOCIAL.match(name) else Source.META
    if row.field is Field.TAGS:
        parts = [part for value in values for part in _SEPARATED.split(value) if 0 < len(part) <= MAX_NAME_CHARS]
        values = list(dict.fromkeys(parts))[:50]
    if values:
        yield Mention(row.field, tuple(values) if row.field in _LISTS else (values[0],), source, name, slot=row.slot)


def _written_by(head: DocumentHead) -> Iterator[Mention]:
    """Yield the author that WordPress gives in `twitter:label1` and `twitter:data1`."""
    meta, slot = dict(reversed(head.meta)), PROPERTIES["meta", "twitter:data"].slot
    for number in ("1", "2"):
        label, value = meta.get(f"twitter:label{number}", ""), _plain_text(meta.get(f"twitter:data{number}", ""))
        if value and label.casefold().startswith(_WRITTEN_BY):
            yield Mention(Field.AUTHORS, (value,), Source.OPEN_GRAPH, "twitter:data", slot=slot)


def body_mentions(page: PageView) -> list[Mention]:
    """Return the mentions in marked elements, at most `MAX_MENTIONS`, those of one kind of markup after the other."""
    readers = (_properties, _related, _times, _author_links)
    return [mention for read in readers for mention in islice(read(page), _LIMIT)]


def _properties(page: PageView) -> Iterator[Mention]:
    for attribute in ("itemprop", "property"):
        for element, value in page.snapshot.attributes(attribute).items():
            for each in value[:200].split():
                name = each.lower().rpartition("/")[2].removeprefix("schema:")
                if row := PROPERTIES.get(("microdata", name)):
                    yield from _property(page, element, name, row)


def _property(page: PageView, element: int, name: str, row: Property) -> Iterator[Mention]:
    """Yield the mention of a property: the attribute that carries its value, or the text of the element."""
    attributes, field = page.snapshot.attributes, row.field
    if field in (Field.IMAGE, Field.LICENSE):
        value = attributes("src").get(element) or attributes("href").get(element) or attributes("content").get(element)
    else:
        element = _name_within(page, element) if field is Field.AUTHORS else element
        carried = (attributes(attribute).get(element) for attribute in _CONTENT[: 2 if field is Field.AUTHORS else 3])
        value = next(filter(None, carried), None) or page.text_of(element, 300)
    text = clean_text(value, 2000 if field is Field.IMAGE else 300)
    if text:
        is_item = name == "name" and _ITEM.search(_item_type(page, element))
        slot = PROPERTIES["microdata", "headline"].slot if is_item else row.slot
        yield Mention(field, (text,), Source.MICRODATA, name, page.block_of(element), element, slot)


def _name_within(page: PageView, element: int) -> int:
    """Return the first element with the property `name` inside an element, such as that of an author; else itself."""
    properties = page.snapshot.values("itemprop")
    start, end = np.searchsorted(properties.node, [element + 1, int(page.snapshot.end[element])])
    inside = zip(properties.node[start:end].tolist(), properties.index[start:end].tolist(), strict=True)
    return next((node for node, index in inside if properties.distinct[index] == "name"), element)


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
        for name in filter(names.__contains__, ("author", "license", "tag")):
            row = PROPERTIES["microdata", "rel" if name == "author" else name]
            is_link = row.field is Field.LICENSE
            text = page.snapshot.attributes("href").get(element) if is_link else page.text_of(element, MAX_NAME_CHARS)
            if text:
                yield Mention(row.field, (text,), Source.MICRODATA, "rel", page.block_of(element), element, row.slot)


def _times(page: PageView) -> Iterator[Mention]:
    snapshot = page.snapshot
    stamps = snapshot.attributes("datetime")
    for element in snapshot.is_tag(("time",)).nonzero()[0].tolist():
        text = stamps.get(element) or snapshot.attributes("title").get(element) or page.text_of(element, 100)
        if text:
            yield Mention(Field.PUBLISHED, (text[:100],), Source.TIME, "time", page.block_of(element), element, "time")


def _author_links(page: PageView) -> Iterator[Mention]:
    links = page.snapshot.values("href")
    site = "".join(re.findall(r"\A[^/]*//[^/]*/", page.snapshot.url))
    is_author = [link.startswith(site) and bool(_AUTHOR_PAGE.search(link[:300])) for link in links.distinct]
    for element, index in zip(links.node.tolist(), links.index.tolist(), strict=True):
        if is_author[index] and (text := page.text_of(element, MAX_NAME_CHARS)):
            yield Mention(Field.AUTHORS, (text,), Source.PAGE, "link", page.block_of(element), element, "link")
