"""Which elements and texts of a page go into the cleaned page, and the order they come in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import tree
from vclean.labels import Label
from vclean.output.headings import levels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot


SIGNS = frozenset("¶#§∞⚓🔗\u200b\uf0c1")
"""Signs that documentation tools put beside a heading as a link to it; the last is Font Awesome's chain."""


@dataclass(frozen=True, eq=False)
class Permalinks:
    """The links of a page to itself.

    Attributes:
        blocks: the page's blocks.
        heading: bool (B,), which of them are headings.
    """

    blocks: BlockColumns
    heading: NDArray[np.bool_]

    @cached_property
    def texts(self) -> NDArray[np.int32]:
        """The text nodes at the edges of headings that are nothing but a link to the heading, int32 (K,)."""
        first = self.blocks.first
        texts = np.split(self.blocks.members, first[1:]) if len(first) else []
        found = [text for block in np.flatnonzero(self.heading) for text in self._edges(texts[block].tolist())]
        return np.array(found, dtype=np.int32)

    @cached_property
    def elements(self) -> NDArray[np.bool_]:
        """The links to the page as a whole anywhere, and to a place on it in headings, bool (N,)."""
        snapshot = self.blocks.snapshot
        headings = self.blocks.members[self.heading[self.blocks.text_block[self.blocks.members]]]
        in_headings = set(self._link[snapshot.text_parent[headings]].tolist())
        found = np.zeros(len(snapshot), dtype=bool)
        found[[at for at, place in self._places.items() if not place or at in in_headings]] = True
        return found

    def _edges(self, texts: list[int]) -> Iterator[int]:
        """The texts of a heading that are in a permalink at its end or its beginning."""
        links = self._link[self.blocks.snapshot.text_parent[texts]].tolist()
        for edge in dict.fromkeys((links[-1], links[0])):
            own = [text for text, link in zip(texts, links, strict=True) if link == edge]
            if edge and len(own) < len(texts) and self._is_permalink(edge, own, texts[links.index(edge) - 1]):
                yield from own
                return

    def _is_permalink(self, link: int, texts: list[int], neighbour: int) -> bool:
        written = "".join(self.blocks.snapshot.texts[text] for text in texts).strip()
        return written in SIGNS or (link in self._places and self._leads_home(link, neighbour))

    def _leads_home(self, link: int, neighbour: int) -> bool:
        """Whether a link leads to an element round it, or to one in its heading."""
        snapshot = self.blocks.snapshot
        target = self._ids.get(self._places[link], -1)
        home = int(self.blocks.node[self.blocks.text_block[neighbour]])
        return home <= target < snapshot.end[home] or (target >= 0 and target <= link < snapshot.end[target])

    @cached_property
    def _link(self) -> NDArray[np.int32]:
        """int32 (N,): the link round each element, 0 where there is none."""
        snapshot = self.blocks.snapshot
        return tree.nearest_ancestor(snapshot.is_tag(("a",)), snapshot.parent)

    @cached_property
    def _places(self) -> dict[int, str]:
        """The links to the page itself, by the place on it they lead to, empty for the whole."""
        snapshot = self.blocks.snapshot
        itself = ("", snapshot.url.partition("#")[0])
        targets = ((at, value.strip().partition("#")) for at, value in snapshot.attributes("href").items())
        return {at: place for at, (address, _, place) in targets if address in itself}

    @cached_property
    def _ids(self) -> dict[str, int]:
        """Elements by their id, the first of each."""
        pairs = reversed(list(self.blocks.snapshot.attributes("id").items()))
        return {name: at for at, name in pairs}


TABLE_PARTS = frozenset(("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"))
STRUCTURE = TABLE_PARTS | {"ul", "ol", "li", "dl", "dt", "dd", "pre", "blockquote", "figure", "figcaption"}
"""Elements that give text its place; they are kept where they hold kept text."""

INLINE = frozenset((
    "a", "abbr", "b", "bdi", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "rp", "rt", "ruby",
    "s", "samp", "strong", "sub", "sup", "time", "u", "var",
))  # fmt: skip
"""Elements that say something of the words in them."""

_CELLS, _BARE_TABLE_PARTS = frozenset(("td", "th")), TABLE_PARTS - {"td", "th", "caption"}
_NO_TABLE_ROLES = frozenset(("presentation", "none"))
_MAX_BLOCKS_PER_CELL = 3


class Kind(IntEnum):
    """What an event is; at one place in the document the elements come before the texts."""

    ELEMENT = 0
    IMAGE = 1
    INLINE_IMAGE = 2
    BREAK = 3
    TEXT = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pruned:
    """The kept part of a page.

    Attributes:
        events: what to write, in document order: the kind, and the element or the text node.
        owner: int32 (T,), the block a text is written with, -1 where it only stands between two.
        level: int (B,), the level a block has as a heading, 1 to 6.
        home: int32 (B,), the innermost structural element of the page, kept or not, round a block.
        crowd: int (N,), how many units begin directly in a structural element.
    """

    events: list[tuple[Kind, int]]
    owner: NDArray[np.int32]
    level: NDArray[np.int64]
    home: NDArray[np.int32]
    crowd: NDArray[np.int64]


def prune(blocks: BlockColumns, labels: Sequence[Label]) -> Pruned:
    """Choose what is kept of a page, given its blocks' labels."""
    snapshot = blocks.snapshot
    content = np.array([label.is_content for label in labels], dtype=bool)
    heading = np.array([label is Label.HEADING for label in labels], dtype=bool)
    permalinks = Permalinks(blocks, heading)
    kept = np.setdiff1d(blocks.members[content[blocks.text_block[blocks.members]]], permalinks.texts)
    holds = _count(snapshot, snapshot.text_parent[kept]) > 0
    elements = _elements(blocks, kept, holds) & ~permalinks.elements
    home = tree.nearest_ancestor(snapshot.is_tag(STRUCTURE), snapshot.parent)[blocks.node]
    space = _code_space(blocks, kept)
    begins = np.array([label.is_content and label is not Label.CONTINUATION for label in labels], dtype=bool)
    return Pruned(
        events=_events(blocks, content, np.union1d(kept, space), elements),
        owner=_owner(blocks, kept, space),
        level=levels(blocks, heading),
        home=home,
        crowd=np.bincount(home[begins], minlength=len(snapshot)),
    )


def _count(snapshot: Snapshot, elements: NDArray[np.int32]) -> NDArray[np.int64]:
    """How many of `elements` are in each element's subtree, int64 (N,)."""
    counts: NDArray[np.int64] = tree.subtree_sum(np.bincount(elements, minlength=len(snapshot)), snapshot.end)
    return counts


def _elements(blocks: BlockColumns, kept: NDArray[np.int32], holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The elements of the cleaned page, bool (N,): those that hold kept text, and empty cells of kept rows."""
    snapshot = blocks.snapshot
    structural, parts = snapshot.is_tag(STRUCTURE), snapshot.is_tag(TABLE_PARTS)
    table = tree.nearest_ancestor(snapshot.is_tag(("table",)), snapshot.parent)
    is_data = _data_tables(blocks, kept, holds, table)
    row = tree.nearest_ancestor(snapshot.is_tag(("tr",)), snapshot.parent)
    in_data = is_data[table]
    empty_cell = snapshot.is_tag(_CELLS) & holds[row] & (table[row] == table) & in_data
    chosen: NDArray[np.bool_] = (holds & (structural | snapshot.is_tag(INLINE)) & (~parts | in_data)) | empty_cell
    return chosen


def _data_tables(
    blocks: BlockColumns, kept: NDArray[np.int32], holds: NDArray[np.bool_], table: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """The tables that hold data rather than lay out the page, bool (N,).

    A table of data has a header cell or a caption, or two rows of two cells with kept text; it has no table
    inside, no text outside its cells, no role that denies it, and few blocks a cell.
    """
    snapshot, size = blocks.snapshot, len(blocks.snapshot)
    is_table, is_cell = snapshot.is_tag(("table",)) & holds, snapshot.is_tag(_CELLS) & holds
    headed = np.bincount(table[snapshot.is_tag(("th", "caption", "thead")) & holds], minlength=size) > 0
    row = tree.nearest_ancestor(snapshot.is_tag(("tr",)), snapshot.parent)
    wide_rows = np.flatnonzero(np.bincount(row[is_cell], minlength=size) > 1)
    grid = np.bincount(table[wide_rows], minlength=size) > 1
    units = np.unique(blocks.text_block[kept])
    crowded = _count(snapshot, blocks.node[units]) > _MAX_BLOCKS_PER_CELL * np.bincount(table[is_cell], minlength=size)
    nested = tree.subtree_sum(is_table.astype(np.int64), snapshot.end) > 1
    home = tree.nearest_ancestor(snapshot.is_tag(STRUCTURE), snapshot.parent)[snapshot.text_parent[kept]]
    loose = np.zeros(size, dtype=bool)
    loose[table[home[snapshot.is_tag(_BARE_TABLE_PARTS)[home]]]] = True
    for element, role in snapshot.attributes("role").items():
        loose[element] |= role in _NO_TABLE_ROLES
    is_data: NDArray[np.bool_] = is_table & (headed | grid) & ~(crowded | nested | loose)
    return is_data


def _events(
    blocks: BlockColumns, content: NDArray[np.bool_], texts: NDArray[np.intp], elements: NDArray[np.bool_]
) -> list[tuple[Kind, int]]:
    snapshot = blocks.snapshot
    images, inline = _images(blocks, content, elements)
    found = [
        (Kind.ELEMENT, np.flatnonzero(elements)),
        (Kind.IMAGE, images[~inline]),
        (Kind.INLINE_IMAGE, images[inline]),
        (Kind.BREAK, _breaks(blocks, content)),
        (Kind.TEXT, texts),
    ]
    kind = np.concatenate([np.full(len(rows), name) for name, rows in found])
    index = np.concatenate([rows for _, rows in found])
    place = index.copy()
    place[kind == Kind.TEXT] = snapshot.text_after[texts]
    order = np.lexsort((index, kind, place))
    return [(Kind(name), row) for name, row in zip(kind[order].tolist(), index[order].tolist(), strict=True)]


def _code_space(blocks: BlockColumns, kept: NDArray[np.int32]) -> NDArray[np.intp]:
    """The white space between the kept texts of one preformatted element: it holds line breaks and indents."""
    snapshot = blocks.snapshot
    code = tree.nearest_ancestor(snapshot.is_tag(("pre",)), snapshot.parent)[snapshot.text_parent]
    blank = np.flatnonzero((blocks.text_block < 0) & (code > 0))
    before, after = _neighbours(kept, blank)
    around = (before >= 0) & (after >= 0)
    inner: NDArray[np.intp] = blank[around & (code[before] == code[blank]) & (code[after] == code[blank])]
    return inner


def _owner(blocks: BlockColumns, kept: NDArray[np.int32], space: NDArray[np.intp]) -> NDArray[np.int32]:
    """The blocks of the texts; white space that begins a block's container, such as an indent, is written with it."""
    snapshot, owner = blocks.snapshot, blocks.text_block.copy()
    before, after = (owner[texts] for texts in _neighbours(kept, space))
    parent = snapshot.text_parent[space]
    begins = tree.is_ancestor(blocks.node[after], parent, snapshot.end)
    begins &= ~tree.is_ancestor(blocks.node[before], parent, snapshot.end)
    owner[space[begins]] = after[begins]
    return owner


def _neighbours(texts: NDArray[np.int32], place: NDArray[np.intp]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The last of `texts` before each place and the first after it, -1 where there is none."""
    padded = np.concatenate([[-1], texts, [-1]]).astype(np.int32)
    at = np.searchsorted(texts, place)
    return padded[at], padded[at + 1]


def _around(blocks: BlockColumns, elements: NDArray[np.intp]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The blocks of the last text before each (childless) element and of the first after it, -1 for none."""
    place = np.searchsorted(blocks.snapshot.text_after, elements)
    before, after = _neighbours(blocks.members, place)
    owner = np.append(blocks.text_block, -1)
    return owner[before], owner[after]


def _images(
    blocks: BlockColumns, content: NDArray[np.bool_], elements: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Shown images with an address and alternative text, between two kept texts or in a kept figure.

    The second value says which are inside one block, in a line of text.
    """
    snapshot = blocks.snapshot
    named = snapshot.is_tag(("img",)) & (snapshot.hidden == 0)
    for name in ("src", "alt"):
        values = snapshot.attributes(name)
        named &= np.isin(np.arange(len(snapshot)), [at for at, value in values.items() if value.strip()])
    rows = np.flatnonzero(named)
    before, after = _around(blocks, rows)
    kept = np.append(content, False)
    figure = tree.nearest_ancestor(snapshot.is_tag(("figure",)) & elements, snapshot.parent)[rows] > 0
    chosen = (kept[before] & kept[after]) | figure
    return rows[chosen], ((before == after) & kept[before])[chosen]


def _breaks(blocks: BlockColumns, content: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The line breaks inside kept blocks."""
    rows = np.flatnonzero(blocks.snapshot.is_tag(("br",)))
    before, after = _around(blocks, rows)
    inner: NDArray[np.intp] = rows[(before >= 0) & (before == after) & np.append(content, False)[before]]
    return inner
