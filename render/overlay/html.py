"""Write an overlay as one interactive HTML file: screenshot, blocks, segments and scripts; it fetches nothing.

`templates/overlay.html` is the template, which includes `page.css`, `overlay.css` and the `overlay*.js` unchanged. The
text of the page is in one JSON document, and the scripts insert it as text only. The Content-Security-Policy allows
these scripts and styles by their hashes, images from `data:`, and nothing else.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from vclean.html_pages import asset, hash_policy, render_page, to_script_json
from vclean.render.overlay.draw import data_url
from vclean.render.overlay.layers import HIDDEN_PENS, LEVEL_PENS, PART_PENS, PENS, ROLE_PENS, excerpt, truncation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vclean.render.overlay.layers import JsonObject, Pen

VERSION: Final = 2
"""Version of the JSON document."""

_PACKAGE: Final = "vclean.render.overlay"
SCRIPTS: Final = ("overlay.js", "overlay_screenshot.js", "overlay_list.js")

_TEXT_BUDGET: Final = 600_000
"""Approximate number of characters of all blocks together."""

_LONGEST_TEXT, _SHORTEST_TEXT, _SEGMENT_TEXT = 1_500, 80, 200
"""Largest and smallest limit for the text of one block, and the limit for that of a segment, in characters."""


DEFAULT_SHOWN: Final = {
    "parts_drawn": False, "hidden_drawn": False, "drawn": True, "color": "label", "labels": None,
}  # fmt: skip
"""What is shown at first: blocks of all labels, colored by label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayPage:
    """Content of the HTML file.

    Attributes:
        id, url, title: id, URL and title of the page.
        width, height: size of the document in CSS px; boxes outside the screenshot are not drawn.
        screenshot: PNG or JPEG, one px per CSS px; empty for a white background.
        blocks, layers, parts: see `docs/reference/overlay-data.md`, but with exact numbers and all of the texts.
        facts: properties of the page to show, by name.
        shown: what is shown at first, by name: `drawn` and the like; `DEFAULT_SHOWN` has the other values.
        extra: JSON data for added scripts, at `vclean.data.extra`.
    """

    id: str
    url: str
    title: str
    width: float
    height: float
    screenshot: bytes = b""
    blocks: Sequence[JsonObject] = ()
    layers: Sequence[JsonObject] = ()
    parts: Sequence[JsonObject] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, object] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


def draw_html(
    content: OverlayPage,
    *,
    scripts: Sequence[str] = (),
    styles: Sequence[str] = (),
    tools: str = "",
    same_origin: bool = False,
) -> str:
    """Write the overlay as one HTML document.

    Args:
        content: the content of the document.
        scripts: sources of scripts that run after those of the overlay (interface: `docs/reference/overlay-data.md`).
        styles: style sheets that follow that of the overlay.
        tools: controls in the header, as HTML that is not escaped.
        same_origin: whether scripts may connect to the server of the document; otherwise they cannot connect at all.

    Raises:
        OutputError: the screenshot cannot be read.
    """
    all_scripts = [*(asset(_PACKAGE, name) for name in SCRIPTS), *scripts]
    all_styles = [page_styles(), asset(_PACKAGE, "overlay.css"), *styles]
    record = to_record(content)
    hidden_boxes = [block["box"] for block in record["blocks"] if block["visibility"] != "shown"]
    return render_page(
        _PACKAGE,
        "overlay.html",
        title=f"{content.title or content.id or content.url or 'page'} – vclean",
        policy=hash_policy(all_scripts, all_styles, same_origin=same_origin),
        styles=all_styles,
        scripts=all_scripts,
        **record,
        data=to_script_json(record),
        facts=record["page"]["facts"],
        hidden_count=sum(box is not None and min(box[2:]) > 0 for box in hidden_boxes),
        tools=tools,
    )


def page_styles() -> str:
    """Return the style sheet of all pages, with rules for the pens of labels, roles, levels and kinds of parts."""
    pens = {
        **{f"[data-color=label] [data-label={label}]": pen for label, pen in PENS.items()},
        **{f"[data-color=role] [data-role={role}]": pen for role, pen in ROLE_PENS.items()},
        **{f"[data-level='{level}']": pen for level, pen in enumerate(LEVEL_PENS.values(), 1)},
        **{f"[data-part={kind}]": pen for kind, pen in PART_PENS.items()},
    }
    rules = [asset("vclean", "page.css")]
    for selector, pen in pens.items():
        style = "solid" if not pen.dash else "dashed" if pen.dash[0] > pen.dash[1] else "dotted"
        values = f"--pen: rgb{pen.color}; --stroke: {pen.width}; --style: {style}; --fill: {pen.fill / 255:.1%};"
        rules.append(f"{selector} {{ {values} }}\n")
    return "".join(rules)


def to_record(content: OverlayPage) -> JsonObject:
    """Return the JSON document as dictionaries and lists (see `docs/reference/overlay-data.md`)."""
    max_chars = min(max(_TEXT_BUDGET // max(len(content.blocks), 1), _SHORTEST_TEXT), _LONGEST_TEXT)
    return {
        "version": VERSION,
        "page": _page(content),
        "pens": {
            "label": {name: _pen(pen) for name, pen in PENS.items()},
            "role": {name: _pen(pen) for name, pen in ROLE_PENS.items()},
            "level": list(map(_pen, LEVEL_PENS.values())),
            "part": {kind: _pen(pen) for kind, pen in PART_PENS.items()},
            "hidden": _pen(HIDDEN_PENS["hidden"]),
        },
        "blocks": [_block(block, max_chars) for block in content.blocks],
        "layers": list(map(_layer, content.layers)),
        "parts": [_with_box(part | {"text": excerpt(part["text"])}) for part in content.parts],
        **DEFAULT_SHOWN,
        **content.shown,
        "extra": dict(content.extra),
    }


def _page(content: OverlayPage) -> JsonObject:
    screenshot_url, (width, height) = data_url(content.screenshot) if content.screenshot else ("", (0, 0))
    cut = truncation(content.height, height) if height else ""
    return {
        "id": content.id,
        "url": content.url,
        "title": content.title,
        "width": width or _size(content.width),
        "height": height or _size(content.height),
        "screenshot": screenshot_url,
        "facts": {**content.facts, **({"Screenshot": cut} if cut else {})},
    }


def _size(length: float) -> int:
    return math.ceil(length) if math.isfinite(length) and length > 0 else 1


def _pen(pen: Pen) -> JsonObject:
    record = asdict(pen)
    del record["tag"]  # of images only
    return record | {"fill": round(pen.fill / 255, 3)}


_OPTIONAL: Final = ("technique", "overruled_by", "margin", "changed")
"""Fields of a block that are omitted if they are empty or unknown."""


def _block(block: JsonObject, max_chars: int) -> JsonObject:
    probability = round(block["probability"], 4) if math.isfinite(block["probability"]) else None
    record = _with_box(block) | {"probability": probability, "text": excerpt(block["text"], max_chars)}
    return {name: value for name, value in record.items() if name not in _OPTIONAL or value not in ("", None)}


def _layer(layer: JsonObject) -> JsonObject:
    segments = [_with_box(row | {"text": excerpt(row["text"], _SEGMENT_TEXT)}) for row in layer["segments"]]
    return layer | {"segments": segments, "separators": list(map(_with_box, layer["separators"]))}


def _with_box(record: JsonObject) -> JsonObject:
    """Return an object with its box rounded to 0.1 px; None if it is missing or not finite."""
    box = record["box"]
    is_known = box is not None and all(map(math.isfinite, box))
    return record | {"box": [round(float(side), 1) for side in box] if is_known else None}
