"""Write plain text and the text format of CleanEval 2007."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vclean.result import Result


class TextUnit(NamedTuple):
    """Heading, paragraph or list item of the clean text, with its continuations."""

    label: Label
    text: str


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
    parts, previous = [], None
    for unit in units(texts, labels):
        same_list = previous is unit.label is Label.LIST_ITEM
        parts.append(("" if previous is None or same_list else "\n") + unit.text + "\n")
        previous = unit.label
    return "".join(parts)


def write_cleaneval(result: Result) -> str:
    """Return the clean text of a result in the format of CleanEval 2007."""
    return to_cleaneval(*_with_title(result))


def write_text(result: Result) -> str:
    """Return the clean text of a result without markup."""
    return to_text(*_with_title(result))


def _with_title(result: Result) -> tuple[list[str], list[Label]]:
    """Return texts and labels of the blocks, after the title if it is printed as headline."""
    title, columns, prediction = result.prediction.added_title, result.columns, result.prediction
    if not title:
        return columns.text, prediction.labels
    return [title, *columns.text], [Label.HEADING, *prediction.labels]
