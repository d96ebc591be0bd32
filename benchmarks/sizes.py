"""Generate pages of any size, and fit the growth of cost with size."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

BYTES: Final = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
NODES: Final = (10, 100, 1_000, 10_000, 100_000)

_HEAD: Final = (
    "<!DOCTYPE html><html lang=en><head><title>A page of some size</title><style>"
    "body { margin: 0 10% } nav li { display: inline } .side { float: right; width: 20em }</style></head><body>"
)
_TEXT: Final = (
    "the river rose in the night and the people of the lower town carried what they could to the school on the hill "
    "where a doctor a baker and two teachers had lit the stoves and counted blankets until the morning came"
)
_WORDS: Final = _TEXT.split()


@dataclass(frozen=True, slots=True)
class Fit:
    """Line through the larger half of (size, cost) points on logarithmic scales: cost grows as size ** exponent.

    Attributes:
        exponent: slope of the line.
        steepest: greatest slope between two neighbouring points.
    """

    exponent: float
    steepest: float

    @classmethod
    def of(cls, sizes: Sequence[float], costs: Sequence[float]) -> Fit:
        """Return the fit of costs by size. Only the larger half is used: a fixed cost hides the growth of small pages.

        >>> Fit.of([10, 100, 1_000, 10_000], [5, 6, 10, 100])
        Fit(exponent=1.0, steepest=1.0)
        """
        half = len(sizes) // 2
        x, y = np.log(sizes[half:]), np.log(costs[half:])
        slope = float(np.polyfit(x, y, 1)[0])
        return cls(round(slope, 2), round(float((np.diff(y) / np.diff(x)).max()), 2))


def by_bytes(size: int) -> Page:
    """Return a page of about `size` bytes: a menu, and articles of headings, paragraphs, lists and links."""
    parts, length = [_HEAD, _menu(8)], len(_HEAD) + 200
    for number in count():
        if length >= size:
            break
        parts.append(_article(number))
        length += len(parts[-1])
    return Page(content="".join(parts).encode(), url="https://example.org/", id=f"{size} bytes")


def by_nodes(number: int) -> Page:
    """Return a page of about `number` elements: rows of short texts, as in a table or a long list."""
    rows = (f"<div class=row><span>{_words(row, 3)}</span><a href=/{row}>{_words(row, 2)}</a></div>"
            for row in range(max(1, (number - 4) // 3)))  # fmt: skip
    return Page(content=(_HEAD + "".join(rows)).encode(), url="https://example.org/", id=f"{number} nodes")


def _menu(entries: int) -> str:
    return (
        "<nav><ul>"
        + "".join(f"<li><a href=/{number}>{_WORDS[number]}</a>" for number in range(entries))
        + "</ul></nav>"
    )


def _article(number: int) -> str:
    items = "".join(f"<li>{_words(number + item, 8)}" for item in range(3))
    return (
        f"<div class=article id=a{number}><h2>{_words(number, 5)}</h2><p>{_words(number, 60)}.</p>"
        f"<p>{_words(number + 7, 30)} <a href=/{number}>{_words(number, 3)}</a> {_words(number + 3, 20)}.</p>"
        f"<ul>{items}</ul></div>"
    )


def _words(start: int, number: int) -> str:
    """Return `number` words and the number `start`; the words differ from one start to the next."""
    return " ".join([*(_WORDS[(start + step * (1 + start % 5)) % len(_WORDS)] for step in range(number)), str(start)])
