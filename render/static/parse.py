"""Parse a page into a snapshot without a browser, with lxml and the user agent style sheet.

Geometry is NaN. Visibility is derived from attributes, inline styles, and plain rules of `<style>` elements.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from vclean.render.completeness import is_short, text_length
from vclean.render.decode import read_document
from vclean.render.invisible import without_invisible
from vclean.render.snapshot import Snapshot, subtree_depths, subtree_ends
from vclean.render.static.columns import Attributes, Links, TextNodes, elements_of, join, parents_of
from vclean.render.static.document import prune, read_tree, text_of
from vclean.render.static.formulas import replace_formulas
from vclean.render.static.head import document_head, with_absolute_links
from vclean.render.static.lazy_images import find_lazy_images
from vclean.render.static.shadow_roots import flatten_shadow_roots
from vclean.render.static.streamed import may_be_streamed, place_parts
from vclean.render.static.style_rules import read_style_sheets
from vclean.render.static.styles import resolve_styles
from vclean.render.static.tree_construction import add_late_html_attributes, insert_table_bodies
from vclean.settings import RenderSettings
from vclean.timeouts import run_within

if TYPE_CHECKING:
    from vclean.page import Page
    from vclean.render.static.style_rules import StyleSheets

_BUILD = "lxml " + ".".join(map(str, etree.LXML_VERSION)) + " libxml2 " + ".".join(map(str, etree.LIBXML_VERSION))


def parse(page: Page, settings: RenderSettings | None = None) -> Snapshot:
    """Parse `page` into a snapshot with NaN geometry.

    Raises:
        NotHtmlError: the content is empty, binary, or has no element.
        LimitError: the page exceeds `settings.max_bytes` or `settings.max_nodes`, or elements are nested too deeply.
        DeadlineError: the parser took longer than `settings.deadline`.
    """
    settings = settings or RenderSettings()
    started = time.perf_counter()
    document = read_document(page, settings.max_bytes, force_html=settings.force_html)
    snapshot = _parse_source(document.text, page.url, settings)
    notes = document.notes
    if is_short(snapshot, document.text):
        from vclean.render.static.recovery import find_reading

        length = text_length(snapshot)
        if reading := find_reading(document.text, length, settings):
            snapshot = _parse_source(reading.text, page.url, settings)
            notes += (f"parsing lost text, {length:,} of {reading.length:,} characters were left: {reading.remedy}",)
    timings = {"parse": time.perf_counter() - started}
    return replace(snapshot, notes=notes, scripted=document.scripted, timings=timings)


def _parse_source(text: str, url: str, settings: RenderSettings) -> Snapshot:
    # Parsing time grows with the square of the number of attributes of an element.
    root = run_within(settings.deadline, lambda: read_tree(text))
    add_late_html_attributes(root, text)
    metadata = _HeadMetadata(root, url)
    sheets = read_style_sheets(root)
    replace_formulas(root)
    find_lazy_images(root)
    if may_be_streamed(text):
        place_parts(root)
    flatten_shadow_roots(root)
    with_noscript = prune(root)
    insert_table_bodies(root)
    return _snapshot(root, metadata, sheets, with_noscript=with_noscript, max_nodes=settings.max_nodes)


class _HeadMetadata:
    """Title, language, URL, base URL and declarations of a page; a page without URL has its canonical one."""

    def __init__(self, root: etree._Element, url: str) -> None:
        title = next(root.iter("title"), None)
        base = next((base for base in root.iter("base") if base.get("href") is not None), None)
        self.title = " ".join(text_of(title).split()) if title is not None else ""
        self.language = root.get("lang", "").lower()
        head = document_head(root)
        self.url = url or head.canonical_url
        self.base = join(self.url, base.get("href", "")) if base is not None else self.url
        self.head = with_absolute_links(head, self.base)


def _snapshot(
    root: etree._Element, metadata: _HeadMetadata, sheets: StyleSheets, *, with_noscript: bool, max_nodes: int
) -> Snapshot:
    elements = elements_of(root, max_nodes)
    parents = parents_of(elements)
    tags = [element.tag for element in elements]
    number = {tag: index for index, tag in enumerate(dict.fromkeys(tags))}
    parent = np.array(parents, dtype=np.int32)
    end = subtree_ends(parent)
    attributes = Attributes(elements, Links(metadata.base))
    declared = sheets.hiding_declarations(tags, attributes.values_of("class"), attributes.values_of("id"))
    styles, style, hidden, text_hidden = resolve_styles(attributes.style_keys(tags, declared), parents)
    texts = TextNodes(elements, parent, end)
    return Snapshot(
        url=metadata.url,
        title=metadata.title,
        language=metadata.language,
        head=metadata.head,
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
        texts=without_invisible(texts.text),
        text_parent=texts.parent,
        text_after=texts.after,
        text_hidden=text_hidden[texts.parent],
        image=np.zeros(0, dtype=np.int32),
        line_text=np.zeros(0, dtype=np.int32),
        line_box=np.zeros((0, 4), dtype=np.float32),
    )
