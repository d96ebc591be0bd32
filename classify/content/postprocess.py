"""Lists, tables and code decided as wholes: a few cells lost from a kept table are worth less than the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content.stacking import highest_role_probability
from vclean.features import tree
from vclean.features.names import lexicon
from vclean.labels import Label, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.page_context import PageContext


KEEP: Final = 0.75
"""A group is kept as a whole if at least this share of its words is kept, and dropped as a whole up to `DROP`.

Cross-validated, that leaves whole 305 of the 370 tables that are gold, 5,069 of 5,753 lists and 90 of 130 pieces of
code, in place of 214, 4,719 and 20; word F1 changes by 0 to .001, on no corpus for the worse.
"""
DROP: Final = 0.15

MAX_BLOCKS_PER_CELL: Final = 3
"""A table with more lays out the page."""

_GROUPS = ("ul", "ol", "dl", "pre")


def block_groups(blocks: BlockColumns) -> NDArray[np.int32]:
    """int32 (B,): the innermost list, definition list, preformatted element or table of data round each block, or -1.

    A table of data has two rows of two cells with text, no table inside, and few blocks a cell.
    """
    snapshot = blocks.snapshot
    is_group = snapshot.is_tag(_GROUPS) | _data_tables(blocks)
    group = tree.nearest_ancestor(is_group, snapshot.parent)[blocks.node]
    return np.where(is_group[group], group, -1).astype(np.int32)


def _data_tables(blocks: BlockColumns) -> NDArray[np.bool_]:
    """The elements that are tables of data, bool (N,)."""
    snapshot, size = blocks.snapshot, len(blocks.snapshot)
    is_table, is_cell = snapshot.is_tag(("table",)), snapshot.is_tag(("td", "th"))
    if not is_table.any():
        return is_table
    table = tree.nearest_ancestor(is_table, snapshot.parent)
    row = tree.nearest_ancestor(snapshot.is_tag(("tr",)), snapshot.parent)
    inside = np.unique(tree.nearest_ancestor(is_cell, snapshot.parent)[blocks.node])
    cells = inside[is_cell[inside]]
    wide_rows = np.flatnonzero(np.bincount(row[cells], minlength=size) > 1)
    grid = np.bincount(table[wide_rows], minlength=size) > 1
    per_table = np.bincount(table[blocks.node], minlength=size)
    sparse = per_table <= MAX_BLOCKS_PER_CELL * np.bincount(table[cells], minlength=size)
    nested = tree.subtree_sum(is_table, snapshot.end) > 1
    found: NDArray[np.bool_] = is_table & grid & sparse & ~nested
    return found


def smooth(keep: NDArray[np.bool_], words: NDArray[np.float32], group: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which blocks to keep, bool (B,), once every group is kept or dropped as a whole where it nearly is.

    Args:
        keep: bool (B,), the blocks chosen one by one.
        words: float32 (B,), words per block; a block without counts as one of one word.
        group: int32 (B,), a number for the group of each block, or -1; a block alone in its group stays as it is.
    """
    rows = np.flatnonzero(group >= 0)
    if not len(rows):
        return keep.copy()
    _, number = np.unique(group[rows], return_inverse=True)
    weight = np.maximum(words[rows], 1)
    share = (np.bincount(number, weight * keep[rows]) / np.bincount(number, weight))[number]
    smoothed = keep.copy()
    smoothed[rows[share >= KEEP]] = True
    smoothed[rows[share <= DROP]] = False
    return smoothed


_ENDS = frozenset(".!?:;…。！？：；।؟۔")
_CLOSING = "\"'”’»)]"
_BODY = frozenset((Label.PARAGRAPH, Label.LIST_ITEM, Label.CONTINUATION))
"""What can be continued, and what is taken for a continuation but for a list item."""


def predecessors(blocks: BlockColumns) -> NDArray[np.int32]:
    """int32 (B,), the block that each goes on with, -1 for none.

    It is the block before in the same container, if its text ends in the middle of a sentence, this one begins with a
    small letter, and what parts them is more than an empty line.
    """
    before = _before_in_container(blocks)
    for block in np.flatnonzero(before >= 0).tolist():
        if not _goes_on(blocks.text[before[block]], blocks.text[block]):
            before[block] = -1
    empty_line = (before == np.arange(len(blocks)) - 1) & _has_line_break_before(blocks)
    before[empty_line] = -1
    return before


def _before_in_container(blocks: BlockColumns) -> NDArray[np.int32]:
    order = np.argsort(blocks.node, kind="stable").astype(np.int32)
    beside = blocks.node[order[1:]] == blocks.node[order[:-1]]
    before = np.full(len(blocks), -1, dtype=np.int32)
    before[order[1:][beside]] = order[:-1][beside]
    return before


def _goes_on(before: str, text: str) -> bool:
    return text[:1].islower() and before.rstrip(_CLOSING)[-1:] not in _ENDS


def _has_line_break_before(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Whether a `br` stands between a block's first text and the text before it, bool (B,)."""
    snapshot, members = blocks.snapshot, blocks.members
    breaks = np.cumsum(snapshot.is_tag(("br",)))[snapshot.text_after[members]]
    return np.diff(breaks, prepend=0)[blocks.first] > 0


def join_continuations(labels: Sequence[Label], forerunner: NDArray[np.int32]) -> list[Label]:
    """`labels`, with a continuation for every paragraph that follows its forerunner, nothing kept between the two.

    Args:
        labels: B labels.
        forerunner: int32 (B,), as `predecessors` gives it.
    """
    joined, last = list(labels), -1
    if not (forerunner >= 0).any():
        return joined
    for block, (label, before) in enumerate(zip(labels, forerunner.tolist(), strict=True)):
        if label is Label.PARAGRAPH and before == last >= 0 and labels[last] in _BODY:
            joined[block] = Label.CONTINUATION
        last = block if label.is_content else last
    return joined


WHOLE: Final = 0.95
"""An element with a larger share of the page's words is the page: themes write `comments-open` on the body."""

_COMMENTS: Final = np.uint64(1 << lexicon.NAME_GROUPS.index("comments"))


def among_comments(context: PageContext, regions: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (B,): that a block is among readers' comments.

    It is for sure where an element round it is called so by its class or id. Else the region model has its say: the
    highest probability of a container round the block to be comments, 0 without such a model.

    Args:
        context: the page.
        regions: float32 (B, len(stacking.REGION_COLUMNS)), NaN without a region model.
    """
    named = named_comments(context).astype(np.float32)
    return np.asarray(np.fmax(named, highest_role_probability(regions, Role.COMMENTS)))


def named_comments(context: PageContext) -> NDArray[np.bool_]:
    """Whether an element round a block is called comments, and is neither the page nor holds its first heading."""
    snapshot = context.snapshot
    called = (context.name_bits & _COMMENTS) > 0
    if not called.any() or not len(context):
        return np.zeros(len(context), dtype=bool)
    words = context.sum_over_subtrees(context.tokens)
    first_heading = np.flatnonzero(snapshot.is_tag(("h1",)))[:1]
    holds_heading = tree.subtree_sum(np.isin(np.arange(len(snapshot)), first_heading), snapshot.end) > 0
    called &= (words <= WHOLE * words[0]) & ~holds_heading
    return tree.path_sum(called, snapshot.end)[context.blocks.node] > 0
