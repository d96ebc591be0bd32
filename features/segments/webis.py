"""Read and write the Webis format, the exchange format of corpora and programs for web page segmentation.

One JSON object per page: `{"id", "width", "height", "segmentations": {name: [multipolygon, ...]}}`. A multipolygon is a
list of polygons, a polygon a list of rings, the outer one first, and a ring a closed list of points `[x, y]` in px, the
origin at the top left. Kiesel et al. 2020, "Web Page Segmentation Revisited: Evaluation Framework and Dataset" (CIKM).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from vclean.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from vclean.render.snapshot import Snapshot

    Multipolygon = shapely.MultiPolygon

_LARGEST: Final = 1e6
"""Maximum side of a page in px."""


@dataclass(frozen=True, slots=True)
class WebisPage:
    """Segmentations of one page by name; `width` and `height` are those of its screenshot in px."""

    id: str
    width: int
    height: int
    segmentations: Mapping[str, Sequence[Multipolygon]]

    @classmethod
    def of_shapes(
        cls, page_id: str, snapshot: Snapshot, shapes_by_name: Mapping[str, Iterable[shapely.Geometry]]
    ) -> WebisPage:
        """Return segmentations of a rendered page from the shapes of their segments, polygons or multipolygons."""
        segmentations = {name: [_multipolygon(shape) for shape in shapes] for name, shapes in shapes_by_name.items()}
        return cls(page_id, round(snapshot.width), round(snapshot.height), segmentations)

    def to_dict(self) -> dict[str, Any]:
        """Return the page in the format, with unrounded coordinates."""
        polygons_by_name = {
            name: [_rings(segment) for segment in segments] for name, segments in self.segmentations.items()
        }
        return {"id": self.id, "height": self.height, "width": self.width, "segmentations": polygons_by_name}

    def to_json(self) -> str:
        """Return the page as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_dict(cls, value: object) -> WebisPage:
        """Parse a page from a JSON object; unknown keys are ignored.

        Raises:
            InputError: the object does not follow the format; the message names the location.
        """
        if not isinstance(value, dict):
            raise InputError("not a segmentation: a page must be a JSON object")
        segmentations = value.get("segmentations")
        if not isinstance(segmentations, dict):
            raise InputError("not a segmentation: 'segmentations' must be a JSON object")
        return cls(
            id=_text(value, "id"),
            width=_side(value, "width"),
            height=_side(value, "height"),
            segmentations={name: _segments(name, segments) for name, segments in segmentations.items()},
        )


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
        return [WebisPage.from_dict(value) for value in _values(text)]
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


def _text(page: dict[str, Any], name: str) -> str:
    """Return a string or integer property of a page as a string."""
    value = page.get(name)
    if not isinstance(value, str | int):
        raise InputError(f"not a segmentation: {name!r} must be a string, not {value!r}")
    return str(value)


def _side(page: dict[str, Any], name: str) -> int:
    """Return a length property of a page, rounded to px."""
    value = page.get(name)
    if not isinstance(value, int | float) or not 0 < value < _LARGEST:
        raise InputError(f"not a segmentation: {name!r} must be a number of px, not {value!r}")
    return round(value)


def _segments(name: str, value: object) -> list[Multipolygon]:
    """Parse the segments of one segmentation."""
    if not isinstance(value, list):
        raise InputError(f"not a segmentation: {name!r} must be a list of segments")
    return [_segment(f"segment {number} of {name!r}", polygons) for number, polygons in enumerate(value, 1)]


def _segment(description: str, polygons: list[Any]) -> Multipolygon:
    """Parse one segment; `where` names it in error messages."""
    try:
        with np.errstate(invalid="ignore"):
            segment = shapely.MultiPolygon([(rings[0], rings[1:]) for rings in polygons])
    except (ValueError, TypeError, IndexError, KeyError, shapely.errors.ShapelyError) as error:
        raise InputError(f"{description} is not a list of polygons with closed rings of points: {error}") from error
    if not all(abs(coordinate) <= _LARGEST for coordinate in shapely.get_coordinates(segment).ravel()):
        raise InputError(f"{description} has points that are not numbers of px")
    return segment


def _multipolygon(shape: shapely.Geometry) -> Multipolygon:
    """Convert a polygon or multipolygon to a multipolygon."""
    return shapely.MultiPolygon(list(shapely.get_parts(shape)))


def _rings(segment: Multipolygon) -> list[list[list[list[float]]]]:
    """Return the rings of each polygon of a segment."""
    return [[_points(ring) for ring in (polygon.exterior, *polygon.interiors)] for polygon in segment.geoms]


def _points(ring: shapely.LinearRing) -> list[list[float]]:
    """Return the points of a ring, without fractions where they are zero."""
    return [
        [int(coordinate) if coordinate == int(coordinate) else coordinate for coordinate in point[:2]]
        for point in ring.coords
    ]
