"""`Page -> Snapshot` without a browser: lxml's parser and the user agent's default styles.

Geometry is NaN. What is hidden is known from attributes and inline style alone.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, cast
from urllib.parse import urljoin

import numpy as np
from lxml import etree

from vclean.errors import LimitError, NotHtmlError
from vclean.render import noscript, ua
from vclean.render.decode import page_text
from vclean.render.snapshot import ATTRIBUTES, STYLES, Hidden, Snapshot, Styles, subtree_ends
from vclean.render.waiting import within
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.page import Page

VALUE_LIMIT = 2000
"""Attribute values are cut here, in characters: `data:` URLs and inline JSON run to megabytes."""

_BUILD = "lxml " + ".".join(map(str, etree.LXML_VERSION)) + " libxml2 " + ".".join(map(str, etree.LIBXML_VERSION))
_ATTRIBUTE = {name: index for index, name in enumerate(ATTRIBUTES)}
_LINKS = frozenset(("href", "src", "cite"))
_ABSOLUTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]+)?(?=/|$)")
_FROM_ROOT = re.compile(r"/(?:[\w%~=+,-][\w%~=+,.-]*/)*(?:[\w%~=+,-][\w%~=+,.-]*)?(?:\?[\w%~=+,.&/-]+)?")
"""Links that only want the origin before them: `urljoin` gives the same for them, at ten times the price."""
_TOO_DEEP = etree.ErrorTypes.ERR_RESOURCE_LIMIT
_BODY_END = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
_NO_DISPLAY = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_DISPLAY = re.compile(r"(?:^|;)\s*display\s*:\s*([a-z-]+)", re.IGNORECASE)
_INVISIBLE = re.compile(r"visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_TRANSPARENT = re.compile(r"(?:^|;|\s)opacity\s*:\s*0*(?:\.0*)?\s*(?:;|!|$)", re.IGNORECASE)


def parse(page: Page, settings: RenderSettings | None = None) -> Snapshot:
    """Parse `page` into a snapshot with NaN geometry.

    Raises:
        NotHtmlError: the content is empty, binary, or has no element.
        LimitError: it is over `settings.max_bytes` or `settings.max_nodes`, or nested too deeply for the parser.
        DeadlineError: the parser took longer than `settings.deadline`.
    """
    settings = settings or RenderSettings()
    started = time.perf_counter()
    text = page_text(page, settings.max_bytes)
    # The parser's time grows with the square of the number of attributes of one element.
    root = within(settings.deadline, lambda: _document(text))
    facts = _Facts(root, page.url)
    use_noscript = _prune(root)
    walk = _Walk(facts.base, settings.max_nodes)
    walk.run(root)
    return walk.snapshot(page.url, facts, use_noscript, time.perf_counter() - started)


def _document(text: str) -> etree._Element:
    # What follows `</html>` becomes siblings of the root in libxml2; browsers read on in the body (HTML, 13.2.6.4.19).
    text = _BODY_END.sub("", text)
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise NotHtmlError("no HTML in the input: give a web page") from error
    if root is None:
        raise NotHtmlError("no HTML in the input: give a web page")
    if any(entry.type == _TOO_DEEP for entry in parser.error_log):
        raise LimitError("elements are nested deeper than the parser's 2,048 levels: clean the page with --render")
    return root


class _Facts:
    """What the head says of the page."""

    def __init__(self, root: etree._Element, url: str) -> None:
        title = root.find(".//title")
        base = root.find(".//base[@href]")
        self.title = " ".join(_text(title).split()) if title is not None else ""
        self.language = root.get("lang", "").lower()
        self.base = _join(url, base.get("href", "")) if base is not None else url


def _prune(root: etree._Element) -> bool:
    """Remove what a snapshot leaves out; returns whether `<noscript>` content stays."""
    etree.strip_elements(root, *ua.SKIPPED_TAGS, with_tail=False)
    for element in root.iter(*ua.REPLACED_TAGS):
        element.text = None
        del element[:]
    outermost = [block for block in root.iter("noscript") if next(block.iterancestors("noscript"), None) is None]
    inside = sum(map(_ink, outermost))
    use = bool(outermost) and noscript.needed(_ink(root) - inside, inside)
    if not use:
        etree.strip_elements(root, "noscript", with_tail=False)
    _empty_head(root)
    return use


def _empty_head(root: etree._Element) -> None:
    """Remove the head; what libxml2 put there of the body, for want of a `<body>` tag, stays in a `div`."""
    for head in root.findall("head"):
        if _text(head).strip():
            head.tag = "div"
        else:
            root.remove(head)


def _ink(element: etree._Element) -> int:
    """The number of characters of an element's text that are not white space."""
    return sum(map(len, _text(element).split()))


def _text(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))


def _join(base: str, link: str) -> str:
    try:
        return urljoin(base, link.strip())
    except ValueError:
        return link


class _Walk:
    """One pass over the tree that fills the columns."""

    def __init__(self, base: str, max_nodes: int) -> None:
        self.base = base
        plain = _ORIGIN.match(base)
        self._origin = plain[0] if plain else ""
        self.max_nodes = max_nodes
        self.tag: list[int] = []
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.style: list[int] = []
        self.hidden: list[int] = []
        self.attr_node: list[int] = []
        self.attr_name: list[int] = []
        self.attr_value: list[str] = []
        self.texts: list[str] = []
        self.text_parent: list[int] = []
        self.text_after: list[int] = []
        self.tags: dict[str, int] = {}
        self.sheet = _Sheet()

    def run(self, root: etree._Element) -> None:
        """Visit every element and text node in document order."""
        stack: list[int] = [-1]
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                stack.append(self._enter(element, stack[-1], len(stack) - 1))
                text = element.text
            else:
                stack.pop()
                text = element.tail if stack[-1] >= 0 else None
            if text:
                self.texts.append(text)
                self.text_parent.append(stack[-1])
                self.text_after.append(len(self.tag) - 1)

    def _enter(self, element: etree._Element, parent: int, depth: int) -> int:
        index = len(self.tag)
        if index >= self.max_nodes:
            raise LimitError(f"page has more than {self.max_nodes:,} elements: raise --max-nodes")
        tag = element.tag
        self.tag.append(self.tags.setdefault(tag, len(self.tags)))
        self.parent.append(parent)
        self.depth.append(depth)
        inline = self._attributes(index, cast("Sequence[tuple[str, str]]", element.items()))
        style, hidden = self.sheet.resolve(self.style[parent] if parent >= 0 else -1, tag, inline)
        self.style.append(style)
        self.hidden.append(hidden or (self.hidden[parent] if parent >= 0 else 0))
        return index

    def _attributes(self, index: int, items: Sequence[tuple[str, str]]) -> str:
        """Keep the attributes of a snapshot; returns what decides the style: inline style and `hidden`."""
        decides = ""
        for name, value in items:
            number = _ATTRIBUTE.get(name)
            if number is None:
                continue
            if name in _LINKS:
                value = self._absolute(value)  # noqa: PLW2901
            elif name == "style":
                decides = value + ";" + decides
            elif name in ("hidden", "open"):
                decides += f";{name}"
            self.attr_node.append(index)
            self.attr_name.append(number)
            self.attr_value.append(value[:VALUE_LIMIT])
        return decides

    def _absolute(self, link: str) -> str:
        if not self.base or _ABSOLUTE.match(link):
            return link
        if self._origin and _FROM_ROOT.fullmatch(link):
            return self._origin + link
        return _join(self.base, link)

    def snapshot(self, url: str, facts: _Facts, use_noscript: bool, seconds: float) -> Snapshot:
        """The columns as arrays."""
        count = len(self.tag)
        parent = np.array(self.parent, dtype=np.int32)
        return Snapshot(
            url=url,
            title=facts.title,
            language=facts.language,
            build=_BUILD,
            noscript=use_noscript,
            tags=tuple(self.tags),
            tag=np.array(self.tag, dtype=np.int32),
            parent=parent,
            end=subtree_ends(parent),
            depth=np.array(self.depth, dtype=np.int32),
            box=np.full((count, 4), np.nan, dtype=np.float32),
            hidden=np.array(self.hidden, dtype=np.uint8),
            styles=Styles(names=STYLES, rows=self.sheet.rows()),
            style=np.array(self.style, dtype=np.int32),
            attr_node=np.array(self.attr_node, dtype=np.int32),
            attr_name=np.array(self.attr_name, dtype=np.int32),
            attr_value=self.attr_value,
            texts=self.texts,
            text_parent=np.array(self.text_parent, dtype=np.int32),
            text_after=np.array(self.text_after, dtype=np.int32),
            line_text=np.zeros(0, dtype=np.int32),
            line_box=np.zeros((0, 4), dtype=np.float32),
            timings={"parse": seconds},
        )


class _Sheet:
    """The user agent's style sheet and inline `display` and `visibility`, with inheritance, interned."""

    _INHERITED = ("visible", "400", "normal", "normal")

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str, str, str, str], int] = {}
        self._list: list[tuple[str, str, str, str, str]] = []
        self._known: dict[tuple[int, str, str], tuple[int, int]] = {}

    def resolve(self, parent: int, tag: str, inline: str) -> tuple[int, int]:
        """Style row and `Hidden` code of an element of its own, given its parent's row."""
        key = (parent, tag, inline)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._compute(parent, tag, inline)
        return known

    def _compute(self, parent: int, tag: str, inline: str) -> tuple[int, int]:
        above = self._list[parent][1:] if parent >= 0 else self._INHERITED
        closed = parent >= 0 and self._list[parent][0] == "closed"
        hidden = _hidden_code(tag, inline, closed)
        row = (
            _display(tag, inline, hidden),
            "hidden" if hidden == Hidden.VISIBILITY else above[0],
            "700" if tag in ua.BOLD_TAGS else above[1],
            "italic" if tag in ua.ITALIC_TAGS else above[2],
            "pre" if tag in ua.PREFORMATTED_TAGS else above[3],
        )
        if row not in self._rows:
            self._rows[row] = len(self._list)
            self._list.append(row)
        return self._rows[row], hidden

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The table's rows in the order of `STYLES`; what is not known without a browser is empty."""
        places = [STYLES.index(name) for name in ("display", "visibility", "font-weight", "font-style", "white-space")]
        table = []
        for row in self._list:
            full = [""] * len(STYLES)
            for place, value in zip(places, row, strict=True):
                full[place] = "block" if value == "closed" else value
            table.append(tuple(full))
        return tuple(table)


def _display(tag: str, inline: str, hidden: int) -> str:
    if hidden == Hidden.DISPLAY:
        return "none"
    if tag == "details" and not inline.endswith(";open"):
        return "closed"
    own = _DISPLAY.search(inline) if inline else None
    return own.group(1).lower() if own else ua.DISPLAY.get(tag, "inline")


def _hidden_code(tag: str, inline: str, closed: bool) -> int:
    if closed and tag != "summary":
        return Hidden.DISPLAY
    if not inline:
        return Hidden.DISPLAY if tag == "dialog" or ua.DISPLAY.get(tag) == "none" else Hidden.NO
    if ";hidden" in inline or _NO_DISPLAY.search(inline) or (tag == "dialog" and ";open" not in inline):
        return Hidden.DISPLAY
    if _INVISIBLE.search(inline):
        return Hidden.VISIBILITY
    return Hidden.OPACITY if _TRANSPARENT.search(inline) else Hidden.NO
