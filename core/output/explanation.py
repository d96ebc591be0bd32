"""Write an explanation as text: one line per block, followed by one line per reason; for `--explain`."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Final

from vclean.characters import format_count, one_line
from vclean.classify.explain.reasons import RULE
from vclean.errors import UsageError

if TYPE_CHECKING:
    from vclean.block import Block
    from vclean.classify.explain.reasons import Explanation, Reason
    from vclean.result import Result

_MAX_TEXT: Final = 60
"""Most characters of the text of a block in its line."""


def write_explanation(result: Result) -> str:
    """Return the labels of the blocks of a page and the reasons for them; `docs/guides/explain.md` has the format.

    Raises:
        UsageError: the result has no explanation.
    """
    if result.explanation is None:
        raise UsageError("the result has no explanation: clean the page with explain=True")
    lines = [_header(result, result.explanation)]
    for block in result.blocks:
        lines.append(_block(block, has_roles=any(result.roles)))
        lines += map(_reason, block.reasons)
        lines += _margin(result.explanation, block.index)
    return "".join(line + "\n" for line in lines)


def _header(result: Result, explanation: Explanation) -> str:
    parts = [f"{result.content_count} of {format_count(len(result.columns), 'block')} kept"]
    if isfinite(explanation.threshold):
        parts.append(f"threshold {explanation.threshold:.2f}")
    if isfinite(explanation.base):
        parts.append(f"log odds of the average block {explanation.base:+.2f}")
    return f"{one_line(result.id) or 'page'}: {', '.join(parts)}"


def _block(block: Block, *, has_roles: bool) -> str:
    parts = [
        "+" if block.is_content else "-",
        str(block.label),
        f"{block.probability:.2f}",
        str(block.role or "none") if has_roles else "",
        f"line {block.source.line}:{block.source.column}" if block.source else "no line",
        block.xpath,
        f'"{_truncate(one_line(block.text[: 4 * _MAX_TEXT]))}"',
    ]
    return " ".join(part for part in parts if part)


def _reason(reason: Reason) -> str:
    contribution = "     " if reason.group == RULE else f"{reason.contribution:+.2f}"
    return f"    {contribution} {reason.group}: {reason.text}"


def _margin(explanation: Explanation, block: int) -> list[str]:
    """Return a line with the sum of base value, contributions and threshold; none for methods without."""
    if not len(explanation.margins):
        return []
    margin, least = float(explanation.margins[block]), explanation.least_log_odds
    parts = (
        f"base {explanation.base:+.2f}, all groups {margin + least - explanation.base:+.2f}, threshold {-least:+.2f}"
    )
    rule = explanation.overruled_by[block]
    return [f"    {margin:+.2f} sum: {parts}{f'; overruled by the rule {rule}' if rule else ''}"]


def _truncate(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1].rstrip() + "…"
