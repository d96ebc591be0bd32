"""GenieKnows, a system of CleanEval 2007 made for search indexing: keeping content outranks removing noise.

As published: the page is cut into semantic blocks; the importance of a block is a weighted sum of its position, font
size, length, number of links, share of link text, number of sentences, and of whether it has a form or an image
(`vclean.classify.methods.genieknows`); relations between blocks enter too, distance, offset and width; blocks of
low importance go. A heading by its tag is one, and so is a bold block set apart as a paragraph; a table cell is a list
item.

Chosen here: the weights, set by hand; links count by their share of the text alone; a block takes over half of the
importance of the neighbours that it is in line with; font size counts for headings, which come with what follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods.base import HEADING_TAGS, decide, tag_labels
from vclean.features import tree
from vclean.features.block import linguistic
from vclean.features.columns import ratio
from vclean.features.page_context import PageContext
from vclean.labels import Label, Visibility
from vclean.render.static.styles import BOLD_TAGS

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns


LONGEST: Final = 120
SHORTEST: Final = 8
_FORMS: Final = ("form", "input", "select", "textarea")
_IMAGES: Final = ("img", "picture", "svg")


@dataclass(frozen=True, eq=False)
class SemanticBlocks:
    """The S semantic blocks of a page of B blocks, at least one, in document order."""

    context: PageContext

    def __len__(self) -> int:
        """The number of semantic blocks."""
        return len(self.first)

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """int64 (B,): the semantic block of every block."""
        starts = np.ones(len(self.context), dtype=bool)
        starts[1:] = np.diff(self._joined) != 0
        return np.cumsum(starts) - 1

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """int64 (S,): the first block of each."""
        return np.flatnonzero(np.diff(self.number, prepend=-1))

    @cached_property
    def words(self) -> NDArray[np.float64]:
        """float64 (S,): words."""
        return self.total(self.context.tokens)

    @cached_property
    def length(self) -> NDArray[np.float32]:
        """float32 (S,): words, relative to the longest."""
        return ratio(self.words, float(self.words.max()))

    @cached_property
    def link_share(self) -> NDArray[np.float32]:
        """float32 (S,): share of link text."""
        return ratio(self.total(self.context.link_share * self._chars), self.total(self._chars))

    @cached_property
    def sentences(self) -> NDArray[np.float32]:
        """float32 (S,): blocks that end as a sentence does, relative to the semantic block with most of them."""
        ends = np.nan_to_num(np.asarray(linguistic.compute(self.context)["ends_sentence"], dtype=np.float32))
        total = self.total(ends)
        return ratio(total, float(total.max()))

    @cached_property
    def has_form(self) -> NDArray[np.bool_]:
        """Whether there is a form or a control of one in it, bool (S,)."""
        return self._has(_FORMS)

    @cached_property
    def has_image(self) -> NDArray[np.bool_]:
        """Whether there is an image in it, bool (S,)."""
        return self._has(_IMAGES)

    @cached_property
    def position(self) -> NDArray[np.float64]:
        """float64 (S,): place of its middle on the page, in words, 0..1."""
        end = np.cumsum(self.words)
        return (end - self.words / 2) / max(float(end[-1]), 1.0)

    @cached_property
    def box(self) -> NDArray[np.float32]:
        """float32 (S, 4): left, top, right, bottom in CSS px; NaN where nothing is painted."""
        box = self.context.blocks.box
        corners = np.hstack([box[:, :2], box[:, :2] + box[:, 2:]])
        low = np.fmin.reduceat(corners[:, :2], self.first, axis=0)
        return np.hstack([low, np.fmax.reduceat(corners[:, 2:], self.first, axis=0)])

    @cached_property
    def akin(self) -> NDArray[np.bool_]:
        """Whether each is in line with the one before, bool (S,): as far left, as wide, or of the same parent."""
        left, width = self.box[:, 0], self.box[:, 2] - self.box[:, 0]
        parent = self.context.snapshot.parent[self._element[self.first]]
        akin = np.zeros(len(self), dtype=bool)
        akin[1:] = np.diff(parent) == 0
        akin[1:] |= (np.abs(np.diff(left)) < 1) & (np.abs(np.diff(width)) < 0.1 * np.maximum(width[1:], 1))
        return akin

    def total(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64 (S,): the sum of the blocks' `values` (B,) over each."""
        return np.add.reduceat(values.astype(np.float64), self.first)

    @cached_property
    def _chars(self) -> NDArray[np.float32]:
        return self.context.per_block(self.context.member_chars)

    @cached_property
    def _fits(self) -> NDArray[np.bool_]:
        """Whether an element has few enough words, bool (N,)."""
        return np.asarray(self.context.sum_over_subtrees(self.context.tokens) <= LONGEST)

    @cached_property
    def _element(self) -> NDArray[np.int64]:
        """int64 (B,): the largest element of few enough words round each block, or its container."""
        snapshot, node = self.context.snapshot, self.context.blocks.node
        top = self._fits.copy()
        top[1:] &= ~self._fits[snapshot.parent[1:]]
        return np.where(self._fits[node], tree.nearest_ancestor(top, snapshot.parent)[node], node).astype(np.int64)

    @cached_property
    def _joined(self) -> NDArray[np.int64]:
        """int64 (B,): a number for the semantic block; small ones go by their parent."""
        snapshot, element = self.context.snapshot, self._element
        words = np.bincount(element, self.context.tokens, minlength=len(snapshot))[element]
        return np.where(words < SHORTEST, -1 - snapshot.parent[element], element)

    def _has(self, tags: Collection[str]) -> NDArray[np.bool_]:
        inside = tree.subtree_sum(self.context.snapshot.is_tag(tags), self.context.snapshot.end) > 0
        return self.total((inside & self._fits)[self._element].astype(np.float32)) > 0


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


def label(blocks: BlockColumns) -> Prediction:
    """The semantic blocks of enough importance, and the headings right before them."""
    context = PageContext(blocks)
    semantic = SemanticBlocks(context)
    kept = (with_neighbours(semantic, importance(semantic)) >= _LEAST)[semantic.number]
    heading = context.within(HEADING_TAGS)[context.anchor]
    kept[:-1] |= heading[:-1] & kept[1:]
    return decide(blocks, kept & (blocks.visibility != Visibility.HIDDEN), _types(context))


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


def _types(context: PageContext) -> list[Label]:
    bold = (context.char_share(context.within(BOLD_TAGS)) >= _BOLD) & (context.tokens <= _TITLE_WORDS)
    cell = context.within(("td", "th"))[context.anchor] & (context.tokens <= _TITLE_WORDS)
    kinds = zip(tag_labels(context.blocks), bold.tolist(), cell.tolist(), strict=True)
    return [_type(kind, is_bold, in_cell) for kind, is_bold, in_cell in kinds]


def _type(kind: Label, is_bold: bool, in_cell: bool) -> Label:
    if kind is not Label.PARAGRAPH:
        return kind
    if is_bold:
        return Label.HEADING
    return Label.LIST_ITEM if in_cell else kind
