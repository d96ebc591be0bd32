"""Find what is painted below and above the texts of a rendered page, in paint order."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree
from vclean.features.groups import RaggedArray
from vclean.features.visibility.boxes import contains, covered_area, overlap_area, points_in_boxes
from vclean.features.visibility.element_painting import COVER_SHARE, LEAST_OPACITY
from vclean.features.visibility.overlays import overlay_roots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.visibility.candidate_texts import CandidateTexts
    from vclean.features.visibility.painters import Painters

_CONTENTS: Final = ("a", "button", "input", "img", "svg", "iframe", "video", "canvas", "object", "picture")
_MOST_COVERS: Final = 100
"""Most painters that cover a text together."""


class PaintLayers:
    """Find the painters around the centers of texts.

    Args:
        texts: the K texts.
        painters: what is painted on their page.
    """

    def __init__(self, texts: CandidateTexts, painters: Painters) -> None:
        self._texts = texts
        self._painters = painters
        self._painting = painters.painting

    @cached_property
    def is_overlapped(self) -> NDArray[np.bool_]:
        """Return which texts have at their center an area, or an element that paints and is no ancestor, bool (K,)."""
        return np.diff(self._overlapping.start) > 0

    @cached_property
    def _overlapping(self) -> RaggedArray:
        """Return for each text the areas, and the elements that are no ancestors, at its center, ascending: K rows."""
        texts, snapshot, painters = self._texts, self._texts.snapshot, self._around_texts
        pairs = [(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))]
        for text, box in points_in_boxes(texts.center, self._painters.box[painters]):
            painter, parent = painters[box], texts.parent[text]
            other = (painter >= len(snapshot)) | (parent < painter)
            other |= parent >= snapshot.end[self._painters.element[painter]]
            pairs.append((text[other], painter[other]))
        text, painter = (np.concatenate(column) for column in zip(*pairs, strict=True))
        order = np.argsort(text, kind="stable")
        return RaggedArray.from_pairs(text[order], painter[order], len(texts))

    @cached_property
    def _around_texts(self) -> NDArray[np.intp]:
        """Return the painters that may be below or above other texts, ascending."""
        # The box of an inline element is around all its lines, and what else is on them; it covers no other text.
        painting = self._painting.paints_at_text & ~(self._painting.is_inline & ~self._painting.is_picture)
        return np.append(np.flatnonzero(painting), self._painters.areas)

    def split(self, text: int, ancestors: Sequence[int], text_clip: int | None) -> tuple[list[int], list[int]]:
        """Return the painters at the center of a text that are below it, lowest first, and those above it.

        Args:
            text: one of the K texts.
            ancestors: its parent and the ancestors of that.
            text_clip: the ancestor that clips its background to the text, or None.
        """
        begin, end = self._overlapping.start[text : text + 2]
        others = self._overlapping.values[begin:end]
        around = [element for element in ancestors if self._painting.paints[element] and element != text_clip]
        painters = np.array([*around, *others.tolist()], dtype=np.intp)
        painters = painters[contains(self._painters.box[painters], self._texts.center[text])]
        keys = [self._painters.key(painter) for painter in painters.tolist()]
        text_key = self._painters.text_key(int(self._texts.parent[text]))
        ordered = sorted(zip(keys, painters.tolist(), strict=True))
        return (
            [painter for key, painter in ordered if key <= text_key],
            [painter for key, painter in ordered if key > text_key],
        )

    def covers(self, painter: int, text: int) -> bool:
        """Return whether a painter above a text hides all its lines."""
        return self._hides(painter, text) and self._is_over_lines(painter, text)

    def cover_together(self, above: Sequence[int], text: int) -> bool:
        """Return whether several painters hide almost all of every line of a text.

        Args:
            above: the painters above the text at its center; the others are looked for.
            text: one of the K texts.
        """
        if not any(self._hides(painter, text) for painter in above):
            return False
        painters = self._painters
        around = self._around_texts[overlap_area(self._texts.box[text], painters.box[self._around_texts]) > 0]
        text_key = painters.text_key(int(self._texts.parent[text]))
        covers = [
            painter
            for painter in around[:_MOST_COVERS].tolist()
            if painters.is_plain(painter) and painters.key(painter) > text_key and self._hides(painter, text)
        ]
        boxes = painters.box[covers]
        return len(covers) > 1 and all(
            covered_area(line, boxes) >= COVER_SHARE * line[2] * line[3] for line in self._texts.lines(text)
        )

    def _hides(self, painter: int, text: int) -> bool:
        """Return whether a painter above a text hides what is below its box.

        Overlays hide no text below them: a reader closes them.
        """
        painters, parent = self._painters, int(self._texts.parent[text])
        overlay = self._overlays[painters.element[painter]]
        if overlay >= 0 and overlay != self._overlays[parent]:
            return False
        if not self._is_opaque(painter) or painters.opacity[painter] < 1 - LEAST_OPACITY:
            return False
        # Scrolling moves a text out from below what is fixed.
        moves_out = painters.is_fixed(painter) and not self._painting.is_fixed[parent]
        return not moves_out or painters.fills_viewport(painter)

    @cached_property
    def _overlays(self) -> NDArray[np.int32]:
        """Return the overlay around each element, int32 (N,), -1 outside overlays and in those without any contents.

        A reader cannot close an overlay that has no text, control or picture. A script closes one that fills the
        viewport.
        """
        snapshot = self._texts.snapshot
        overlays = overlay_roots(snapshot)
        roots = np.unique(overlays[overlays >= 0])
        if len(roots):
            contents = np.bincount(snapshot.text_parent, weights=snapshot.text_length, minlength=len(snapshot))
            contents += snapshot.is_tag(_CONTENTS)
            empty = roots[tree.subtree_sum(contents, snapshot.end)[roots] == 0]
            empty = empty[[not self._painting.fills_viewport(box) for box in snapshot.box[empty]]]
            overlays = np.where(np.isin(overlays, empty), np.int32(-1), overlays)
        return overlays

    def hides_below(self, painter: int, text: int) -> bool:
        """Return whether a painter below a text hides what is below itself."""
        painters = self._painters
        if painters.is_unclear[painter] or self._painting.background[painters.style[painter], 3] != 1:
            return False
        if painters.opacity[painter] < 1 or painters.has_effect(painter):
            return False
        return self._is_over_lines(painter, text)

    def _is_over_lines(self, painter: int, text: int) -> bool:
        """Return whether the box of a painter is over almost all of every line of a text."""
        lines = self._texts.lines(text)
        shared = overlap_area(self._painters.box[painter], lines)
        return bool((shared >= COVER_SHARE * lines[:, 2] * lines[:, 3]).all())

    def _is_opaque(self, painter: int) -> bool:
        """Return whether a painter fills its whole box with opaque colors."""
        style = int(self._painters.style[painter])
        if self._painters.is_unclear[painter] or self._painting.background[style, 3] == 1:
            return True
        stops = self._painting.gradient_stops(style)
        return bool(stops) and all(stop.alpha == 1 for stop in stops)
