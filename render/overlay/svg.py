"""Write layers over the screenshot of a page as one SVG document; titles describe the frames on hover."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from lxml import etree

from vclean.characters import replace_illegal
from vclean.render.overlay.layers import (
    BORDER_COLOR,
    LEGEND_SIZE,
    TAG_SIZE,
    collect_pens,
    entry_text_x,
    lay_out_legend,
    swatch,
)
from vclean.render.overlay.png import open_screenshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PIL import ImageFile

    from vclean.render.overlay.layers import Entry, Layer, Mark, Pen, Rect

_SVG = "http://www.w3.org/2000/svg"
_TEXT_STYLES = (
    f"text{{font-family:sans-serif}}.legend{{font-size:{LEGEND_SIZE}px}}"
    f".tag{{font-size:{TAG_SIZE}px;text-anchor:middle}}g:hover>.frame{{fill-opacity:.3}}"
)
_QUIET_GROUND = "#ffffffeb"


def draw_svg(screenshot: bytes, layers: Sequence[Layer]) -> str:
    """Draw the layers as an SVG document: the screenshot as a data URL, and a group with a title for each mark.

    Raises:
        OutputError: the screenshot cannot be read.
    """
    page = open_screenshot(screenshot)
    legend, strip = lay_out_legend(layers, page.width)
    root = etree.Element("svg", {"xmlns": _SVG, "viewBox": f"0 0 {page.width} {strip + page.height}"})
    root.attrib.update({"width": str(page.width), "height": str(strip + page.height)})
    _add(root, "style").text = _TEXT_STYLES + _style_sheet(collect_pens(layers))
    _add(root, "rect", width="100%", height="100%", fill="white")
    _add_legend(root, legend, strip)
    canvas = _add(root, "g", transform=f"translate(0 {strip})")
    _add_screenshot(canvas, page, screenshot)
    for mark in (mark for layer in layers for mark in layer.marks):
        _add_mark(canvas, mark)
    return etree.tostring(root, encoding="unicode") + "\n"


def _add_screenshot(parent: etree._Element, page: ImageFile.ImageFile, screenshot: bytes) -> None:
    address = f"data:{page.get_format_mimetype()};base64,{base64.b64encode(screenshot).decode()}"
    _add(parent, "image", width=page.width, height=page.height, href=address)


def _add(parent: etree._Element, name: str, **attributes: str | int) -> etree._Element:
    """Add a child element; underscores in attribute names become hyphens."""
    values = {key.replace("_", "-"): str(value) for key, value in attributes.items()}
    return etree.SubElement(parent, name, values)


def _style_sheet(pens: Mapping[str, Pen]) -> str:
    rules = []
    for name, pen in pens.items():
        color = hexadecimal(pen)
        tab = {"loud": color, "quiet": _QUIET_GROUND, "bare": "none"}[pen.tag]
        ink = {"loud": "white", "quiet": color, "bare": "black"}[pen.tag]
        rules += [_frame_style(name, pen), f".{name} .tab{{fill:{tab}}}", f".{name} .tag{{fill:{ink}}}"]
    return "".join(rules)


def _frame_style(name: str, pen: Pen) -> str:
    """Return the CSS rule for frames in groups of the class `name`."""
    color, dash = hexadecimal(pen), " ".join(map(str, pen.dash)) or "none"
    return (
        f".{name} .frame{{stroke:{color};stroke-width:{pen.width};stroke-dasharray:{dash};"
        f"fill:{color};fill-opacity:{pen.fill / 255:.2g}}}"
    )


def hexadecimal(pen: Pen) -> str:
    """Return the color of a pen as CSS hexadecimal."""
    return "#{:02x}{:02x}{:02x}".format(*pen.color)


def _add_legend(root: etree._Element, entries: Sequence[Entry], strip: int) -> None:
    if strip:
        _add(root, "rect", y=strip - 1, width="100%", height=1, fill=BORDER_COLOR)
    for entry in entries:
        group = _add(root, "g", **{"class": entry.pen or "note"})
        if entry.pen is not None:
            _add_rect(group, swatch(entry), "frame")
        _add(group, "text", **{"class": "legend"}, x=entry_text_x(entry), y=entry.y + 13).text = entry.text


def _add_mark(page: etree._Element, mark: Mark) -> None:
    group = _add(page, "g", **{"class": mark.pen})
    _add(group, "title").text = replace_illegal(mark.title)
    _add_rect(group, mark.frame, "frame")
    if mark.tag is None:
        return
    _add_rect(group, mark.tag, "tab")
    x, y = mark.tag.x + mark.tag.width // 2, mark.tag.y + mark.tag.height // 2 + TAG_SIZE // 2 - 1
    _add(group, "text", **{"class": "tag"}, x=x, y=y).text = mark.caption


def _add_rect(group: etree._Element, rect: Rect, class_name: str) -> None:
    """Add a rectangle of the CSS class `class_name`."""
    box = {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height}
    _add(group, "rect", **{"class": class_name}, **box)
