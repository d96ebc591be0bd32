"""Test detection and weights of separators."""

from __future__ import annotations

import pytest
from helpers.painted import painted
from hypothesis import given, settings
from hypothesis import strategies as st

from vclean.features.segments.vips.page import VisualPage
from vclean.features.segments.vips.separators import best_division, detect

DARK = "background-color: rgb(0, 0, 0)"
GREY = "background-color: rgb(200, 200, 200)"


def paragraphs(*boxes, styles=()):
    """Return a page of paragraphs with these boxes and styles, and their nodes."""
    styles = [*styles, *[""] * (len(boxes) - len(styles))]
    pairs = zip(boxes, styles, strict=True)
    html = "".join(f"<p title='{' '.join(map(str, box))}' style='{style}'>text" for box, style in pairs)
    page = VisualPage(painted(html))
    return page, [
        element for element in range(len(page.snapshot)) if page.snapshot.tags[page.snapshot.tag[element]] == "p"
    ]


def rows(*boxes, **facts):
    return detect(*paragraphs(*boxes, **facts), vertical=False)


def columns(*boxes, **facts):
    return detect(*paragraphs(*boxes, **facts), vertical=True)


class TestDetect:
    def test_between_rows(self):
        (separator,) = rows((0, 0, 100, 50), (0, 80, 100, 50)).separators
        assert separator.box == (0, 50, 100, 30)
        assert not separator.vertical

    def test_between_columns(self):
        (separator,) = columns((0, 0, 100, 50), (140, 0, 100, 90)).separators
        assert separator.box == (100, 0, 40, 90)
        assert separator.vertical

    def test_length_covers_both_sides(self):
        (separator,) = rows((100, 0, 100, 50), (0, 80, 900, 50)).separators
        assert separator.box == (0, 50, 900, 30)

    def test_crossing_block_removes_separator(self):
        assert rows((0, 0, 100, 50), (0, 80, 100, 50), (200, 40, 100, 50)).separators == []

    def test_partly_overlapping_block_shrinks_separator(self):
        (separator,) = rows((0, 0, 100, 50), (0, 80, 100, 50), (200, 0, 100, 60)).separators
        assert separator.box == (0, 60, 300, 20)

    def test_no_separator_at_page_borders(self):
        assert rows((100, 100, 100, 50)).separators == []

    def test_strips_are_in_document_order(self):
        page, nodes = paragraphs((200, 0, 100, 50), (0, 0, 100, 50), (0, 80, 100, 50))
        assert detect(page, nodes, vertical=False).strips == [nodes[:2], nodes[2:]]

    def test_ignores_thin_gaps(self):
        assert rows((0, 0, 100, 50), (0, 52, 100, 50)).separators == []

    @pytest.mark.parametrize("gap", [-1, 0, 2])
    def test_different_backgrounds_need_no_gap(self, gap):
        (separator,) = rows((0, 0, 100, 50), (0, 50 + gap, 100, 50), styles=[GREY, DARK]).separators
        assert separator.box == (0, 50, 100, max(gap, 0))

    def test_overlapping_blocks_are_not_separated(self):
        assert rows((0, 0, 100, 50), (0, 40, 100, 50), styles=[GREY, DARK]).separators == []

    @settings(max_examples=40)
    @given(
        st.lists(
            st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(1, 30), st.integers(1, 30)).map(
                lambda box: tuple(side * 10 for side in box)
            ),
            min_size=1,
            max_size=12,
        ),
        st.booleans(),
    )
    def test_no_block_crosses_a_separator(self, boxes, vertical):
        """Check that every block is in exactly one strip, before or after each separator."""
        page, nodes = paragraphs(*boxes)
        cut = detect(page, nodes, vertical=vertical)
        assert sorted(node for strip in cut.strips for node in strip) == nodes
        assert len(cut.strips) == len(cut.separators) + 1
        low, high, side = (0, 2, 0) if vertical else (1, 3, 1)
        for number, separator in enumerate(cut.separators):
            begin, end = separator.box[side], separator.box[side] + separator.box[side + 2]
            assert all(page.extent[node][high] <= begin for strip in cut.strips[: number + 1] for node in strip)
            assert all(page.extent[node][low] >= end for strip in cut.strips[number + 1 :] for node in strip)


class TestWeight:
    def weight(self, gap, *, styles=(), between="", texts=("one", "two")):
        html = (
            f"<p title='0 0 100 50' style='{(*styles, '')[0]}'>{texts[0]}{between}"
            f"<p title='0 {50 + gap} 100 50' style='{(*styles, '', '')[1]}'>{texts[1]}"
        )
        page = VisualPage(painted(html))
        nodes = [e for e in range(len(page.snapshot)) if page.snapshot.tags[page.snapshot.tag[e]] == "p"]
        (separator,) = detect(page, nodes, vertical=False).separators
        return separator.weight

    @pytest.mark.parametrize(
        ("gap", "weight"),
        [(5, 1), (9, 2), (15, 2), (16, 4), (25, 4), (26, 6), (36, 8), (46, 10), (55, 10), (56, 12), (300, 12)],
    )
    def test_thickness(self, gap, weight):
        """Check weights by thickness, minus two for text in one font on both sides."""
        assert self.weight(gap) == weight - 2

    def test_images_are_not_similar(self):
        image = "<img title='0 0 90 50'>"
        assert self.weight(16, texts=(image, "two")) == 4

    def test_backgrounds_differ(self):
        assert self.weight(16, styles=(GREY, DARK)) == self.weight(16) + 2

    def test_horizontal_rule(self):
        assert self.weight(16, between="<hr title='0 55 100 2'>") == self.weight(16) + 2

    def test_horizontal_rule_outside_the_strip(self):
        assert self.weight(16, between="<hr title='0 900 100 2'>") == self.weight(16)

    def test_larger_below(self):
        """Check two for the font change and two for the larger font below."""
        assert self.weight(16, styles=("", "font-size: 24px")) == 4 + 2 + 2

    def test_smaller_below(self):
        assert self.weight(16, styles=("font-size: 24px", "")) == 4 + 2

    def test_bold_above(self):
        assert self.weight(16, styles=("font-weight: 700", "")) == 4 + 2

    def test_fonts_do_not_matter_between_columns(self):
        (separator,) = columns((0, 0, 90, 50), (106, 0, 90, 50), styles=["font-size: 24px"]).separators
        assert separator.weight == 4


class TestBestDivision:
    def test_no_division(self):
        assert best_division(*paragraphs((0, 0, 100, 50), (50, 25, 100, 50))) is None

    def test_the_heavier_direction(self):
        """Check a grid with wider gaps between columns than between rows."""
        grid = [(0, 0, 100, 50), (160, 0, 100, 50), (0, 60, 100, 50), (160, 60, 100, 50)]
        assert best_division(*paragraphs(*grid)).separators[0].vertical

    def test_rows_win_a_tie(self):
        grid = [(0, 0, 100, 50), (120, 0, 100, 50), (0, 70, 100, 50), (120, 70, 100, 50)]
        cut = best_division(*paragraphs(*grid))
        assert not cut.separators[0].vertical
        assert cut.weight == 2
