"""Compare the results of two methods for the same blocks."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from vclean.characters import format_count, replace_illegal
from vclean.classify.evaluation.scores import word_score
from vclean.errors import UsageError
from vclean.html_pages import INLINE_POLICY, asset, render_page
from vclean.output.json import block_fields
from vclean.output.overlay import to_overlay_blocks
from vclean.render.overlay.draw import data_url
from vclean.render.overlay.html import page_styles
from vclean.render.overlay.layers import PENS, excerpt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.block import Block
    from vclean.result import Result


FIRST_ONLY, SECOND_ONLY, OTHERWISE = "-", "+", "~"
"""Kinds of difference: only the first keeps the block, only the second does, or both do with different labels."""

_NAMES: Final = {FIRST_ONLY: "first_only", SECOND_ONLY: "second_only", OTHERWISE: "other_label"}
_CLASSES: Final = {FIRST_ONLY: "first", SECOND_ONLY: "second", OTHERWISE: "other"}

_LINE_CHARACTERS: Final = 72
"""Maximum number of characters of a block in a line."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Comparison of two results for the same B blocks.

    Attributes:
        names: names of the two methods.
        first, second: the results.
        screenshot: of the page, PNG or JPEG with one px per CSS px, or empty.
    """

    names: tuple[str, str]
    first: Result
    second: Result
    screenshot: bytes = b""

    @property
    def id(self) -> str:
        """Return the name of the page."""
        return self.first.id

    @cached_property
    def differences(self) -> dict[int, str]:
        """Return how each block with two different labels differs, in document order.

        The values are `FIRST_ONLY`, `SECOND_ONLY` and `OTHERWISE`.
        """
        pairs = zip(self.first.prediction.labels, self.second.prediction.labels, strict=True)
        kinds = {(True, False): FIRST_ONLY, (False, True): SECOND_ONLY}
        return {
            block: kinds.get((first.is_content, second.is_content), OTHERWISE)
            for block, (first, second) in enumerate(pairs)
            if first is not second
        }

    @property
    def agreement(self) -> float:
        """Return the share of blocks with the same label, in 0..1; 1 for a page without blocks."""
        return 1 - len(self.differences) / max(len(self.first.prediction.labels), 1)

    @cached_property
    def word_f1(self) -> float:
        """Return the word F1 of the second text against the first, in 0..1; it is symmetric."""
        return word_score(self.second.to_text(), self.first.to_text()).f1

    def count(self, kind: str) -> int:
        """Return the number of blocks that differ in this way."""
        return list(self.differences.values()).count(kind)

    def summary(self) -> str:
        """Return the agreement in one line."""
        first, second = self.names
        count = len(self.first.prediction.labels)
        return (
            f"{count - len(self.differences)} of {format_count(count, 'block')} alike ({100 * self.agreement:.1f} %), "
            f"{self.count(FIRST_ONLY)} kept by {first} alone, {self.count(SECOND_ONLY)} by {second} alone, "
            f"{self.count(OTHERWISE)} by both with different labels; "
            f"word F1 of {second} against {first} {self.word_f1:.3f}"
        )

    def to(self, format: str) -> str:  # noqa: A002 - same name as in `Result.to`
        """Return the comparison as `text`, `json` or `html`.

        Raises:
            UsageError: there is no such format.
        """
        if format == "text":
            return self._text()
        if format == "json":
            return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
        if format == "html":
            return to_html(self)
        raise UsageError(f"no format {format!r} for comparisons: choose text, json or html")

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as values for JSON; `docs/guides/compare.md` describes the fields."""
        snapshot = self.first.columns.snapshot
        return {
            "id": self.id,
            "url": snapshot.url,
            "title": snapshot.title,
            "rendered": snapshot.rendered,
            "first": _side(self.names[0], self.first),
            "second": _side(self.names[1], self.second),
            "blocks": len(self.first.prediction.labels),
            "agreement": round(self.agreement, 5),
            "word_f1": round(self.word_f1, 5),
            **{name: self.count(kind) for kind, name in _NAMES.items()},
            "differences": [self._difference(*each) for each in self.differences.items()],
        }

    def _difference(self, row: int, kind: str) -> dict[str, Any]:
        first, second = (block_fields(result.blocks[row]) for result in (self.first, self.second))
        return {
            "block": row,
            "kind": _NAMES[kind],
            "xpath": first["xpath"],
            "first": {name: first[name] for name in ("label", "probability")},
            "second": {name: second[name] for name in ("label", "probability")},
            "box": first["box"],
            "text": first["text"],
        }

    def _text(self) -> str:
        blocks = [(self.first.blocks[row], self.second.blocks[row]) for row in self.differences]
        labels = [(str(first.index), label_text(first), label_text(second)) for first, second in blocks]
        number, left, right = (max(map(len, column)) for column in zip(("",) * 3, *labels, strict=True))
        lines = [f"--- {self.names[0]}", f"+++ {self.names[1]}"]
        for kind, (row, one, other), (block, _) in zip(self.differences.values(), labels, blocks, strict=True):
            text = excerpt(" ".join(block.text.split()), _LINE_CHARACTERS)
            place = replace_illegal(f'{block.xpath}  "{text}"')
            lines.append(f"{kind} {row:>{number}}  {one:{left}}  {other:{right}}  {place}")
        return "\n".join([*lines, self.summary()]) + "\n"


def label_text(block: Block) -> str:
    """Return the label of a block and its probability, such as `p .91`."""
    suffix = f" {block.probability:.2f}".replace(" 0.", " .") if isfinite(block.probability) else ""
    return f"{block.label}{suffix}"


def summarize_pages(figures: Sequence[tuple[int, float, float]]) -> str:
    """Summarize several pages in one line.

    Args:
        figures: for each page, the number of differing blocks, the agreement and the word F1.

    >>> summarize_pages([(0, 1.0, 1.0), (2, 0.5, 0.8)])
    '2 pages, 1 with differences; on average 75.0 % of the blocks of a page alike, word F1 0.900'
    """
    differ = sum(differing > 0 for differing, _, _ in figures)
    _, agreement, f1 = (fmean(column) for column in zip(*figures, strict=True))
    alike = f"{100 * agreement:.1f} % of the blocks of a page alike"
    return f"{format_count(len(figures), 'page')}, {differ} with differences; on average {alike}, word F1 {f1:.3f}"


def _side(name: str, result: Result) -> dict[str, Any]:
    confidence = round(result.confidence, 4) if isfinite(result.confidence) else None
    return {"name": name, "method": result.method, "versions": result.versions, "confidence": confidence}


_PACKAGE: Final = "vclean.compare"
_LIST_CHARACTERS: Final = 400
"""Maximum number of characters of a block in the list."""
_REASONS: Final = 3
_KEYS: Final = {"j": "next", "k": "previous"}
_ZOOM_KEYS: Final = {"+": "larger", "-": "smaller", "0": "fit"}


def to_html(comparison: Comparison) -> str:
    """Return the HTML page; without a screenshot it contains only the list."""
    snapshot = comparison.first.columns.snapshot
    first, second = comparison.names
    title = snapshot.title or comparison.id or "page"
    equal = len(comparison.first.columns) - len(comparison.differences)
    meanings = {FIRST_ONLY: f"kept by {first} alone", SECOND_ONLY: f"kept by {second} alone", OTHERWISE: "other label"}
    address, (width, height) = data_url(comparison.screenshot) if comparison.screenshot else ("", (1, 1))
    screenshot = f".stage {{ background: url({address}) 0 / 100% 100%; }}"  # once for both panes
    switches = [(_CLASSES[kind], text, comparison.count(kind)) for kind, text in meanings.items()]
    return render_page(
        _PACKAGE,
        "diff.html",
        title=f"{first} and {second}: {title}",
        policy=INLINE_POLICY,
        styles=[page_styles(), *(asset(_PACKAGE, name) for name in ("diff.css", "marks.css")), screenshot],
        scripts=[asset(_PACKAGE, "diff.js")],
        heading=title,
        url=snapshot.url,
        facts={
            "Compared": f"{first} → {second}",
            "Alike": f"{equal} of {format_count(len(comparison.first.columns), 'block')}",
            "Agreement": f"{100 * comparison.agreement:.1f} %",
            "Word F1": f"{comparison.word_f1:.3f}",
        },
        switches=[switch for switch in switches if switch[2]],
        differences=[_difference(comparison, *each) for each in comparison.differences.items()],
        keys=_KEYS | (_ZOOM_KEYS if comparison.screenshot else {}),
        width=width,
        height=height,
        panes=[_pane(comparison, side, width, height) for side in (0, 1)] if comparison.screenshot else [],
    )


def _difference(comparison: Comparison, row: int, kind: str) -> dict[str, Any]:
    """Return what the list shows of a block: its label, probability and strongest reasons with their signs."""
    blocks = comparison.first.blocks[row], comparison.second.blocks[row]
    signs = {True: "+ ", False: "− "}
    return {
        "block": row,
        "css": _CLASSES[kind],
        "text": excerpt(" ".join(blocks[0].text.split()), _LIST_CHARACTERS),
        "xpath": blocks[0].xpath,
        "sides": [
            {
                "name": name,
                "css": f"label {block.label}",
                "meaning": PENS[block.label].meaning,
                "label": label_text(block),
                "reasons": [
                    signs[each.contribution > 0] * (each.contribution != 0) + each.text
                    for each in block.reasons[:_REASONS]
                ],
            }
            for name, block in zip(comparison.names, blocks, strict=True)
        ],
    }


def _pane(comparison: Comparison, side: int, width: int, height: int) -> dict[str, Any]:
    """Return the name of a side and the frames of its blocks, the smallest last, in percent of the screenshot."""
    result = (comparison.first, comparison.second)[side]
    blocks = enumerate(to_overlay_blocks(result))
    boxes = {row: block["box"] for row, block in blocks if block["box"] and block["visibility"] == "shown"}
    frames = []
    for row, box in sorted(boxes.items(), key=lambda entry: -math.prod(entry[1][2:])):
        sides = zip(("left", "top", "width", "height"), box, (width, height) * 2, strict=True)
        frame = {
            "block": row,
            "label": result.blocks[row].label,
            "title": label_text(result.blocks[row]),
            "changed": row in comparison.differences,
            "style": "; ".join(f"{name}: {100 * length / total:.3f}%" for name, length, total in sides),
        }
        frames.append(frame)
    css = ("first", "second")[side]
    return {"css": css, "name": comparison.names[side], "count": result.content_count, "frames": frames}
