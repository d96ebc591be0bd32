"""What several feature groups need of a page, computed once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree
from vclean.features.columns import ratio
from vclean.features.groups import Groups
from vclean.features.names import element_names
from vclean.features.names import lexicon as name_lexicon
from vclean.features.names.element_names import ElementNames
from vclean.features.text import language
from vclean.features.text import lexicon as wordlists
from vclean.features.text.characters import ALPHA, DIGIT, EncodedTexts, Words

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.text.terms import Found
    from vclean.render.snapshot import Snapshot


@dataclass(frozen=True, eq=False)
class PageContext:
    """A page's blocks with what is derived from them: B blocks, K text nodes in blocks, N elements."""

    blocks: BlockColumns

    def __len__(self) -> int:
        """The number of blocks."""
        return len(self.blocks)

    @property
    def snapshot(self) -> Snapshot:
        """The page."""
        return self.blocks.snapshot

    @cached_property
    def texts(self) -> EncodedTexts:
        """The blocks' texts as code points."""
        return EncodedTexts.from_texts(self.blocks.text)

    @cached_property
    def words(self) -> Words:
        """The words of the blocks."""
        return self.texts.words

    @cached_property
    def tokens(self) -> NDArray[np.float32]:
        """float32 (B,): words per block."""
        return self.words.per_text()

    @cached_property
    def language(self) -> str:
        """The page's language, from the text outside links as far as there is enough of it."""
        return language.detect(language.sample(self.blocks.text, self.link_share), self.snapshot.language)

    @cached_property
    def terms(self) -> Found:
        """The terms of all word lists of the page's language, and of the English ones, in the blocks."""
        return wordlists.terms_of(self.language).find(self.words)

    @cached_property
    def stop_words(self) -> NDArray[np.float32]:
        """float32 (B,): words that are, or are part of, stop words of the page's language; NaN without a list."""
        if not wordlists.has_stop_words(self.language):
            return np.full(len(self), np.float32(np.nan))
        return self.terms.covered(wordlists.STOP_WORDS)

    @cached_property
    def member_chars(self) -> NDArray[np.float32]:
        """float32 (K,): characters of every text node in a block."""
        texts = self.snapshot.texts
        return np.fromiter((len(texts[t]) for t in self.blocks.members.tolist()), np.float32, len(self.blocks.members))

    @cached_property
    def member_parent(self) -> NDArray[np.int32]:
        """int32 (K,): the parent element of every text node in a block."""
        return self.snapshot.text_parent[self.blocks.members]

    @cached_property
    def anchor(self) -> NDArray[np.int32]:
        """int32 (B,): the parent element of each block's longest text node; where its tag path begins."""
        owner = self.blocks.text_block[self.blocks.members]
        order = np.lexsort((-np.arange(len(owner)), self.member_chars, owner))
        last = np.flatnonzero(np.diff(owner[order], append=len(self)))
        return self.member_parent[order[last]]

    def char_share(self, mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        """float32 (B,): share of a block's characters that lie in text nodes whose parent element has `mask` set."""
        inside = np.where(mask[self.member_parent], self.member_chars, 0)
        return ratio(self.per_block(inside), self.chars)

    def char_mean(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32 (B,): mean of an element's `values` (N,) over a block's characters."""
        weighted = values[self.member_parent] * self.member_chars
        return ratio(self.per_block(weighted), self.chars)

    @cached_property
    def chars(self) -> NDArray[np.float32]:
        """float32 (B,): characters of every block's text nodes."""
        return self.per_block(self.member_chars)

    def per_block(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32 (B,): sum of the text nodes' `values` (K,) over each block."""
        return np.add.reduceat(values, self.blocks.first).astype(np.float32, copy=False)

    def within(self, tags: Collection[str]) -> NDArray[np.bool_]:
        """Whether an element or an ancestor of it has one of `tags`, bool (N,)."""
        mask = self.snapshot.is_tag(tags)
        if not mask.any():
            return mask
        return tree.path_sum(mask, self.snapshot.end) > 0

    @cached_property
    def in_link(self) -> NDArray[np.bool_]:
        """Whether an element is a link or in one, bool (N,)."""
        return self.within(("a",))

    @cached_property
    def link_share(self) -> NDArray[np.float32]:
        """float32 (B,): share of a block's characters that are link text."""
        return self.char_share(self.in_link)

    @cached_property
    def words_before(self) -> NDArray[np.float32]:
        """float32 (B,): words of the page before each block."""
        return np.cumsum(self.tokens) - self.tokens

    @cached_property
    def class_path(self) -> NDArray[np.uint64]:
        """uint64 (N,): a number for the chain of tags and classes from the root to every element."""
        return element_names.path_signature(self.snapshot, element_names.class_hashes(self.names))

    @cached_property
    def elements_by_class_path(self) -> Groups:
        """The elements with the same chain of tags and classes, as groups of N rows."""
        return Groups.from_keys(self.class_path)

    @cached_property
    def blocks_by_class_path(self) -> Groups:
        """The blocks whose longest text stands in elements alike, as groups of B rows."""
        return Groups.from_keys(self.class_path[self.anchor])

    @cached_property
    def siblings(self) -> Groups:
        """The children of every element, as groups of N rows; the root is alone."""
        return Groups.from_keys(self.snapshot.parent)

    @cached_property
    def names(self) -> ElementNames:
        """What the elements are called."""
        return ElementNames.from_snapshot(self.snapshot)

    @cached_property
    def name_bits(self) -> NDArray[np.uint64]:
        """uint64 (N,): which groups of well-known words every element's names are of (see `name_lexicon.name_bits`)."""
        return name_lexicon.name_bits(self.names)

    def sum_over_subtrees(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64 (N,): sum over every element's subtree of the blocks' `values` (B,), each at its container."""
        at_node = np.bincount(self.blocks.node, values, minlength=len(self.snapshot))
        return tree.subtree_sum(at_node.astype(np.float64, copy=False), self.snapshot.end)

    @cached_property
    def block_count(self) -> NDArray[np.float64]:
        """float64 (N,): blocks in every element's subtree."""
        return self.sum_over_subtrees(np.ones(len(self), dtype=np.float32))

    @cached_property
    def is_container(self) -> NDArray[np.bool_]:
        """Whether an element holds blocks, and its parent holds more, bool (N,)."""
        count, parent = self.block_count, self.snapshot.parent
        outgrown = count[np.maximum(parent, 0)] > count
        outgrown[:1] = True
        return (count > 0) & outgrown

    @cached_property
    def container(self) -> NDArray[np.int32]:
        """int32 (N,): the innermost such element round each element, or the element itself; the root if none."""
        return tree.nearest_ancestor(self.is_container, self.snapshot.parent)

    @cached_property
    def first_text(self) -> NDArray[np.int64]:
        """int64 (N,): the first text node after an element starts; the number of text nodes when none follows."""
        begun = np.bincount(self.snapshot.text_after, minlength=len(self.snapshot))
        return np.cumsum(begun) - begun

    @cached_property
    def digit_words(self) -> NDArray[np.float32]:
        """float32 (B,): words that begin with a digit."""
        starts = self.texts.kind[self.words.start]
        return self.words.per_text(((starts & DIGIT) > 0).astype(np.float32))


_RIGHT_TO_LEFT: Final = ((0x0590, 0x08FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFF), (0x10800, 0x10FFF), (0x1E800, 0x1EFFF))
"""Code points of Hebrew, Arabic, Syriac, Thaana, N'Ko, Adlam and others: those of class R or AL (Unicode, UAX 9)."""


def mirror_right_to_left(context: PageContext) -> PageContext:
    """The page with all boxes mirrored, if it is written from right to left: as if from left to right.

    What a column says of left and right then holds for either direction.
    """
    if not (context.snapshot.rendered and is_right_to_left(context)):
        return context
    snapshot = context.snapshot
    seen = replace(
        snapshot, box=_mirrored(snapshot.box, snapshot.width), line_box=_mirrored(snapshot.line_box, snapshot.width)
    )
    return PageContext(replace(context.blocks, snapshot=seen, box=_mirrored(context.blocks.box, snapshot.width)))


def is_right_to_left(context: PageContext) -> bool:
    """Whether most letters of the page are of scripts that are written from right to left."""
    texts = context.texts
    letters = texts.code[(texts.kind & ALPHA) > 0]
    turned = sum(int(np.count_nonzero((letters >= low) & (letters <= high))) for low, high in _RIGHT_TO_LEFT)
    return 2 * turned > len(letters)


def _mirrored(box: NDArray[np.float32], width: float) -> NDArray[np.float32]:
    """`box` (N, 4), x, y, width, height, on a page of some width seen in a mirror."""
    turned = box.copy()
    turned[:, 0] = np.float32(width) - box[:, 0] - box[:, 2]
    return turned
