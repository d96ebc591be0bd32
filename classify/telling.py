"""Which names on a block's tag path, and which of its words, speak for or against content: those of most weight."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from heapq import nlargest
from typing import TYPE_CHECKING, Final

from vclean.features import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vclean.classify.linear import LinearModel
    from vclean.features.view import View

MOST: Final = 3
"""So many names are given."""
_LEAST_SHARE: Final = 0.3
"""A name is left out if it weighs less than this share of the one that weighs most."""


class Telling:
    """The names and words of a page's blocks by their weights in the two linear models."""

    def __init__(self, view: View, linear: LinearModel) -> None:
        self._view = view
        self._linear = linear

    @cached_property
    def _named(self) -> dict[int, list[tuple[str, str]]]:
        return tokens.named_attributes(self._view.snapshot)

    def names(self, block: int, sign: float) -> list[str]:
        """The tags, classes, ids and words in them that speak most for content, or against it for a `sign` below 0."""
        found = tokens.path_names(self._view, self._named, block)
        return _strongest(((name, float(self._linear.path[place])) for name, place in found), sign)

    def words(self, block: int, sign: float) -> list[str]:
        """The words and pairs of words of the block that speak most for content, or against it for a `sign` below 0."""
        found = tokens.word_names(self._view, block)
        return _strongest(((name.lower(), float(self._linear.word[place])) for name, place in found), sign)


def _strongest(weighed: Iterable[tuple[str, float]], sign: float) -> list[str]:
    total: defaultdict[str, float] = defaultdict(float)
    for name, weight in weighed:
        total[name] += weight * (1 if sign >= 0 else -1)
    best = nlargest(MOST, total, key=total.__getitem__)
    strong = [name for name in best if total[name] > 0 and total[name] >= _LEAST_SHARE * total[best[0]]]
    return [name for name in strong if not any(name != other and name in other.split() for other in strong)]
