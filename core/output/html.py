"""Write the content of a page as well-formed and valid HTML.

One pass over the selected elements and texts in document order writes to the `TreeBuilder` of lxml. An element of the
page is opened before its first text and closed before the first text outside it, so the tree is always well formed.
Labels determine headings and list items; the tags of the page determine the other structure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from vclean.characters import replace_illegal
from vclean.labels import Label
from vclean.output.images import image_source
from vclean.output.notes import leading_label
from vclean.output.sections import complete_sections
from vclean.output.selection import INLINE, STRUCTURE, EventKind, select_content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vclean.metadata import Metadata
    from vclean.output.notes import Note
    from vclean.result import Result


MAX_DEPTH = 40
"""Greatest depth of elements in the output; the tags of deeper elements are left out, their text is kept."""

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
"""Allowed parents of elements with these tags; elsewhere the tag is left out and the text is kept."""

_ATTRIBUTES = {
    "a": ("href",),
    "blockquote": ("cite",),
    "q": ("cite",),
    "ol": ("start",),
    "li": ("value",),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan", "scope"),
    "img": ("alt",),
}
_BULLET = re.compile(r"[•·‣⁃▪▫◦●○■□➢►▶*–—-]+(?=\s|$)")
"""Bullet in the text of a list item without list elements; it is removed if the output has an `li` element."""

_URL_ATTRIBUTES = frozenset(("href", "cite"))
_SCHEMES = frozenset(("", "http", "https", "mailto", "tel", "ftp"))
_ITEM_TAGS = {"ul": "li", "ol": "li", "dl": "dd"}
"""Tags of items by the tag of their list."""
_TEXT_CONTAINERS = frozenset(("li", "dt", "dd", "td", "th", "caption", "figcaption"))
"""Tags of structural elements that may contain text without a paragraph."""
_HEADINGLESS_CONTAINERS = _TEXT_CONTAINERS - {"li", "dd"}
"""Tags of text containers in which headings are written as plain text."""
_PARAGRAPH_PARENTS = frozenset(("", "blockquote", "figure"))
"""Tags of structural elements in which text and images need a paragraph or a list; empty for the body."""


Attributes = dict[str | bytes, str | bytes]
"""Attributes in the type that lxml expects."""


class _OpenElement(NamedTuple):
    """Element of the output that is open during the elements `[start, end)` of the page.

    Attributes:
        key: the identity of the output element; two values with equal keys are the same element.
        tag: the tag name.
        attributes: the attributes.
        start: the first element of the page, in document order.
        end: the element of the page after the last.
    """

    key: tuple[str, int]
    tag: str
    attributes: Attributes
    start: int
    end: int

    def contains(self, element: int) -> bool:
        return self.start <= element < self.end


@dataclass(slots=True)
class _ElementWriter:
    """Writer of elements to a `TreeBuilder` that tracks which elements are open.

    Attributes:
        builder: the tree builder of lxml.
        ancestors: the open elements, outermost first.
    """

    builder: etree.TreeBuilder
    ancestors: list[_OpenElement] = field(default_factory=list)

    def move_to(self, ancestors: list[_OpenElement], gap: str = "") -> None:
        """Close and open elements until exactly `ancestors` are open; write `gap` between closing and opening."""
        common = 0
        for old, new in zip(self.ancestors, ancestors, strict=False):
            if old.key != new.key:
                break
            common += 1
        while len(self.ancestors) > common:
            self._end(self.ancestors.pop())
        if gap:
            self.builder.data(gap)
        for opened in ancestors[common:]:
            self._start(opened)

    def _end(self, opened: _OpenElement) -> None:
        self.builder.end(opened.tag)
        if opened.tag not in INLINE:
            self.builder.data("\n")

    def _start(self, opened: _OpenElement) -> None:
        """Open an element; a block in an item or a cell begins on a new line, to separate it from text before it."""
        if self.ancestors and self.ancestors[-1].tag in _TEXT_CONTAINERS and opened.tag not in INLINE:
            self.builder.data("\n")
        self.builder.start(opened.tag, opened.attributes)
        self.ancestors.append(opened)

    def void(self, tag: str, attributes: Attributes) -> None:
        """Write an element without content."""
        self.builder.start(tag, attributes)
        self.builder.end(tag)


class HtmlWriter:
    """Writer of the content of one page to a `TreeBuilder`; call `write` once.

    Args:
        result: the result of the page.
        labels: the label of each block, with whole sections.
        builder: the tree builder of lxml.

    Attributes:
        stack: the selected elements of the page around the current position, outermost first.
        base: the elements around the current note; empty before the notes.
        note: the note whose first text is next.
        items: the last item of each list, by the key of the list.
        block: the current block; -1 before the first.
        wrapper: the elements added around the text of the current block, such as a paragraph.
        structure_keys: the keys of the structural elements around the current block.
        cursor: the position in the text of the current block, characters.
        at_line_start: whether the next text needs no white space before it.
    """

    def __init__(self, result: Result, labels: Sequence[Label], builder: etree.TreeBuilder) -> None:
        self.blocks, self.labels, decision = result.columns, labels, result.prediction.decision
        self.snapshot = self.blocks.snapshot
        images = decision is None or decision.policy.images
        self.page = select_content(self.blocks, labels, result.prediction.headline, images=images)
        self.writer = _ElementWriter(builder)
        self.values = {name: self.snapshot.attributes(name) for names in _ATTRIBUTES.values() for name in names}
        self.stack: list[_OpenElement] = []
        self.base: list[_OpenElement] = []
        self.note: Note | None = None
        self.note_labels = {text: note.label for note, _ in self.page.notes for text, *_ in note.marks}
        self.items: dict[tuple[str, int], _OpenElement] = {}
        self.block = -1
        self.wrapper: list[_OpenElement] = []
        self.structure_keys: list[tuple[str, int]] = []
        self.cursor = 0
        self.at_line_start = False
        self.is_code = self.snapshot.is_tag(("code",))
        self.is_formula = self.snapshot.is_tag(("math",))[self.snapshot.text_parent]
        self.display = self.snapshot.attributes("display")

    def write(self) -> None:
        """Write all selected elements and texts, and close the open elements."""
        handlers = {
            EventKind.ELEMENT: self._element,
            EventKind.IMAGE: self._image,
            EventKind.INLINE_IMAGE: self._inline_image,
            EventKind.CODE: self._code,
            EventKind.BREAK: self._break,
            EventKind.NOTE: self._note_mark,
            EventKind.TEXT: self._text,
        }
        for kind, index in self.page.events:
            handlers[kind](index)
        for number, (note, events) in enumerate(self.page.notes):
            item = _OpenElement(("n", number), "li", {"id": f"fn{note.label}"}, -1, -1)
            self.stack, self.base, self.block, self.note = [], [*_NOTES, item], -1, note
            for kind, index in events:
                handlers[kind](index)
        self.writer.move_to([])

    # Elements

    def _leave(self, element: int) -> None:
        """Remove the elements from the stack that do not contain `element`."""
        while self.stack and not self.stack[-1].contains(element):
            self.stack.pop()

    def _element(self, element: int) -> None:
        self._leave(element)
        tag = self.snapshot.tags[self.snapshot.tag[element]]
        opened = _OpenElement(
            ("e", element), tag, self._attributes(element, tag), element, int(self.snapshot.end[element])
        )
        if len(self.stack) >= MAX_DEPTH:
            return
        if tag not in STRUCTURE:
            self._inline(opened)
        elif self._fits(tag):
            self._structural(opened)

    def _inline(self, opened: _OpenElement) -> None:
        repeated = any(above.tag == opened.tag for above in self.stack)
        if not repeated and (opened.tag != "a" or "href" in opened.attributes):
            self.stack.append(opened)

    def _fits(self, tag: str) -> bool:
        """Return whether an element with this tag is allowed at the current position."""
        structure = self._structure()
        parent = structure[-1].tag if structure else ""
        return tag not in _PARENTS or parent in _PARENTS[tag]

    def _structural(self, opened: _OpenElement) -> None:
        structure = self._structure()
        parent = structure[-1] if structure else None
        if parent is not None and opened.tag not in _PARENTS and parent.tag in _ITEM_TAGS:
            self.stack.append(self._item_around(opened, parent))
        self.stack.append(opened)
        if opened.tag == "li" and parent is not None:
            self.items[parent.key] = opened
        if opened.tag in ("td", "th") and not self.page.unit_count[opened.start]:
            self.writer.move_to(self._structure())

    def _item_around(self, opened: _OpenElement, parent: _OpenElement) -> _OpenElement:
        """Return an item for an element directly in a list: the previous item of the list, or a new one."""
        tag = _ITEM_TAGS[parent.tag]
        previous = self.items.get(parent.key)
        key = previous.key if previous is not None else ("i", opened.start)
        attributes = previous.attributes if previous is not None else {}
        item = _OpenElement(key, tag, attributes, opened.start, opened.end)
        self.items[parent.key] = item
        return item

    def _structure(self) -> list[_OpenElement]:
        return [*self.base, *(opened for opened in self.stack if opened.tag in STRUCTURE)]

    def _attributes(self, element: int, tag: str) -> Attributes:
        attributes: Attributes = {}
        for name in _ATTRIBUTES.get(tag, ()):
            value = replace_illegal(self.values[name].get(element, "")).strip()
            if value and (name not in _URL_ATTRIBUTES or _is_safe(value)):
                attributes[name] = value
        return attributes

    # Content

    def _image(self, element: int) -> None:
        """Write an image between two blocks."""
        self._leave(element)
        structure = self._structure()
        parent = structure[-1].tag if structure else ""
        if parent in _TEXT_CONTAINERS or parent == "figure":
            self._write_image(element, structure)
        elif parent in _PARAGRAPH_PARENTS:
            self._write_image(element, [*structure, _new("p", "m", element)])

    def _inline_image(self, element: int) -> None:
        """Write an image in a line of text, after a space if the text before it ends in white space."""
        self._leave(element)
        text_before = int(np.searchsorted(self.snapshot.text_after, element)) - 1
        spaced = self.snapshot.texts[text_before][-1:].isspace() and not self.at_line_start
        self._write_image(element, self._ancestors(), " " * spaced)

    def _write_image(self, element: int, ancestors: list[_OpenElement], gap: str = "") -> None:
        source = replace_illegal(image_source(self.snapshot, element))
        if _is_safe(source):
            attributes = {"src": source, **self._attributes(element, "img")}
            self.writer.move_to(ancestors, gap)
            self.writer.void("img", attributes)

    def _code(self, element: int) -> None:
        """Write a code block as the HTML standard recommends (4.5.15): `code` with its language in `pre`."""
        self._leave(element)
        structure = self._structure()
        if structure and structure[-1].tag in _ITEM_TAGS:
            structure = [*structure, _new(_ITEM_TAGS[structure[-1].tag], "c", element)]
        text, language = self.page.code.text(element), self.page.code.language(element)
        if not text.strip():
            return
        if name := self.page.code.tabs.get(element):
            self.writer.move_to([*structure, _new("p", "t", element), _new("strong", "s", element)])
            self.writer.builder.data(replace_illegal(name))
        self.writer.move_to([*structure, _new("pre", "c", element)])
        is_code = bool(language) or self.is_code[element : int(self.snapshot.end[element])].any()
        if is_code:
            self.writer.builder.start("code", {"class": f"language-{language}"} if language else {})
        self.writer.builder.data(replace_illegal(text))
        if is_code:
            self.writer.builder.end("code")
        self.block, self.wrapper = -1, []

    def _break(self, element: int) -> None:
        self._leave(element)
        self.writer.move_to(self._ancestors())
        self.writer.void("br", {})
        self.writer.builder.data("\n")
        self.at_line_start = True

    def _note_mark(self, text: int) -> None:
        """Write the mark of a note as a link to it."""
        self._leave(int(self.snapshot.text_parent[text]))
        block = int(self.blocks.text_block[text])
        gap = self._begin(block) if block != self.block else ""
        ancestors = [opened for opened in self._ancestors() if opened.tag not in ("a", "sup")]
        label = self.note_labels[text]
        self.writer.move_to([*ancestors, _OpenElement(("m", text), "sup", {}, -1, -1)], gap)
        self.writer.builder.start("a", {"href": f"#fn{label}", "class": "footnote-ref"})
        self.writer.builder.data(label)
        self.writer.builder.end("a")
        self._line(self.snapshot.texts[text])

    def _text(self, text: int) -> None:
        self._leave(int(self.snapshot.text_parent[text]))
        block = int(self.blocks.text_block[text])
        gap = self._begin(block) if block != self.block else ""
        raw = self._strip_bullet(self.snapshot.texts[text])
        if self.note is not None:
            raw, self.note = leading_label(self.note.label).sub("", raw, count=1), None
        if not raw.strip():
            return
        spaced, raw = self._line(raw)
        gap = " " if spaced else gap
        if self.is_formula[text]:
            self._formula(text, raw, gap)
        else:
            self.writer.move_to(self._ancestors(), gap)
            self.writer.builder.data(replace_illegal(raw))

    def _formula(self, text: int, tex: str, gap: str) -> None:
        """Write a formula between the delimiters of TeX, as Pandoc and MathJax have them in HTML.

        A formula beside the element of its block is in a line of its own, and no part of its heading or paragraph.
        """
        parent, node = int(self.snapshot.text_parent[text]), int(self.blocks.node[self.block])
        is_apart = not node <= parent < self.snapshot.end[node]
        structure = self._structure()
        in_text = bool(structure) and structure[-1].tag in _TEXT_CONTAINERS
        is_display = (is_apart and not in_text) or self.display.get(parent) == "block"
        if is_apart and (not structure or structure[-1].tag in _PARAGRAPH_PARENTS | _TEXT_CONTAINERS):
            self.writer.move_to([*structure, _new("p", "f", text)])
            self.at_line_start = True
        else:
            self.writer.move_to(self._ancestors(), gap)
        begin, end = (r"\[", r"\]") if is_display else (r"\(", r"\)")
        self.writer.builder.start("span", {"class": f"math {'display' if is_display else 'inline'}"})
        self.writer.builder.data(f"{begin}{replace_illegal(tex)}{end}")
        self.writer.builder.end("span")

    def _strip_bullet(self, raw: str) -> str:
        """Return a text without the bullet at the start of its block, if the block is in an added list."""
        bullet = _BULLET.match(raw.lstrip()) if self.cursor == 0 and self._is_added_item() else None
        if bullet is None:
            return raw
        self.cursor, self.at_line_start = bullet.end(), True
        return raw.lstrip()[bullet.end() :].lstrip()

    def _is_added_item(self) -> bool:
        return len(self.wrapper) > 1 and self.wrapper[-1].tag == "li"

    def _line(self, raw: str) -> tuple[bool, str]:
        """Return whether the text of the block has white space before a text node, and the words of the node."""
        words, block_text = " ".join(raw.split()), self.blocks.text[self.block]
        start = block_text.find(words, self.cursor)
        spaced = start != self.cursor and not self.at_line_start
        self.cursor = max(start, self.cursor) + len(words)
        self.at_line_start = False
        return spaced, words

    def _begin(self, block: int) -> str:
        """Begin a block: choose its wrapper, and return the white space between it and the text before."""
        structure = self._structure()
        keys = [opened.key for opened in structure]
        same_structure = keys == self.structure_keys and self.block >= 0
        self.block, self.structure_keys, self.cursor, self.at_line_start = block, keys, 0, False
        if same_structure and self.labels[block] is Label.CONTINUATION:
            return " "
        self.wrapper = self._wrapper(block, structure, self.wrapper if same_structure else [])
        return ""

    def _wrapper(self, block: int, structure: list[_OpenElement], previous: list[_OpenElement]) -> list[_OpenElement]:
        """Return the elements to add around a block, by its label; `previous` is the wrapper of the block before it."""
        parent, label = structure[-1].tag if structure else "", self.labels[block]
        if parent in _ITEM_TAGS:
            return [_new(_ITEM_TAGS[parent], "b", block)]
        if label is Label.HEADING and parent not in _HEADINGLESS_CONTAINERS:
            return [_new(f"h{self.page.heading_level[block]}", "b", block)]
        if label is Label.LIST_ITEM and parent in _PARAGRAPH_PARENTS:
            added_list = previous[:1] if previous and previous[0].tag == "ul" else [_new("ul", "l", block)]
            return [*added_list, _new("li", "b", block)]
        container = int(self.page.container[block])
        if parent in _TEXT_CONTAINERS and container == structure[-1].start and self.page.unit_count[container] < 2:
            return []
        return [_new("p", "b", block)]

    def _ancestors(self) -> list[_OpenElement]:
        """Return the ancestors of a text of the current block: structure, wrapper, inline elements."""
        return [*self._structure(), *self.wrapper, *(opened for opened in self.stack if opened.tag not in STRUCTURE)]


_NOTES: Final = (
    _OpenElement(("n", -2), "section", {"class": "footnotes"}, -1, -1), _OpenElement(("n", -1), "ol", {}, -1, -1),
)  # fmt: skip
"""Elements around the notes."""


def _new(tag: str, kind: str, number: int) -> _OpenElement:
    """Return an added element, which is not in the page, for a block or an image."""
    return _OpenElement((kind, number), tag, {}, -1, -1)


def _is_safe(url: str) -> bool:
    """Return whether a URL is relative or has a scheme that runs no script."""
    try:
        return urlsplit(url).scheme.lower() in _SCHEMES
    except ValueError:
        return False


def write_html(result: Result) -> str:
    """Return the cleaned page as a complete HTML document in UTF-8, with its metadata in the head."""
    document = etree.tostring(to_tree(result, result.metadata), method="html", encoding="unicode")
    return f"<!DOCTYPE html>\n{document}\n"


def to_tree(result: Result, metadata: Metadata | None = None, *, is_thread: bool | None = None) -> etree._Element:
    """Return the cleaned page as an `html` element with head and body, and with language and metadata if given.

    Args:
        result: the result.
        metadata: its metadata.
        is_thread: whether the page is a thread, if that is known.
    """
    snapshot = result.columns.snapshot
    builder = etree.TreeBuilder()
    builder.start("html", _root_attributes(result) if metadata else {})
    _write_head(builder, snapshot.title, snapshot.url, metadata)
    builder.start("body", {})
    builder.data("\n")
    _write_headline(builder, result.prediction.added_title)
    is_thread = result.is_thread if is_thread is None else is_thread
    prediction = result.prediction
    labels = complete_sections(result.columns, prediction.labels, prediction.probability, is_thread=is_thread)
    HtmlWriter(result, labels, builder).write()
    builder.end("body")
    builder.end("html")
    return builder.close()


def _write_head(builder: etree.TreeBuilder, title: str, url: str, metadata: Metadata | None) -> None:
    """Write the title, which HTML requires even if empty, a canonical link to an http(s) URL, and metadata."""
    builder.start("head", {})
    builder.start("meta", {"charset": "utf-8"})
    builder.end("meta")
    builder.start("title", {})
    builder.data(replace_illegal(title))
    builder.end("title")
    if url.lower().startswith(("http://", "https://")):
        builder.start("link", {"rel": "canonical", "href": replace_illegal(url)})
        builder.end("link")
    for attributes in _metadata_attributes(metadata) if metadata else ():
        builder.start("meta", attributes)
        builder.end("meta")
    builder.end("head")
    builder.data("\n")


_META: Final = (
    ("property", "og:title", "title"), ("name", "author", "authors"),
    ("property", "article:published_time", "published"),
    ("property", "article:modified_time", "modified"), ("property", "og:site_name", "site_name"),
    ("name", "description", "description"), ("property", "og:url", "canonical_url"), ("property", "og:image", "image"),
    ("property", "article:section", "section"), ("property", "article:tag", "tags"), ("name", "license", "license"),
    ("name", "page-type", "page_type"),
)  # fmt: skip
"""Attribute, name in HTML or Open Graph (https://ogp.me), and field of metadata; lists have an element per item."""


def _metadata_attributes(metadata: Metadata) -> Iterator[Attributes]:
    """Yield the attributes of the `<meta>` elements for metadata with a value."""
    for kind, name, field_name in _META:
        value = getattr(metadata, field_name)
        for each in value if isinstance(value, tuple) else (value,) * bool(value):
            yield {kind: name, "content": replace_illegal(each)}


def _write_headline(builder: etree.TreeBuilder, title: str) -> None:
    """Write the title of the document as the first heading, unless it is empty."""
    if title:
        builder.start("h1", {})
        builder.data(replace_illegal(title))
        builder.end("h1")
        builder.data("\n")


def _root_attributes(result: Result) -> Attributes:
    snapshot = result.columns.snapshot
    direction = snapshot.attributes("dir").get(0, "").lower()
    language = result.language or snapshot.language
    attributes = {"lang": replace_illegal(language), "dir": direction if direction in ("ltr", "rtl") else ""}
    return {name: value for name, value in attributes.items() if value}
