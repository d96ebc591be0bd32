"""What an overlay shows and where: the frame of every block, its tag, and the legend.

Drawing is left to `vclean.render.overlay_png` and `vclean.render.overlay_svg`. All lengths are CSS px of the
picture, origin at its top left; the legend has a strip of its own above the picture.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.labels import Label
from vclean.roles import Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

MAX_TITLE = 300
"""Characters of a block's text in its hover title."""

TAG_SIZE, LEGEND_SIZE = 10, 13
"""Font sizes of the tags and of the legend."""

EDGE = "#b0b0b0"
"""Colour of the line between the legend and the picture."""

OUTSET = 2
"""Distance of a frame from the text it frames, so that the stroke stays off the letters."""

_CELL = 4
"""Side of a cell of the grid that records where text and tags are."""

_TAG_HEIGHT, _LEGEND_ROW, _LEGEND_MARGIN, _SWATCH = 13, 22, 8, 20


@dataclass(frozen=True, slots=True)
class Pen:
    """How a frame is drawn: colour as red, green, blue; stroke width; dash and gap, empty for solid; inside tinted."""

    colour: tuple[int, int, int]
    width: int
    dash: tuple[int, ...] = ()
    meaning: str = ""
    fill: bool = False


PENS: Mapping[str, Pen] = {
    Label.HEADING: Pen((213, 94, 0), 3, (), "heading", fill=True),
    Label.PARAGRAPH: Pen((0, 114, 178), 2, (), "paragraph", fill=True),
    Label.LIST_ITEM: Pen((0, 158, 115), 2, (8, 4), "list item", fill=True),
    Label.CONTINUATION: Pen((204, 121, 167), 2, (3, 3), "continuation", fill=True),
    Label.OTHER: Pen((120, 120, 120), 1, (2, 4), "other, left out"),
}
"""Colours of Okabe and Ito's palette for colour-blind readers (Wong, Nature Methods 8:441, 2011); strokes
differ too, so that the labels can be told apart without any colour."""

ROLE_PENS: Mapping[str, Pen] = {
    Role.TITLE: Pen((213, 94, 0), 3, fill=True),
    Role.ARTICLE: Pen((0, 114, 178), 2, fill=True),
    Role.CONTENT: Pen((86, 180, 233), 2, fill=True),
    Role.COMMENTS: Pen((204, 121, 167), 2, fill=True),
    Role.TABLE: Pen((0, 158, 115), 2, fill=True),
    Role.AUTHOR: Pen((230, 159, 0), 2, fill=True),
    Role.NAVIGATION: Pen((0, 114, 178), 2, (6, 4)),
    Role.HEADER: Pen((213, 94, 0), 2, (6, 4)),
    Role.FOOTER: Pen((120, 120, 120), 2, (6, 4)),
    Role.SIDEBAR: Pen((204, 121, 167), 2, (6, 4)),
    Role.AD: Pen((190, 170, 0), 2, (6, 4)),
    Role.FORM: Pen((0, 158, 115), 2, (6, 4)),
    Role.LINKS: Pen((230, 159, 0), 2, (6, 4)),
    Role.MEDIA: Pen((86, 180, 233), 2, (6, 4)),
    Role.LOGO: Pen((90, 60, 30), 2, (6, 4)),
}
"""The same palette (its yellow darkened for white pages, and brown in place of a ninth colour): solid and tinted
where a region is content, dashed where it is not."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Overlay:
    """The blocks to draw over the picture of their page.

    Attributes:
        box: float32 (B, 4), x, y, width, height; rows that are NaN or without area are not drawn.
        labels, probability, texts: B each; a probability of NaN is not shown.
        hidden: bool (B,), blocks no reader sees at once; they are counted, not drawn.
        lines: float32 (L, 4), the line boxes of the page, which the tags keep off.
        page_height: of the document; more than the picture's when the picture was cut.
    """

    box: NDArray[np.float32]
    labels: Sequence[Label]
    probability: NDArray[np.float32]
    texts: Sequence[str]
    hidden: NDArray[np.bool_]
    lines: NDArray[np.float32]
    page_height: float


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle of whole px."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One block as drawn. `tag` is None where it would cover text and the block is quiet."""

    frame: Rect
    label: Label
    tag: Rect | None
    caption: str
    title: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the legend, with its top left corner; a note has no label, and so no pen."""

    x: int
    y: int
    label: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything to draw: a picture of `width` x `height` under a legend of `strip` px, marks by layer."""

    width: int
    height: int
    strip: int
    marks: list[Mark]
    legend: list[Entry]


def text_width(text: str, size: int) -> int:
    """An upper estimate, in px, for the digits and Latin letters of captions in a sans-serif font."""
    return round(len(text) * size * 0.6)


def plan(overlay: Overlay, width: int, height: int) -> Plan:
    """Lay an overlay out over a picture of `width` x `height` px."""
    framed = frames(overlay.box, width, height)
    drawn = ~overlay.hidden & (framed[:, 2] > 0) & (framed[:, 3] > 0)
    ground = Ground(width, height, overlay.lines)
    marks = [_mark(overlay, block, Rect(*framed[block].tolist()), ground) for block in _layers(overlay, drawn)]
    legend, strip = legend_rows(_entries(overlay, height), width)
    return Plan(width=width, height=height, strip=strip, marks=marks, legend=legend)


def frames(
    box: NDArray[np.float32], width: int, height: int, outset: NDArray[np.int64] | int = OUTSET
) -> NDArray[np.int64]:
    """int64 (B, 4): the boxes, widened by `outset` and cut to the picture; without area where nothing is left."""
    wider = np.broadcast_to(outset, len(box))[:, None]
    painted = np.isfinite(box).all(axis=1) & (box[:, 2] > 0) & (box[:, 3] > 0)
    whole = np.where(painted[:, None], box, 0)
    corner = np.clip(np.floor(whole[:, :2]) - wider, 0, (width, height))
    opposite = np.clip(np.ceil(whole[:, :2] + whole[:, 2:]) + wider, 0, (width, height))
    size = np.where(painted[:, None], opposite - corner, 0)
    return np.hstack([corner, size]).astype(np.int64)


def _layers(overlay: Overlay, drawn: NDArray[np.bool_]) -> list[int]:
    """The drawn blocks, content first, so that it has the first choice of places; drawn in reverse."""
    blocks = np.flatnonzero(drawn).tolist()
    return sorted(blocks, key=lambda block: not overlay.labels[block].is_content)


def _mark(overlay: Overlay, block: int, frame: Rect, ground: Ground) -> Mark:
    label, caption = overlay.labels[block], _caption(overlay.labels[block], float(overlay.probability[block]))
    tag = ground.place(frame, text_width(caption, TAG_SIZE) + 4, must=label.is_content)
    return Mark(frame=frame, label=label, tag=tag, caption=caption, title=f"{caption}: {excerpt(overlay.texts[block])}")


def excerpt(text: str, length: int = MAX_TITLE) -> str:
    """The text, or its beginning and an ellipsis, of `length` characters at most."""
    return text if len(text) <= length else text[: length - 1] + "…"


def _caption(label: Label, probability: float) -> str:
    return f"{label} {probability:.2f}".replace(" 0.", " .") if np.isfinite(probability) else str(label)


class Ground:
    """The cells of the picture that text and tags take."""

    def __init__(self, width: int, height: int, lines: NDArray[np.float32]) -> None:
        self._size = width, height
        self._taken = np.zeros((height // _CELL + 1, width // _CELL + 1), dtype=bool)
        framed = frames(lines, width, height)
        for line in framed[(framed[:, 2] > 0) & (framed[:, 3] > 0)].tolist():
            x, y, w, h = line
            self._cells(x + OUTSET, y + OUTSET, w - 2 * OUTSET, h - 2 * OUTSET)[:] = True

    def place(self, frame: Rect, width: int, *, must: bool) -> Rect | None:
        """The first place beside `frame` that is free, else the freest, or None if it need not be."""
        places = [place for place in _places(frame, width) if self._inside(place)]
        covered = [int(self._cells(*place).sum()) for place in places]
        if not places or (min(covered) and not must):
            return None
        best = places[covered.index(min(covered))]
        self._cells(*best)[:] = True
        return Rect(*best)

    def _inside(self, place: tuple[int, int, int, int]) -> bool:
        x, y, width, height = place
        return x >= 0 and y >= 0 and x + width <= self._size[0] and y + height <= self._size[1]

    def _cells(self, x: int, y: int, width: int, height: int) -> NDArray[np.bool_]:
        columns = slice(max(x, 0) // _CELL, (x + width - 1) // _CELL + 1)
        return self._taken[max(y, 0) // _CELL : (y + height - 1) // _CELL + 1, columns]


def _places(frame: Rect, width: int) -> list[tuple[int, int, int, int]]:
    """Where a tag may stand, best first: above, right, left (over list markers), below, on the block."""
    right, bottom = frame.x + frame.width, frame.y + frame.height
    corners = [
        (frame.x, frame.y - _TAG_HEIGHT),
        (right - width, frame.y - _TAG_HEIGHT),
        (right, frame.y),
        (frame.x - width, frame.y),
        (frame.x, bottom),
        (right - width, bottom),
        (right - width, bottom - _TAG_HEIGHT),
        (right - width, frame.y),
        (frame.x, frame.y),
    ]
    return [(x, y, width, _TAG_HEIGHT) for x, y in corners]


def _entries(overlay: Overlay, height: int) -> list[tuple[str | None, str]]:
    """The legend's entries: every label with its count, then what is not drawn and why."""
    counts = Counter(overlay.labels)
    entries: list[tuple[str | None, str]] = [
        (label, f"{label} {PENS[label].meaning}: {counts[label]}") for label in Label
    ]
    if hidden := int(overlay.hidden.sum()):
        entries.append((None, f"hidden, not drawn: {hidden}"))
    if overlay.page_height > height + 1:
        below = int((~overlay.hidden & (overlay.box[:, 1] >= height)).sum())
        entries.append((None, f"picture cut at {height} of {overlay.page_height:.0f} px, blocks below: {below}"))
    return entries


def legend_rows(entries: Sequence[tuple[str | None, str]], width: int) -> tuple[list[Entry], int]:
    """The entries in rows that fit the width, and the height of the strip they need."""
    placed, x, y = [], _LEGEND_MARGIN, _LEGEND_MARGIN
    for label, text in entries:
        need = (_SWATCH + 6 if label else 0) + text_width(text, LEGEND_SIZE)
        if x > _LEGEND_MARGIN and x + need > width:
            x, y = _LEGEND_MARGIN, y + _LEGEND_ROW
        placed.append(Entry(x, y, label, text))
        x += need + 16
    return placed, y + _LEGEND_ROW + _LEGEND_MARGIN // 2


def swatch(entry: Entry) -> Rect:
    """The sample frame of a legend entry."""
    return Rect(entry.x, entry.y + 1, _SWATCH, 14)


def entry_text_x(entry: Entry) -> int:
    """Where the text of a legend entry starts."""
    return entry.x + (_SWATCH + 6 if entry.label else 0)
