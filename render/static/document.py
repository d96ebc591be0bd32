"""Read a source into the tree of libxml2, read its declarations, and make the tree that of a page.

Paths, depths and names of elements then agree with those of a browser.
"""

from __future__ import annotations

import re
from typing import Final, cast

from lxml import etree

from vclean.errors import LimitError, NotHtmlError
from vclean.render.document_head import DocumentHead, stored_links
from vclean.render.snapshot import CONTROL_TAGS, noscript_needed
from vclean.render.static.styles import REPLACED_TAGS, SKIPPED_TAGS

_TOO_DEEP: Final = etree.ErrorTypes.ERR_RESOURCE_LIMIT
_BODY_END: Final = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
_HTML_TAG: Final = re.compile(r"<html(?=\s)(?:=\s*+(?:\"[^\"]*+\"|'[^']*+')|[^>])*+>", re.IGNORECASE)
_TABLE_PARTS: Final = frozenset(("caption", "col", "colgroup", "tbody", "tfoot", "thead"))
"""Children of a table that end an implied `<tbody>`."""
_META_NAMES: Final = ("property", "name", "itemprop")
"""Attributes that name a `<meta>`; the first one that it has counts."""


def read_tree(text: str) -> etree._Element:
    """Return the root of a source.

    Raises:
        NotHtmlError: the source has no element.
        LimitError: elements are nested too deeply.
    """
    # Content after `</html>` becomes siblings of the root in libxml2; browsers add it to the body (HTML, 13.2.6.4.19).
    text = _BODY_END.sub("", text)
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, collect_ids=False
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise NotHtmlError("no HTML in the input: give a web page") from error
    if root is None:
        raise NotHtmlError("no HTML in the input: give a web page")
    if any(entry.type == _TOO_DEEP for entry in parser.error_log):
        raise LimitError("elements are nested deeper than the parser's 2,048 levels: clean the page with --render")
    if root.tag == "html" and not root.attrib:
        for name, value in _late_attributes(text):
            root.set(name, value)
    return root


def _late_attributes(text: str) -> list[tuple[str, str]]:
    """Return the attributes of the first `<html>` tag that has any; it may follow other content (HTML, 13.2.6.4.7)."""
    tag = _HTML_TAG.search(text)
    if tag is None:
        return []
    element = etree.fromstring(tag[0].encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8"))
    return [] if element is None else cast("list[tuple[str, str]]", element.items())


def document_head(root: etree._Element) -> DocumentHead:
    """Return the declarations of a document, before scripts are removed from it; links as in the source."""
    meta, links, scripts = [], [], []
    for element in root.iter("meta", "link", "script"):
        if element.tag == "meta":
            meta.append((next(filter(None, map(element.get, _META_NAMES)), ""), element.get("content", "")))
        elif element.tag == "link":
            links.append([element.get(name, "") for name in ("rel", "href", "type", "hreflang")])
        elif "ld+json" in element.get("type", "").lower():
            scripts.append(element.text or "")
    return DocumentHead.collect((pair for pair in meta if pair[0]), stored_links(links), scripts)


def prune(root: etree._Element) -> bool:
    """Remove elements that are not part of a snapshot; return whether `<noscript>` content is kept."""
    for element in root.iter(*(REPLACED_TAGS - {"math"})):  # formulas are text: see vclean.render.static.formulas
        element.text = None
        del element[:]
    etree.strip_elements(root, *SKIPPED_TAGS, with_tail=False)
    is_needed = _needs_noscript(root)
    if not is_needed:
        etree.strip_elements(root, "noscript", with_tail=False)
    _empty_head(root)
    _insert_table_bodies(root)
    return is_needed


def _needs_noscript(root: etree._Element) -> bool:
    outermost = [block for block in root.iter("noscript") if next(block.iterancestors("noscript"), None) is None]
    inside = sum(map(visible_length, outermost))
    if not inside:  # most contain images only
        return False
    outside = visible_length(root) - inside
    if inside <= outside:  # most pages need no further count
        return False
    controls = [
        each for each in root.iter(*CONTROL_TAGS) if next(each.iterancestors("noscript", *CONTROL_TAGS), None) is None
    ]
    control_length = sum(map(visible_length, controls))
    return noscript_needed(outside - control_length, control_length, inside)


def _empty_head(root: etree._Element) -> None:
    """Remove the head; if libxml2 put parts of the body there (no `<body>` tag), keep it as a `div`."""
    for head in root.findall("head"):
        if text_of(head).strip():
            head.tag = "div"
        else:
            root.remove(head)


def _insert_table_bodies(root: etree._Element) -> None:
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


def visible_length(element: etree._Element) -> int:
    """Count the characters of an element's text that are not white space."""
    return sum(map(len, text_of(element).split()))


def text_of(element: etree._Element) -> str:
    """Return the text of an element, with that of its descendants."""
    return etree.tostring(element, encoding="unicode", method="text", with_tail=False)
