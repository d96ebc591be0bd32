"""Measure what the search for overlays needs of a page: its text, main areas, dialogs and painting."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree
from vclean.render.snapshot import Hidden
from vclean.render.visibility.paint_order import PaintOrder
from vclean.render.visibility.painting import Painting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_DIALOG_NAMES: Final = ("dialog", "alertdialog")
_MAIN_NAMES: Final = ("main", "article")
"""Tags and ARIA roles."""
_DIALOG_SHARE: Final = 0.8
"""Of the text of an element that wraps a dialog."""


class OverlayPage:
    """A rendered page of N elements, with L lines of shown text.

    Attributes:
        snapshot: the page.
        painting: what its elements paint.
        order: the order in which they do.
        viewport: float32 (2,), width and height in CSS px.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.painting = Painting(snapshot)
        self.order = PaintOrder(snapshot)
        size = (snapshot.settings.get("width", snapshot.width), snapshot.settings.get("height", snapshot.height))
        self.viewport = np.array(size, dtype=np.float32)

    @property
    def scrolls(self) -> bool:
        """Return whether the page is higher than the viewport."""
        return bool(self.snapshot.height > self.viewport[1] + 1)

    # ---- elements ----

    @cached_property
    def is_floating(self) -> NDArray[np.bool_]:
        """Return which shown elements are fixed or sticky, or dialogs out of flow, bool (N,)."""
        absolute = self.is_positioned("absolute")
        if absolute.any() and self._dialogs.any():
            absolute &= self.is_dialog
            return self.is_positioned("fixed", "sticky") | absolute
        return self.is_positioned("fixed", "sticky")

    def is_positioned(self, *positions: str) -> NDArray[np.bool_]:
        """Return which shown elements below the body have one of these positions, bool (N,)."""
        snapshot = self.snapshot
        mask = snapshot.styles.is_in("position", positions)[snapshot.style] & (snapshot.hidden == Hidden.NO)
        return np.asarray(mask & ~snapshot.is_tag(("html", "body")))

    @cached_property
    def is_dialog(self) -> NDArray[np.bool_]:
        """Return which elements are dialogs or popovers, or wrap one, bool (N,)."""
        if not self._dialogs.any():
            return self._dialogs
        wraps = self._shown_characters_in(self._dialogs) > _DIALOG_SHARE * self.characters
        return np.asarray(self._dialogs | wraps)

    @cached_property
    def _dialogs(self) -> NDArray[np.bool_]:
        """Return which elements are shown dialogs or popovers by their markup (HTML, 4.11.4 and 6.12), bool (N,)."""
        mask = self._has_name(_DIALOG_NAMES)
        mask[[node for node, modal in self.snapshot.attributes("aria-modal").items() if modal.lower() == "true"]] = True
        mask[list(self.snapshot.attributes("popover"))] = True
        return np.asarray(mask & (self.snapshot.hidden == Hidden.NO))

    @cached_property
    def is_in_main_area(self) -> NDArray[np.bool_]:
        """Return which elements are main areas of the page, or in one, bool (N,)."""
        return tree.path_sum(self._has_name(_MAIN_NAMES), self.snapshot.end) > 0

    def _has_name(self, names: tuple[str, ...]) -> NDArray[np.bool_]:
        """Return which elements have one of `names` as tag or ARIA role, bool (N,)."""
        mask = self.snapshot.is_tag(names)
        mask[[node for node, role in self.snapshot.attributes("role").items() if role.lower() in names]] = True
        return mask

    @cached_property
    def painter(self) -> NDArray[np.int32]:
        """Return the nearest element that paints among each element and its ancestors, int32 (N,); -1 if none."""
        paints = self.painting.paints
        near = tree.nearest_ancestor(paints, self.snapshot.parent)
        return np.where(paints[near], near, np.int32(-1))

    @cached_property
    def painter_around(self) -> NDArray[np.int32]:
        """Return the nearest element that paints among the ancestors of each element, int32 (N,); -1 if none."""
        parent = self.snapshot.parent
        return np.where(parent < 0, np.int32(-1), self.painter[parent])

    # ---- characters ----

    @cached_property
    def direct_characters(self) -> NDArray[np.int64]:
        """Return the characters of the shown texts of each element, without those of its descendants, (N,)."""
        return self._sum_by_parent(self._lengths * (self.snapshot.text_hidden == Hidden.NO))

    @cached_property
    def characters(self) -> NDArray[np.int64]:
        """Return the characters of the shown texts in each element, (N,)."""
        return tree.subtree_sum(self.direct_characters, self.snapshot.end)

    @cached_property
    def main_characters(self) -> NDArray[np.int64]:
        """Return the characters of the shown texts in each element that are in a main area too, (N,)."""
        return tree.subtree_sum(self.direct_characters * self.is_in_main_area, self.snapshot.end)

    @cached_property
    def characters_elsewhere(self) -> NDArray[np.int64]:
        """Return the characters of all texts outside each element, hidden ones included, (N,)."""
        characters = self._sum_by_parent(self._lengths)
        return np.asarray(characters.sum() - tree.subtree_sum(characters, self.snapshot.end))

    def _shown_characters_in(self, areas: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the characters of the shown texts in each element that are in one of `areas` too, (N,)."""
        inside = tree.path_sum(areas, self.snapshot.end) > 0
        return tree.subtree_sum(self.direct_characters * inside, self.snapshot.end)

    def _sum_by_parent(self, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        total = np.bincount(self.snapshot.text_parent, weights=lengths, minlength=len(self.snapshot))
        return total.astype(np.int64)

    @cached_property
    def _lengths(self) -> NDArray[np.int64]:
        """Return the characters of each text without white space at its ends, (T,)."""
        texts = self.snapshot.texts
        return np.fromiter((len(text.strip()) for text in texts), dtype=np.int64, count=len(texts))

    # ---- lines ----

    @cached_property
    def _lines(self) -> NDArray[np.intp]:
        return np.flatnonzero((self.snapshot.text_hidden == Hidden.NO)[self.snapshot.line_text])

    @cached_property
    def line_parent(self) -> NDArray[np.int32]:
        """Return the element of each line, int32 (L,)."""
        return self.snapshot.text_parent[self.snapshot.line_text[self._lines]]

    @cached_property
    def line_center(self) -> NDArray[np.float32]:
        """Return the center of each line, CSS px, float32 (L, 2)."""
        box = self.snapshot.line_box[self._lines]
        return np.asarray(box[:, :2] + box[:, 2:] / np.float32(2))
