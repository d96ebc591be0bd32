"""Post-process the selection and labels: keep or drop groups as one, join continuations, find readers' comments.

Groups are lists, tables and code. A table without a few of its cells is worth less than the whole table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.names import element_names
from vclean.features.names.element_names import sorted_unique
from vclean.labels import Label
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.page_context import PageContext


KEEP_SHARE: Final = 0.75
"""Minimum share of selected words to keep a whole group; up to `DROP_SHARE`, the whole group is dropped.

In cross-validation, this preserves 305 of 370 gold tables, 5,069 of 5,753 lists and 90 of 130 code blocks completely;
without it, 214, 4,719 and 20. Word F1 rises by 0 to .001 on each corpus.
"""
DROP_SHARE: Final = 0.15
ENCLOSED_PROBABILITY: Final = 0.5
"""Minimum mean probability of the words of a group between two kept blocks; word F1 changes by less than .0001."""

MAX_BLOCKS_PER_CELL: Final = 3
"""Blocks per cell above which a table is taken for page layout."""

_GROUPS = ("ul", "ol", "dl", "pre")


def block_groups(blocks: BlockColumns) -> NDArray[np.int32]:
    """Return the innermost list, definition list, `pre` element or data table around each block, or -1, int32 (B,).

    A data table has at least two rows with two text cells each, no nested table, and at most `MAX_BLOCKS_PER_CELL`
    blocks per cell.
    """
    snapshot = blocks.snapshot
    is_group = snapshot.is_tag(_GROUPS) | data_tables(blocks)
    group = tree.nearest_ancestor(is_group, snapshot.parent)[blocks.node]
    return np.where(is_group[group], group, -1).astype(np.int32)


def data_tables(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return a mask of the elements that are data tables, bool (N,)."""
    snapshot, size = blocks.snapshot, len(blocks.snapshot)
    is_table, is_cell = snapshot.is_tag(("table",)), snapshot.is_tag(("td", "th"))
    if not is_table.any():
        return is_table
    table = tree.nearest_ancestor(is_table, snapshot.parent)
    row = tree.nearest_ancestor(snapshot.is_tag(("tr",)), snapshot.parent)
    inside = sorted_unique(tree.nearest_ancestor(is_cell, snapshot.parent)[blocks.node])
    cells = inside[is_cell[inside]]
    wide_rows = np.flatnonzero(np.bincount(row[cells], minlength=size) > 1)
    grid = np.bincount(table[wide_rows], minlength=size) > 1
    per_table = np.bincount(table[blocks.node], minlength=size)
    sparse = per_table <= MAX_BLOCKS_PER_CELL * np.bincount(table[cells], minlength=size)
    nested = tree.subtree_sum(is_table, snapshot.end) > 1
    is_data_table: NDArray[np.bool_] = is_table & grid & sparse & ~nested
    return is_data_table


def smooth_groups(
    selected: NDArray[np.bool_], probability: NDArray[np.float32], words: NDArray[np.float32], group: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Keep groups completely or drop them completely, where the evidence is clear; return a mask, bool (B,).

    A group is kept if most of its words are selected, and dropped if few are. It is also kept if it is enclosed, as
    a table of short cells between two paragraphs: the blocks before and after it are kept, and the mean probability of
    its words is above `ENCLOSED_PROBABILITY`.

    Args:
        selected: bool (B,), the blocks selected one by one.
        probability: float32 (B,), probability that a block is content.
        words: float32 (B,), words per block; a block without words counts as one word.
        group: int32 (B,), the group of each block, or -1; a block alone in its group does not change.
    """
    rows = np.flatnonzero(group >= 0)
    if not len(rows):
        return selected.copy()
    _, number = np.unique(group[rows], return_inverse=True)
    weight = np.maximum(words[rows], 1)
    total = np.bincount(number, weight)
    share = np.bincount(number, weight * selected[rows]) / total
    smoothed = selected.copy()
    smoothed[rows[(share >= KEEP_SHARE)[number]]] = True
    smoothed[rows[(share <= DROP_SHARE)[number]]] = False
    mean = np.bincount(number, weight * probability[rows]) / total
    enclosed = _is_enclosed(smoothed, rows, number) & (mean > ENCLOSED_PROBABILITY)
    smoothed[rows[enclosed[number]]] = True
    return smoothed


def _is_enclosed(kept: NDArray[np.bool_], rows: NDArray[np.intp], number: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return whether the blocks directly before and after each of G groups are kept: bool (G,).

    Args:
        kept: bool (B,).
        rows: the blocks in groups, ascending.
        number: the group of each of them, 0 to G - 1.
    """
    first, last = np.full((2, number.max() + 1), -1)
    last[number] = rows
    first[number[::-1]] = rows[::-1]
    padded = np.concatenate([[False], kept, [False]])
    return np.asarray(padded[first] & padded[last + 2])


_ENDS = frozenset(".!?:;…。！？：；।؟۔")
_CLOSING = "\"'”’»)]"
_BODY = frozenset((Label.PARAGRAPH, Label.LIST_ITEM, Label.CONTINUATION))
"""Labels that a continuation can follow."""


def predecessors(blocks: BlockColumns) -> NDArray[np.int32]:
    """Return the block that each block continues, or -1, int32 (B,).

    A block continues the previous block of its container if that block ends within a sentence, and this block begins
    with a lowercase letter. Adjacent blocks that only line breaks (`br`) separate do not count.
    """
    before = _before_in_container(blocks)
    for block in np.flatnonzero(before >= 0).tolist():
        if not _continues_sentence(blocks.text[before[block]], blocks.text[block]):
            before[block] = -1
    empty_line = (before == np.arange(len(blocks)) - 1) & _has_line_break_before(blocks)
    before[empty_line] = -1
    return before


def _before_in_container(blocks: BlockColumns) -> NDArray[np.int32]:
    order = np.argsort(blocks.node, kind="stable").astype(np.int32)
    same_container = blocks.node[order[1:]] == blocks.node[order[:-1]]
    before = np.full(len(blocks), -1, dtype=np.int32)
    before[order[1:][same_container]] = order[:-1][same_container]
    return before


def _continues_sentence(before: str, text: str) -> bool:
    return text[:1].islower() and before.rstrip(_CLOSING)[-1:] not in _ENDS


def _has_line_break_before(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return a mask of the blocks with a `br` between their first text and the previous text, bool (B,)."""
    snapshot, texts = blocks.snapshot, blocks.text_nodes
    breaks = np.cumsum(snapshot.is_tag(("br",)))[snapshot.text_after[texts]]
    first = np.searchsorted(texts, blocks.members[blocks.first])
    return np.diff(breaks, prepend=0)[first] > 0


def join_continuations(labels: Sequence[Label], predecessor: NDArray[np.int32]) -> list[Label]:
    """Relabel paragraphs as continuations where they continue the previous content block.

    Args:
        labels: B labels.
        predecessor: int32 (B,), see `predecessors`.
    """
    joined, last = list(labels), -1
    if not (predecessor >= 0).any():
        return joined
    for block, (label, before) in enumerate(zip(labels, predecessor.tolist(), strict=True)):
        if label is Label.PARAGRAPH and before == last >= 0 and labels[last] in _BODY:
            joined[block] = Label.CONTINUATION
        last = block if label.is_content else last
    return joined


MAX_COMMENTS_SHARE: Final = 0.95
"""Share of the page's words above which an element is not a comment section: themes put `comments-open` on the body."""

_COMMENTS: Final = np.uint64(1 << element_names.NAME_GROUPS.index("comments"))


def is_in_named_comments(context: PageContext) -> NDArray[np.bool_]:
    """Return a mask of the blocks in an element named as comments, bool (B,).

    Elements with almost all words of the page, or with its first `h1`, are skipped.
    """
    snapshot = context.snapshot
    is_named = (context.name_bits & _COMMENTS) > 0
    if not is_named.any() or not len(context):
        return np.zeros(len(context), dtype=bool)
    words = context.sum_over_subtrees(context.tokens)
    first_heading = np.flatnonzero(snapshot.is_tag(("h1",)))[:1]
    has_heading = tree.subtree_sum(np.isin(np.arange(len(snapshot)), first_heading), snapshot.end) > 0
    is_named &= (words <= MAX_COMMENTS_SHARE * words[0]) & ~has_heading
    return tree.inside(is_named, snapshot.end)[context.blocks.node]
