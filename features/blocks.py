"""Segment a page into text blocks: `Snapshot -> BlockColumns`.

A block is a maximal run of inline text inside one block container. It ends at two line breaks in a row, and where text
begins that is more or less visible. Only hidden text between two parts of a block does not divide it: it is a block of
its own, and the parts around it are one block. An element is a block container by its tag or by its computed display.
Both are used, so that most pages have the same blocks with and without rendering.

A formula is part of the text around it, or of the block next to it: no model was trained with formulas. They begin no
block, and features do not see them.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import filterfalse, pairwise
from typing import TYPE_CHECKING

import numpy as np

from vclean.characters import format_count
from vclean.features.visibility import text_visibility
from vclean.labels import Visibility
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS, Hidden, union_boxes
from vclean.render.static import styles
from vclean.render.static._tree import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot
    from vclean.settings import Policy

_INLINE_DISPLAY = frozenset(("", "inline", "inline-block", "inline-flex", "inline-grid", "inline-table", "none",
                             "contents", "ruby", "ruby-text", "ruby-base", "math", "block math"))  # fmt: skip
_BREAK_TAGS = frozenset(("iframe", "object", "select", "video"))
"""Elements without text of the page that separate the text before them from the text after them."""
_READINGS = frozenset(("rt", "rp"))
"""Readings beside the letters of a `ruby` element: they repeat its text."""
_AFTER_NO_SPACE, _BEFORE_NO_SPACE = frozenset(",.;:!?)]}’…%、。，"), frozenset("([{¿¡$€£@")
"""Characters that a space never comes before, and after."""
_EDIT_NAMES = ("mw-editsection", "editsection", "section-edit", "sectionedit")
_WHOLE = r"(?<=(?<![\w-]){})"
_EDIT_LINKS = re.compile(rf"edit(?:section)?(?:{'|'.join(map(_WHOLE.format, _EDIT_NAMES))})(?![\w-])")
"""Class of a link in a heading to edit its section, as on all sites of MediaWiki.

The pattern begins with letters, which Python finds many times as fast as the beginning of a word.
"""
_MATH_GROUPS = frozenset(("$\\begingroup$", "$\\endgroup$"))
"""What StackExchange writes around a post, for MathJax."""
_PERMALINK_SIGNS = frozenset("¶#§∞◆⚓🔗\u200b\uf0c1")
"""Texts of links that lead to the heading or term beside them; the last is the chain of Font Awesome."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockColumns:
    """Text blocks of a page as columns, one row per block, in the order of their first texts.

    B blocks, T text nodes of the snapshot.

    Attributes:
        snapshot: the page.
        text: B strings. White space is collapsed, except in preformatted text. A space is inserted where one inline
            element ends and the next begins, because they look separate: `<b>Price</b><i>$10</i>` is `Price $10`.
            Formulas are part of the text of a block, but begin none.
        node: int32 (B,), the block container: the innermost block-level element around the text.
        text_block: int32 (T,), the block of each text node; -1 for text nodes outside all blocks.
        box: float32 (B, 4), x, y, width, height of the union of the line boxes, CSS px; NaN if nothing is painted.
        visibility: uint8 (B,), `vclean.labels.Visibility`.
        technique: uint8 (B,), `vclean.render.snapshot.Hidden`: what hides a block; 0 for blocks that are shown.
        in_overlay: bool (B,), whether the block is in an element that floats above the page.

    >>> import vclean
    >>> columns = vclean.clean("<h1>Rain</h1><p>It rained.", method="text").columns
    >>> columns.text, columns.visibility.tolist()
    (['Rain', 'It rained.'], [0, 0])
    """

    snapshot: Snapshot
    text: list[str]
    node: NDArray[np.int32]
    text_block: NDArray[np.int32]
    box: NDArray[np.float32]
    visibility: NDArray[np.uint8]
    technique: NDArray[np.uint8]
    in_overlay: NDArray[np.bool_]

    def __repr__(self) -> str:
        return f"<BlockColumns {self.snapshot.url!r}: {format_count(len(self), 'block')}>"

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.text)

    @cached_property
    def members(self) -> NDArray[np.int32]:
        """Return the text nodes that are in a block, by block and in each in document order: int32 (K,)."""
        return _members(self.text_block).astype(np.int32)

    @cached_property
    def text_nodes(self) -> NDArray[np.int32]:
        """Return the text nodes that are in a block, in document order: int32 (K,)."""
        return np.flatnonzero(self.text_block >= 0).astype(np.int32)

    @cached_property
    def first(self) -> NDArray[np.int32]:
        """Return the index in `members` of the first text node of each block: int32 (B,)."""
        return _first_of_each(self.text_block[self.members]).astype(np.int32)

    @property
    def without_formulas(self) -> BlockColumns:
        """Return the blocks without the texts of formulas, as features see them: no model was trained with formulas."""
        is_formula = self.snapshot.is_tag(("math",))[self.snapshot.text_parent]
        if not (is_formula & (self.text_block >= 0)).any():
            return self
        snapshot, text_block = self.snapshot, np.where(is_formula, np.int32(-1), self.text_block)
        container = tree.nearest_ancestor(find_block_level(snapshot), snapshot.parent)
        text = _join_texts(snapshot, lines_of(snapshot.texts), text_block, container)
        return replace(self, text=text, text_block=text_block, box=_union_boxes(snapshot, text_block, len(self)))

    @cached_property
    def line_block(self) -> NDArray[np.int32]:
        """Return the block of each line box of the snapshot, -1 for line boxes outside all blocks: int32 (L,)."""
        return self.text_block[self.snapshot.line_text]

    @cached_property
    def lines(self) -> NDArray[np.intp]:
        """Return the line boxes that are in a block, by block and in each in document order: int64 (M,)."""
        return _members(self.line_block)

    @cached_property
    def main_element(self) -> NDArray[np.int32]:
        """Return the parent element of each block's longest text node, the first of equals: int32 (B,).

        White space at the ends of a text node does not count, because readers do not see it. Font size and colors of a
        block are those of this element, and its tag path ends there.
        """
        snapshot, members = self.snapshot, self.members
        order = np.lexsort((-snapshot.text_length[members], self.text_block[members]))
        return snapshot.text_parent[members[order[self.first]]]

    @property
    def xpath(self) -> list[str]:
        """Return the absolute XPath of each block container."""
        return [self.snapshot.xpath(node) for node in self.node.tolist()]

    @property
    def tag(self) -> list[str]:
        """Return the tag name of each block container."""
        return [self.snapshot.tags[tag] for tag in self.snapshot.tag[self.node].tolist()]

    @property
    def font_size(self) -> NDArray[np.float32]:
        """Return the font size of each main element in CSS px: float32 (B,); NaN if the page was not rendered."""
        return self.snapshot.styles.number("font-size")[self.snapshot.style[self.main_element]]

    @property
    def color(self) -> list[str | None]:
        """Return the text color of each main element as `#rrggbb` or `#rrggbbaa`; None if the page was not rendered."""
        names = [_hex(row) for row in self.snapshot.styles.color("color").tolist()]
        return [names[row] for row in self.snapshot.style[self.main_element].tolist()]

    @property
    def background(self) -> list[str | None]:
        """Return the color behind each main element: the nearest background color around it, None if there is none."""
        snapshot = self.snapshot
        colors = snapshot.styles.color("background-color")
        paints = colors[:, 3] > 0
        names = [_hex(row) if painted else None for row, painted in zip(colors.tolist(), paints.tolist(), strict=True)]
        behind = tree.nearest_ancestor(paints[snapshot.style], snapshot.parent)[self.main_element]
        return [names[row] for row in snapshot.style[behind].tolist()]

    def is_excluded(self, policy: Policy) -> NDArray[np.bool_]:
        """Return which blocks cannot be content under a policy, as hidden text or text of overlays: bool (B,)."""
        is_hidden = self.visibility > policy.most_hidden
        return is_hidden if policy.hidden == "keep" else is_hidden | self.in_overlay

    def take(self, rows: Sequence[int]) -> BlockColumns:
        """Return the columns of the blocks `rows` (ascending); the text nodes of other blocks get -1."""
        number = np.full(len(self) + 1, -1, dtype=np.int32)
        number[rows] = np.arange(len(rows))
        names = ("node", "box", "visibility", "technique", "in_overlay")
        columns = {name: getattr(self, name)[rows] for name in names}
        return replace(self, text=[self.text[row] for row in rows], text_block=number[self.text_block], **columns)


def _hex(color: list[float]) -> str | None:
    """Return a color as `#rrggbb`, with two more digits for alpha if it is not opaque; None for NaN channels."""
    if not all(map(math.isfinite, color)):
        return None
    red, green, blue = (min(max(round(part), 0), 255) for part in color[:3])
    alpha = f"{round(color[3] * 255):02x}" if color[3] < 1 else ""
    return f"#{red:02x}{green:02x}{blue:02x}{alpha}"


def extract_blocks(snapshot: Snapshot, *, ruby: bool = False) -> BlockColumns:
    """Segment a page into text blocks, with the readings beside letters or without them."""
    stripped = lines_of(snapshot.texts)
    block_texts = _find_block_texts(snapshot, stripped, ruby=ruby)
    is_block_level = find_block_level(snapshot)
    container = tree.nearest_ancestor(is_block_level, snapshot.parent)
    visibility = text_visibility(snapshot)
    begun = np.cumsum(is_block_level)[snapshot.text_after[block_texts]]  # block-level elements before each text
    own_container = container[snapshot.text_parent[block_texts]]
    breaks = np.cumsum(snapshot.is_tag(("br",)))[snapshot.text_after]  # `<br>` elements before each text
    starts = np.ones(len(block_texts), dtype=bool)
    starts[1:] = (np.diff(begun) > 0) | (np.diff(own_container) != 0) | (np.diff(breaks[block_texts]) > 1)
    text_block = np.full(len(snapshot.texts), -1, dtype=np.int32)
    text_block[block_texts] = _number_blocks(starts, visibility[block_texts])
    members = _members(text_block)
    first = _first_of_each(text_block[members])
    parent = snapshot.text_parent[members[first]]
    if "math" in snapshot.tags:
        text_block = _add_formulas(snapshot, text_block, container, visibility)
    return BlockColumns(
        snapshot=snapshot,
        text=_join_texts(snapshot, stripped, text_block, container),
        node=container[parent],
        text_block=text_block,
        box=_union_boxes(snapshot, text_block, len(first)),
        visibility=visibility[members[first]],
        technique=snapshot.text_hidden[members[first]],
        in_overlay=snapshot.inside(snapshot.overlay)[parent] >= 0,
    )


def _members(block: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the indices of what is in a block, by block and in each ascending."""
    inside = np.flatnonzero(block >= 0)
    owner = block[inside]
    return inside if (owner[1:] >= owner[:-1]).all() else inside[np.argsort(owner, kind="stable")]


def _first_of_each(owner: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the indices of the first of each run of equal numbers: int64."""
    return np.flatnonzero(np.append(True, owner[1:] != owner[:-1])[: len(owner)])


def _number_blocks(starts: NDArray[np.bool_], visibility: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the block of each text: int64 (K,), ascending by the first text of each block.

    Args:
        starts: bool (K,), the texts that begin a block by the tree alone.
        visibility: uint8 (K,), `Visibility`.
    """
    begins = starts.copy()
    begins[1:] |= visibility[1:] != visibility[:-1]
    shown = np.flatnonzero(visibility != Visibility.HIDDEN)
    before, after = shown[:-1], shown[1:]  # shown texts, with nothing or hidden texts between them
    run = np.cumsum(starts)
    begins[after] = (run[after] != run[before]) | (visibility[after] != visibility[before])
    block = np.cumsum(begins) - 1
    block[shown] = np.maximum.accumulate(np.where(begins[shown], block[shown], 0))
    return block


def find_block_level(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Find the elements that break the line before and after them, by tag or computed display: bool (N,)."""
    by_style = ~snapshot.styles.is_in("display", _INLINE_DISPLAY)
    is_block_level = snapshot.is_tag(styles.BLOCK_TAGS | _BREAK_TAGS) | by_style[snapshot.style]
    if "math" in snapshot.tags:
        from vclean.render.formulas import WRAPPERS  # most pages have no formulas

        # No formula separates texts, nor an element in which MathJax, KaTeX or MediaWiki draws one. Style sheets, which
        # parsed pages lack, make blocks of some of them.
        is_math, classes = snapshot.is_tag(("math",)), snapshot.attributes("class")
        is_block_level[is_math] = False
        for element in np.unique(snapshot.parent[is_math]).tolist():
            tag, names = snapshot.tags[snapshot.tag[element]], classes.get(element, "").split()
            is_block_level[element] &= {tag, *(f".{name}" for name in names)}.isdisjoint(WRAPPERS)
    is_block_level[:1] = True
    return is_block_level


def _find_block_texts(snapshot: Snapshot, stripped: Sequence[str], *, ruby: bool) -> NDArray[np.intp]:
    """Return the K text nodes that belong to blocks: not only white space, and outside scripts and edit fields.

    The sign of a link to a place in the page is in no block, nor is a link in a heading to edit its section: they are
    no words of the text beside them.
    """
    is_text = snapshot.text_length > 0
    signs = [row for row in np.flatnonzero(snapshot.text_length == 1).tolist() if stripped[row] in _PERMALINK_SIGNS]
    if signs:
        fragments = [element for element, url in snapshot.attributes("href").items() if "#" in url]
        is_link = np.isin(np.arange(len(snapshot)), fragments)
        to_place = tree.inside(is_link, snapshot.end) & ~tree.inside(snapshot.is_tag(("sup",)), snapshot.end)
        is_text[signs] = ~to_place[snapshot.text_parent[signs]]
    groups = np.flatnonzero((snapshot.text_length == 13) | (snapshot.text_length == 11)).tolist()  # their lengths
    is_text[[row for row in groups if stripped[row] in _MATH_GROUPS]] = False
    excluded = snapshot.is_tag(styles.REPLACED_TAGS | styles.SKIPPED_TAGS | (frozenset() if ruby else _READINGS))
    excluded |= snapshot.having("class", _EDIT_LINKS)
    is_text &= ~tree.inside(excluded, snapshot.end)[snapshot.text_parent]
    return np.flatnonzero(is_text)


def _join_texts(
    snapshot: Snapshot, stripped: Sequence[str], text_block: NDArray[np.int32], container: NDArray[np.int32]
) -> list[str]:
    """Return the text of each block: its text nodes, joined with a space where one is visible.

    Text nodes are apart after a line break, or if they have different containers (N,), as formulas may.
    """
    block_texts = _members(text_block)
    block = text_block[block_texts]
    later = np.flatnonzero(block[1:] == block[:-1]) + 1  # the texts after others of their blocks
    before, after = block_texts[later - 1], block_texts[later]
    parent, breaks = snapshot.text_parent, np.cumsum(snapshot.is_tag(("br",)))[snapshot.text_after]
    apart = (breaks[before] != breaks[after]) | (container[parent[before]] != container[parent[after]])
    pieces = list(map(stripped.__getitem__, block_texts.tolist()))
    for index in later[apart | _find_spaces(snapshot, text_block < 0, before, after)].tolist():
        pieces[index] = " " + pieces[index]
    keeps_breaks = snapshot.styles.is_in("white-space", ("pre", "pre-wrap", "break-spaces"))[snapshot.style]
    preformatted = (keeps_breaks & tree.inside(snapshot.is_tag(styles.PREFORMATTED_TAGS), snapshot.end))[parent]
    in_order = np.append(np.flatnonzero(text_block >= 0), len(snapshot.texts))
    for index in np.flatnonzero(preformatted[block_texts]).tolist():  # include white space up to the next text node
        following = in_order[np.searchsorted(in_order, block_texts[index]) + 1]
        pieces[index] = "".join(snapshot.texts[block_texts[index] : following])
    bounds = [*_first_of_each(block).tolist(), len(pieces)]
    return ["".join(pieces[begin:end]).strip() for begin, end in pairwise(bounds)]


def _find_spaces(
    snapshot: Snapshot, is_outside: NDArray[np.bool_], before: NDArray[np.intp], after: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Return which M text nodes are separated by a space from the M `before` them in their blocks: bool (M,).

    Separators are white space (text nodes may be `is_outside` all blocks, (T,)), and the end of one inline element
    followed by the start of another, but for code and punctuation.
    """
    is_ruby = snapshot.is_tag(_READINGS | {"ruby", "rb"})
    parent = tree.nearest_ancestor(~is_ruby, snapshot.parent)[snapshot.text_parent]
    code = tree.nearest_ancestor(snapshot.is_tag(("code",)), snapshot.parent)[parent]
    one, other, texts = parent[before], parent[after], snapshot.texts
    are_nested = tree.is_ancestor(one, other, snapshot.end) | tree.is_ancestor(other, one, snapshot.end)
    in_separate_elements = ~are_nested & ((code[after] != code[before]) | (code[after] == 0))
    ends = [(texts[row][-1], texts[next_row][0]) for row, next_row in zip(before.tolist(), after.tolist(), strict=True)]
    sticks = [last in _BEFORE_NO_SPACE or first in _AFTER_NO_SPACE for last, first in ends]
    in_separate_elements &= ~np.array(sticks, dtype=bool)
    beside_space = np.array([last.isspace() or first.isspace() for last, first in ends], dtype=bool)
    blanks = np.cumsum(is_outside & (snapshot.text_hidden != Hidden.DISPLAY) & ~is_ruby[snapshot.text_parent])
    return np.asarray(in_separate_elements | beside_space | (blanks[after] > blanks[before]))


def _union_boxes(snapshot: Snapshot, text_block: NDArray[np.int32], count: int) -> NDArray[np.float32]:
    """Return the union of the line boxes of each block: float32 (count, 4); NaN for blocks without line boxes."""
    line_block = text_block[snapshot.line_text]
    inside = _members(line_block)
    return union_boxes(snapshot.line_box[inside], line_block[inside], count)


# ---- formulas ----


def _add_formulas(
    snapshot: Snapshot, text_block: NDArray[np.int32], container: NDArray[np.int32], visibility: NDArray[np.uint8]
) -> NDArray[np.int32]:
    """Return the block of each text, formulas included: int32 (T,).

    A formula is in the block before it or the one after it: in its container, or with more ancestors in common. If both
    have equally many, it is the block before, unless that is a heading. One that is more hidden is in none.

    Args:
        snapshot: the page.
        text_block: int32 (T,), the block of each text without formulas.
        container: int32 (N,), the innermost block-level element around each element.
        visibility: uint8 (T,), the visibility of each text.
    """
    added, least, texts = text_block.copy(), 0, np.flatnonzero(text_block >= 0)
    is_formula = snapshot.is_tag(("math",))[snapshot.text_parent]
    for text in np.flatnonzero(is_formula).tolist() if len(texts) else ():
        row = int(np.searchsorted(texts, text))
        before, after = texts[[max(row - 1, 0), min(row, len(texts) - 1)]].tolist()
        beside = before if _is_nearer(snapshot, container, text, before, after) else after
        block = max(int(text_block[beside]), least)
        first = int(np.argmax(text_block == block))
        if snapshot.texts[text].strip() and visibility[first] == visibility[text]:
            added[text] = least = block
    return added


def _is_nearer(snapshot: Snapshot, container: NDArray[np.int32], text: int, before: int, after: int) -> bool:
    """Return whether a formula is in the block of the text before it, and not in that of the text after it."""
    own, nodes = snapshot.text_parent[text], container[snapshot.text_parent[[before, after]]]
    if container[own] in nodes:
        return bool(container[own] == nodes[0])
    common = tree.lowest_common_ancestor(np.full(2, own, dtype=np.int32), nodes, snapshot.parent, snapshot.end)
    depth_before, depth_after = snapshot.depth[common].tolist()
    is_heading = snapshot.tags[snapshot.tag[nodes[0]]] in HEADING_TAGS
    return bool(depth_before > depth_after or (depth_before == depth_after and not is_heading))


# ---- names of blocks ----


def text_hash(text: str) -> str:
    """Return 16 hexadecimal digits for the words of a text; white space does not matter."""
    return sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def block_names(xpaths: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Return a name for each block of a page: hash of its text, number among blocks equal in both, XPath.

    >>> block_names(["/html[1]"] * 2, ["Hello.", "Hello."])
    ['2d8bd7d9bb5f85ba 1 /html[1]', '2d8bd7d9bb5f85ba 2 /html[1]']
    """
    counts: Counter[tuple[str, str]] = Counter()
    names = []
    for digest, xpath in zip(map(text_hash, texts), xpaths, strict=True):
        counts[digest, xpath] += 1
        names.append(f"{digest} {counts[digest, xpath]} {xpath}")
    return names


def match_blocks(old: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """Match old block names to new ones. Names without a match are left out.

    Equal names match. Other blocks of equal text match in their order, if as many of them disappeared as appeared.
    """
    current = set(new)
    matches = {name: name for name in old if name in current}
    by_text: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, names in enumerate((old, new)):
        for name in filterfalse(matches.__contains__, names):
            by_text[name.partition(" ")[0]][side].append(name)
    for disappeared, appeared in by_text.values():
        if len(disappeared) == len(appeared):
            matches |= dict(zip(disappeared, appeared, strict=True))
    return matches
