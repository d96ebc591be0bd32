"""Fonts of the nodes of a page, as VIPS compares them: mean size and weight of the visible text in each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vclean.features import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot


class Font(NamedTuple):
    """The mean size of a node's text, in px, and its mean weight; `even` where all of it has one size and weight."""

    size: float
    weight: float
    even: bool


@dataclass(frozen=True, eq=False)
class Fonts:
    """The fonts of a page's N elements and T text nodes, of which K are seen.

    Attributes:
        snapshot: the page.
        seen: bool (T,), the text nodes of which something can be seen.
    """

    snapshot: Snapshot
    seen: NDArray[np.bool_]

    def of(self, node: int) -> Font | None:
        """The font of an element's or, from N on, a text node's text; None where it has none, or white space alone."""
        if node not in self._found:
            self._found[node] = self._mean(*self._span[node])
        return self._found[node]

    @cached_property
    def _found(self) -> dict[int, Font | None]:
        """By node: a few are asked for, again and again."""
        return {}

    def _mean(self, first: int, last: int) -> Font | None:
        """Of the visible texts from `first` to before `last`."""
        size, weight, count = (end - begin for begin, end in zip(self._sums[first], self._sums[last], strict=True))
        if count <= 0:
            return None
        return Font(size / count, weight / count, self._changes[first] == self._changes[max(last, 1) - 1])

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """The visible text nodes, which are in document order as they are."""
        return np.flatnonzero(self.seen)

    @cached_property
    def _span(self) -> list[tuple[int, int]]:
        """Where the texts of each of the N + T nodes begin and end among the visible ones."""
        texts = self.snapshot.text_parent[self._order]
        inside = tree.subtree_sum(np.bincount(texts, minlength=len(self.snapshot)), self.snapshot.end)
        place = 2 * self.snapshot.text_after[self._order].astype(np.int64) + 1
        first = np.searchsorted(place, 2 * np.arange(len(self.snapshot)))
        before: NDArray[np.int64] = np.cumsum(self.seen) - self.seen
        begin, end = [*first.tolist(), *before.tolist()], [*(first + inside).tolist(), *(before + self.seen).tolist()]
        return list(zip(begin, end, strict=True))

    @cached_property
    def _font(self) -> NDArray[np.float64]:
        """float64 (K, 3): size, weight and characters of the visible texts."""
        snapshot = self.snapshot
        style = snapshot.style[snapshot.text_parent[self._order]]
        fonts = [snapshot.styles.number(name)[style] for name in ("font-size", "font-weight")]
        length = [len(snapshot.texts[text].strip()) for text in self._order.tolist()]
        return np.nan_to_num(np.stack([*fonts, np.array(length, dtype=np.float32)], axis=1)).astype(np.float64)

    @cached_property
    def _sums(self) -> list[list[float]]:
        """(K + 1, 3): running sums of size and weight over characters, and of characters."""
        fonts = self._font
        sums = np.zeros((len(fonts) + 1, 3))
        np.cumsum(fonts * np.stack([fonts[:, 2], fonts[:, 2], np.ones(len(fonts))], axis=1), axis=0, out=sums[1:])
        return sums.tolist()

    @cached_property
    def _changes(self) -> list[int]:
        """(K + 1,): how often the font has changed from one visible text to the next, by text; a 0 at the end."""
        fonts = self._font[:, :2]
        changes = np.zeros(len(fonts) + 1, dtype=np.int64)
        np.cumsum((fonts[1:] != fonts[:-1]).any(axis=1), out=changes[1:-1])
        return changes.tolist()
