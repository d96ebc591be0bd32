"""Read metadata from `<meta>` and `<link>`: Open Graph, Dublin Core, and the names that publishers' tools use."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final

from vclean.features.metadata.mentions import MAX_MENTIONS, MAX_NAME_CHARS, Field, Mention, Source, clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.render.document_head import DocumentHead

_FIELDS: Final = {
    Field.TITLE: (
        "og:title twitter:title dc.title dcterms.title citation_title parsely-title sailthru.title title headline "
        "article:title hdl bt:title"
    ),
    Field.AUTHORS: (
        "author article:author dc.creator dcterms.creator dc.creator.personalname citation_author parsely-author "
        "sailthru.author byl article:author_name og:article:author rbauthors book:author authors "
        "shareaholic:article_author_name creator xauthor twitter:creator:name cxenseparse:author dc:creator"
    ),
    Field.PUBLISHED: (
        "article:published_time article:published og:published_time og:article:published_time dc.date dcterms.date "
        "dcterms.created dc.date.issued dc.date.created dcterms.issued citation_publication_date citation_date "
        "citation_online_date parsely-pub-date sailthru.date date pubdate publishdate publish-date publish_date "
        "pubyear article.published article_date_original originalpublicationdate datepublished rnews:datepublished "
        "created og:release_date book:release_date cxenseparse:recs:publishtime ptime displaydate publication_date "
        "date.created article:create timestamp dc:date pdate pub_date datecreated iso-8601-publish-date bt:pubdate "
        "prism.publicationdate cse-publishdate last-publication-date date_published article.created published_time"
    ),
    Field.MODIFIED: (
        "article:modified_time article:modified og:updated_time dc.date.modified dcterms.modified lastmod last- "
        "modified datemodified updated_time bt:moddate revised og:article:modified_time modified last_updated "
        "article.updated utime updated"
    ),
    Field.SITE_NAME: (
        "og:site_name application-name publisher dc.publisher al:ios:app_name apple-mobile-web-app-title "
        "article:publisher dcterms.publisher site_name"
    ),
    Field.DESCRIPTION: (
        "og:description description twitter:description dc.description dcterms.description dcterms.abstract "
        "sailthru.description"
    ),
    Field.CANONICAL_URL: ("og:url twitter:url"),
    Field.IMAGE: (
        "og:image og:image:url og:image:secure_url twitter:image twitter:image:src thumbnail parsely-image-url "
        "sailthru.image.full msapplication-tileimage"
    ),
    Field.SECTION: (
        "article:section parsely-section section og:article:section category sailthru.section cxenseparse:section"
    ),
    Field.TAGS: (
        "article:tag keywords news_keywords parsely-tags sailthru.tags citation_keywords dc.subject dcterms.subject"
    ),
    Field.LICENSE: ("license dc.rights.license dcterms.license dc.license"),
}
"""Names of `<meta>` elements by field."""
_FIELD_OF: Final = {name: field for field, names in _FIELDS.items() for name in names.split()}
_AUTHOR_NAME: Final = re.compile(r"(?:^|[_.:-])authors?(?:[_.-]?names?)?$")
"""Names that publishers made up for authors."""
_SOCIAL: Final = re.compile(r"(?:og|article|twitter|book|al|product|video|music):")
_LINKS: Final = {
    "canonical": Field.CANONICAL_URL, "image_src": Field.IMAGE, "license": Field.LICENSE,
}  # fmt: skip
_MARKUP: Final = re.compile(r"<[^>]{0,200}>")
_LISTS: Final = (Field.AUTHORS, Field.TAGS)
_SEPARATED: Final = re.compile(r"\s*[,;|]\s*")


def meta_mentions(head: DocumentHead) -> list[Mention]:
    """Return the mentions in `<meta>` and `<link>`, at most `MAX_MENTIONS`; repeated names are one list.

    >>> from vclean.render.document_head import DocumentHead
    >>> [m.values for m in meta_mentions(DocumentHead(meta=(("article:tag", "a"), ("article:tag", "b"))))]
    [('a', 'b')]
    """
    values: dict[str, list[str]] = {}
    for name, content in head.meta:
        if (name in _FIELD_OF or _AUTHOR_NAME.search(name)) and (text := _text(content)):
            several = values.setdefault(name, [])
            if text not in several and len(several) < MAX_MENTIONS // 8:
                several.append(text)
    mentions = [mention for name, several in values.items() for mention in _mentions(name, several)]
    return [*mentions, *_written_by(head), *_links(head)][:MAX_MENTIONS]


def _text(content: str) -> str:
    text = clean_text(content, 1000)
    return clean_text(_MARKUP.sub(" ", html.unescape(text)), 1000) if "&" in text or "<" in text else text


def _mentions(name: str, values: list[str]) -> Iterator[Mention]:
    field = _FIELD_OF.get(name, Field.AUTHORS)
    source = Source.OPEN_GRAPH if _SOCIAL.match(name) else Source.META
    if field is Field.TAGS:
        parts = [part for value in values for part in _SEPARATED.split(value) if 0 < len(part) <= MAX_NAME_CHARS]
        values = list(dict.fromkeys(parts))[:50]
    if values:
        yield Mention(field, tuple(values) if field in _LISTS else (values[0],), source, name)


def _written_by(head: DocumentHead) -> Iterator[Mention]:
    """Yield the author that WordPress gives in `twitter:label1` and `twitter:data1`."""
    meta = dict(reversed(head.meta))
    for number in ("1", "2"):
        label, value = meta.get(f"twitter:label{number}", ""), _text(meta.get(f"twitter:data{number}", ""))
        if value and label.casefold().startswith(_WRITTEN_BY):
            yield Mention(Field.AUTHORS, (value,), Source.OPEN_GRAPH, "twitter:data")


_WRITTEN_BY: Final = ("written", "verfasst", "geschrieben", "écrit", "escrito", "scritto", "geschreven", "автор", "by")
"""Beginnings of labels of authors in the languages of WordPress."""


def _links(head: DocumentHead) -> Iterator[Mention]:
    for rel, href in head.links:
        if rel in _LINKS:
            yield Mention(_LINKS[rel], (href,), Source.LINK, rel)
