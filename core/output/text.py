"""Write plain text and the text format of CleanEval 2007."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
    from vclean.output.selection import table_cells

    texts, labels = result.columns.text, result.prediction.labels
    tables, rows, columns = table_cells(result.columns, labels).T.tolist()
    content = [block for block, label in enumerate(labels) if label.is_content]
    for row, group in groupby(content, rows.__getitem__):
        blocks = list(group)
        if row:
            yield TextUnit(
                Label.PARAGRAPH, _row([(columns[block], texts[block]) for block in blocks]), tables[blocks[0]]
            )
        else:
            yield from units([texts[block] for block in blocks], [labels[block] for block in blocks])


def _row(cells: Iterable[tuple[int, str]]) -> str:
    r"""Return the texts of the cells of a row, with tabs between their columns, also those without text.

    >>> _row([(0, "a"), (2, "b"), (2, "c")])
    'a\t\tb c'
    """
    line, last = "", 0
    for column, text in cells:
        gap = "\t" * (column - last) or " " * bool(line)
        line, last = line + gap + " ".join(text.split()), column
    return line


def _with_title(result: Result) -> tuple[list[str], list[Label]]:
    """Return texts and labels of the blocks, after the title if it is printed as headline."""
    title, columns, prediction = result.prediction.added_title, result.columns, result.prediction
    if not title:
        return columns.text, prediction.labels
    return [title, *columns.text], [Label.HEADING, *prediction.labels]
