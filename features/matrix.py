"""`Blocks -> feature matrix`: the groups of columns put together, every column named, with unit and meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import context, linguistic, region_blocks, region_columns, regions, structural, tokens, visual
from vclean.features.columns import rows
from vclean.features.direction import from_left
from vclean.features.view import View

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks

_OWN_COLUMNS = (*linguistic.COLUMNS, *structural.COLUMNS, *visual.COLUMNS)
_OWN_NAMES = tuple(column.name for column in _OWN_COLUMNS)

FIXED_COLUMNS = (*_OWN_COLUMNS, *context.COLUMNS)
"""The columns that depend on the page alone."""

COLUMNS = (*FIXED_COLUMNS, *context.SCORE_COLUMNS, *region_blocks.COLUMNS)
"""All columns of the model's matrix: the fixed ones, the verdicts of the two linear models, then the region model's."""

REGIONS = slice(len(COLUMNS) - len(region_blocks.COLUMNS), len(COLUMNS))
"""Where the columns of the region model stand."""


@dataclass(frozen=True, eq=False)
class Features:
    """A page's features before the region model and the linear models have spoken.

    Attributes:
        view: the blocks and what is derived from them.
        fixed: float32 (B, len(FIXED_COLUMNS)).
        region: float32 (C, len(region_columns.COLUMNS)), of every candidate for a region.
        region_layout: which candidates stand round which, and round the blocks.
        layout: which blocks belong together.
        element_tokens: name tokens of every element.
        word_tokens: word tokens of every block.
    """

    view: View
    fixed: NDArray[np.float32]
    region: NDArray[np.float32]
    region_layout: region_blocks.RegionLayout
    layout: context.Layout
    element_tokens: tokens.ElementTokens
    word_tokens: tokens.Ragged


def extract(blocks: Blocks) -> Features:
    """The features of a page's blocks; a page without blocks gives a matrix without rows."""
    view = View(blocks)
    if not len(view):
        return _empty(view)
    view = from_left(view)
    values = {**linguistic.compute(view), **structural.compute(view), **visual.compute(view)}
    found = regions.candidates(view)
    region = region_columns.region_matrix(found, values)
    elements = context.subtrees(view)
    layout = context.layout(view, elements)
    fixed = np.vstack([rows(_OWN_NAMES, values), context.compute(view, values, layout, elements)])
    return Features(
        view,
        np.ascontiguousarray(fixed.T),
        region,
        region_blocks.RegionLayout.of(found),
        layout,
        tokens.element_tokens(view.naming),
        tokens.word_rows(view),
    )


def _empty(view: View) -> Features:
    runs = np.zeros((0, context.LEVELS), dtype=np.int32)
    nothing = tokens.Ragged(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    layout = context.Layout(runs, runs, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))
    fixed = np.zeros((0, len(FIXED_COLUMNS)), dtype=np.float32)
    region = np.zeros((0, len(region_columns.COLUMNS)), dtype=np.float32)
    where = region_blocks.RegionLayout.of(regions.candidates(view))
    return Features(view, fixed, region, where, layout, tokens.element_tokens(view.naming), nothing)


def with_scores(
    features: Features,
    path: NDArray[np.float32],
    word: NDArray[np.float32],
    posterior: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """float32 (B, len(COLUMNS)): the whole matrix, given what the other models say.

    Args:
        features: of the page.
        path: float32 (B,), verdicts of the path model.
        word: float32 (B,), verdicts of the word model.
        posterior: float32 (C, CLASSES), of the region model, or None without one.
    """
    if not len(features.fixed):
        return np.zeros((0, len(COLUMNS)), dtype=np.float32)
    scores = context.score_columns(path, word, features.layout)
    return np.hstack([features.fixed, scores, with_regions(features, posterior)])


def with_regions(features: Features, posterior: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """float32 (B, len(region_blocks.COLUMNS)): the columns of the region model; NaN without one."""
    if posterior is None:
        return np.full((len(features.fixed), len(region_blocks.COLUMNS)), np.nan, dtype=np.float32)
    return region_blocks.block_columns(posterior, features.region_layout)
