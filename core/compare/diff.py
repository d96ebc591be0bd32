"""`Comparison`: what two methods say of the same blocks, and where they disagree."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.characters import legal
from vclean.classify.scores import word_score
from vclean.errors import UsageError
from vclean.render.overlay import excerpt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.result import Result

FIRST_ONLY, SECOND_ONLY, OTHERWISE = "-", "+", "~"
"""How a block differs: kept by the first alone, by the second alone, or by both under other labels."""

_TEXT: Final = 72
"""Characters of a block that a line shows."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two results on the same B blocks.

    Attributes:
        names: what the two are called.
        first, second: the results.
        picture: of the page, PNG or JPEG with one px per CSS px, or empty.
    """

    names: tuple[str, str]
    first: Result
    second: Result
    picture: bytes = b""

    @property
    def id(self) -> str:
        """The page's name."""
        return self.first.id

    @cached_property
    def differing(self) -> list[int]:
        """The blocks with two different labels, in document order."""
        pairs = zip(self.first.labels, self.second.labels, strict=True)
        return [block for block, (first, second) in enumerate(pairs) if first is not second]

    @property
    def agreement(self) -> float:
        """The share of blocks with the same label, in 0..1; 1 of none."""
        return 1 - len(self.differing) / max(len(self.first.labels), 1)

    @cached_property
    def word_f1(self) -> float:
        """The word F1 of the second text against the first, in 0..1; it is the same the other way round."""
        return word_score(self.second.text, self.first.text).f1

    def kind(self, block: int) -> str:
        """How a block on which they differ does: one of `FIRST_ONLY`, `SECOND_ONLY`, `OTHERWISE`."""
        if self.first.labels[block].is_content and self.second.labels[block].is_content:
            return OTHERWISE
        return FIRST_ONLY if self.first.labels[block].is_content else SECOND_ONLY

    def count(self, kind: str) -> int:
        """How many blocks differ in this way."""
        return sum(self.kind(block) == kind for block in self.differing)

    def summary(self) -> str:
        """One line: how far they agree."""
        first, second = self.names
        total = len(self.first.labels)
        return (
            f"{total - len(self.differing)} of {total} blocks alike ({100 * self.agreement:.1f} %), "
            f"{self.count(FIRST_ONLY)} kept by {first} alone, {self.count(SECOND_ONLY)} by {second} alone, "
            f"{self.count(OTHERWISE)} by both under other labels; "
            f"word F1 of {second} against {first} {self.word_f1:.3f}"
        )

    def write(self, name: str) -> str:
        """The comparison as `text`, `json` or `html`.

        Raises:
            UsageError: there is no such format.
        """
        if name == "text":
            return self._text()
        if name == "json":
            return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
        if name == "html":
            from vclean.compare.diff_page import to_html

            return to_html(self)
        raise UsageError(f"no format {name!r} for comparisons: choose text, json or html")

    def to_dict(self) -> dict[str, Any]:
        """Everything known of the comparison, ready for JSON; `docs/compare.md` describes the fields."""
        snapshot = self.first.blocks.snapshot
        return {
            "id": self.id,
            "url": snapshot.url,
            "title": snapshot.title,
            "rendered": snapshot.rendered,
            "first": _side(self.names[0], self.first),
            "second": _side(self.names[1], self.second),
            "blocks": len(self.first.labels),
            "agreement": round(self.agreement, 5),
            "word_f1": round(self.word_f1, 5),
            "first_only": self.count(FIRST_ONLY),
            "second_only": self.count(SECOND_ONLY),
            "other_label": self.count(OTHERWISE),
            "differences": [self._difference(block) for block in self.differing],
        }

    def _difference(self, block: int) -> dict[str, Any]:
        blocks = self.first.blocks
        return {
            "block": block,
            "kind": {FIRST_ONLY: "first_only", SECOND_ONLY: "second_only", OTHERWISE: "other_label"}[self.kind(block)],
            "xpath": blocks.snapshot.xpath(int(blocks.node[block])),
            "first": _said(self.first, block),
            "second": _said(self.second, block),
            "box": _box(blocks.box[block]),
            "text": blocks.text[block],
        }

    def _text(self) -> str:
        rows = [self._row(block) for block in self.differing]
        widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:4]]
        lines = [f"--- {self.names[0]}", f"+++ {self.names[1]}", *(_line(row, widths) for row in rows), self.summary()]
        return "\n".join(lines) + "\n"

    def _row(self, block: int) -> tuple[str, ...]:
        blocks = self.first.blocks
        said = (told(result, block) for result in (self.first, self.second))
        xpath = blocks.snapshot.xpath(int(blocks.node[block]))
        text = excerpt(" ".join(blocks.text[block].split()), _TEXT)
        return self.kind(block), str(block), *said, legal(xpath), legal(f'"{text}"')


def told(result: Result, block: int) -> str:
    """The label of a block and its probability, such as `p .91`."""
    probability = float(result.probability[block])
    shown = f" {probability:.2f}".replace(" 0.", " .") if isfinite(probability) else ""
    return f"{result.labels[block]}{shown}"


def total(figures: Sequence[tuple[int, float, float]]) -> str:
    """One line on several pages together, given how many blocks of each differ, its agreement and its word F1.

    >>> total([(0, 1.0, 1.0), (2, 0.5, 0.8)])
    '2 pages, 1 differ; on average 75.0 % of the blocks of a page alike, word F1 0.900'
    """
    differ = sum(differing > 0 for differing, _, _ in figures)
    _, agreement, f1 = (fmean(column) for column in zip(*figures, strict=True))
    alike = f"{100 * agreement:.1f} % of the blocks of a page alike"
    return f"{len(figures)} pages, {differ} differ; on average {alike}, word F1 {f1:.3f}"


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    kind, block, first, second, *rest = row
    return "  ".join([f"{kind} {block:>{widths[1]}}", first.ljust(widths[2]), second.ljust(widths[3]), *rest])


def _side(name: str, result: Result) -> dict[str, Any]:
    confidence = round(result.confidence, 4) if isfinite(result.confidence) else None
    return {"name": name, "method": result.method, "versions": result.version, "confidence": confidence}


def _said(result: Result, block: int) -> dict[str, Any]:
    probability = float(result.probability[block])
    shown = round(probability, 4) if isfinite(probability) else None
    return {"label": str(result.labels[block]), "probability": shown}


def _box(box: NDArray[np.float32]) -> list[float] | None:
    return [round(value, 2) for value in box.tolist()] if np.isfinite(box).all() else None
