"""Separators of VIPS: the strips between blocks that no block crosses, and how much they separate.

A separator is weighed by the cues of Cai et al. 2003: its thickness, a horizontal rule in it, backgrounds and fonts
that differ across it, and likeness of what it parts.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

from vclean.features.segments.vips.page import stands_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.features.segments.vips.page import Extent, Font, VisualPage

THINNEST: Final = 3.0
"""A gap of less, in px, separates nothing; but where backgrounds differ the eye needs no gap."""

_TOUCH: Final = -1.5
"""Boxes that overlap by no more, in px, touch: rounding, and borders drawn over each other."""

_THICKNESSES: Final = (9.0, 16.0, 26.0, 36.0, 46.0, 56.0)
_WEIGHTS: Final = (1, 2, 4, 6, 8, 10, 12)
"""Weights of separators up to each thickness, in px, and of thicker ones."""

_CUE: Final = 2
"""What every other cue adds, or takes where both sides are text."""

_OTHER_SIZE, _OTHER_WEIGHT = 1.0, 100.0
"""Differences of font size, in px, and weight from which two fonts differ."""


@dataclass(frozen=True, slots=True)
class Separator:
    """A strip between blocks, CSS px.

    Attributes:
        vertical: whether it stands between blocks side by side.
        box: x, y, width, height; its length is that of what it parts.
        weight: how much it separates, by all cues.
    """

    vertical: bool
    box: tuple[float, float, float, float]
    weight: int


@dataclass(frozen=True, slots=True)
class StripDivision:
    """Blocks in strips, in the order of the page, and the separators between one strip and the next."""

    strips: list[list[int]]
    separators: list[Separator]

    @property
    def weight(self) -> int:
        """That of the heaviest separator."""
        return max(separator.weight for separator in self.separators)


def best_division(page: VisualPage, nodes: Sequence[int]) -> StripDivision | None:
    """The cut with the heaviest separator, of the one into rows and the one into columns; None where there is neither.

    Of equal ones it is the cut into rows.
    """
    cuts = [cut for vertical in (False, True) if (cut := detect(page, nodes, vertical=vertical)).separators]
    return max(cuts, key=lambda cut: cut.weight, default=None)


def detect(page: VisualPage, nodes: Sequence[int], *, vertical: bool) -> StripDivision:
    """All separators of one direction between `nodes`, at least one node, in the order of the page."""
    line = _Line(page, nodes, vertical)
    edges, separators = [0], []
    for index in line.gaps():
        if separator := line.separator(edges[-1], index):
            separators.append(separator)
            edges.append(index)
    if not separators:
        return StripDivision([list(nodes)], [])
    place = {node: index for index, node in enumerate(nodes)}
    strips = [line.nodes[begin:end] for begin, end in pairwise([*edges, len(nodes)])]
    return StripDivision([sorted(strip, key=place.__getitem__) for strip in strips], separators)


class _Line:
    """Nodes in the order in which they begin along one direction."""

    def __init__(self, page: VisualPage, nodes: Sequence[int], vertical: bool) -> None:
        self._page = page
        self._vertical = vertical
        along = 0 if vertical else 1
        self.nodes = sorted(nodes, key=lambda node: page.extent[node][along])
        self._starts = [page.extent[node][along] for node in self.nodes]
        self._reach = list(accumulate((page.extent[node][along + 2] for node in self.nodes), max))

    def gaps(self) -> list[int]:
        """The places before which no node crosses, of the nodes in their order."""
        pairs = enumerate(zip(self._starts[1:], self._reach, strict=False), 1)
        return [index for index, (start, end) in pairs if start - end > _TOUCH]

    def separator(self, begin: int, index: int) -> Separator | None:
        """The one between the strip that begins at `begin` and the node at `index`; None where it is too thin."""
        start, end = self._starts[index], self._reach[index - 1]
        last = index
        while last < len(self.nodes) and self._starts[last] <= start - _TOUCH:
            last += 1
        high = 2 if self._vertical else 3
        extent = self._page.extent
        first = self._longest([node for node in self.nodes[begin:index] if extent[node][high] >= end + _TOUCH])
        second = self._longest(self.nodes[index:last])
        if start - end < THINNEST and not _backgrounds_differ(self._page, first, second):
            return None
        box = self._box(end, max(start - end, 0.0))
        return Separator(self._vertical, box, _weight(self._page, (first, second), box, vertical=self._vertical))

    @cached_property
    def _side(self) -> tuple[float, float]:
        """From where to where the nodes reach along a separator."""
        across = 1 if self._vertical else 0
        extents = [self._page.extent[node] for node in self.nodes]
        return min(extent[across] for extent in extents), max(extent[across + 2] for extent in extents)

    def _longest(self, nodes: Sequence[int]) -> int:
        """The node with the longest side along a separator, the first of equal ones."""
        if len(nodes) == 1:
            return nodes[0]
        low = 1 if self._vertical else 0
        extent = self._page.extent
        return max(nodes, key=lambda node: extent[node][low + 2] - extent[node][low])

    def _box(self, begin: float, thickness: float) -> tuple[float, float, float, float]:
        low, high = self._side
        return (begin, low, thickness, high - low) if self._vertical else (low, begin, high - low, thickness)


def _weight(page: VisualPage, sides: tuple[int, int], box: tuple[float, float, float, float], *, vertical: bool) -> int:
    first, second = sides
    weight = _WEIGHTS[bisect_right(_THICKNESSES, box[2 if vertical else 3])]
    weight += _CUE * _backgrounds_differ(page, first, second)
    weight -= _CUE * _alike(page, first, second)
    if not vertical:
        weight += _CUE * any(_overlap(box, rule) for rule in page.rules) + _font_cue(page, first, second)
    return weight


def _backgrounds_differ(page: VisualPage, first: int, second: int) -> bool:
    return stands_out(page.background[first], page.background[second])


def _alike(page: VisualPage, first: int, second: int) -> bool:
    """Whether there is nothing but text on both sides, in one font."""
    return (
        page.is_leaf[first]
        and page.is_leaf[second]
        and _fonts_differ(page.fonts.of(first), page.fonts.of(second)) is False
    )


def _font_cue(page: VisualPage, above: int, below: int) -> int:
    """More where the font changes, and most where it grows: a heading begins what is below it."""
    first, second = page.fonts.of(above), page.fonts.of(below)
    if first is None or second is None or not _fonts_differ(first, second):
        return 0
    return _CUE * (1 + (first.size < second.size))


def _fonts_differ(first: Font | None, second: Font | None) -> bool | None:
    """Whether two fonts differ; None where there is no text."""
    if first is None or second is None:
        return None
    return abs(first.size - second.size) > _OTHER_SIZE or abs(first.weight - second.weight) >= _OTHER_WEIGHT


def _overlap(box: tuple[float, float, float, float], rule: Extent) -> bool:
    x, y, width, height = box
    left, top, right, bottom = rule
    return x < right and left < x + width and y - 1 < bottom and top < y + height + 1
