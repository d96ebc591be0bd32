"""Read metadata from markup: JSON-LD, `<meta>`, `<link>`, and marked elements of the body (microdata, RDFa, `<time>`).

`data/properties.tsv` has the names that are read: https://schema.org, Open Graph, Dublin Core, and those of publishers'
tools. Nothing in JSON-LD (https://www.w3.org/TR/json-ld11/) is trusted: values of wrong types are skipped, depth and
number of objects are bounded. Broken JSON is repaired.
"""

from __future__ import annotations

import html
import json
import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

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
    from collections.abc import Iterator, Sequence

    from vclean.features.facts.page_view import PageView
    from vclean.render.document_head import DocumentHead

    Node = dict[str, Any]


_LISTS: Final = (Field.AUTHORS, Field.TAGS, Field.FEEDS, Field.ALTERNATES)
_OTHER_NAMES: Final = {
    "parsely-author": re.compile(r"(?:^|[_.:-])authors?(?:[_.-]?names?)?$"),
    "last-modified": re.compile(r"modif|moddate|updat|revis(?!it)"),
    "citation_date": re.compile(r"publi(?:s|c)(?!her)|pub[_.-]?date|creat(?:e|ion)|upload"),
}
"""Names of `<meta>` that publishers made up, and a name in the table of properties that they are read as."""
_SOCIAL: Final = re.compile(r"(?:og|article|twitter|book|al|product|video|music):")
_MARKUP: Final = re.compile(r"<[^>]{0,200}>")
_SEPARATED: Final = re.compile(r"\s*[,;|]\s*")
_WRITTEN_BY: Final = ("written", "verfasst", "geschrieben", "écrit", "escrito", "scritto", "geschreven", "автор", "by")
"""Beginnings of labels of authors in the languages of WordPress."""
_CONTENT: Final = ("content", "datetime", "title")
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
    values: dict[tuple[str, Property], list[str]] = {}
    for name, content in (*head.meta, *_written_by(head)):
        if (row := _meta_row(name)) and (text := _plain_text(content)):
            several = values.setdefault((name, row), [])
            if text not in several and len(several) < MAX_MENTIONS // 8:
                several.append(text)
    mentions = []
    for (name, row), texts in values.items():
        source = Source.OPEN_GRAPH if _SOCIAL.match(name) else Source.META
        if row.field is Field.TAGS:
            tags = (part for text in texts for part in _SEPARATED.split(text) if 0 < len(part) <= MAX_NAME_CHARS)
            parts = list(dict.fromkeys(tags))[:50]
        else:
            parts = texts if row.field in _LISTS else texts[:1]
        mentions.append(Mention(row.field, tuple(parts), source, name, slot=row.slot))
    return [*(mention for mention in mentions if mention.values), *_links(head)][:MAX_MENTIONS]


def _written_by(head: DocumentHead) -> Iterator[tuple[str, str]]:
    """Yield the author that WordPress gives in `twitter:label1` and `twitter:data1`, as a `<meta>` of its own name."""
    meta = dict(reversed(head.meta))
    for number in ("1", "2"):
        if meta.get(f"twitter:label{number}", "").casefold().startswith(_WRITTEN_BY):
            yield "twitter:data", meta.get(f"twitter:data{number}", "")


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


@lru_cache(1000)
def _meta_row(name: str) -> Property | None:
    """Return the property of a name of `<meta>`, or None."""
    like = next((like for like, pattern in _OTHER_NAMES.items() if pattern.search(name)), "")
    return PROPERTIES.get(("meta", name)) or PROPERTIES.get(("meta", like))


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
        names = (each for each, name in page.properties_in(element) if name == "name")
        element = next(names, element) if field is Field.AUTHORS else element
        carried = (attributes(attribute).get(element) for attribute in _CONTENT[: 2 if field is Field.AUTHORS else 3])
        value = next(filter(None, carried), None) or page.text_of(element, 300)
    text = clean_text(value, 2000 if field is Field.IMAGE else 300)
    if text:
        yield Mention(field, (text,), Source.MICRODATA, name, page.block_of(element), element, row.slot)


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
    site = "".join(re.findall(r"\A[^/]*//[^/]*/", page.snapshot.url))
    for element, link in page.snapshot.attributes("href").items():
        is_author = link.startswith(site) and _AUTHOR_PAGE.search(link[:300])
        if is_author and (text := page.text_of(element, MAX_NAME_CHARS)):
            yield Mention(Field.AUTHORS, (text,), Source.PAGE, "link", page.block_of(element), element, "link")


_MAX_NODES: Final = 2000
_MAX_DEPTH: Final = 12
_MAX_VALUES: Final = 50
"""Most values of a list, such as authors or keywords."""
_MAX_REPAIRED: Final = 60_000
"""Most characters of broken JSON that is repaired; time grows with their number."""
_KINDS: Final = {
    "product": re.compile(r"(?:product|application|vehicle|apartment|jobposting|offer)$"),
    "article": re.compile(
        r"(?:article|posting|report|recipe|review|howto|videoobject|question|course|event|book|creativework|movie|podcast\w*)$"
    ),
    "page": re.compile(r"page$"),
    "site": re.compile(r"website$"),
    "organization": re.compile(r"(?:organization|business|corporation|store|restaurant|hotel|school)$"),
}
"""Kinds of objects, by the ends of their types in lower case."""
ORGANIZATION: Final = "json-ld:organization"
"""Feature column of authors that are organizations."""


def json_ld_mentions(scripts: Sequence[str]) -> list[Mention]:
    """Return the mentions in the JSON-LD scripts of a page, at most `MAX_MENTIONS`.

    >>> [m.values for m in json_ld_mentions(['{"@type": "NewsArticle", "author": {"name": "Ann Lee"}}'])]
    [('Ann Lee',)]
    """
    nodes = [node for script in scripts for node in main_nodes(parse_json(script))]
    by_id = {node["@id"]: node for node in nodes if isinstance(node.get("@id"), str) and len(node) > 1}
    mentions = (mention for node in nodes for mention in _mentions_of(node, by_id))
    return list(islice(mentions, MAX_MENTIONS))


def parse_json(script: str) -> object:
    """Return the value of a script, repaired if it is broken; None if it cannot be read."""
    try:
        return json.loads(script, strict=False)
    except RecursionError:
        return None
    except ValueError:
        if len(script) > _MAX_REPAIRED or "{" not in script:
            return None
    import json_repair  # imports take 20 ms, and one script in a hundred needs it

    try:
        return json_repair.loads(script, skip_json_loads=True)
    except (ValueError, RecursionError, TypeError, IndexError, AttributeError):
        return None


def main_nodes(value: object) -> list[Node]:
    """Return the objects that describe the page: at the top, in `@graph`, and as `mainEntity`; at most `_MAX_NODES`."""
    nodes: list[Node] = []
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting and len(nodes) < _MAX_NODES:
        current, depth = waiting.pop(0)
        if isinstance(current, list) and depth < _MAX_DEPTH:
            waiting += [(each, depth + 1) for each in current[:_MAX_NODES]]
        elif isinstance(current, dict):
            nodes.append(current)
            if depth < _MAX_DEPTH:
                waiting += [(current[name], depth + 1) for name in ("@graph", "mainEntity") if name in current]
    return nodes


def type_names(types: object) -> list[str]:
    """Return the names of types without their vocabulary, in lower case; other values than strings have none."""
    several = types if isinstance(types, list) else [types]
    return [each[:200].lower().rpartition("/")[2] for each in several[:_MAX_VALUES] if isinstance(each, str)]


def _kind(node: Node) -> str:
    names = type_names(node.get("@type", ""))
    kinds = (kind for kind, pattern in _KINDS.items() if any(map(pattern.search, names)))
    return next(kinds, "other" if names else "untyped")


def _mentions_of(node: Node, by_id: dict[str, Node]) -> Iterator[Mention]:
    """Yield the mentions in the properties of an object that `data/properties.tsv` has for its kind."""
    kind = _kind(node)
    for name, value in list(node.items())[:_MAX_NODES]:
        row = PROPERTIES.get(("json-ld", f"{kind}.{name}"))
        if row is None:
            continue
        for slot, values in _values(row.field, value, by_id):
            if present := tuple(filter(None, values)):
                yield Mention(row.field, present, Source.JSON_LD, f"{kind}.{name}", slot=slot or row.slot)


def _values(field: Field, value: object, by_id: dict[str, Node]) -> list[tuple[str, Sequence[str]]]:
    """Return the values of a property as text, each with the feature column if it is not that of the property."""
    if field is Field.AUTHORS:
        people, firms = _names(value, by_id)
        return [("", people), (ORGANIZATION, firms)]
    if field is Field.SITE_NAME:
        return [("", [*(names := _names(value, by_id))[0], *names[1]][:1])]
    if field is Field.IMAGE:
        return [("", [_image(value, by_id)])]
    if field is Field.TAGS:
        words = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
        return [("", list(dict.fromkeys(first_text(word, MAX_NAME_CHARS) for word in words[:_MAX_VALUES])))]
    return [("", [first_text(value)])]


def first_text(value: object, limit: int = 500) -> str:
    """Return a text, the first of a list of texts, a number, or the text of a language-tagged value."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("@value", value.get("name"))
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)[:limit]
    text = clean_text(value, limit)
    return clean_text(html.unescape(text), limit) if "&" in text else text


def _names(value: object, by_id: dict[str, Node]) -> tuple[list[str], list[str]]:
    """Return the names of persons, and those of organizations: strings, objects with names, or references to them."""
    people: list[str] = []
    firms: list[str] = []
    for each in (value if isinstance(value, list) else [value])[:_MAX_VALUES]:
        node = each
        if isinstance(node, dict) and not node.get("name") and isinstance(node.get("@id"), str):
            node = by_id.get(node["@id"], node)
        name = first_text(node.get("name") if isinstance(node, dict) else node, MAX_NAME_CHARS + 1)
        if not name and isinstance(node, dict):
            name = f"{first_text(node.get('givenName'), 60)} {first_text(node.get('familyName'), 60)}".strip()
        names = firms if isinstance(node, dict) and _kind(node) == "organization" else people
        if name and len(name) <= MAX_NAME_CHARS and name not in names:
            names.append(name)
    return people, firms


def _image(value: object, by_id: dict[str, Node]) -> str:
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = by_id.get(value["@id"], value) if isinstance(value.get("@id"), str) and len(value) == 1 else value
        value = value.get("url") or value.get("contentUrl")
    return clean_text(value, 2000)
