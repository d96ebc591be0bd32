"""An overlay as an SVG document that holds the picture and tells a block's text on hover."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from lxml import etree

from vclean.characters import legal
from vclean.render.overlay import EDGE, LEGEND_SIZE, PENS, TAG_SIZE, Mark, Plan, Rect, entry_text_x, plan, swatch
from vclean.render.overlay_png import open_picture

if TYPE_CHECKING:
    from vclean.render.overlay import Overlay

_SVG = "http://www.w3.org/2000/svg"


def draw_svg(picture: bytes, overlay: Overlay) -> str:
    """The overlay as one SVG document: the picture inside as a data URI, a group with a title per block.

    Raises:
        OutputError: the picture cannot be read.
    """
    page = open_picture(picture)
    layout = plan(overlay, *page.size)
    height = layout.strip + layout.height
    root = etree.Element("svg", {"xmlns": _SVG, "viewBox": f"0 0 {layout.width} {height}"})
    root.attrib.update({"width": str(layout.width), "height": str(height)})
    _add(root, "style").text = _style_sheet()
    _add(root, "rect", width="100%", height="100%", fill="white")
    _add_legend(root, layout)
    _add_page(root, layout, f"data:{page.get_format_mimetype()};base64,{base64.b64encode(picture).decode()}")
    return etree.tostring(root, encoding="unicode") + "\n"


def _add(parent: etree._Element, name: str, **attributes: str | int) -> etree._Element:
    values = {key.replace("_", "-"): str(value) for key, value in attributes.items()}
    return etree.SubElement(parent, name, values)


def _style_sheet() -> str:
    rules = [
        "text{font-family:sans-serif}",
        f".legend{{font-size:{LEGEND_SIZE}px}}",
        f".tag{{font-size:{TAG_SIZE}px;text-anchor:middle}}",
        "g:hover>.frame{fill-opacity:.3}",
    ]
    for label, pen in PENS.items():
        colour = "#{:02x}{:02x}{:02x}".format(*pen.colour)
        dash = " ".join(map(str, pen.dash)) or "none"
        opacity = ".1" if label.is_content else "0"
        rules += [
            f".{label} .frame{{stroke:{colour};stroke-width:{pen.width};stroke-dasharray:{dash};"
            f"fill:{colour};fill-opacity:{opacity}}}",
            f".{label} .tab{{fill:{colour if label.is_content else '#ffffffaa'}}}",
            f".{label} .tag{{fill:{'white' if label.is_content else colour}}}",
        ]
    return "".join(rules)


def _add_legend(root: etree._Element, layout: Plan) -> None:
    _add(root, "rect", y=layout.strip - 1, width="100%", height=1, fill=EDGE)
    for entry in layout.legend:
        group = _add(root, "g", **{"class": str(entry.label or "note")})
        if entry.label is not None:
            _add_rect(group, swatch(entry), "frame")
        _add(group, "text", **{"class": "legend"}, x=entry_text_x(entry), y=entry.y + 13).text = entry.text


def _add_page(root: etree._Element, layout: Plan, address: str) -> None:
    page = _add(root, "g", transform=f"translate(0 {layout.strip})")
    _add(page, "image", width=layout.width, height=layout.height, href=address)
    for mark in reversed(layout.marks):
        _add_mark(page, mark)


def _add_mark(page: etree._Element, mark: Mark) -> None:
    group = _add(page, "g", **{"class": str(mark.label)})
    _add(group, "title").text = legal(mark.title)
    _add_rect(group, mark.frame, "frame")
    if mark.tag is None:
        return
    _add_rect(group, mark.tag, "tab")
    middle = mark.tag.x + mark.tag.width // 2
    _add(group, "text", **{"class": "tag"}, x=middle, y=mark.tag.y + TAG_SIZE).text = mark.caption


def _add_rect(group: etree._Element, rect: Rect, kind: str) -> None:
    place = {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height}
    _add(group, "rect", **{"class": kind}, **place)
