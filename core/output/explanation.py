"""The text form of an explanation: a line per block, and under it a line per reason; for `--explain`."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Final

from vclean.classify.explain.reasons import RULE
from vclean.errors import UsageError

if TYPE_CHECKING:
    from vclean.classify.explain.reasons import Explanation, Reason
    from vclean.result import Block, Result

_MOST_TEXT: Final = 60
"""Characters of a block that are shown."""


def write_explanation(result: Result) -> str:
    """Return what became of the page and of each of its blocks, and why: see `docs/guides/explain.md`.

    Raises:
        UsageError: no explanation was asked for.
    """
    if result.explanation is None:
        raise UsageError("the result was not explained: clean the page with explain=True")
    lines = [_header(result, result.explanation)]
    for block in result.blocks:
        lines.append(_block(block, has_roles=bool(result.prediction.roles)))
        lines += map(_reason, block.reasons)
    return "".join(line + "\n" for line in lines)


def _header(result: Result, explanation: Explanation) -> str:
    facts = [f"{result.content_count} of {len(result.columns)} blocks kept"]
    if isfinite(explanation.threshold):
        facts.append(f"cut at {explanation.threshold:.2f}")
    if isfinite(explanation.base):
        facts.append(f"log odds of the average block {explanation.base:+.2f}")
    return f"{_plain(result.id) or 'page'}: {', '.join(facts)}"


def _block(block: Block, *, has_roles: bool) -> str:
    parts = [
        "+" if block.is_content else "-",
        str(block.label),
        f"{block.probability:.2f}",
        str(block.role or "none") if has_roles else "",
        f"line {block.source.line}:{block.source.column}" if block.source else "no line",
        block.xpath,
        f'"{_cut(_plain(block.text[: 4 * _MOST_TEXT]))}"',
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
