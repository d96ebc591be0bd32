"""Tables of a report, whose columns a click on their heads sorts."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, Final

from vclean.compare.document import element

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.compare.document import Element

LONG: Final = 40
"""Rows from which on a table scrolls in a frame of its own."""

Cell = Any
"""What a table shows: a text, a number, an element, or None for nothing."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        name: its head.
        places: of its numbers; None where it holds no numbers.
        title: what the head means, in a sentence, or empty.
    """

    name: str
    places: int | None = None
    title: str = ""


def table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], *, caption: str = "", name: str = "") -> Element:
    """A table that can be sorted.

    Args:
        columns: its columns.
        rows: a cell for each of them; the first is the head of its row.
        caption: what it shows; empty where its surroundings say so.
        name: its id, or empty.
    """
    head = [
        element(
            "th", element("button", column.name, type="button", title=column.title or None), scope="col",
            class_="n" if column.places is not None else None,
        )
        for column in columns
    ]  # fmt: skip
    body = [
        element("tr", *(_cell(*pair, first=at == 0) for at, pair in enumerate(zip(columns, row, strict=True))))
        for row in rows
    ]
    made = element(
        "table",
        element("caption", caption) if caption else None,
        element("thead", element("tr", *head)),
        element("tbody", *body),
        class_="sortable",
        id=name or None,
    )
    kind = "scroll long" if len(rows) > LONG else "scroll"
    return element("div", made, class_=kind, tabindex=0, role="region", aria_label=caption or "Table")


def shown(value: float | None, places: int) -> str:
    """A number with its decimal places and commas between thousands; a dash for one that is not defined."""
    return "–" if value is None or isnan(value) else f"{value:,.{places}f}"


def counted(number: int, noun: str) -> str:
    """How many there are of something.

    >>> counted(1, "word"), counted(1200, "word")
    ('1 word', '1,200 words')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _cell(column: Column, value: Cell, *, first: bool) -> Element:
    number = column.places is not None
    content = shown(value, column.places) if column.places is not None else value
    kind = "n" if number else None
    order = f"{value:.12g}" if number and value is not None and not isnan(value) else None
    if first:
        return element("th", content, scope="row", class_=kind, data_order=order)
    return element("td", content, class_=kind, data_order=order)
