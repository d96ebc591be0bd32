"""Write segments as JSON, in the Webis format, and as overlays over a screenshot."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from vclean.errors import UsageError
from vclean.features.segments.webis import WebisPage
from vclean.html_pages import MAX_CHARACTERS, MAX_ROWS, render_fragment
from vclean.render.overlay.draw import draw_png, draw_svg, open_screenshot
from vclean.render.overlay.html import OverlayLayer, OverlayPage, OverlaySegment, OverlaySeparator, draw_html
from vclean.render.overlay.layers import TagPlacer, excerpt
from vclean.render.overlay.segments import SegmentOverlay, segment_layer, separator_layer

if TYPE_CHECKING:
    from vclean.features.segments.segments import Segments
    from vclean.settings import OverlayFormat

FORMATS: Final = ("json", "webis")
"""Names of the output formats; the first is the default."""

_EXCERPT: Final = 200
"""Characters of a segment in an HTML overlay."""
_DIGITS: Final = 2
_MAX_ROOTS: Final = 10
"""Maximum roots of a segment in an HTML overlay; leaves rarely have more, and all roots would make the file large."""

Record = dict[str, Any]
"""Type of JSON objects."""


def write(segments: Segments, name: str) -> str:
    """Return the segments in the format `name`, as one line with a line feed.

    Raises:
        UsageError: the format does not exist.
    """
    if name not in FORMATS:
        raise UsageError(f"no format {name!r} for segments: choose one of {', '.join(FORMATS)}")
    if name == "webis":
        return to_webis(segments).to_json() + "\n"
    return json.dumps(to_record(segments), ensure_ascii=False, allow_nan=False) + "\n"


def to_record(segments: Segments) -> Record:
    """Return the segments as nested dictionaries; see `docs/guides/segments.md`."""
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
    """Return the leaf segments in the Webis format; the shape of a segment is the union of the boxes of its roots."""
    shapes = [_shape(segments, leaf) for leaf in segments.leaves.tolist()]
    return WebisPage.of_shapes(segments.id, segments.snapshot, {segments.method: shapes})


def _shape(segments: Segments, segment: int) -> shapely.Geometry:
    """Return the union of the painted boxes of a segment's roots, each at least 1 px wide and high."""
    boxes = segments.node_box[segments.roots[segment]].astype(np.float64)
    boxes = boxes[np.isfinite(boxes).all(axis=1)].round()
    corners = np.hstack([boxes[:, :2], np.maximum(boxes[:, :2] + boxes[:, 2:], boxes[:, :2] + 1)])
    return shapely.union_all(shapely.box(*corners.T))


def draw(segments: Segments, screenshot: bytes, kind: OverlayFormat) -> bytes:
    """Draw segments and separators over a screenshot.

    Args:
        segments: the segments of the page.
        screenshot: PNG or JPEG of the page with one px per CSS px.
        kind: the file format of the overlay.

    Raises:
        OutputError: the screenshot cannot be read.
    """
    if kind == "html":
        return draw_html(_overlay_page(segments, screenshot)).encode("utf-8", "replace")
    content, placer = segment_overlay(segments), TagPlacer(*open_screenshot(screenshot).size)
    layers = [separator_layer(content, placer), segment_layer(content, placer)]
    return draw_svg(screenshot, layers).encode() if kind == "svg" else draw_png(screenshot, layers)


def segment_overlay(segments: Segments) -> SegmentOverlay:
    """Return the data that overlays of segments and separators need."""
    height = np.zeros(len(segments), dtype=np.int64)
    for segment in range(len(segments) - 1, 0, -1):
        above = segments.parent[segment]
        height[above] = max(height[above], height[segment] + 1)
    return SegmentOverlay(
        box=segments.box,
        level=segments.depth,
        height=height,
        captions=[f"{row} DoC {degree}" for row, degree in enumerate(segments.coherence.tolist())],
        texts=[segments.segment_text(row) for row in range(len(segments))],
        separator_box=segments.separators.box,
        weight=segments.separators.weight,
        page_height=segments.snapshot.height,
    )


def _overlay_page(segments: Segments, screenshot: bytes) -> OverlayPage:
    """Return the HTML overlay of one page."""
    snapshot = segments.snapshot
    return OverlayPage(
        id=segments.id,
        url=snapshot.url,
        title=snapshot.title,
        width=snapshot.width,
        height=snapshot.height,
        screenshot=screenshot,
        layers=[overlay_layer(segments, drawn=True, separators_drawn=True)],
        facts={"Method": segments.method, "Segments": str(len(segments.leaves))},
    )


def overlay_layer(segments: Segments, *, drawn: bool = False, separators_drawn: bool = False) -> OverlayLayer:
    """Return the segments as a layer of an HTML overlay.

    The layer contains all levels. At first it shows the segments at the permitted degree of coherence.

    Args:
        segments: the segments of the page.
        drawn: whether segments are visible at first.
        separators_drawn: whether separators are visible at first.
    """
    full_tree = segments.full_tree or segments
    separators = full_tree.separators
    rows = zip(separators.box.tolist(), separators.segment.tolist(), separators.weight.tolist(), strict=True)
    return OverlayLayer(
        name=segments.method,
        segments=[_overlay_segment(full_tree, row) for row in range(len(full_tree))],
        separators=[OverlaySeparator(box=box, segment=segment, weight=weight) for box, segment, weight in rows],
        pdoc=segments.pdoc,
        drawn=drawn,
        separators_drawn=separators_drawn,
    )


def _overlay_segment(segments: Segments, row: int) -> OverlaySegment:
    """Return one segment of an HTML overlay."""
    return OverlaySegment(
        box=segments.box[row].tolist(),
        level=int(segments.depth[row]),
        coherence=int(segments.coherence[row]),
        parent=int(segments.parent[row]),
        xpath=" | ".join(segments.xpath(node) for node in segments.roots[row][:_MAX_ROOTS]),
        text=excerpt(segments.segment_text(row), _EXCERPT),
    )


def _tree(segments: Segments) -> Record:
    """Return the first segment with its descendants nested; iterative, because segments may be nested deeply."""
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
    """Return one segment as a JSON object, without its parts and separators."""
    return {
        "number": row,
        "doc": int(segments.coherence[row]),
        "box": _box(segments.box[row].tolist()),
        "xpaths": [segments.xpath(node) for node in segments.roots[row]],
        "role": segments.roles[row] if segments.roles else None,
        "content_share": _share(segments, row),
        "text": segments.segment_text(row),
        "separators": [],
        "segments": [],
    }


def _share(segments: Segments, row: int) -> float | None:
    """Return the content share of a segment; None if it has no words, or if it is unknown."""
    share = float(segments.content_share[row]) if len(segments.content_share) else math.nan
    return None if math.isnan(share) else round(share, 4)


def _box(sides: list[float]) -> list[float]:
    """Return the sides of a box, rounded."""
    return [_rounded(side) for side in sides]


def _rounded(length: float) -> float:
    """Return a length in px, rounded; an integer if it has no fraction."""
    value = round(float(length), _DIGITS)
    return int(value) if value == int(value) else value


def to_table(segments: Segments) -> str:
    """Return the first `MAX_ROWS` leaves as a part of an HTML document, for notebooks."""
    leaves = segments.leaves.tolist()
    rows = [
        {
            "number": leaf,
            "coherence": int(segments.coherence[leaf]),
            "box": " ".join(f"{side:.0f}" for side in segments.box[leaf]),
            "role": (segments.roles[leaf] if segments.roles else None) or "",
            "content": "" if (share := _share(segments, leaf)) is None else f"{share:.0%}",
            "text": excerpt(segments.segment_text(leaf), MAX_CHARACTERS),
        }
        for leaf in leaves[:MAX_ROWS]
    ]
    return render_fragment(
        "notebook_segments.html",
        title=segments.snapshot.title,
        count=len(segments),
        method=segments.method,
        leaves=len(leaves),
        segments=rows,
    )
