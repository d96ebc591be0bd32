"""Write the content of a page as well-formed and valid HTML.

One pass over the selected elements and texts in document order writes to the `TreeBuilder` of lxml. An element of the
page is opened before its first text and closed before the first text outside it, so the tree is always well formed.
Labels determine headings and list items; the tags of the page determine the other structure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from vclean.characters import replace_illegal
from vclean.labels import Label
from vclean.output.notes import leading_label
from vclean.output.sections import complete_sections, heading_levels
from vclean.output.selection import INLINE, STRUCTURE, EventKind, image_source, is_in_note, select_content
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vclean.output.notes import Note
    from vclean.output.selection import Event
    from vclean.records import Metadata
    from vclean.result import Result


MAX_DEPTH = 40
"""Greatest depth of elements in the output; the tags of deeper elements are left out, their text is kept."""

_PARENTS = {
    "li": ("ul", "ol"),
    "figcaption": ("figure",),
    "tr": ("table", "thead", "tbody", "tfoot"),
    **dict.fromkeys(("dt", "dd"), ("dl",)),
    **dict.fromkeys(("caption", "thead", "tbody", "tfoot"), ("table",)),
    **dict.fromkeys(("td", "th"), ("tr",)),
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


@dataclass(frozen=True, slots=True, eq=False)
class _Element:
    """Element of the output, compared by identity.

    Attributes:
        tag: the tag name.
        attributes: the attributes.
        node: the element of the page; -1 for an added element.
    """

    tag: str
    attributes: Attributes = field(default_factory=dict)
    node: int = -1


_Path = tuple[_Element, ...]
"""Elements around a position of the output, outermost first."""
_NOTES: Final = (_Element("section", {"class": "footnotes"}), _Element("ol"))
"""Elements around the notes."""


class HtmlWriter:
    """Writer of the content of one page to a `TreeBuilder`; call `write` once.

    A text or an image has a path: the selected structural elements of the page around it, the wrapper of its block, and
    the selected inline elements around it. `_move_to` opens and closes the elements in which it differs from the last.

    Args:
        result: the result of the page.
        labels: the label of each block, with whole sections.
        builder: the tree builder of lxml.
        headings: the heading of each post, by the block with which the post begins.

    Attributes:
        heading_level: the level of each block as a heading, 1 to 6.
        container: the innermost structural element of the page around each block, whether it is kept or not.
        unit_count: the number of units that begin directly in each structural element.
        heading_tag: the tag of the headings of posts; empty before the first one below a document.
        level: the level of the last heading of the page.
        open: the open elements of the output.
        around: the innermost selected element around each element of the page, or the element itself.
        paths: the structural and the inline elements of the output in a selected element of the page.
        structure, inline: those at the current position.
        base: the elements around the current note; empty before the notes.
        note: the current note.
        items: the last item of each list.
        block: the current block; -1 before the first.
        wrapper: the elements added around the text of the current block, such as a paragraph.
        block_structure: the structural elements around the current block.
        cursor: the position in the text of the current block, characters.
        at_line_start: whether the next text needs no white space before it.
    """

    def __init__(
        self, result: Result, labels: Sequence[Label], builder: etree.TreeBuilder, headings: Mapping[int, str]
    ) -> None:
        self.blocks, self.labels, decision = result.columns, labels, result.prediction.decision
        self.snapshot = snapshot = self.blocks.snapshot
        self.page = select_content(self.blocks, labels, images=decision is None or decision.policy.images)
        is_heading = np.array([label is Label.HEADING for label in labels], dtype=bool)
        self.heading_level = heading_levels(self.blocks, is_heading, result.prediction.headline)
        self.container = tree.nearest_ancestor(snapshot.is_tag(STRUCTURE), snapshot.parent)[self.blocks.node]
        begins = np.array([label.is_content and label is not Label.CONTINUATION for label in labels], dtype=bool)
        self.unit_count = np.bincount(self.container[begins], minlength=len(snapshot))
        self.builder, self.headings = builder, headings
        self.heading_tag = "h2" if result.is_thread else ""
        self.level = 1
        self.open: list[_Element] = []
        self.around: list[int] = tree.nearest_ancestor(self.page.elements, snapshot.parent).tolist()
        self.paths: dict[int, tuple[_Path, _Path]] = {}
        self.structure, self.inline, self.base = _Path(), _Path(), _Path()
        self.note: Note | None = None
        self.note_labels = {text: note.label for note in self.page.notes for text, *_ in note.marks}
        self.items: dict[_Element, _Element] = {}
        self.block = -1
        self.wrapper, self.block_structure = _Path(), _Path()
        self.cursor = 0
        self.at_line_start = False
        self.is_formula = snapshot.is_tag(("math",))[snapshot.text_parent]

    def write(self) -> None:
        """Write all selected elements and texts, and close the open elements."""
        content, *of_notes = self.page.events
        self._write_events(content)
        for note, events in zip(self.page.notes, of_notes, strict=True):
            self.base = (*_NOTES, _Element("li", {"id": f"fn{note.label}"}))
            self.block, self.note = -1, note
            self._write_events(events)
        self._move_to(())

    def _write_events(self, events: Sequence[Event]) -> None:
        """Write events with the methods that have the names of their kinds."""
        handlers = [getattr(self, f"_{kind.name.lower()}") for kind in EventKind]
        self.paths = {0: (self.base, ())}
        for kind, index in events:
            self._enter(int(self.snapshot.text_parent[index]) if kind >= EventKind.NOTE else index)
            handlers[kind](index)

    # Elements

    def _enter(self, element: int) -> None:
        """Find the paths in an element of the page, through the selected elements around it that were not seen yet."""
        new = []
        while (inside := self.around[element]) not in self.paths:
            new.append(inside)
            element = int(self.snapshot.parent[inside])
        self.structure, self.inline = self.paths[inside]
        for node in reversed(new):
            if self.note is None or is_in_note(self.snapshot, node, self.note):
                self._add(node)
            self.paths[node] = self.structure, self.inline

    def _add(self, node: int) -> None:
        """Add an element to the paths, if it is allowed there.

        A structural element directly in a list is in the previous item of the list, or in a new one.
        """
        tag = self.snapshot.tags[self.snapshot.tag[node]]
        new = _Element(tag, self._attributes(node, tag), node)
        if len(self.structure) + len(self.inline) >= MAX_DEPTH + len(self.base):
            return
        if tag not in STRUCTURE:
            if all(above.tag != tag for above in self.inline) and (tag != "a" or "href" in new.attributes):
                self.inline = (*self.inline, new)
            return
        if tag in _PARENTS and _last_tag(self.structure) not in _PARENTS[tag]:
            return
        parent = self.structure[-1] if self.structure else new
        if tag == "li":
            self.items[parent] = new
        elif tag not in _PARENTS and parent.tag in _ITEM_TAGS and self.structure:
            self.structure = (*self.structure, self.items.setdefault(parent, _Element(_ITEM_TAGS[parent.tag])))
        self.structure = (*self.structure, new)

    def _attributes(self, element: int, tag: str) -> Attributes:
        attributes: Attributes = {}
        for name in _ATTRIBUTES.get(tag, ()):
            value = replace_illegal(self.snapshot.attributes(name).get(element, "")).strip()
            if value and (name not in ("href", "cite") or _is_safe(value)):
                attributes[name] = value
        return attributes

    # Content

    def _cell(self, element: int) -> None:
        """Open a cell: empty ones stay."""
        if self.structure and self.structure[-1].node == element:
            self._move_to(self.structure)

    def _move_to(self, path: _Path, gap: str = "") -> None:
        """Close and open elements until exactly those of a path are open; write `gap` between closing and opening.

        A block in an item or a cell begins on a new line, to separate it from text before it.
        """
        common = 0
        while common < min(len(self.open), len(path)) and self.open[common] is path[common]:
            common += 1
        while len(self.open) > common:
            tag = self.open.pop().tag
            self.builder.end(tag)
            if tag not in INLINE:
                self.builder.data("\n")
        if gap:
            self.builder.data(gap)
        for element in path[common:]:
            if self.open and self.open[-1].tag in _TEXT_CONTAINERS and element.tag not in INLINE:
                self.builder.data("\n")
            self.builder.start(element.tag, element.attributes)
            self.open.append(element)

    def _image(self, element: int) -> None:
        """Write an image between two blocks."""
        parent = _last_tag(self.structure)
        if parent in _TEXT_CONTAINERS or parent == "figure":
            self._write_image(element, self.structure)
        elif parent in _PARAGRAPH_PARENTS:
            self._write_image(element, (*self.structure, _Element("p")))

    def _inline_image(self, element: int) -> None:
        """Write an image in a line of text, after a space if the text before it ends in white space."""
        text_before = int(np.searchsorted(self.snapshot.text_after, element)) - 1
        spaced = self.snapshot.texts[text_before][-1:].isspace() and not self.at_line_start
        self._write_image(element, self._path(), " " * spaced)

    def _write_image(self, element: int, path: _Path, gap: str = "") -> None:
        source = replace_illegal(image_source(self.snapshot, element))
        if _is_safe(source):
            self._move_to(path, gap)
            _write_leaf(self.builder, "img", {"src": source, **self._attributes(element, "img")})

    def _code(self, element: int) -> None:
        """Write a code block as the HTML standard recommends (4.5.15): `code` with its language in `pre`."""
        structure = self.structure
        if tag := _ITEM_TAGS.get(_last_tag(structure)):
            structure = (*structure, _Element(tag))
        text, language = self.page.code.text(element), self.page.code.language(element)
        if self.headings:
            for block in self.headings.keys() & self.blocks.text_block[self.snapshot.texts_in(element)].tolist():
                self.block, self.wrapper = -1, ()
                self._post_heading(self.headings[block], structure)
        if not text.strip():
            return
        self.block, self.wrapper = -1, ()
        if name := self.page.code.tabs.get(element):
            self._move_to((*structure, _Element("p"), _Element("strong")))
            self.builder.data(replace_illegal(name))
        self._move_to((*structure, _Element("pre")))
        if language or self.snapshot.is_tag(("code",))[element : int(self.snapshot.end[element])].any():
            _write_leaf(self.builder, "code", {"class": f"language-{language}"} if language else {}, text)
        else:
            self.builder.data(replace_illegal(text))

    def _break(self, _: int) -> None:
        self._move_to(self._path())
        _write_leaf(self.builder, "br", {})
        self.builder.data("\n")
        self.at_line_start = True

    def _note(self, text: int) -> None:
        """Write the mark of a note as a link to it."""
        gap, label = self._begin(text), self.note_labels[text]
        path = [element for element in self._path() if element.tag not in ("a", "sup")]
        self._move_to((*path, _Element("sup")), gap)
        _write_leaf(self.builder, "a", {"href": f"#fn{label}", "class": "footnote-ref"}, label)
        self._line(self.snapshot.texts[text])

    def _text(self, text: int) -> None:
        is_first = self.block < 0
        gap, raw = self._begin(text), self.snapshot.texts[text]
        is_added_item = self.cursor == 0 and len(self.wrapper) > 1 and _last_tag(self.wrapper) == "li"
        if is_added_item and (bullet := _BULLET.match(raw.lstrip())):
            self.cursor, self.at_line_start = bullet.end(), True
            raw = raw.lstrip()[bullet.end() :].lstrip()
        if self.note and is_first:
            raw = leading_label(self.note.label).sub("", raw, count=1)
        if not raw.strip():
            return
        spaced, raw = self._line(raw)
        gap = " " if spaced else gap
        if self.is_formula[text]:
            self._formula(text, raw, gap)
        else:
            self._move_to(self._path(), gap)
            self.builder.data(replace_illegal(raw))

    def _formula(self, text: int, tex: str, gap: str) -> None:
        """Write a formula between the delimiters of TeX, as Pandoc and MathJax have them in HTML.

        A formula beside the element of its block is in a line of its own, and no part of its heading or paragraph.
        """
        parent, node = int(self.snapshot.text_parent[text]), int(self.blocks.node[self.block])
        is_apart = not node <= parent < self.snapshot.end[node]
        around = _last_tag(self.structure)
        is_block = self.snapshot.attributes("display").get(parent) == "block"
        is_display = is_block or (is_apart and around not in _TEXT_CONTAINERS)
        if is_apart and around in _PARAGRAPH_PARENTS | _TEXT_CONTAINERS:
            self._move_to((*self.structure, _Element("p")))
            self.at_line_start = True
        else:
            self._move_to(self._path(), gap)
        begin, end = (r"\[", r"\]") if is_display else (r"\(", r"\)")
        attributes: Attributes = {"class": f"math {'display' if is_display else 'inline'}"}
        _write_leaf(self.builder, "span", attributes, f"{begin}{tex}{end}")

    def _line(self, raw: str) -> tuple[bool, str]:
        """Return whether the text of the block has white space before a text node, and the words of the node."""
        words, block_text = " ".join(raw.split()), self.blocks.text[self.block]
        start = block_text.find(words, self.cursor)
        spaced = start != self.cursor and not self.at_line_start
        self.cursor = max(start, self.cursor) + len(words)
        self.at_line_start = False
        return spaced, words

    def _begin(self, text: int) -> str:
        """Begin the block of a text: choose its wrapper, and return the white space between it and the text before."""
        block = int(self.blocks.text_block[text])
        if block == self.block:
            return ""
        same_structure = self.structure == self.block_structure and self.block >= 0
        self.block, self.block_structure, self.cursor, self.at_line_start = block, self.structure, 0, False
        if same_structure and self.labels[block] is Label.CONTINUATION and block not in self.headings:
            return " "
        self.wrapper = self._wrapper(block, self.wrapper if same_structure else ())
        if block in self.headings:
            self._post_heading(self.headings[block], self.structure)
        if _last_tag(self.wrapper) in HEADING_TAGS:
            self.level = int(_last_tag(self.wrapper)[1])
        return ""

    def _post_heading(self, heading: str, structure: _Path) -> None:
        """Write the heading of a post before its first block; text directly in a cell has none."""
        if not self.wrapper and _last_tag(structure) in ("td", "th", "caption"):
            return
        path = (*structure, *self.wrapper) if _last_tag(self.wrapper) in _ITEM_TAGS.values() else structure
        while _last_tag(path) == "blockquote" and path[-1] not in self.open:
            path = path[:-1]  # quotes that begin with the post
        self.heading_tag = self.heading_tag or f"h{min(self.level + 1, len(HEADING_TAGS))}"
        self._move_to(path)
        _write_leaf(self.builder, self.heading_tag, {}, heading)

    def _wrapper(self, block: int, previous: _Path) -> _Path:
        """Return the elements to add around a block, by its label; `previous` is the wrapper of the block before it."""
        parent, label = _last_tag(self.structure), self.labels[block]
        if parent in _ITEM_TAGS:
            return (_Element(_ITEM_TAGS[parent]),)
        if label is Label.HEADING and parent not in _HEADINGLESS_CONTAINERS:
            return (_Element(f"h{self.heading_level[block]}"),)
        if label is Label.LIST_ITEM and parent in _PARAGRAPH_PARENTS:
            added_list = previous[0] if previous and previous[0].tag == "ul" else _Element("ul")
            return added_list, _Element("li")
        container = int(self.container[block])
        if parent in _TEXT_CONTAINERS and container == self.structure[-1].node and self.unit_count[container] < 2:
            return ()
        return (_Element("p"),)

    def _path(self) -> _Path:
        """Return the path of a text of the current block."""
        return self.structure + self.wrapper + self.inline


def _last_tag(path: _Path) -> str:
    """Return the tag of the innermost element; empty for the body."""
    return path[-1].tag if path else ""


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


def to_tree(
    result: Result,
    metadata: Metadata | None = None,
    *,
    labels: Sequence[Label] | None = None,
    headings: Mapping[int, str] | None = None,
) -> etree._Element:
    """Return the cleaned page as an `html` element with head and body, and with language and metadata if given.

    Args:
        result: the result.
        metadata: its metadata.
        labels: the label of each block; None for those of the result.
        headings: the heading of each post, by the block with which the post begins.
    """
    snapshot, prediction = result.columns.snapshot, result.prediction
    labels = complete_sections(
        result.columns, labels or prediction.labels, prediction.probability, is_thread=result.is_thread
    )
    builder = etree.TreeBuilder()
    root: Attributes = {}
    if metadata and (language := result.language or snapshot.language):
        root["lang"] = replace_illegal(language)
    if metadata and (direction := snapshot.attributes("dir").get(0, "").lower()) in ("ltr", "rtl"):
        root["dir"] = direction
    builder.start("html", root)
    _write_head(builder, snapshot.title, snapshot.url, metadata)
    builder.start("body", {})
    builder.data("\n")
    if prediction.added_title:
        _write_leaf(builder, "h1", {}, prediction.added_title)
        builder.data("\n")
    HtmlWriter(result, labels, builder, headings or {}).write()
    builder.end("body")
    builder.end("html")
    return builder.close()


def _write_leaf(builder: etree.TreeBuilder, tag: str, attributes: Attributes, text: str = "") -> None:
    """Write an element with nothing but text."""
    builder.start(tag, attributes)
    if text:
        builder.data(replace_illegal(text))
    builder.end(tag)


def _write_head(builder: etree.TreeBuilder, title: str, url: str, metadata: Metadata | None) -> None:
    """Write the title, which HTML requires even if empty, a canonical link to an http(s) URL, and metadata."""
    builder.start("head", {})
    _write_leaf(builder, "meta", {"charset": "utf-8"})
    _write_leaf(builder, "title", {}, title)
    if url.lower().startswith(("http://", "https://")):
        _write_leaf(builder, "link", {"rel": "canonical", "href": replace_illegal(url)})
    for kind, name, field_name in _META if metadata else ():
        value = getattr(metadata, field_name)
        for each in value if isinstance(value, tuple) else (value,) * bool(value):
            _write_leaf(builder, "meta", {kind: name, "content": replace_illegal(each)})
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
