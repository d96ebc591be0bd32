"""Gather what is painted around texts: the elements of a page, and areas beside them, such as pseudo-elements.

A painter is an element, 0 to N - 1, or N plus the number of an area (`Snapshot.areas`), of R.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.visibility.paint_order import PaintOrder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.visibility.element_painting import ElementPainting
    from vclean.features.visibility.paint_order import Key


class Painters:
    """Describe the N + R painters of a page.

    Args:
        painting: what the elements of the page paint.
    """

    def __init__(self, painting: ElementPainting) -> None:
        self.painting = painting
        self.snapshot = painting.snapshot
        self._areas = painting.snapshot.areas
        self._order = PaintOrder(painting.snapshot)

    @property
    def areas(self) -> NDArray[np.intp]:
        """Return the painters that are areas, intp (R,)."""
        count = len(self.snapshot)
        return np.arange(count, count + len(self._areas.element))

    @cached_property
    def element(self) -> NDArray[np.int32]:
        """Return the element of each painter, int32 (N + R,)."""
        return np.append(np.arange(len(self.snapshot), dtype=np.int32), self._areas.element)

    @cached_property
    def box(self) -> NDArray[np.float32]:
        """Return the box of each painter, float32 (N + R, 4).

        What is fixed and as large as the viewport is at every place of the page, as a reader scrolls.
        """
        box = np.append(self.snapshot.box, self._areas.box, axis=0)
        page = np.array([self.snapshot.width, self.snapshot.height], dtype=np.float32)
        for painter in np.flatnonzero(self._is_fixed).tolist():
            if self.painting.fills_viewport(box[painter]):
                box[painter] = 0, 0, *np.maximum(page, box[painter, 2:])
        return box

    @cached_property
    def style(self) -> NDArray[np.int32]:
        """Return the style row of each painter, int32 (N + R,)."""
        return np.append(self.snapshot.style, self._areas.style)

    @cached_property
    def is_unclear(self) -> NDArray[np.bool_]:
        """Return which painters paint what styles do not determine, such as images, bool (N + R,)."""
        embedded = self.painting.has_embedded_background[self.snapshot.style] & ~self.painting.is_image
        elements = self.painting.is_picture | embedded & ~self.snapshot.is_tag(("img",))
        return np.append(elements, ~self._areas.is_plain)

    @cached_property
    def opacity(self) -> NDArray[np.float32]:
        """Return the opacity of each painter after those of its ancestors, float32 (N + R,)."""
        of_elements, areas = self.painting.opacity, self._areas
        own = np.nan_to_num(self.snapshot.styles.number("opacity"), nan=1.0)[areas.style]
        is_own = areas.style == self.snapshot.style[areas.element]
        return np.append(of_elements, of_elements[areas.element] * np.where(is_own, 1, own)).astype(np.float32)

    def is_fixed(self, painter: int) -> bool:
        """Return whether a painter stays where it is when the page is scrolled."""
        return bool(self._is_fixed[painter])

    @cached_property
    def _is_fixed(self) -> NDArray[np.bool_]:
        own = self.snapshot.styles.is_in("position", ("fixed",))[self.style]
        return np.asarray(self.painting.is_fixed[self.element] | own)

    def has_effect(self, painter: int) -> bool:
        """Return whether a filter, mask or blend mode may change what a painter paints."""
        return bool(self.painting.has_effect[self.element[painter]])

    def is_plain(self, painter: int) -> bool:
        """Return whether styles alone tell what a painter shows: no image, effect or shape changes its box."""
        is_unclear = self.is_unclear[painter] or self.has_effect(painter)
        return not is_unclear and not self.painting.fills_partly[self.style[painter]]

    def is_missing(self, painter: int) -> bool:
        """Return whether a painter is an image that has not been loaded."""
        return painter < len(self.snapshot) and bool(self.painting.is_missing[painter])

    def fills_viewport(self, painter: int) -> bool:
        """Return whether a painter is as large as the viewport."""
        return self.painting.fills_viewport(self.box[painter])

    def key(self, painter: int) -> Key:
        """Return the paint key of a painter."""
        count = len(self.snapshot)
        if painter >= count:
            return self._order.area(painter - count)
        is_content = self.painting.is_picture[painter] or self.painting.is_missing[painter]
        return self._order.content(painter) if is_content else self._order.background(painter)

    def text_key(self, parent: int) -> Key:
        """Return the paint key of the texts of an element."""
        return self._order.content(parent)
