"""Test detection and weights of separators."""

from __future__ import annotations

from helpers.painted import painted
from hypothesis import given, settings
from hypothesis import strategies as st

from vclean.features.segments.vips.algorithm import best_division, detect
from vclean.features.segments.vips.page import VisualPage

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


class TestDetect:
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

    def test_smaller_below(self):
        assert self.weight(16, styles=("font-size: 24px", "")) == 4 + 2

    def test_bold_above(self):
        assert self.weight(16, styles=("font-weight: 700", "")) == 4 + 2


class TestBestDivision:
    def test_no_division(self):
        assert best_division(*paragraphs((0, 0, 100, 50), (50, 25, 100, 50))) is None
