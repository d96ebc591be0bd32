"""What is round a block, in words: its container by tag and class, its column, its font."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import context, direction, matrix, wording
from vclean.features.wording_forms import counted, fill

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.view import View

_PLACE: Final = {column.name: place for place, column in enumerate(matrix.COLUMNS)}
_NARROW: Final = 0.6
"""Times the width of the main column."""
_ASIDE: Final = 0.05
"""Page widths between the left edges of two columns that stand beside each other."""
_BOLD: Final = 600


class Setting:
    """What is round the blocks of a page.

    Args:
        view: the page.
        x: float32 (B, len(matrix.COLUMNS)), its matrix.
    """

    def __init__(self, view: View, x: NDArray[np.float32]) -> None:
        self._view = view
        self._x = x
        self._containers = context.subtrees(view)
        self._blocks = view.block_count
        self._classes = view.snapshot.attributes("class")
        self._ids = view.snapshot.attributes("id")
        self._turned = view.snapshot.rendered and direction.is_right_to_left(view)

    def value(self, block: int, name: str) -> float:
        """The value of the column `name`."""
        return float(self._x[block, _PLACE[name]])

    def container(self, block: int, level: int) -> str:
        """What the block's `level`-th larger subtree is called: `div.menu (12 blocks)`."""
        element = int(self._containers[block, level - 1])
        if self._blocks[element] == len(self._view):
            return "the whole page"
        return f"{self.selector(element)} ({counted(self._blocks[element], 'block')})"

    def selector(self, element: int) -> str:
        """Tag and id of an element, or its first class: `div#nav`, `ul.links`."""
        snapshot = self._view.snapshot
        tag, classes = snapshot.tags[snapshot.tag[element]], self._classes.get(element, "").split()
        if name := self._ids.get(element, "").strip():
            return f"{tag}#{name}"
        return f"{tag}.{classes[0]}" if classes else tag

    def column(self, block: int) -> str:
        """Which column of a rendered page the block is in, if it is beside the main one or narrow; else nothing."""
        offset, width = self.value(block, "main_column_offset"), self.value(block, "main_column_width")
        if np.isnan(offset) or np.isnan(width):
            return ""
        size = "a narrow column" if width < _NARROW else "a column"
        if abs(offset) <= _ASIDE:
            return "a narrow column" if width < _NARROW else ""
        return f"{size} {'left' if (offset < 0) != self._turned else 'right'} of the main one"

    def font(self, block: int) -> str:
        """Size and weight of the block's font on a rendered page: `23 px bold`; else nothing."""
        size, weight = self.value(block, "font_size"), self.value(block, "font_weight")
        if np.isnan(size):
            return ""
        return f"{size:.0f} px{' bold' if weight >= _BOLD else ''}"

    def alike(self, block: int) -> str:
        """What the blocks with the same chain of tags and classes are like."""
        count = self.value(block, "class_blocks")
        if count <= 1:
            return "no other block has its tags and classes"
        words, links = self.value(block, "class_mean_words"), self.value(block, "class_link_share")
        each = fill("{number}", words)
        of = f"{each} word{'s' * (each != '1')} and a link share of {links:.2f}"
        return f"{counted(count, 'block')} with its tags and classes, with {of} each"

    def main_text(self, block: int) -> str:
        """Where the block is to the main text: the smallest element with 75 % of the long text; its core has half."""
        side, distance = self.value(block, "holder75_side"), self.value(block, "holder75_distance")
        if side == 0:
            return (
                "inside the main text" if self.value(block, "holder50_inside") else "beside the core of the main text"
            )
        return f"{counted(distance, 'block')} {'before' if side < 0 else 'behind'} the main text"

    def region(self, block: int, role: str) -> str:
        """What the region round the block is taken for: `in a header (0.93)`."""
        probability = self.value(block, f"nearest_{role}")
        return f"in {wording.region_name(role)} ({probability:.2f})"
