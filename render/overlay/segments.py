"""Lay out segments and separators as layers of a drawing: nested frames by level, bands with weights."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.render.overlay.layers import (
    TAG_SIZE,
    Layer,
    Mark,
    Pen,
    Rect,
    TagPlacer,
    excerpt,
    frame_boxes,
    text_width,
    truncation_note,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

SEPARATOR: Final = "separator"
_LEVELS: Final = ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (120, 120, 120))

LEVEL_PENS: Final = tuple(Pen(color, max(3 - level, 1)) for level, color in enumerate(_LEVELS))
"""Pens of levels 1, 2, ... in the palette of Okabe and Ito; the last is for all deeper levels. They are not tinted,
because the tints of nested frames would add up."""

_PENS: Final[Mapping[str, Pen]] = {f"level{level}": pen for level, pen in enumerate(LEVEL_PENS)}
_BANDS: Final[Mapping[str, Pen]] = {SEPARATOR: Pen((230, 159, 0), 0, fill=110, tag="bare")}
_THINNEST_BAND: Final = 2
_STEP: Final = 3
_STEPS: Final = 4
"""Distance in px between nested frames, and the number of levels for which it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SegmentOverlay:
    """Segments and separators to draw over the screenshot of their page.

    Attributes:
        box: float32 (S, 4), x, y, width, height, in preorder; the first is the page, which is not drawn.
        level: int64 (S,), depth of each segment, 0 for the page.
        height: int64 (S,), number of levels inside each segment.
        captions: S texts of the tags.
        texts: S texts that are shown on hover, after the caption.
        separator_box: float32 (Q, 4), x, y, width, height.
        weight: int32 (Q,), weights of the separators.
        page_height: height of the document; larger than the screenshot if that was truncated.
    """

    box: NDArray[np.float32]
    level: NDArray[np.int64]
    height: NDArray[np.int64]
    captions: Sequence[str]
    texts: Sequence[str]
    separator_box: NDArray[np.float32]
    weight: NDArray[np.int32]
    page_height: float


def segment_layer(overlay: SegmentOverlay, placer: TagPlacer) -> Layer:
    """Return the segments as a layer, outermost first."""
    outset = _STEP * np.minimum(overlay.height, _STEPS)
    frames = frame_boxes(overlay.box, placer.width, placer.height, outset)
    drawn = np.flatnonzero((overlay.level > 0) & (frames[:, 2:] > 0).all(axis=1))
    marks = [_segment(overlay, row, Rect(*frames[row].tolist()), placer) for row in drawn.tolist()]
    return Layer(pens=_PENS, marks=marks, entries=_entries(overlay, marks, placer.height))


def separator_layer(overlay: SegmentOverlay, placer: TagPlacer) -> Layer:
    """Return the separators as a layer."""
    bands = [band for row in range(len(overlay.weight)) if (band := _band(overlay, row, placer))]
    text = f"separators with their weights: {len(overlay.weight)}"
    return Layer(pens=_BANDS, marks=bands, entries=[(SEPARATOR, text)])


def _segment(overlay: SegmentOverlay, row: int, frame: Rect, placer: TagPlacer) -> Mark:
    caption = overlay.captions[row]
    tag = placer.place_tag(frame, text_width(caption, TAG_SIZE) + 4, required=False)
    name = f"level{min(int(overlay.level[row]), len(_LEVELS)) - 1}"
    return Mark(frame=frame, pen=name, tag=tag, caption=caption, title=f"{caption}: {excerpt(overlay.texts[row])}")


def _band(overlay: SegmentOverlay, row: int, placer: TagPlacer) -> Mark | None:
    """Return the band of a separator, at least `_THINNEST_BAND` px wide; None if it is outside the screenshot."""
    x, y, width, height = overlay.separator_box[row].tolist()
    box = np.array([[x, y, max(width, _THINNEST_BAND), max(height, _THINNEST_BAND)]], dtype=np.float32)
    frame = Rect(*frame_boxes(box, placer.width, placer.height, 0)[0].tolist())
    if not (frame.width > 0 and frame.height > 0):
        return None
    weight = str(overlay.weight[row])
    tag = frame if frame.height >= TAG_SIZE and frame.width >= text_width(weight, TAG_SIZE) else None
    return Mark(frame=frame, pen=SEPARATOR, tag=tag, caption=weight, title=f"separator of weight {weight}")


def _entries(overlay: SegmentOverlay, marks: Sequence[Mark], height: int) -> list[tuple[str | None, str]]:
    counts = Counter(mark.pen for mark in marks)
    entries: list[tuple[str | None, str]] = []
    for level, name in enumerate(_PENS):
        if counts[name]:
            deeper = " and deeper" * (level == len(_LEVELS) - 1)
            entries.append((name, f"level {level + 1}{deeper}: {counts[name]}"))
    below = int((overlay.box[:, 1] >= height).sum())
    return entries + truncation_note(overlay.page_height, height, f"segments below: {below}")
