"""Compute the plots of a report as shapes and tables; `templates/plots.html` draws them as inline SVG.

Types and tests check the coordinates in this module; the template only draws six shapes. Colors and fonts are in the
CSS of the report. Methods also differ in their markers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, isnan
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from vclean.characters import format_count
from vclean.html_pages import format_decimals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Series = dict[str, dict[str, tuple[float, float, float]]]
"""Mean and interval by group and method."""

SERIES: Final = 6
"""Number of distinct colors and markers for methods; further methods repeat them."""
BINS: Final = 20
"""Number of bins of the distribution of scores."""
LONG: Final = 40
"""Number of rows above which a table scrolls."""

_LABELS, _ROW, _GAP = 190, 13, 10
_TICKS: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_SQUARE, _MARGIN, _FOOT = 260, 44, 38
_BAR, _BARS, _HEADING, _PANEL = 84, 460, 20, 110

_CORNERS: Final = (
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    ((0, -1.1), (1.1, 0.9), (-1.1, 0.9)),
    ((0, 1.1), (1.1, -0.9), (-1.1, -0.9)),
    ((-0.4, -1.1), (0.4, -1.1), (0.4, 1.1), (-0.4, 1.1)),
)
"""Corners of square, diamond, triangles up and down, and bar; the first series has a circle."""


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a table.

    Attributes:
        name: The head.
        places: Decimal places of its numbers; None if it contains text.
        title: An explanation of the head in a sentence, or empty.
    """

    name: str
    places: int | None = None
    title: str = ""

    @property
    def is_number(self) -> bool:
        """Return whether it contains numbers."""
        return self.places is not None

    def text(self, value: Any) -> str:  # noqa: ANN401 - a text, a number or None
        """Return what the table shows for a value of the column."""
        if self.places is None:
            return "" if value is None else str(value)
        return format_decimals(value, self.places)

    def order(self, value: Any) -> str | None:  # noqa: ANN401 - see `text`
        """Return the sort key of a value; None for text and undefined numbers."""
        return None if self.places is None or value is None or isnan(value) else f"{value:.12g}"


@dataclass(frozen=True, slots=True)
class Table:
    """Table that is sorted by a click on the head of a column.

    Attributes:
        columns: The columns.
        rows: A text, a number or None for each column; the first is the head of its row.
        caption: The caption; empty if the context makes it clear.
        id: The id of the element, or empty.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    caption: str = ""
    id: str = ""

    @property
    def scrolls(self) -> bool:
        """Return whether it scrolls."""
        return len(self.rows) > LONG


@dataclass(frozen=True, slots=True)
class Line:
    """Line in px with a CSS class, and its tooltip."""

    x1: float
    y1: float
    x2: float
    y2: float
    css: str
    title: str = ""
    shape: ClassVar = "line"


@dataclass(frozen=True, slots=True)
class Text:
    """Text at a position in px with CSS classes; if `turned`, it runs upwards."""

    text: str
    x: float
    y: float
    css: str
    turned: bool = False
    shape: ClassVar = "text"


@dataclass(frozen=True, slots=True)
class GridLine:
    """Line of the grid with its value."""

    line: Line
    text: Text
    shape: ClassVar = "grid"


@dataclass(frozen=True, slots=True)
class Bar:
    """Bar of a histogram in px, and its tooltip."""

    series: int
    x: float
    y: float
    width: float
    height: float
    title: str
    shape: ClassVar = "bar"


@dataclass(frozen=True, slots=True)
class Curve:
    """Line of a series; `points` has the syntax of SVG."""

    series: int
    points: str
    shape: ClassVar = "curve"


@dataclass(frozen=True, slots=True)
class Marker:
    """Marker of a series: its position and size in px, and its tooltip."""

    series: int
    x: float
    y: float
    radius: float
    title: str = ""
    shape: ClassVar = "marker"

    @property
    def points(self) -> str:
        """Return the corners of its polygon, or nothing for a circle."""
        corners = _CORNERS[self.series - 1] if self.series else ()
        return " ".join(f"{self.x + self.radius * dx:.1f},{self.y + self.radius * dy:.1f}" for dx, dy in corners)


Shape = Line | Text | GridLine | Bar | Curve | Marker


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Plot with its data.

    Attributes:
        title: Its caption.
        description: The most important figures in words, for screen readers.
        width, height: Its size in px.
        shapes: The shapes in drawing order.
        figures: All figures as a table.
    """

    title: str
    description: str
    width: float
    height: float
    shapes: Sequence[Shape]
    figures: Table

    @property
    def id(self) -> str:
        """Return the prefix of the ids of its title and its description."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.title.lower())


@dataclass(frozen=True, slots=True)
class _Scale:
    """Linear map from values to px: `low` is at `start`, `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def legend(methods: Sequence[str]) -> list[tuple[str, Marker]]:
    """Return the methods with their markers; nothing for a single method."""
    if len(methods) < 2:
        return []
    return [(name, Marker(index % SERIES, 8, 8, 5.0)) for index, name in enumerate(methods)]


def by_group(title: str, methods: Sequence[str], groups: Series, pages: Mapping[str, int]) -> Plot:
    """Plot a row for every group: a marker for the mean of every method, and a line for its interval.

    Args:
        title: The title of the plot.
        methods: All methods, in the order of the legend.
        groups: Means and intervals of at least one group.
        pages: The number of pages of each group.
    """
    low = min(floor(10 * figures[1]) / 10 for group in groups.values() for figures in group.values())
    x = _Scale(min(low, 0.9), 1.0, _LABELS, _LABELS + _BARS - _GAP)
    rows: list[Shape] = []
    y = float(_GAP)
    for name, group in groups.items():
        rows += _group_row(f"{name} ({pages[name]})", methods, group, x, y)
        y += _ROW * len(group) + _GAP
    ticks = [value / 10 for value in range(round(10 * x.low), 11)]
    cells = [
        [name, pages[name], method, *figures] for name, group in groups.items() for method, figures in group.items()
    ]
    numbers = [Column(name, 3) for name in ("mean", "from", "to")]
    return Plot(
        title=title,
        description=_describe(groups),
        width=_LABELS + _BARS,
        height=y + 20,
        shapes=[*(_vertical(x(value), 0, y, f"{value:.1f}") for value in ticks), *rows],
        figures=Table([Column("group"), Column("pages", 0), Column("method"), *numbers], cells),
    )


def reliability(title: str, bins: Mapping[str, Sequence[Mapping[str, Any]]], predicted: str, observed: str) -> Plot:
    """Plot predictions against outcomes, a line for each method: on the diagonal they are equal.

    Args:
        title: The title of the plot.
        bins: Bins by method, of `vclean.classify.evaluation.reliability.Reliability.to_dict`.
        predicted: The name of the x axis.
        observed: The name of the y axis.
    """
    x, y = _Scale(0, 1, _MARGIN, _MARGIN + _SQUARE), _Scale(0, 1, _SQUARE + _GAP, _GAP)
    errors = ", ".join(f"{method}: {_calibration_error(rows):.3f}" for method, rows in bins.items())
    columns = [Column("method"), Column("count", 0), Column(predicted, 3), Column(observed, 3)]
    cells = [[method, row["count"], row["predicted"], row["observed"]] for method, rows in bins.items() for row in rows]
    return Plot(
        title=title,
        description=f"Mean distance from the diagonal {errors}",
        width=x(1) + _GAP,
        height=_SQUARE + _GAP + _FOOT,
        shapes=[
            *(_vertical(x(value), _GAP, _SQUARE + _GAP, f"{value:g}") for value in _TICKS),
            *(_horizontal(y(value), _MARGIN, _MARGIN + _SQUARE, f"{value:g}") for value in _TICKS),
            Line(x(0), y(0), x(1), y(1), "diagonal"),
            *(
                shape
                for index, (name, rows) in enumerate(bins.items())
                for shape in _curve(index % SERIES, name, rows, x, y)
            ),
            Text(predicted, x(0.5), _SQUARE + _GAP + 32, "axis middle"),
            Text(observed, 11, y(0.5), "axis middle", turned=True),
        ],
        figures=Table(columns, cells),
    )


def distribution(title: str, values: Mapping[str, Sequence[float]]) -> Plot:
    """Plot the distribution of scores over pages: a histogram for every method, one below the other, on one axis.

    Args:
        title: The title of the plot.
        values: The scores by method, in 0..1, at least one of each.
    """
    counts = {method: np.histogram(scores, BINS, (0, 1))[0].tolist() for method, scores in values.items()}
    maximum = max(map(max, counts.values()))
    x = _Scale(0, 1, _MARGIN, _MARGIN + _BARS)
    shapes: list[Shape] = []
    for index, (method, bars) in enumerate(counts.items()):
        top = index * _PANEL + _HEADING
        shapes += _histogram(index % SERIES, method, bars, values[method], x=x, y=_Scale(0, maximum, top + _BAR, top))
    bottom = len(counts) * _PANEL
    cells = [
        [f"{index / BINS:.2f} to {(index + 1) / BINS:.2f}", *row]
        for index, row in enumerate(zip(*counts.values(), strict=True))
    ]
    return Plot(
        title=title,
        description=", ".join(f"{method}: median {median(scores):.3f}" for method, scores in values.items()),
        width=x(1) + _GAP,
        height=bottom + 20,
        shapes=[*shapes, *(Text(f"{value:g}", x(value), bottom + 12, "tick middle") for value in _TICKS)],
        figures=Table([Column("word F1"), *(Column(name, 0) for name in counts)], cells),
    )


def _group_row(
    name: str, methods: Sequence[str], group: Mapping[str, tuple[float, float, float]], x: _Scale, top: float
) -> Iterator[Shape]:
    yield Text(name, _LABELS - _GAP, top + _ROW * len(group) / 2 + 4, "label end")
    for row, (method, (mean, low, high)) in enumerate(group.items()):
        y, series = top + _ROW * (row + 0.5), methods.index(method) % SERIES
        yield Line(x(max(low, x.low)), y, x(high), y, f"reach s{series}")
        yield Marker(series, x(mean), y, 4.5, f"{name}, {method}: {mean:.3f} ({low:.3f} to {high:.3f})")


def _curve(series: int, method: str, rows: Sequence[Mapping[str, Any]], x: _Scale, y: _Scale) -> Iterator[Shape]:
    yield Curve(series, " ".join(f"{x(row['predicted']):.1f},{y(row['observed']):.1f}" for row in rows))
    maximum = max((row["count"] for row in rows), default=1)
    for row in rows:
        times = format_count(row["count"], "time")
        title = f"{method}: predicted {row['predicted']:.2f}, observed {row['observed']:.2f}, {times}"
        yield Marker(series, x(row["predicted"]), y(row["observed"]), 3 + 5 * (row["count"] / maximum) ** 0.5, title)


def _histogram(
    series: int, method: str, counts: Sequence[int], scores: Sequence[float], *, x: _Scale, y: _Scale
) -> Iterator[Shape]:
    mean, maximum = fmean(scores), y.high
    yield Text(f"{method}: mean {mean:.3f}, median {median(scores):.3f}", x(0), y(maximum) - 6, "label")
    for index, number in enumerate(counts):
        low, high = index / BINS, (index + 1) / BINS
        title = f"{low:.2f} to {high:.2f}: {format_count(number, 'page')}"
        yield Bar(series, x(low) + 0.5, y(number), x(high) - x(low) - 1, y(0) - y(number), title)
    yield Line(x(0), y(0), x(1), y(0), "base")
    yield Text(f"{maximum:.0f}", x(0) - 6, y(maximum) + 8, "tick end")
    yield Line(x(mean), y(maximum), x(mean), y(0), "mean", f"mean {mean:.3f}")


def _vertical(x: float, top: float, bottom: float, text: str) -> GridLine:
    return GridLine(Line(x, top, x, bottom, "grid"), Text(text, x, bottom + 14, "tick middle"))


def _horizontal(y: float, left: float, right: float, text: str) -> GridLine:
    return GridLine(Line(left, y, right, y, "grid"), Text(text, left - 6, y + 4, "tick end"))


def _calibration_error(rows: Sequence[Mapping[str, Any]]) -> float:
    """Return the expected calibration error of bins."""
    total = sum(row["count"] for row in rows)
    return float(sum(row["count"] * abs(row["predicted"] - row["observed"]) for row in rows) / max(total, 1))


def _describe(groups: Series) -> str:
    return "; ".join(
        f"{name}: {', '.join(f'{method} {mean:.3f}' for method, (mean, _, _) in group.items())}"
        for name, group in groups.items()
    )
