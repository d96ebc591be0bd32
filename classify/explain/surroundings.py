"""Describe the surroundings of a block: container, font, similar blocks, and the most important tokens."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from heapq import nlargest
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.explain.phrases import fill_template, format_count
from vclean.features.block import neighbourhood
from vclean.features.names import hashed_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from vclean.classify.content.linear import LinearModel
    from vclean.features.page_context import PageContext

_INDEX: Final = {column.name: index for index, column in enumerate(stacking.COLUMNS)}
_BOLD: Final = 600
"""Minimum font weight that is called bold."""
MAX_TOKENS: Final = 3
"""Maximum number of tokens in a phrase."""
_MIN_WEIGHT_SHARE: Final = 0.3
"""Weight of a token, relative to the largest one, below which it is left out."""


class BlockSurroundings:
    """Phrases about the surroundings of the blocks of a page.

    Args:
        context: the page.
        x: float32 (B, len(stacking.COLUMNS)), feature matrix of the page.
    """

    def __init__(self, context: PageContext, x: NDArray[np.float32]) -> None:
        self._context = context
        self._x = x
        self._containers = neighbourhood.subtrees(context)
        self._block_count = context.block_count
        self._classes = context.snapshot.attributes("class")
        self._ids = context.snapshot.attributes("id")

    def value(self, block: int, name: str) -> float:
        """Return the value of the feature `name`."""
        return float(self._x[block, _INDEX[name]])

    def container(self, block: int, level: int) -> str:
        """Return the name of the block's subtree at `level`, such as `div.menu (12 blocks)`."""
        element = int(self._containers[block, level - 1])
        if self._block_count[element] == len(self._context):
            return "the whole page"
        return f"{self.selector(element)} ({format_count(self._block_count[element], 'block')})"

    def selector(self, element: int) -> str:
        """Return the tag of an element with its id or first class: `div#nav`, `ul.links`."""
        snapshot = self._context.snapshot
        tag, classes = snapshot.tags[snapshot.tag[element]], self._classes.get(element, "").split()
        if name := self._ids.get(element, "").strip():
            return f"{tag}#{name}"
        return f"{tag}.{classes[0]}" if classes else tag

    def font(self, block: int) -> str:
        """Return size and weight of the font on a rendered page, such as `23 px bold`; '' on other pages."""
        size, weight = self.value(block, "font_size"), self.value(block, "font_weight")
        if np.isnan(size):
            return ""
        return f"{size:.0f} px{' bold' if weight >= _BOLD else ''}"

    def similar_blocks(self, block: int) -> str:
        """Describe the blocks with the same chain of tags and classes."""
        count = self.value(block, "class_blocks")
        if count <= 1:
            return "no other block has its tags and classes"
        words, links = self.value(block, "class_mean_words"), self.value(block, "class_link_share")
        number = fill_template("{number}", words)
        average = f"{number} word{'s' * (number != '1')} and link share {links:.2f} on average"
        return f"{format_count(count, 'block')} with its tags and classes, with {average}"

    def main_text(self, block: int) -> str:
        """Describe the position relative to the main text: the smallest element with 75 % of the long text.

        The core of the main text is the smallest element with 50 %.
        """
        side, distance = self.value(block, "holder75_side"), self.value(block, "holder75_distance")
        if side == 0:
            in_core = self.value(block, "holder50_inside")
            return "inside the main text" if in_core else "inside the main text, but outside its core"
        return f"{format_count(distance, 'block')} {'before' if side < 0 else 'after'} the main text"


class SalientTokens:
    """Names and words with the largest weights in the two linear models, for the blocks of a page."""

    def __init__(self, context: PageContext, linear: LinearModel) -> None:
        self._context = context
        self._linear = linear

    @cached_property
    def _named(self) -> dict[int, list[tuple[str, str]]]:
        return hashed_tokens.named_attributes(self._context.snapshot)

    def names(self, block: int, sign: float) -> list[str]:
        """Return the strongest evidence in tags, classes and ids: for content, or against it if `sign` is negative."""
        tokens = hashed_tokens.path_names(self._context, self._named, block)
        return _strongest(((name, float(self._linear.path[bucket])) for name, bucket in tokens), sign)

    def words(self, block: int, sign: float) -> list[str]:
        """Return the strongest evidence in words and word pairs: for content, or against it if `sign` is negative."""
        tokens = hashed_tokens.word_names(self._context, block)
        return _strongest(((name.lower(), float(self._linear.word[bucket])) for name, bucket in tokens), sign)


def _strongest(weighted: Iterable[tuple[str, float]], sign: float) -> list[str]:
    """Return the tokens with the largest total weights of a sign; a word in a returned word pair is left out."""
    total: defaultdict[str, float] = defaultdict(float)
    for name, weight in weighted:
        total[name] += weight * (1 if sign >= 0 else -1)
    best = nlargest(MAX_TOKENS, total, key=total.__getitem__)
    strong = [name for name in best if total[name] > 0 and total[name] >= _MIN_WEIGHT_SHARE * total[best[0]]]
    return [name for name in strong if not any(name != other and name in other.split() for other in strong)]
