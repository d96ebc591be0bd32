"""Repair the tree of libxml2 where the HTML standard has a different one.

Paths, depths and names of elements then agree with those of a browser.
"""

from __future__ import annotations

import re
from typing import Final, cast

from lxml import etree

_TABLE_PARTS: Final = frozenset(("caption", "col", "colgroup", "tbody", "tfoot", "thead"))
"""Children of a table that end an implied `<tbody>`."""
_HTML_TAG: Final = re.compile(r"<html(?=\s)(?:=\s*+(?:\"[^\"]*+\"|'[^']*+')|[^>])*+>", re.IGNORECASE)


def insert_table_bodies(root: etree._Element) -> None:
    """Put rows that are children of a table into a `<tbody>` (HTML, 13.2.6.4.9: a row implies one)."""
    for table in root.iter("table"):
        body = None
        for child in list(table):
            if child.tag in _TABLE_PARTS:
                body = None
            elif child.tag == "tr":
                if body is None:
                    body = etree.Element("tbody")
                    child.addprevious(body)
                body.append(child)


def add_late_html_attributes(root: etree._Element, text: str) -> None:
    """Give the root the attributes of an `<html>` tag that follows other content (HTML, 13.2.6.4.7).

    Args:
        root: the root element.
        text: the source of the page.
    """
    if root.tag == "html" and not root.attrib:
        for name, value in _late_attributes(text):
            root.set(name, value)


def _late_attributes(text: str) -> list[tuple[str, str]]:
    """Return names and values of the attributes of the first `<html>` tag that has any."""
    tag = _HTML_TAG.search(text)
    if tag is None:
        return []
    element = etree.fromstring(tag[0].encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8"))
    return [] if element is None else cast("list[tuple[str, str]]", element.items())
