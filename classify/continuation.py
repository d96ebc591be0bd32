"""Continuations by where they stand: a sentence that a float, an advertisement or a frame breaks in two.

Gold cannot teach this: no corpus has a page on which it shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks

_ENDS = frozenset(".!?:;…。！？：；।؟۔")
_CLOSING = "\"'”’»)]"
_BODY = frozenset((Label.PARAGRAPH, Label.LIST_ITEM, Label.CONTINUATION))
"""What can be continued, and what is taken for a continuation but for a list item."""


def forerunners(blocks: Blocks) -> NDArray[np.int32]:
    """int32 (B,), the block that each goes on with, -1 for none.

    It is the block before in the same container, if its text ends in the middle of a sentence, this one begins with a
    small letter, and what parts them is more than an empty line.
    """
    before = _before_in_container(blocks)
    for block in np.flatnonzero(before >= 0).tolist():
        if not _goes_on(blocks.text[before[block]], blocks.text[block]):
            before[block] = -1
    empty_line = (before == np.arange(len(blocks)) - 1) & _has_line_break_before(blocks)
    before[empty_line] = -1
    return before


def _before_in_container(blocks: Blocks) -> NDArray[np.int32]:
    order = np.argsort(blocks.node, kind="stable").astype(np.int32)
    beside = blocks.node[order[1:]] == blocks.node[order[:-1]]
    before = np.full(len(blocks), -1, dtype=np.int32)
    before[order[1:][beside]] = order[:-1][beside]
    return before


def _goes_on(before: str, text: str) -> bool:
    return text[:1].islower() and before.rstrip(_CLOSING)[-1:] not in _ENDS


def _has_line_break_before(blocks: Blocks) -> NDArray[np.bool_]:
    """Whether a `br` stands between a block's first text and the text before it, bool (B,)."""
    snapshot, members = blocks.snapshot, blocks.members
    breaks = np.cumsum(snapshot.is_tag(("br",)))[snapshot.text_after[members]]
    return np.diff(breaks, prepend=0)[blocks.first] > 0


def rejoin(labels: Sequence[Label], forerunner: NDArray[np.int32]) -> list[Label]:
    """`labels`, with a continuation for every paragraph that follows its forerunner, nothing kept between the two.

    Args:
        labels: B labels.
        forerunner: int32 (B,), as `forerunners` gives it.
    """
    joined, last = list(labels), -1
    if not (forerunner >= 0).any():
        return joined
    for block, (label, before) in enumerate(zip(labels, forerunner.tolist(), strict=True)):
        if label is Label.PARAGRAPH and before == last >= 0 and labels[last] in _BODY:
            joined[block] = Label.CONTINUATION
        last = block if label.is_content else last
    return joined
