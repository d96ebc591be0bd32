"""Test the layers of segments and separators."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from vclean.render.overlay.draw import draw_png, draw_svg
from vclean.render.overlay.layers import Rect, TagPlacer
from vclean.render.overlay.segments import SegmentOverlay, segment_layer, separator_layer

SVG = "{http://www.w3.org/2000/svg}"
PAGE, OUTER, FIRST, SECOND = [0, 0, 400, 200], [20, 20, 300, 150], [20, 20, 300, 60], [20, 110, 300, 60]
BAND = [20, 80, 300, 30]


def overlay(box=(PAGE, OUTER, FIRST, SECOND), level=(0, 1, 2, 2), height=(2, 1, 0, 0), **facts):
    """Return a page with a segment of two parts and the separator between them."""
    count = len(box)
    default = {
        "captions": [f"{row} DoC {row + 1}" for row in range(count)],
        "texts": [f"text {row}" for row in range(count)],
        "separator_box": np.array([BAND], dtype=np.float32),
        "weight": np.array([7], dtype=np.int32),
        "page_height": 200,
    }
    return SegmentOverlay(
        box=np.array(box, dtype=np.float32),
        level=np.array(level, dtype=np.int64),
        height=np.array(height, dtype=np.int64),
        **(default | facts),
    )


def segments(content):
    return segment_layer(content, TagPlacer(400, 200))


def separators(content):
    return separator_layer(content, TagPlacer(400, 200))


def layers(content):
    return [separators(content), segments(content)]


def screenshot(width=400, height=200):
    out = io.BytesIO()
    Image.new("RGB", (width, height), (255, 255, 255)).save(out, "PNG")
    return out.getvalue()


class TestSegmentLayer:
    def test_shares_last_pen_for_deep_levels(self):
        layout = segments(overlay([PAGE, FIRST], [0, 9], [1, 0]))
        assert layout.marks[0].pen == "level4"
        assert layout.entries[0][1] == "level 5 and deeper: 1"

    def test_counts_segments_in_legend(self):
        assert [text for layer in layers(overlay()) for _, text in layer.entries] == [
            "separators with their weights: 1", "level 1: 1", "level 2: 2",
        ]  # fmt: skip

    def test_draws_band(self):
        (band,) = separators(overlay()).marks
        assert (band.frame, band.caption, band.title) == (Rect(20, 80, 300, 30), "7", "separator of weight 7")

    @pytest.mark.parametrize(("box", "frame"), [([0, 80, 300, 0], (300, 2)), ([50, 0, 0.5, 200], (2, 200))])
    def test_draws_thin_bands_without_number(self, box, frame):
        (band,) = separators(overlay(separator_box=np.array([box], dtype=np.float32))).marks
        assert (band.frame.width, band.frame.height) == frame
        assert band.tag is None

    def test_counts_segments_below_the_screenshot(self):
        far = overlay([PAGE, FIRST, [0, 900, 50, 50]], [0, 1, 1], [1, 0, 0], page_height=1000)
        layout = segments(far)
        assert len(layout.marks) == 1
        assert layout.entries[-1][1] == "picture cut at 200 of 1000 px, segments below: 1"

    def test_skips_separators_below_the_screenshot(self):
        far = overlay(separator_box=np.array([[0, 900, 50, 5]], dtype=np.float32))
        assert separators(far).marks == []


class TestPng:
    def test_is_deterministic(self):
        assert draw_png(screenshot(), layers(overlay())) == draw_png(screenshot(), layers(overlay()))


class TestSvg:
    def drawn(self, content):
        return ElementTree.fromstring(draw_svg(screenshot(), layers(content)))

    def test_escapes_markup(self):
        content = overlay([PAGE, FIRST], [0, 1], [1, 0], texts=["", "<b>&\x00"])
        assert [title.text for title in self.drawn(content).iter(f"{SVG}title")][-1].startswith("1 DoC 2: <b>&")
