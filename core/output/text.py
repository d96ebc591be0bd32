"""Write plain text and the text format of CleanEval 2007."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vclean.labels import Label
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vclean.features.blocks import BlockColumns
    from vclean.result import Result


class TextUnit(NamedTuple):
    """Heading, paragraph or list item of the clean text, with its continuations; or row of a table.

    Attributes:
        label: the label of its first block.
        text: the text.
        table: a number of the table, 0 for units that are no row.
    """

    label: Label
    text: str
    table: int = 0


def units(texts: Sequence[str], labels: Iterable[Label]) -> list[TextUnit]:
    """Combine the content blocks to units: a continuation is appended to the unit before it.

    Boilerplate and empty blocks are left out. A continuation without a unit before it begins a paragraph.
    """
    groups: list[tuple[Label, list[str]]] = []
    for text, label in zip(texts, labels, strict=True):
        if not label.is_content or not text.strip():
            continue
        if label is Label.CONTINUATION and groups:
            groups[-1][1].append(text)
        else:
            groups.append((Label.PARAGRAPH if label is Label.CONTINUATION else label, [text]))
    return [TextUnit(label, " ".join(parts)) for label, parts in groups]


def to_cleaneval(texts: Sequence[str], labels: Iterable[Label]) -> str:
    r"""Return one line per unit, after its tag `<h>`, `<p>` or `<l>`, as in CleanEval 2007.

    >>> to_cleaneval(["News", "It rained.", "Again."], [Label.HEADING, Label.PARAGRAPH, Label.CONTINUATION])
    '<h>News\n<p>It rained. Again.\n'
    """
    return "".join(f"<{unit.label}>{' '.join(unit.text.split())}\n" for unit in units(texts, labels))


def to_text(texts: Sequence[str], labels: Iterable[Label]) -> str:
    r"""Return the units with a blank line between them, but none between two list items.

    Line breaks of preformatted text are kept. Without content the text is empty.

    >>> to_text(["Two fruits", "apple", "pear"], [Label.PARAGRAPH, Label.LIST_ITEM, Label.LIST_ITEM])
    'Two fruits\n\napple\npear\n'
    """
    return _join(units(texts, labels))


def _join(units_of_page: Iterable[TextUnit]) -> str:
    """Return the units with a blank line between them, but none between two list items or two rows of a table."""
    text, previous = "", TextUnit(Label.OTHER, "")
    for unit in units_of_page:
        is_list = unit.table > 0 or previous.label is unit.label is Label.LIST_ITEM
        is_same = previous.table == unit.table and is_list
        text += ("" if is_same or not text else "\n") + unit.text + "\n"
        previous = unit
    return text


def write_cleaneval(result: Result) -> str:
    """Return the clean text of a result in the format of CleanEval 2007."""
    return to_cleaneval(*_with_title(result))


def write_text(result: Result) -> str:
    """Return the clean text of a result without markup; tabs separate the cells of a row of a table."""
    if "table" not in result.columns.snapshot.tags:
        return to_text(*_with_title(result))
    title = result.prediction.added_title
    return _join([*([TextUnit(Label.HEADING, title)] if title else []), *_units_and_rows(result)])


def _units_and_rows(result: Result) -> Iterator[TextUnit]:
    """Iterate over the units outside data tables, and the rows of data tables."""
    from vclean.output.selection import kept_tables

    texts, labels, rows = result.columns.text, result.prediction.labels, TableRows(result.columns)
    table_rows = np.where(kept_tables(result.columns, labels)[rows.table], rows.row, 0).tolist()
    content = [block for block, label in enumerate(labels) if label.is_content]
    for row, group in groupby(content, table_rows.__getitem__):
        blocks = list(group)
        if row:
            cells = (" ".join(cell.split()) for cell in rows.cells(row, blocks))
            yield TextUnit(Label.PARAGRAPH, "\t".join(cells).rstrip("\t"), int(rows.table[blocks[0]]))
        else:
            yield from units([texts[block] for block in blocks], [labels[block] for block in blocks])


class TableRows:
    """Rows of tables around the B blocks of a page.

    Attributes:
        table: int32 (B,), the table around each block, 0 without.
        row: int32 (B,), the row with the cell around each block, 0 without.
    """

    def __init__(self, blocks: BlockColumns) -> None:
        snapshot = blocks.snapshot
        self._blocks, self._is_cell = blocks, snapshot.is_tag(("td", "th"))
        self._row = tree.nearest_ancestor(snapshot.is_tag(("tr",)), snapshot.parent)
        self._cell = tree.nearest_ancestor(self._is_cell, snapshot.parent)[blocks.node]
        self.table = tree.nearest_ancestor(snapshot.is_tag(("table",)), snapshot.parent)[blocks.node]
        self.row = np.where(self._cell > self._row[blocks.node], self._row[blocks.node], 0)

    def cells(self, row: int, blocks: Sequence[int]) -> list[str]:
        """Return the texts of `blocks` in each cell of a row, also those of empty cells."""
        end, texts = int(self._blocks.snapshot.end[row]), self._blocks.text
        cells = row + np.flatnonzero(self._is_cell[row:end] & (self._row[row:end] == row))
        return [" ".join(texts[block] for block in blocks if self._cell[block] == cell) for cell in cells.tolist()]


def _with_title(result: Result) -> tuple[list[str], list[Label]]:
    """Return texts and labels of the blocks, after the title if it is printed as headline."""
    title, columns, prediction = result.prediction.added_title, result.columns, result.prediction
    if not title:
        return columns.text, prediction.labels
    return [title, *columns.text], [Label.HEADING, *prediction.labels]
