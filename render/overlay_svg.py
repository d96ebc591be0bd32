"""An overlay as an SVG document that holds the picture and tells a block's text on hover."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from lxml import etree

from vclean.characters import legal
from vclean.render.overlay import EDGE, LEGEND_SIZE, PENS, TAG_SIZE, entry_text_x, plan, swatch
from vclean.render.overlay_png import open_picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL import ImageFile

    from vclean.render.overlay import Entry, Mark, Overlay, Pen, Rect

_SVG = "http://www.w3.org/2000/svg"
_TEXT_STYLES = (
    f"text{{font-family:sans-serif}}.legend{{font-size:{LEGEND_SIZE}px}}"
    f".tag{{font-size:{TAG_SIZE}px;text-anchor:middle}}"
)


def draw_svg(picture: bytes, overlay: Overlay) -> str:
    """The overlay as one SVG document: the picture inside as a data URI, a group with a title per block.

    Raises:
        OutputError: the picture cannot be read.
    """
    page = open_picture(picture)
    layout = plan(overlay, *page.size)
    root, ground = document(page, picture, (layout.legend, layout.strip), _style_sheet())
    for mark in reversed(layout.marks):
        _add_mark(ground, mark)
    return etree.tostring(root, encoding="unicode") + "\n"


def document(
    page: ImageFile.ImageFile, picture: bytes, legend: tuple[Sequence[Entry], int], styles: str
) -> tuple[etree._Element, etree._Element]:
    """An SVG document with a legend above the page's picture: its root, and the group that is to be drawn into.

    Args:
        page: the picture, for its size and its type.
        picture: the picture's bytes, which the document holds as a data URI.
        legend: its entries, and the height of its strip in px.
        styles: the document's own style sheet.
    """
    (width, height), (entries, strip) = page.size, legend
    root = etree.Element("svg", {"xmlns": _SVG, "viewBox": f"0 0 {width} {strip + height}"})
    root.attrib.update({"width": str(width), "height": str(strip + height)})
    add(root, "style").text = _TEXT_STYLES + styles
    add(root, "rect", width="100%", height="100%", fill="white")
    _add_legend(root, entries, strip)
    ground = add(root, "g", transform=f"translate(0 {strip})")
    address = f"data:{page.get_format_mimetype()};base64,{base64.b64encode(picture).decode()}"
    add(ground, "image", width=width, height=height, href=address)
    return root, ground


def add(parent: etree._Element, name: str, **attributes: str | int) -> etree._Element:
    """A new child; an underscore in an attribute's name stands for a hyphen."""
    values = {key.replace("_", "-"): str(value) for key, value in attributes.items()}
    return etree.SubElement(parent, name, values)


def _style_sheet() -> str:
    rules = ["g:hover>.frame{fill-opacity:.3}"]
    for label, pen in PENS.items():
        rules += [
            frame_style(label, pen),
            f".{label} .tab{{fill:{hexadecimal(pen) if pen.fill else '#ffffffaa'}}}",
            f".{label} .tag{{fill:{'white' if pen.fill else hexadecimal(pen)}}}",
        ]
    return "".join(rules)


def frame_style(name: str, pen: Pen) -> str:
    """The rule for frames in groups of the class `name`."""
    colour, dash = hexadecimal(pen), " ".join(map(str, pen.dash)) or "none"
    return (
        f".{name} .frame{{stroke:{colour};stroke-width:{pen.width};stroke-dasharray:{dash};"
        f"fill:{colour};fill-opacity:{'.1' if pen.fill else '0'}}}"
    )


def hexadecimal(pen: Pen) -> str:
    """A pen's colour as CSS has it."""
    return "#{:02x}{:02x}{:02x}".format(*pen.colour)


def _add_legend(root: etree._Element, entries: Sequence[Entry], strip: int) -> None:
    add(root, "rect", y=strip - 1, width="100%", height=1, fill=EDGE)
    for entry in entries:
        group = add(root, "g", **{"class": entry.label or "note"})
        if entry.label is not None:
            add_rect(group, swatch(entry), "frame")
        add(group, "text", **{"class": "legend"}, x=entry_text_x(entry), y=entry.y + 13).text = entry.text


def _add_mark(page: etree._Element, mark: Mark) -> None:
    group = add(page, "g", **{"class": str(mark.label)})
    add(group, "title").text = legal(mark.title)
    add_rect(group, mark.frame, "frame")
    if mark.tag is None:
        return
    add_rect(group, mark.tag, "tab")
    middle = mark.tag.x + mark.tag.width // 2
    add(group, "text", **{"class": "tag"}, x=middle, y=mark.tag.y + TAG_SIZE).text = mark.caption


def add_rect(group: etree._Element, rect: Rect, kind: str) -> None:
    """A rectangle of the class `kind`."""
    place = {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height}
    add(group, "rect", **{"class": kind}, **place)
