"""Select the elements, texts and images of a page for the cleaned page, in document order."""

from __future__ import annotations

import re
from enum import IntEnum
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vclean.classify.content.postprocess import MAX_BLOCKS_PER_PART
from vclean.features.columns import sorted_unique
from vclean.labels import Label, Visibility
from vclean.output.code import Code, count_characters
from vclean.output.notes import Note, NoteFinder
from vclean.output.sections import Sections, have_link_away, page_links
from vclean.page import join_url
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot


_TOOL: Final = re.compile(
    r"(?<![\w-])(?:edit-?link|reply-?link|comment-reply-link|jump-link-back)(?![\w-])", re.IGNORECASE
)
"""Classes of links to edit a page or to reply."""
_ANCHOR: Final = re.compile(
    r"(?<![\w-])(?:header-?link|heading-?anchor|header-?anchor|anchor-?link|anchorjs-link|perma-?link)(?![\w-])",
    re.IGNORECASE,
)
"""Classes of links to a place in the page, and of any link in a text on some sites."""
_MAX_TOOL: Final = 30
"""Characters of the text of such a link."""


def _tools(blocks: BlockColumns, links: Mapping[int, str]) -> NDArray[np.int32]:
    """Return the text nodes that are tools of the page in the middle of its text, such as buttons, int32 (K,)."""
    snapshot = blocks.snapshot
    named = snapshot.having("class", _ANCHOR) & ~have_link_away(snapshot, links)
    named = (named | snapshot.having("class", _TOOL) | snapshot.is_tag(("button",))) & (
        count_characters(snapshot) <= _MAX_TOOL
    )
    texts = blocks.text_nodes
    block = blocks.text_block[texts]
    is_tool = tree.inside(named, snapshot.end)[snapshot.text_parent[texts]]
    is_tool &= np.bincount(block, ~is_tool, len(blocks))[block] > 0  # links that are the whole heading stay
    return np.asarray(texts[is_tool])


def _idle_links(blocks: BlockColumns, heading: NDArray[np.bool_], links: Mapping[int, str]) -> NDArray[np.bool_]:
    """Return whether each element is a link to the page itself, or a link in a heading to a fragment, bool (N,)."""
    snapshot = blocks.snapshot
    link = tree.nearest_ancestor(snapshot.is_tag(("a",)), snapshot.parent)
    headings = blocks.members[heading[blocks.text_block[blocks.members]]]
    in_headings = set(link[snapshot.text_parent[headings]].tolist())
    is_idle = np.zeros(len(snapshot), dtype=bool)
    is_idle[[each for each, fragment in links.items() if not fragment or each in in_headings]] = True
    return is_idle


TABLE_PARTS = frozenset(("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"))
STRUCTURE = TABLE_PARTS | {"ul", "ol", "li", "dl", "dt", "dd", "pre", "blockquote", "figure", "figcaption"}
"""Tags of structural elements, which are kept if they contain kept text."""

INLINE = frozenset((
    "a", "abbr", "b", "bdi", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "rp", "rt", "ruby",
    "s", "samp", "strong", "sub", "sup", "time", "u", "var",
))  # fmt: skip
"""Tags of inline elements."""

_CELLS, _BARE_TABLE_PARTS = frozenset(("td", "th")), TABLE_PARTS - {"td", "th", "caption"}
_MAX_NESTED: Final = 300
"""Characters of a table that may be the value of a cell."""


_IMAGE_FILE = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)(?:$|[?#])")


class EventKind(IntEnum):
    """Kind of an event; the order applies to events at the same position in the document."""

    CELL = 0
    IMAGE = 1
    INLINE_IMAGE = 2
    CODE = 3
    BREAK = 4
    NOTE = 5
    TEXT = 6


Event = tuple[int, int]
"""Kind of an event, and the element or the text node."""


class SelectedContent(NamedTuple):
    """Selected content of a page.

    Attributes:
        events: what to write in document order, outside the notes and in each note: texts, images, code, line breaks,
            and cells of tables, which stay if they are empty.
        notes: the footnotes.
        code: the code blocks of the page.
        elements: bool (N,), the structural and inline elements to write around events.
    """

    events: list[list[Event]]
    notes: list[Note]
    code: Code
    elements: NDArray[np.bool_]


def select_content(blocks: BlockColumns, labels: Sequence[Label], *, images: bool = True) -> SelectedContent:
    """Select the elements and texts of a page to write by the labels of its blocks, and its images if requested."""
    snapshot = blocks.snapshot
    content = np.array([label.is_content for label in labels], dtype=bool)
    heading = np.array([label is Label.HEADING for label in labels], dtype=bool)
    links = page_links(snapshot)
    code = Code(blocks)
    is_kept = np.append(content, False)[blocks.text_block]
    is_kept[_tools(blocks, links)] = False
    has_content = snapshot.count_in(snapshot.text_parent[is_kept]) > 0
    kept_code = code.roots[has_content[code.roots]]
    notes = NoteFinder(blocks, content).find()
    note_of = _note_of(blocks, notes)
    is_kept = ((is_kept & (note_of == _MAIN)) | (note_of >= 0)) & ~code.texts
    kept_texts = np.flatnonzero(is_kept).astype(np.int32)
    kept_texts = kept_texts[~_before_notes(blocks, heading, kept_texts, note_of)]
    parents = np.concatenate([snapshot.text_parent[kept_texts], snapshot.parent[kept_code]])
    has_content = snapshot.count_in(parents) > 0
    elements = _elements(blocks, kept_texts, has_content) & ~_idle_links(blocks, heading, links)
    rows, inline = _images(blocks, content, elements) if images else (kept_texts[:0], np.zeros(0, dtype=bool))
    breaks = np.flatnonzero(snapshot.is_tag(("br",)))  # those between the texts of a kept block
    before, after = _blocks_around(blocks, kept_texts, breaks)
    events = {
        EventKind.CELL: np.flatnonzero(elements & snapshot.is_tag(_CELLS)),
        EventKind.IMAGE: rows[~inline],
        EventKind.INLINE_IMAGE: rows[inline],
        EventKind.CODE: kept_code,
        EventKind.BREAK: breaks[(before == after) & np.append(content, False)[before]],
        EventKind.NOTE: np.array([text for note in notes for text, *_ in note.marks], dtype=np.int32),
        EventKind.TEXT: kept_texts,
    }
    return SelectedContent(_in_order(snapshot, events, notes), notes, code, elements)


_MAIN, _LEFT_OUT = -1, -2
"""Numbers of text nodes that are in no note, and of those that are not written: marks, and links back to them."""
_ENCLOSING = TABLE_PARTS | {"ul", "ol", "li", "dl", "dt", "dd", "blockquote"}


def _note_of(blocks: BlockColumns, notes: list[Note]) -> NDArray[np.int32]:
    """Return the number of the note of each text node, int32 (T,); negative numbers are `_MAIN` and `_LEFT_OUT`."""
    note_of = np.full(len(blocks.text_block), _MAIN, dtype=np.int32)
    is_shown = np.append(blocks.visibility == Visibility.SHOWN, False)[blocks.text_block]
    for number, note in enumerate(notes):
        note_of[note.start : note.end] = np.where(is_shown[note.start : note.end], number, _LEFT_OUT)
    for note in notes:  # their marks may be in other notes
        note_of[[*note.left_out, *chain.from_iterable(note.marks)]] = _LEFT_OUT
    return note_of


def _before_notes(
    blocks: BlockColumns, heading: NDArray[np.bool_], texts: NDArray[np.int32], note_of: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Return which of K kept texts are headings of notes alone, bool (K,): the next kept text is one of a note."""
    block = blocks.text_block[texts]
    in_note = note_of[texts] >= 0
    is_before = np.append(in_note[1:] & ~in_note[:-1], False) & heading[block]
    return np.asarray(np.isin(block, block[is_before]) & ~in_note)


def _in_order(snapshot: Snapshot, events: dict[EventKind, NDArray[Any]], notes: list[Note]) -> list[list[Event]]:
    """Return events outside notes and in each note in document order, given the elements or text nodes of each kind."""
    kind = np.concatenate([np.full(len(rows), name) for name, rows in events.items()])
    index = np.concatenate([*events.values()])
    is_text = kind >= EventKind.NOTE
    position = index.copy()
    position[is_text] = snapshot.text_after[index[is_text]]
    order = np.lexsort((index, np.where(is_text, EventKind.TEXT, kind), position))
    text = np.where(is_text, index, np.searchsorted(snapshot.text_after, index))[order]
    note_of = np.zeros(len(snapshot.texts) + 1, dtype=np.intp)
    for number, note in reversed(list(enumerate(notes, 1))):
        note_of[note.start : note.end] = number
    groups: list[list[Event]] = [[] for _ in range(len(notes) + 1)]
    for number, name, row in zip(note_of[text].tolist(), kind[order].tolist(), index[order].tolist(), strict=True):
        groups[number].append((name, row))
    return groups


def is_in_note(snapshot: Snapshot, element: int, note: Note) -> bool:
    """Return whether an element is in a note, and no item, cell or the like around all of it."""
    texts = snapshot.texts_in(element)
    encloses = len(texts) >= note.end - note.start - 1 and snapshot.tags[snapshot.tag[element]] in _ENCLOSING
    return note.start <= texts.start and texts.stop <= note.end and not encloses


def kept_tables(blocks: BlockColumns, labels: Sequence[Label]) -> NDArray[np.bool_]:
    """Return which elements are tables that remain tables in the cleaned page, bool (N,)."""
    snapshot = blocks.snapshot
    content = np.array([label.is_content for label in labels], dtype=bool)
    kept_texts = blocks.text_nodes[content[blocks.text_block[blocks.text_nodes]]]
    return _data_tables(blocks, kept_texts, snapshot.count_in(snapshot.text_parent[kept_texts]) > 0)


def _elements(blocks: BlockColumns, kept_texts: NDArray[np.int32], has_content: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Select elements: structural and inline elements with kept text, and empty cells of kept rows, bool (N,).

    Args:
        blocks: the blocks of the page.
        kept_texts: int32, the kept text nodes.
        has_content: bool (N,), whether each element contains kept text.
    """
    snapshot = blocks.snapshot
    is_structural, is_table_part = snapshot.is_tag(STRUCTURE), snapshot.is_tag(TABLE_PARTS)
    table, row = (tree.nearest_ancestor(snapshot.is_tag((tag,)), snapshot.parent) for tag in ("table", "tr"))
    in_data = _data_tables(blocks, kept_texts, has_content)[table]
    empty_cell = snapshot.is_tag(_CELLS) & has_content[row] & (table[row] == table) & in_data
    kept = has_content & (is_structural | snapshot.is_tag(INLINE)) & (~is_table_part | in_data)
    return np.asarray(kept | empty_cell)


def _data_tables(
    blocks: BlockColumns, kept_texts: NDArray[np.int32], has_content: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return whether each element is a data table, as opposed to a layout table, bool (N,).

    A data table has a header cell or a caption, or two rows of two cells with kept text. It has no nested table, except
    small ones in a table with a header, no text outside its cells, no role `presentation` or `none`, and few blocks per
    cell. A table in a data table is text of its cell.
    """
    snapshot, size = blocks.snapshot, len(blocks.snapshot)
    is_table, is_cell = snapshot.is_tag(("table",)) & has_content, snapshot.is_tag(_CELLS) & has_content
    table, row = (tree.nearest_ancestor(snapshot.is_tag((tag,)), snapshot.parent) for tag in ("table", "tr"))
    has_header = np.bincount(table[snapshot.is_tag(("th", "caption", "thead")) & has_content], minlength=size) > 0
    wide_rows = np.flatnonzero(np.bincount(row[is_cell], minlength=size) > 1)
    grid = np.bincount(table[wide_rows], minlength=size) > 1
    units = sorted_unique(blocks.text_block[kept_texts])
    crowded = snapshot.count_in(blocks.node[units]) > MAX_BLOCKS_PER_PART * np.bincount(table[is_cell], minlength=size)
    in_header_table = has_header[table[np.maximum(snapshot.parent, 0)]]
    is_large = is_table & ((count_characters(snapshot) > _MAX_NESTED) | ~in_header_table)
    nested = tree.subtree_sum(is_large.astype(np.int64), snapshot.end) - is_large > 0
    container = tree.nearest_ancestor(snapshot.is_tag(STRUCTURE), snapshot.parent)[snapshot.text_parent[kept_texts]]
    has_loose_text = np.zeros(size, dtype=bool)
    has_loose_text[table[container[snapshot.is_tag(_BARE_TABLE_PARTS)[container]]]] = True
    for element, role in snapshot.attributes("role").items():
        has_loose_text[element] |= role in ("presentation", "none")
    is_data: NDArray[np.bool_] = is_table & (has_header | grid) & ~(crowded | nested | has_loose_text)
    return np.asarray(is_data & (tree.path_sum(is_data, snapshot.end) == 1))


def _blocks_around(
    blocks: BlockColumns, texts: NDArray[np.int32], elements: NDArray[np.intp]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the blocks of the last of the sorted `texts` before each childless element and of the first after it.

    They are -1 where there is none.
    """
    padded = np.concatenate([[-1], texts, [-1]]).astype(np.int32)
    index = np.searchsorted(texts, np.searchsorted(blocks.snapshot.text_after, elements))
    text_block = np.append(blocks.text_block, -1)
    return text_block[padded[index]], text_block[padded[index + 1]]


def _images(
    blocks: BlockColumns, content: NDArray[np.bool_], elements: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Select images of the content between kept texts or in a kept figure; see `content_images`.

    In a line of text, images without an alternative text are taken for icons, unless they are known to be larger.
    Images that link to another page and have text beside them are teasers.

    Returns:
        The image elements, and whether each is inside a block, in a line of text.
    """
    snapshot = blocks.snapshot
    rows, is_certain = content_images(snapshot)
    before, after = _blocks_around(blocks, blocks.text_nodes, rows)
    is_kept = np.append(content, False)
    in_figure = tree.nearest_ancestor(snapshot.is_tag(("figure",)) & elements, snapshot.parent)[rows] > 0
    inline = (before == after) & is_kept[before]
    sections = Sections(blocks, content)
    has_text = sections.words[sections.around(rows)] > 0
    link = tree.nearest_ancestor(snapshot.is_tag(("a",)), snapshot.parent)[rows].tolist()
    targets = snapshot.attributes("href")
    leads_away = [bool(each) and not _IMAGE_FILE.search(targets.get(each, "").lower()) for each in link]
    is_teaser = has_text & np.array(leads_away, dtype=bool)
    beside = sections.are_enclosed(rows, at_edges=True) & ~is_teaser
    selected = np.where(inline, is_certain, in_figure | beside)
    return rows[selected], inline[selected]


_MIN_LONG_SIDE: Final = 64
_MIN_SHORT_SIDE: Final = 24
"""Least sides of an image of the content, CSS px: icons are smaller, and rules and spacers are thinner."""
_LENGTH: Final = re.compile(r"\s*(\d{1,5}(?:\.\d+)?)\s*(?:px)?\s*$")
_LATER: Final = ("data-src", "data-lazy-src", "data-original")
"""Attributes with the address of an image that a script loads later."""
_COMMA: Final = re.compile(r",\s+|(?<=\d[wx]),")
"""Comma between the images of a `srcset`; addresses may have commas as well (HTML, 4.8.4.2.1)."""
_SIZE: Final = re.compile(r"(\d{1,6}(?:\.\d{1,4})?)[wx]$")
_DECORATION: Final = re.compile(
    r"(?:^|[^a-z])(?:1x1|avatar|gravatar|profile[-_](?:image|pic)|arrow|badge|beacon|blank|bullet|button|clear|counter|divider|dot|emoji|favicon|icon|"
    r"loader|loading|logo|pixel|placeholder|separator|shim|smil(?:ey|ie)|spacer|space(?=\.gif)|spinner|sprite|tracking|"
    r"transparent)s?(?:[^a-z]|$)|(?-i:Icon[A-Z])|/icon[a-z]",
    re.IGNORECASE,
)
"""Words in the address of an image that is no content."""


def image_sources(snapshot: Snapshot) -> dict[int, str]:
    """Return the addresses of the images that have one, by element: see `image_source`."""
    images = np.flatnonzero(snapshot.is_tag(("img",))).tolist()
    return {element: source for element in images if (source := image_source(snapshot, element))}


def image_source(snapshot: Snapshot, element: int) -> str:
    """Return the address of an image: `src`, or that of an image that is loaded later; empty if it has none.

    Scripts that load images when a reader comes near put the address in `data-src` or the like, and nothing or a small
    image in `src`. Without any of them, it is the largest image of `srcset`, or of the first `<source>` of a
    `<picture>`. (An empty `src` becomes the address of the page.)
    """
    source = snapshot.attributes("src").get(element, "").strip()
    is_missing = source in ("", snapshot.url) or source.lower().startswith(("data:", "about:"))
    if not is_missing and not _DECORATION.search(source):
        return source
    declared = next(filter(None, (snapshot.attributes(name).get(element, "").strip() for name in _LATER)), "")
    if not is_missing or declared:
        return declared or source
    is_picture, is_source = snapshot.is_tag(("picture",)), snapshot.is_tag(("source",))
    picture = next(filter(is_picture.__getitem__, snapshot.ancestors(element)), element)
    sets = [snapshot.attributes(name) for name in ("srcset", "data-srcset")]
    places = [element, *filter(is_source.__getitem__, range(picture + 1, element))]
    several = next((each[place] for place in places for each in sets if each.get(place)), "")
    return _largest(several, snapshot.url) or source


def _largest(source_set: str, base: str) -> str:
    """Return the absolute address of the image with the greatest width or density of a `srcset`; empty without any.

    >>> _largest("a.png 300w, b.png?x=1,2 600w", "https://example.org/c/"), _largest("", "")
    ('https://example.org/c/b.png?x=1,2', '')
    """
    candidates = [fields for part in _COMMA.split(source_set) if (fields := part.strip(" ,").split())]
    sizes = [float(size[1]) if (size := _SIZE.match(fields[-1])) else 1.0 for fields in candidates]
    address = candidates[int(np.argmax(sizes))][0] if sizes else ""
    if not address or address.lower().startswith("data:"):
        return ""
    return join_url(base, address) or address


def content_images(snapshot: Snapshot) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the images that are shown, and have an alternative text or the size and the address of content.

    An empty alternative text marks decoration (HTML, 4.8.4.4.4), but many pages give it to all images, so size and
    address decide. The size is that of the attributes, or that on the page if the image was loaded there.

    An image that another image links to is its larger copy, and left out, as are repetitions of an image.

    Returns:
        The elements, and whether each has an alternative text or a known size.
    """
    sources, alternatives, targets = image_sources(snapshot), snapshot.attributes("alt"), snapshot.attributes("href")
    parents = snapshot.text_parent[snapshot.text_length > 0]
    formulas = set(snapshot.parent[parents[snapshot.is_tag(("math",))[parents]]].tolist())
    elements = [element for element in sorted(sources) if not snapshot.hidden[element] and element not in formulas]
    links = tree.nearest_ancestor(snapshot.is_tag(("a",)), snapshot.parent)[elements].tolist()
    copies = {targets.get(link, "") for link in links if link} - {""}
    first = {sources[element]: element for element in reversed(elements)}
    rows, is_certain = list[int](), list[bool]()
    for element, link in zip(elements, links, strict=True):
        source = sources[element]
        is_repeated = first[source] != element or (source in copies and not link)
        is_named = bool(alternatives.get(element, "").strip())
        size = () if is_named else _sides(snapshot, element)
        is_large = not size or (min(size) >= _MIN_SHORT_SIDE and (len(size) < 2 or max(size) >= _MIN_LONG_SIDE))
        if not is_repeated and is_large and not _DECORATION.search(source):
            rows.append(element)
            is_certain.append(is_named or bool(size))
    return np.array(rows, dtype=np.intp), np.array(is_certain, dtype=bool)


def _sides(snapshot: Snapshot, element: int) -> tuple[float, ...]:
    """Return the known sides of an image, CSS px: width and height, one of them, or none."""
    if element in snapshot.image and snapshot.box[element, 2:].min() > 0:
        return tuple(snapshot.box[element, 2:].tolist())
    lengths = (_LENGTH.match(snapshot.attributes(name).get(element, "")) for name in ("width", "height"))
    return tuple(float(length[1]) for length in lengths if length)
