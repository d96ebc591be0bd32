"""Test segments as JSON, in the Webis format, and as overlays."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import shapely
from helpers.boxed import boxed
from helpers.painted import painted
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from vclean.errors import InputError, OutputError, UsageError
from vclean.features.segments import formats
from vclean.features.segments.formats import parse_webis, read_webis, webis_line
from vclean.features.segments.vips import segment
from vclean.labels import Role

if TYPE_CHECKING:
    from pathlib import Path

HTML = (
    "<title>Two columns</title><div title='0 0 400 300'><p title='0 0 400 100'>left"
    "<p title='0 200 400 100'>lower left</div><div title='500 0 500.25 300'>right</div>"
)


@pytest.fixture
def segments():
    return replace(segment(painted(HTML)), id="page.html")


def screenshot():
    out = io.BytesIO()
    Image.new("RGB", (1000, 1000), "white").save(out, "PNG")
    return out.getvalue()


class TestWrite:
    def test_does_not_escape_non_ascii(self):
        assert "žluť" in segment(painted("<p>žluť")).to("json")

    def test_unknown_format(self, segments):
        with pytest.raises(UsageError, match="no format 'xml' for segments: choose one of json, webis"):
            segments.to("xml")


class TestToRecord:
    def test_page(self, segments):
        record = segments.to_dict()
        root = record.pop("root")
        assert record == {
            "id": "page.html",
            "url": "https://example.org/dir/page.html",
            "title": "Two columns",
            "width": 1000,
            "height": 1000,
            "method": "vips",
        }
        assert root["xpaths"] == ["/html[1]"]

    def test_nests_segments(self, segments):
        root = segments.to_dict()["root"]
        left, right = root["segments"]
        assert [inner["text"] for inner in left["segments"]] == ["left", "lower left"]
        assert right == {
            "number": 4,
            "doc": 10,
            "box": [500, 0, 500.25, 300],
            "xpaths": ["/html[1]/body[1]/div[2]"],
            "role": None,
            "content_share": None,
            "text": "right",
            "separators": [],
            "segments": [],
        }

    def test_separators_are_in_the_divided_segment(self, segments):
        root = segments.to_dict()["root"]
        assert root["separators"] == [{"direction": "vertical", "box": [400, 0, 100, 300], "weight": 12}]
        assert root["segments"][0]["separators"] == [
            {"direction": "horizontal", "box": [0, 100, 400, 100], "weight": 10}
        ]

    def test_role_and_content_share(self, segments):
        rows = len(segments)
        described = replace(
            segments, roles=(Role.ARTICLE,) * rows, content_share=np.array([1 / 3] * (rows - 1) + [np.nan], np.float32)
        )
        root = described.to_dict()["root"]
        assert (root["role"], root["content_share"]) == ("article", 0.3333)
        assert root["segments"][-1]["content_share"] is None


class TestToWebis:
    def test_one_rectangle_per_distant_root(self):
        """Check that roots apart from each other give a shape with two outlines."""
        html = "<p title='0 0 90 40'>a<p title='0 44 200 40'>b<p title='0 500 90 40'>c"
        segments = segment(painted(html)).at(2)
        outlines = json.loads(segments.to("webis"))["segmentations"]["vips"][0]
        assert [shapely.Polygon(rings[0]).area for rings in outlines] == [90 * 40, 200 * 40]


class TestOverlay:
    def test_svg_has_numbers_degrees_and_texts(self, segments):
        svg = segments.overlay(screenshot(), "svg").decode()
        assert "4 DoC 10: right" in svg
        assert "separator of weight 12" in svg

    @pytest.mark.parametrize("kind", ["png", "svg", "html"])
    def test_rejects_invalid_image(self, segments, kind):
        with pytest.raises(OutputError, match="cannot be read"):
            segments.overlay(b"no screenshot", kind)


class TestOverlayLayer:
    def test_rows(self, segments):
        layer = formats.overlay_layer(segments)
        assert [each["parent"] for each in layer["segments"]] == segments.parent.tolist()
        assert (layer["segments"][-1]["text"], layer["segments"][-1]["xpath"]) == ("right", "/html[1]/body[1]/div[2]")
        assert [each["weight"] for each in layer["separators"]] == segments.separators.weight.tolist()
        assert (layer["pdoc"], layer["drawn"], layer["separators_drawn"]) == (11, False, False)


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
            parse_webis(value)


class TestWebisLine:
    PAGE = boxed("<body></body>", 300, 200)

    def test_one_line_without_escapes(self) -> None:
        text = webis_line("頁\n1", self.PAGE, {})
        assert "頁" in text
        assert text.index("\n") == len(text) - 1

    @given(
        st.lists(
            st.tuples(st.integers(0, 900), st.integers(0, 900), st.integers(1, 90), st.integers(1, 90)), max_size=5
        )
    )
    def test_round_trip_of_page(self, boxes) -> None:
        shapes = [shapely.MultiPolygon([shapely.box(x, y, x + width, y + height)]) for x, y, width, height in boxes]
        assert parse_webis(json.loads(webis_line("id", self.PAGE, {"a": shapes}))) == ("id", {"a": shapes})

    def test_polygons_and_multipolygons(self) -> None:
        both = shapely.union(shapely.box(0, 0, 5, 5), shapely.box(20, 20, 30, 30))
        record = json.loads(webis_line("x", self.PAGE, {"a": [shapely.box(0, 0, 9, 9), both]}))
        assert (record["width"], record["height"]) == (300, 200)
        assert [len(segment) for segment in record["segmentations"]["a"]] == [1, 2]


class TestReadWebis:
    @pytest.mark.parametrize("data", [b"", b"{", b'{"id": 1}', b"{}\n{", b"5", b"\xff\xfe\x00"])
    def test_rejects_invalid_input(self, tmp_path: Path, data: bytes) -> None:
        (tmp_path / "s.json").write_bytes(data)
        with pytest.raises(InputError, match=r"s\.json") as caught:
            read_webis(tmp_path / "s.json")
        assert "\n" not in str(caught.value)
        assert ("UTF-8" in str(caught.value)) is (b"\xff" in data)

    def test_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="cannot read"):
            read_webis(tmp_path / "none.json")
