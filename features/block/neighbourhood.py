"""Compute context columns of a block: its neighbours, and the subtrees around it.

Level k of a block's subtrees is the nearest ancestor with at least `GROWTH` times as many blocks as level k - 1. The
blocks of a subtree are consecutive, so a sum over a subtree is a difference of cumulative sums. Stacked models average
their scores over the same runs of blocks (`vclean.classify.content.stacking`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.block.structural import long_text
from vclean.features.columns import FeatureColumn, ratio, stack_rows, sum_over_runs
from vclean.render import tree
from vclean.render.static import _tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.page_context import PageContext

LEVELS = 3
"""Number of subtrees per block."""
GROWTH = 2.0
"""Minimum ratio of the numbers of blocks of consecutive subtrees."""

_IMAGES = ("img", "svg", "video")
_INPUTS = ("input", "button", "select", "textarea")

_NEIGHBOURS = ("link_share", "class_blocks", "in_list_item")

_SUBTREE = (
    ("blocks", "blocks", "Blocks"),
    ("words_of_page", "share", "Share of the page's words"),
    ("mean_words", "words", "Words per block"),
    ("link_share", "share", "Share of words in links"),
    ("stop_words", "share", "Share of stop words"),
    ("sentences", "marks per word", "Sentence ends per word"),
    ("long_share", "share", "Share of words in long texts"),
    ("headings", "blocks", "Headings"),
    ("images", "elements", "Images per block"),
    ("inputs", "elements", "Input fields and buttons per block"),
)

STEPS = (-1, 1)
"""Offsets of the neighbours in blocks, ascending."""


def step_doc(step: int) -> str:
    """Return the description of the block `step` blocks away."""
    return f"of the block {abs(step)} {'after' if step > 0 else 'before'}"


COLUMNS: tuple[FeatureColumn, ...] = (
    *(FeatureColumn(f"{name}{step:+d}", f"as `{name}`", f"`{name}` {step_doc(step)}; NaN beyond the page.")

      for name in _NEIGHBOURS for step in STEPS),
    *(FeatureColumn(f"up{level}_{name}", unit, f"{doc}, in subtree {level} around the block.")
      for level in range(1, LEVELS + 1) for name, unit, doc in _SUBTREE),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Layout:
    """Runs of related blocks, over which stacked scores are averaged.

    Attributes:
        begin, end: int32 (B, LEVELS), the run of blocks of each of a block's subtrees.
        alike: int32 (B,), the group of blocks with the same chain of tags and classes.
        tokens: float32 (B,), the number of words of each block.
    """

    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    alike: NDArray[np.int32]
    tokens: NDArray[np.float32]


def subtrees(context: PageContext) -> NDArray[np.int32]:
    """Return the root elements of each block's subtrees: int32 (B, LEVELS).

    The document root is repeated if there is no larger subtree.
    """
    count = context.block_count
    larger = np.maximum(context.snapshot.parent, 0)[context.container]
    element, elements = context.blocks.node, np.empty((len(context), LEVELS), dtype=np.int32)
    for level in range(LEVELS):
        element = np.frombuffer(_tree.climb(larger, count, element, GROWTH), np.int32)
        elements[:, level] = element
    return elements


def layout(context: PageContext, elements: NDArray[np.int32]) -> Layout:
    """Return the runs of blocks of the subtrees `elements` (B, LEVELS), and the groups of blocks."""
    texts = context.blocks.text_nodes
    before = np.zeros(len(context.snapshot.texts) + 1, dtype=np.int64)  # cumulative: those in a block before each text
    before[texts + 1] = 1
    owner = np.append(context.blocks.text_block[texts], len(context))
    begin = owner[np.cumsum(before)][context.snapshot.text_start[:-1]].astype(np.int64)
    end = begin + context.block_count.astype(np.int64)
    alike = context.blocks_by_class_path.number.astype(np.int32)
    return Layout(begin[elements].astype(np.int32), end[elements].astype(np.int32), alike, context.tokens)


def compute(
    context: PageContext, values: Values, block_layout: Layout, elements: NDArray[np.int32]
) -> NDArray[np.float32]:
    """Return the context columns of a page: float32 (len(COLUMNS), B).

    Args:
        context: the page.
        values: the columns of the other feature groups.
        block_layout: the runs of blocks, from `layout`.
        elements: the roots of the subtrees, from `subtrees`.
    """
    snapshot, tokens = context.snapshot, context.tokens
    blocks = (block_layout.end - block_layout.begin).astype(np.float32)
    images, inputs = (tree.subtree_sum(snapshot.is_tag(tags), snapshot.end)[elements] for tags in (_IMAGES, _INPUTS))
    large = np.where(long_text(context), tokens, 0)
    parts = (context.link_share * tokens, context.stop_words, values["sentences"], large)
    summed = np.array([tokens, values["heading_level"] > 0, *parts])
    words, headings, *sums = sum_over_runs(summed, block_layout.begin, block_layout.end).astype(np.float32)
    means = ratio(words, float(tokens.sum())), ratio(words, blocks), *ratio(np.array(sums), words)
    columns = [blocks, *means, headings, *ratio(np.array([images, inputs]), blocks)]  # in the order of `_SUBTREE`
    neighbours = neighbour_values(stack_rows(_NEIGHBOURS, values))
    return np.concatenate([*neighbours, *np.transpose(columns, (2, 0, 1))])


def neighbour_values(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return `values` (K, B) of the blocks at each of `STEPS`: float32 (K, len(STEPS), B); NaN beyond the page."""
    of_steps = np.full((len(values), len(STEPS), values.shape[1]), np.float32(np.nan))
    of_steps[:, 0, 1:], of_steps[:, 1, :-1] = values[:, :-1], values[:, 1:]
    return of_steps
