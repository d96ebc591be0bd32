"""What a drawing over the screenshot of a page shows and where: frames with their tags, in layers, and a legend.

Drawing is left to `vclean.render.overlay.png` and `vclean.render.overlay.svg`. All lengths are CSS px of the
screenshot, origin at its top left; the legend has a strip of its own above the screenshot.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from vclean.labels import Label, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

MAX_TITLE: Final = 300
"""Characters of a block's text in its hover title."""

TAG_SIZE, LEGEND_SIZE = 10, 13
"""Font sizes of the tags and of the legend."""

EDGE = "#b0b0b0"
"""Color of the line between the legend and the screenshot."""

OUTSET = 2
"""Distance of a frame from the text it frames, so that the stroke stays off the letters."""

_CELL = 4
"""Side of a cell of the grid that records where text and tags are."""

_TAG_HEIGHT, _LEGEND_ROW, _LEGEND_MARGIN, _SWATCH = 13, 22, 8, 20


TINT: Final = 26
"""How much of a frame's inside its color covers, of 255; text shows through."""


@dataclass(frozen=True, slots=True)
class Pen:
    """How a mark is drawn.

    Attributes:
        color: red, green, blue.
        width: of the stroke in px; 0 for none.
        dash: dash and gap; empty for solid.
        meaning: in the legend.
        fill: how much of the inside is covered, 0 to 255.
        tag: how its caption stands out: on the color, on white, or on nothing.
    """

    color: tuple[int, int, int]
    width: int
    dash: tuple[int, ...] = ()
    meaning: str = ""
    fill: int = 0
    tag: Literal["loud", "quiet", "bare"] = "loud"


PENS: Mapping[str, Pen] = {
    Label.HEADING: Pen((213, 94, 0), 3, (), "heading", TINT),
    Label.PARAGRAPH: Pen((0, 114, 178), 2, (), "paragraph", TINT),
    Label.LIST_ITEM: Pen((0, 158, 115), 2, (8, 4), "list item", TINT),
    Label.CONTINUATION: Pen((204, 121, 167), 2, (3, 3), "continuation", TINT),
    Label.OTHER: Pen((120, 120, 120), 1, (2, 4), "other, left out", tag="quiet"),
}
"""Colors of Okabe and Ito's palette for color-blind readers (Wong, Nature Methods 8:441, 2011); strokes
differ too, so that the labels can be told apart without any color."""

ROLE_PENS: Mapping[str, Pen] = {
    Role.TITLE: Pen((213, 94, 0), 3, (), "title", TINT),
    Role.ARTICLE: Pen((0, 114, 178), 2, (), "article", TINT),
    Role.CONTENT: Pen((86, 180, 233), 2, (), "content", TINT),
    Role.COMMENTS: Pen((204, 121, 167), 2, (), "comments", TINT),
    Role.TABLE: Pen((0, 158, 115), 2, (), "table", TINT),
    Role.AUTHOR: Pen((230, 159, 0), 2, (), "author", TINT),
    Role.NAVIGATION: Pen((0, 114, 178), 2, (6, 4), "navigation", tag="quiet"),
    Role.HEADER: Pen((213, 94, 0), 2, (6, 4), "header", tag="quiet"),
    Role.FOOTER: Pen((120, 120, 120), 2, (6, 4), "footer", tag="quiet"),
    Role.SIDEBAR: Pen((204, 121, 167), 2, (6, 4), "sidebar", tag="quiet"),
    Role.AD: Pen((190, 170, 0), 2, (6, 4), "ad", tag="quiet"),
    Role.FORM: Pen((0, 158, 115), 2, (6, 4), "form", tag="quiet"),
    Role.LINKS: Pen((230, 159, 0), 2, (6, 4), "links", tag="quiet"),
    Role.MEDIA: Pen((86, 180, 233), 2, (6, 4), "media", tag="quiet"),
    Role.LOGO: Pen((90, 60, 30), 2, (6, 4), "logo", tag="quiet"),
    "none": Pen((120, 120, 120), 1, (2, 4), "no role", tag="quiet"),
}
"""The same palette (its yellow darkened for white pages, and brown in place of a ninth color): solid and tinted
where a region is content, dashed where it is not."""


LINE: Final = "line"
LINE_PENS: Mapping[str, Pen] = {LINE: Pen((90, 60, 160), 1, (1, 2), "line of text")}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Overlay:
    """The blocks to draw over the screenshot of their page.

    Attributes:
        box: float32 (B, 4), x, y, width, height; rows that are NaN or without area are not drawn.
        labels, probability, texts: B each; a probability of NaN is not shown.
        hidden: bool (B,), blocks no reader sees at once; they are counted, not drawn.
        lines: float32 (L, 4), the line boxes of the page, which the tags keep off.
        page_height: of the document; more than the screenshot's when the screenshot was cut.
        roles: B, or none; with them, colors are those of roles.
    """

    box: NDArray[np.float32]
    labels: Sequence[Label]
    probability: NDArray[np.float32]
    texts: Sequence[str]
    hidden: NDArray[np.bool_]
    lines: NDArray[np.float32]
    page_height: float
    roles: Sequence[Role | None] = ()

    def take(self, rows: Sequence[int]) -> Overlay:
        """The same with the blocks at `rows` only."""
        return replace(
            self,
            box=self.box[rows],
            labels=[self.labels[row] for row in rows],
            probability=self.probability[rows],
            texts=[self.texts[row] for row in rows],
            hidden=self.hidden[rows],
            roles=[self.roles[row] for row in rows] if self.roles else (),
        )


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle of whole px."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One frame or band as drawn; `pen` names its pen. `tag` is None where there is no place for it."""

    frame: Rect
    pen: str
    tag: Rect | None
    caption: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Marks in the order they are drawn in, the pens they name, and what the legend says: a pen or None, a text."""

    pens: Mapping[str, Pen]
    marks: Sequence[Mark]
    entries: Sequence[tuple[str | None, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the legend, with its top left corner; a note has no pen."""

    x: int
    y: int
    pen: str | None
    text: str


def text_width(text: str, size: int) -> int:
    """An upper estimate, in px, for the digits and Latin letters of captions in a sans-serif font."""
    return round(len(text) * size * 0.6)


def block_layer(overlay: Overlay, ground: TagPlacer) -> Layer:
    """The blocks as a layer, content over the rest; tags go where the ground is free."""
    ground.cover(overlay.lines)
    framed = frames(overlay.box, ground.width, ground.height)
    drawn = ~overlay.hidden & (framed[:, 2] > 0) & (framed[:, 3] > 0)
    marks = [_mark(overlay, block, Rect(*framed[block].tolist()), ground) for block in _content_first(overlay, drawn)]
    pens = ROLE_PENS if overlay.roles else PENS
    return Layer(pens=pens, marks=marks[::-1], entries=_entries(overlay, pens, ground.height))


def line_layer(lines: NDArray[np.float32], ground: TagPlacer) -> Layer:
    """The lines of text as a layer; `lines` is float32 (L, 4)."""
    framed = frames(lines, ground.width, ground.height, 0)
    rects = [Rect(*row) for row in framed[(framed[:, 2:] > 0).all(axis=1)].tolist()]
    marks = [Mark(frame=rect, pen=LINE, tag=None, caption="", title="line of text") for rect in rects]
    return Layer(pens=LINE_PENS, marks=marks, entries=[(LINE, f"lines of text: {len(marks)}")])


def frames(
    box: NDArray[np.float32], width: int, height: int, outset: NDArray[np.int64] | int = OUTSET
) -> NDArray[np.int64]:
    """int64 (B, 4): the boxes, widened by `outset` and cut to the screenshot; without area where nothing is left."""
    wider = np.broadcast_to(outset, len(box))[:, None]
    painted = np.isfinite(box).all(axis=1) & (box[:, 2] > 0) & (box[:, 3] > 0)
    whole = np.where(painted[:, None], box, 0)
    corner = np.clip(np.floor(whole[:, :2]) - wider, 0, (width, height))
    opposite = np.clip(np.ceil(whole[:, :2] + whole[:, 2:]) + wider, 0, (width, height))
    size = np.where(painted[:, None], opposite - corner, 0)
    return np.hstack([corner, size]).astype(np.int64)


def _content_first(overlay: Overlay, drawn: NDArray[np.bool_]) -> list[int]:
    """The drawn blocks, content first, so that it has the first choice of places for tags."""
    blocks = np.flatnonzero(drawn).tolist()
    return sorted(blocks, key=lambda block: not overlay.labels[block].is_content)


def _mark(overlay: Overlay, block: int, frame: Rect, ground: TagPlacer) -> Mark:
    label, pen = overlay.labels[block], _pen_name(overlay, block)
    caption = _caption(pen, float(overlay.probability[block]))
    tag = ground.place(frame, text_width(caption, TAG_SIZE) + 4, must=label.is_content)
    return Mark(frame=frame, pen=pen, tag=tag, caption=caption, title=f"{caption}: {excerpt(overlay.texts[block])}")


def _pen_name(overlay: Overlay, block: int) -> str:
    return str(overlay.roles[block] or "none") if overlay.roles else str(overlay.labels[block])


def excerpt(text: str, length: int = MAX_TITLE) -> str:
    """The text, or its beginning and an ellipsis, of `length` characters at most."""
    return text if len(text) <= length else text[: length - 1] + "…"


def _caption(name: str, probability: float) -> str:
    return f"{name} {probability:.2f}".replace(" 0.", " .") if np.isfinite(probability) else name


class TagPlacer:
    """The cells of a screenshot of `width` x `height` px that text and tags take."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._taken = np.zeros((height // _CELL + 1, width // _CELL + 1), dtype=bool)

    def cover(self, lines: NDArray[np.float32]) -> None:
        """Take the place of lines of text, float32 (L, 4)."""
        framed = frames(lines, self.width, self.height)
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
        return x >= 0 and y >= 0 and x + width <= self.width and y + height <= self.height

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


def _entries(overlay: Overlay, pens: Mapping[str, Pen], height: int) -> list[tuple[str | None, str]]:
    """The legend's entries: every pen that is used, with its count, then what is not drawn and why."""
    counts = Counter(_pen_name(overlay, block) for block in range(len(overlay.labels)))
    entries: list[tuple[str | None, str]] = [
        (name, f"{pen.meaning if overlay.roles else f'{name} {pen.meaning}'}: {counts[name]}")
        for name, pen in pens.items()
        if counts[name]
    ]
    if hidden := int(overlay.hidden.sum()):
        entries.append((None, f"hidden, not drawn: {hidden}"))
    below = int((~overlay.hidden & (overlay.box[:, 1] >= height)).sum())
    return entries + cut_entries(overlay.page_height, height, f"blocks below: {below}")


def cut_entries(page_height: float, height: int, below: str) -> list[tuple[str | None, str]]:
    """A note where the screenshot, of `height` px, ends before the page; `below` says what is left out."""
    cut = page_height > height + 1
    return [(None, f"picture cut at {height} of {page_height:.0f} px, {below}")] if cut else []


def legend_rows(layers: Iterable[Layer], width: int) -> tuple[list[Entry], int]:
    """The entries of all layers in rows that fit the width, and the height of the strip they need; 0 without any."""
    placed: list[Entry] = []
    x, y = _LEGEND_MARGIN, _LEGEND_MARGIN
    for pen, text in (entry for layer in layers for entry in layer.entries):
        need = (_SWATCH + 6 if pen else 0) + text_width(text, LEGEND_SIZE)
        if x > _LEGEND_MARGIN and x + need > width:
            x, y = _LEGEND_MARGIN, y + _LEGEND_ROW
        placed.append(Entry(x, y, pen, text))
        x += need + 16
    return placed, (y + _LEGEND_ROW + _LEGEND_MARGIN // 2 if placed else 0)


def pens_of(layers: Iterable[Layer]) -> dict[str, Pen]:
    """The pens of all layers, by name."""
    return {name: pen for layer in layers for name, pen in layer.pens.items()}


def swatch(entry: Entry) -> Rect:
    """The sample frame of a legend entry."""
    return Rect(entry.x, entry.y + 1, _SWATCH, 14)


def entry_text_x(entry: Entry) -> int:
    """Where the text of a legend entry starts."""
    return entry.x + (_SWATCH + 6 if entry.pen else 0)
