"""The cleaned page with what Markdown cannot say put in ways it can: spans of cells, blocks in cells, captions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from vclean.pruning import INLINE

if TYPE_CHECKING:
    from collections.abc import Iterator

_IN_CELLS = ("p", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "figure", "figcaption")
_UNMARKED = frozenset(("dl", "dt", "dd", "figure", "figcaption"))
"""Elements that leave no mark in Markdown other than a blank line."""

_NUMBER = re.compile(r"\s*([0-9]{1,5})")
_START = re.compile(r"[0-9]{1,8}")
"""CommonMark takes numbers of up to nine figures; one is left to count on."""

_MAX_COLSPAN, _MAX_ROWSPAN = 1000, 65534
"""The bounds of the HTML standard."""


def flatten(body: etree._Element) -> None:
    """Change a cleaned body in place.

    Captions come before their tables, spans of cells become empty cells, blocks in cells are parted by `br`, terms
    lose their own emphasis, a `br` at the edge of an inline element moves out of it, and items get an attribute
    `mark`: what begins them in Markdown.
    """
    for table in list(body.iter("table")):
        _lift_caption(table)
        _fill_spans(table)
    for cell in body.iter("td", "th"):
        _part_blocks(cell)
    for term in body.iter("dt"):
        etree.strip_tags(term, "b", "strong")
    for line_break in list(body.iter("br")):
        _move_out(line_break)
    for item_list in body.iter("ul", "ol"):
        _mark_items(item_list)


def _lift_caption(table: etree._Element) -> None:
    for caption in table.findall("caption"):
        caption.tag, caption.tail = "div", None
        table.addprevious(caption)


def _fill_spans(table: etree._Element) -> None:
    """Empty cells where a cell reaches from the left or from above, and to the right of a short first row."""
    rows, group = list(table.iter("tr")), None
    covered: dict[int, int] = {}
    for row in rows:
        if row.getparent() is not group:
            group, covered = row.getparent(), {}
        covered = _fill_row(row, covered)
    for row in rows[:1]:
        row.extend(_empty(max(map(len, rows)) - len(row)))


def _fill_row(row: etree._Element, covered: dict[int, int]) -> dict[int, int]:
    """Fill a row, given for how many rows each column is covered from above; returns the same for the next row."""
    below = {column: rows - 1 for column, rows in covered.items() if rows > 1}
    column = missing = 0
    for cell in list(row):
        while column in covered:
            column, missing = column + 1, missing + 1
        for empty in _empty(missing):
            cell.addprevious(empty)
        across = min(_number(cell, "colspan") or 1, _MAX_COLSPAN)
        down = _number(cell, "rowspan") or _MAX_ROWSPAN
        if down > 1:
            below.update(dict.fromkeys(range(column, column + across), down - 1))
        column, missing = column + across, across - 1
    return below


def _number(cell: etree._Element, name: str) -> int:
    found = _NUMBER.match(cell.get(name, ""))
    return int(found[1]) if found else 1


def _empty(count: int) -> Iterator[etree._Element]:
    return (etree.Element("td") for _ in range(count))


def _part_blocks(cell: etree._Element) -> None:
    for block in list(cell.iter(*_IN_CELLS, "pre")):
        block.addprevious(etree.Element("br"))
        after = etree.Element("br")
        after.tail, block.tail = block.tail, None
        block.addnext(after)
    etree.strip_tags(cell, *_IN_CELLS)


def _move_out(line_break: etree._Element) -> None:
    """Move a line break that begins or ends inline elements before or after them."""
    while (parent := line_break.getparent()) is not None and parent.tag in INLINE:
        if line_break.getnext() is None and not (line_break.tail or "").strip():
            line_break.tail, parent.tail = parent.tail, None
            parent.addnext(line_break)
        elif line_break.getprevious() is None and not (parent.text or "").strip():
            parent.text, line_break.tail = (line_break.tail or "").lstrip(), None
            parent.addprevious(line_break)
        else:
            return


def _mark_items(item_list: etree._Element) -> None:
    """A bullet or a number for every item, other than in the list right before, which it would be one with."""
    items = item_list.findall("li")
    again = _follows_another(item_list)
    if item_list.tag == "ul":
        marks = ["*" if again else "-"] * len(items)
    else:
        start = _start(item_list, items)
        marks = [f"{number}{')' if again else '.'}" for number in range(start, start + len(items))]
    for item, mark in zip(items, marks, strict=True):
        item.set("mark", mark)


def _follows_another(item_list: etree._Element) -> bool:
    """Whether a list of the same kind, marked in the usual way, stands right before a list."""
    before = _right_before(item_list)
    while before is not None and before.tag in _UNMARKED and len(before) and not (before[-1].tail or "").strip():
        before = before[-1]
    if before is None or before.tag != item_list.tag:
        return False
    first = before.find("li")
    return first is not None and first.get("mark", "")[-1:] in ("-", ".")


def _right_before(element: etree._Element) -> etree._Element | None:
    """The element right before an element, or before the unmarked one that it begins; None if words are between."""
    before, parent = element.getprevious(), element.getparent()
    if before is not None:
        return None if (before.tail or "").strip() else before
    if parent is None or parent.tag not in _UNMARKED or (parent.text or "").strip():
        return None
    return _right_before(parent)


def _start(item_list: etree._Element, items: list[etree._Element]) -> int:
    """The number of the first item: the list's start, or the item's own value."""
    told = item_list.get("start", "") or (items[0].get("value", "") if items else "")
    return int(told) if _START.fullmatch(told) else 1
