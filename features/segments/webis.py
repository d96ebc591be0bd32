"""The Webis format of segmentations: what the corpora and programs of web page segmentation exchange.

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
"""No page has more px on a side."""


@dataclass(frozen=True, slots=True)
class WebisPage:
    """The segmentations of one page by name; `id` names the page, `width` and `height` are those of its picture."""

    id: str
    width: int
    height: int
    segmentations: Mapping[str, Sequence[Multipolygon]]

    @classmethod
    def of_shapes(cls, page_id: str, snapshot: Snapshot, named: Mapping[str, Iterable[shapely.Geometry]]) -> WebisPage:
        """Segmentations of a rendered page, from the shapes of their segments, polygons or multipolygons."""
        segmentations = {name: [_multipolygon(shape) for shape in shapes] for name, shapes in named.items()}
        return cls(page_id, round(snapshot.width), round(snapshot.height), segmentations)

    def to_dict(self) -> dict[str, Any]:
        """The page as the format has it, coordinates as they are."""
        named = {name: [_rings(segment) for segment in segments] for name, segments in self.segmentations.items()}
        return {"id": self.id, "height": self.height, "width": self.width, "segmentations": named}

    def to_json(self) -> str:
        """The page as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_dict(cls, value: object) -> WebisPage:
        """The page in a parsed JSON object; what else is in it is passed over.

        Raises:
            InputError: it is not of the format; the text says where.
        """
        if not isinstance(value, dict):
            raise InputError("no segmentation: a page has to be a JSON object")
        named = value.get("segmentations")
        if not isinstance(named, dict):
            raise InputError("no segmentation: 'segmentations' has to be a JSON object")
        return cls(
            id=_text(value, "id"),
            width=_side(value, "width"),
            height=_side(value, "height"),
            segmentations={name: _segments(name, segments) for name, segments in named.items()},
        )


def read_webis(path: Path) -> list[WebisPage]:
    """The pages of a file: one JSON object, a list of them, or one to a line.

    Raises:
        InputError: the file cannot be read, or is not of the format.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no JSON: it is not in UTF-8") from error
    try:
        return [WebisPage.from_dict(value) for value in _values(text)]
    except json.JSONDecodeError as error:
        raise InputError(f"{path} is no JSON: {error}") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _values(text: str) -> list[Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        return [json.loads(line) for line in lines]
    return value if isinstance(value, list) else [value]


def _text(page: dict[str, Any], name: str) -> str:
    value = page.get(name)
    if not isinstance(value, str | int):
        raise InputError(f"no segmentation: {name!r} has to be a text, not {value!r}")
    return str(value)


def _side(page: dict[str, Any], name: str) -> int:
    value = page.get(name)
    if not isinstance(value, int | float) or not 0 < value < _LARGEST:
        raise InputError(f"no segmentation: {name!r} has to be a number of px, not {value!r}")
    return round(value)


def _segments(name: str, value: object) -> list[Multipolygon]:
    if not isinstance(value, list):
        raise InputError(f"no segmentation: {name!r} is no list of segments")
    return [_segment(f"segment {number} of {name!r}", polygons) for number, polygons in enumerate(value, 1)]


def _segment(where: str, polygons: list[Any]) -> Multipolygon:
    try:
        with np.errstate(invalid="ignore"):
            segment = shapely.MultiPolygon([(rings[0], rings[1:]) for rings in polygons])
    except (ValueError, TypeError, IndexError, KeyError, shapely.errors.ShapelyError) as error:
        raise InputError(f"{where} is no list of polygons with closed rings of points: {error}") from error
    if not all(abs(at) <= _LARGEST for at in shapely.get_coordinates(segment).ravel()):
        raise InputError(f"{where} has points that are no numbers of px")
    return segment


def _multipolygon(shape: shapely.Geometry) -> Multipolygon:
    return shapely.MultiPolygon(list(shapely.get_parts(shape)))


def _rings(segment: Multipolygon) -> list[list[list[list[float]]]]:
    return [[_points(ring) for ring in (polygon.exterior, *polygon.interiors)] for polygon in segment.geoms]


def _points(ring: shapely.LinearRing) -> list[list[float]]:
    return [[int(at) if at == int(at) else at for at in point[:2]] for point in ring.coords]
