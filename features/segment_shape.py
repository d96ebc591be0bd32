"""How the containers in a container stand to each other: beside or below, alike or not, how the words are shared out.

Sources: the layout features of visual segmenters (alignment, gaps); VIPS (Cai et al. 2003: size, whitespace).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.columns import ratio, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.regions import Regions

COLUMNS: Final = table(
    """
painted_width | share | Width of what it paints, in page widths.
painted_height | share | Height of what it paints, in page heights.
painted_px | CSS px | Height of what it paints.
painted_area | share | Area of what it paints, in page areas.
loose_words | share | Its words that are in no candidate in it.
second_of_it | share | Its words in the candidate in it that has the second most.
spread_of_words | nats | Entropy of the shares of its words in the candidates in it.
parts_of_5 | candidates | Those in it with more than 5 % of its words each.
parts_of_20 | candidates | Those in it with more than 20 % of its words each.
parts_beside | candidates | The most of them that stand side by side, those of at least 3 % of its words.
parts_in_rows | share | Those of at least 3 % that have another beside them.
parts_across | share | Those in it that paint nine tenths of its width.
parts_alike | share | Those in it with the most frequent chain of tags and classes.
widest_gap | CSS px | The highest strip between two of them, from top to bottom.
"""
)

_SMALL, _LARGE = 0.05, 0.2
_TOLD: Final = 0.03
"""A part of so many of the words tells whether parts stand side by side."""
_ACROSS: Final = 0.9
_SLACK: Final = 3
"""Boxes that overlap by fewer px than this stand beside each other."""


def shape_values(regions: Regions, painted: NDArray[np.floating], words: NDArray[np.floating]) -> Values:
    """The columns of this module, each (C,).

    Args:
        regions: the candidates of a page.
        painted: (C, 4), left, top, right, bottom in CSS px of what each paints.
        words: (C,), the words in each.
    """
    shape = Shape(regions, np.asarray(painted, dtype=np.float64), np.asarray(words, dtype=np.float64))
    return {**_size(shape), **_shares(shape), **_layout(shape)}


@dataclass(frozen=True, eq=False)
class Shape:
    """The candidates of a page with what they paint and hold; arguments as of `shape_values`."""

    regions: Regions
    painted: NDArray[np.float64]
    words: NDArray[np.float64]

    @cached_property
    def width(self) -> NDArray[np.float64]:
        """float64 (C,): CSS px."""
        return np.maximum(self.painted[:, 2] - self.painted[:, 0], 0)

    @cached_property
    def height(self) -> NDArray[np.float64]:
        """float64 (C,): CSS px."""
        return np.maximum(self.painted[:, 3] - self.painted[:, 1], 0)

    @cached_property
    def parts(self) -> list[list[int]]:
        """The candidates in each that are in no other in it."""
        parts: list[list[int]] = [[] for _ in range(len(self.regions))]
        for row, above in enumerate(self.regions.parent.tolist()):
            if above >= 0:
                parts[above].append(row)
        return parts

    def share(self, row: int) -> NDArray[np.float64]:
        """The shares of its words in its parts."""
        return np.asarray(self.words[self.parts[row]] / max(self.words[row], 1e-9))


def _size(shape: Shape) -> Values:
    width, height = shape.regions.snapshot.width, max(shape.regions.snapshot.height, 1.0)
    return {
        "painted_width": shape.width / width,
        "painted_height": shape.height / height,
        "painted_px": shape.height,
        "painted_area": shape.width * shape.height / (width * height),
    }


def _shares(shape: Shape) -> Values:
    """How the words are shared out among the parts."""
    shares = [np.sort(shape.share(row))[::-1] for row in range(len(shape.regions))]
    logs = [own[own > 0] for own in shares]
    return {
        "loose_words": np.array([max(0.0, 1 - own.sum()) for own in shares]),
        "second_of_it": np.array([own[1] if len(own) > 1 else 0.0 for own in shares]),
        "spread_of_words": np.array([-(own * np.log(own)).sum() for own in logs]),
        "parts_of_5": np.array([(own > _SMALL).sum() for own in shares]),
        "parts_of_20": np.array([(own > _LARGE).sum() for own in shares]),
    }


def _layout(shape: Shape) -> Values:
    beside = [_beside(shape, row) for row in range(len(shape.regions))]
    count = np.array([len(own) for own in shape.parts])
    across = [(shape.width[own] >= _ACROSS * shape.width[row]).sum() for row, own in enumerate(shape.parts)]
    path = shape.regions.view.class_path[shape.regions.node]
    alike = [np.unique(path[own], return_counts=True)[1].max(initial=0) for own in shape.parts]
    return {
        "parts_beside": np.array([1 + own.max() if len(own) else 0 for own in beside]),
        "parts_in_rows": np.array([(own > 0).mean() if len(own) else 0.0 for own in beside]),
        "parts_across": ratio(np.array(across), count),
        "parts_alike": ratio(np.array(alike), count),
        "widest_gap": np.array([_widest_gap(shape.painted[own]) for own in shape.parts]),
    }


def _beside(shape: Shape, row: int) -> NDArray[np.int64]:
    """How many parts stand beside each part that counts: to its left or right, for half the lower one's height."""
    parts = np.array(shape.parts[row], dtype=np.int64)
    parts = parts[(shape.words[parts] >= _TOLD * shape.words[row]) & (shape.height[parts] > 0)]
    left, top, right, bottom = shape.painted[parts].T[:, :, None]
    shared = np.minimum(bottom, bottom.T) - np.maximum(top, top.T)
    low = np.minimum(bottom - top, (bottom - top).T)
    apart = (left >= right.T - _SLACK) | (right - _SLACK <= left.T)
    beside = (shared > low / 2) & apart & ~np.eye(len(parts), dtype=bool)
    return np.asarray(beside.sum(axis=1))


def _widest_gap(painted: NDArray[np.float64]) -> float:
    if len(painted) < 2:
        return 0.0
    ordered = painted[np.argsort(painted[:, 1], kind="stable")]
    return float((ordered[1:, 1] - np.maximum.accumulate(ordered[:-1, 3])).max())
