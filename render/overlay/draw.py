"""Draw layers over the screenshot of a page as PNG or SVG, and encode screenshots as WebP."""

from __future__ import annotations

import base64
import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from PIL import Image, ImageDraw, ImageFile, ImageFont

from vclean.errors import OutputError
from vclean.html_pages import environment
from vclean.render.overlay.layers import BORDER_COLOR, LEGEND_SIZE, TAG_SIZE, collect_pens, lay_out_legend

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vclean.render.overlay.layers import Entry, Layer, Mark, Pen, Rect


_QUIET_GROUND = (255, 255, 255, 235)

Segment = tuple[int, int, int, int]
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def open_screenshot(screenshot: bytes) -> ImageFile.ImageFile:
    """Open a screenshot; its size is read now, its pixels on first use.

    Raises:
        OutputError: the data is not PNG or JPEG.
    """
    with as_output_errors():
        return Image.open(io.BytesIO(screenshot), formats=("PNG", "JPEG"))


@contextmanager
def as_output_errors() -> Iterator[None]:
    """Raise the OSError of Pillow, for a screenshot that it cannot read, as `OutputError`."""
    try:
        yield
    except OSError as error:
        raise OutputError("the page's screenshot cannot be read; render the page again") from error


def draw_png(screenshot: bytes, layers: Sequence[Layer]) -> bytes:
    """Draw the layers over `screenshot` (PNG or JPEG, one px per CSS px), with the legend above it.

    Equal input gives equal bytes with the same version of Pillow.

    Raises:
        OutputError: the screenshot cannot be read.
    """
    page = open_screenshot(screenshot)
    with as_output_errors():
        image = page.convert("RGB")
    brush, font = ImageDraw.Draw(image, "RGBA"), ImageFont.load_default(TAG_SIZE)
    for layer in layers:
        for mark in layer.marks:
            _draw_frame(brush, mark.frame, layer.pens[mark.pen])
        for mark in layer.marks:  # later, so that no frame crosses a tag
            _draw_tag(brush, mark, layer.pens[mark.pen], font)
    legend, strip = lay_out_legend(layers, page.width)
    canvas = Image.new("RGB", (page.width, strip + page.height), "white")
    canvas.paste(image, (0, strip))
    _draw_legend(ImageDraw.Draw(canvas, "RGBA"), legend, collect_pens(layers), (page.width, strip))
    out = io.BytesIO()
    canvas.save(out, "PNG", compress_level=2)
    return out.getvalue()


def _corners(rect: Rect) -> Segment:
    return rect.x, rect.y, rect.x + rect.width - 1, rect.y + rect.height - 1


def _draw_frame(brush: ImageDraw.ImageDraw, rect: Rect, pen: Pen) -> None:
    corners = _corners(rect)
    if pen.fill:
        brush.rectangle(corners, fill=(*pen.color, pen.fill))
    if pen.width and not pen.dash:
        brush.rectangle(corners, outline=pen.color, width=pen.width)
    for segment in _dashes(corners, pen) if pen.width and pen.dash else ():
        brush.rectangle(segment, fill=pen.color)


def _dashes(corners: Segment, pen: Pen) -> Iterator[Segment]:
    """Yield the dashes of a frame as filled rectangles inside its border."""
    left, top, right, bottom = corners
    (dash, gap), inner = pen.dash, pen.width - 1
    for x in range(left, right + 1, dash + gap):
        end = min(x + dash - 1, right)
        yield x, top, end, min(top + inner, bottom)
        yield x, max(bottom - inner, top), end, bottom
    for y in range(top, bottom + 1, dash + gap):
        end = min(y + dash - 1, bottom)
        yield left, y, min(left + inner, right), end
        yield max(right - inner, left), y, right, end


def _draw_tag(brush: ImageDraw.ImageDraw, mark: Mark, pen: Pen, font: Font) -> None:
    if mark.tag is None:
        return
    x, y, width, height = mark.tag
    if pen.tag != "bare":
        brush.rectangle(_corners(mark.tag), fill=(*pen.color, 255) if pen.tag == "loud" else _QUIET_GROUND)
    inks: dict[str, str | tuple[int, int, int]] = {"loud": "white", "quiet": pen.color, "bare": "black"}
    brush.text((x + width // 2, y + height // 2), mark.caption, fill=inks[pen.tag], font=font, anchor="mm")


def _draw_legend(
    brush: ImageDraw.ImageDraw, entries: Sequence[Entry], pens: Mapping[str, Pen], strip: tuple[int, int]
) -> None:
    """Draw the legend into its strip of `(width, height)` px."""
    font = ImageFont.load_default(LEGEND_SIZE)
    width, height = strip
    if height:
        brush.rectangle((0, height - 1, width, height - 1), fill=BORDER_COLOR)
    for entry in entries:
        if entry.pen is not None and entry.swatch is not None:
            _draw_frame(brush, entry.swatch, pens[entry.pen])
        brush.text((entry.x, entry.y + 8), entry.text, fill="black", font=font, anchor="lm")


BUDGET: Final = 2_500_000
"""Largest size of an encoded screenshot in bytes; base64 in a page takes a third more."""

_QUALITIES: Final = (80, 60, 40, 20)
_MAX_SIDE: Final = 16_383
"""Largest side of a WebP image in px (14 bits); a screenshot has at most one px more."""
_EFFORT: Final = 2
"""Compression effort, 0 to 6: takes half the time of the default 4, for files a few percent larger."""


def data_url(screenshot: bytes, budget: int = BUDGET) -> tuple[str, tuple[int, int]]:
    """Encode a screenshot (PNG or JPEG) as a `data:` URL; return it with the original width and height in px.

    The encoding is lossy WebP at the best of a few qualities that fits the budget. If none fits, the width and height
    are halved until one does. A last row or column beyond the limit of WebP is dropped.

    Raises:
        OutputError: the screenshot cannot be read.
    """
    page = open_screenshot(screenshot)
    with as_output_errors():
        image = page.convert("RGB")
    return f"data:image/webp;base64,{base64.b64encode(_encode_within(image, budget)).decode()}", page.size


def _encode_within(image: Image.Image, budget: int) -> bytes:
    if max(image.size) <= _MAX_SIDE + 1:
        cropped = image.crop((0, 0, min(image.width, _MAX_SIDE), min(image.height, _MAX_SIDE)))
        for quality in _QUALITIES:
            out = io.BytesIO()
            cropped.save(out, "webp", quality=quality, method=_EFFORT)
            if out.tell() <= budget or min(image.size) == 1:
                return out.getvalue()
    return _encode_within(image.reduce(2), budget)


def draw_svg(screenshot: bytes, layers: Sequence[Layer]) -> str:
    """Draw the layers as an SVG document: the screenshot as a data URL, and a group with a title for each mark.

    Raises:
        OutputError: the screenshot cannot be read.
    """
    page = open_screenshot(screenshot)
    legend, strip = lay_out_legend(layers, page.width)
    template = environment("vclean.render.overlay").get_template("overlay.svg")
    return template.render(
        width=page.width,
        height=page.height,
        strip=strip,
        tag_size=TAG_SIZE,
        legend_size=LEGEND_SIZE,
        border=BORDER_COLOR,
        screenshot=f"data:{page.get_format_mimetype()};base64,{base64.b64encode(screenshot).decode()}",
        pens=collect_pens(layers),
        legend=legend,
        marks=[mark for layer in layers for mark in layer.marks],
    )
