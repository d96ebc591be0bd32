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
keeps a node with text only, a leaf, before the rules of its kind. Rules 2 and 5 to 8 do not depend on the threshold:
`VisualPage` has the nodes that they divide or freeze. Rules 9 to 11 have no effect on tables, rows and cells, because
rule 13 keeps these with the same degree of coherence. On other nodes rule 9, which keeps small ones with text, has
none: the children of a small node are small, and rule 10 keeps it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vclean.features.segments.segments import MOST_COHERENT
from vclean.features.segments.vips_page import CELL, OTHER, ROW, TABLE, TEXTUAL, VisualPage, stands_out, to_segments
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.segments.segments import Segments
    from vclean.render.snapshot import Snapshot

_ONE_FONT, _TEXT, _ATOM = 10, 9, 8
_BASE: Final = {TEXTUAL: 8, OTHER: 5, TABLE: 5, ROW: 7, CELL: 7}
"""Degree of coherence of an undivided element by its kind."""
_FROZEN: Final = 6
_SMALL: Final = 4
"""A block smaller than the threshold by this factor has one more degree of coherence."""


def extract_visual_blocks(page: VisualPage, roots: Sequence[int], threshold: float) -> dict[int, int]:
    """Return the degrees of coherence of the blocks of `roots`, one round of the algorithm.

    A single root is always divided (rule 3).

    Args:
        page: the page.
        roots: valid nodes.
        threshold: size threshold of rule 10, as a share of the page's area.

    Returns:
        The degree of coherence of each node that became a block, in document order.
    """
    blocks: dict[int, int] = {}
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, is_frozen = stack.pop()
        is_root = len(roots) == 1 and node == roots[0]
        if page.is_atom[node]:
            blocks[node] = _ATOM
        elif page.is_leaf[node]:
            font = page.fonts[node]
            blocks[node] = _ONE_FONT if node >= page.first_text or font is None or font.even else _TEXT
        elif is_frozen:  # rule 8; parts of tables, and small nodes, get one more each
            blocks[node] = _FROZEN + (page.kind[node] in (ROW, CELL)) + (page.size[node] < threshold)
        elif is_root or page.is_divided[node] or not _is_kept(page, node, threshold):
            stack += [(child, child in page.frozen and not is_root) for child in reversed(page.children[node])]
        else:
            blocks[node] = _BASE[page.kind[node]] + (page.size[node] * _SMALL < threshold)
    return blocks


def _is_kept(page: VisualPage, node: int, threshold: float) -> bool:
    """Return whether rule 13 keeps a table, row or cell, or rule 10 another element, if no other rule divides it."""
    is_tabular = page.kind[node] in (TABLE, ROW, CELL)
    return is_tabular or all(page.size[child] < threshold for child in page.children[node])


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


class Separator(NamedTuple):
    """Strip between blocks, CSS px.

    Attributes:
        vertical: whether the blocks are side by side.
        box: x, y, width, height; as long as the blocks on both sides together.
        weight: the weight from all cues.
    """

    vertical: bool
    box: tuple[float, float, float, float]
    weight: int


Division = tuple[list[list[int]], list[Separator]]
"""Blocks grouped into strips in page order, and the separators between consecutive strips."""


def best_division(page: VisualPage, nodes: Sequence[int]) -> Division | None:
    """Return the division into rows or columns with the heaviest separator, None if neither is possible.

    Rows win a tie.
    """
    divisions = (detect(page, nodes, vertical=vertical) for vertical in (False, True))
    possible = [(strips, separators) for strips, separators in divisions if separators]
    return max(possible, key=lambda division: _heaviest(division[1]), default=None)


def _heaviest(separators: Sequence[Separator]) -> int:
    """Return the weight of the heaviest separator, 0 without separators."""
    return max((separator.weight for separator in separators), default=0)


def detect(page: VisualPage, nodes: Sequence[int], *, vertical: bool) -> Division:
    """Return the division of `nodes` (at least one) by all separators of one direction.

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
        if start - end >= MIN_GAP or stands_out(page.background[first], page.background[second]):
            separators.append(Separator(vertical, box, _weight(page, (first, second), box, vertical=vertical)))
            edges.append(index)
    position = {node: index for index, node in enumerate(nodes)}
    strips = [ordered[begin:end] for begin, end in pairwise([*edges, len(nodes)])]
    return [sorted(strip, key=position.__getitem__) for strip in strips], separators


def _weight(page: VisualPage, sides: tuple[int, int], box: tuple[float, float, float, float], *, vertical: bool) -> int:
    """Return the weight of a separator."""
    (first, second), (x, y, width, height) = sides, box
    weight = _WEIGHTS[bisect_right(_THICKNESSES, width if vertical else height)]
    weight += _CUE * stands_out(page.background[first], page.background[second])
    if not vertical:  # rules count up to 1 px above and below it
        rules = (rule for rule in page.rules if y - 1 < rule[3] and rule[1] < y + height + 1)
        weight += _CUE * any(x < right and left < x + width for left, _, right, _ in rules)
    font, other = page.fonts[first], page.fonts[second]
    if font is None or other is None:
        return weight
    if abs(font.size - other.size) <= _OTHER_SIZE and abs(font.weight - other.weight) < _OTHER_WEIGHT:
        return weight - _CUE * (page.is_leaf[first] and page.is_leaf[second])
    # A change of the font doubles the weight if the font grows, because a heading begins what is below it.
    return weight if vertical else weight + _CUE * (1 + (font.size < other.size))


_SIZES: Final = (140_000, 105_000, 75_000, 50_000, 30_000, 15_000, 10_000, 6_400, 400, 1)
_SCREEN: Final = 1024 * 768
"""Area in square px of a common screen in 2003, for which the thresholds `_SIZES` were chosen."""

THRESHOLDS: Final = tuple(size / _SCREEN for size in _SIZES)
"""Size thresholds of the rounds, as shares of the page's area."""


def segment(page: Snapshot | VisualPage) -> Segments:
    """Segment a rendered page as far as possible.

    Raises:
        UsageError: the page was not rendered.
    """
    page = page if isinstance(page, VisualPage) else VisualPage(page)
    root = _Part(nodes=[0], initial_nodes=[0], rule=1)
    stack = [root] if page.children[0] else []
    while stack:
        part = stack.pop()
        if not all(page.is_leaf[node] for node in part.nodes):
            stack += _build(page, part, _next_blocks(page, part))
    _set_coherence(root)
    parts = _preorder(root)
    rows = [(above, part.coherence, [page.extent[node] for node in part.initial_nodes]) for part, above in parts]
    separators = [(row, *each) for row, (part, _) in enumerate(parts) for each in part.separators]
    return to_segments(page, "vips", rows, _owners(page, [part for part, _ in parts]), separators)


@dataclass(slots=True, eq=False)
class _Part:
    """Node of the content structure during construction.

    Attributes:
        nodes: its blocks from the latest round of extraction.
        initial_nodes: its blocks when it was built.
        rule: the degree of coherence from the rules; 0 if it comes from separators between its parts.
        round: the round of block extraction that divides it next.
        separators: the separators between its parts.
        parts: its parts, once it is divided.
        weight: the weight of the heaviest separator inside it, without those inside extracted blocks.
        coherence: the final degree of coherence.
        floor: the degree of coherence of the extracted block around it.
    """

    nodes: list[int] = field(default_factory=list)
    initial_nodes: list[int] = field(default_factory=list)
    rule: int = 0
    round: int = 0
    separators: list[Separator] = field(default_factory=list)
    parts: list[_Part] = field(default_factory=list)
    weight: int = 0
    coherence: int = 1
    floor: int = 1

    def continues(self, other: _Part) -> bool:
        """Return whether it is as coherent as its parent `other`, and divided in the same direction."""
        if self.rule or not self.separators or self.coherence != other.coherence:
            return False
        return self.separators[0].vertical == other.separators[0].vertical


def _next_blocks(page: VisualPage, part: _Part) -> dict[int, int]:
    """Return the blocks of the next round that divides anything, see `extract_visual_blocks`.

    If no round divides several blocks, each of them is divided separately.
    """
    nodes = part.nodes
    while True:
        threshold = THRESHOLDS[min(part.round, len(THRESHOLDS) - 1)]
        blocks = extract_visual_blocks(page, nodes, threshold)
        part.round += 1
        if list(blocks) == nodes:
            if part.round < len(THRESHOLDS):
                continue
            blocks = {
                block: coherence
                for node in nodes
                for block, coherence in extract_visual_blocks(page, [node], threshold).items()
            }
        nodes = list(blocks)
        if len(nodes) > 1 or page.is_leaf[nodes[0]]:
            return blocks


def _build(page: VisualPage, part: _Part, blocks: dict[int, int]) -> list[_Part]:
    """Build the content structure of a part from its blocks, and return the parts to divide further."""
    number, undivided, stack = part.round, [], [(part, list(blocks))]
    while stack:
        current, nodes = stack.pop()
        division = best_division(page, nodes) if len(nodes) > 1 else None
        if division:
            stack += _merge(current, division)
            continue
        current.nodes, current.round = nodes, number
        current.rule = current.rule or min(blocks[node] for node in nodes)
        current.initial_nodes = current.initial_nodes or nodes
        undivided.append(current)
    return undivided


def _merge(part: _Part, division: Division) -> list[tuple[_Part, list[int]]]:
    """Merge strips across their lightest separators first; return the part of each single strip with its nodes."""
    strips, separators = division
    singles, stack = [], [(part, 0, len(strips))]
    while stack:
        current, first, last = stack.pop()
        if last - first == 1:
            singles.append((current, strips[first]))
            continue
        inside = separators[first : last - 1]
        heaviest = _heaviest(inside)
        current.separators = [separator for separator in inside if separator.weight == heaviest]
        edges = [first + index + 1 for index, separator in enumerate(inside) if separator.weight == heaviest]
        current.parts = [_Part() for _ in range(len(edges) + 1)]
        stack += zip(current.parts, [first, *edges], [*edges, last], strict=True)
    return singles


def _set_coherence(root: _Part) -> None:
    """Set the degree of coherence of all parts: by rule, or by the heaviest separator inside relative to the page's.

    Parts within an extracted block are at least as coherent as the block: their separators are scaled to the range
    above its degree.
    """
    parts = [root]
    for part in parts:  # grows: each part comes before its own parts
        parts += part.parts
    for part in reversed(parts):
        part.weight = max([_heaviest(part.separators), *(inner.weight for inner in part.parts if not inner.rule)])
    weights = [separator.weight for part in parts for separator in part.separators]
    least, most = min(weights, default=0), max(weights, default=0)
    for part in parts:
        share = (part.weight - least) / max(most - least, 1)
        value = part.rule or MOST_COHERENT - ceil(share * (MOST_COHERENT - part.floor))
        part.coherence = max(part.coherence, value)
        for inner in part.parts:
            inner.coherence = part.coherence
            inner.floor = part.coherence if part.rule else part.floor


def _preorder(root: _Part) -> list[tuple[_Part, int]]:
    """Return the parts in preorder, each with the number of its parent.

    Parts that only continue their parent's division are merged into it.
    """
    rows: list[tuple[_Part, int]] = []
    stack = [(root, -1)]
    while stack:
        part, parent = stack.pop()
        while dissolved := [inner for inner in part.parts if inner.continues(part)]:
            part.separators += [separator for inner in dissolved for separator in inner.separators]
            part.parts = [each for inner in part.parts for each in (inner.parts if inner in dissolved else [inner])]
        stack += [(inner, len(rows)) for inner in reversed(part.parts)]
        rows.append((part, parent))
    return rows


def _owners(page: VisualPage, parts: Sequence[_Part]) -> NDArray[np.int32]:
    """Return the innermost part of each visible text and atom, int32 (M,); -1 for other nodes."""
    snapshot, count = page.snapshot, page.first_text
    owner = np.full(len(page.parent), -1, dtype=np.int32)
    for number, part in enumerate(parts):
        if not part.parts:
            owner[part.nodes] = number
    inherited = owner[tree.nearest_ancestor(owner[:count] >= 0, snapshot.parent)]
    text = np.where(owner[count:] >= 0, owner[count:], inherited[snapshot.text_parent])
    return np.where(page.is_visible, np.append(inherited, text), np.int32(-1))
