"""CETD by text density and by composite text density, and extraction by point density.

Sources: Sun, Song and Liao 2011, "DOM based content extraction via text density"; Yang and Yang 2015 for point density.

As published: densities and their sums; the threshold, which is the smallest density on the path from the body to the
element of the largest sum; and the extraction. An element under the threshold is dropped with its descendants. For any
other element, its descendant of the largest sum is content as a whole, and its children are processed in turn.

Choices of vclean: an element at the threshold is kept, for point density too; otherwise the element that determined the
threshold would be dropped with its descendants. A block is content if half of its characters are. Hidden blocks are
left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.methods.base import prediction_of_visible
from vclean.features.page_context import PageContext
from vclean.features.text.characters import PUNCT, EncodedTexts
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot


LINK_TAGS = frozenset(("a", "button", "select"))
"""Elements that count as links: their text can be clicked."""


@dataclass(frozen=True, eq=False)
class Density:
    """Densities of the N elements of a page with at least one block and K text nodes in blocks; all arrays are float64.

    Text density is characters per tag, point density is punctuation marks per tag. The density sum of an element is the
    sum of the densities of its children. A child text node counts as an element with one tag.
    """

    blocks: BlockColumns

    @property
    def _snapshot(self) -> Snapshot:
        return self.blocks.snapshot

    @cached_property
    def _parent(self) -> NDArray[np.int32]:
        """Return the parents of the text nodes, int32 (K,)."""
        return self._snapshot.text_parent[self.blocks.members]

    @cached_property
    def _strings(self) -> list[str]:
        texts = self._snapshot.texts
        return [" ".join(texts[text].split()) for text in self.blocks.members.tolist()]

    @cached_property
    def _text_chars(self) -> NDArray[np.float64]:
        """Return the characters of the text nodes with white space collapsed, (K,)."""
        return np.fromiter(map(len, self._strings), np.float64, len(self._strings))

    @cached_property
    def _is_link(self) -> NDArray[np.bool_]:
        return self._snapshot.is_tag(LINK_TAGS)

    def _inside(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the `values` (K,) of the text nodes in each element, (N,)."""
        direct = np.bincount(self._parent, values, minlength=len(self._snapshot))
        return tree.subtree_sum(direct.astype(np.float64, copy=False), self._snapshot.end)

    @cached_property
    def chars(self) -> NDArray[np.float64]:
        """Return the characters in each element, (N,)."""
        return self._inside(self._text_chars)

    @cached_property
    def tags(self) -> NDArray[np.float64]:
        """Return the number of descendant elements of each element, (N,)."""
        return (self._snapshot.end - np.arange(len(self._snapshot)) - 1).astype(np.float64)

    @cached_property
    def link_chars(self) -> NDArray[np.float64]:
        """Return the characters of links in each element, (N,)."""
        linked = tree.inside(self._is_link, self._snapshot.end)[self._parent]
        return self._inside(np.where(linked, self._text_chars, 0))

    @cached_property
    def link_tags(self) -> NDArray[np.float64]:
        """Return the number of descendant links of each element, (N,)."""
        return (tree.subtree_sum(self._is_link, self._snapshot.end) - self._is_link).astype(np.float64)

    @cached_property
    def text(self) -> NDArray[np.float64]:
        """Return text density, characters per tag, (N,)."""
        return self.chars / np.maximum(self.tags, 1)

    @cached_property
    def text_sum(self) -> NDArray[np.float64]:
        """Return the sums of text density, (N,)."""
        return self._sum(self.text, self._text_chars)

    @cached_property
    def composite(self) -> NDArray[np.float64]:
        """Return composite text density, which links reduce, (N,); 0 for elements without text."""
        chars, links = np.maximum(self.chars, 1), np.maximum(self.link_chars, 1)
        plain = np.maximum(self.chars - self.link_chars, 1)
        tags, link_tags = np.maximum(self.tags, 1), np.maximum(self.link_tags, 1)
        base = np.log(chars * links / plain + self._links_of_page * chars + np.e)
        density = chars / tags * np.log(chars * tags / (links * link_tags)) / np.log(base)
        return np.where(self.chars > 0, density, 0)

    @cached_property
    def composite_sum(self) -> NDArray[np.float64]:
        """Return the sums of composite text density, (N,)."""
        run = np.maximum(self._text_chars, 1)
        return self._sum(self.composite, run * np.log(run) / np.log(np.log(self._links_of_page * run + np.e)))

    @property
    def _links_of_page(self) -> float:
        """Return the share of link text on the page, in 0..1; never 0."""
        return float(max(self.link_chars[0], 1) / max(self.chars[0], 1))

    @cached_property
    def _marks(self) -> NDArray[np.float64]:
        """Return the punctuation marks of the text nodes, (K,)."""
        return EncodedTexts.from_texts(self._strings).count_class(PUNCT).astype(np.float64)

    @cached_property
    def point(self) -> NDArray[np.float64]:
        """Return point density, punctuation marks per tag, (N,)."""
        return self._inside(self._marks) / np.maximum(self.tags, 1)

    @cached_property
    def point_sum(self) -> NDArray[np.float64]:
        """Return the sums of point density, (N,)."""
        return self._sum(self.point, self._marks)

    def _sum(self, density: NDArray[np.float64], text_density: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the `density` (N,) of the child elements, and the `text_density` (K,) of the child texts, (N,)."""
        count = len(self._snapshot)
        of_elements = np.bincount(self._snapshot.parent[1:], density[1:], minlength=count)
        return np.asarray(of_elements + np.bincount(self._parent, text_density, minlength=count), dtype=np.float64)


_HALF = 0.5
_TOLERANCE = 1e-9


def text_density(blocks: BlockColumns) -> Prediction:
    """Select content by text density: characters per tag (CETD)."""
    density = Density(blocks)
    return _predict(blocks, content_elements(blocks.snapshot, density.text, density.text_sum))


def composite(blocks: BlockColumns) -> Prediction:
    """Select content by composite text density: characters per tag, reduced by links (CETD)."""
    density = Density(blocks)
    return _predict(blocks, content_elements(blocks.snapshot, density.composite, density.composite_sum))


def point_density(blocks: BlockColumns) -> Prediction:
    """Select content by point density: punctuation marks per tag."""
    density = Density(blocks)
    return _predict(blocks, content_elements(blocks.snapshot, density.point, density.point_sum))


def content_elements(snapshot: Snapshot, density: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which elements are content, bool (N,), given the densities and their sums, (N,) each."""
    below = density < threshold(snapshot, density, sums) - _TOLERANCE
    below[0] = False
    is_candidate = tree.path_sum(below, snapshot.end) == 0
    is_candidate[0] = len(snapshot) == 1
    is_largest = np.zeros(len(snapshot), dtype=bool)
    is_largest[tree.subtree_argmax(sums, snapshot.end)[is_candidate]] = True
    return tree.inside(is_largest, snapshot.end)


def threshold(snapshot: Snapshot, density: NDArray[np.float64], sums: NDArray[np.float64]) -> float:
    """Return the smallest density on the path from the body to the element of the largest sum."""
    inner = snapshot.ancestors(int(np.argmax(sums)))[:-1] or [0]
    return float(density[inner].min())


def _predict(blocks: BlockColumns, content: NDArray[np.bool_]) -> Prediction:
    is_content = PageContext(blocks).char_share(content) >= _HALF
    return prediction_of_visible(blocks, is_content)
