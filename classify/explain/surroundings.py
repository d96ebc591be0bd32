"""Describe a block in words: its container, column and font, and the names and words that weigh most in its scores."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from heapq import nlargest
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.explain import phrases
from vclean.classify.explain.phrases import counted, fill
from vclean.features import page_context
from vclean.features.block import neighbourhood
from vclean.features.names import hashed_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from vclean.classify.content.linear import LinearModel
    from vclean.features.page_context import PageContext

_PLACE: Final = {column.name: place for place, column in enumerate(stacking.COLUMNS)}
_NARROW: Final = 0.6
"""Times the width of the main column."""
_ASIDE: Final = 0.05
"""Page widths between the left edges of two columns that stand beside each other."""
_BOLD: Final = 600
MOST_TOKENS: Final = 3
_LEAST_SHARE: Final = 0.3
"""A name is left out if it weighs less than this share of the one that weighs most."""


class BlockSurroundings:
    """What is round the blocks of a page.

    Args:
        context: the page.
        x: float32 (B, len(stacking.COLUMNS)), its matrix.
    """

    def __init__(self, context: PageContext, x: NDArray[np.float32]) -> None:
        self._context = context
        self._x = x
        self._containers = neighbourhood.subtrees(context)
        self._blocks = context.block_count
        self._classes = context.snapshot.attributes("class")
        self._ids = context.snapshot.attributes("id")
        self._turned = context.snapshot.rendered and page_context.is_right_to_left(context)

    def value(self, block: int, name: str) -> float:
        """The value of the column `name`."""
        return float(self._x[block, _PLACE[name]])

    def container(self, block: int, level: int) -> str:
        """What the block's `level`-th larger subtree is called: `div.menu (12 blocks)`."""
        element = int(self._containers[block, level - 1])
        if self._blocks[element] == len(self._context):
            return "the whole page"
        return f"{self.selector(element)} ({counted(self._blocks[element], 'block')})"

    def selector(self, element: int) -> str:
        """Tag and id of an element, or its first class: `div#nav`, `ul.links`."""
        snapshot = self._context.snapshot
        tag, classes = snapshot.tags[snapshot.tag[element]], self._classes.get(element, "").split()
        if name := self._ids.get(element, "").strip():
            return f"{tag}#{name}"
        return f"{tag}.{classes[0]}" if classes else tag

    def column(self, block: int) -> str:
        """Which column of a rendered page the block is in, if it is beside the main one or narrow; else nothing."""
        offset, width = self.value(block, "main_column_offset"), self.value(block, "main_column_width")
        if np.isnan(offset) or np.isnan(width):
            return ""
        size = "a narrow column" if width < _NARROW else "a column"
        if abs(offset) <= _ASIDE:
            return "a narrow column" if width < _NARROW else ""
        return f"{size} {'left' if (offset < 0) != self._turned else 'right'} of the main one"

    def font(self, block: int) -> str:
        """Size and weight of the block's font on a rendered page: `23 px bold`; else nothing."""
        size, weight = self.value(block, "font_size"), self.value(block, "font_weight")
        if np.isnan(size):
            return ""
        return f"{size:.0f} px{' bold' if weight >= _BOLD else ''}"

    def alike(self, block: int) -> str:
        """What the blocks with the same chain of tags and classes are like."""
        count = self.value(block, "class_blocks")
        if count <= 1:
            return "no other block has its tags and classes"
        words, links = self.value(block, "class_mean_words"), self.value(block, "class_link_share")
        each = fill("{number}", words)
        of = f"{each} word{'s' * (each != '1')} and a link share of {links:.2f}"
        return f"{counted(count, 'block')} with its tags and classes, with {of} each"

    def main_text(self, block: int) -> str:
        """Where the block is to the main text: the smallest element with 75 % of the long text; its core has half."""
        side, distance = self.value(block, "holder75_side"), self.value(block, "holder75_distance")
        if side == 0:
            return (
                "inside the main text" if self.value(block, "holder50_inside") else "beside the core of the main text"
            )
        return f"{counted(distance, 'block')} {'before' if side < 0 else 'behind'} the main text"

    def region(self, block: int, role: str) -> str:
        """What the region round the block is taken for: `in a header (0.93)`."""
        probability = self.value(block, f"nearest_{role}")
        return f"in {phrases.region_name(role)} ({probability:.2f})"


class SalientTokens:
    """The names and words of a page's blocks by their weights in the two linear models."""

    def __init__(self, context: PageContext, linear: LinearModel) -> None:
        self._context = context
        self._linear = linear

    @cached_property
    def _named(self) -> dict[int, list[tuple[str, str]]]:
        return hashed_tokens.named_attributes(self._context.snapshot)

    def names(self, block: int, sign: float) -> list[str]:
        """The tags, classes, ids and words in them that speak most for content, or against it for a `sign` below 0."""
        found = hashed_tokens.path_names(self._context, self._named, block)
        return _strongest(((name, float(self._linear.path[place])) for name, place in found), sign)

    def words(self, block: int, sign: float) -> list[str]:
        """The words and pairs of words of the block that speak most for content, or against it for a `sign` below 0."""
        found = hashed_tokens.word_names(self._context, block)
        return _strongest(((name.lower(), float(self._linear.word[place])) for name, place in found), sign)


def _strongest(weighed: Iterable[tuple[str, float]], sign: float) -> list[str]:
    total: defaultdict[str, float] = defaultdict(float)
    for name, weight in weighed:
        total[name] += weight * (1 if sign >= 0 else -1)
    best = nlargest(MOST_TOKENS, total, key=total.__getitem__)
    strong = [name for name in best if total[name] > 0 and total[name] >= _LEAST_SHARE * total[best[0]]]
    return [name for name in strong if not any(name != other and name in other.split() for other in strong)]
