"""Writing the kept part of a page as elements that are well formed and stand where they may.

One pass over the kept elements and texts in document order writes into lxml's `TreeBuilder`. An element of the page
is opened when its first text comes and closed when a text outside it comes, so the tree is well formed by the way it
is made. The labels say what is a heading and what a list item; the page's tags say how they are arranged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from vclean.characters import legal
from vclean.labels import Label
from vclean.output.selection import INLINE, STRUCTURE, Kind, prune

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.features.blocks import BlockColumns
    from vclean.result import Result


MAX_DEPTH = 40
"""Kept elements nested deeper lose their tags, not their text: no reader of the output has to recurse further."""

_PARENTS = {
    "li": frozenset(("ul", "ol")),
    "dt": frozenset(("dl",)),
    "dd": frozenset(("dl",)),
    "figcaption": frozenset(("figure",)),
    "caption": frozenset(("table",)),
    "thead": frozenset(("table",)),
    "tbody": frozenset(("table",)),
    "tfoot": frozenset(("table",)),
    "tr": frozenset(("table", "thead", "tbody", "tfoot")),
    "td": frozenset(("tr",)),
    "th": frozenset(("tr",)),
}
"""Where an element of these tags may stand; elsewhere it is left out and its text kept."""

_ATTRIBUTES = {
    "a": ("href",),
    "blockquote": ("cite",),
    "q": ("cite",),
    "ol": ("start",),
    "li": ("value",),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan", "scope"),
    "img": ("src", "alt"),
}
_LANGUAGE = re.compile(r"(?<!\S)lang(?:uage)?-([\w+#.-]+)(?!\S)")
"""The class that names the language of code: https://html.spec.whatwg.org/#the-code-element, and its short form."""

_BULLET = re.compile(r"[•·‣⁃▪▫◦●○■□➢►▶*–—-]+(?=\s|$)")
"""What begins an item of a list that the page writes without list elements; a list of ours has marks of its own."""

_ADDRESSES = frozenset(("href", "cite", "src"))
_SCHEMES = frozenset(("", "http", "https", "mailto", "tel", "ftp"))
_ITEMS = {"ul": "li", "ol": "li", "dl": "dd"}
_HOLDERS = frozenset(("li", "dt", "dd", "td", "th", "caption", "figcaption"))
_PLAIN_HOLDERS = _HOLDERS - {"li", "dd"}
_PARAGRAPH_HOLDERS = frozenset(("", "blockquote", "figure"))


Attributes = dict[str | bytes, str | bytes]
"""As lxml wants them."""


class _Open(NamedTuple):
    """An element to be open in the output while the source is within elements `[start, end)`."""

    key: tuple[str, int]
    tag: str
    attributes: Attributes
    start: int
    end: int

    def contains(self, element: int) -> bool:
        return self.start <= element < self.end


@dataclass(slots=True)
class _Writer:
    """Keeps the open elements of the output in line with the chain of elements a text is to stand in."""

    builder: etree.TreeBuilder
    chain: list[_Open] = field(default_factory=list)

    def goto(self, chain: list[_Open], gap: str = "") -> None:
        """Close and open elements until just those of `chain` are open, writing `gap` between the two."""
        common = 0
        for old, new in zip(self.chain, chain, strict=False):
            if old.key != new.key:
                break
            common += 1
        while len(self.chain) > common:
            self._end(self.chain.pop())
        if gap:
            self.builder.data(gap)
        for opened in chain[common:]:
            self._start(opened)

    def _end(self, opened: _Open) -> None:
        self.builder.end(opened.tag)
        if opened.tag not in INLINE:
            self.builder.data("\n")

    def _start(self, opened: _Open) -> None:
        """Open an element; after text of an item or a cell a block begins a line, so that words stay apart."""
        if self.chain and self.chain[-1].tag in _HOLDERS and opened.tag not in INLINE:
            self.builder.data("\n")
        self.builder.start(opened.tag, opened.attributes)
        self.chain.append(opened)

    def void(self, tag: str, attributes: Attributes) -> None:
        """An element without content."""
        self.builder.start(tag, attributes)
        self.builder.end(tag)


class Sweep:
    """The pass over a page's kept elements and texts; `run` makes it, once."""

    def __init__(self, blocks: BlockColumns, labels: Sequence[Label], builder: etree.TreeBuilder) -> None:
        self.blocks, self.labels = blocks, labels
        self.snapshot = blocks.snapshot
        self.page, self.writer = prune(blocks, labels), _Writer(builder)
        self.values = {name: self.snapshot.attributes(name) for names in _ATTRIBUTES.values() for name in names}
        self.classes = self.snapshot.attributes("class")
        self.stack: list[_Open] = []
        self.items: dict[tuple[str, int], _Open] = {}
        self.block = -1
        self.wrapper: list[_Open] = []
        self.place: list[tuple[str, int]] = []
        self.cursor = 0
        self.broken = False
        self.space = ""

    def run(self) -> None:
        """Write everything and close what was opened."""
        visit = {
            Kind.ELEMENT: self._element,
            Kind.IMAGE: self._image,
            Kind.INLINE_IMAGE: self._inline_image,
            Kind.BREAK: self._break,
            Kind.TEXT: self._text,
        }
        for kind, index in self.page.events:
            visit[kind](index)
        self.writer.goto([])

    # Elements

    def _leave(self, element: int) -> None:
        """Forget the elements of the source that `element` is not in."""
        while self.stack and not self.stack[-1].contains(element):
            self.stack.pop()

    def _element(self, element: int) -> None:
        self._leave(element)
        tag = self.snapshot.tags[self.snapshot.tag[element]]
        opened = _Open(("e", element), tag, self._attributes(element, tag), element, int(self.snapshot.end[element]))
        if len(self.stack) >= MAX_DEPTH:
            return
        if tag not in STRUCTURE:
            self._inline(opened)
        elif self._fits(tag):
            self._structural(opened)

    def _inline(self, opened: _Open) -> None:
        repeated = any(above.tag == opened.tag for above in self.stack)
        if not repeated and (opened.tag != "a" or "href" in opened.attributes):
            self.stack.append(opened)

    def _fits(self, tag: str) -> bool:
        above = self._structure()
        holder = above[-1].tag if above else ""
        if holder == "pre":
            return False
        return tag not in _PARENTS or holder in _PARENTS[tag]

    def _structural(self, opened: _Open) -> None:
        above = self._structure()
        holder = above[-1] if above else None
        if holder is not None and opened.tag not in _PARENTS and holder.tag in _ITEMS:
            self.stack.append(self._item_round(opened, holder))
        self.stack.append(opened)
        if opened.tag == "li" and holder is not None:
            self.items[holder.key] = opened
        if opened.tag in ("td", "th") and not self.page.crowd[opened.start]:
            self.writer.goto(self._structure())

    def _item_round(self, opened: _Open, holder: _Open) -> _Open:
        """The item that a list directly in a list belongs to: the one before it, or one of its own."""
        tag = _ITEMS[holder.tag]
        before = self.items.get(holder.key)
        key = before.key if before is not None else ("i", opened.start)
        attributes = before.attributes if before is not None else {}
        item = _Open(key, tag, attributes, opened.start, opened.end)
        self.items[holder.key] = item
        return item

    def _structure(self) -> list[_Open]:
        return [opened for opened in self.stack if opened.tag in STRUCTURE]

    def _attributes(self, element: int, tag: str) -> Attributes:
        found: Attributes = {}
        for name in _ATTRIBUTES.get(tag, ()):
            value = legal(self.values[name].get(element, "")).strip()
            if value and (name not in _ADDRESSES or _is_safe(value)):
                found[name] = value
        language = _LANGUAGE.search(self.classes.get(element, "")) if tag in ("code", "pre") else None
        return found | ({"class": f"language-{language[1]}"} if language else {})

    # Content

    def _image(self, element: int) -> None:
        """An image between two blocks."""
        self._leave(element)
        above = self._structure()
        holder = above[-1].tag if above else ""
        if holder in _HOLDERS or holder == "figure":
            self._put_image(element, above)
        elif holder in _PARAGRAPH_HOLDERS:
            self._put_image(element, [*above, _new("p", "m", element)])

    def _inline_image(self, element: int) -> None:
        """An image in a line of text, parted from the word before where white space stands there."""
        self._leave(element)
        before = int(np.searchsorted(self.snapshot.text_after, element)) - 1
        spaced = self.snapshot.texts[before][-1:].isspace() and not (self.broken or self._is_code())
        self._put_image(element, self._chain(), " " * spaced)

    def _put_image(self, element: int, chain: list[_Open], gap: str = "") -> None:
        attributes = self._attributes(element, "img")
        if "src" in attributes:
            self.writer.goto(chain, gap)
            self.writer.void("img", attributes)

    def _break(self, element: int) -> None:
        self._leave(element)
        if self._is_code():
            self.writer.builder.data("\n")
            self.space = "\n"
            return
        self.writer.goto(self._chain())
        self.writer.void("br", {})
        self.writer.builder.data("\n")
        self.broken = True

    def _text(self, text: int) -> None:
        self._leave(int(self.snapshot.text_parent[text]))
        block = int(self.page.owner[text])
        gap = ""
        if block >= 0 and block != self.block:
            gap = self._begin(block)
        raw = self.snapshot.texts[text]
        if self._is_code():
            raw = self._code(raw)
        else:
            raw = self._unbulleted(raw)
            if not raw:
                return
            spaced, raw = self._line(raw)
            gap = " " if spaced else gap
        self.writer.goto(self._chain(), gap)
        self.writer.builder.data(legal(raw))

    def _code(self, raw: str) -> str:
        """The text of a node of code; remembers the white space it ends in."""
        code = raw.replace("\N{NO-BREAK SPACE}", " ")
        bare = code.rstrip()
        self.space = code[len(bare) :] if bare else self.space + code
        return code

    def _unbulleted(self, raw: str) -> str:
        """A text without the bullet that begins its block, if the block is an item in a list of ours."""
        found = _BULLET.match(raw.lstrip()) if self.cursor == 0 and self._is_own_item() else None
        if found is None:
            return raw
        self.cursor, self.broken = found.end(), True
        return raw.lstrip()[found.end() :].lstrip()

    def _is_own_item(self) -> bool:
        return len(self.wrapper) > 1 and self.wrapper[-1].tag == "li"

    def _line(self, raw: str) -> tuple[bool, str]:
        """The words of a text node, and whether the block's text has white space before them."""
        piece, whole = " ".join(raw.split()), self.blocks.text[self.block]
        place = whole.find(piece, self.cursor)
        spaced = place != self.cursor and not self.broken
        self.cursor = max(place, self.cursor) + len(piece)
        self.broken = False
        return spaced, piece

    def _begin(self, block: int) -> str:
        """Choose what wraps a block; returns the white space that parts it from the text before."""
        structure = self._structure()
        place = [opened.key for opened in structure]
        joined = place == self.place and self.block >= 0
        self.block, self.place, self.cursor, self.broken = block, place, 0, False
        if joined and structure and structure[-1].tag == "pre":
            return "" if "\n" in self.space else "\n"
        if joined and self.labels[block] is Label.CONTINUATION:
            return " "
        self.wrapper = self._wrapper(block, structure, self.wrapper if joined else [])
        return ""

    def _wrapper(self, block: int, structure: list[_Open], before: list[_Open]) -> list[_Open]:
        """The elements a block of this label gets where it stands; `before` wraps the block before it."""
        holder, label = structure[-1].tag if structure else "", self.labels[block]
        if holder == "pre":
            return []
        if holder in _ITEMS:
            return [_new(_ITEMS[holder], "b", block)]
        if label is Label.HEADING and holder not in _PLAIN_HOLDERS:
            return [_new(f"h{self.page.level[block]}", "b", block)]
        if label is Label.LIST_ITEM and holder in _PARAGRAPH_HOLDERS:
            own = before[:1] if before and before[0].tag == "ul" else [_new("ul", "l", block)]
            return [*own, _new("li", "b", block)]
        home = int(self.page.home[block])
        if holder in _HOLDERS and home == structure[-1].start and self.page.crowd[home] < 2:
            return []
        return [_new("p", "b", block)]

    def _is_code(self) -> bool:
        return any(opened.tag == "pre" for opened in self.stack)

    def _chain(self) -> list[_Open]:
        """Everything a text of the current block stands in: structure, the block's wrapper, inline elements."""
        return [*self._structure(), *self.wrapper, *(opened for opened in self.stack if opened.tag not in STRUCTURE)]


def _new(tag: str, kind: str, number: int) -> _Open:
    """An element of our own, for a block or an image."""
    return _Open((kind, number), tag, {}, -1, -1)


def _is_safe(address: str) -> bool:
    """Whether an address is relative or of a scheme that only leads somewhere."""
    try:
        return urlsplit(address).scheme.lower() in _SCHEMES
    except ValueError:
        return False


def write_html(result: Result) -> str:
    """Return the cleaned page as a whole HTML document in UTF-8."""
    document = etree.tostring(to_tree(result), method="html", encoding="unicode")
    return f"<!DOCTYPE html>\n{document}\n"


def to_tree(result: Result) -> etree._Element:
    """The cleaned page as an `html` element with head and body."""
    snapshot = result.columns.snapshot
    builder = etree.TreeBuilder()
    builder.start("html", _root_attributes(result))
    _write_head(builder, snapshot.title, snapshot.url)
    builder.start("body", {})
    builder.data("\n")
    Sweep(result.columns, result.prediction.labels, builder).run()
    builder.end("body")
    builder.end("html")
    return builder.close()


def _write_head(builder: etree.TreeBuilder, title: str, address: str) -> None:
    """The title, which HTML wants even where it is empty, and where the page comes from if it is of the web."""
    builder.start("head", {})
    builder.start("meta", {"charset": "utf-8"})
    builder.end("meta")
    builder.start("title", {})
    builder.data(legal(title))
    builder.end("title")
    if address.lower().startswith(("http://", "https://")):
        builder.start("link", {"rel": "canonical", "href": legal(address)})
        builder.end("link")
    builder.end("head")
    builder.data("\n")


def _root_attributes(result: Result) -> Attributes:
    snapshot = result.columns.snapshot
    direction = snapshot.attributes("dir").get(0, "").lower()
    language = result.language or snapshot.language
    found = {"lang": legal(language), "dir": direction if direction in ("ltr", "rtl") else ""}
    return {name: value for name, value in found.items() if value}
