"""Text density, composite text density and point density of every element, and their sums.

Text density and composite text density are those of CETD (Sun, Song and Liao 2011, "DOM based content extraction via
text density"), with the treatment of text that stands loose beside elements that their program has; point density is
that of Yang and Yang 2015. Counts of zero divide as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import tree
from vclean.features.text import PUNCT, Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks
    from vclean.render.snapshot import Snapshot

LINK_TAGS = frozenset(("a", "button", "select"))
"""What counts as a link: the elements whose text is there to be clicked."""


@dataclass(frozen=True, eq=False)
class Density:
    """Densities of the N elements of a page of at least one block, K text nodes in blocks; all columns float64.

    A density of text is characters per tag, one of points marks per tag. The sum of an element adds up the densities of
    its children; a text node among them counts as an element with one tag.
    """

    blocks: Blocks

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
        return Texts.of(self._strings).has(PUNCT).astype(np.float64)

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
