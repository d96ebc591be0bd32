"""The document vector of Bakic 2012 (hybrid content extractors), of a page and of its segments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.features import tree
from vclean.features.columns import FeatureColumn, ratio
from vclean.features.text.characters import EncodedTexts

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
    """A page of N elements, T texts and B blocks in P parts.

    Attributes:
        blocks: of the page.
        of_element: int64 (N,), the part of every element, all numbers from 0 to P - 1.
    """

    blocks: BlockColumns
    of_element: NDArray[np.int64]

    @classmethod
    def whole(cls, blocks: BlockColumns) -> Parts:
        """The page as one part."""
        return cls(blocks, np.zeros(len(blocks.snapshot), dtype=np.int64))

    @classmethod
    def segments(cls, blocks: BlockColumns) -> Parts:
        """The page split at `div` and `table`, inside those only that hold over half of its text.

        Of these, everything that is in no smaller `div` or `table` is a segment.
        """
        snapshot = blocks.snapshot
        splits = snapshot.is_tag(_SPLITTING)
        splits[0] = True
        chars = tree.subtree_sum(cls.whole(blocks)._chars, snapshot.end)
        open_ = splits & (chars > _HALF * chars[0])
        open_[0] = True
        above = tree.nearest_ancestor(splits, snapshot.parent)[np.maximum(snapshot.parent, 0)]
        heads = tree.nearest_ancestor(open_ | (splits & open_[above]), snapshot.parent)
        return cls(blocks, np.unique(heads, return_inverse=True)[1])

    def __len__(self) -> int:
        """The number of parts."""
        return int(self.of_element.max()) + 1

    @property
    def of_block(self) -> NDArray[np.int64]:
        """int64 (B,): the part of every block."""
        return self.of_element[self.blocks.node]

    @cached_property
    def words(self) -> NDArray[np.float32]:
        """float32 (B,): words of every block."""
        return EncodedTexts.from_texts(self.blocks.text).words.per_text()

    @cached_property
    def _text_length(self) -> NDArray[np.float64]:
        """float64 (T,): characters of the texts, without white space round them."""
        texts = self.blocks.snapshot.texts
        return np.fromiter((len(text.strip()) for text in texts), np.float64, len(texts))

    @cached_property
    def _chars(self) -> NDArray[np.float64]:
        """float64 (N,): characters of the texts in blocks that are an element's children."""
        snapshot, members = self.blocks.snapshot, self.blocks.members
        inside = np.bincount(snapshot.text_parent[members], self._text_length[members], len(snapshot))
        return inside.astype(np.float64, copy=False)

    def share(self, of_block: NDArray[np.floating[Any]] | NDArray[np.bool_]) -> NDArray[np.float32]:
        """float32 (P,): the mean of `of_block` (B,) over the words of every part; 0 without words."""
        weighted = np.bincount(self.of_block, self.words * of_block, len(self))
        return ratio(weighted, np.bincount(self.of_block, self.words, len(self)))

    def vectors(self) -> NDArray[np.float32]:
        """float32 (P, len(COLUMNS)): the document vector of every part."""
        snapshot, count = self.blocks.snapshot, len(self)
        tags = _tag_length(snapshot)
        of_tags = np.bincount(self.of_element, tags, count)
        of_links = np.bincount(self.of_element, np.where(snapshot.is_tag(("a",)), tags, 0), count)
        text = np.bincount(self.of_element, self._chars, count)
        length = of_tags + text
        size = np.searchsorted(_SIZES, length, side="right")
        one_hot = size[:, None] == np.arange(len(_SIZES) + 1)
        lengths = np.stack([ratio(of_tags, length), ratio(of_links, length)], axis=1)
        return np.hstack([one_hot, lengths, self._runs(), self._tag_counts()]).astype(np.float32)

    def _runs(self) -> NDArray[np.float32]:
        """float32 (P, 3): mean and median length of the texts outside links, of the longest; the longest of all."""
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
        found = np.zeros((len(self), 3), dtype=np.float32)
        found[part[order][first]] = np.stack([total / count / longest, median / longest, longest / total], axis=1)
        return found

    def _tag_counts(self) -> NDArray[np.float32]:
        snapshot = self.blocks.snapshot
        code = np.array([_TAGS.index(tag) if tag in _TAGS else len(_TAGS) for tag in snapshot.tags])[snapshot.tag]
        cells = np.bincount(self.of_element * (len(_TAGS) + 1) + code, minlength=len(self) * (len(_TAGS) + 1))
        counts = cells.reshape(len(self), -1)[:, : len(_TAGS)]
        return ratio(counts, counts.max(axis=1, keepdims=True))


def _tag_length(snapshot: Snapshot) -> NDArray[np.float64]:
    """float64 (N,): characters of an element's two tags, `<x></x>`, with the attributes that a snapshot keeps."""
    names = np.array([2 * len(tag) + len("<></>") for tag in snapshot.tags], dtype=np.float64)
    values = np.array([len(value) for value in snapshot.attr_value], dtype=np.float64) + len(' name=""')
    return names[snapshot.tag] + np.bincount(snapshot.attr_node, values, len(snapshot))
