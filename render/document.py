"""Convert a snapshot back to a document, for selectors and for libraries that need one.

The document has the elements, attributes and texts of the snapshot, without scripts and comments. After rendering it
includes the changes that scripts made.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from lxml import etree

from vclean.characters import replace_illegal
from vclean.render.snapshot import ATTRIBUTES

if TYPE_CHECKING:
    from vclean.render.snapshot import Snapshot

_NAME = re.compile(r"[a-z_][\w.-]*", re.IGNORECASE)
"""Element names that lxml accepts; the HTML parser accepts more."""
_FALLBACK_NAME = "x-other"


def to_elements(snapshot: Snapshot) -> list[etree._Element]:
    """Return the elements of the document in document order; the first is the root.

    Elements with illegal names become `x-other`.
    """
    names = [_legal_name(tag) for tag in snapshot.tags]
    elements: list[etree._Element] = []
    for tag, parent in zip(snapshot.tag.tolist(), snapshot.parent.tolist(), strict=True):
        name = names[tag]
        elements.append(etree.SubElement(elements[parent], name) if parent >= 0 else etree.Element(name))
    for node, name, value in zip(
        snapshot.attr_node.tolist(), snapshot.attr_name.tolist(), snapshot.attr_value, strict=True
    ):
        elements[node].set(ATTRIBUTES[name], replace_illegal(value))
    _write_texts(snapshot, elements)
    return elements


def to_html(snapshot: Snapshot) -> str:
    """Return the document as HTML; its head contains the title of the page."""
    root = to_elements(snapshot)[0]
    head = etree.Element("head")
    etree.SubElement(head, "meta", charset="utf-8")
    etree.SubElement(head, "title").text = replace_illegal(snapshot.title)
    root.insert(0, head)
    return f"<!DOCTYPE html>\n{etree.tostring(root, method='html', encoding='unicode')}"


def _write_texts(snapshot: Snapshot, elements: list[etree._Element]) -> None:
    """Insert every text at its position: at the start of its parent, or after the preceding child."""
    parents = snapshot.parent.tolist()
    positions = zip(snapshot.texts, snapshot.text_parent.tolist(), snapshot.text_after.tolist(), strict=True)
    for text, parent, after in positions:
        child = after
        while child != parent and parents[child] != parent:
            child = parents[child]
        if child == parent:
            elements[parent].text = (elements[parent].text or "") + replace_illegal(text)
        else:
            elements[child].tail = (elements[child].tail or "") + replace_illegal(text)


@lru_cache(maxsize=1000)
def _legal_name(tag: str) -> str:
    return tag if _NAME.fullmatch(tag) else _FALLBACK_NAME
