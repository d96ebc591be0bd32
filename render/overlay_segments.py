"""What an overlay of segments shows and where: nested frames by level, separators as bands with their weights.

All lengths are CSS px of the picture, origin at its top left; the legend has a strip of its own above the picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from lxml import etree
from PIL import ImageDraw, ImageFont

from vclean.characters import legal
from vclean.render.overlay import TAG_SIZE, Entry, Ground, Pen, Rect, excerpt, frames, legend_rows, text_width
from vclean.render.overlay_png import below_strip, draw_frame, draw_legend, lowered, open_picture, to_png
from vclean.render.overlay_svg import add, add_rect, document, frame_style, hexadecimal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

SEPARATOR: Final = "separator"
_LEVELS: Final = ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (120, 120, 120))

LEVEL_PENS: Final = tuple(Pen(colour, max(3 - level, 1), fill=True) for level, colour in enumerate(_LEVELS))
"""For the levels from the page's own parts down, of Okabe and Ito's palette; the last serves all below."""

_PENS: Final[Mapping[str, Pen]] = {
    **{f"level{level}": pen for level, pen in enumerate(LEVEL_PENS)},
    SEPARATOR: Pen((230, 159, 0), 1, fill=True),
}
_BAND_ALPHA: Final = 110
_THINNEST_BAND: Final = 2
_STEP: Final = 3
_STEPS: Final = 4
"""A frame stands this many px outside those in it, for as many levels."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SegmentOverlay:
    """Segments and separators to draw over the picture of their page.

    Attributes:
        box: float32 (S, 4), x, y, width, height, in preorder; the first, which is the page, is not drawn.
        level: int64 (S,), how deep each is nested, 0 for the page.
        height: int64 (S,), how many levels there are in it.
        captions, texts: S each; what its tag says, and what more is said on hover.
        separator_box: float32 (Q, 4); weight: int32 (Q,).
        page_height: of the document; more than the picture's when the picture was cut.
    """

    box: NDArray[np.float32]
    level: NDArray[np.int64]
    height: NDArray[np.int64]
    captions: Sequence[str]
    texts: Sequence[str]
    separator_box: NDArray[np.float32]
    weight: NDArray[np.int32]
    page_height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One frame or band as drawn; `name` is that of its pen. Without a free place it has no tag."""

    frame: Rect
    name: str
    tag: Rect | None
    caption: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentPlan:
    """Everything to draw: frames from the outermost in, bands, and the legend in a strip of `strip` px."""

    strip: int
    segments: list[Drawn]
    separators: list[Drawn]
    legend: list[Entry]


def plan_segments(overlay: SegmentOverlay, width: int, height: int) -> SegmentPlan:
    """Lay an overlay of segments out over a picture of `width` x `height` px."""
    outset = _STEP * np.minimum(overlay.height, _STEPS)
    framed = frames(overlay.box, width, height, outset)
    ground = Ground(width, height, np.zeros((0, 4), dtype=np.float32))
    drawn = np.flatnonzero((overlay.level > 0) & (framed[:, 2:] > 0).all(axis=1))
    segments = [_segment(overlay, row, Rect(*framed[row].tolist()), ground) for row in drawn.tolist()]
    bands = [band for row in range(len(overlay.weight)) if (band := _band(overlay, row, width, height))]
    legend, strip = legend_rows(_entries(overlay, segments, height), width)
    return SegmentPlan(strip=strip, segments=segments, separators=bands, legend=legend)


def draw_segments_png(picture: bytes, overlay: SegmentOverlay) -> bytes:
    """The segments drawn over `picture` (PNG or JPEG, one px per CSS px), with a legend on top.

    Raises:
        OutputError: the picture cannot be read.
    """
    page = open_picture(picture)
    layout = plan_segments(overlay, *page.size)
    canvas = below_strip(page, layout.strip)
    brush = ImageDraw.Draw(canvas, "RGBA")
    for band in layout.separators:
        _draw_band(brush, band, layout.strip)
    for each in layout.segments:
        draw_frame(brush, lowered(each.frame, layout.strip), _outline(_PENS[each.name]))
    for each in layout.segments:
        _draw_tag(brush, each, layout.strip)
    draw_legend(brush, layout.legend, _PENS, (page.width, layout.strip))
    return to_png(canvas)


def draw_segments_svg(picture: bytes, overlay: SegmentOverlay) -> str:
    """The same as one SVG document: the picture inside as a data URI, a group with a title per frame and band.

    Raises:
        OutputError: the picture cannot be read.
    """
    page = open_picture(picture)
    layout = plan_segments(overlay, *page.size)
    root, ground = document(page, picture, (layout.legend, layout.strip), _style_sheet())
    for each in (*layout.separators, *layout.segments):
        _add_drawn(ground, each)
    return etree.tostring(root, encoding="unicode") + "\n"


def _segment(overlay: SegmentOverlay, row: int, frame: Rect, ground: Ground) -> Drawn:
    caption = overlay.captions[row]
    tag = ground.place(frame, text_width(caption, TAG_SIZE) + 4, must=False)
    name = f"level{min(int(overlay.level[row]), len(_LEVELS)) - 1}"
    return Drawn(frame=frame, name=name, tag=tag, caption=caption, title=f"{caption}: {excerpt(overlay.texts[row])}")


def _band(overlay: SegmentOverlay, row: int, width: int, height: int) -> Drawn | None:
    """The band of a separator, wide enough to be seen; None where it is outside the picture."""
    x, y, wide, high = overlay.separator_box[row].tolist()
    box = np.array([[x, y, max(wide, _THINNEST_BAND), max(high, _THINNEST_BAND)]], dtype=np.float32)
    frame = Rect(*frames(box, width, height, 0)[0].tolist())
    if not (frame.width > 0 and frame.height > 0):
        return None
    weight = str(overlay.weight[row])
    tag = frame if frame.height >= TAG_SIZE and frame.width >= text_width(weight, TAG_SIZE) else None
    return Drawn(frame=frame, name=SEPARATOR, tag=tag, caption=weight, title=f"separator of weight {weight}")


def _entries(overlay: SegmentOverlay, segments: Sequence[Drawn], height: int) -> list[tuple[str | None, str]]:
    names = [each.name for each in segments]
    entries: list[tuple[str | None, str]] = []
    for index in range(len(_LEVELS)):
        if count := names.count(f"level{index}"):
            deeper = " and deeper" * (index == len(_LEVELS) - 1)
            entries.append((f"level{index}", f"level {index + 1}{deeper}: {count}"))
    entries.append((SEPARATOR, f"separators with their weights: {len(overlay.weight)}"))
    if overlay.page_height > height + 1:
        below = int((overlay.box[:, 1] >= height).sum())
        entries.append((None, f"picture cut at {height} of {overlay.page_height:.0f} px, segments below: {below}"))
    return entries


def _outline(pen: Pen) -> Pen:
    """The pen without its tint, which would add up where frames are nested."""
    return Pen(pen.colour, pen.width, pen.dash)


def _draw_band(brush: ImageDraw.ImageDraw, band: Drawn, strip: int) -> None:
    rect, pen = lowered(band.frame, strip), _PENS[SEPARATOR]
    corners = (rect.x, rect.y, rect.x + rect.width - 1, rect.y + rect.height - 1)
    brush.rectangle(corners, fill=(*pen.colour, _BAND_ALPHA))
    if band.tag:
        middle = rect.x + rect.width // 2, rect.y + rect.height // 2
        brush.text(middle, band.caption, fill="black", font=ImageFont.load_default(TAG_SIZE), anchor="mm")


def _draw_tag(brush: ImageDraw.ImageDraw, each: Drawn, strip: int) -> None:
    if each.tag is None:
        return
    tag, pen = lowered(each.tag, strip), _PENS[each.name]
    brush.rectangle((tag.x, tag.y, tag.x + tag.width - 1, tag.y + tag.height - 1), fill=pen.colour)
    middle = tag.x + tag.width // 2, tag.y + tag.height // 2
    brush.text(middle, each.caption, fill="white", font=ImageFont.load_default(TAG_SIZE), anchor="mm")


def _style_sheet() -> str:
    rules = ["g:hover>.frame{fill-opacity:.3}"]
    for name, pen in _PENS.items():
        band = name == SEPARATOR
        rules.append(frame_style(name, pen if band else _outline(pen)))
        rules.append(f".{name} .tab{{fill:{'none' if band else hexadecimal(pen)}}}")
        rules.append(f".{name} .tag{{fill:{'black' if band else 'white'}}}")
    rules.append(f".{SEPARATOR} .frame{{fill-opacity:{_BAND_ALPHA / 255:.2f};stroke:none}}")
    return "".join(rules)


def _add_drawn(ground: etree._Element, each: Drawn) -> None:
    group = add(ground, "g", **{"class": each.name})
    add(group, "title").text = legal(each.title)
    add_rect(group, each.frame, "frame")
    if each.tag is None:
        return
    add_rect(group, each.tag, "tab")
    x, y = each.tag.x + each.tag.width // 2, each.tag.y + each.tag.height // 2 + TAG_SIZE // 2 - 1
    add(group, "text", **{"class": "tag"}, x=x, y=y).text = each.caption
