"""Compute the values that feature groups share, once per page."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import element_names
from vclean.features.columns import Groups, find_keys, ratio, sorted_unique
from vclean.features.element_names import ElementNames
from vclean.features.text import language
from vclean.features.text import terms as wordlists
from vclean.features.text.characters import ALPHA, DIGIT, EncodedTexts, Words, count_number_patterns
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import Numbers, Values
    from vclean.features.text.terms import TermMatches
    from vclean.render.snapshot import Snapshot

_STOP_WORD_SHARE: Final = 0.35
"""Of the words outside links: as many stop words of the declared language show that the text is in it.

English pages have .31 (5 % of them) to .6; texts in another language have up to .26, and Danish .4 of Norwegian.
"""
_LEAST_STOP_WORDS: Final = 20


@dataclass(frozen=True, eq=False)
class PageContext:
    """Blocks of a page and values derived from them: B blocks, K text nodes in blocks, N elements.

    Features see no formulas: `blocks` are those of `BlockColumns.without_formulas`.
    """

    blocks: BlockColumns
    _stop_words: dict[str, NDArray[np.float32]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Leave out formulas."""
        object.__setattr__(self, "blocks", self.blocks.without_formulas)

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.blocks)

    @property
    def snapshot(self) -> Snapshot:
        """Return the snapshot of the page."""
        return self.blocks.snapshot

    @cached_property
    def texts(self) -> EncodedTexts:
        """Return the texts of the blocks as code points."""
        return EncodedTexts(self.blocks.text)

    @cached_property
    def words(self) -> Words:
        """Return the words of the blocks."""
        return self.texts.words

    @cached_property
    def tokens(self) -> NDArray[np.float32]:
        """Return the number of words per block: float32 (B,)."""
        return self.words.per_text()

    @cached_property
    def title_words(self) -> tuple[Words, NDArray[np.uint64], NDArray[np.intp], NDArray[np.intp]]:
        """Return the words of the page's title, and which words of the blocks are among them.

        Returns:
            The words of the title; the D distinct ones by their hashes, uint64 (D,); the words of the blocks among
            them, int64 (M,), and for each of these the index among the distinct ones, int64 (M,).
        """
        words = EncodedTexts([self.snapshot.title]).words
        distinct = sorted_unique(words.hash)
        return words, distinct, *find_keys(self.words.hash, distinct)

    @cached_property
    def headline_scores(self) -> NDArray[np.float64]:
        """Return the scores of the blocks as headlines, see `vclean.features.headline`: float64 (B,)."""
        from vclean.features.headline import headline_scores

        return headline_scores(self)

    @cached_property
    def page_features(self) -> NDArray[np.float32]:
        """Return the features of the whole page for its type, see `vclean.features.facts.page_type`: float32 (F,)."""
        from vclean.features.facts.page_type import page_features

        return page_features(self)

    @cached_property
    def language(self) -> str:
        """Return the page's language: the declared one if its text has the stop words, else the detected one."""
        declared, is_text = self.snapshot.language.partition("-")[0], self.link_share <= language.MAX_LINK_SHARE
        stop_words = self._stop_words_of(declared)[is_text].sum()
        if stop_words >= max(_LEAST_STOP_WORDS, _STOP_WORD_SHARE * self.tokens[is_text].sum()):
            return declared
        return language.detect(language.sample(self.blocks.text, self.link_share), self.snapshot.language)

    @cached_property
    def terms(self) -> TermMatches:
        """Return the matches of the word lists of the page's language and of English in the blocks."""
        return wordlists.terms_of(self.language).find(self.words)

    @property
    def stop_words(self) -> NDArray[np.float32]:
        """Return the number of words per block in stop words of the page's language: float32 (B,).

        A stop word may have several words. NaN if there is no list of stop words for the language.
        """
        return self._stop_words_of(self.language)

    def _stop_words_of(self, code: str) -> NDArray[np.float32]:
        if code not in self._stop_words:
            terms = wordlists.stop_words_of(code)
            unknown = np.full(len(self), np.float32(np.nan))
            self._stop_words[code] = terms.find(self.words).covered_words(wordlists.STOP_WORDS) if terms else unknown
        return self._stop_words[code]

    @cached_property
    def member_chars(self) -> NDArray[np.float32]:
        """Return the number of characters of each text node in a block: float32 (K,)."""
        texts = map(self.snapshot.texts.__getitem__, self.blocks.members.tolist())
        return np.fromiter(map(len, texts), np.float32, len(self.blocks.members))

    @cached_property
    def member_parent(self) -> NDArray[np.int32]:
        """Return the parent element of each text node in a block: int32 (K,)."""
        return self.snapshot.text_parent[self.blocks.members]

    def char_mean(self, values: Numbers) -> NDArray[np.float32]:
        """Return the mean of element `values` (N,), weighted by characters, over each block: float32 (B,).

        For flags it is the share of each block's characters in text nodes with a parent element that has the flag.
        """
        weighted = values[self.member_parent] * self.member_chars
        return ratio(np.add.reduceat(weighted, self.blocks.first), self.chars)

    @cached_property
    def chars(self) -> NDArray[np.float32]:
        """Return the number of characters in the text nodes of each block: float32 (B,)."""
        return np.add.reduceat(self.member_chars, self.blocks.first)

    def within(self, tags: Collection[str]) -> NDArray[np.bool_]:
        """Return which elements have one of `tags`, or an ancestor with one: bool (N,)."""
        return tree.inside(self.snapshot.is_tag(tags), self.snapshot.end)

    @cached_property
    def in_link(self) -> NDArray[np.bool_]:
        """Return which elements are links or inside links: bool (N,)."""
        return self.within(("a",))

    @cached_property
    def link_share(self) -> NDArray[np.float32]:
        """Return the share of each block's characters that are link text: float32 (B,)."""
        return self.char_mean(self.in_link)

    @cached_property
    def words_before(self) -> NDArray[np.float32]:
        """Return the number of words of the page before each block: float32 (B,)."""
        return np.cumsum(self.tokens) - self.tokens

    @cached_property
    def class_path(self) -> NDArray[np.uint64]:
        """Return a hash of the chain of tags and classes from the root to each element: uint64 (N,)."""
        return element_names.path_signature(self.snapshot, element_names.class_hashes(self.names))

    @cached_property
    def blocks_by_class_path(self) -> Groups:
        """Return the B blocks, grouped by the chain of tags and classes of their `main_element`."""
        return Groups(self.class_path[self.blocks.main_element])

    @cached_property
    def names(self) -> ElementNames:
        """Return the names of the elements."""
        return ElementNames(self.snapshot)

    @cached_property
    def name_bits(self) -> NDArray[np.uint64]:
        """Return the groups of well-known words in each element's names, as bits: uint64 (N,)."""
        return element_names.element_bits(self.names)

    def sum_over_subtrees(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of block `values` (B,) over each element's subtree: float64 (N,).

        A block is in the subtrees of its container and of the container's ancestors.
        """
        return tree.subtree_sum(np.bincount(self.blocks.node, values, len(self.snapshot)), self.snapshot.end)

    @cached_property
    def block_count(self) -> NDArray[np.float64]:
        """Return the number of blocks in each element's subtree: float64 (N,)."""
        return self.sum_over_subtrees(np.ones(len(self), dtype=np.float32))

    @cached_property
    def is_container(self) -> NDArray[np.bool_]:
        """Return which elements contain blocks, and fewer than their parent contains: bool (N,)."""
        count, parent = self.block_count, self.snapshot.parent
        parent_has_more = count[np.maximum(parent, 0)] > count
        parent_has_more[:1] = True
        return (count > 0) & parent_has_more

    @cached_property
    def container(self) -> NDArray[np.int32]:
        """Return the innermost element with `is_container` among each element and its ancestors: int32 (N,).

        The root if there is none.
        """
        return tree.nearest_ancestor(self.is_container, self.snapshot.parent)

    @cached_property
    def number_patterns(self) -> Values:
        """Return the number of dates, prices and telephone numbers per block: float32 (B,) each."""
        return count_number_patterns(self.texts, "\n".join([*self.blocks.text, ""]))

    @cached_property
    def digit_words(self) -> NDArray[np.float32]:
        """Return the number of words per block that begin with a digit: float32 (B,)."""
        return self.texts.count_class(DIGIT, of="words")


_RIGHT_TO_LEFT: Final = ((0x0590, 0x08FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFF), (0x10800, 0x10FFF), (0x1E800, 0x1EFFF))
"""Code points of Hebrew, Arabic, Syriac, Thaana, N'Ko, Adlam and others: bidirectional classes R and AL (UAX #9)."""


def mirror_right_to_left(context: PageContext) -> PageContext:
    """Return the page with all boxes mirrored if it is written from right to left, else the page itself.

    Columns about left and right then have the same meaning for both directions.
    """
    if not (context.snapshot.rendered and is_right_to_left(context)):
        return context
    snapshot = context.snapshot
    mirrored = replace(
        snapshot, box=_mirrored(snapshot.box, snapshot.width), line_box=_mirrored(snapshot.line_box, snapshot.width)
    )
    return PageContext(replace(context.blocks, snapshot=mirrored, box=_mirrored(context.blocks.box, snapshot.width)))


def is_right_to_left(context: PageContext) -> bool:
    """Return whether most letters of the page belong to scripts written from right to left."""
    texts = context.texts
    letters = texts.code[(texts.kind & ALPHA) > 0]
    right_to_left = sum(int(np.count_nonzero((letters >= low) & (letters <= high))) for low, high in _RIGHT_TO_LEFT)
    return 2 * right_to_left > len(letters)


def _mirrored(box: NDArray[np.float32], width: float) -> NDArray[np.float32]:
    """Return `box` (N, 4), x, y, width, height, mirrored at the vertical center line of a page of `width` px."""
    mirrored = box.copy()
    mirrored[:, 0] = np.float32(width) - box[:, 0] - box[:, 2]
    return mirrored


STYLED_SHARE: Final = 0.25
"""Minimum share of the words of a page in elements with author styles.

On corpus pages the share is bimodal: 159 pages without style sheets and attributes have at most .04; of 149 original
pages, 101 have less than .1 and 31 more than .9.
"""

_DEFAULT_VALUES: Final = {
    "float": ("none", ""),
    "position": ("static", ""),
    "line-height": ("normal", ""),
    "text-transform": ("none", ""),
    "background-image": ("none", ""),
}
_DEFAULT_COLORS: Final = ((0, 0, 0), (0, 0, 238), (85, 26, 139), (255, 0, 0))
"""Text colors of the default style sheet: text, links, visited links, active links (HTML, 15.3.1 and 15.3.5)."""
_STYLED_BY_DEFAULT: Final = ("button", "dialog", "input", "mark", "meter", "option", "progress", "select", "summary",
                             "textarea")  # fmt: skip
"""Elements with colors, backgrounds or positions in the default style sheet."""


def discard_default_layout(context: PageContext) -> PageContext:
    """Return the page as if unrendered if it has no author styles, else the page itself."""
    if not context.snapshot.rendered or has_author_styles(context):
        return context
    snapshot = replace(context.snapshot, rendered=False, box=np.full_like(context.snapshot.box, np.nan))
    return PageContext(replace(context.blocks, snapshot=snapshot, box=np.full_like(context.blocks.box, np.nan)))


def has_author_styles(context: PageContext) -> bool:
    """Return whether the author styled at least `STYLED_SHARE` of the words of a rendered page."""
    snapshot, styles = context.snapshot, context.snapshot.styles
    color, background = styles.color("color")[:, :3], styles.color("background-color")
    is_default = (color[:, None] == np.array(_DEFAULT_COLORS, dtype=np.float32)).all(axis=2).any(axis=1)
    is_styled = styles.is_in("display", ("flex", "inline-flex", "grid", "inline-grid")) | (
        ~is_default & ~np.isnan(color[:, 0])
    )
    # A background counts if it is more than half opaque, and not white.
    is_styled |= (background[:, 3] > 0.5) & (background[:, :3] < 255).any(axis=1)
    for name, defaults in _DEFAULT_VALUES.items():
        is_styled |= ~styles.is_in(name, defaults)
    by_author = is_styled[snapshot.style] & ~snapshot.is_tag(_STYLED_BY_DEFAULT)
    styled = tree.inside(by_author, snapshot.end)[context.blocks.main_element]
    return float(context.tokens[styled].sum()) >= STYLED_SHARE * max(float(context.tokens.sum()), 1.0)
