"""Find the blocks of formulas: a formula is part of the text around it, or of the block next to it.

No model was trained with formulas. They begin no block, and features do not see them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.render.formulas import WRAPPERS
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot


def formula_elements(snapshot: Snapshot) -> NDArray[np.intp]:
    """Return the formulas, and the elements in which MathJax, KaTeX or MediaWiki draws one of them.

    Style sheets, which parsed pages lack, make blocks of some of them. No formula separates texts.
    """
    is_math = snapshot.is_tag(("math",))
    parents = np.unique(snapshot.parent[is_math]).tolist()
    classes = snapshot.attributes("class")
    wrappers = [
        element
        for element in parents
        if not _selectors(snapshot, element, classes.get(element, "")).isdisjoint(WRAPPERS)
    ]
    return np.append(np.flatnonzero(is_math), wrappers).astype(np.intp)


def _selectors(snapshot: Snapshot, element: int, classes: str) -> set[str]:
    return {snapshot.tags[snapshot.tag[element]], *(f".{name}" for name in classes.split())}


def blocks_with_formulas(
    columns: BlockColumns, container: NDArray[np.int32], visibility: NDArray[np.uint8]
) -> NDArray[np.int32]:
    """Return the block of each text, formulas included: int32 (T,).

    A formula that is more hidden than the block is in none.

    Args:
        columns: the blocks without formulas.
        container: int32 (N,), the innermost block-level element around each element.
        visibility: uint8 (T,), the visibility of each text.
    """
    snapshot, text_block, least = columns.snapshot, columns.text_block.copy(), 0
    is_formula = snapshot.is_tag(("math",))[snapshot.text_parent]
    for text in np.flatnonzero(is_formula).tolist() if len(columns) else ():
        block = max(_block_of(columns, text, container), least)
        if snapshot.texts[text].strip() and columns.visibility[block] == visibility[text]:
            text_block[text] = least = block
    return text_block


def _block_of(columns: BlockColumns, text: int, container: NDArray[np.int32]) -> int:
    """Return the block before a formula or the one after it: in its container, or with more ancestors in common.

    If both have equally many, it is the block before, unless that is a heading.
    """
    snapshot, texts = columns.snapshot, columns.text_nodes
    own = int(snapshot.text_parent[text])
    row = int(np.searchsorted(texts, text))
    before, after = (int(columns.text_block[near]) for near in texts[[max(row - 1, 0), min(row, len(texts) - 1)]])
    for block in (before, after):
        if columns.node[block] == container[own]:
            return block
    shared = [_common_depth(snapshot, own, int(columns.node[block])) for block in (before, after)]
    is_heading = snapshot.tags[snapshot.tag[columns.node[before]]] in HEADING_TAGS
    return after if shared[1] > shared[0] or (shared[1] == shared[0] and is_heading) else before


def _common_depth(snapshot: Snapshot, first: int, second: int) -> int:
    """Return the depth of the innermost element that contains both elements."""
    while not first <= second < snapshot.end[first]:
        first = int(snapshot.parent[first])
    return int(snapshot.depth[first])
