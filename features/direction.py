"""Pages written from right to left, seen in a mirror: their menus stand on the other side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.text import ALPHA
from vclean.features.view import View

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RIGHT_TO_LEFT: Final = ((0x0590, 0x08FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFF), (0x10800, 0x10FFF), (0x1E800, 0x1EFFF))
"""Code points of Hebrew, Arabic, Syriac, Thaana, N'Ko, Adlam and others: those of class R or AL (Unicode, UAX 9)."""


def from_left(view: View) -> View:
    """The page with all boxes mirrored, if it is written from right to left: as if from left to right.

    What a column says of left and right then holds for either direction.
    """
    if not (view.snapshot.rendered and is_right_to_left(view)):
        return view
    snapshot = view.snapshot
    seen = replace(
        snapshot, box=_mirrored(snapshot.box, snapshot.width), line_box=_mirrored(snapshot.line_box, snapshot.width)
    )
    return View(replace(view.blocks, snapshot=seen, box=_mirrored(view.blocks.box, snapshot.width)))


def is_right_to_left(view: View) -> bool:
    """Whether most letters of the page are of scripts that are written from right to left."""
    texts = view.texts
    letters = texts.code[(texts.kind & ALPHA) > 0]
    turned = sum(int(np.count_nonzero((letters >= low) & (letters <= high))) for low, high in _RIGHT_TO_LEFT)
    return 2 * turned > len(letters)


def _mirrored(box: NDArray[np.float32], width: float) -> NDArray[np.float32]:
    """`box` (N, 4), x, y, width, height, on a page of some width seen in a mirror."""
    turned = box.copy()
    turned[:, 0] = np.float32(width) - box[:, 0] - box[:, 2]
    return turned
