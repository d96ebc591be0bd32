"""The text form of an explanation: a line per block, and under it a line per reason; for `--explain`."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Final

from vclean.classify.reasons import RULE

if TYPE_CHECKING:
    from vclean.classify.reasons import Explanation, Reason
    from vclean.result import Result

_MOST_TEXT: Final = 60
"""Characters of a block that are shown."""


def to_explanation(result: Result, explanation: Explanation) -> str:
    """What became of the page and of each of its blocks, and why: see `docs/explain.md`.

    Args:
        result: of the page.
        explanation: of the result.
    """
    lines = [_header(result, explanation)]
    for block, reasons in enumerate(explanation.reasons):
        lines.append(_block(result, block))
        lines += map(_reason, reasons)
    return "".join(line + "\n" for line in lines)


def _header(result: Result, explanation: Explanation) -> str:
    kept = sum(label.is_content for label in result.labels)
    told = [f"{kept} of {len(result.blocks)} blocks kept"]
    if isfinite(explanation.threshold):
        told.append(f"cut at {explanation.threshold:.2f}")
    if isfinite(explanation.base):
        told.append(f"log odds of the average block {explanation.base:+.2f}")
    return f"{_plain(result.id) or 'page'}: {', '.join(told)}"


def _block(result: Result, block: int) -> str:
    label, blocks = result.labels[block], result.blocks
    place = result.places[block] if result.places else None
    role = result.roles[block] if result.roles else None
    parts = [
        "+" if label.is_content else "-",
        str(label),
        f"{result.probability[block]:.2f}",
        str(role or "none") if result.roles else "",
        f"line {place.line}:{place.column}" if place else "no line",
        blocks.snapshot.xpath(int(blocks.node[block])),
        f'"{_cut(_plain(blocks.text[block][: 4 * _MOST_TEXT]))}"',
    ]
    return " ".join(part for part in parts if part)


def _reason(reason: Reason) -> str:
    size = "     " if reason.group == RULE else f"{reason.contribution:+.2f}"
    return f"    {size} {reason.group}: {reason.text}"


def _plain(text: str) -> str:
    """The text on one line, and without what would steer a terminal."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1].rstrip() + "…"
