"""Context columns: a block's neighbours, and the subtrees it stands in.

A block's subtrees are taken where they really grow: the k-th is the nearest ancestor with at least `GROWTH` times the
blocks of the one before. Their blocks are one run of the page, so that a mean over a subtree is a difference of
running sums. Stacked models average their scores over the same runs (`vclean.classify.content.stacking`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.features import tree
from vclean.features.block.structural import long_text
from vclean.features.columns import FeatureColumn, ratio, stack_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.columns import Numbers, Values
    from vclean.features.page_context import PageContext

LEVELS = 5
"""Larger subtrees per block."""
GROWTH = 1.5
"""How many times the blocks of a subtree the next one has at least."""
REACH = 3
"""Neighbours on each side."""

_IMAGES = ("img", "svg", "video")
_INPUTS = ("input", "button", "select", "textarea")

_NEIGHBOURS = (
    "words", "link_share", "stop_words", "sentences", "tag", "heading_level", "capitalised_words", "visibility",
    "actions", "boilerplate", "dates", "ends_sentence", "class_blocks", "container_images", "text_nodes",
    "in_list_item", "font_size", "x", "width", "column_share",
)  # fmt: skip

_SUBTREE = (
    ("blocks", "blocks", "Blocks in it"),
    ("words", "words", "Words in it"),
    ("words_of_page", "share", "Its share of the page's words"),
    ("mean_words", "words", "Words per block in it"),
    ("link_share", "share", "Link share of its words"),
    ("stop_words", "share", "Share of stop words in it"),
    ("sentences", "marks per word", "Sentence ends per word in it"),
    ("long_of_page", "share", "Its share of the page's long text"),
    ("long_share", "share", "Share of its words that are long text"),
    ("headings", "blocks", "Headings in it"),
    ("place", "share", "Place of the block in it"),
    ("begin", "share", "Where on the page it begins, in blocks"),
    ("end", "share", "Where on the page it ends, in blocks"),
    ("depth", "elements", "How much deeper the block's container is"),
    ("alike", "elements", "Elements of the page with its chain of tags and classes"),
    ("images", "elements", "Images in it per block"),
    ("inputs", "elements", "Input fields and buttons in it per block"),
    ("x", "share", "Left edge of its box, in page widths"),
    ("y", "share", "Top edge of its box, in page heights"),
    ("width", "share", "Width of its box, in page widths"),
    ("height", "share", "Height of its box, in page heights"),
)

STEPS = tuple(step for step in range(-REACH, REACH + 1) if step)
"""Distances in blocks to the neighbours, those before first."""


def step_doc(step: int) -> str:
    """Return the words for the block `step` blocks away."""
    return f"of the block {abs(step)} {'after' if step > 0 else 'before'}"


COLUMNS: tuple[FeatureColumn, ...] = (
    *(FeatureColumn(f"{name}{step:+d}", "as there", f"`{name}` {step_doc(step)}; NaN beyond the page.")
      for name in _NEIGHBOURS for step in STEPS),
    *(FeatureColumn(f"up{level}_{name}", unit, f"{doc}: the {level}. larger subtree.")
      for level in range(1, LEVELS + 1) for name, unit, doc in _SUBTREE),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Layout:
    """Which blocks belong together; the runs over which stacked scores are averaged.

    Attributes:
        begin, end: int32 (B, LEVELS), the run of blocks of each of a block's larger subtrees.
        alike: int32 (B,), a number for the chain of tags and classes.
        tokens: float32 (B,), words of every block.
    """

    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    alike: NDArray[np.int32]
    tokens: NDArray[np.float32]

    @property
    def blocks(self) -> NDArray[np.float32]:
        """float32 (B, LEVELS): how many blocks each of the subtrees has."""
        return (self.end - self.begin).astype(np.float32)


def subtrees(context: PageContext) -> NDArray[np.int32]:
    """int32 (B, LEVELS): the elements that are a block's larger subtrees; the root where the tree ends."""
    count = context.block_count
    larger = np.maximum(context.snapshot.parent, 0)[context.container]
    here, found = context.blocks.node, np.empty((len(context), LEVELS), dtype=np.int32)
    for level in range(LEVELS):
        wanted = count[here] * GROWTH
        here = larger[here]
        while (short := (count[here] < wanted) & (here > 0)).any():
            here = np.where(short, larger[here], here)
        found[:, level] = here
    return found


def layout(context: PageContext, elements: NDArray[np.int32]) -> Layout:
    """The runs of blocks of the subtrees `elements` (B, LEVELS), and the groups of blocks alike."""
    first, last = _block_runs(context)
    alike = context.blocks_by_class_path.number.astype(np.int32)
    return Layout(first[elements].astype(np.int32), last[elements].astype(np.int32), alike, context.tokens)


def _block_runs(context: PageContext) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First block of every element's subtree and one past the last, int64 (N,) each."""
    members = context.blocks.members
    before = np.zeros(len(context.snapshot.texts) + 1, dtype=np.int64)  # how many of them stand before each text
    before[members + 1] = 1
    owner = np.append(context.blocks.text_block[members], len(context))
    begin = owner[np.cumsum(before)][context.first_text].astype(np.int64)
    return begin, begin + context.block_count.astype(np.int64)


def compute(context: PageContext, values: Values, where: Layout, elements: NDArray[np.int32]) -> NDArray[np.float32]:
    """float32 (len(COLUMNS), B): the context columns of a page, from the columns `values` of the other groups."""
    beside = neighbour_values(stack_rows(_NEIGHBOURS, values))
    numbers = _extent(context, where, elements) | _element_numbers(context, where, elements)
    numbers |= _text_numbers(context, values, where)
    subtree = np.empty((LEVELS, len(_SUBTREE), len(context)), dtype=np.float32)
    for place, (name, _, _) in enumerate(_SUBTREE):
        subtree[:, place] = numbers[name].T
    return np.concatenate([beside.reshape(-1, len(context)), subtree.reshape(-1, len(context))])


def neighbour_values(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return `values` (K, B) of the blocks at each of `STEPS`, float32 (K, len(STEPS), B); NaN beyond the page."""
    kinds, count = values.shape
    padded = np.full((kinds, count + 2 * REACH), np.nan, dtype=np.float32)
    padded[:, REACH : REACH + count] = values
    found = np.empty((kinds, len(STEPS), count), dtype=np.float32)
    for place, step in enumerate(STEPS):
        found[:, place] = padded[:, REACH + step : REACH + step + count]
    return found


def _text_numbers(context: PageContext, values: Values, where: Layout) -> Values:
    """What the text of the subtrees is like, (B, LEVELS) each."""
    tokens, blocks = context.tokens, where.blocks
    large = np.where(long_text(context), tokens, 0)
    parts = (large, context.link_share * tokens, context.stop_words, values["sentences"])
    words, headings, *sums = _run_sums([tokens, values["heading_level"] > 0, *parts], where)
    long_share, link_share, stop_words, sentences = ratio(np.array(sums), words)
    return {
        "words": words,
        "words_of_page": ratio(words, float(tokens.sum())),
        "mean_words": ratio(words, blocks),
        "link_share": link_share,
        "stop_words": stop_words,
        "sentences": sentences,
        "long_of_page": ratio(sums[0], float(large.sum())),
        "long_share": long_share,
        "headings": headings,
    }


def _extent(context: PageContext, where: Layout, elements: NDArray[np.int32]) -> Values:
    """Which stretch of the page the subtrees are, (B, LEVELS) each."""
    snapshot, count = context.snapshot, len(context)
    box = snapshot.box[elements] / np.array([snapshot.width, snapshot.height] * 2, dtype=np.float32)
    return {
        "blocks": where.blocks,
        "place": ratio(np.arange(count)[:, None] - where.begin, where.blocks),
        "begin": where.begin / count,
        "end": where.end / count,
        **{name: box[..., side] for side, name in enumerate(("x", "y", "width", "height"))},
    }


def _element_numbers(context: PageContext, where: Layout, elements: NDArray[np.int32]) -> Values:
    """What the elements of the subtrees are, (B, LEVELS) each."""
    snapshot = context.snapshot
    images = tree.subtree_sum(snapshot.is_tag(_IMAGES), snapshot.end)
    inputs = tree.subtree_sum(snapshot.is_tag(_INPUTS), snapshot.end)
    return {
        "depth": snapshot.depth[context.blocks.node][:, None] - snapshot.depth[elements],
        "alike": context.elements_by_class_path.size[elements],
        "images": ratio(images[elements], where.blocks),
        "inputs": ratio(inputs[elements], where.blocks),
    }


def _run_sums(values: Sequence[Numbers], where: Layout) -> NDArray[np.float32]:
    """float32 (K, B, LEVELS): sums of K `values` (B,) over each run."""
    total = cumulative_sums(np.array(values))
    return sum_over_runs(total, where)


def sum_over_runs(total: NDArray[np.float64], where: Layout) -> NDArray[np.float32]:
    """Return the sums over each run, float32 (K, B, LEVELS), from running sums."""
    return (total.take(where.end, axis=1) - total.take(where.begin, axis=1)).astype(np.float32)


def cumulative_sums(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the sums of `values` (K, B) over the blocks before each, and over all: float64 (K, B + 1)."""
    total = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=total[:, 1:])
    return total
