"""Find what is painted below and above the texts of a rendered page, in paint order."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.groups import RaggedArray
from vclean.features.visibility.boxes import contains, overlap_area, points_in_boxes
from vclean.features.visibility.element_painting import COVER_SHARE, LEAST_OPACITY
from vclean.features.visibility.overlays import overlay_roots
from vclean.features.visibility.paint_order import PaintOrder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.visibility.candidate_texts import CandidateTexts
    from vclean.features.visibility.element_painting import ElementPainting
    from vclean.features.visibility.paint_order import Key


class PaintLayers:
    """Find the painted elements around the centers of texts.

    Args:
        texts: the K texts.
        painting: what the elements of their page paint.
    """

    def __init__(self, texts: CandidateTexts, painting: ElementPainting) -> None:
        self._texts = texts
        self._painting = painting
        self._order = PaintOrder(texts.snapshot)

    @cached_property
    def is_overlapped(self) -> NDArray[np.bool_]:
        """Return which texts have at their center a painted element that is no ancestor, bool (K,)."""
        return np.diff(self._overlapping.start) > 0

    @cached_property
    def _overlapping(self) -> RaggedArray:
        """Return for each text the painted elements at its center that are no ancestors, ascending: K rows."""
        texts, painters = self._texts, np.flatnonzero(self._painting.paints_at_text)
        snapshot = texts.snapshot
        pairs = [(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))]
        for text, box in points_in_boxes(texts.center, snapshot.box[painters]):
            element, parent = painters[box], texts.parent[text]
            other = (parent < element) | (parent >= snapshot.end[element])
            pairs.append((text[other], element[other]))
        text, element = (np.concatenate(column) for column in zip(*pairs, strict=True))
        order = np.argsort(text, kind="stable")
        return RaggedArray.from_pairs(text[order], element[order], len(texts))

    def split(self, text: int, ancestors: Sequence[int], text_clip: int | None) -> tuple[list[int], list[int]]:
        """Return the elements that are painted at the center of a text below it, lowest first, and those above it.

        Args:
            text: one of the K texts.
            ancestors: its parent and the ancestors of that.
            text_clip: the ancestor that clips its background to the text, or None.
        """
        begin, end = self._overlapping.start[text : text + 2]
        others = self._overlapping.values[begin:end]
        around = [element for element in ancestors if self._painting.paints[element] and element != text_clip]
        elements = np.array([*around, *others.tolist()], dtype=np.intp)
        elements = elements[contains(self._texts.snapshot.box[elements], self._texts.center[text])]
        keys = [self._key(element) for element in elements.tolist()]
        text_key = self._order.content(int(self._texts.parent[text]))
        ordered = sorted(zip(keys, elements.tolist(), strict=True))
        return (
            [element for key, element in ordered if key <= text_key],
            [element for key, element in ordered if key > text_key],
        )

    def _key(self, element: int) -> Key:
        """Return the paint key of what an element paints."""
        is_picture = self._painting.is_picture[element]
        return self._order.content(element) if is_picture else self._order.background(element)

    def covers(self, element: int, text: int) -> bool:
        """Return whether an element that is painted above a text hides all its lines.

        Overlays hide no text below them: a reader closes them.
        """
        painting, overlay = self._painting, self._overlays[element]
        if overlay >= 0 and overlay != self._overlays[self._texts.parent[text]]:
            return False
        if not self._is_opaque(element) or painting.opacity[element] < 1 - LEAST_OPACITY:
            return False
        is_text_fixed = painting.is_fixed[self._texts.parent[text]]
        if painting.is_fixed[element] and not is_text_fixed and not painting.fills_viewport(element):
            return False  # scrolling moves the text out from below it
        lines = self._texts.lines(text)
        shared = overlap_area(self._texts.snapshot.box[element], lines)
        return bool((shared >= COVER_SHARE * lines[:, 2] * lines[:, 3]).all())

    @cached_property
    def _overlays(self) -> NDArray[np.int32]:
        """Return the overlay around each element, int32 (N,), -1 outside overlays."""
        return overlay_roots(self._texts.snapshot)

    def hides_below(self, element: int, text: int) -> bool:
        """Return whether an element that is painted below a text hides what is below itself."""
        style = int(self._texts.snapshot.style[element])
        if self._painting.is_picture[element] or self._painting.background[style, 3] != 1:
            return False
        if self._painting.opacity[element] < 1 or self._painting.has_effect[element]:
            return False
        lines = self._texts.lines(text)
        shared = overlap_area(self._texts.snapshot.box[element], lines)
        return bool((shared >= COVER_SHARE * lines[:, 2] * lines[:, 3]).all())

    def _is_opaque(self, element: int) -> bool:
        """Return whether an element paints its whole box in opaque colors."""
        style = int(self._texts.snapshot.style[element])
        if self._painting.is_picture[element] or self._painting.background[style, 3] == 1:
            return True
        stops = self._painting.gradient_stops(style)
        return bool(stops) and all(stop.alpha == 1 for stop in stops)
