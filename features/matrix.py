"""Compute the feature matrix of a page from its blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.author_styles import discard_default_layout
from vclean.features.block import linguistic, neighbourhood, structural, visual
from vclean.features.columns import count_limits, limit_counts, stack_rows
from vclean.features.groups import RaggedArray
from vclean.features.names import hashed_tokens
from vclean.features.page_context import PageContext, mirror_right_to_left
from vclean.features.regions import candidates, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import Values

_BLOCK_COLUMNS = (*linguistic.COLUMNS, *structural.COLUMNS, *visual.COLUMNS)
_BLOCK_COLUMN_NAMES = tuple(column.name for column in _BLOCK_COLUMNS)

COLUMNS = (*_BLOCK_COLUMNS, *neighbourhood.COLUMNS)
"""Columns of a block in matrix order; `vclean.classify.content.stacking` adds the columns of the model."""

_LIMITS = count_limits(COLUMNS)


@dataclass(frozen=True, eq=False)
class Features:
    """Features of a page: the input of all models.

    Attributes:
        context: the blocks and values derived from them.
        base: float32 (B, len(COLUMNS)).
        region: float32 (C, len(regions.columns.COLUMNS)), one row per candidate region.
        region_layout: the nesting of the candidate regions, and the innermost one around each block.
        layout: the runs of blocks over which stacked scores are averaged.
        element_tokens: name tokens of all elements.
        word_tokens: word tokens of all blocks.
    """

    context: PageContext
    base: NDArray[np.float32]
    region: NDArray[np.float32]
    region_layout: candidates.RegionLayout
    layout: neighbourhood.Layout
    element_tokens: hashed_tokens.ElementTokens
    word_tokens: RaggedArray


def extract(blocks: BlockColumns) -> Features:
    """Return the features of a page's blocks; a page without blocks has matrices without rows."""
    context = page_context(blocks)
    if not len(context):
        return _empty(context)
    values = block_values(context)
    regions = candidates.candidate_regions(context)
    region_matrix = limit_counts(columns.region_matrix(regions, values), columns.LIMITS)
    elements = neighbourhood.subtrees(context)
    layout = neighbourhood.layout(context, elements)
    base = np.vstack(
        [stack_rows(_BLOCK_COLUMN_NAMES, values), neighbourhood.compute(context, values, layout, elements)]
    )
    return Features(
        context,
        limit_counts(np.ascontiguousarray(base.T), _LIMITS),
        region_matrix,
        candidates.RegionLayout.from_regions(regions),
        layout,
        hashed_tokens.element_tokens(context.names),
        hashed_tokens.word_tokens(context),
    )


def page_context(blocks: BlockColumns) -> PageContext:
    """Return the blocks as features see them.

    Pages without author styles have no layout, and pages written from right to left are mirrored.
    """
    context = PageContext(blocks)
    return mirror_right_to_left(discard_default_layout(context)) if len(context) else context


def block_values(context: PageContext) -> Values:
    """Return the linguistic, structural and visual columns of a page's blocks by name."""
    return {**linguistic.compute(context), **structural.compute(context), **visual.compute(context)}


def _empty(context: PageContext) -> Features:
    """Return the features of a page without blocks."""
    runs = np.zeros((0, neighbourhood.LEVELS), dtype=np.int32)
    no_words = RaggedArray(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    layout = neighbourhood.Layout(runs, runs, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))
    base = np.zeros((0, len(COLUMNS)), dtype=np.float32)
    region = np.zeros((0, len(columns.COLUMNS)), dtype=np.float32)
    region_layout = candidates.RegionLayout.from_regions(candidates.candidate_regions(context))
    return Features(context, base, region, region_layout, layout, hashed_tokens.element_tokens(context.names), no_words)
