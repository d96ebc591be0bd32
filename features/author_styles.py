"""Find out whether the author of a page styled it, and discard the layout of pages without author styles.

The default style sheet of the browser lays out a page by its tags alone. So the boxes of a page without author styles
add nothing to its tree, and its features must not depend on whether it was rendered. Such pages get the features of an
unrendered page.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.page_context import PageContext
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot, Styles

STYLED_SHARE: Final = 0.25
"""Minimum share of the words of a page in elements with author styles.

On corpus pages the share is bimodal: 159 pages without style sheets and attributes have at most .04; of 149 original
pages, 101 have less than .1 and 31 more than .9.
"""

_DEFAULT_VALUES: Final = {
    "float": ("none", ""),
    "position": ("static", ""),
    "line-height": ("normal", ""),
    "text-transform": ("none", ""),
    "background-image": ("none", ""),
}
_LAYOUT_DISPLAY: Final = ("flex", "inline-flex", "grid", "inline-grid")
_DEFAULT_COLORS: Final = ((0, 0, 0), (0, 0, 238), (85, 26, 139), (255, 0, 0))
"""Text colors of the default style sheet: text, links, visited links, active links (HTML, 15.3.1 and 15.3.5)."""
_WHITE: Final = 255
_STYLED_BY_DEFAULT: Final = ("button", "dialog", "input", "mark", "meter", "option", "progress", "select", "summary",
                             "textarea")  # fmt: skip
"""Elements with colors, backgrounds or positions in the default style sheet."""


def discard_default_layout(context: PageContext) -> PageContext:
    """Return the page as if unrendered if it has no author styles, else the page itself."""
    if not context.snapshot.rendered or has_author_styles(context):
        return context
    snapshot = replace(context.snapshot, rendered=False, box=np.full_like(context.snapshot.box, np.nan))
    return PageContext(replace(context.blocks, snapshot=snapshot, box=np.full_like(context.blocks.box, np.nan)))


def has_author_styles(context: PageContext) -> bool:
    """Return whether the author styled at least `STYLED_SHARE` of the words of a rendered page."""
    styled = tree.path_sum(_styled_elements(context.snapshot), context.snapshot.end)[context.anchor] > 0
    return float(context.tokens[styled].sum()) >= STYLED_SHARE * max(float(context.tokens.sum()), 1.0)


def _styled_elements(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return the elements with computed styles that the default style sheet does not give them: bool (N,)."""
    return _styled_rows(snapshot.styles)[snapshot.style] & ~snapshot.is_tag(_STYLED_BY_DEFAULT)


def _styled_rows(styles: Styles) -> NDArray[np.bool_]:
    """Return the styles with a value that is not a default: bool (S,)."""
    styled = styles.is_in("display", _LAYOUT_DISPLAY) | _has_text_color(styles) | _has_background_color(styles)
    for name, defaults in _DEFAULT_VALUES.items():
        styled |= ~styles.is_in(name, defaults)
    return styled


def _has_text_color(styles: Styles) -> NDArray[np.bool_]:
    """Return the styles with a known text color that is not one of `_DEFAULT_COLORS`: bool (S,)."""
    color = styles.color("color")[:, :3]
    is_default = (color[:, None] == np.array(_DEFAULT_COLORS, dtype=np.float32)).all(axis=2).any(axis=1)
    return np.asarray(~is_default & ~np.isnan(color[:, 0]))


def _has_background_color(styles: Styles) -> NDArray[np.bool_]:
    """Return the styles with a background color that is more than half opaque and not white: bool (S,)."""
    color = styles.color("background-color")
    return np.asarray((color[:, 3] > 0.5) & (color[:, :3] < _WHITE).any(axis=1))
