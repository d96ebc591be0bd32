"""From the states of containers to segments: two cuts of a page, the finer one inside the coarser one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.segment_states import State
from vclean.features import tree
from vclean.features.segments import Segments, Separators

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.regions import Regions
    from vclean.features.vips_page import Extent, VisualPage

METHOD: Final = "learned"
WHOLE, MAIN, PART = 1, 6, 11
"""The degrees of coherence of the page, of its main segments, and of their parts."""


def build(page: VisualPage, regions: Regions, main: NDArray[np.int8], parts: NDArray[np.int8]) -> Segments:
    """The segments of a page.

    What stands in no container that is a segment makes segments of its own: texts that follow each other in one
    container, and the largest elements without a segment in them.

    Args:
        page: rendered, with something to see.
        regions: its candidates.
        main: their states (C,) in the coarser cut.
        parts: their states (C,) in the finer one, which cuts no less.
    """
    seen = np.concatenate([np.array(page.is_atom[: page.first_text], dtype=bool), page.seen_text])
    leaf = page.in_order[seen[page.in_order]]
    keys = np.stack([_keys(regions, states)[leaf] for states in (main, parts)], axis=1)
    rows = _rows(leaf, keys)
    owner = np.full(len(seen), -1, dtype=np.int32)
    for number, row in enumerate(rows):
        if row.leaves:
            owner[row.leaves] = number
    return Segments(
        snapshot=page.snapshot,
        method=METHOD,
        parent=np.array([row.above for row in rows], dtype=np.int32),
        coherence=np.array([row.coherence for row in rows], dtype=np.int32),
        box=_boxes(page, rows),
        text=owner[page.first_text :],
        element=owner[: page.first_text],
        node_box=page.node_box,
        separators=_no_separators(),
    )


@dataclass(slots=True, eq=False)
class _Row:
    """A segment: its parent, its degree, the element it is of (or a number past all), and its own leaves."""

    above: int
    coherence: int
    key: int = -1
    leaves: list[int] = field(default_factory=list)


def _rows(leaf: NDArray[np.int64], keys: NDArray[np.int64]) -> list[_Row]:
    """The segments in preorder, in the order of their first leaves; a main segment of one part is a leaf itself."""
    mains: dict[int, dict[int, list[int]]] = {}
    for node, (main, part) in zip(leaf.tolist(), keys.tolist(), strict=True):
        mains.setdefault(main, {}).setdefault(part, []).append(node)
    rows = [_Row(-1, WHOLE)]
    for main, parts in mains.items():
        number = len(rows)
        rows.append(_Row(0, MAIN, main, [] if len(parts) > 1 else next(iter(parts.values()))))
        if len(parts) > 1:
            rows += [_Row(number, PART, part, leaves) for part, leaves in parts.items()]
    return rows


def _keys(regions: Regions, states: NDArray[np.int8]) -> NDArray[np.int64]:
    """int64 (N + T,): what tells the segment of each visible node: an element, or N and more for a run of texts."""
    snapshot, blocks = regions.snapshot, regions.view.blocks
    count = len(snapshot)
    at = np.zeros(count, dtype=bool)
    at[regions.node[states == State.AT]] = True
    lies = tree.path_sum(at, snapshot.end) > 0
    holds = (tree.subtree_sum(at, snapshot.end) > 0) & ~lies
    top = at | (~lies & ~holds & holds[np.maximum(snapshot.parent, 0)])
    top[0] |= not top.any()
    element = tree.nearest(top, snapshot.parent).astype(np.int64)
    loose = holds[blocks.node]
    run = count + _runs(loose, regions.block_region)
    container = np.append(blocks.node, 0)[blocks.text_block]
    inside = np.where(blocks.text_block >= 0, container, snapshot.text_parent)
    is_loose = np.append(loose, False)[blocks.text_block]
    text = np.where(is_loose, np.append(run, 0)[blocks.text_block], element[inside])
    return np.concatenate([element, text])


def _runs(loose: NDArray[np.bool_], region: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64 (B,): the number of the run of loose blocks, each after the other in one container, that a block is in."""
    begins = np.ones(len(loose), dtype=bool)
    begins[1:] = (np.diff(region) != 0) | ~loose[1:] | ~loose[:-1]
    return np.cumsum(begins)


def _boxes(page: VisualPage, rows: list[_Row]) -> NDArray[np.float32]:
    """float32 (S, 4): what the leaves of each segment paint, and the element it is of; of the first, the page."""
    extents: list[list[Extent]] = [[page.extent[node] for node in row.leaves] for row in rows]
    boxes = np.zeros((len(rows), 4), dtype=np.float32)
    for number in range(len(rows) - 1, 0, -1):
        row = rows[number]
        if 0 <= row.key < page.first_text:
            extents[number].append(page.extent[row.key])
        left, top, right, bottom = zip(*extents[number], strict=True)
        union = (min(left), min(top), max(right), max(bottom))
        boxes[number] = (union[0], union[1], union[2] - union[0], union[3] - union[1])
        extents[row.above].append(union)
    boxes[0, 2:] = page.snapshot.width, page.snapshot.height
    return boxes


def _no_separators() -> Separators:
    return Separators(
        segment=np.zeros(0, dtype=np.int32),
        vertical=np.zeros(0, dtype=bool),
        box=np.zeros((0, 4), dtype=np.float32),
        weight=np.zeros(0, dtype=np.int32),
    )
