"""Parse a page into a snapshot without a browser, with lxml and the user agent style sheet.

Geometry is NaN. Visibility is derived from attributes and inline styles only.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from vclean.errors import LimitError, NotHtmlError
from vclean.render.decode import read_document
from vclean.render.snapshot import Snapshot, noscript_needed, subtree_depths, subtree_ends
from vclean.render.static.columns import Attributes, Links, TextNodes, elements_of, join, parents_of
from vclean.render.static.styles import REPLACED_TAGS, SKIPPED_TAGS, resolve_styles
from vclean.render.static.tree_construction import add_late_html_attributes, insert_table_bodies
from vclean.settings import RenderSettings
from vclean.timeouts import run_within

if TYPE_CHECKING:
    from vclean.page import Page

_BUILD = "lxml " + ".".join(map(str, etree.LXML_VERSION)) + " libxml2 " + ".".join(map(str, etree.LIBXML_VERSION))
_TOO_DEEP = etree.ErrorTypes.ERR_RESOURCE_LIMIT
_BODY_END = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)


def parse(page: Page, settings: RenderSettings | None = None) -> Snapshot:
    """Parse `page` into a snapshot with NaN geometry.

    Raises:
        NotHtmlError: the content is empty, binary, or has no element.
        LimitError: the page exceeds `settings.max_bytes` or `settings.max_nodes`, or elements are nested too deeply.
        DeadlineError: the parser took longer than `settings.deadline`.
    """
    settings = settings or RenderSettings()
    started = time.perf_counter()
    document = read_document(page, settings.max_bytes)
    # Parsing time grows with the square of the number of attributes of an element.
    root = run_within(settings.deadline, lambda: _document(document.text))
    add_late_html_attributes(root, document.text)
    metadata = _HeadMetadata(root, page.url)
    with_noscript = _prune(root)
    insert_table_bodies(root)
    snapshot = _snapshot(root, metadata, with_noscript=with_noscript, max_nodes=settings.max_nodes)
    timings = {"parse": time.perf_counter() - started}
    return replace(snapshot, notes=document.notes, scripted=document.scripted, timings=timings)


def _document(text: str) -> etree._Element:
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
    return root


class _HeadMetadata:
    """Title, language, URL and base URL of a page."""

    def __init__(self, root: etree._Element, url: str) -> None:
        title = next(root.iter("title"), None)
        base = next((base for base in root.iter("base") if base.get("href") is not None), None)
        self.title = " ".join(_text(title).split()) if title is not None else ""
        self.language = root.get("lang", "").lower()
        self.url = url
        self.base = join(url, base.get("href", "")) if base is not None else url


def _prune(root: etree._Element) -> bool:
    """Remove elements that are not part of a snapshot; return whether `<noscript>` content is kept."""
    etree.strip_elements(root, *SKIPPED_TAGS, with_tail=False)
    for element in root.iter(*REPLACED_TAGS):
        element.text = None
        del element[:]
    outermost = [block for block in root.iter("noscript") if next(block.iterancestors("noscript"), None) is None]
    inside = sum(map(_visible_length, outermost))
    is_needed = inside > 0 and noscript_needed(_visible_length(root) - inside, inside)
    if not is_needed:
        etree.strip_elements(root, "noscript", with_tail=False)
    _empty_head(root)
    return is_needed


def _empty_head(root: etree._Element) -> None:
    """Remove the head; if libxml2 put parts of the body there (no `<body>` tag), keep it as a `div`."""
    for head in root.findall("head"):
        if _text(head).strip():
            head.tag = "div"
        else:
            root.remove(head)


def _visible_length(element: etree._Element) -> int:
    """Count the characters of an element's text that are not white space."""
    return sum(map(len, _text(element).split()))


def _text(element: etree._Element) -> str:
    return etree.tostring(element, encoding="unicode", method="text", with_tail=False)


def _snapshot(root: etree._Element, metadata: _HeadMetadata, *, with_noscript: bool, max_nodes: int) -> Snapshot:
    elements = elements_of(root, max_nodes)
    parents = parents_of(elements)
    tags = [element.tag for element in elements]
    number = {tag: index for index, tag in enumerate(dict.fromkeys(tags))}
    parent = np.array(parents, dtype=np.int32)
    end = subtree_ends(parent)
    attributes = Attributes(elements, Links(metadata.base))
    styles, style, hidden = resolve_styles(attributes.style_keys(tags), parents)
    texts = TextNodes(elements, parent, end)
    return Snapshot(
        url=metadata.url,
        title=metadata.title,
        language=metadata.language,
        build=_BUILD,
        noscript=with_noscript,
        tags=tuple(number),
        tag=np.array([number[tag] for tag in tags], dtype=np.int32),
        parent=parent,
        end=end,
        depth=subtree_depths(end),
        box=np.full((len(elements), 4), np.nan, dtype=np.float32),
        hidden=hidden,
        styles=styles,
        style=style,
        attr_node=attributes.node,
        attr_name=attributes.name,
        attr_value=attributes.value,
        texts=texts.text,
        text_parent=texts.parent,
        text_after=texts.after,
        text_hidden=hidden[texts.parent],
        image=np.zeros(0, dtype=np.int32),
        line_text=np.zeros(0, dtype=np.int32),
        line_box=np.zeros((0, 4), dtype=np.float32),
    )
