"""Segments and separators as layers of a drawing: nested frames by level, bands with their weights."""

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
    cut_entries,
    excerpt,
    frames,
    text_width,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

SEPARATOR: Final = "separator"
_LEVELS: Final = ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (120, 120, 120))

LEVEL_PENS: Final = tuple(Pen(color, max(3 - level, 1)) for level, color in enumerate(_LEVELS))
"""For the levels from the page's own parts down, of Okabe and Ito's palette; the last serves all below. None is
tinted: tints would add up where frames are nested."""

_PENS: Final[Mapping[str, Pen]] = {f"level{level}": pen for level, pen in enumerate(LEVEL_PENS)}
_BANDS: Final[Mapping[str, Pen]] = {SEPARATOR: Pen((230, 159, 0), 0, fill=110, tag="bare")}
_THINNEST_BAND: Final = 2
_STEP: Final = 3
_STEPS: Final = 4
"""A frame stands this many px outside those in it, for as many levels."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SegmentOverlay:
    """Segments and separators to draw over the screenshot of their page.

    Attributes:
        box: float32 (S, 4), x, y, width, height, in preorder; the first, which is the page, is not drawn.
        level: int64 (S,), how deep each is nested, 0 for the page.
        height: int64 (S,), how many levels there are in it.
        captions, texts: S each; what its tag says, and what more is said on hover.
        separator_box: float32 (Q, 4); weight: int32 (Q,).
        page_height: of the document; more than the screenshot's when the screenshot was cut.
    """

    box: NDArray[np.float32]
    level: NDArray[np.int64]
    height: NDArray[np.int64]
    captions: Sequence[str]
    texts: Sequence[str]
    separator_box: NDArray[np.float32]
    weight: NDArray[np.int32]
    page_height: float


def segment_layer(overlay: SegmentOverlay, ground: TagPlacer) -> Layer:
    """The segments as a layer, from the outermost in."""
    outset = _STEP * np.minimum(overlay.height, _STEPS)
    framed = frames(overlay.box, ground.width, ground.height, outset)
    drawn = np.flatnonzero((overlay.level > 0) & (framed[:, 2:] > 0).all(axis=1))
    marks = [_segment(overlay, row, Rect(*framed[row].tolist()), ground) for row in drawn.tolist()]
    return Layer(pens=_PENS, marks=marks, entries=_entries(overlay, marks, ground.height))


def separator_layer(overlay: SegmentOverlay, ground: TagPlacer) -> Layer:
    """The separators as a layer."""
    bands = [band for row in range(len(overlay.weight)) if (band := _band(overlay, row, ground))]
    text = f"separators with their weights: {len(overlay.weight)}"
    return Layer(pens=_BANDS, marks=bands, entries=[(SEPARATOR, text)])


def _segment(overlay: SegmentOverlay, row: int, frame: Rect, ground: TagPlacer) -> Mark:
    caption = overlay.captions[row]
    tag = ground.place(frame, text_width(caption, TAG_SIZE) + 4, must=False)
    name = f"level{min(int(overlay.level[row]), len(_LEVELS)) - 1}"
    return Mark(frame=frame, pen=name, tag=tag, caption=caption, title=f"{caption}: {excerpt(overlay.texts[row])}")


def _band(overlay: SegmentOverlay, row: int, ground: TagPlacer) -> Mark | None:
    """The band of a separator, wide enough to be seen; None where it is outside the screenshot."""
    x, y, wide, high = overlay.separator_box[row].tolist()
    box = np.array([[x, y, max(wide, _THINNEST_BAND), max(high, _THINNEST_BAND)]], dtype=np.float32)
    frame = Rect(*frames(box, ground.width, ground.height, 0)[0].tolist())
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
    return entries + cut_entries(overlay.page_height, height, f"segments below: {below}")
