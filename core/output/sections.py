"""Keep sections whole: add the headings of kept text, and the code, tables, quotes and images between kept texts.

The model labels blocks one by one, and code or short cells are unlike prose. An element stands for the largest element
around it without kept text: a frame with its caption, its toolbar and the like.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content.postprocess import data_tables
from vclean.features import tree
from vclean.labels import Label, Visibility
from vclean.output.code import code_elements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns

_TITLES: Final = ("h2", "h3", "h4", "h5", "h6")
"""Tags of headings of sections; that of the page is chosen apart."""
_LEVELS: Final = 6
"""Levels above an element where the element is looked for that has it and its caption."""
_CAPTION: Final = 300
"""Characters of a caption, and of text that is left out between an element and kept text, at most."""
_MAX_HEADING: Final = 200
_MAX_LINKED: Final = 0.3
"""Share of the characters of a quote or a table that may be in links: more of them are lists of pages."""
_LEAST_PROBABILITY: Final = {Label.PARAGRAPH: 0.1, Label.HEADING: 0.3}
"""Probability of content from which text is added. On 800 pages, half of the added headings are in the gold text."""
_MAX_REPEATED: Final = 2
"""Times that a heading may occur on a page: more of them are labels of posts or products."""
_APART: Final = ("aside", "nav", "footer", "form", "header", "dialog", "menu", "button")
"""Elements that are no part of the section around them."""


def complete_sections(
    blocks: BlockColumns, labels: Sequence[Label], probability: NDArray[np.float32]
) -> list[Label]:
    """Return the labels with those of the headings, code, tables and quotes that belong to kept text.

    Text that is not shown, and text in overlays, stays as it is, and so does text of a very low probability of content.

    Args:
        blocks: the B blocks of the page.
        labels: the label of each block.
        probability: float32 (B,), the probability of content of each block; NaN if the method gives none.
    """
    snapshot, completed = blocks.snapshot, list(labels)
    content = np.array([label.is_content for label in labels], dtype=bool)
    may_add = ~content & (blocks.visibility == Visibility.SHOWN) & ~blocks.in_overlay
    if not content.any() or not may_add.any():
        return completed
    sections = Sections(blocks, content)
    is_apart = tree.path_sum(snapshot.is_tag(_APART), snapshot.end) > 0
    is_part = (code_elements(snapshot) | _quotes_and_tables(blocks)) & ~is_apart
    is_heading = snapshot.is_tag(_TITLES) & ~is_apart
    for mask, label in ((is_part, Label.PARAGRAPH), (is_heading, Label.HEADING), (is_heading, Label.HEADING)):
        outer = tree.nearest_ancestor(mask & (tree.path_sum(mask, snapshot.end) == 1), snapshot.parent)[blocks.node]
        likely = may_add & mask[outer] & (probability >= _LEAST_PROBABILITY[label])
        elements = np.unique(outer[likely])
        elements = elements[~sections.has_kept[elements]]
        is_added = sections.are_titles(elements) if label is Label.HEADING else sections.are_enclosed(elements)
        added = np.isin(outer, elements[is_added]) & may_add
        if label is Label.HEADING:
            count = Counter(blocks.text)
            added &= np.array([count[text] <= _MAX_REPEATED for text in blocks.text], dtype=bool)
        for row in np.flatnonzero(added).tolist():
            completed[row] = label
        content, may_add = content | added, may_add & ~added
        sections = Sections(blocks, content)
    return completed


def _quotes_and_tables(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return which elements are quotes or data tables and no lists of links, bool (N,)."""
    snapshot, texts = blocks.snapshot, blocks.text_nodes
    length = snapshot.text_length[texts].astype(np.int64)
    in_link = tree.path_sum(snapshot.is_tag(("a", "button")), snapshot.end)[snapshot.text_parent[texts]] > 0
    parents = snapshot.text_parent[texts]
    total, linked = (
        tree.subtree_sum(np.bincount(parents, weights, len(snapshot)), snapshot.end)
        for weights in (length, length * in_link)
    )
    return np.asarray((snapshot.is_tag(("blockquote",)) | data_tables(blocks)) & (linked <= _MAX_LINKED * total))


class Sections:
    """Kept and other texts around the elements of a page.

    Args:
        blocks: the blocks of the page.
        content: bool (B,), which blocks are kept.

    Attributes:
        has_kept: bool (N,), whether each element contains kept text.
        words: float64 (N,), the characters in each element.
    """

    def __init__(self, blocks: BlockColumns, content: NDArray[np.bool_]) -> None:
        snapshot, self._texts = blocks.snapshot, blocks.text_nodes
        self._snapshot = snapshot
        kept = content[blocks.text_block[self._texts]]
        self._length = snapshot.text_length[self._texts].astype(np.float64)
        parents = snapshot.text_parent[self._texts]
        self._count = tree.subtree_sum(np.bincount(parents, minlength=len(snapshot)), snapshot.end)
        self.words = tree.subtree_sum(np.bincount(parents, self._length, len(snapshot)), snapshot.end)
        self.has_kept = tree.subtree_sum(np.bincount(parents[kept], minlength=len(snapshot)), snapshot.end) > 0
        self._positions = np.flatnonzero(kept)
        self._dropped = np.append(0, np.cumsum(np.where(kept, 0, self._length)))

    def around(self, elements: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the largest elements around K elements without kept text, and with no more text than a caption."""
        around, least = elements.copy(), self.words[elements]
        for _ in range(_LEVELS):
            parent = self._snapshot.parent[around]
            fits = ~self.has_kept[parent] & (self.words[parent] <= least + _CAPTION) & (parent > 0)
            around = np.where(fits, parent, around)
        return around

    def are_enclosed(self, elements: NDArray[np.intp], *, at_edges: bool = False) -> NDArray[np.bool_]:
        """Return which of K elements have kept text close before and after them, bool (K,).

        What is left out in between are captions, and other ones of the elements. With `at_edges`, kept text on one side
        is enough in the `article` or `main` element of the kept text.
        """
        around, before, after = self._neighbours(elements)
        start, end = self._range(around)
        own = np.zeros(len(self._texts) + 1)
        np.add.at(own, start, 1)
        np.add.at(own, end, -1)
        others = np.diff(self._dropped) * (np.cumsum(own)[:-1] == 0)
        dropped = np.append(0, np.cumsum(others))
        is_near = (before >= 0) & (dropped[start] - dropped[before + 1] <= _CAPTION)
        precedes = (after < len(self._texts)) & (dropped[after] - dropped[end] <= _CAPTION)
        if not at_edges:
            return np.asarray(is_near & precedes)
        snapshot = self._snapshot
        frame = tree.nearest_ancestor(snapshot.is_tag(("article", "main")), snapshot.parent)[elements]
        is_apart = tree.path_sum(snapshot.is_tag(("aside", "nav", "footer")), snapshot.end)[elements] > 0
        is_edge = (frame > 0) & self.has_kept[frame] & ~is_apart & ((before < 0) | (after >= len(self._texts)))
        return np.asarray((is_near & precedes) | ((is_near | precedes) & is_edge))

    def are_titles(self, elements: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which of K headings have kept text before them, and close after them in the same section, bool (K,)."""
        if not len(elements):
            return np.zeros(0, dtype=bool)
        around, before, after = self._neighbours(elements)
        parent = self._snapshot.parent[around]
        start, end = self._range(around)
        follows = (before >= 0) & (after < len(self._texts))
        first = self._snapshot.text_parent[self._texts[np.minimum(after, len(self._texts) - 1)]]
        inside = tree.is_ancestor(parent.astype(np.int32), first, self._snapshot.end)
        gap = self._dropped[np.minimum(after, len(self._texts))] - self._dropped[end]
        next_heading = np.append(elements[1:], len(self._snapshot))
        no_heading = first < next_heading
        is_short = self.words[elements] <= _MAX_HEADING
        is_link = tree.path_sum(self._snapshot.is_tag(("a", "button")), self._snapshot.end)[elements] > 0
        return np.asarray(follows & inside & (gap <= _CAPTION) & no_heading & is_short & ~is_link)

    def _range(self, elements: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the position of the first text of each element, and the position after its last."""
        start = np.searchsorted(self._snapshot.text_after[self._texts], elements)
        return start, start + self._count[elements]

    def _neighbours(self, elements: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Return the frames of elements, and the positions of the kept texts before and after; -1 and T for none."""
        around = self.around(elements)
        start, end = self._range(around)
        padded = np.concatenate([[-1], self._positions, [len(self._texts)]])
        before = padded[np.searchsorted(self._positions, start)]
        after = padded[np.searchsorted(self._positions, end) + 1]
        return around, before, after
