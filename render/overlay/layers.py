"""Lay out a drawing over the screenshot of a page: layers of frames with tags, and a legend.

`vclean.render.overlay.draw` draws the layout. All lengths are CSS px of the screenshot,
with the origin at its top left. The legend is in a strip above the screenshot.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from vclean.labels import Label, PartKind, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

MAX_TITLE: Final = 300
"""Characters of a block's text in its hover title."""

TAG_SIZE, LEGEND_SIZE = 10, 13
"""Font sizes of the tags and of the legend, in px."""

BORDER_COLOR = "#b0b0b0"
"""Color of the line between the legend and the screenshot."""

OUTSET = 2
"""Distance between a frame and its box in px; it keeps the stroke off the letters."""

_CELL = 4
"""Side of a cell of the occupancy grid in px."""
_TEXT, _TAG = 1, 10_000
"""Value of a cell with text, and of one with a tag: no tag covers as many cells with text."""

_TAG_HEIGHT, _LEGEND_ROW, _LEGEND_MARGIN, _SWATCH = 13, 22, 8, 20


TINT: Final = 26
"""Opacity of the inside of a frame, 0 to 255; text shows through."""


@dataclass(frozen=True, slots=True)
class Pen:
    """Style of a mark.

    Attributes:
        color: red, green, blue, 0 to 255.
        width: stroke width in px; 0 for none.
        dash: lengths of dash and gap in px; empty for a solid stroke.
        meaning: text in the legend.
        fill: opacity of the inside, 0 to 255.
        tag: background of the caption: `loud` the color, `quiet` white, `bare` none.
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
    Label.OTHER: Pen((95, 95, 95), 1, (2, 4), "other, left out", tag="quiet"),
}
"""Pens of the labels. The palette of Okabe and Ito is safe for color-blind readers (Wong, Nature Methods 8:441, 2011).
The strokes differ too, so the labels are distinct without color."""

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
    Role.OVERLAY: Pen((200, 0, 110), 2, (6, 4), "overlay", tag="quiet"),
    "none": Pen((120, 120, 120), 1, (2, 4), "no role", tag="quiet"),
}
"""Pens of the roles in the same palette, with a darker yellow for white pages, brown, and the red of hidden text.
Content roles are solid and tinted, other roles are dashed."""


HIDDEN: Final = "hidden"
HIDDEN_PENS: Mapping[str, Pen] = {HIDDEN: Pen((200, 0, 110), 2, (2, 3), "hidden text", tag="quiet")}

PART_PENS: Mapping[str, Pen] = {
    PartKind.TITLE: Pen((90, 60, 160), 3, (), "title of the page"),
    PartKind.BYLINE: Pen((90, 60, 160), 2, (6, 3), "byline", tag="quiet"),
    PartKind.DATE: Pen((90, 60, 160), 2, (2, 2), "date", tag="quiet"),
    PartKind.BYLINE_DATE: Pen((90, 60, 160), 2, (9, 3), "byline with date", tag="quiet"),
    PartKind.PRICE: Pen((0, 110, 80), 3, (), "price"),
    PartKind.RECIPE: Pen((0, 110, 80), 2, (6, 3), "recipe", tag="quiet"),
    PartKind.POST: Pen((150, 80, 0), 2, (), "post", tag="quiet"),
    PartKind.ITEM: Pen((150, 80, 0), 2, (6, 3), "item", tag="quiet"),
}
"""Pens of the parts of a page, darker than those of the labels, and without tint, since parts have blocks inside."""

LINE: Final = "line"
LINE_PENS: Mapping[str, Pen] = {LINE: Pen((90, 60, 160), 1, (1, 2), "line of text")}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Overlay:
    """Blocks to draw over the screenshot of their page.

    Attributes:
        box: float32 (B, 4), x, y, width, height; rows that are NaN or without area are not drawn.
        labels, probability, texts: B each; a probability of NaN is not shown.
        hidden: bool (B,), blocks that are not visible at first; `hidden_layer` draws those that have a box.
        lines: float32 (L, 4), the line boxes of the page, which tags avoid.
        page_height: height of the document; larger than the screenshot if that was truncated.
        roles: B roles, or empty; if given, blocks are colored by role.
        techniques: B names of what hides the blocks, or empty.
    """

    box: NDArray[np.float32]
    labels: Sequence[Label]
    probability: NDArray[np.float32]
    texts: Sequence[str]
    hidden: NDArray[np.bool_]
    lines: NDArray[np.float32]
    page_height: float
    roles: Sequence[Role | None] = ()
    techniques: Sequence[str] = ()

    def take(self, rows: Sequence[int]) -> Overlay:
        """Return the overlay with only the blocks at `rows`."""
        return replace(
            self,
            box=self.box[rows],
            labels=[self.labels[row] for row in rows],
            probability=self.probability[rows],
            texts=[self.texts[row] for row in rows],
            hidden=self.hidden[rows],
            roles=[self.roles[row] for row in rows] if self.roles else (),
            techniques=[self.techniques[row] for row in rows] if self.techniques else (),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Part of a page that was found: title, byline, date, price, recipe, post or item.

    Attributes:
        kind: its kind, with a pen in `PART_PENS`.
        box: x, y, width, height in CSS px of the document.
        text: its value, such as the names of the authors.
        block: the index of its first block; None if no block shows it.
    """

    kind: PartKind
    box: Sequence[float]
    text: str
    block: int | None = None


@dataclass(frozen=True, slots=True)
class Rect:
    """Rectangle in whole px."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Frame or band to draw; `pen` is the name of its pen. `tag` is None if there is no free space for it."""

    frame: Rect
    pen: str
    tag: Rect | None
    caption: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Marks in drawing order, their pens by name, and the legend entries: the name of a pen or None, and a text."""

    pens: Mapping[str, Pen]
    marks: Sequence[Mark]
    entries: Sequence[tuple[str | None, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Entry:
    """Legend entry with its top left corner; a note has no pen."""

    x: int
    y: int
    pen: str | None
    text: str


def text_width(text: str, size: int) -> int:
    """Return an upper estimate of the width in px, for digits and Latin letters in a sans-serif font."""
    return round(len(text) * size * 0.6)


def block_layer(overlay: Overlay, placer: TagPlacer) -> Layer:
    """Return the blocks as a layer, content on top; tags are placed on free space."""
    placer.add_obstacles(overlay.lines)
    frames = frame_boxes(overlay.box, placer.width, placer.height)
    drawn = ~overlay.hidden & (frames[:, 2] > 0) & (frames[:, 3] > 0)
    marks = [
        _mark(overlay, block, Rect(*frames[block].tolist()), placer) for block in _sort_content_first(overlay, drawn)
    ]
    pens = ROLE_PENS if overlay.roles else PENS
    return Layer(pens=pens, marks=marks[::-1], entries=_entries(overlay, pens, placer.height))


def hidden_layer(overlay: Overlay, placer: TagPlacer) -> Layer:
    """Return the hidden blocks that have a box as a layer, tagged with the technique that hides them."""
    frames = frame_boxes(overlay.box, placer.width, placer.height)
    drawn = np.flatnonzero(overlay.hidden & (frames[:, 2] > 0) & (frames[:, 3] > 0)).tolist()
    marks = []
    for block in drawn:
        frame = Rect(*frames[block].tolist())
        caption = overlay.techniques[block] if overlay.techniques else HIDDEN
        tag = placer.place_tag(frame, text_width(caption, TAG_SIZE) + 4, required=True)
        marks.append(Mark(frame=frame, pen=HIDDEN, tag=tag, caption=caption, title=excerpt(overlay.texts[block])))
    entries = [(HIDDEN, f"hidden text with a box: {len(marks)}")] if marks else []
    return Layer(pens=HIDDEN_PENS, marks=marks, entries=entries)


def part_layer(parts: Sequence[Part], placer: TagPlacer) -> Layer:
    """Return the parts of a page as a layer, tagged with their kinds."""
    boxes = np.array([part.box for part in parts], dtype=np.float32).reshape(-1, 4)
    frames = frame_boxes(boxes, placer.width, placer.height, 2 * OUTSET)
    marks = []
    for number in np.flatnonzero((frames[:, 2:] > 0).all(axis=1)).tolist():
        part, frame = parts[number], Rect(*frames[number].tolist())
        tag = placer.place_tag(frame, text_width(part.kind, TAG_SIZE) + 4, required=True)
        title = f"{part.kind}: {excerpt(part.text)}"
        marks.append(Mark(frame=frame, pen=part.kind, tag=tag, caption=part.kind, title=title))
    counts = Counter(mark.pen for mark in marks)
    entries = [(kind, f"{pen.meaning}: {counts[kind]}") for kind, pen in PART_PENS.items() if counts[kind]]
    return Layer(pens=PART_PENS, marks=marks, entries=entries)


def line_layer(lines: NDArray[np.float32], placer: TagPlacer) -> Layer:
    """Return the lines of text as a layer; `lines` is float32 (L, 4)."""
    frames = frame_boxes(lines, placer.width, placer.height, 0)
    rects = [Rect(*row) for row in frames[(frames[:, 2:] > 0).all(axis=1)].tolist()]
    marks = [Mark(frame=rect, pen=LINE, tag=None, caption="", title="line of text") for rect in rects]
    return Layer(pens=LINE_PENS, marks=marks, entries=[(LINE, f"lines of text: {len(marks)}")])


def frame_boxes(
    box: NDArray[np.float32], width: int, height: int, outset: NDArray[np.int64] | int = OUTSET
) -> NDArray[np.int64]:
    """Widen the boxes by `outset` and clip them to the screenshot.

    Returns:
        int64 (B, 4); frames outside the screenshot have no area.
    """
    wider = np.broadcast_to(outset, len(box))[:, None]
    painted = np.isfinite(box).all(axis=1) & (box[:, 2] > 0) & (box[:, 3] > 0)
    finite = np.where(painted[:, None], box, 0)
    corner = np.clip(np.floor(finite[:, :2]) - wider, 0, (width, height))
    opposite = np.clip(np.ceil(finite[:, :2] + finite[:, 2:]) + wider, 0, (width, height))
    size = np.where(painted[:, None], opposite - corner, 0)
    return np.hstack([corner, size]).astype(np.int64)


def _sort_content_first(overlay: Overlay, drawn: NDArray[np.bool_]) -> list[int]:
    """Return the drawn blocks, content first: its tags are placed before others."""
    blocks = np.flatnonzero(drawn).tolist()
    return sorted(blocks, key=lambda block: not overlay.labels[block].is_content)


def _mark(overlay: Overlay, block: int, frame: Rect, placer: TagPlacer) -> Mark:
    label, pen = overlay.labels[block], _pen_name(overlay, block)
    caption = _caption(pen, float(overlay.probability[block]))
    tag = placer.place_tag(frame, text_width(caption, TAG_SIZE) + 4, required=label.is_content)
    return Mark(frame=frame, pen=pen, tag=tag, caption=caption, title=f"{caption}: {excerpt(overlay.texts[block])}")


def _pen_name(overlay: Overlay, block: int) -> str:
    return str(overlay.roles[block] or "none") if overlay.roles else str(overlay.labels[block])


def excerpt(text: str, length: int = MAX_TITLE) -> str:
    """Shorten a text to `length` characters, with an ellipsis."""
    return text if len(text) <= length else text[: length - 1] + "…"


def _caption(name: str, probability: float) -> str:
    return f"{name} {probability:.2f}".replace(" 0.", " .") if np.isfinite(probability) else name


class TagPlacer:
    """Placement of tags on a screenshot of `width` x `height` px, which avoids text and other tags."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._occupied = np.zeros((height // _CELL + 1, width // _CELL + 1), dtype=np.int32)

    def add_obstacles(self, lines: NDArray[np.float32]) -> None:
        """Mark the cells of lines of text, float32 (L, 4), as occupied."""
        frames = frame_boxes(lines, self.width, self.height)
        for line in frames[(frames[:, 2] > 0) & (frames[:, 3] > 0)].tolist():
            x, y, w, h = line
            self._cells(x + OUTSET, y + OUTSET, w - 2 * OUTSET, h - 2 * OUTSET)[:] = _TEXT

    def place_tag(self, frame: Rect, width: int, *, required: bool) -> Rect | None:
        """Return the first free position next to `frame`, and mark it as occupied; None if there is none.

        A `required` tag may cover text, as little as possible, but no other tag.
        """
        candidates = [candidate for candidate in _candidates(frame, width) if self._is_inside(candidate)]
        covered = [int(self._cells(*candidate).sum()) for candidate in candidates]
        if not candidates or min(covered) >= (_TAG if required else _TEXT):
            return None
        best = candidates[covered.index(min(covered))]
        self._cells(*best)[:] = _TAG
        return Rect(*best)

    def _is_inside(self, candidate: tuple[int, int, int, int]) -> bool:
        x, y, width, height = candidate
        return x >= 0 and y >= 0 and x + width <= self.width and y + height <= self.height

    def _cells(self, x: int, y: int, width: int, height: int) -> NDArray[np.int32]:
        columns = slice(max(x, 0) // _CELL, (x + width - 1) // _CELL + 1)
        return self._occupied[max(y, 0) // _CELL : (y + height - 1) // _CELL + 1, columns]


def _candidates(frame: Rect, width: int) -> list[tuple[int, int, int, int]]:
    """Return possible tag positions, best first: above, right, left (over list markers), below, on the block."""
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
    """Return the legend entries: the used pens with their counts, then notes on blocks that are not drawn."""
    counts = Counter(_pen_name(overlay, block) for block in range(len(overlay.labels)))
    entries: list[tuple[str | None, str]] = [
        (name, f"{pen.meaning if overlay.roles else f'{name} {pen.meaning}'}: {counts[name]}")
        for name, pen in pens.items()
        if counts[name]
    ]
    if hidden := int(overlay.hidden.sum()):
        entries.append((None, f"hidden blocks: {hidden}"))
    below = int((~overlay.hidden & (overlay.box[:, 1] >= height)).sum())
    return entries + truncation_note(overlay.page_height, height, f"blocks below: {below}")


def truncation_note(page_height: float, height: int, below: str) -> list[tuple[str | None, str]]:
    """Return a legend note if the page is higher than the screenshot.

    Args:
        page_height: height of the page in px.
        height: height of the screenshot in px.
        below: text that counts the items below the screenshot.
    """
    is_truncated = page_height > height + 1
    return [(None, f"picture cut at {height} of {page_height:.0f} px, {below}")] if is_truncated else []


def lay_out_legend(layers: Iterable[Layer], width: int) -> tuple[list[Entry], int]:
    """Arrange the legend entries of all layers in rows of `width` px; return them with the height of the strip."""
    placed: list[Entry] = []
    x, y = _LEGEND_MARGIN, _LEGEND_MARGIN
    for pen, text in (entry for layer in layers for entry in layer.entries):
        entry_width = (_SWATCH + 6 if pen else 0) + text_width(text, LEGEND_SIZE)
        if x > _LEGEND_MARGIN and x + entry_width > width:
            x, y = _LEGEND_MARGIN, y + _LEGEND_ROW
        placed.append(Entry(x, y, pen, text))
        x += entry_width + 16
    return placed, (y + _LEGEND_ROW + _LEGEND_MARGIN // 2 if placed else 0)


def collect_pens(layers: Iterable[Layer]) -> dict[str, Pen]:
    """Return the pens of all layers by name."""
    return {name: pen for layer in layers for name, pen in layer.pens.items()}


def swatch(entry: Entry) -> Rect:
    """Return the sample frame of a legend entry."""
    return Rect(entry.x, entry.y + 1, _SWATCH, 14)


def entry_text_x(entry: Entry) -> int:
    """Return the x coordinate of the text of a legend entry."""
    return entry.x + (_SWATCH + 6 if entry.pen else 0)
