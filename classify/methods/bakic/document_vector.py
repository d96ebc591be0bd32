"""Compute the document vector of Bakic 2012 (hybrid content extractors), of a page and of its segments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.features.columns import FeatureColumn, ratio
from vclean.features.text.characters import EncodedTexts
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot

_SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
_COUNTED = """
blockquote br caption cite code col colgroup div dl form frameset h1 h2 h3 h4 h5 h6 hr iframe object ol p samp span
table ul
"""
_TAGS = tuple(_COUNTED.split())
_SPLITTING = ("div", "table")
_HALF = 0.5

COLUMNS: tuple[FeatureColumn, ...] = (
    *(FeatureColumn(f"below_{size}", "flag", f"It is shorter than {size} characters, and no other flag before is set.")
      for size in _SIZES),
    FeatureColumn("large", "flag", f"It has {_SIZES[-1]} characters at least."),
    FeatureColumn("tag_length", "share", "Characters of tags among all of its source."),
    FeatureColumn("link_tag_length", "share", "Characters of the tags of links among all of its source."),
    FeatureColumn("text_mean", "share", "Mean length of its texts outside links, of the longest."),
    FeatureColumn("text_median", "share", "Median length of its texts outside links, of the longest."),
    FeatureColumn("text_longest", "share", "Length of its longest text outside links, of all."),
    *(FeatureColumn(f"{tag}_count", "share", f"Number of `{tag}`, of the tag of this list that there is most of.")
      for tag in _TAGS),
)  # fmt: skip


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
        splits = snapshot.is_tag(_SPLITTING)
        splits[0] = True
        chars = tree.subtree_sum(cls.whole(blocks)._chars, snapshot.end)
        is_open = splits & (chars > _HALF * chars[0])
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
        return EncodedTexts.from_texts(self.blocks.text).words.per_text()

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
        tags = _tag_length(snapshot)
        of_tags = np.bincount(self.of_element, tags, count)
        of_links = np.bincount(self.of_element, np.where(snapshot.is_tag(("a",)), tags, 0), count)
        text = np.bincount(self.of_element, self._chars, count)
        length = of_tags + text
        size = np.searchsorted(_SIZES, length, side="right")
        one_hot = size[:, None] == np.arange(len(_SIZES) + 1)
        lengths = np.stack([ratio(of_tags, length), ratio(of_links, length)], axis=1)
        return np.hstack([one_hot, lengths, self._text_lengths(), self._tag_counts()]).astype(np.float32)

    def _text_lengths(self) -> NDArray[np.float32]:
        """Return mean / maximum, median / maximum and maximum / sum of text lengths outside links, float32 (P, 3)."""
        snapshot = self.blocks.snapshot
        linked = tree.path_sum(snapshot.is_tag(("a",)), snapshot.end) > 0
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

    def _tag_counts(self) -> NDArray[np.float32]:
        snapshot = self.blocks.snapshot
        code = np.array([_TAGS.index(tag) if tag in _TAGS else len(_TAGS) for tag in snapshot.tags])[snapshot.tag]
        cells = np.bincount(self.of_element * (len(_TAGS) + 1) + code, minlength=len(self) * (len(_TAGS) + 1))
        counts = cells.reshape(len(self), -1)[:, : len(_TAGS)]
        return ratio(counts, counts.max(axis=1, keepdims=True))


def _tag_length(snapshot: Snapshot) -> NDArray[np.float64]:
    """Return the characters of each element's tags, `<x></x>`, with the attributes in the snapshot, float64 (N,)."""
    names = np.array([2 * len(tag) + len("<></>") for tag in snapshot.tags], dtype=np.float64)
    values = np.array([len(value) for value in snapshot.attr_value], dtype=np.float64) + len(' name=""')
    return names[snapshot.tag] + np.bincount(snapshot.attr_node, values, len(snapshot))
