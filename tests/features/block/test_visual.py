from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

from vclean.features.block.visual import COLUMNS
from vclean.features.blocks import extract_blocks
from vclean.features.matrix import block_values
from vclean.features.page_context import PageContext

NAN = float("nan")

PAGE = "<h1>Title</h1><p>One <b>two</b></p><p hidden>Three</p><p>Four five six</p>"
"""Page of 800 x 120 px with lines of 20 px: "Title", "One", "two", "Four five six"."""

COLORS = {
    "p": {"color": "rgb(255, 0, 0)"},
    "nav": {"background-color": "rgb(0, 0, 0)"},
    "a": {"color": "rgb(255, 255, 255)"},
    "i": {"background-color": "rgba(0, 0, 255, 0.4)"},
    "b": {"background-color": "rgba(0, 0, 255, 0.6)"},
}


def columns(page):
    """Return the columns of this module for a page, by name."""
    values = block_values(PageContext(extract_blocks(page)))
    return {declared.name: np.asarray(values[declared.name], dtype=np.float64).tolist() for declared in COLUMNS}


class TestEdges:
    def test_page_without_line_boxes(self):
        values = columns(laid_out("<p hidden>One</p>"))
        names = ("x", "width_share", "relative_width", "lines", "solidity1")
        assert np.isnan([values[name][0] for name in names]).all()


class TestLines:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("relative_width", [40 / 104, 24 / 104, NAN, 1]),
            ("relative_height", [16 / 36, 1, NAN, 16 / 36]),
            ("lines", [1, 2, NAN, 1]),
            ("solidity1", [1, 1, NAN, 1]),
            ("solidity2", [4, 4, NAN, 4]),
            ("solidity3", [1, 1, NAN, 1]),
        ],
    )
    def test_values(self, name, expected):
        assert columns(laid_out(PAGE))[name] == pytest.approx(expected, nan_ok=True)


class TestFont:
    def test_unknown_sizes(self):
        page = laid_out("<p>a</p>", styles={"p": {"font-size": ""}})
        values = columns(page)
        assert np.isnan([values["font_size"][0], values["relative_font"][0]]).all()


class TestTypeface:
    @pytest.mark.parametrize(
        ("name", "style"),
        [
            ("underlined", {"text-decoration-line": "underline"}),
            ("centred", {"text-align": "center"}),
            ("centred", {"text-align": "-webkit-center"}),
        ],
    )
    def test_share_of_the_characters(self, name, style):
        page = laid_out("<p>abc<i>d</i></p><p>e</p>", styles={"i": style, "p": {"font-style": "normal"}})
        assert columns(page)[name] == [0.25, 0]


class TestColors:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("text_luminance", [0.2126, 1, 0, 0]),
            ("contrast", [1.05 / 0.2626, 21, 21, 0.1222 / 0.05]),
            ("colour_share", [2 / 5, 1 / 5, 2 / 5, 2 / 5]),
            ("background_share", [3 / 5, 1 / 5, 3 / 5, 1 / 5]),
        ],
    )
    def test_values(self, name, expected):
        html = "<p>one two</p><nav><a>three</a></nav><p><i>four</i></p><p><b>five</b></p>"
        assert columns(laid_out(html, styles=COLORS))[name] == pytest.approx(expected)


class TestColumns:
    def test_share_of_the_column(self):
        """Check a menu of 200 px on the left, and an article of 600 px on the right."""
        page = laid_out("<nav>one</nav><p>two three four</p><p>five six</p>")
        box, lines = page.box.copy(), [(0, 0, 50, 16), (200, 0, 600, 16), (200, 20, 300, 16)]
        box[page.is_tag(("nav",))] = 0, 0, 200, 400
        box[page.is_tag(("p",))] = [(200, 0, 600, 16), (201, 20, 600, 16)]
        page = replace(page, box=box, line_box=np.array(lines, dtype=np.float32))
        assert columns(page)["column_share"] == pytest.approx([1 / 6, 5 / 6, 5 / 6])


class TestCompute:
    def test_nan_without_rendering(self):
        values = columns(snapshot(PAGE))
        assert all(np.isnan(column_values).all() for column_values in values.values())
