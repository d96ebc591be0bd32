"""List the texts that readers do not see, for audits: for `--show-hidden`; look for sentences among them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.characters import is_sentence, one_line
from vclean.features import tree
from vclean.labels import Visibility

if TYPE_CHECKING:
    from vclean.block import Block
    from vclean.features.blocks import BlockColumns
    from vclean.result import Result


def write_hidden(result: Result) -> str:
    """Return a line for each block that is not shown: visibility, technique, box, XPath and text, separated by tabs.

    The box is x, y, width and height in CSS px, or `-` where nothing is laid out.
    """
    blocks = result.blocks.where(visibility=(Visibility.REVEALABLE, Visibility.HIDDEN))
    return "".join("\t".join(_fields(block)) + "\n" for block in blocks)


_PROSE_TAGS: Final = ("p", "div", "span", "section", "b", "i", "em", "strong", "font")
"""Elements among which a sentence may be divided; items, labels and options are parts of menus and forms."""


def has_hidden_sentence(columns: BlockColumns) -> bool:
    """Return whether a hidden block has the length of a sentence, or several blocks of prose in a row together."""
    hidden = np.flatnonzero(columns.visibility == Visibility.HIDDEN)
    if any(is_sentence(columns.text[row]) for row in hidden.tolist()):
        return True
    if len(hidden) < 2:
        return False
    snapshot, node = columns.snapshot, columns.node[hidden]
    is_link = snapshot.is_tag(("a", "button"))
    linked = tree.path_sum(is_link, snapshot.end) + tree.subtree_sum(is_link.astype(np.int64), snapshot.end)
    is_prose = snapshot.is_tag(_PROSE_TAGS)[node] & (linked[node] == 0)
    # Rows in a row, of siblings with the same tag, have the same key.
    keys = zip(
        (hidden - np.arange(len(hidden))).tolist(), snapshot.parent[node].tolist(), is_prose.tolist(), strict=True
    )
    runs = groupby(zip(keys, hidden.tolist(), strict=True), key=lambda pair: pair[0])
    return any(key[2] and is_sentence(" ".join(columns.text[row] for _, row in run)) for key, run in runs)


def _fields(block: Block) -> tuple[str, ...]:
    box = ",".join(f"{side:g}" for side in block.box) if block.box else "-"
    return block.visibility.name.lower(), block.technique, box, block.xpath, one_line(block.text)
