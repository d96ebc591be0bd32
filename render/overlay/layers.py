"""Lay out a drawing over the screenshot of a page: layers of frames with tags, and a legend.

`vclean.render.overlay.draw` draws the layout. All lengths are CSS px of the screenshot,
with the origin at its top left. The legend is in a strip above the screenshot.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from vclean.files import read_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    LegendEntry = tuple[str | None, str]
    """Name of a pen, or None, and a text."""

JsonObject = dict[str, Any]
"""Block, part of a page, segment or separator: an object of `docs/reference/overlay-data.md`, with exact numbers."""

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
    tag: str = "loud"


def _read_pens() -> dict[str, dict[str, Pen]]:
    """Return the pens by group and name, in the order of the legend."""
    pens: dict[str, dict[str, Pen]] = defaultdict(dict)
    for group, name, color, width, dash, fill, tag, meaning in read_table(__file__, "pens.tsv"):
        red, green, blue = map(int, color.split())
        lengths = tuple(map(int, dash.split()))
        pens[group][name] = Pen((red, green, blue), int(width), lengths, meaning, int(fill), tag)
    return pens


_PENS: Final = _read_pens()
"""Pens in the palette of Okabe and Ito, which is safe for color-blind readers (Wong, Nature Methods 8:441, 2011), with
a darker yellow for white pages, brown, and magenta. The strokes of labels differ too, so labels are distinct without
color. Content roles are solid and tinted, other roles are dashed. Pens of parts are darker. Parts and levels have no
tint, because parts have blocks inside, and the tints of nested frames would add up."""

PENS, ROLE_PENS, PART_PENS, HIDDEN_PENS = (_PENS[group] for group in ("label", "role", "part", "hidden"))
LEVEL_PENS = _PENS["level"]
"""Pens of levels 1, 2, ...; the last is for all deeper levels."""

HIDDEN, LINE, SEPARATOR = "hidden", "line", "separator"
_THINNEST_BAND: Final = 2
_STEP: Final = 3
_STEPS: Final = 4
"""Distance in px between nested frames, and the number of levels for which it is kept."""


class Rect(NamedTuple):
    """Rectangle in whole px."""

    x: int
    y: int
    width: int
    height: int


class Mark(NamedTuple):
    """Frame or band to draw; `pen` is the name of its pen. `tag` is None if there is no free space for it."""

    frame: Rect
    pen: str
    tag: Rect | None
    caption: str
    title: str


class Layer(NamedTuple):
    """Marks in drawing order, their pens by name, and the entries of the legend."""

    pens: Mapping[str, Pen]
    marks: Sequence[Mark]
    entries: Sequence[LegendEntry]


class Entry(NamedTuple):
    """Legend entry: its text with the top left corner, its pen and the sample frame; a note has no pen."""

    text: str
    x: int
    y: int
    pen: str | None
    swatch: Rect | None


def text_width(text: str, size: int) -> int:
    """Return an upper estimate of the width in px, for digits and Latin letters in a sans-serif font."""
    return round(len(text) * size * 0.6)


def block_layer(
    blocks: Sequence[JsonObject],
    placer: TagPlacer,
    *,
    lines: NDArray[np.float32],
    page_height: float,
    by: Literal["label", "role"] = "label",
) -> Layer:
    """Return the blocks as a layer, content on top; tags are placed on free space.

    Args:
        blocks: the blocks; those that are not shown are only counted.
        placer: the placement of tags on the screenshot.
        lines: float32 (L, 4), the line boxes of the page, which tags avoid.
        page_height: height of the document; larger than the screenshot if that was truncated.
        by: whether labels or roles determine the pens.
    """
    placer.add_obstacles(lines)
    pens = ROLE_PENS if by == "role" else PENS
    names = [str(block[by] or "none") for block in blocks]
    shown = [(block, name) for block, name in zip(blocks, names, strict=True) if block["visibility"] == "shown"]
    shown.sort(key=lambda item: not item[0]["label"].is_content)  # tags of content are placed first
    boxes = _boxes([block for block, _ in shown])
    marks = []
    for row, frame in placer.frames(boxes):
        block, name = shown[row]
        caption = _caption(name, block["probability"])
        title = f"{caption}: {excerpt(block['text'])}"
        marks.append(placer.mark(frame, name, caption, title, required=block["label"].is_content))
    entries = _entries(pens, names)
    if by == "label":
        entries = [(name, f"{name} {text}") for name, text in entries]
    if hidden := len(blocks) - len(shown):
        entries.append((None, f"hidden blocks: {hidden}"))
    entries += _note_below(boxes, page_height, placer.height, "blocks")
    return Layer(pens=pens, marks=marks[::-1], entries=entries)


def hidden_layer(blocks: Sequence[JsonObject], placer: TagPlacer) -> Layer:
    """Return the hidden blocks that have a box as a layer, tagged with the technique that hides them."""
    hidden = [block for block in blocks if block["visibility"] != "shown"]
    marks = [
        placer.mark(frame, HIDDEN, hidden[row]["technique"] or HIDDEN, excerpt(hidden[row]["text"]))
        for row, frame in placer.frames(_boxes(hidden))
    ]
    entries = [(HIDDEN, f"hidden text with a box: {len(marks)}")] if marks else []
    return Layer(pens=HIDDEN_PENS, marks=marks, entries=entries)


def part_layer(parts: Sequence[JsonObject], placer: TagPlacer) -> Layer:
    """Return the parts of a page as a layer, tagged with their kinds."""
    marks = []
    for row, frame in placer.frames(_boxes(parts), 2 * OUTSET):
        kind, text = parts[row]["kind"], parts[row]["text"]
        marks.append(placer.mark(frame, kind, kind, f"{kind}: {excerpt(text)}"))
    return Layer(pens=PART_PENS, marks=marks, entries=_entries(PART_PENS, [mark.pen for mark in marks]))


def line_layer(lines: NDArray[np.float32], placer: TagPlacer) -> Layer:
    """Return the lines of text as a layer; `lines` is float32 (L, 4)."""
    marks = [Mark(frame, LINE, None, "", "line of text") for _, frame in placer.frames(lines, 0)]
    return Layer(pens=_PENS[LINE], marks=marks, entries=[(LINE, f"lines of text: {len(marks)}")])


def segment_layer(segments: Sequence[JsonObject], placer: TagPlacer, *, page_height: float) -> Layer:
    """Return the segments as a layer, outermost first; `page_height` is the height of the document."""
    boxes, names = _boxes(segments), list(LEVEL_PENS)
    marks = []
    for row, frame in placer.frames(boxes, _STEP * np.minimum(_heights(segments), _STEPS)):
        segment = segments[row]
        if segment["level"] > 0:
            caption = f"{row} DoC {segment['coherence']}"
            pen = names[min(segment["level"], len(names)) - 1]
            title = f"{caption}: {excerpt(segment['text'])}"
            marks.append(placer.mark(frame, pen, caption, title, required=False))
    entries = _entries(LEVEL_PENS, [mark.pen for mark in marks])
    entries += _note_below(boxes, page_height, placer.height, "segments")
    return Layer(pens=LEVEL_PENS, marks=marks, entries=entries)


def _heights(segments: Sequence[JsonObject]) -> NDArray[np.int64]:
    """Return the number of levels inside each segment."""
    heights = np.zeros(len(segments), dtype=np.int64)
    for row in range(len(segments) - 1, 0, -1):
        parent = segments[row]["parent"]
        heights[parent] = max(heights[parent], heights[row] + 1)
    return heights


def separator_layer(separators: Sequence[JsonObject], placer: TagPlacer) -> Layer:
    """Return the separators as a layer of bands that are at least `_THINNEST_BAND` px wide; wide ones have a number."""
    boxes = _boxes(separators)
    boxes[:, 2:] = np.maximum(boxes[:, 2:], _THINNEST_BAND)
    marks = []
    for row, frame in placer.frames(boxes, 0):
        weight = str(separators[row]["weight"])
        has_number = frame.height >= TAG_SIZE and frame.width >= text_width(weight, TAG_SIZE)
        marks.append(Mark(frame, SEPARATOR, frame if has_number else None, weight, f"separator of weight {weight}"))
    text = f"separators with their weights: {len(boxes)}"
    return Layer(pens=_PENS[SEPARATOR], marks=marks, entries=[(SEPARATOR, text)])


def _entries(pens: Mapping[str, Pen], names: Sequence[str]) -> list[LegendEntry]:
    """Return a legend entry for each pen that is used, with the number of its marks."""
    counts = Counter(names)
    return [(name, f"{pen.meaning}: {counts[name]}") for name, pen in pens.items() if counts[name]]


def _boxes(items: Sequence[JsonObject]) -> NDArray[np.float32]:
    """Return the boxes of B items, float32 (B, 4); NaN for those without a box."""
    return np.array([item["box"] or (np.nan,) * 4 for item in items], dtype=np.float32).reshape(-1, 4)


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

    def frames(self, boxes: NDArray[np.float32], outset: NDArray[np.int64] | int = OUTSET) -> list[tuple[int, Rect]]:
        """Return the frames around boxes, float32 (B, 4), that are on the screenshot, each with the row of its box."""
        frames = frame_boxes(boxes, self.width, self.height, outset)
        rows = np.flatnonzero((frames[:, 2:] > 0).all(axis=1))
        return [(row, Rect(*frame)) for row, frame in zip(rows.tolist(), frames[rows].tolist(), strict=True)]

    def add_obstacles(self, lines: NDArray[np.float32]) -> None:
        """Mark the cells of lines of text, float32 (L, 4), as occupied."""
        for _, (x, y, w, h) in self.frames(lines):
            self._cells(Rect(x + OUTSET, y + OUTSET, w - 2 * OUTSET, h - 2 * OUTSET))[:] = _TEXT

    def mark(self, frame: Rect, pen: str, caption: str, title: str, *, required: bool = True) -> Mark:
        """Return a mark with its tag in the first free position next to its frame, or without one if there is none.

        A `required` tag may cover text, as little as possible, but no other tag.
        """
        candidates = self._candidates(frame, text_width(caption, TAG_SIZE) + 4)
        covered = [int(self._cells(candidate).sum()) for candidate in candidates]
        if not candidates or min(covered) >= (_TAG if required else _TEXT):
            return Mark(frame, pen, None, caption, title)
        best = candidates[covered.index(min(covered))]
        self._cells(best)[:] = _TAG
        return Mark(frame, pen, best, caption, title)

    def _candidates(self, frame: Rect, width: int) -> list[Rect]:
        """Return positions of a tag, best first: above, right, left (over list markers), below, on the block."""
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
        return [
            Rect(x, y, width, _TAG_HEIGHT)
            for x, y in corners
            if 0 <= x <= self.width - width and 0 <= y <= self.height - _TAG_HEIGHT
        ]

    def _cells(self, rect: Rect) -> NDArray[np.int32]:
        x, y, width, height = rect
        columns = slice(max(x, 0) // _CELL, (x + width - 1) // _CELL + 1)
        return self._occupied[max(y, 0) // _CELL : (y + height - 1) // _CELL + 1, columns]


def truncation(page_height: float, height: int) -> str:
    """Return a note on a page that is higher than its screenshot of `height` px; empty if it is not."""
    return f"cut at {height} of {page_height:.0f} px" if page_height > height + 1 else ""


def _note_below(boxes: NDArray[np.float32], page_height: float, height: int, noun: str) -> list[LegendEntry]:
    """Return a legend note on the boxes below a screenshot of `height` px; none if it shows the whole page."""
    cut, below = truncation(page_height, height), int((boxes[:, 1] >= height).sum())
    return [(None, f"picture {cut}, {noun} below: {below}")] if cut else []


def lay_out_legend(layers: Iterable[Layer], width: int) -> tuple[list[Entry], int]:
    """Arrange the legend entries of all layers in rows of `width` px; return them with the height of the strip."""
    placed: list[Entry] = []
    x, y = _LEGEND_MARGIN, _LEGEND_MARGIN
    for pen, text in (entry for layer in layers for entry in layer.entries):
        indent, width_of_text = (_SWATCH + 6 if pen else 0), text_width(text, LEGEND_SIZE)
        if x > _LEGEND_MARGIN and x + indent + width_of_text > width:
            x, y = _LEGEND_MARGIN, y + _LEGEND_ROW
        placed.append(Entry(text, x + indent, y, pen, Rect(x, y + 1, _SWATCH, 14) if pen else None))
        x += indent + width_of_text + 16
    return placed, (y + _LEGEND_ROW + _LEGEND_MARGIN // 2 if placed else 0)


def collect_pens(layers: Iterable[Layer]) -> dict[str, Pen]:
    """Return the pens of all layers by name."""
    return {name: pen for layer in layers for name, pen in layer.pens.items()}
