"""`Blocks -> feature matrix`: all feature groups of a page; every column has a name, a unit and a meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.block import linguistic, neighbourhood, structural, visual
from vclean.features.columns import stack_rows
from vclean.features.groups import RaggedArray
from vclean.features.names import hashed_tokens
from vclean.features.page_context import PageContext, mirror_right_to_left
from vclean.features.regions import candidates, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import Values

_OWN_COLUMNS = (*linguistic.COLUMNS, *structural.COLUMNS, *visual.COLUMNS)
_OWN_NAMES = tuple(column.name for column in _OWN_COLUMNS)

COLUMNS = (*_OWN_COLUMNS, *neighbourhood.COLUMNS)
"""The columns of a block, in the order of the matrix; those that a model adds are in `classify.content.stacking`."""


@dataclass(frozen=True, eq=False)
class Features:
    """A page's features: the input of all models.

    Attributes:
        context: the blocks and what is derived from them.
        base: float32 (B, len(COLUMNS)).
        region: float32 (C, len(regions.columns.COLUMNS)), one row for each candidate region.
        region_layout: how the candidates nest, and which holds each block.
        layout: the runs of blocks over which stacked scores are averaged.
        element_tokens: name tokens of every element.
        word_tokens: word tokens of every block.
    """

    context: PageContext
    base: NDArray[np.float32]
    region: NDArray[np.float32]
    region_layout: candidates.RegionLayout
    layout: neighbourhood.Layout
    element_tokens: hashed_tokens.ElementTokens
    word_tokens: RaggedArray


def extract(blocks: BlockColumns) -> Features:
    """Return the features of a page's blocks; a page without blocks gives a matrix without rows."""
    context = PageContext(blocks)
    if not len(context):
        return _empty(context)
    context = mirror_right_to_left(context)
    values = block_values(context)
    found = candidates.candidate_regions(context)
    region = columns.region_matrix(found, values)
    elements = neighbourhood.subtrees(context)
    layout = neighbourhood.layout(context, elements)
    base = np.vstack([stack_rows(_OWN_NAMES, values), neighbourhood.compute(context, values, layout, elements)])
    return Features(
        context,
        np.ascontiguousarray(base.T),
        region,
        candidates.RegionLayout.from_regions(found),
        layout,
        hashed_tokens.element_tokens(context.names),
        hashed_tokens.word_tokens(context),
    )


def block_values(context: PageContext) -> Values:
    """Return the linguistic, structural and visual columns of a page's blocks by name."""
    return {**linguistic.compute(context), **structural.compute(context), **visual.compute(context)}


def _empty(context: PageContext) -> Features:
    runs = np.zeros((0, neighbourhood.LEVELS), dtype=np.int32)
    nothing = RaggedArray(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    layout = neighbourhood.Layout(runs, runs, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))
    base = np.zeros((0, len(COLUMNS)), dtype=np.float32)
    region = np.zeros((0, len(columns.COLUMNS)), dtype=np.float32)
    where = candidates.RegionLayout.from_regions(candidates.candidate_regions(context))
    return Features(context, base, region, where, layout, hashed_tokens.element_tokens(context.names), nothing)
