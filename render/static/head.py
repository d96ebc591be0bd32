"""Read the declarations of a parsed document: `<meta>`, `<link>` and JSON-LD."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vclean.render.document_head import DocumentHead
from vclean.render.static.columns import Links

if TYPE_CHECKING:
    from lxml import etree

_NAMES: Final = ("property", "name", "itemprop")
"""Attributes that name a `<meta>`; the first one that it has counts."""


def document_head(root: etree._Element) -> DocumentHead:
    """Return the declarations of a document, before scripts are removed from it; links as in the source."""
    meta, links, scripts = [], [], []
    for element in root.iter("meta", "link", "script"):
        if element.tag == "meta":
            meta.append((next(filter(None, map(element.get, _NAMES)), ""), element.get("content", "")))
        elif element.tag == "link":
            links += [(rel, element.get("href", "")) for rel in element.get("rel", "").lower().split()]
        elif "ld+json" in element.get("type", "").lower():
            scripts.append(element.text or "")
    return DocumentHead.collect((pair for pair in meta if pair[0]), links, scripts)


def with_absolute_links(head: DocumentHead, base: str) -> DocumentHead:
    """Return the declarations with links resolved against `base`, unless it is empty."""
    links = Links(base)
    return replace(head, links=tuple((rel, links.absolute(href)) for rel, href in head.links))
