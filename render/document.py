"""A snapshot as a document again, for selectors and for libraries that want one.

It has the elements, attributes and texts that the snapshot has: no scripts, no comments, and after rendering what the
page's scripts made of it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from lxml import etree

from vclean.characters import legal
from vclean.render.snapshot import ATTRIBUTES

if TYPE_CHECKING:
    from vclean.render.snapshot import Snapshot

_NAME = re.compile(r"[a-z_][\w.-]*", re.IGNORECASE)
"""What lxml takes for a name; the HTML parser lets more pass."""
_OTHER = "x-other"


def to_elements(snapshot: Snapshot) -> list[etree._Element]:
    """The elements of the document, in their order; the first is the root.

    An element whose name no document may have is called `x-other`.
    """
    names = [_legal_name(tag) for tag in snapshot.tags]
    elements: list[etree._Element] = []
    for tag, parent in zip(snapshot.tag.tolist(), snapshot.parent.tolist(), strict=True):
        name = names[tag]
        elements.append(etree.SubElement(elements[parent], name) if parent >= 0 else etree.Element(name))
    for node, name, value in zip(
        snapshot.attr_node.tolist(), snapshot.attr_name.tolist(), snapshot.attr_value, strict=True
    ):
        elements[node].set(ATTRIBUTES[name], legal(value))
    _write_texts(snapshot, elements)
    return elements


def to_html(snapshot: Snapshot) -> str:
    """The document as HTML, with a head that has the page's title."""
    root = to_elements(snapshot)[0]
    head = etree.Element("head")
    etree.SubElement(head, "meta", charset="utf-8")
    etree.SubElement(head, "title").text = legal(snapshot.title)
    root.insert(0, head)
    return f"<!DOCTYPE html>\n{etree.tostring(root, method='html', encoding='unicode')}"


def _write_texts(snapshot: Snapshot, elements: list[etree._Element]) -> None:
    """Put every text where it stood: at its parent's beginning, or behind the child that comes before it."""
    above = snapshot.parent.tolist()
    places = zip(snapshot.texts, snapshot.text_parent.tolist(), snapshot.text_after.tolist(), strict=True)
    for text, parent, after in places:
        child = after
        while child != parent and above[child] != parent:
            child = above[child]
        if child == parent:
            elements[parent].text = (elements[parent].text or "") + legal(text)
        else:
            elements[child].tail = (elements[child].tail or "") + legal(text)


@lru_cache(maxsize=1000)
def _legal_name(tag: str) -> str:
    return tag if _NAME.fullmatch(tag) else _OTHER
