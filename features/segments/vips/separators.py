"""Find the separators of VIPS: strips that no block crosses, with weights.

The weight follows the cues of Cai et al. 2003: thickness, a horizontal rule in the strip, different backgrounds or
fonts on both sides, and similarity of the two sides.
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

MIN_GAP: Final = 3.0
"""Minimum width of a gap in px; thinner gaps count only if the backgrounds differ."""

_TOUCH: Final = -1.5
"""Minus the maximum overlap in px of boxes that touch: rounding, and borders drawn over each other."""

_THICKNESSES: Final = (9.0, 16.0, 26.0, 36.0, 46.0, 56.0)
_WEIGHTS: Final = (1, 2, 4, 6, 8, 10, 12)
"""Weights of separators up to each thickness in px, and of thicker ones."""

_CUE: Final = 2
"""Weight that each other cue adds; it is subtracted if both sides are similar text."""

_OTHER_SIZE, _OTHER_WEIGHT = 1.0, 100.0
"""Minimum differences of font size in px and of font weight between different fonts."""


@dataclass(frozen=True, slots=True)
class Separator:
    """Strip between blocks, CSS px.

    Attributes:
        vertical: whether the blocks are side by side.
        box: x, y, width, height; as long as the blocks on both sides together.
        weight: the weight from all cues.
    """

    vertical: bool
    box: tuple[float, float, float, float]
    weight: int


@dataclass(frozen=True, slots=True)
class StripDivision:
    """Blocks grouped into strips in page order, and the separators between consecutive strips."""

    strips: list[list[int]]
    separators: list[Separator]

    @property
    def weight(self) -> int:
        """Return the weight of the heaviest separator."""
        return max(separator.weight for separator in self.separators)


def best_division(page: VisualPage, nodes: Sequence[int]) -> StripDivision | None:
    """Return the division into rows or columns with the heaviest separator, None if neither is possible.

    Rows win a tie.
    """
    divisions = [
        division for vertical in (False, True) if (division := detect(page, nodes, vertical=vertical)).separators
    ]
    return max(divisions, key=lambda division: division.weight, default=None)


def detect(page: VisualPage, nodes: Sequence[int], *, vertical: bool) -> StripDivision:
    """Return all separators of one direction between `nodes` (at least one), in page order."""
    line = _Line(page, nodes, vertical)
    edges, separators = [0], []
    for index in line.gaps():
        if separator := line.separator(edges[-1], index):
            separators.append(separator)
            edges.append(index)
    if not separators:
        return StripDivision([list(nodes)], [])
    position = {node: index for index, node in enumerate(nodes)}
    strips = [line.nodes[begin:end] for begin, end in pairwise([*edges, len(nodes)])]
    return StripDivision([sorted(strip, key=position.__getitem__) for strip in strips], separators)


class _Line:
    """Nodes sorted by their start along one direction."""

    def __init__(self, page: VisualPage, nodes: Sequence[int], vertical: bool) -> None:
        self._page = page
        self._vertical = vertical
        along = 0 if vertical else 1
        self.nodes = sorted(nodes, key=lambda node: page.extent[node][along])
        self._starts = [page.extent[node][along] for node in self.nodes]
        self._reach = list(accumulate((page.extent[node][along + 2] for node in self.nodes), max))

    def gaps(self) -> list[int]:
        """Return the indices of nodes that begin after all earlier nodes end."""
        pairs = enumerate(zip(self._starts[1:], self._reach, strict=False), 1)
        return [index for index, (start, end) in pairs if start - end > _TOUCH]

    def separator(self, begin: int, index: int) -> Separator | None:
        """Return the separator between the strip from index `begin` and the node at `index`, None if it is too thin."""
        start, end = self._starts[index], self._reach[index - 1]
        last = index
        while last < len(self.nodes) and self._starts[last] <= start - _TOUCH:
            last += 1
        end_side = 2 if self._vertical else 3
        extent = self._page.extent
        first = self._longest([node for node in self.nodes[begin:index] if extent[node][end_side] >= end + _TOUCH])
        second = self._longest(self.nodes[index:last])
        if start - end < MIN_GAP and not _backgrounds_differ(self._page, first, second):
            return None
        box = self._box(end, max(start - end, 0.0))
        return Separator(self._vertical, box, _weight(self._page, (first, second), box, vertical=self._vertical))

    @cached_property
    def _side(self) -> tuple[float, float]:
        """Return where the nodes begin and end along a separator."""
        across = 1 if self._vertical else 0
        extents = [self._page.extent[node] for node in self.nodes]
        return min(extent[across] for extent in extents), max(extent[across + 2] for extent in extents)

    def _longest(self, nodes: Sequence[int]) -> int:
        """Return the node with the longest side along a separator, the first of equals."""
        if len(nodes) == 1:
            return nodes[0]
        side = 1 if self._vertical else 0
        extent = self._page.extent
        return max(nodes, key=lambda node: extent[node][side + 2] - extent[node][side])

    def _box(self, begin: float, thickness: float) -> tuple[float, float, float, float]:
        """Return the box of a separator."""
        low, high = self._side
        return (begin, low, thickness, high - low) if self._vertical else (low, begin, high - low, thickness)


def _weight(page: VisualPage, sides: tuple[int, int], box: tuple[float, float, float, float], *, vertical: bool) -> int:
    """Return the weight of a separator."""
    first, second = sides
    weight = _WEIGHTS[bisect_right(_THICKNESSES, box[2 if vertical else 3])]
    weight += _CUE * _backgrounds_differ(page, first, second)
    weight -= _CUE * _same_font_text(page, first, second)
    if not vertical:
        weight += _CUE * any(_overlap(box, rule) for rule in page.rules) + _font_cue(page, first, second)
    return weight


def _backgrounds_differ(page: VisualPage, first: int, second: int) -> bool:
    """Return whether two nodes have visibly different backgrounds."""
    return stands_out(page.background[first], page.background[second])


def _same_font_text(page: VisualPage, first: int, second: int) -> bool:
    """Return whether both sides contain only text, in one font."""
    return (
        page.is_leaf[first]
        and page.is_leaf[second]
        and _fonts_differ(page.fonts.of(first), page.fonts.of(second)) is False
    )


def _font_cue(page: VisualPage, above: int, below: int) -> int:
    """Return the weight of a font change; it doubles if the font grows, because a heading begins what is below it."""
    first, second = page.fonts.of(above), page.fonts.of(below)
    if first is None or second is None or not _fonts_differ(first, second):
        return 0
    return _CUE * (1 + (first.size < second.size))


def _fonts_differ(first: Font | None, second: Font | None) -> bool | None:
    """Return whether two fonts differ, None without text."""
    if first is None or second is None:
        return None
    return abs(first.size - second.size) > _OTHER_SIZE or abs(first.weight - second.weight) >= _OTHER_WEIGHT


def _overlap(box: tuple[float, float, float, float], rule: Extent) -> bool:
    """Return whether a separator overlaps a horizontal rule, with a tolerance of 1 px above and below."""
    x, y, width, height = box
    left, top, right, bottom = rule
    return x < right and left < x + width and y - 1 < bottom and top < y + height + 1
