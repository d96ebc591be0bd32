"""Find the texts of closed panels that a reader could not read once the panel is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.render import tree
from vclean.render.css_colors import color_array, contrast
from vclean.render.snapshot import Hidden
from vclean.render.visibility.geometry import LEAST_FONT_SIZE
from vclean.render.visibility.painted_texts import LEAST_CONTRAST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_LEAST_SHARE: Final = 0.25
"""Share of the characters of a panel that are readable before its colors: else other styles paint it when it opens."""


def stays_unreadable(snapshot: Snapshot, opened: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which texts of panels have letters without a size, or in the color of their background, bool (T,).

    The layout of a closed panel is not known. So colors count only where most letters of a panel differ from the same
    background.

    Args:
        snapshot: the rendered page.
        opened: bool (T,), the hidden texts that a control opens.
    """
    unreadable = np.zeros(len(opened), dtype=bool)
    texts = np.flatnonzero(opened)
    if len(texts):
        size = snapshot.styles.number("font-size")[snapshot.style[snapshot.text_parent[texts]]]
        unreadable[texts] = (size < LEAST_FONT_SIZE) | _is_in_color_of_panel(snapshot, texts)
    return unreadable


def _is_in_color_of_panel(snapshot: Snapshot, texts: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which of K texts have the color of their background, in a panel where most others differ from it."""
    parent = snapshot.text_parent[texts]
    styles = snapshot.styles
    background = color_array(styles.column("background-color"))
    has_image = ~styles.is_in("background-image", ("none", ""))
    fills = (np.nan_to_num(background[:, 3], nan=1.0) > 0) | has_image
    painter = tree.nearest_ancestor(fills[snapshot.style], snapshot.parent)[parent]
    style = snapshot.style[painter]
    on_canvas = ~fills[style]
    known = on_canvas | (background[style, 3] == 1) & ~has_image[style]
    canvas = np.full(3, 18 if snapshot.dark else 255)
    behind = np.where(on_canvas[:, None], canvas, background[style, :3])
    fill = zip(styles.column("-webkit-text-fill-color"), styles.column("color"), strict=True)
    color = color_array([of_letters or color for of_letters, color in fill])[snapshot.style[parent]]
    alpha = np.nan_to_num(color[:, 3:], nan=1.0)
    letters = np.nan_to_num(color[:, :3] * alpha + behind * (1 - alpha), nan=128)
    ratio = contrast(letters.astype(np.float32), np.nan_to_num(behind, nan=128).astype(np.float32))
    same: NDArray[np.bool_] = known & (ratio < LEAST_CONTRAST)
    if not same.any():
        return same
    seen = snapshot.hidden == Hidden.NO
    seen[0] = True
    outside = tree.nearest_ancestor(seen, snapshot.parent)[parent].astype(np.int64)
    panel = np.unique(outside * (len(snapshot) + 1) + np.where(on_canvas, 0, painter), return_inverse=True)[1]
    length = snapshot.text_length[texts]
    total, readable = np.bincount(panel, length), np.bincount(panel, length * ~same)
    return np.asarray(same & (readable >= _LEAST_SHARE * total)[panel])
