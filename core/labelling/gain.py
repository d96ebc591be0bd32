"""What corrections are worth: scores on corrected pages that a model did not learn from, before and after."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.classify.gold import CODES
from vclean.classify.scores import word_score
from vclean.formats import to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from vclean.classify.prediction import Prediction
    from vclean.labelling.corrections import Correction
    from vclean.labels import Label


@dataclass(frozen=True, slots=True)
class Marks:
    """Means over pages: word F1 of the clean text, and the share of blocks whose label is right."""

    word_f1: float
    labels: float

    @classmethod
    def mean(cls, marks: Iterable[Marks]) -> Marks:
        """The means of the marks of at least one page."""
        each = list(marks)
        return cls(fmean(mark.word_f1 for mark in each), fmean(mark.labels for mark in each))


@dataclass(frozen=True, slots=True)
class Gain:
    """What learning from some of the pages is worth on the others.

    Attributes:
        held_out: what the pages scored have not in common with those learned from: `pages` or `sites`.
        pages: how many were scored, each by a model that did not learn from it.
        before, after: the marks without and with corrections.
    """

    held_out: str
    pages: int
    before: Marks
    after: Marks

    def to_dict(self) -> dict[str, Any]:
        """As the model card has it."""
        return asdict(self)


def measure(
    held_out: str,
    corrections: Sequence[Correction],
    before: Callable[[int], Prediction],
    after: Callable[[int], Prediction],
) -> Gain:
    """The gain over the rendered pages.

    Args:
        held_out: see `Gain`.
        corrections: the pages, at least one of them rendered.
        before: what the model without corrections says of the page of a number.
        after: what the one with them says.
    """
    rows = [row for row, correction in enumerate(corrections) if correction.rendered]
    marks = [(mark(corrections[row], before(row).labels), mark(corrections[row], after(row).labels)) for row in rows]
    return Gain(held_out, len(rows), Marks.mean(mark[0] for mark in marks), Marks.mean(mark[1] for mark in marks))


def mark(correction: Correction, labels: Sequence[Label]) -> Marks:
    """The marks of a page's labels; a page without blocks has all of them right."""
    right = np.array([CODES[code] is label for code, label in zip(correction.label.tolist(), labels, strict=True)])
    texts = correction.blocks.text
    return Marks(
        word_score(to_text(texts, labels), correction.gold.text).f1, float(right.mean()) if len(right) else 1.0
    )


def table(gains: Sequence[Gain]) -> str:
    """The gains in lines, for people."""
    lines = [f"{'held out':12} {'pages':>6} {'word F1':>16} {'labels right':>18}"]
    for gain in gains:
        f1 = f"{gain.before.word_f1:.3f} -> {gain.after.word_f1:.3f}"
        labels = f"{gain.before.labels:.3f} -> {gain.after.labels:.3f}"
        lines.append(f"other {gain.held_out:6} {gain.pages:6} {f1:>16} {labels:>18}")
    return "\n".join(lines) + "\n"
