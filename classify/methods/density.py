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

from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods.base import prediction_of_elements
from vclean.features.text.characters import PUNCT, EncodedTexts
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot

    Densities = tuple[NDArray[np.float64], NDArray[np.float64]]
    """Density of each element, and the sum of the densities of its children, float64 (N,) each.

    A child text node counts as an element with one tag.
    """

LINK_TAGS = frozenset(("a", "button", "select"))
"""Elements that count as links: their text can be clicked."""


class TextNodes:
    """K text nodes in the blocks, at least one, of a page with N elements.

    Attributes:
        snapshot: the page.
        parent: int32 (K,), parent elements.
        strings: K texts with white space collapsed.
        chars: float64 (K,), characters of the strings.
        chars_inside: float64 (N,), characters in each element.
        tags: float64 (N,), descendants of each element, at least 1.
    """

    def __init__(self, blocks: BlockColumns) -> None:
        self.snapshot = snapshot = blocks.snapshot
        self.parent = snapshot.text_parent[blocks.members]
        self.strings = [" ".join(snapshot.texts[text].split()) for text in blocks.members.tolist()]
        self.chars = np.fromiter(map(len, self.strings), np.float64, len(self.strings))
        self.chars_inside = self.inside(self.chars)
        self.tags = np.maximum(snapshot.end - np.arange(len(snapshot)) - 1, 1).astype(np.float64)

    def inside(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the `values` (K,) of the text nodes in each element, float64 (N,)."""
        direct = np.bincount(self.parent, values, minlength=len(self.snapshot))
        return tree.subtree_sum(direct.astype(np.float64, copy=False), self.snapshot.end)

    def with_sums(self, density: NDArray[np.float64], text_density: NDArray[np.float64]) -> Densities:
        """Return the `density` (N,) of elements with its sums; `text_density` (K,) is that of the text nodes."""
        count = len(self.snapshot)
        of_elements = np.bincount(self.snapshot.parent[1:], density[1:], minlength=count)
        of_texts = np.bincount(self.parent, text_density, minlength=count)
        return density, np.asarray(of_elements + of_texts, dtype=np.float64)


def text_densities(nodes: TextNodes) -> Densities:
    """Return text density: characters per tag."""
    return nodes.with_sums(nodes.chars_inside / nodes.tags, nodes.chars)


def composite_densities(nodes: TextNodes) -> Densities:
    """Return composite text density, which links reduce; 0 for elements without text."""
    snapshot, chars, tags = nodes.snapshot, np.maximum(nodes.chars_inside, 1), nodes.tags
    is_link = snapshot.is_tag(LINK_TAGS)
    link_chars = nodes.inside(np.where(tree.inside(is_link, snapshot.end)[nodes.parent], nodes.chars, 0))
    link_tags = np.maximum(tree.subtree_sum(is_link, snapshot.end) - is_link, 1)
    links, plain = np.maximum(link_chars, 1), np.maximum(nodes.chars_inside - link_chars, 1)
    links_of_page = links[0] / chars[0]
    base = np.log(chars * links / plain + links_of_page * chars + np.e)
    density = chars / tags * np.log(chars * tags / (links * link_tags)) / np.log(base)
    of_text = np.maximum(nodes.chars, 1)
    text_density = of_text * np.log(of_text) / np.log(np.log(links_of_page * of_text + np.e))
    return nodes.with_sums(np.where(nodes.chars_inside > 0, density, 0), text_density)


def point_densities(nodes: TextNodes) -> Densities:
    """Return point density: punctuation marks per tag."""
    marks = EncodedTexts(nodes.strings).count_class(PUNCT).astype(np.float64)
    return nodes.with_sums(nodes.inside(marks) / nodes.tags, marks)


_TOLERANCE = 1e-9


def _predict(blocks: BlockColumns, densities: Callable[[TextNodes], Densities]) -> Prediction:
    """Select content by one kind of densities."""
    return prediction_of_elements(blocks, content_elements(blocks.snapshot, *densities(TextNodes(blocks))))


text_density: Final = partial(_predict, densities=text_densities)
composite: Final = partial(_predict, densities=composite_densities)
point_density: Final = partial(_predict, densities=point_densities)


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
