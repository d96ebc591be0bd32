"""Segment a page with VIPS, by what is visible (Cai et al. 2003, MSR-TR-2003-79).

Each round extracts the blocks of a part of the page, finds separators between them, and builds the content structure:
blocks beside the lightest separators are merged first, so the heaviest separators divide the largest segments. The
blocks are then divided in further rounds with smaller thresholds, until no block can be divided. This happens once per
page; `Segments.at` selects a permitted degree of coherence from the finished tree.

A separator is a strip that no block crosses. Its weight follows the cues of the paper: thickness, a horizontal rule in
the strip, different backgrounds or fonts on both sides, and similarity of the two sides.

Thirteen rules decide whether a node is divided or becomes a block; their numbers are those of the paper. Two details
that it leaves open: sizes are shares of the page, and the degree of coherence of rules 8, 10 and 13 depends on the
node's kind and on its size relative to the threshold.

Rule 1 drops nodes without valid content: they are not children of any node. Rule 3 divides a single root, and rule 4
keeps a node with text only, a leaf, before the rules of its kind. Rules 9 to 11 have no effect on tables, rows and
cells, because rule 13 keeps these with the same degree of coherence. On other nodes rule 9, which keeps small ones with
text, has none: the children of a small node are small, and rule 10 keeps it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vclean.errors import UsageError
from vclean.features.segments.segments import MOST_COHERENT, Segments, Separators
from vclean.features.segments.vips_page import NodeKind, VisualPage, stands_out, union_boxes
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.features.segments.vips_page import Extent
    from vclean.render.snapshot import Snapshot

_ONE_FONT, _TEXT, _ATOM = 10, 9, 8
_CONTAINER, _TABLE_PART, _FROZEN, _TEXTUAL = 5, 7, 6, 8
_SMALL: Final = 4
"""A block smaller than the threshold by this factor has one more degree of coherence."""

_RULES: Final = {
    NodeKind.INLINE: frozenset((2, 5, 6, 7, 10, 12)),
    NodeKind.PARAGRAPH: frozenset((2, 5, 6, 7, 10, 12)),
    NodeKind.OTHER: frozenset((2, 6, 7, 10, 12)),
    NodeKind.TABLE: frozenset((2, 8, 13)),
    NodeKind.ROW: frozenset((2, 7, 8, 13)),
    NodeKind.CELL: frozenset((2, 13)),
}
"""Rules with an effect for each kind of node. They apply in the order of their numbers."""
_BASE: Final = {
    NodeKind.INLINE: _TEXTUAL,
    NodeKind.PARAGRAPH: _TEXTUAL,
    NodeKind.OTHER: _CONTAINER,
    NodeKind.TABLE: _CONTAINER,
    NodeKind.ROW: _TABLE_PART,
    NodeKind.CELL: _TABLE_PART,
}


class VisualBlock(NamedTuple):
    """Node that became a block, with its degree of coherence."""

    node: int
    coherence: int


def extract_visual_blocks(page: VisualPage, roots: Sequence[int], threshold: float) -> list[VisualBlock]:
    """Return the blocks of `roots` in document order, one round of the algorithm.

    A single root is always divided (rule 3).

    Args:
        page: the page.
        roots: valid nodes.
        threshold: size threshold of rule 10, as a share of the page's area.
    """
    blocks: list[VisualBlock] = []
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, is_frozen = stack.pop()
        if page.is_leaf[node]:
            blocks.append(VisualBlock(node, _leaf_coherence(page, node)))
            continue
        if is_frozen:
            blocks.append(VisualBlock(node, _frozen_coherence(page, node, threshold)))
            continue
        is_single_root = len(roots) == 1 and node == roots[0]
        frozen = frozenset() if is_single_root else _frozen_children(page, node)
        is_kept = 13 in _RULES[page.kind[node]] or page.largest_child[node] < threshold  # rule 10
        if frozen is None and is_kept:
            blocks.append(VisualBlock(node, _coherence(page, node, threshold)))
        else:
            stack += [(child, child in (frozen or ())) for child in reversed(page.children[node])]
    return blocks


def _frozen_children(page: VisualPage, node: int) -> frozenset[int] | None:
    """Return the children that are not divided in this round if rule 2, 5, 6, 7 or 8 divides a node, else None.

    The result is the same in every round, and cached.
    """
    if node not in page.division_cache:
        page.division_cache[node] = _apply_dividing_rules(page, node)
    return page.division_cache[node]


def _apply_dividing_rules(page: VisualPage, node: int) -> frozenset[int] | None:
    rules, children = _RULES[page.kind[node]], page.children[node]
    if len(children) == 1 and not page.is_text(children[0]):  # rule 2: exactly one valid child that is not text
        return frozenset()
    if 5 in rules and any(page.breaks_line[child] for child in children):
        return frozenset()
    if 6 in rules and node in page.has_rule:  # a horizontal rule as child
        return frozenset()
    if 7 in rules and _overflows(page, node):
        return frozenset()
    background = page.background[node]  # rule 8: children with another background are frozen
    differing = [child for child in children if 8 in rules and stands_out(page.background[child], background)]
    return frozenset(differing) or None


def _overflows(page: VisualPage, node: int) -> bool:
    """Return whether the areas of a node's children sum to more than its own.

    Text is ignored: the box of an inline element on several lines always overlaps those of its neighbors.
    """
    areas = page.border_area
    return sum(areas[child] for child in page.children[node] if not page.is_virtual_text[child]) > areas[node]


def _leaf_coherence(page: VisualPage, node: int) -> int:
    """Return the degree of coherence of a leaf; it does not depend on size."""
    if page.is_text(node):
        return _ONE_FONT
    if page.is_atom[node]:
        return _ATOM
    font = page.fonts[node]
    return _ONE_FONT if font is None or font.even else _TEXT


def _coherence(page: VisualPage, node: int, threshold: float) -> int:
    """Return the degree of coherence by kind, plus one if the node is much smaller than the threshold."""
    return _BASE[page.kind[node]] + (page.size[node] * _SMALL < threshold)


def _frozen_coherence(page: VisualPage, node: int, threshold: float) -> int:
    """Return the degree of coherence of a node frozen by rule 8, from 6 to 8.

    Parts of tables and small nodes get one more each.
    """
    is_part = page.kind[node] in (NodeKind.ROW, NodeKind.CELL)
    return _FROZEN + is_part + (page.size[node] < threshold)


MIN_GAP: Final = 3.0
"""Minimum width of a gap in px; thinner gaps count only if the backgrounds differ."""

_TOUCH: Final = -1.5
"""Minus the maximum overlap in px of boxes that touch: rounding, and borders drawn over each other."""

_THICKNESSES: Final = (9.0, 16.0, 26.0, 36.0, 46.0, 56.0)
_WEIGHTS: Final = (1, 2, 4, 6, 8, 10, 12)
"""Weights of separators up to each thickness in px, and of thicker ones."""

_CUE: Final = 2
"""Weight that each other cue adds; it is subtracted if both sides are similar text."""

_OTHER_SIZE, _OTHER_WEIGHT = 1.0, 100.0
"""Minimum differences of font size in px and of font weight between different fonts."""


@dataclass(frozen=True, slots=True)
class Separator:
    """Strip between blocks, CSS px.

    Attributes:
        vertical: whether the blocks are side by side.
        box: x, y, width, height; as long as the blocks on both sides together.
        weight: the weight from all cues.
    """

    vertical: bool
    box: tuple[float, float, float, float]
    weight: int


@dataclass(frozen=True, slots=True)
class StripDivision:
    """Blocks grouped into strips in page order, and the separators between consecutive strips."""

    strips: list[list[int]]
    separators: list[Separator]

    @property
    def weight(self) -> int:
        """Return the weight of the heaviest separator."""
        return max(separator.weight for separator in self.separators)


def best_division(page: VisualPage, nodes: Sequence[int]) -> StripDivision | None:
    """Return the division into rows or columns with the heaviest separator, None if neither is possible.

    Rows win a tie.
    """
    divisions = (detect(page, nodes, vertical=vertical) for vertical in (False, True))
    possible = [division for division in divisions if division.separators]
    return max(possible, key=lambda division: division.weight, default=None)


def detect(page: VisualPage, nodes: Sequence[int], *, vertical: bool) -> StripDivision:
    """Return all separators of one direction between `nodes` (at least one), in page order.

    A separator is in the gap between the nodes of one strip and the first nodes after it. It is as long as all nodes
    together. Thin gaps separate nodes only if the longest nodes on both sides have different backgrounds.
    """
    extent, along, across = page.extent, 0 if vertical else 1, 1 if vertical else 0
    ordered = sorted(nodes, key=lambda node: extent[node][along])
    starts = [extent[node][along] for node in ordered]
    reach = list(accumulate((extent[node][along + 2] for node in ordered), max))
    gaps = [index for index in range(1, len(ordered)) if starts[index] - reach[index - 1] > _TOUCH]
    low = min(extent[node][across] for node in ordered) if gaps else 0.0
    length = max(extent[node][across + 2] for node in ordered) - low if gaps else 0.0
    edges, separators = [0], []
    for index in gaps:
        start, end = starts[index], reach[index - 1]
        before = [node for node in ordered[edges[-1] : index] if extent[node][along + 2] >= end + _TOUCH]
        after = ordered[index : bisect_right(starts, start - _TOUCH)]
        first, second = (
            max(side, key=lambda node: extent[node][across + 2] - extent[node][across]) for side in (before, after)
        )
        thickness = max(start - end, 0.0)
        box = (end, low, thickness, length) if vertical else (low, end, length, thickness)
        if start - end >= MIN_GAP or _backgrounds_differ(page, first, second):
            separators.append(Separator(vertical, box, _weight(page, (first, second), box, vertical=vertical)))
            edges.append(index)
    position = {node: index for index, node in enumerate(nodes)}
    strips = [ordered[begin:end] for begin, end in pairwise([*edges, len(nodes)])]
    return StripDivision([sorted(strip, key=position.__getitem__) for strip in strips], separators)


def _weight(page: VisualPage, sides: tuple[int, int], box: tuple[float, float, float, float], *, vertical: bool) -> int:
    """Return the weight of a separator."""
    first, second = sides
    weight = _WEIGHTS[bisect_right(_THICKNESSES, box[2 if vertical else 3])]
    weight += _CUE * _backgrounds_differ(page, first, second)
    if not vertical:
        weight += _CUE * any(_overlap(box, rule) for rule in page.rules)
    font, other = page.fonts[first], page.fonts[second]
    if font is None or other is None:
        return weight
    if abs(font.size - other.size) <= _OTHER_SIZE and abs(font.weight - other.weight) < _OTHER_WEIGHT:
        return weight - _CUE * (page.is_leaf[first] and page.is_leaf[second])
    # A change of the font doubles the weight if the font grows, because a heading begins what is below it.
    return weight if vertical else weight + _CUE * (1 + (font.size < other.size))


def _backgrounds_differ(page: VisualPage, first: int, second: int) -> bool:
    """Return whether two nodes have visibly different backgrounds."""
    return stands_out(page.background[first], page.background[second])


def _overlap(box: tuple[float, float, float, float], rule: Extent) -> bool:
    """Return whether a separator overlaps a horizontal rule, with a tolerance of 1 px above and below."""
    x, y, width, height = box
    left, top, right, bottom = rule
    return x < right and left < x + width and y - 1 < bottom and top < y + height + 1


_SIZES: Final = (140_000, 105_000, 75_000, 50_000, 30_000, 15_000, 10_000, 6_400, 400, 1)
_SCREEN: Final = 1024 * 768
"""Area in square px of a common screen in 2003, for which the thresholds `_SIZES` were chosen."""

THRESHOLDS: Final = tuple(size / _SCREEN for size in _SIZES)
"""Size thresholds of the rounds, as shares of the page's area."""


def segment(snapshot: Snapshot) -> Segments:
    """Segment a rendered page as far as possible.

    Raises:
        UsageError: the page was not rendered.
    """
    if not snapshot.rendered:
        raise UsageError("segments need boxes, and the page was not rendered: render it first")
    page = VisualPage(snapshot)
    root = _Part(blocks=[VisualBlock(0, 1)], initial_nodes=[0], rule=1)
    _refine(page, root)
    _set_coherence(root)
    return _columns(page, _numbered(root))


def single_segment(snapshot: Snapshot, method: str) -> Segments:
    """Return a rendered page as one segment."""
    page = VisualPage(snapshot)
    return replace(_columns(page, [_Part(blocks=[VisualBlock(0, 1)], initial_nodes=[0], rule=1)]), method=method)


@dataclass(slots=True, eq=False)
class _Part:
    """Node of the content structure during construction.

    Attributes:
        blocks: its blocks from the latest round of extraction.
        initial_nodes: its nodes when it was built.
        rule: the degree of coherence from the rules; 0 if it comes from separators between its parts.
        round: the round of block extraction that divides it next.
        separators: the separators between its parts.
        parts: its parts, once it is divided.
        weight: the weight of the heaviest separator inside it, without those inside extracted blocks.
        coherence: the final degree of coherence.
        floor: the degree of coherence of the extracted block around it.
        number: its number in preorder.
        parent_number: the number of its parent.
    """

    blocks: list[VisualBlock] = field(default_factory=list)
    initial_nodes: list[int] = field(default_factory=list)
    rule: int = 0
    round: int = 0
    separators: list[Separator] = field(default_factory=list)
    parts: list[_Part] = field(default_factory=list)
    weight: int = 0
    coherence: int = 1
    floor: int = 1
    number: int = 0
    parent_number: int = -1

    @property
    def nodes(self) -> list[int]:
        """Return the nodes of its blocks."""
        return [block.node for block in self.blocks]

    def continues(self, other: _Part) -> bool:
        """Return whether it only continues the division of its parent `other`.

        Then it is equally coherent, and divided in the same direction.
        """
        if self.rule or not self.separators or self.coherence != other.coherence:
            return False
        return self.separators[0].vertical == other.separators[0].vertical


def _refine(page: VisualPage, root: _Part) -> None:
    """Divide a part, and then its parts, until no part can be divided."""
    stack = [root] if page.children[0] else []
    while stack:
        part = stack.pop()
        if all(page.is_leaf[node] for node in part.nodes):
            continue
        blocks = _next_blocks(page, part)
        stack += _build(page, part, blocks)


def _next_blocks(page: VisualPage, part: _Part) -> list[VisualBlock]:
    """Return the blocks of the next round that divides anything.

    If no round divides several blocks, each of them is divided separately.
    """
    nodes = part.nodes
    while True:
        threshold = THRESHOLDS[min(part.round, len(THRESHOLDS) - 1)]
        blocks = extract_visual_blocks(page, nodes, threshold)
        part.round += 1
        if [block.node for block in blocks] == nodes:
            if part.round < len(THRESHOLDS):
                continue
            blocks = [block for node in nodes for block in extract_visual_blocks(page, [node], threshold)]
        if len(blocks) > 1 or page.is_leaf[blocks[0].node]:
            return blocks
        nodes = [blocks[0].node]


def _build(page: VisualPage, part: _Part, blocks: list[VisualBlock]) -> list[_Part]:
    """Build the content structure of a part from its blocks, and return the parts to divide further."""
    block_of = {block.node: block for block in blocks}
    number, undivided = part.round, []
    stack: list[tuple[_Part, list[int]]] = [(part, [block.node for block in blocks])]
    while stack:
        current, nodes = stack.pop()
        division = best_division(page, nodes) if len(nodes) > 1 else None
        if division is None:
            current.blocks = [block_of[node] for node in nodes]
            current.rule = current.rule or min(block.coherence for block in current.blocks)
            current.initial_nodes = current.initial_nodes or nodes
            current.round = number
            undivided.append(current)
            continue
        for inner, strip in _merge(current, division):
            stack.append((inner, strip))
    return undivided


def _merge(part: _Part, division: StripDivision) -> Iterator[tuple[_Part, list[int]]]:
    """Merge strips across their lightest separators first, and yield the part of each single strip with its nodes."""
    stack = [(part, 0, len(division.strips))]
    while stack:
        current, first, last = stack.pop()
        if last - first == 1:
            yield current, division.strips[first]
            continue
        inside = division.separators[first : last - 1]
        heaviest = max(separator.weight for separator in inside)
        current.separators = [separator for separator in inside if separator.weight == heaviest]
        edges = [first + index + 1 for index, separator in enumerate(inside) if separator.weight == heaviest]
        for begin, end in zip([first, *edges], [*edges, last], strict=True):
            inner = _Part()
            current.parts.append(inner)
            stack.append((inner, begin, end))


def _set_coherence(root: _Part) -> None:
    """Set the degree of coherence of all parts: by rule, or by the heaviest separator inside relative to the page's.

    Parts within an extracted block are at least as coherent as the block: their separators are scaled to the range
    parent_number its degree.
    """
    parts = _preorder(root)
    for part in reversed(parts):
        value = max((separator.weight for separator in part.separators), default=0)
        part.weight = max([value, *(inner.weight for inner in part.parts if not inner.rule)])
    weights = [separator.weight for part in parts for separator in part.separators]
    least, most = min(weights, default=0), max(weights, default=0)
    for part in parts:
        share = (part.weight - least) / max(most - least, 1)
        value = part.rule or MOST_COHERENT - ceil(share * (MOST_COHERENT - part.floor))
        part.coherence = max(part.coherence, value)
        for inner in part.parts:
            inner.coherence = part.coherence
            inner.floor = part.coherence if part.rule else part.floor


def _preorder(root: _Part) -> list[_Part]:
    """Return the parts in preorder."""
    parts: list[_Part] = []
    stack = [root]
    while stack:
        part = stack.pop()
        parts.append(part)
        stack += reversed(part.parts)
    return parts


def _numbered(root: _Part) -> list[_Part]:
    """Number the parts in preorder; parts that only continue their parent's division are merged into it."""
    numbered: list[_Part] = []
    stack = [root]
    while stack:
        part = stack.pop()
        part.number = len(numbered)
        numbered.append(part)
        while any(inner.continues(part) for inner in part.parts):
            dissolved = [inner for inner in part.parts if inner.continues(part)]
            part.separators += [separator for inner in dissolved for separator in inner.separators]
            part.parts = [each for inner in part.parts for each in (inner.parts if inner in dissolved else [inner])]
        for inner in part.parts:
            inner.parent_number = part.number
        stack += reversed(part.parts)
    return numbered


def _columns(page: VisualPage, parts: Sequence[_Part]) -> Segments:
    """Return the parts as `Segments`."""
    text, element = _owners(page, parts)
    separators = [(part.number, each.vertical, each.box, each.weight) for part in parts for each in part.separators]
    return Segments(
        snapshot=page.snapshot,
        method="vips",
        parent=np.array([part.parent_number for part in parts], dtype=np.int32),
        coherence=np.array([part.coherence for part in parts], dtype=np.int32),
        box=union_boxes(
            page,
            [part.parent_number for part in parts],
            [[page.extent[node] for node in part.initial_nodes] for part in parts],
        ),
        text=text,
        element=element,
        node_box=page.node_box,
        separators=Separators.from_rows(separators),
    )


def _owners(page: VisualPage, parts: Sequence[_Part]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the innermost part of each visible text node, int32 (T,), and of each atom, int32 (N,); -1 for others."""
    snapshot, count = page.snapshot, page.first_text
    owner = np.full(count + len(snapshot.texts), -1, dtype=np.int32)
    for part in parts:
        if not part.parts:
            owner[part.nodes] = part.number
    inherited = owner[:count][tree.nearest_ancestor(owner[:count] >= 0, snapshot.parent)]
    text_owner = owner[count:]
    text = np.where(text_owner >= 0, text_owner, inherited[snapshot.text_parent])
    text = np.where(page.visible_text, text, -1)
    return text.astype(np.int32), np.where(page.is_atom[:count], inherited, -1).astype(np.int32)
