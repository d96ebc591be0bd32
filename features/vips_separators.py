"""Separators of VIPS: the strips between blocks that no block crosses, and how much they separate.

A separator is weighed by the cues of Cai et al. 2003: its thickness, a horizontal rule in it, backgrounds and fonts
that differ across it, and likeness of what it parts.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vclean.features.vips_page import stands_out
from vclean.features.vips_rules import is_leaf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.features.vips_fonts import Font
    from vclean.features.vips_page import Extent, VisualPage

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
class Cut:
    """Blocks in strips, in the order of the page, and the separators between one strip and the next."""

    strips: list[list[int]]
    separators: list[Separator]

    @property
    def weight(self) -> int:
        """That of the heaviest separator."""
        return max(separator.weight for separator in self.separators)


def best_cut(page: VisualPage, nodes: Sequence[int]) -> Cut | None:
    """The cut with the heaviest separator, of the one into rows and the one into columns; None where there is neither.

    Of equal ones it is the cut into rows.
    """
    cuts = [cut for vertical in (False, True) if (cut := detect(page, nodes, vertical=vertical)).separators]
    return max(cuts, key=lambda cut: cut.weight, default=None)


def detect(page: VisualPage, nodes: Sequence[int], *, vertical: bool) -> Cut:
    """All separators of one direction between `nodes`, at least one node, in the order of the page."""
    line = _Line(page, sorted(nodes, key=lambda node: page.extent[node][not vertical]), vertical)
    strips, separators = [line.nodes[:1]], []
    end = line.ends[0]
    for index in range(1, len(nodes)):
        if line.starts[index] - end > _TOUCH and (separator := line.separator(strips[-1], end, index)):
            separators.append(separator)
            strips.append([])
        strips[-1].append(line.nodes[index])
        end = max(end, line.ends[index])
    place = {node: index for index, node in enumerate(nodes)}
    return Cut([sorted(strip, key=place.__getitem__) for strip in strips], separators)


class _Line:
    """Nodes in the order in which they begin along one direction."""

    def __init__(self, page: VisualPage, nodes: list[int], vertical: bool) -> None:
        self._page = page
        self._vertical = vertical
        self.nodes = nodes
        extents = [page.extent[node] for node in nodes]
        along, across = (0, 1) if vertical else (1, 0)
        self.starts = [extent[along] for extent in extents]
        self.ends = [extent[along + 2] for extent in extents]
        self._side = min(extent[across] for extent in extents), max(extent[across + 2] for extent in extents)

    def separator(self, before: Sequence[int], end: float, index: int) -> Separator | None:
        """The one between the strip `before`, up to `end`, and the node at `index`; None where it is too thin."""
        start = self.starts[index]
        last = index
        while last < len(self.nodes) and self.starts[last] <= start - _TOUCH:
            last += 1
        high = 2 if self._vertical else 3
        first = self._longest([node for node in before if self._page.extent[node][high] >= end + _TOUCH])
        second = self._longest(self.nodes[index:last])
        if start - end < THINNEST and not _backgrounds_differ(self._page, first, second):
            return None
        box = self._box(end, max(start - end, 0.0))
        return Separator(self._vertical, box, _weight(self._page, (first, second), box, vertical=self._vertical))

    def _longest(self, nodes: Sequence[int]) -> int:
        """The node with the longest side along a separator, the first of equal ones."""
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
        is_leaf(page, first)
        and is_leaf(page, second)
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
