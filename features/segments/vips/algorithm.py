"""VIPS: the page cut into segments by what a reader sees (Cai et al. 2003, MSR-TR-2003-79).

Each round takes blocks of a part of the page by the rules, finds the separators between them, and builds the content
structure: the blocks beside the lightest separators are merged first, so that the heaviest part the largest segments.
The blocks then go through rounds of their own, with a smaller threshold each time, until nothing can be divided. All
of it is done once per page; the permitted degree of coherence cuts the finished tree (`Segments.at`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.errors import UsageError
from vclean.features import tree
from vclean.features.segments.segments import MOST_COHERENT, Segments, Separators
from vclean.features.segments.vips.page import VisualPage
from vclean.features.segments.vips.rules import VisualBlock, extract_visual_blocks
from vclean.features.segments.vips.separators import Separator, StripDivision, best_division

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_SIZES: Final = (140_000, 105_000, 75_000, 50_000, 30_000, 15_000, 10_000, 6_400, 400, 1)
_SCREEN: Final = 1024 * 768
"""The thresholds of the rounds, in square px, of the usual screen of their time; here they are shares of the page."""

THRESHOLDS: Final = tuple(size / _SCREEN for size in _SIZES)


def segment(snapshot: Snapshot) -> Segments:
    """The segments of a rendered page, cut as far as they can be.

    Raises:
        UsageError: the page was not rendered.
    """
    if not snapshot.rendered:
        raise UsageError("segments need boxes, and the page was not rendered: render it first")
    page = VisualPage(snapshot)
    root = _Part(blocks=[VisualBlock(0, 1)], outer=[0], rule=1)
    _refine(page, root)
    _set_coherence(root)
    return _columns(page, _numbered(root))


def whole(snapshot: Snapshot, method: str) -> Segments:
    """A rendered page as one segment."""
    page = VisualPage(snapshot)
    return replace(_columns(page, [_Part(blocks=[VisualBlock(0, 1)], outer=[0], rule=1)]), method=method)


@dataclass(slots=True, eq=False)
class _Part:
    """A node of the content structure while it is built.

    Attributes:
        blocks: what it is made of, as far as that was divided when it was cut.
        outer: the nodes it was made of at first.
        rule: the degree of coherence by the rules; 0 where it was built from parts and their separators set it.
        round: of the block extraction that cuts it further.
        separators, parts: between its parts, and these, once it is cut.
        weight: of the heaviest separator that it was built across.
        coherence: its degree of coherence in the end; floor: that of the extracted block round it.
        number, above: its place in preorder, and its parent's.
    """

    blocks: list[VisualBlock] = field(default_factory=list)
    outer: list[int] = field(default_factory=list)
    rule: int = 0
    round: int = 0
    separators: list[Separator] = field(default_factory=list)
    parts: list[_Part] = field(default_factory=list)
    weight: int = 0
    coherence: int = 1
    floor: int = 1
    number: int = 0
    above: int = -1

    @property
    def nodes(self) -> list[int]:
        """The nodes of its blocks."""
        return [block.node for block in self.blocks]

    def continues(self, other: _Part) -> bool:
        """Whether it only carries on a cut of `other`, its parent: as coherent, and in the same direction."""
        if self.rule or not self.separators or self.coherence != other.coherence:
            return False
        return self.separators[0].vertical == other.separators[0].vertical


def _refine(page: VisualPage, root: _Part) -> None:
    """Cut a part, and what comes out, until nothing can be divided."""
    waiting = [root] if page.children[0] else []
    while waiting:
        part = waiting.pop()
        if all(page.is_leaf[node] for node in part.nodes):
            continue
        pool = _next_pool(page, part)
        waiting += _build(page, part, pool)


def _next_pool(page: VisualPage, part: _Part) -> list[VisualBlock]:
    """The blocks of the next round that divides anything; several that none divides are divided for themselves."""
    nodes = part.nodes
    while True:
        threshold = THRESHOLDS[min(part.round, len(THRESHOLDS) - 1)]
        pool = extract_visual_blocks(page, nodes, threshold)
        part.round += 1
        if [block.node for block in pool] == nodes:
            if part.round < len(THRESHOLDS):
                continue
            pool = [block for node in nodes for block in extract_visual_blocks(page, [node], threshold)]
        if len(pool) > 1 or page.is_leaf[pool[0].node]:
            return pool
        nodes = [pool[0].node]


def _build(page: VisualPage, part: _Part, pool: list[VisualBlock]) -> list[_Part]:
    """Build the content structure of a part from its blocks; the parts that are to be cut further."""
    block_of = {block.node: block for block in pool}
    number, ends = part.round, []
    waiting: list[tuple[_Part, list[int]]] = [(part, [block.node for block in pool])]
    while waiting:
        here, nodes = waiting.pop()
        cut = best_division(page, nodes) if len(nodes) > 1 else None
        if cut is None:
            here.blocks = [block_of[node] for node in nodes]
            here.rule = here.rule or min(block.coherence for block in here.blocks)
            here.outer = here.outer or nodes
            here.round = number
            ends.append(here)
            continue
        for inner, strip in _merge(here, cut):
            waiting.append((inner, strip))
    return ends


def _merge(part: _Part, cut: StripDivision) -> Iterator[tuple[_Part, list[int]]]:
    """Merge strips across their lightest separators first: the parts of single strips, with the nodes of each."""
    waiting = [(part, 0, len(cut.strips))]
    while waiting:
        here, first, last = waiting.pop()
        if last - first == 1:
            yield here, cut.strips[first]
            continue
        inside = cut.separators[first : last - 1]
        heaviest = max(separator.weight for separator in inside)
        here.separators = [separator for separator in inside if separator.weight == heaviest]
        edges = [first + index + 1 for index, separator in enumerate(inside) if separator.weight == heaviest]
        for begin, end in zip([first, *edges], [*edges, last], strict=True):
            inner = _Part()
            here.parts.append(inner)
            waiting.append((inner, begin, end))


def _set_coherence(root: _Part) -> None:
    """Degrees of coherence for all parts: by rule, or by the heaviest separator inside against the page's.

    What is built within an extracted block coheres at least as much as the block, so that its separators have the
    range above that degree.
    """
    parts = _preorder(root)
    for part in reversed(parts):
        own = max((separator.weight for separator in part.separators), default=0)
        part.weight = max([own, *(inner.weight for inner in part.parts if not inner.rule)])
    weights = [separator.weight for part in parts for separator in part.separators]
    least, most = min(weights, default=0), max(weights, default=0)
    for part in parts:
        share = (part.weight - least) / max(most - least, 1)
        own = part.rule or MOST_COHERENT - ceil(share * (MOST_COHERENT - part.floor))
        part.coherence = max(part.coherence, own)
        for inner in part.parts:
            inner.coherence = part.coherence
            inner.floor = part.coherence if part.rule else part.floor


def _preorder(root: _Part) -> list[_Part]:
    parts: list[_Part] = []
    waiting = [root]
    while waiting:
        part = waiting.pop()
        parts.append(part)
        waiting += reversed(part.parts)
    return parts


def _numbered(root: _Part) -> list[_Part]:
    """The parts in preorder; those that only carry on their parent's cut are dissolved in it."""
    numbered: list[_Part] = []
    waiting = [root]
    while waiting:
        part = waiting.pop()
        part.number = len(numbered)
        numbered.append(part)
        while any(inner.continues(part) for inner in part.parts):
            dissolved = [inner for inner in part.parts if inner.continues(part)]
            part.separators += [separator for inner in dissolved for separator in inner.separators]
            part.parts = [each for inner in part.parts for each in (inner.parts if inner in dissolved else [inner])]
        for inner in part.parts:
            inner.above = part.number
        waiting += reversed(part.parts)
    return numbered


def _columns(page: VisualPage, parts: Sequence[_Part]) -> Segments:
    text, element = _owners(page, parts)
    return Segments(
        snapshot=page.snapshot,
        method="vips",
        parent=np.array([part.above for part in parts], dtype=np.int32),
        coherence=np.array([part.coherence for part in parts], dtype=np.int32),
        box=_boxes(page, parts),
        text=text,
        element=element,
        node_box=page.node_box,
        separators=_separators(parts),
    )


def _separators(parts: Sequence[_Part]) -> Separators:
    rows = [(part.number, separator) for part in parts for separator in part.separators]
    return Separators(
        segment=np.array([number for number, _ in rows], dtype=np.int32),
        vertical=np.array([separator.vertical for _, separator in rows], dtype=bool),
        box=np.array([separator.box for _, separator in rows], dtype=np.float32).reshape(-1, 4),
        weight=np.array([separator.weight for _, separator in rows], dtype=np.int32),
    )


def _boxes(page: VisualPage, parts: Sequence[_Part]) -> NDArray[np.float32]:
    """float32 (S, 4): the union of what the nodes and the parts of each part paint; of the first, the whole page."""
    extents = [[page.extent[node] for node in part.outer] for part in parts]
    boxes = np.zeros((len(parts), 4), dtype=np.float32)
    for part in reversed(parts[1:]):
        left, top, right, bottom = zip(*extents[part.number], strict=True)
        union = (min(left), min(top), max(right), max(bottom))
        boxes[part.number] = (union[0], union[1], union[2] - union[0], union[3] - union[1])
        extents[part.above].append(union)
    boxes[0, 2:] = page.snapshot.width, page.snapshot.height
    return boxes


def _owners(page: VisualPage, parts: Sequence[_Part]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The innermost part of every visible text node, int32 (T,), and of every atom, int32 (N,); -1 for others."""
    snapshot, count = page.snapshot, page.first_text
    owner = np.full(count + len(snapshot.texts), -1, dtype=np.int32)
    for part in parts:
        if not part.parts:
            owner[part.nodes] = part.number
    inherited = owner[:count][tree.nearest_ancestor(owner[:count] >= 0, snapshot.parent)]
    own = owner[count:]
    text = np.where(own >= 0, own, inherited[snapshot.text_parent])
    text = np.where(page.seen_text, text, -1)
    return text.astype(np.int32), np.where(page.is_atom[:count], inherited, -1).astype(np.int32)
