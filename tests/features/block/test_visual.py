from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

from vclean.features.block.visual import COLUMNS, backgrounds, compute
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext

NAN = float("nan")

PAGE = "<h1>Title</h1><p>One <b>two</b></p><p hidden>Three</p><p>Four five six</p>"
"""Page of 800 x 120 px with lines of 20 px: "Title", "One", "two", "Four five six"."""

FONTS = {
    "h1": {"font-size": "32px", "font-weight": "700", "line-height": "40px"},
    "p": {"font-weight": "400", "line-height": "24px"},
    "small": {"font-size": "8px", "font-weight": "400", "line-height": "normal"},
}

COLORS = {
    "p": {"color": "rgb(255, 0, 0)"},
    "nav": {"background-color": "rgb(0, 0, 0)"},
    "a": {"color": "rgb(255, 255, 255)"},
    "i": {"background-color": "rgba(0, 0, 255, 0.4)"},
    "b": {"background-color": "rgba(0, 0, 255, 0.6)"},
}


def columns(page):
    return {
        name: np.asarray(column, dtype=np.float64).tolist()
        for name, column in compute(PageContext(extract_blocks(page))).items()
    }


def placed(html, boxes, containers=None, **facts):
    """Return the page with line boxes (x, y, width, height) of its texts, and boxes of elements by tag."""
    page = laid_out(html)
    box = page.box.copy()
    for tag, rows in (containers or {}).items():
        box[page.is_tag((tag,))] = rows
    return replace(page, line_box=np.array(boxes, dtype=np.float32), box=box, **facts)


def column(name, page):
    return columns(page)[name]


class TestPosition:
    def test_edges(self):
        values = columns(laid_out(PAGE))
        assert values["x"] == pytest.approx([40 / 800, 40 / 800, NAN, 40 / 800], nan_ok=True)
        assert values["y"] == pytest.approx([20, 40, NAN, 80], nan_ok=True)
        assert values["y_share"] == pytest.approx([20 / 120, 40 / 120, NAN, 80 / 120], nan_ok=True)
        assert values["bottom_distance"] == pytest.approx([84, 44, NAN, 24], nan_ok=True)

    def test_centre_offset(self):
        page = placed("<p>a</p><p>b</p>", [(100, 0, 200, 16), (700, 20, 100, 16)])
        assert column("centre_offset", page) == pytest.approx([-0.25, 750 / 800 - 0.5])

    def test_above_the_fold(self):
        page = placed("<p>a</p><p>b</p>", [(0, 599, 9, 16), (0, 600, 9, 16)], settings={"height": 600})
        assert column("above_fold", page) == [1, 0]

    def test_page(self):
        values = columns(laid_out(PAGE))
        assert values["page_width"] == [800] * 4
        assert values["page_height"] == [120] * 4
        assert values["rendered"] == [1] * 4


class TestSizes:
    def test_absolute(self):
        values = columns(laid_out(PAGE))
        assert values["width"] == pytest.approx([40, 24, NAN, 104], nan_ok=True)
        assert values["height"] == pytest.approx([16, 36, NAN, 16], nan_ok=True)

    def test_relative_to_the_largest(self):
        values = columns(laid_out(PAGE))
        assert values["relative_width"] == pytest.approx([40 / 104, 24 / 104, NAN, 1], nan_ok=True)
        assert values["relative_height"] == pytest.approx([16 / 36, 1, NAN, 16 / 36], nan_ok=True)

    def test_shares_of_the_page(self):
        values = columns(laid_out(PAGE))
        area = np.array([40 * 16, 24 * 36, NAN, 104 * 16])
        assert values["width_share"] == pytest.approx([40 / 800, 24 / 800, NAN, 104 / 800], nan_ok=True)
        assert values["area_share"] == pytest.approx((area / np.nansum(area)).tolist(), nan_ok=True)


class TestLines:
    def test_lines_below_each_other(self):
        assert column("lines", laid_out(PAGE)) == pytest.approx([1, 2, NAN, 1], nan_ok=True)

    def test_boxes_beside_each_other_are_one_line(self):
        """Check that line boxes with centers closer than half a line count once: a superscript is not a line."""
        boxes = [(0, 0, 50, 16), (50, -4, 8, 12), (60, 1, 50, 16), (0, 20, 50, 16)]
        assert column("lines", placed("<p>a<sup>1</sup><b>b</b><i>c</i></p>", boxes)) == [2]

    def test_characters_per_line(self):
        assert column("line_chars", laid_out(PAGE)) == pytest.approx([5, 3.5, NAN, 13], nan_ok=True)

    def test_outline(self):
        values = columns(laid_out(PAGE))
        assert values["solidity1"] == pytest.approx([1, 1, NAN, 1], nan_ok=True)
        assert values["solidity2"] == pytest.approx([4, 4, NAN, 4], nan_ok=True)
        assert values["solidity3"] == pytest.approx([1, 1, NAN, 1], nan_ok=True)


class TestFont:
    HTML = "<h1>Title here</h1><p>One two three four</p><p>ab<small>cd</small></p><p><small>note</small></p>"

    def measure(self, name):
        return column(name, laid_out(self.HTML, styles=FONTS))

    def test_mean_over_the_characters(self):
        assert self.measure("font_size") == [32, 16, 12, 8]
        assert self.measure("font_weight") == [700, 400, 400, 400]

    def test_relative_to_the_most_frequent(self):
        """Check a page with four of eight words in 16 px."""
        assert self.measure("relative_font") == [2, 1, 0.75, 0.5]
        assert self.measure("relative_weight") == [1.75, 1, 1, 1]

    def test_rank(self):
        """Check the share of words in a smaller size: one in 8 px, one in 12 px, four in 16 px."""
        assert self.measure("font_rank") == pytest.approx([6 / 8, 2 / 8, 1 / 8, 0])

    def test_equal_sizes_have_equal_rank(self):
        assert column("font_rank", laid_out("<p>a</p><p>b c</p><p>d</p>")) == [0, 0, 0]

    def test_line_height(self):
        assert self.measure("line_height") == pytest.approx([1.25, 1.5, NAN, NAN], nan_ok=True)

    def test_unknown_sizes(self):
        page = laid_out("<p>a</p>", styles={"p": {"font-size": ""}})
        values = columns(page)
        assert np.isnan([values["font_size"][0], values["relative_font"][0]]).all()


class TestTypeface:
    @pytest.mark.parametrize(
        ("name", "style"),
        [
            ("italic", {"font-style": "italic"}),
            ("italic", {"font-style": "oblique"}),
            ("upper_styled", {"text-transform": "uppercase"}),
            ("underlined", {"text-decoration-line": "underline"}),
            ("centred", {"text-align": "center"}),
            ("centred", {"text-align": "-webkit-center"}),
        ],
    )
    def test_share_of_the_characters(self, name, style):
        page = laid_out("<p>abc<i>d</i></p><p>e</p>", styles={"i": style, "p": {"font-style": "normal"}})
        assert column(name, page) == [0.25, 0]

    def test_pointer(self):
        page = laid_out("<p>a <i>longer</i></p><p>longer <i>a</i></p>", styles={"i": {"cursor": "pointer"}})
        assert column("pointer", page) == [1, 0]


class TestColors:
    HTML = "<p>one two</p><nav><a>three</a></nav><p><i>four</i></p><p><b>five</b></p>"

    def test_nearest_painted_background(self):
        """Check that white is the default, also behind a background that is more than half transparent."""
        page = laid_out(self.HTML, styles=COLORS)
        expected = [[255, 255, 255], [0, 0, 0], [255, 255, 255], [0, 0, 255]]
        assert backgrounds(PageContext(extract_blocks(page))).tolist() == expected

    def test_luminance_and_contrast(self):
        values = columns(laid_out(self.HTML, styles=COLORS))
        assert values["text_luminance"] == pytest.approx([0.2126, 1, 0, 0])
        assert values["background_luminance"] == pytest.approx([1, 0, 1, 0.0722])
        assert values["contrast"] == pytest.approx([1.05 / 0.2626, 21, 21, 0.1222 / 0.05])

    def test_shares_of_the_words(self):
        values = columns(laid_out(self.HTML, styles=COLORS))
        assert values["colour_share"] == pytest.approx([2 / 5, 1 / 5, 2 / 5, 2 / 5])
        assert values["background_share"] == pytest.approx([3 / 5, 1 / 5, 3 / 5, 1 / 5])

    def test_coloured(self):
        assert column("coloured", laid_out(self.HTML, styles=COLORS)) == [1, 0, 0, 0]


class TestFlow:
    def test_the_container_or_an_ancestor(self):
        styles = {"aside": {"float": "right"}, "nav": {"position": "fixed"}, "div": {"position": "relative"}}
        page = laid_out("<aside><p>a</p></aside><nav>b</nav><div>c</div>", styles=styles)
        assert column("floated", page) == [1, 0, 0]
        assert column("out_of_flow", page) == [0, 1, 0]


class TestNeighbours:
    PAGE = placed(
        "<p>a</p><p>b</p><p hidden>c</p><p>d</p><p>e</p>",
        [(10, 0, 100, 16), (10, 30, 101, 16), (300, 10, 100, 16), (310, 40, 300, 20)],
    )

    def test_gaps(self):
        values = columns(self.PAGE)
        assert values["top_gap"] == pytest.approx([NAN, 14, NAN, NAN, 14], nan_ok=True)
        assert values["bottom_gap"] == pytest.approx([14, NAN, NAN, 14, NAN], nan_ok=True)

    def test_a_column_that_begins_higher(self):
        page = placed("<p>a</p><p>b</p>", [(0, 100, 9, 16), (300, 0, 9, 16)])
        assert column("top_gap", page) == pytest.approx([NAN, -116], nan_ok=True)

    def test_offsets(self):
        values = columns(self.PAGE)
        assert values["left_offset"] == pytest.approx([NAN, 0, NAN, NAN, 10], nan_ok=True)
        assert values["left_offset_next"] == pytest.approx([0, NAN, NAN, -10, NAN], nan_ok=True)

    def test_same_width(self):
        values = columns(self.PAGE)
        assert values["same_width_before"] == pytest.approx([NAN, 1, NAN, NAN, 0], nan_ok=True)
        assert values["same_width_after"] == pytest.approx([1, NAN, NAN, 0, NAN], nan_ok=True)


class TestColumns:
    """Menu of 200 px on the left, and an article of 600 px on the right."""

    PAGE = placed(
        "<nav>one</nav><p>two three four</p><p>five six</p>",
        [(0, 0, 50, 16), (200, 0, 600, 16), (200, 20, 300, 16)],
        {"nav": [(0, 0, 200, 400)], "p": [(200, 0, 600, 16), (201, 20, 600, 16)]},
    )

    def test_share_of_the_column(self):
        assert column("column_share", self.PAGE) == pytest.approx([1 / 6, 5 / 6, 5 / 6])

    def test_position(self):
        values = columns(self.PAGE)
        assert values["column_width"] == [200, 600, 600]
        assert values["column_left"] == pytest.approx([0, 0.25, 201 / 800])
        assert values["column_fill"] == [0.25, 1, 0.5]

    def test_from_the_main_column(self):
        values = columns(self.PAGE)
        assert values["main_column_offset"] == pytest.approx([-0.25, 0, 1 / 800])
        assert values["main_column_width"] == pytest.approx([1 / 3, 1, 1])

    def test_same_left_edge(self):
        values = columns(self.PAGE)
        assert values["same_left_share"] == pytest.approx([1 / 6, 5 / 6, 5 / 6])
        assert values["same_left_blocks"] == [1, 2, 2]
        assert values["styled"] == pytest.approx([2 / 3] * 3)

    def test_same_width(self):
        assert column("same_width_share", self.PAGE) == pytest.approx([1 / 6, 3 / 6, 2 / 6])


class TestCompute:
    def test_every_column_has_values(self):
        values = compute(PageContext(extract_blocks(laid_out(PAGE))))
        assert set(values) == {column.name for column in COLUMNS}
        assert all(column_values.shape == (4,) for column_values in values.values())

    def test_nan_without_rendering(self):
        values = columns(snapshot(PAGE))
        assert set(values) == {column.name for column in COLUMNS}
        assert values.pop("rendered") == [0] * 4
        assert all(np.isnan(column_values).all() for column_values in values.values())

    def test_page_without_line_boxes(self):
        page = laid_out("<p hidden>One</p>")
        values = columns(page)
        assert np.isnan([values[name][0] for name in ("x", "width", "relative_width", "lines", "solidity1")]).all()
        assert values["rendered"] == [1]
