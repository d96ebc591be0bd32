"""Write segments as JSON, in the Webis format, and as overlays over a screenshot; read the Webis format.

The Webis format is the exchange format of corpora and programs for web page segmentation: one JSON object per page,
`{"id", "width", "height", "segmentations": {name: [multipolygon, ...]}}`. A multipolygon is a list of polygons, a
polygon a list of rings, the outer one first, and a ring a closed list of points `[x, y]` in px, the origin at the top
left. Kiesel et al. 2020, "Web Page Segmentation Revisited: Evaluation Framework and Dataset" (CIKM).
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from vclean.characters import format_count
from vclean.errors import InputError, UsageError
from vclean.html_pages import MAX_CHARACTERS, MAX_ROWS, render_page
from vclean.render.overlay.draw import draw_png, draw_svg, open_screenshot
from vclean.render.overlay.html import OverlayPage, draw_html
from vclean.render.overlay.layers import TagPlacer, excerpt, segment_layer, separator_layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from vclean.features.segments.segments import Segments
    from vclean.render.overlay.layers import JsonObject
    from vclean.render.snapshot import Snapshot
    from vclean.settings import OverlayFormat

    WebisPage = tuple[str, Mapping[str, Sequence[shapely.MultiPolygon]]]
    """Name of a page, and its segmentations by name; each is a list of segments."""


FORMATS: Final = ("json", "webis")
"""Names of the output formats; the first is the default."""

_MAX_ROOTS: Final = 10
"""Maximum roots of a segment in an HTML overlay; leaves rarely have more, and all roots would make the file large."""


def write(segments: Segments, name: str) -> str:
    """Return the segments in the format `name`, as one line with a line feed.

    Raises:
        UsageError: the format does not exist.
    """
    if name not in FORMATS:
        raise UsageError(f"no format {name!r} for segments: choose one of {', '.join(FORMATS)}")
    if name == "webis":
        shapes = [_shape(segments, leaf) for leaf in segments.leaves.tolist()]
        return webis_line(segments.id, segments.snapshot, {segments.method: shapes})
    return json.dumps(to_record(segments), ensure_ascii=False, allow_nan=False) + "\n"


def to_record(segments: Segments) -> dict[str, Any]:
    """Return the segments as nested dictionaries; see `docs/guides/segments.md`."""
    snapshot = segments.snapshot
    return {
        "id": segments.id,
        "url": snapshot.url,
        "title": snapshot.title,
        **dict(zip(("width", "height"), _rounded((snapshot.width, snapshot.height)), strict=True)),
        "method": segments.method,
        "root": _tree(segments),
    }


def _shape(segments: Segments, segment: int) -> shapely.Geometry:
    """Return the shape of a segment: the union of the painted boxes of its roots, each at least 1 px wide and high."""
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
        snapshot = segments.snapshot
        page = OverlayPage(
            id=segments.id,
            url=snapshot.url,
            title=snapshot.title,
            width=snapshot.width,
            height=snapshot.height,
            screenshot=screenshot,
            layers=[overlay_layer(segments, drawn=True, separators_drawn=True)],
            facts={"Method": segments.method, "Segments": str(len(segments.leaves))},
        )
        return draw_html(page).encode("utf-8", "replace")
    placer, height = TagPlacer(*open_screenshot(screenshot).size), segments.snapshot.height
    bands = separator_layer(separator_rows(segments), placer)
    layers = [bands, segment_layer(segment_rows(segments), placer, page_height=height)]
    return draw_svg(screenshot, layers).encode() if kind == "svg" else draw_png(screenshot, layers)


def overlay_layer(segments: Segments, *, drawn: bool = False, separators_drawn: bool = False) -> JsonObject:
    """Return the segments as a layer of an HTML overlay: see `docs/reference/overlay-data.md`.

    The layer contains all levels. At first it shows the segments at the permitted degree of coherence.

    Args:
        segments: the segments of the page.
        drawn: whether segments are visible at first.
        separators_drawn: whether separators are visible at first.
    """
    tree = segments.full_tree or segments
    rows = {"segments": segment_rows(tree), "separators": separator_rows(tree)}
    shown = {"pdoc": segments.pdoc, "drawn": drawn, "separators_drawn": separators_drawn}
    return {"name": tree.method, **rows, **shown}


def segment_rows(segments: Segments) -> list[JsonObject]:
    """Return the segments as rows of an overlay."""
    return [
        {
            "box": segments.box[row].tolist(),
            "level": int(segments.depth[row]),
            "coherence": int(segments.coherence[row]),
            "parent": int(segments.parent[row]),
            "xpath": " | ".join(segments.xpath(node) for node in segments.roots[row][:_MAX_ROOTS]),
            "text": segments.segment_text(row),
        }
        for row in range(len(segments))
    ]


def separator_rows(segments: Segments) -> list[JsonObject]:
    """Return the separators as rows of an overlay."""
    parts = segments.separators
    columns = (parts.box.tolist(), parts.segment.tolist(), parts.weight.tolist())
    return [{"box": box, "segment": row, "weight": weight} for box, row, weight in zip(*columns, strict=True)]


def _tree(segments: Segments) -> dict[str, Any]:
    """Return the first segment with its descendants nested; iterative, because segments may be nested deeply."""
    records: list[dict[str, Any]] = [
        {
            "number": row,
            "doc": int(segments.coherence[row]),
            "box": _rounded(segments.box[row].tolist()),
            "xpaths": [segments.xpath(node) for node in segments.roots[row]],
            "role": segments.roles[row] if segments.roles else None,
            "content_share": _share(segments, row),
            "text": segments.segment_text(row),
            "separators": [],
            "segments": [],
        }
        for row in range(len(segments))
    ]
    parts = segments.separators
    rows = zip(parts.segment.tolist(), parts.vertical.tolist(), parts.box.tolist(), parts.weight.tolist(), strict=True)
    for owner, vertical, box, weight in rows:
        direction = "vertical" if vertical else "horizontal"
        records[owner]["separators"].append({"direction": direction, "box": _rounded(box), "weight": weight})
    for row, above in enumerate(segments.parent.tolist()[1:], 1):
        records[above]["segments"].append(records[row])
    return records[0]


def _share(segments: Segments, row: int) -> float | None:
    """Return the content share of a segment; None if it has no words, or if it is unknown."""
    share = float(segments.content_share[row]) if len(segments.content_share) else math.nan
    return None if math.isnan(share) else round(share, 4)


def _rounded(lengths: Sequence[float]) -> list[float]:
    """Return lengths in px, rounded."""
    return [_whole(round(float(length), 2)) for length in lengths]


def _whole(length: float) -> float:
    """Return a length as an integer if it has no fraction."""
    return int(length) if length == int(length) else length


def to_table(segments: Segments) -> str:
    """Return the first `MAX_ROWS` leaves as a part of an HTML document, for notebooks."""
    leaves = segments.leaves.tolist()
    rows = [
        {
            "#": leaf,
            "coherence": int(segments.coherence[leaf]),
            "box": " ".join(f"{side:.0f}" for side in segments.box[leaf]),
            "role": (segments.roles[leaf] if segments.roles else None) or "",
            "content": "" if (share := _share(segments, leaf)) is None else f"{share:.0%}",
            "text": excerpt(segments.segment_text(leaf), MAX_CHARACTERS),
        }
        for leaf in leaves[:MAX_ROWS]
    ]
    return render_page(
        "vclean",
        "notebook.html",
        title=segments.snapshot.title,
        summary=f"{format_count(len(segments), 'segment')} by {segments.method}, {len(leaves)} of them leaves",
        picture="",
        rows=rows,
        more=f"{len(leaves) - MAX_ROWS} more: see segments.leaves" if len(leaves) > MAX_ROWS else "",
    )


def webis_line(page_id: str, snapshot: Snapshot, shapes_by_name: Mapping[str, Iterable[shapely.Geometry]]) -> str:
    """Return segmentations of a rendered page in the Webis format, as one line of JSON.

    Args:
        page_id: the name of the page.
        snapshot: the page.
        shapes_by_name: for each segmentation the shapes of its segments, polygons or multipolygons.
    """
    polygons = {name: [_polygons(shape) for shape in shapes] for name, shapes in shapes_by_name.items()}
    height, width = round(snapshot.height), round(snapshot.width)
    record = {"id": page_id, "height": height, "width": width, "segmentations": polygons}
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def _polygons(shape: shapely.Geometry) -> list[list[list[list[float]]]]:
    """Return the polygons of a shape: the points of their rings, the outer one first."""
    rings = [(polygon.exterior, *polygon.interiors) for polygon in shapely.get_parts(shape)]
    return [[[list(map(_whole, point)) for point in ring.coords] for ring in polygon] for polygon in rings]


def parse_webis(value: object) -> WebisPage:
    """Parse a page from a JSON object; other keys are ignored.

    Raises:
        InputError: the object does not follow the format; the message names the location.
    """
    match value:
        case {"id": str() | int() as name, "segmentations": dict() as segmentations}:
            return str(name), {key: _parse_segments(key, each) for key, each in segmentations.items()}
    raise InputError("not a segmentation: it must be a JSON object with a string 'id' and an object 'segmentations'")


def read_webis(path: Path) -> list[WebisPage]:
    """Read the pages of a file: one JSON object, a list of objects, or one object per line.

    Raises:
        InputError: the file cannot be read, or does not follow the format.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not JSON: it is not in UTF-8") from error
    try:
        return list(map(parse_webis, _values(text)))
    except json.JSONDecodeError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _values(text: str) -> list[Any]:
    """Parse JSON or JSON lines."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        return [json.loads(line) for line in lines]
    return value if isinstance(value, list) else [value]


def _parse_segments(name: str, value: object) -> list[shapely.MultiPolygon]:
    """Parse the segments of the segmentation `name`."""
    if not isinstance(value, list):
        raise InputError(f"not a segmentation: {name!r} must be a list of segments")
    segments = []
    for number, polygons in enumerate(value, 1):
        where = f"segment {number} of {name!r}"
        try:
            with np.errstate(invalid="ignore"):
                segment = shapely.MultiPolygon([(rings[0], rings[1:]) for rings in polygons])
        except (ValueError, TypeError, IndexError, KeyError, shapely.errors.ShapelyError) as error:
            raise InputError(f"{where} is not a list of polygons with closed rings of points: {error}") from error
        if not all(abs(coordinate) <= 1e6 for coordinate in shapely.get_coordinates(segment).ravel()):
            raise InputError(f"{where} has points that are not numbers of px")
        segments.append(segment)
    return segments
