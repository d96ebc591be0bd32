"""Plots of a report as inline SVG: what they show stands beside them as a table, and on every mark as its title.

Colours and fonts come from the document's style sheet; methods differ in their markers, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.compare.document import element
from vclean.compare.tables import Column, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vclean.compare.document import Element

Series = dict[str, dict[str, tuple[float, float, float]]]
"""By group and method: a mean and its interval."""

SERIES: Final = 6
"""Methods that have colours and markers of their own; those after them begin again."""
BINS: Final = 20
"""Of the distribution of scores."""

_LABELS, _TEXT, _ROW, _GAP = 190, 11, 13, 10
_TICKS: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_SQUARE, _MARGIN, _FOOT = 260, 44, 38
_BAR, _BARS = 84, 460


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to px: `low` stands at `start`, `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def legend(methods: Sequence[str]) -> Element | None:
    """The markers of the methods, where there are several."""
    if len(methods) < 2:
        return None
    items = [
        element(
            "li",
            element("svg", _marker(at, 8, 8, 5.0, ""), viewBox="0 0 16 16", width=16, height=16, aria_hidden="true"),
            name,
        )
        for at, name in enumerate(methods)
    ]
    return element("ul", *items, class_="legend")


def by_group(title: str, methods: Sequence[str], groups: Series, pages: Mapping[str, int]) -> Element:
    """A row for every group, in it a mark for the mean of every method and a line for its interval.

    Args:
        title: of the plot.
        methods: all of them, in the order of the legend.
        groups: see there; at least one.
        pages: how many a group has.
    """
    low = min(floor(10 * found[1]) / 10 for group in groups.values() for found in group.values())
    left = _Scale(min(low, 0.9), 1.0, _LABELS, _LABELS + _BARS - _GAP)
    parts, y = [], float(_GAP)
    for name, group in groups.items():
        height = _ROW * len(group) + _GAP
        parts += list(_group_row(f"{name} ({pages[name]})", methods, group, left, y))
        y += height
    ticks = [value / 10 for value in range(round(10 * left.low), 11)]
    axis = [_vertical_line(left(value), 0, y, f"{value:.1f}") for value in ticks]
    svg = _svg(title, _describe(groups), _LABELS + _BARS, y + 20, *axis, *parts)
    cells = [[name, pages[name], method, *found] for name, group in groups.items() for method, found in group.items()]
    head = [
        Column("group"),
        Column("pages", 0),
        Column("method"),
        Column("mean", 3),
        Column("from", 3),
        Column("to", 3),
    ]
    return _figure(svg, title, head, cells)


def reliability(title: str, bins: Mapping[str, Sequence[Mapping[str, Any]]], said: str, observed: str) -> Element:
    """What was said against what came of it, a line for each method: on the diagonal both are the same.

    Args:
        title: of the plot.
        bins: by method, of `vclean.classify.calibration.Reliability.to_dict`.
        said: name of the axis across.
        observed: name of the axis upwards.
    """
    x, y = _Scale(0, 1, _MARGIN, _MARGIN + _SQUARE), _Scale(0, 1, _SQUARE + _GAP, _GAP)
    parts = [_vertical_line(x(value), _GAP, _SQUARE + _GAP, f"{value:g}") for value in _TICKS]
    parts += [_horizontal_line(y(value), _MARGIN, _MARGIN + _SQUARE, f"{value:g}") for value in _TICKS]
    parts.append(element("line", x1=x(0), y1=y(0), x2=x(1), y2=y(1), class_="diagonal"))
    for at, (method, rows) in enumerate(bins.items()):
        parts += list(_curve(at, method, rows, x, y))
    parts.append(_text(said, x(0.5), _SQUARE + _GAP + 32, "axis middle"))
    parts.append(_text(observed, 0, 0, "axis middle", transform=f"translate(11 {y(0.5):g}) rotate(-90)"))
    errors = ", ".join(f"{method}: {_gap(rows):.3f}" for method, rows in bins.items())
    svg = _svg(title, f"Mean distance from the diagonal {errors}", x(1) + _GAP, _SQUARE + _GAP + _FOOT, *parts)
    cells = [[method, row["count"], row["said"], row["observed"]] for method, rows in bins.items() for row in rows]
    return _figure(svg, title, [Column("method"), Column("count", 0), Column(said, 3), Column(observed, 3)], cells)


def distribution(title: str, values: Mapping[str, Sequence[float]]) -> Element:
    """How many pages score what: bars for every method, one panel below the other, on one axis.

    Args:
        title: of the plot.
        values: the scores by method, in 0..1, at least one of each.
    """
    heights = {method: np.histogram(scores, BINS, (0, 1))[0].tolist() for method, scores in values.items()}
    most = max(map(max, heights.values()))
    parts: list[Element] = []
    for at, (method, bars) in enumerate(heights.items()):
        parts += list(_panel(at, method, bars, most, values[method]))
    bottom = len(heights) * (_BAR + 26)
    x = _bar_scale()
    parts += [_text(f"{value:g}", x(value), bottom + 12, "tick middle") for value in _TICKS]
    spoken = ", ".join(f"{method}: median {median(scores):.3f}" for method, scores in values.items())
    svg = _svg(title, spoken, x(1) + _GAP, bottom + 20, *parts)
    cells = [
        [f"{at / BINS:.2f} to {(at + 1) / BINS:.2f}", *row]
        for at, row in enumerate(zip(*heights.values(), strict=True))
    ]
    return _figure(svg, title, [Column("word F1"), *(Column(name, 0) for name in heights)], cells)


def _group_row(
    name: str, methods: Sequence[str], group: Mapping[str, tuple[float, float, float]], x: _Scale, top: float
) -> Iterator[Element]:
    middle = top + _ROW * len(group) / 2
    yield _text(name, _LABELS - _GAP, middle + 4, "label end")
    for row, (method, (mean, low, high)) in enumerate(group.items()):
        y, at = top + _ROW * (row + 0.5), methods.index(method)
        yield element("line", x1=x(max(low, x.low)), y1=y, x2=x(high), y2=y, class_=f"reach s{at % SERIES}")
        yield _marker(at, x(mean), y, 4.5, f"{name}, {method}: {mean:.3f} ({low:.3f} to {high:.3f})")


def _curve(at: int, method: str, rows: Sequence[Mapping[str, Any]], x: _Scale, y: _Scale) -> Iterator[Element]:
    points = " ".join(f"{x(row['said']):.1f},{y(row['observed']):.1f}" for row in rows)
    yield element("polyline", points=points, class_=f"curve s{at % SERIES}")
    most = max((row["count"] for row in rows), default=1)
    for row in rows:
        told = f"{method}: said {row['said']:.2f}, observed {row['observed']:.2f}, {row['count']:,} times"
        yield _marker(at, x(row["said"]), y(row["observed"]), 3 + 5 * (row["count"] / most) ** 0.5, told)


def _panel(at: int, method: str, bars: Sequence[int], most: int, scores: Sequence[float]) -> Iterator[Element]:
    x = _bar_scale()
    top = at * (_BAR + 26) + 20
    y = _Scale(0, most, top + _BAR, top)
    mean, middle = fmean(scores), median(scores)
    yield _text(f"{method}: mean {mean:.3f}, median {middle:.3f}", x(0), top - 6, "label")
    for place, number in enumerate(bars):
        low, high = place / BINS, (place + 1) / BINS
        bar = element("rect", element("title", f"{low:.2f} to {high:.2f}: {number} pages"), x=x(low) + 0.5, y=y(number),
                      width=x(high) - x(low) - 1, height=y(0) - y(number), class_=f"bar s{at % SERIES}")  # fmt: skip
        yield bar
    yield element("line", x1=x(0), y1=y(0), x2=x(1), y2=y(0), class_="base")
    yield _text(f"{most}", x(0) - 6, y(most) + 8, "tick end")
    yield element("line", element("title", f"mean {mean:.3f}"), x1=x(mean), y1=top, x2=x(mean), y2=y(0), class_="mean")


def _bar_scale() -> _Scale:
    return _Scale(0, 1, _MARGIN, _MARGIN + _BARS)


def _gap(rows: Sequence[Mapping[str, Any]]) -> float:
    """The expected calibration error of bins."""
    total = sum(row["count"] for row in rows)
    return float(sum(row["count"] * abs(row["said"] - row["observed"]) for row in rows) / max(total, 1))


def _describe(groups: Series) -> str:
    return "; ".join(
        f"{name}: {', '.join(f'{method} {found[0]:.3f}' for method, found in group.items())}"
        for name, group in groups.items()
    )


def _svg(title: str, description: str, width: float, height: float, *parts: Element) -> Element:
    name = "".join(letter if letter.isalnum() else "-" for letter in title.lower())
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", description, id=f"{name}-desc"),
        *parts,
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        style=f"max-width: {width:g}px",
        class_="plot",
    )


def _figure(svg: Element, title: str, head: Sequence[Column], cells: Sequence[Sequence[Any]]) -> Element:
    figures = element("details", element("summary", "The figures"), table(head, cells))
    return element("figure", element("figcaption", title), svg, figures)


def _text(text: str, x: float, y: float, kind: str, **attributes: str) -> Element:
    return element("text", text, x=x, y=y, class_=kind, **attributes)


def _vertical_line(x: float, top: float, bottom: float, text: str) -> Element:
    line = element("line", x1=x, y1=top, x2=x, y2=bottom, class_="grid")
    return element("g", line, _text(text, x, bottom + 14, "tick middle"))


def _horizontal_line(y: float, left: float, right: float, text: str) -> Element:
    line = element("line", x1=left, y1=y, x2=right, y2=y, class_="grid")
    return element("g", line, _text(text, left - 6, y + 4, "tick end"))


def _marker(at: int, x: float, y: float, radius: float, title: str) -> Element:
    """The marker of a method: circle, square, diamond, triangle, and both of the latter again upside down."""
    kind = f"mark s{at % SERIES}"
    said = element("title", title) if title else None
    if at % SERIES == 0:
        return element("circle", said, cx=x, cy=y, r=radius, class_=kind)
    corners = _CORNERS[at % SERIES - 1]
    points = " ".join(f"{x + radius * dx:.1f},{y + radius * dy:.1f}" for dx, dy in corners)
    return element("polygon", said, points=points, class_=kind)


_CORNERS: Final = (
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    ((0, -1.1), (1.1, 0.9), (-1.1, 0.9)),
    ((0, 1.1), (1.1, -0.9), (-1.1, -0.9)),
    ((-0.4, -1.1), (0.4, -1.1), (0.4, 1.1), (-0.4, 1.1)),
)
"""Square, diamond, triangle up and down, bar."""
