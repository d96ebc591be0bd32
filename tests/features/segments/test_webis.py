from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import shapely
from helpers.boxed import boxed
from hypothesis import given
from hypothesis import strategies as st

from vclean.errors import InputError
from vclean.features.segments.formats import WebisPage, read_webis

if TYPE_CHECKING:
    from pathlib import Path

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]
HOLE = [[2, 2], [4, 2], [4, 4], [2, 4], [2, 2]]


def page(**changes):
    """Return a page in the format: one segment with a hole, and one with two polygons."""
    far = [[x + 50, y] for x, y in SQUARE]
    value = {"id": "000001", "height": 200, "width": 100, "segmentations": {"a": [[[SQUARE, HOLE]], [[SQUARE], [far]]]}}
    return value | changes


class TestFromDict:
    @pytest.mark.parametrize(
        ("value", "reason"),
        [
            ([], "JSON object"),
            (page(id=None), "'id'"),
            (page(width="wide"), "'width'"),
            (page(width=0), "'width'"),
            (page(height=float("nan")), "'height'"),
            (page(segmentations=[]), "'segmentations'"),
            (page(segmentations={"a": {}}), "'a' must be a list"),
            (page(segmentations={"a": [[[SQUARE]], [[[[0, 0]]]]]}), "segment 2 of 'a'"),
            (page(segmentations={"a": [5]}), "segment 1 of 'a'"),
            (page(segmentations={"a": [[[]]]}), "segment 1 of 'a'"),
            (page(segmentations={"a": [[[["x", "y"]] * 4]]}), "segment 1 of 'a'"),
            (page(segmentations={"a": [[[[[0]] * 4]]]}), "segment 1 of 'a'"),
            (page(segmentations={"a": [[[[[0, 0], [1e9, 0], [0, 9], [0, 0]]]]]}), "not numbers of px"),
            (page(segmentations={"a": [[[[[0, 0], [float("nan"), 0], [0, 9], [0, 0]]]]]}), "not numbers of px"),
        ],
    )
    def test_rejects_invalid_input(self, value: object, reason: str) -> None:
        with pytest.raises(InputError, match=reason):
            WebisPage.from_dict(value)


class TestToJson:
    def test_one_line_without_escapes(self) -> None:
        text = WebisPage.from_dict(page(id="頁\n1")).to_json()
        assert "頁" in text
        assert "\n" not in text

    @given(
        st.lists(
            st.tuples(st.integers(0, 900), st.integers(0, 900), st.integers(1, 90), st.integers(1, 90)), max_size=5
        )
    )
    def test_round_trip_of_page(self, boxes) -> None:
        shapes = [shapely.MultiPolygon([shapely.box(x, y, x + width, y + height)]) for x, y, width, height in boxes]
        there = WebisPage("id", 1000, 1000, {"a": shapes})
        assert WebisPage.from_dict(json.loads(there.to_json())) == there


class TestOfShapes:
    def test_polygons_and_multipolygons(self) -> None:
        both = shapely.union(shapely.box(0, 0, 5, 5), shapely.box(20, 20, 30, 30))
        webis_page = WebisPage.of_shapes("x", boxed("<body></body>", 300, 200), {"a": [shapely.box(0, 0, 9, 9), both]})
        assert (webis_page.width, webis_page.height) == (300, 200)
        assert [len(segment.geoms) for segment in webis_page.segmentations["a"]] == [1, 2]


class TestReadWebis:
    def write(self, tmp_path: Path, text: str) -> Path:
        path = tmp_path / "s.json"
        path.write_text(text, encoding="utf-8")
        return path

    @pytest.mark.parametrize("text", ["", "{", '{"id": 1}', "{}\n{", "5"])
    def test_rejects_invalid_input(self, tmp_path: Path, text: str) -> None:
        path = self.write(tmp_path, text)
        with pytest.raises(InputError, match=r"s\.json") as caught:
            read_webis(path)
        assert "\n" not in str(caught.value)

    def test_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="cannot read"):
            read_webis(tmp_path / "none.json")

    def test_not_in_utf_8(self, tmp_path: Path) -> None:
        (tmp_path / "s.json").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(InputError, match="UTF-8"):
            read_webis(tmp_path / "s.json")
