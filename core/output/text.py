"""The plain text formats: CleanEval's marked lines and the same text without marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vclean.result import Result


class TextUnit(NamedTuple):
    """A heading, paragraph or list item of the clean text, with its continuations."""

    label: Label
    text: str


def units(texts: Sequence[str], labels: Iterable[Label]) -> list[TextUnit]:
    """The clean text in units: a continuation joins the unit before it, boilerplate and empty blocks go.

    A continuation with nothing before it begins a paragraph.
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
    r"""One unit per line, its mark before it, as in CleanEval 2007: `<h>`, `<p>` or `<l>`.

    >>> to_cleaneval(["News", "It rained.", "Again."], [Label.HEADING, Label.PARAGRAPH, Label.CONTINUATION])
    '<h>News\n<p>It rained. Again.\n'
    """
    return "".join(f"<{unit.label}>{' '.join(unit.text.split())}\n" for unit in units(texts, labels))


def to_text(texts: Sequence[str], labels: Iterable[Label]) -> str:
    r"""The units with a blank line between them, but none between two list items; `""` when there is nothing.

    Line breaks of preformatted text are kept.

    >>> to_text(["Two fruits", "apple", "pear"], [Label.PARAGRAPH, Label.LIST_ITEM, Label.LIST_ITEM])
    'Two fruits\n\napple\npear\n'
    """
    pieces, before = [], None
    for unit in units(texts, labels):
        together = before is unit.label is Label.LIST_ITEM
        pieces.append(("" if before is None or together else "\n") + unit.text + "\n")
        before = unit.label
    return "".join(pieces)


def write_cleaneval(result: Result) -> str:
    """Return the clean text of a result in CleanEval's marked lines."""
    return to_cleaneval(result.columns.text, result.prediction.labels)


def write_text(result: Result) -> str:
    """Return the clean text of a result without marks."""
    return to_text(result.columns.text, result.prediction.labels)
