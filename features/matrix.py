"""`Blocks -> feature matrix`: the groups of columns put together, every column named, with unit and meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import context, linguistic, structural, tokens, visual
from vclean.features.columns import stack
from vclean.features.view import View

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks

FIXED_COLUMNS = (*linguistic.COLUMNS, *structural.COLUMNS, *visual.COLUMNS, *context.COLUMNS)
"""The columns that depend on the page alone."""

COLUMNS = (*FIXED_COLUMNS, *context.SCORE_COLUMNS)
"""All columns of the model's matrix: the fixed ones, then the verdicts of the two linear models."""


@dataclass(frozen=True, eq=False)
class Features:
    """A page's features before the linear models have spoken.

    Attributes:
        view: the blocks and what is derived from them.
        fixed: float32 (B, len(FIXED_COLUMNS)).
        layout: which blocks belong together.
        element_tokens: name tokens of every element.
        word_tokens: word tokens of every block.
    """

    view: View
    fixed: NDArray[np.float32]
    layout: context.Layout
    element_tokens: tokens.Ragged
    word_tokens: tokens.Ragged


def extract(blocks: Blocks) -> Features:
    """The features of a page's blocks; a page without blocks gives a matrix without rows."""
    view = View(blocks)
    if not len(view):
        return _empty(view)
    values = {**linguistic.compute(view), **structural.compute(view), **visual.compute(view)}
    elements = context.subtrees(view)
    layout = context.layout(view, elements)
    values |= context.compute(view, values, layout, elements)
    return Features(
        view,
        stack(FIXED_COLUMNS, values, len(view)),
        layout,
        tokens.element_tokens(view.snapshot),
        tokens.word_rows(view),
    )


def _empty(view: View) -> Features:
    runs = np.zeros((0, context.LEVELS), dtype=np.int32)
    nothing = tokens.Ragged(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    layout = context.Layout(runs, runs, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))
    return Features(view, np.zeros((0, len(FIXED_COLUMNS)), dtype=np.float32), layout, nothing, nothing)


def with_scores(features: Features, path: NDArray[np.float32], word: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (B, len(COLUMNS)): the whole matrix, given the verdicts (B,) of the path and the word model."""
    if not len(features.fixed):
        return np.zeros((0, len(COLUMNS)), dtype=np.float32)
    return np.hstack([features.fixed, context.score_columns(path, word, features.layout)])
