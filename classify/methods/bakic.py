"""Hybrid content extractors of Bakic 2012.

As published, the segment extractor: the page is split at `div` and `table`, recursively while an element has over half
of the text. A support vector machine predicts from the document vector of a segment whether the segment is interesting.
In training, a segment is interesting if over 0.9 of it is in the gold. Variant A: a support vector machine selects one
of BTE, Readability and boilerpipe's default and article extractors by the document vector of the page. Variant B is the
segment extractor with four more features, the shares of a segment's words that these extractors kept.

Choices where the paper is silent: a `div` inside other elements splits as well; the kernel
(`vclean.classify.svm`). Segments weigh by the root of their words. If no segment is interesting, the most
probable one is content. Labels are those of the markup. Hidden blocks are left out. In the training of variant A, the
best extractor has the highest LCS F1, the first among equals. There is one machine per extractor, and the highest
probability wins. Pages weigh by the difference between their best and their worst extractor.

Choice of vclean in variant B: the shares are computed from the blocks that an extractor kept. The paper uses the
longest common subsequence of its text and the segment's. All four extractors run on each page, which takes their time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import svm
from vclean.classify.evaluation.scores import lcs_overlap
from vclean.classify.methods import bte, libraries
from vclean.classify.methods.base import HALF, concatenated, pack_arrays, prediction_of_visible, unpack_arrays
from vclean.errors import DeadlineError, VcleanError
from vclean.features.columns import ratio
from vclean.features.text.characters import EncodedTexts
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Example, Method, TrainingPage
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

_SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
_TAGS = (
    "blockquote", "br", "caption", "cite", "code", "col", "colgroup", "div", "dl", "form", "frameset", "h1", "h2",
    "h3", "h4", "h5", "h6", "hr", "iframe", "object", "ol", "p", "samp", "span", "table", "ul",
)  # fmt: skip

COLUMNS: Final = (
    *(f"below_{size}" for size in _SIZES), "large", "tag_length", "link_tag_length", "text_mean", "text_median",
    "text_longest", *(f"{tag}_count" for tag in _TAGS),
)  # fmt: skip
"""Columns of the document vector: one flag for the length of the source, the share of tags and of links' tags in it,
lengths of texts outside links (mean and median of the longest, longest of all), and the number of each tag of the
most frequent one."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Partition of a page of N elements, T texts and B blocks into P parts.

    Attributes:
        blocks: blocks of the page.
        of_element: int64 (N,), part of each element, all numbers from 0 to P - 1.
    """

    blocks: BlockColumns
    of_element: NDArray[np.int64]

    @classmethod
    def whole(cls, blocks: BlockColumns) -> Parts:
        """Return the page as one part."""
        return cls(blocks, np.zeros(len(blocks.snapshot), dtype=np.int64))

    @classmethod
    def segments(cls, blocks: BlockColumns) -> Parts:
        """Split the page at `div` and `table`. Only elements with over half of the text are split further.

        Everything in such an element that is in no smaller `div` or `table` is one segment.
        """
        snapshot = blocks.snapshot
        splits = snapshot.is_tag(("div", "table"))
        splits[0] = True
        chars = tree.subtree_sum(cls.whole(blocks)._chars, snapshot.end)
        is_open = splits & (chars > HALF * chars[0])
        is_open[0] = True
        above = tree.nearest_ancestor(splits, snapshot.parent)[np.maximum(snapshot.parent, 0)]
        roots = tree.nearest_ancestor(is_open | (splits & is_open[above]), snapshot.parent)
        return cls(blocks, np.unique(roots, return_inverse=True)[1])

    def __len__(self) -> int:
        """Return the number of parts."""
        return int(self.of_element.max()) + 1

    @property
    def of_block(self) -> NDArray[np.int64]:
        """Return the part of each block, int64 (B,)."""
        return self.of_element[self.blocks.node]

    @cached_property
    def words(self) -> NDArray[np.float32]:
        """Return the number of words of each block, float32 (B,)."""
        return EncodedTexts(self.blocks.text).words.per_text()

    @cached_property
    def _text_length(self) -> NDArray[np.float64]:
        """Return the characters of each text, without surrounding white space, float64 (T,)."""
        texts = self.blocks.snapshot.texts
        return np.fromiter((len(text.strip()) for text in texts), np.float64, len(texts))

    @cached_property
    def _chars(self) -> NDArray[np.float64]:
        """Return the characters of the texts in blocks that are children of each element, float64 (N,)."""
        snapshot, members = self.blocks.snapshot, self.blocks.members
        inside = np.bincount(snapshot.text_parent[members], self._text_length[members], len(snapshot))
        return inside.astype(np.float64, copy=False)

    def share(self, of_block: NDArray[np.floating[Any]] | NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the mean of `of_block` (B,) over the words of each part, float32 (P,); 0 without words."""
        weighted = np.bincount(self.of_block, self.words * of_block, len(self))
        return ratio(weighted, np.bincount(self.of_block, self.words, len(self)))

    def vectors(self) -> NDArray[np.float32]:
        """Return the document vector of each part, float32 (P, len(COLUMNS))."""
        snapshot, count = self.blocks.snapshot, len(self)
        # The characters of each element's tags, `<x></x>`, with the attributes in the snapshot.
        names = np.array([len(f"<{tag}></{tag}>") for tag in snapshot.tags], dtype=np.float64)
        values = np.array([len(f' name="{value}"') for value in snapshot.attr_value], dtype=np.float64)
        tags = names[snapshot.tag] + np.bincount(snapshot.attr_node, values, len(snapshot))
        of_tags = np.bincount(self.of_element, tags, count)
        of_links = np.bincount(self.of_element, np.where(snapshot.is_tag(("a",)), tags, 0), count)
        text = np.bincount(self.of_element, self._chars, count)
        length = of_tags + text
        size = np.searchsorted(_SIZES, length, side="right")
        one_hot = size[:, None] == np.arange(len(_SIZES) + 1)
        lengths = np.stack([ratio(of_tags, length), ratio(of_links, length)], axis=1)
        codes = np.array([_TAGS.index(tag) if tag in _TAGS else len(_TAGS) for tag in snapshot.tags])
        cells = self.of_element * (len(_TAGS) + 1) + codes[snapshot.tag]
        counts = np.bincount(cells, minlength=count * (len(_TAGS) + 1)).reshape(count, -1)[:, : len(_TAGS)]
        tag_counts = ratio(counts, counts.max(axis=1, keepdims=True))
        return np.hstack([one_hot, lengths, self._text_lengths(), tag_counts]).astype(np.float32)

    def _text_lengths(self) -> NDArray[np.float32]:
        """Return mean / maximum, median / maximum and maximum / sum of text lengths outside links, float32 (P, 3)."""
        snapshot = self.blocks.snapshot
        linked = tree.inside(snapshot.is_tag(("a",)), snapshot.end)
        texts = self.blocks.members[~linked[snapshot.text_parent[self.blocks.members]]]
        part, length = self.of_element[snapshot.text_parent[texts]], self._text_length[texts]
        order = np.lexsort((length, part))
        length, first = length[order], np.flatnonzero(np.diff(part[order], prepend=-1))
        count = np.diff(first, append=len(order))
        longest = length[first + count - 1]
        median = (length[first + (count - 1) // 2] + length[first + count // 2]) / 2
        total = np.add.reduceat(length, first) if len(first) else longest
        result = np.zeros((len(self), 3), dtype=np.float32)
        result[part[order][first]] = np.stack([total / count / longest, median / longest, longest / total], axis=1)
        return result


@dataclass(frozen=True, slots=True)
class SegmentClassifier:
    """Trainable method that classifies segments; `describe` returns the features (P, C) of P segments."""

    describe: Callable[[Parts], NDArray[np.float32]]

    def make_example(self, training_page: TrainingPage) -> Example:
        """Make the example of a page: float32 (P, C), bool (P,), float32 (P,) of its P segments with words.

        They are the features, whether a segment is interesting, and its weight.
        """
        parts = Parts.segments(training_page.blocks)
        words = np.bincount(parts.of_block, parts.words, len(parts))
        interesting = parts.share(training_page.truth.content_share) > 0.9
        has_words = words > 0
        weight = np.sqrt(words[has_words]).astype(np.float32)
        return self.describe(parts)[has_words], interesting[has_words], weight

    def train(self, examples: Sequence[Example]) -> bytes:
        """Train the support vector machine."""
        return pack_arrays(svm.fit(*concatenated(examples)).to_arrays())

    def load(self, data: bytes) -> Method:
        """Return the method that keeps the visible blocks in interesting segments."""
        machine = svm.SupportVectorMachine.from_arrays(unpack_arrays(data))

        def label(blocks: BlockColumns) -> Prediction:
            parts = Parts.segments(blocks)
            probability = machine.probability(self.describe(parts))[parts.of_block]
            is_content = probability >= min(HALF, float(probability.max()))
            return prediction_of_visible(blocks, is_content, probability=probability)

        return label


EXTRACTORS: Final[tuple[Method, ...]] = (
    bte.label,
    libraries.readability,
    libraries.boilerpipe_default,
    libraries.boilerpipe_article,
)
"""Base extractors, in the order of `extractor_masks`."""
_MIN_WEIGHT: Final = 0.01
"""Minimum weight of a page, so that there is always something to train on."""


class ExtractorChoice:
    """Trainable method that selects an extractor for each page."""

    def make_example(self, training_page: TrainingPage) -> Example:
        """Make the example of a page: float32 (1, C) document vector, float64 (1, 4) F1 of the extractors, all run."""
        blocks, gold = training_page.blocks, training_page.gold_page.text
        texts = ["\n".join(compress(blocks.text, mask.tolist())) for mask in extractor_masks(blocks)]
        return Parts.whole(blocks).vectors(), np.array([[lcs_overlap(text, gold).f1 for text in texts]])

    def train(self, examples: Sequence[Example]) -> bytes:
        """Train a support vector machine for each extractor."""
        vectors, f1 = concatenated(examples)
        best = f1.argmax(axis=1)
        weight = np.maximum(f1.max(axis=1) - f1.min(axis=1), _MIN_WEIGHT).astype(np.float32)
        machines = [svm.fit(vectors, best == number, weight) for number in range(len(EXTRACTORS))]
        arrays = [machine.to_arrays(f"{number} ") for number, machine in enumerate(machines)]
        return pack_arrays({name: values for machine in arrays for name, values in machine.items()})

    def load(self, data: bytes) -> Method:
        """Return the method that runs the extractor with the highest probability."""
        arrays = unpack_arrays(data)
        machines = [svm.SupportVectorMachine.from_arrays(arrays, f"{number} ") for number in range(len(EXTRACTORS))]

        def label(blocks: BlockColumns) -> Prediction:
            vector = Parts.whole(blocks).vectors()
            best = int(np.argmax([machine.probability(vector)[0] for machine in machines]))
            return EXTRACTORS[best](blocks)

        return label


@lru_cache(maxsize=1)  # both hybrid methods train on a page, one after the other
def extractor_masks(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return which blocks each extractor keeps, bool (4, B); a library that fails on the page keeps none."""
    masks = np.zeros((len(EXTRACTORS), len(blocks)), dtype=bool)
    for mask, extractor in zip(masks, EXTRACTORS, strict=True):
        try:
            mask[:] = [label.is_content for label in extractor(blocks).labels]
        except DeadlineError:
            raise
        except VcleanError:
            continue
    return masks


def vectors_and_masks(parts: Parts) -> NDArray[np.float32]:
    """Return document vectors, and the share of words that each extractor kept, float32 (P, C + 4)."""
    return np.column_stack([parts.vectors(), *map(parts.share, extractor_masks(parts.blocks))])


SEGMENT_EXTRACTOR: Final = SegmentClassifier(Parts.vectors)
VARIANT_A: Final = ExtractorChoice()
VARIANT_B: Final = SegmentClassifier(vectors_and_masks)
