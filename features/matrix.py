"""Compute the feature matrix of a page from its blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import hashed_tokens
from vclean.features.block import linguistic, neighbourhood, structural, visual
from vclean.features.columns import compute_parts, count_limits
from vclean.features.page_context import PageContext, discard_default_layout, mirror_right_to_left
from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import RaggedArray, Values

_NAMES = (
    "words", "words_of_page", "page_words", "page_blocks", "sentences", "capitalised_words", "duplicate_number",
    "duplicate_shape", "title_covered", "ends_sentence", "ends_colon", "starts_bullet",
    "tag", "inner_tag", "depth", "link_share", "bold_share", "siblings", "words_before", "heading_level",
    "since_heading", "last_heading_level", "after_h1", "page_link_share", "page_elements", "long_share",
    "hidden_share", "visibility",
    "in_article", "in_main", "in_list_item", "in_table", "in_cell", "in_code", "in_link",
    "split_heading", "split_li", "split_row",
    "holder50_inside", "holder50_distance", "holder50_place", "holder50_depth", "holder50_words",
    "holder75_inside", "holder75_side", "holder75_distance", "holder75_place",
    "path_blocks", "path_share",
    "class_blocks", "class_share", "class_mean_words", "class_link_share", "class_stop_words", "class_spread",
    "x", "y", "relative_width", "relative_height", "solidity1", "solidity2", "solidity3", "font_size",
    "relative_font", "font_weight", "column_share",
)  # fmt: skip
"""Columns of a block that a model reads; the others are for regions and for methods."""
_BY_NAME = {column.name: column for column in (*linguistic.COLUMNS, *structural.COLUMNS, *visual.COLUMNS)}

COLUMNS = (*(_BY_NAME[name] for name in _NAMES), *neighbourhood.COLUMNS)
"""Columns of a block in matrix order; `vclean.classify.content.stacking` adds the columns of the model."""

_LIMITS = count_limits(COLUMNS)[:, None]


@dataclass(frozen=True, eq=False)
class Features:
    """Features of a page: the input of all models.

    Attributes:
        context: the blocks and values derived from them.
        base: float32 (B, len(COLUMNS)).
        layout: the runs of blocks over which stacked scores are averaged.
        element_tokens: name tokens of all elements.
        word_tokens: word tokens of all blocks.
    """

    context: PageContext
    base: NDArray[np.float32]
    layout: neighbourhood.Layout
    element_tokens: hashed_tokens.ElementTokens
    word_tokens: RaggedArray


def extract(blocks: BlockColumns) -> Features:
    """Return the features of a page's blocks; a page without blocks has matrices without rows."""
    context = page_context(blocks)
    values = block_values(context, frozenset(_NAMES))
    elements = neighbourhood.subtrees(context)
    layout = neighbourhood.layout(context, elements)
    rows = [*map(values.__getitem__, _NAMES), neighbourhood.compute(context, values, layout, elements).ravel()]
    base = np.concatenate(rows, dtype=np.float32, casting="unsafe").reshape(len(COLUMNS), -1)
    return Features(
        context,
        np.ascontiguousarray(np.clip(base, -_LIMITS, _LIMITS, out=base).T),
        layout,
        hashed_tokens.ElementTokens(context.names),
        hashed_tokens.word_tokens(context),
    )


def page_context(blocks: BlockColumns) -> PageContext:
    """Return the blocks as features see them.

    Pages without author styles have no layout, and pages written from right to left are mirrored.
    """
    context = PageContext(blocks)
    return mirror_right_to_left(discard_default_layout(context)) if len(context) else context


def block_values(context: PageContext, names: frozenset[str] | None = None) -> Values:
    """Return the linguistic, structural and visual columns of a page's blocks by name, at least those of `names`.

    By default all columns. Without rendering, visual columns are NaN, and so are those of text that a reader can open:
    it is judged as if it were open.
    """
    values = compute_parts(linguistic.PARTS | structural.PARTS, context, names)
    blank: Values = dict.fromkeys((column.name for column in visual.COLUMNS), np.full(len(context), np.float32(np.nan)))
    values |= compute_parts(visual.PARTS, context, names) if context.snapshot.rendered else blank
    folded = context.blocks.visibility == Visibility.REVEALABLE
    if folded.any():
        values |= {name: np.where(folded, np.nan, values[name]) for name in values.keys() & blank.keys()}
    return values
