"""Segments as JSON, in the Webis format, and as an overlay over the picture of their page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from vclean.errors import UsageError
from vclean.features.segments.webis import WebisPage
from vclean.render.overlay.html import OverlayLayer, OverlayPage, OverlaySegment, OverlaySeparator, draw_html
from vclean.render.overlay.layers import TagPlacer, excerpt
from vclean.render.overlay.png import draw_png, open_screenshot
from vclean.render.overlay.segments import SegmentOverlay, segment_layer, separator_layer
from vclean.render.overlay.svg import draw_svg

if TYPE_CHECKING:
    from vclean.features.segments.segments import Segments
    from vclean.settings import Kind

FORMATS: Final = ("json", "webis")
"""The names of the output formats; the first is the default."""

_EXCERPT: Final = 200
_DIGITS: Final = 2
_MOST_ROOTS: Final = 10
"""Of a segment, in an overlay to explore; a leaf rarely has more, and all of a page's would make its file large."""

Record = dict[str, Any]
"""A JSON object."""


def write(segments: Segments, name: str) -> str:
    """The segments in the format `name`, on one line that ends with a line break.

    Raises:
        UsageError: there is no such format.
    """
    if name not in FORMATS:
        raise UsageError(f"no format {name!r} for segments: choose one of {', '.join(FORMATS)}")
    if name == "webis":
        return to_webis(segments).to_json() + "\n"
    return json.dumps(to_record(segments), ensure_ascii=False, allow_nan=False) + "\n"


def to_record(segments: Segments) -> Record:
    """Everything known of the segments, as a tree: see `docs/guides/segments.md`."""
    snapshot = segments.snapshot
    return {
        "id": segments.id,
        "url": snapshot.url,
        "title": snapshot.title,
        "width": _rounded(snapshot.width),
        "height": _rounded(snapshot.height),
        "method": segments.method,
        "root": _tree(segments),
    }


def to_webis(segments: Segments) -> WebisPage:
    """The flat cut in the Webis format; the shape of a segment is the union of what its roots paint."""
    shapes = [_shape(segments, leaf) for leaf in segments.leaves.tolist()]
    return WebisPage.of_shapes(segments.id, segments.snapshot, {segments.method: shapes})


def _shape(segments: Segments, segment: int) -> shapely.Geometry:
    boxes = segments.node_box[segments.roots[segment]].astype(np.float64)
    boxes = boxes[np.isfinite(boxes).all(axis=1)].round()
    corners = np.hstack([boxes[:, :2], np.maximum(boxes[:, :2] + boxes[:, 2:], boxes[:, :2] + 1)])
    return shapely.union_all(shapely.box(*corners.T))


def draw(segments: Segments, picture: bytes, kind: Kind) -> bytes:
    """The segments and separators drawn over `picture`, a PNG or JPEG of the page with one px per CSS px.

    Raises:
        OutputError: the picture cannot be read.
    """
    if kind == "html":
        return draw_html(_overlay_page(segments, picture)).encode("utf-8", "replace")
    content, placer = segment_overlay(segments), TagPlacer(*open_screenshot(picture).size)
    layers = [separator_layer(content, placer), segment_layer(content, placer)]
    return draw_svg(picture, layers).encode() if kind == "svg" else draw_png(picture, layers)


def segment_overlay(segments: Segments) -> SegmentOverlay:
    """What a drawing of segments and separators needs."""
    height = np.zeros(len(segments), dtype=np.int64)
    for segment in range(len(segments) - 1, 0, -1):
        above = segments.parent[segment]
        height[above] = max(height[above], height[segment] + 1)
    return SegmentOverlay(
        box=segments.box,
        level=segments.depth,
        height=height,
        captions=[f"{row} DoC {degree}" for row, degree in enumerate(segments.coherence.tolist())],
        texts=[segments.words(row) for row in range(len(segments))],
        separator_box=segments.separators.box,
        weight=segments.separators.weight,
        page_height=segments.snapshot.height,
    )


def _overlay_page(segments: Segments, picture: bytes) -> OverlayPage:
    snapshot = segments.snapshot
    return OverlayPage(
        id=segments.id,
        url=snapshot.url,
        title=snapshot.title,
        width=snapshot.width,
        height=snapshot.height,
        screenshot=picture,
        layers=[overlay_layer(segments, drawn=True, separators_drawn=True)],
        facts={"Method": segments.method, "Segments": str(len(segments.leaves))},
    )


def overlay_layer(segments: Segments, *, drawn: bool = False, separators_drawn: bool = False) -> OverlayLayer:
    """The segments as a layer of a page to explore: all levels there are, shown down to the degree they were taken at.

    Args:
        segments: of the page.
        drawn: whether the segments are drawn at first.
        separators_drawn: whether the separators are.
    """
    whole = segments.full_tree or segments
    separators = whole.separators
    rows = zip(separators.box.tolist(), separators.segment.tolist(), separators.weight.tolist(), strict=True)
    return OverlayLayer(
        name=segments.method,
        segments=[_overlay_segment(whole, row) for row in range(len(whole))],
        separators=[OverlaySeparator(box=box, segment=segment, weight=weight) for box, segment, weight in rows],
        pdoc=segments.pdoc,
        drawn=drawn,
        separators_drawn=separators_drawn,
    )


def _overlay_segment(segments: Segments, row: int) -> OverlaySegment:
    return OverlaySegment(
        box=segments.box[row].tolist(),
        level=int(segments.depth[row]),
        coherence=int(segments.coherence[row]),
        parent=int(segments.parent[row]),
        xpath=" | ".join(segments.xpath(node) for node in segments.roots[row][:_MOST_ROOTS]),
        text=excerpt(segments.words(row), _EXCERPT),
    )


def _tree(segments: Segments) -> Record:
    """The first segment, with those in it nested; built from the last to the first, for they may be nested deeply."""
    records = [_segment(segments, row) for row in range(len(segments))]
    separators = segments.separators
    for row, owner in enumerate(separators.segment.tolist()):
        records[owner]["separators"].append(
            {
                "direction": "vertical" if separators.vertical[row] else "horizontal",
                "box": _box(separators.box[row].tolist()),
                "weight": int(separators.weight[row]),
            }
        )
    for row, above in enumerate(segments.parent.tolist()):
        if above >= 0:
            records[above]["segments"].append(records[row])
    return records[0]


def _segment(segments: Segments, row: int) -> Record:
    return {
        "number": row,
        "doc": int(segments.coherence[row]),
        "box": _box(segments.box[row].tolist()),
        "xpaths": [segments.xpath(node) for node in segments.roots[row]],
        "text": excerpt(segments.words(row), _EXCERPT),
        "separators": [],
        "segments": [],
    }


def _box(sides: list[float]) -> list[float]:
    return [_rounded(side) for side in sides]


def _rounded(length: float) -> float:
    """In px; whole ones without a fraction."""
    value = round(float(length), _DIGITS)
    return int(value) if value == int(value) else value
