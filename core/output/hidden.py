"""List the texts that readers do not see, for audits: for `--show-hidden`; look for sentences among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.characters import is_sentence, one_line
from vclean.labels import Visibility
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.block import Block
    from vclean.features.blocks import BlockColumns
    from vclean.result import Result


def write_hidden(result: Result) -> str:
    """Return a line for each block that is not shown: visibility, technique, box, XPath and text, separated by tabs.

    The box is x, y, width and height in CSS px, or `-` where nothing is laid out.
    """
    blocks = result.blocks.where(visibility=(Visibility.REVEALABLE, Visibility.HIDDEN))
    return "".join("\t".join(_fields(block)) + "\n" for block in blocks)


MIN_PROBABILITY: Final = 0.4
"""Probability of content from which hidden text is like content; that of messages, menus and labels is lower."""


def has_hidden_sentence(columns: BlockColumns, probability: NDArray[np.float32]) -> bool:
    """Return whether a hidden block that is like content has the length of a sentence, or several in a row together.

    Args:
        columns: the B blocks.
        probability: float32 (B,), the probability of content of each block.
    """
    snapshot, rows = columns.snapshot, np.flatnonzero(columns.visibility == Visibility.HIDDEN)
    rows = rows[probability[rows] >= MIN_PROBABILITY]
    if any(is_sentence(columns.text[row]) for row in rows.tolist()):
        return True
    is_linked = tree.path_sum(snapshot.is_tag(("a", "button")), snapshot.end)[snapshot.text_parent] > 0
    rows = rows[~is_linked[columns.members[columns.first[rows]]]]  # menus
    runs = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    return any(is_sentence(" ".join(columns.text[row] for row in run.tolist())) for run in runs)


def _fields(block: Block) -> tuple[str, ...]:
    box = ",".join(f"{side:g}" for side in block.box) if block.box else "-"
    return block.visibility.name.lower(), block.technique, box, block.xpath, one_line(block.text)
