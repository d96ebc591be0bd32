"""CETD by text density and by composite text density, and extraction by point density.

Sun, Song and Liao 2011, "DOM based content extraction via text density"; Yang and Yang 2015 for points. As published:
densities and their sums (`vclean.classify.methods.density`); the threshold, which is the smallest density on the
path from the body to the element of the largest sum; and the extraction: an element under the threshold is dropped with
all it holds, of any other the descendant of the largest sum is content as a whole, and its children are looked at in
turn.

Chosen here: an element at the threshold is kept, for points too, or the one that set it would go with all it holds; a
block is content if half its characters are; what is hidden is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.methods.base import decide
from vclean.features import tree
from vclean.features.page_context import PageContext
from vclean.features.text.characters import PUNCT, EncodedTexts
from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot


LINK_TAGS = frozenset(("a", "button", "select"))
"""What counts as a link: the elements whose text is there to be clicked."""


@dataclass(frozen=True, eq=False)
class Density:
    """Densities of the N elements of a page of at least one block, K text nodes in blocks; all columns float64.

    A density of text is characters per tag, one of points marks per tag. The sum of an element adds up the densities of
    its children; a text node among them counts as an element with one tag.
    """

    blocks: BlockColumns

    @property
    def _snapshot(self) -> Snapshot:
        return self.blocks.snapshot

    @cached_property
    def _parent(self) -> NDArray[np.int32]:
        """int32 (K,): the parents of the text nodes."""
        return self._snapshot.text_parent[self.blocks.members]

    @cached_property
    def _strings(self) -> list[str]:
        texts = self._snapshot.texts
        return [" ".join(texts[text].split()) for text in self.blocks.members.tolist()]

    @cached_property
    def _run(self) -> NDArray[np.float64]:
        """(K,): characters of the text nodes, white space collapsed."""
        return np.fromiter(map(len, self._strings), np.float64, len(self._strings))

    @cached_property
    def _is_link(self) -> NDArray[np.bool_]:
        return self._snapshot.is_tag(LINK_TAGS)

    def _inside(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(N,): the sum of the text nodes' `values` (K,) in every element."""
        own = np.bincount(self._parent, values, minlength=len(self._snapshot))
        return tree.subtree_sum(own.astype(np.float64, copy=False), self._snapshot.end)

    @cached_property
    def chars(self) -> NDArray[np.float64]:
        """(N,): characters in every element."""
        return self._inside(self._run)

    @cached_property
    def tags(self) -> NDArray[np.float64]:
        """(N,): elements in every element, itself not counted."""
        return (self._snapshot.end - np.arange(len(self._snapshot)) - 1).astype(np.float64)

    @cached_property
    def link_chars(self) -> NDArray[np.float64]:
        """(N,): characters of links in every element."""
        linked = tree.path_sum(self._is_link, self._snapshot.end)[self._parent] > 0
        return self._inside(np.where(linked, self._run, 0))

    @cached_property
    def link_tags(self) -> NDArray[np.float64]:
        """(N,): links in every element, itself not counted."""
        return (tree.subtree_sum(self._is_link, self._snapshot.end) - self._is_link).astype(np.float64)

    @cached_property
    def text(self) -> NDArray[np.float64]:
        """(N,): text density, characters per tag."""
        return self.chars / np.maximum(self.tags, 1)

    @cached_property
    def text_sum(self) -> NDArray[np.float64]:
        """(N,): the sum of text density."""
        return self._sum(self.text, self._run)

    @cached_property
    def composite(self) -> NDArray[np.float64]:
        """(N,): composite text density, which links lower; 0 where there is no text."""
        chars, links = np.maximum(self.chars, 1), np.maximum(self.link_chars, 1)
        plain = np.maximum(self.chars - self.link_chars, 1)
        tags, link_tags = np.maximum(self.tags, 1), np.maximum(self.link_tags, 1)
        base = np.log(chars * links / plain + self._links_of_page * chars + np.e)
        density = chars / tags * np.log(chars * tags / (links * link_tags)) / np.log(base)
        return np.where(self.chars > 0, density, 0)

    @cached_property
    def composite_sum(self) -> NDArray[np.float64]:
        """(N,): the sum of composite text density."""
        run = np.maximum(self._run, 1)
        return self._sum(self.composite, run * np.log(run) / np.log(np.log(self._links_of_page * run + np.e)))

    @property
    def _links_of_page(self) -> float:
        """Share of link text on the page, in 0..1; never 0."""
        return float(max(self.link_chars[0], 1) / max(self.chars[0], 1))

    @cached_property
    def _marks(self) -> NDArray[np.float64]:
        """(K,): punctuation marks of the text nodes."""
        return EncodedTexts.from_texts(self._strings).count_class(PUNCT).astype(np.float64)

    @cached_property
    def point(self) -> NDArray[np.float64]:
        """(N,): point density, punctuation marks per tag."""
        return self._inside(self._marks) / np.maximum(self.tags, 1)

    @cached_property
    def point_sum(self) -> NDArray[np.float64]:
        """(N,): the sum of point density."""
        return self._sum(self.point, self._marks)

    def _sum(self, density: NDArray[np.float64], loose: NDArray[np.float64]) -> NDArray[np.float64]:
        """(N,): the sum of the children's `density` (N,), and of what the text nodes (K,) among them count."""
        count = len(self._snapshot)
        of_elements = np.bincount(self._snapshot.parent[1:], density[1:], minlength=count)
        return np.asarray(of_elements + np.bincount(self._parent, loose, minlength=count), dtype=np.float64)


_HALF = 0.5
_TOLERANCE = 1e-9


def text_density(blocks: BlockColumns) -> Prediction:
    """CETD by text density: characters per tag."""
    density = Density(blocks)
    return _decide(blocks, dense(blocks.snapshot, density.text, density.text_sum))


def composite(blocks: BlockColumns) -> Prediction:
    """CETD by composite text density: characters per tag, less where there are links."""
    density = Density(blocks)
    return _decide(blocks, dense(blocks.snapshot, density.composite, density.composite_sum))


def point_density(blocks: BlockColumns) -> Prediction:
    """The same by punctuation marks per tag."""
    density = Density(blocks)
    return _decide(blocks, dense(blocks.snapshot, density.point, density.point_sum))


def dense(snapshot: Snapshot, density: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether an element is content, bool (N,), given the densities and their sums, (N,) each."""
    below = density < threshold(snapshot, density, sums) - _TOLERANCE
    below[0] = False
    looked_at = tree.path_sum(below, snapshot.end) == 0
    looked_at[0] = len(snapshot) == 1
    largest = np.zeros(len(snapshot), dtype=bool)
    largest[tree.subtree_argmax(sums, snapshot.end)[looked_at]] = True
    return np.asarray(tree.path_sum(largest, snapshot.end) > 0)


def threshold(snapshot: Snapshot, density: NDArray[np.float64], sums: NDArray[np.float64]) -> float:
    """The smallest density from the body to the element of the largest sum."""
    inner = snapshot.ancestors(int(np.argmax(sums)))[:-1] or [0]
    return float(density[inner].min())


def _decide(blocks: BlockColumns, content: NDArray[np.bool_]) -> Prediction:
    kept = PageContext(blocks).char_share(content) >= _HALF
    return decide(blocks, kept & (blocks.visibility != Visibility.HIDDEN))
