"""Kimatu, the system of Elhuyar at CleanEval 2007 (Saralegi and Leturia).

As published: a block is a run of neighbouring elements of the same kind; candidates are chosen by ratios of length,
mean length, punctuation and links (`vclean.classify.methods.kimatu`); functional blocks with repeating content
("posted by X") go; quotations go, which a later small block repeats; blocks of low ratio near the candidates and akin
to them come back; headings are looked for right before candidates; types are told by tag, punctuation and size.

Chosen here: the ratio of a block is the mean of its three ratios of size, less its share of link text; the least ratio
of a candidate; functional is a short block that begins like several others and lies outside long ones; akin is of the
same tags and classes, and near within a few blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz.distance import LCSseq

from vclean.classify.methods.base import HEADING_TAGS, decide, tag_labels
from vclean.features.columns import ratio
from vclean.features.groups import Groups
from vclean.features.names import element_names
from vclean.features.page_context import PageContext
from vclean.features.text.characters import PUNCT, SENTENCE_END
from vclean.labels import Label, Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns


@dataclass(frozen=True, eq=False)
class MarkupRuns:
    """The R runs of a page of B blocks, at least one.

    Attributes:
        context: the page's blocks.
        visible: bool (B,), the blocks that count; a run has all or none of its blocks among them.
    """

    context: PageContext
    visible: NDArray[np.bool_]

    @cached_property
    def signature(self) -> NDArray[np.uint64]:
        """uint64 (R,): a number for the tags and classes of a run."""
        return self._of_block[self.first]

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """int64 (R,): the first block of every run."""
        signature = self._of_block
        starts = np.ones(len(signature), dtype=bool)
        starts[1:] = (signature[1:] != signature[:-1]) | (self.visible[1:] != self.visible[:-1])
        return np.flatnonzero(starts)

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """int64 (B,): the run of every block."""
        return np.repeat(np.arange(len(self.first)), np.diff(self.first, append=len(self.context)))

    @cached_property
    def length(self) -> NDArray[np.float32]:
        """float32 (R,): characters, relative to the longest run."""
        return _relative(self._chars)

    @cached_property
    def mean_length(self) -> NDArray[np.float32]:
        """float32 (R,): characters per block, relative to the run where they are most."""
        return _relative(self._chars / np.bincount(self.number))

    @cached_property
    def punctuation(self) -> NDArray[np.float32]:
        """float32 (R,): punctuation marks, relative to the run with most of them."""
        return _relative(self.total(self.context.texts.count_class(PUNCT)))

    @cached_property
    def links(self) -> NDArray[np.float32]:
        """float32 (R,): share of link text."""
        return ratio(self.total(self.context.link_share * self._block_chars), self._chars)

    def total(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64 (R,): the sum of the blocks' `values` (B,) over every run; what is not visible counts nothing."""
        return np.add.reduceat(np.where(self.visible, values, 0).astype(np.float64), self.first)

    @cached_property
    def _of_block(self) -> NDArray[np.uint64]:
        return element_names.class_hashes(self.context.names)[self.context.blocks.node]

    @cached_property
    def _block_chars(self) -> NDArray[np.float32]:
        texts = self.context.texts
        return (np.diff(texts.start, append=len(texts.code)) - 1).astype(np.float32)

    @cached_property
    def _chars(self) -> NDArray[np.float64]:
        return self.total(self._block_chars)


def _relative(values: NDArray[np.float64]) -> NDArray[np.float32]:
    return ratio(values, float(values.max()))


_CANDIDATE: Final = 0.15
_LINKS: Final = 0.5
"""Share of link text from which a run is no candidate and does not come back."""
_NEAR: Final = 4
"""Runs within which one that is akin comes back."""
_SMALL: Final = 15
"""Words up to which a block is small."""
_REPEATS: Final = 3
_QUOTED: Final = 0.8
"""Share of a block's words that a later small one has to repeat in their order."""


def label(blocks: BlockColumns) -> Prediction:
    """Runs of high ratio, those akin to them nearby, and their headings."""
    context = PageContext(blocks)
    visible = blocks.visibility != Visibility.HIDDEN
    runs = MarkupRuns(context, visible)
    chosen = _come_back(runs, _candidates(runs))
    kept = chosen[runs.number] & visible & ~_functional(context) & ~_quoted(context)
    headings = _headings(context, kept)
    return decide(blocks, kept | headings, _types(context, headings))


def _candidates(runs: MarkupRuns) -> NDArray[np.bool_]:
    size = (runs.length + runs.mean_length + runs.punctuation) / 3
    return np.asarray((size * (1 - runs.links) >= _CANDIDATE) & (runs.links < _LINKS))


def _come_back(runs: MarkupRuns, candidate: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The candidates, and runs near them that are akin to one or lie between two; bool (R,)."""
    at = np.arange(len(candidate))
    before = np.maximum.accumulate(np.where(candidate, at, -len(at)))
    after = np.minimum.accumulate(np.where(candidate, at, 2 * len(at))[::-1])[::-1]
    near = np.minimum(at - before, after - at) <= _NEAR
    between = after - before <= _NEAR
    akin = np.isin(runs.signature, runs.signature[candidate])
    return np.asarray(candidate | (near & (akin | between) & (runs.links < _LINKS)))


def _functional(context: PageContext) -> NDArray[np.bool_]:
    """Small blocks of the same kind that begin with the same two words, `_REPEATS` of them; bool (B,)."""
    begins = [" ".join(text.lower().split()[:2]) for text in context.blocks.text]
    numbers: dict[str, int] = {}
    same = Groups.from_keys(np.array([numbers.setdefault(text, len(numbers)) for text in begins], dtype=np.int64))
    two_words = np.array([" " in text for text in begins], dtype=bool)
    return np.asarray((same.size >= _REPEATS) & (context.tokens <= _SMALL) & two_words)


def _quoted(context: PageContext) -> NDArray[np.bool_]:
    """Small blocks whose words another small one repeats further down, in their order; bool (B,)."""
    small = np.flatnonzero((context.tokens > 2) & (context.tokens <= _SMALL)).tolist()
    words = {at: context.blocks.text[at].split() for at in small}
    first: dict[str, list[int]] = {}
    quoted = np.zeros(len(context), dtype=bool)
    for at in reversed(small):
        later = first.setdefault(words[at][0], [])
        quoted[at] = any(
            LCSseq.similarity(words[at], words[other]) >= _QUOTED * len(words[at]) for other in later[:_NEAR]
        )
        later.append(at)
    return quoted


def _headings(context: PageContext, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks in heading tags right before what is kept, or before another heading there; bool (B,)."""
    tagged = context.within(HEADING_TAGS)[context.anchor] & (context.blocks.visibility != Visibility.HIDDEN)
    found = np.zeros(len(kept), dtype=bool)
    for at in np.flatnonzero(tagged)[::-1].tolist():
        following = slice(at + 1, at + 1 + _NEAR)
        found[at] = bool((kept[following] | found[following]).any())
    return found


def _types(context: PageContext, headings: NDArray[np.bool_]) -> list[Label]:
    """Types by markup; a heading that ends as a sentence does and is not small is a paragraph."""
    sentence = np.array([bool(kind & SENTENCE_END) for kind in _last_kinds(context)], dtype=bool)
    long_sentence = sentence & (context.tokens > _SMALL) & ~headings
    return [Label.PARAGRAPH if plain and kind is Label.HEADING else kind
            for kind, plain in zip(tag_labels(context.blocks), long_sentence.tolist(), strict=True)]  # fmt: skip


def _last_kinds(context: PageContext) -> NDArray[np.uint32]:
    texts = context.texts
    return np.asarray(texts.kind[np.append(texts.start[1:], len(texts.code)) - 2])
