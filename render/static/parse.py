"""Parse a page into a snapshot without a browser, with lxml and the user agent style sheet.

Geometry is NaN. Visibility is derived from attributes, inline styles, and plain rules of `<style>` elements. Paths,
depths and names of elements agree with those of a browser.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from lxml import etree

from vclean.characters import format_count, without_invisible
from vclean.errors import LimitError, NotHtmlError
from vclean.page import join_url
from vclean.render.decode import read_document
from vclean.render.document_head import DocumentHead, stored_links
from vclean.render.snapshot import ATTRIBUTES, CONTROL_TAGS, MAX_ID, NAMING, Snapshot, noscript_needed
from vclean.render.static import _tree
from vclean.render.static.styles import REPLACED_TAGS, SKIPPED_TAGS, read_style_sheets, with_styles
from vclean.runtime import run_within
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.page import Page
    from vclean.render.static.styles import HidingRules


_BUILD = "lxml " + ".".join(map(str, etree.LXML_VERSION)) + " libxml2 " + ".".join(map(str, etree.LIBXML_VERSION))

VALUE_LIMIT = 2000
"""Length in characters to which attribute values are truncated; `data:` URLs and inline JSON may have megabytes."""

FORMULA_WORDS: Final = (
    b"<math", b"math/", b"mjx", b"latex", b"cht=tx", b"/tex", b"formula", b"equation", b"math-", b'"math"',
    b"data-math", b"data-tex", b"data-latex", b"data-formula", b"data-equation", b"data-katex", b"data-expr",
)  # fmt: skip
"""Words of which every source with a formula has one, in lower case."""
_PART_WORDS: Final = (b'id="s:', b"<template")
"""The same for parts of a page that are in another place of its source: those of React, and shadow roots."""

_QUICK_CHARACTERS = 200_000
_QUICK_SECONDS = 10.0
"""Seconds in which libxml2 reads so many characters, which need no thread with a time limit: its time grows with the
square of the number of attributes of an element, and 40,000 of them take 6 s."""

_ATTRIBUTE = {name: index for index, name in enumerate(ATTRIBUTES)}
_NAMES = _ATTRIBUTE["data-names"]
_NAMING = re.compile(NAMING)
_IS_LINK = np.isin(ATTRIBUTES, ("href", "src", "cite", "data-src", "data-lazy-src", "data-original"))
_ABSOLUTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]+)?(?=/|$)")
_FROM_ROOT = re.compile(r"/(?:[\w%~=+,-][\w%~=+,.-]*/)*(?:[\w%~=+,-][\w%~=+,.-]*)?(?:\?[\w%~=+,.&/-]+)?")
"""Root-relative links that need only the origin; `urljoin` has the same result at ten times the cost."""
LAZY: Final = "data-src"
"""Attribute of a snapshot with the address of an image that is loaded later."""
_FILE: Final = re.compile(r"(?:(?:https?:)?/)?/[^\s,]*\.(?:avif|gif|jpe?g|png|webp)(?:[?#][^\s,]*)?", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"(?:https?:)?//[^\s,]+", re.IGNORECASE)
_NAME: Final = re.compile(r"src|image|img|orig|lazy|load|full|photo", re.IGNORECASE)
"""Name of an attribute with an address that may be that of an image without a suffix."""
_SET: Final = re.compile(r"\S+\s+\d+(?:\.\d+)?[wx](?:\s*,|\s*$)")


def parse(page: Page, settings: RenderSettings | None = None) -> Snapshot:
    """Parse `page` into a snapshot with NaN geometry.

    Raises:
        NotHtmlError: the content is empty, binary, or has no element.
        LimitError: the page exceeds `settings.max_bytes` or `settings.max_nodes`, or elements are nested too deeply.
        DeadlineError: the parser took longer than `settings.deadline`.
    """
    settings = settings or RenderSettings()
    started = time.perf_counter()
    document = read_document(page, settings.max_bytes, force_html=settings.force_html, opens_roots=False)
    source = document.source or document.text.encode("utf-8", "replace")
    is_quick = len(document.text) <= _QUICK_CHARACTERS and settings.deadline >= _QUICK_SECONDS
    root = read_tree(source) if is_quick else run_within(settings.deadline, lambda: read_tree(source))
    title = next(root.iter("title"), None)
    heading = " ".join(text_of(title).split()) if title is not None else ""
    head, links = _head_and_links(root, page.url)
    rules = read_style_sheets(root)
    _rewrite(root, source)
    with_noscript = prune(root)
    snapshot = _read_columns(root, settings.max_nodes)
    snapshot = with_styles(snapshot, _declarations(snapshot, rules))
    values = with_absolute_links(snapshot.attr_name, list(snapshot.attr_value), links)
    return replace(
        snapshot,
        url=page.url or head.canonical_url,
        title=heading,
        language=root.get("lang", "").lower(),
        head=head,
        noscript=with_noscript,
        attr_value=[value[:VALUE_LIMIT] for value in values],
        notes=document.notes,
        scripted=document.scripted,
        timings={"parse": time.perf_counter() - started},
    )


def _rewrite(root: etree._Element, source: bytes) -> None:
    """Give formulas, images, streamed parts and shadow roots the form and the place that they have in a browser."""
    words = frozenset(_tree.words_in(source, (*FORMULA_WORDS, *_PART_WORDS)))
    if not words.issubset(_PART_WORDS):
        from vclean.render.static.rewriting import replace_formulas

        replace_formulas(root, words)
    find_lazy_images(root)
    if not words.isdisjoint(_PART_WORDS):
        from vclean.render.static.rewriting import flatten_shadow_roots, place_parts

        place_parts(root)
        flatten_shadow_roots(root)


def _read_columns(root: etree._Element, max_nodes: int) -> Snapshot:
    """Return the elements, attributes and texts of a document, without styles."""
    columns = _tree.columns_of(root, _NUMBERS, max_nodes, MAX_ID)
    numbers, tag, parent, end, depth, attr_node, attr_name, attr_value, texts, text_parent, text_after = columns
    count = len(tag) // np.dtype(np.int32).itemsize
    if count > max_nodes:
        raise LimitError(f"page has more than {format_count(max_nodes, 'element')}: raise --max-nodes")
    return Snapshot(
        build=_BUILD,
        tags=tuple(numbers),
        tag=_array(tag),
        parent=_array(parent),
        end=_array(end),
        depth=_array(depth),
        box=np.full((count, 4), np.nan, dtype=np.float32),
        attr_node=_array(attr_node),
        attr_name=_array(attr_name),
        attr_value=attr_value,
        texts=without_invisible(texts),
        text_parent=_array(text_parent),
        text_after=_array(text_after),
    )


class _AttributeNumbers(dict[str, int]):
    """Numbers of attributes in `ATTRIBUTES` by name; those that may name an id have that of `data-names`."""

    def __missing__(self, name: str) -> int:
        """Return the number of `data-names`, or -1 for attributes that are not read; both are stored, up to a limit."""
        number = _NAMES if _NAMING.search(name) else -1
        if len(self) < _MOST_NAMES:
            self[name] = number
        return number


_NUMBERS: Final = _AttributeNumbers(_ATTRIBUTE)
_MOST_NAMES: Final = 10_000
"""Names of attributes that are kept from page to page."""


def _array(data: bytearray) -> NDArray[np.int32]:
    return np.frombuffer(data, dtype=np.int32)


def _declarations(page: Snapshot, rules: HidingRules) -> dict[int, str]:
    """Return the declarations of elements by rules and inline styles, then `;hidden`, `;open` and `;popover`.

    Elements without any of them are left out.
    """
    declared = {element: f"{style};" for element, style in page.attributes("style").items()}
    if rules.hiding:
        classes, ids = page.attributes("class"), page.attributes("id")
        names_of = {value: frozenset(f".{name}" for name in value.split()) for value in {*classes.values(), ""}}
        for element in {*classes, *ids}:
            names = names_of[classes.get(element, "")]
            if element in ids:
                names |= {f"#{ids[element]}"}
            if not names.isdisjoint(rules.hiding):
                by_rules = rules.declarations(page.tags[page.tag[element]], names)
                declared[element] = by_rules + declared.get(element, "")
    for state in ("hidden", "open", "popover"):
        for element in page.attributes(state):
            declared[element] = f"{declared.get(element, '')};{state}"
    return dict(sorted(declared.items()))


def head_and_links(source: str, url: str) -> tuple[DocumentHead, Links]:
    """Return what the head of a page declares, and the resolver of its links; `url` is empty if it is unknown."""
    return _head_and_links(read_tree(f"<head>{source}".encode("utf-8", "replace")), url)


def _head_and_links(root: etree._Element, url: str) -> tuple[DocumentHead, Links]:
    head = document_head(root)
    url = url or head.canonical_url
    base = next((href for base in root.iter("base") if (href := base.get("href")) is not None), None)
    links = Links(url if base is None else join_url(url, base) or base)
    return replace(head, links=tuple((rel, links.absolute(href)) for rel, href in head.links)), links


def with_absolute_links(name: NDArray[np.int32], values: list[str], links: Links) -> list[str]:
    """Return the values of attributes, of which `name` is int32 (M,), with absolute URLs; `values` are changed."""
    for row in np.flatnonzero(_IS_LINK[name]).tolist():
        values[row] = links.absolute(values[row])
    return values


class Links:
    """Resolver of links against a base URL, which may be empty."""

    def __init__(self, base: str) -> None:
        self._base = base
        plain = _ORIGIN.match(base)
        self._origin = plain[0] if plain else ""
        self._known: dict[str, str] = {}

    def absolute(self, link: str) -> str:
        """Return the absolute URL of a link; an invalid link is returned unchanged."""
        if not self._base or _ABSOLUTE.match(link):
            return link
        if link not in self._known:
            is_plain = self._origin and _FROM_ROOT.fullmatch(link)
            self._known[link] = self._origin + link if is_plain else join_url(self._base, link) or link
        return self._known[link]


def find_lazy_images(root: etree._Element) -> None:
    """Copy the address of each image that has only a placeholder from another attribute to `LAZY`, in place.

    An image in `<noscript>` is that beside it.
    """
    for image in list(root.iter("img")):
        if _is_missing(image):
            for item in image.items():
                name, address = str(item[0]), str(item[1]).strip()
                if name.startswith("data-") and image.get(LAZY) is None and _is_address(name, address):
                    image.set(LAZY, address)
                elif name.startswith("data-") and image.get("data-srcset") is None and _SET.match(address):
                    image.set("data-srcset", address)
    for noscript in list(root.iter("noscript")):
        images = list(noscript.iter("img"))
        if len(images) == 1 and not "".join(map(str, noscript.itertext())).strip():
            _give_address(noscript, images[0])


def _is_address(name: str, value: str) -> bool:
    return bool(_FILE.fullmatch(value) or (_NAME.search(name) and _ADDRESS.fullmatch(value)))


def _is_missing(image: etree._Element) -> bool:
    source = image.get("src", "").strip()
    return not source or source.lower().startswith(("data:", "about:")) or "placeholder" in source.lower()


def _give_address(noscript: etree._Element, image: etree._Element) -> None:
    """Give the image beside a `<noscript>` the address in it, unless it has one."""
    for beside in (noscript.getprevious(), noscript.getnext()):
        twin = None if beside is None else next(beside.iter("img"), None)
        if twin is not None and _is_missing(twin):
            for name in ("src", LAZY, "srcset", "data-srcset"):
                if image.get(name):
                    twin.set(f"data-{name.removeprefix('data-')}", image.get(name, ""))
            return


_HTML_TAG: Final = re.compile(rb"<html(?=\s)(?:=\s*+(?:\"[^\"]*+\"|'[^']*+')|[^>])*+>", re.IGNORECASE)
_ILLEGAL_REFERENCE: Final = re.compile(
    rb"&#(?:0*+(?:[1-8]|1[124-9]|2[0-9]|3[01]|6553[45])(?![0-9])"
    rb"|[xX]0*+(?:[1-8bBcCeEfF]|1[0-9a-fA-F]|[fF]{3}[eEfF])(?![0-9a-fA-F]));?"
)
"""References to characters that `_tree.clean` replaces."""
_TABLE_PARTS: Final = frozenset(("caption", "col", "colgroup", "tbody", "tfoot", "thead"))
"""Children of a table that end an implied `<tbody>`."""
_META_NAMES: Final = ("property", "name", "itemprop")
"""Attributes that name a `<meta>`; the first one that it has counts."""


def read_tree(source: bytes) -> etree._Element:
    """Return the root of a source in UTF-8.

    Raises:
        NotHtmlError: the source has no element.
        LimitError: elements are nested too deeply.
    """
    # Content after `</html>` becomes siblings of the root in libxml2; browsers add it to the body (HTML, 13.2.6.4.19).
    # lxml reads control characters, U+FFFE and U+FFFF, but does not write them into a tree.
    source = _ILLEGAL_REFERENCE.sub(b" ", _tree.clean(source))
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, collect_ids=False
    )
    try:
        root = etree.fromstring(source, parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        raise NotHtmlError("no HTML in the input: give a web page")
    if any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
        raise LimitError("elements are nested deeper than the parser's 2,048 levels: clean the page with --render")
    # The first `<html>` tag with attributes may follow other content (HTML, 13.2.6.4.7).
    if root.tag == "html" and not root.attrib and (tag := _HTML_TAG.search(source)):
        late = etree.fromstring(tag[0], etree.HTMLParser(encoding="utf-8"))
        root.attrib.update({} if late is None else late.attrib)
    return root


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
    for element in root.iter(*(REPLACED_TAGS - {"math"})):  # formulas are text: see vclean.render.static.rewriting
        element.text = None
        del element[:]
    etree.strip_elements(root, *SKIPPED_TAGS, with_tail=False)
    is_needed = _needs_noscript(root)
    if not is_needed:
        etree.strip_elements(root, "noscript", with_tail=False)
    for head in root.findall("head"):
        if text_of(head).strip():  # libxml2 put parts of the body there: there is no `<body>` tag
            head.tag = "div"
        else:
            root.remove(head)
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
