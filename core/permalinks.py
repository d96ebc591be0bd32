"""Links of a page to itself, which are of no use away from it: permalinks of headings, links to the page as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks

SIGNS = frozenset("¶#§∞⚓🔗\u200b\uf0c1")
"""Signs that documentation tools put beside a heading as a link to it; the last is Font Awesome's chain."""


@dataclass(frozen=True, eq=False)
class Permalinks:
    """The links of a page to itself.

    Attributes:
        blocks: the page's blocks.
        heading: bool (B,), which of them are headings.
    """

    blocks: Blocks
    heading: NDArray[np.bool_]

    @cached_property
    def texts(self) -> NDArray[np.int32]:
        """The text nodes at the edges of headings that are nothing but a link to the heading, int32 (K,)."""
        first = self.blocks.first
        texts = np.split(self.blocks.members, first[1:]) if len(first) else []
        found = [text for block in np.flatnonzero(self.heading) for text in self._edges(texts[block].tolist())]
        return np.array(found, dtype=np.int32)

    @cached_property
    def elements(self) -> NDArray[np.bool_]:
        """The links to the page as a whole anywhere, and to a place on it in headings, bool (N,)."""
        snapshot = self.blocks.snapshot
        headings = self.blocks.members[self.heading[self.blocks.text_block[self.blocks.members]]]
        in_headings = set(self._link[snapshot.text_parent[headings]].tolist())
        found = np.zeros(len(snapshot), dtype=bool)
        found[[at for at, place in self._places.items() if not place or at in in_headings]] = True
        return found

    def _edges(self, texts: list[int]) -> Iterator[int]:
        """The texts of a heading that are in a permalink at its end or its beginning."""
        links = self._link[self.blocks.snapshot.text_parent[texts]].tolist()
        for edge in dict.fromkeys((links[-1], links[0])):
            own = [text for text, link in zip(texts, links, strict=True) if link == edge]
            if edge and len(own) < len(texts) and self._is_permalink(edge, own, texts[links.index(edge) - 1]):
                yield from own
                return

    def _is_permalink(self, link: int, texts: list[int], neighbour: int) -> bool:
        written = "".join(self.blocks.snapshot.texts[text] for text in texts).strip()
        return written in SIGNS or (link in self._places and self._leads_home(link, neighbour))

    def _leads_home(self, link: int, neighbour: int) -> bool:
        """Whether a link leads to an element round it, or to one in its heading."""
        snapshot = self.blocks.snapshot
        target = self._ids.get(self._places[link], -1)
        home = int(self.blocks.node[self.blocks.text_block[neighbour]])
        return home <= target < snapshot.end[home] or (target >= 0 and target <= link < snapshot.end[target])

    @cached_property
    def _link(self) -> NDArray[np.int32]:
        """int32 (N,): the link round each element, 0 where there is none."""
        snapshot = self.blocks.snapshot
        return tree.nearest(snapshot.is_tag(("a",)), snapshot.parent)

    @cached_property
    def _places(self) -> dict[int, str]:
        """The links to the page itself, by the place on it they lead to, empty for the whole."""
        snapshot = self.blocks.snapshot
        itself = ("", snapshot.url.partition("#")[0])
        targets = ((at, value.strip().partition("#")) for at, value in snapshot.attributes("href").items())
        return {at: place for at, (address, _, place) in targets if address in itself}

    @cached_property
    def _ids(self) -> dict[str, int]:
        """Elements by their id, the first of each."""
        pairs = reversed(list(self.blocks.snapshot.attributes("id").items()))
        return {name: at for at, name in pairs}
