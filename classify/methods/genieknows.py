"""GenieKnows, a system of CleanEval 2007 made for search indexing: keeping content outranks removing noise.

As published: the page is cut into semantic blocks; the importance of a block is a weighted sum of its position, font
size, length, number of links, share of link text, number of sentences, and of whether it has a form or an image
(`vclean.features.genieknows`); relations between blocks enter too, distance, offset and width; blocks of low importance
go. A heading by its tag is one, and so is a bold block set apart as a paragraph; a table cell is a list item.

Chosen here: the weights, set by hand; links count by their share of the text alone; a block takes over half of the
importance of the neighbours that it is in line with; font size counts for headings, which come with what follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods.verdict import HEADING_TAGS, decide, tag_labels
from vclean.features.genieknows import SemanticBlocks
from vclean.features.view import View
from vclean.labels import Label, Visibility
from vclean.render.ua import BOLD_TAGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import Blocks

_LENGTH: Final = 0.6
_SENTENCES: Final = 0.4
_MIDDLE: Final = 0.2
_LINKS: Final = 0.8
_FORM: Final = 0.1
_IMAGE: Final = 0.05
_LEAST: Final = 0.2
"""The importance from which a semantic block is content."""
_BOLD: Final = 0.9
_TITLE_WORDS: Final = 15


def label(blocks: Blocks) -> Prediction:
    """The semantic blocks of enough importance, and the headings right before them."""
    view = View(blocks)
    semantic = SemanticBlocks(view)
    kept = (with_neighbours(semantic, importance(semantic)) >= _LEAST)[semantic.number]
    heading = view.within(HEADING_TAGS)[view.anchor]
    kept[:-1] |= heading[:-1] & kept[1:]
    return decide(blocks, kept & (blocks.visibility != Visibility.HIDDEN), _types(view))


def importance(semantic: SemanticBlocks) -> NDArray[np.float64]:
    """float64 (S,): the importance of the semantic blocks by themselves."""
    return np.asarray(
        _LENGTH * semantic.length
        + _SENTENCES * semantic.sentences
        + _MIDDLE * (1 - np.abs(2 * semantic.position - 1))
        - _LINKS * semantic.link_share
        - _FORM * semantic.has_form
        + _IMAGE * semantic.has_image
    )


def with_neighbours(semantic: SemanticBlocks, value: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64 (S,): the importance with half of what the neighbours in line have more, less for links."""
    more = np.zeros((2, len(value)))
    more[0, 1:] = np.where(semantic.akin[1:], np.maximum(-np.diff(value), 0), 0)
    more[1, :-1] = np.where(semantic.akin[1:], np.maximum(np.diff(value), 0), 0)
    return np.asarray(value + more.max(axis=0) / 2 * (1 - semantic.link_share))


def _types(view: View) -> list[Label]:
    bold = (view.char_share(view.within(BOLD_TAGS)) >= _BOLD) & (view.tokens <= _TITLE_WORDS)
    cell = view.within(("td", "th"))[view.anchor] & (view.tokens <= _TITLE_WORDS)
    kinds = zip(tag_labels(view.blocks), bold.tolist(), cell.tolist(), strict=True)
    return [_type(kind, is_bold, in_cell) for kind, is_bold, in_cell in kinds]


def _type(kind: Label, is_bold: bool, in_cell: bool) -> Label:
    if kind is not Label.PARAGRAPH:
        return kind
    if is_bold:
        return Label.HEADING
    return Label.LIST_ITEM if in_cell else kind
