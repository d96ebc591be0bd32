"""Test VIPS as a whole: the content structure it builds."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot
from helpers.painted import painted
from hypothesis import given, settings
from hypothesis import strategies as st

from vclean.errors import UsageError
from vclean.features.segments.vips.algorithm import best_division, detect, segment
from vclean.features.segments.vips.page import VisualPage

PAGE = """
<header title='0 0 1000 80' style='background-color: rgb(0, 0, 90)'><h1 title='20 20 300 40'>Title</h1>
  <p title='20 70 300 10'>of the site</header>
<nav title='0 100 200 600'><ul title='0 100 200 600'><li title='0 100 200 20'>Home
  <li title='0 130 200 20'>News</ul></nav>
<main title='300 100 700 600'><h2 title='300 100 700 30' style='font-size: 24px'>Heading</h2>
  <p title='300 150 700 200'>First paragraph<p title='300 360 700 200'>Second paragraph</main>
<footer title='0 900 1000 40'><p title='0 900 1000 20'>Imprint<p title='0 922 1000 18'>Contact</footer>
"""
SIDES = (st.integers(0, 90), st.integers(0, 90), st.integers(1, 60), st.integers(1, 40))
"""x, y, width and height of a box in tens of px."""


class TestSegment:
    def test_regions_of_a_page(self):
        segments = segment(painted(PAGE)).at(4)
        assert [segments.segment_text(leaf) for leaf in segments.leaves.tolist()] == [
            "Title of the site", "Home News", "Heading First paragraph Second paragraph", "Imprint Contact",
        ]  # fmt: skip

    def test_page_without_visible_content(self):
        segments = segment(painted("<p></p>"))
        assert (len(segments), len(segments.separators)) == (1, 0)

    def test_rejects_unrendered_page(self):
        with pytest.raises(UsageError, match="was not rendered: render it first"):
            segment(snapshot("<p>text"))


class TestAnyPage:
    """Properties of any layout."""

    BOXES = st.lists(st.tuples(*SIDES, st.integers(0, 2), st.booleans()), min_size=1, max_size=14)

    def html(self, boxes):
        """Return paragraphs, some of them in containers that their siblings close."""
        parts = []
        for number, (x, y, width, height, nesting, dark) in enumerate(boxes):
            box = f"{10 * x} {10 * y} {10 * width} {10 * height}"
            style = "background-color: rgb(0, 0, 0)" if dark else ""
            close = "</div>" * nesting
            parts.append("<div>" * nesting + f"<p title='{box}' style='{style}'>text {number}</p>" + close)
        return "<section>" + "".join(parts) + "</section>"

    @settings(max_examples=40)
    @given(BOXES)
    def test_invariants(self, boxes):
        """Check that each visible text is in one leaf, that segments are nested, and that a larger degree refines them.

        The content of the page can overflow its box.
        """
        page = painted(self.html(boxes))
        segments = segment(page)
        assert segments.to_dict() == segment(page).to_dict()
        owners = segments.text[[row for row, text in enumerate(page.texts) if text.strip()]]
        assert set(owners.tolist()) == set(segments.leaves.tolist())
        assert (segments.coherence[1:] >= segments.coherence[segments.parent[1:]]).all()
        assert 1 == segments.coherence.min() <= segments.coherence.max() <= 11
        inner = np.flatnonzero(segments.parent > 0)
        box, around = segments.box[inner], segments.box[segments.parent[inner]]
        assert (box[:, :2] >= around[:, :2]).all()
        assert (box[:, :2] + box[:, 2:] <= around[:, :2] + around[:, 2:]).all()
        counts = [len(segments.at(pdoc).leaves) for pdoc in range(1, 12)]
        assert counts == sorted(counts)
        assert counts[0] == 1


GREY = "background-color: rgb(200, 200, 200)"


def paragraphs(*boxes, styles=()):
    """Return a page of paragraphs with these boxes and styles, and their nodes."""
    styles = [*styles, *[""] * (len(boxes) - len(styles))]
    pairs = zip(boxes, styles, strict=True)
    html = "".join(f"<p title='{' '.join(map(str, box))}' style='{style}'>text" for box, style in pairs)
    page = VisualPage(painted(html))
    return page, np.flatnonzero(page.snapshot.is_tag(("p",))).tolist()


class TestDetect:
    @settings(max_examples=40)
    @given(
        st.lists(st.tuples(*SIDES).map(lambda box: tuple(side * 10 for side in box)), min_size=1, max_size=12),
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
    @pytest.mark.parametrize(
        ("styles", "weight"),
        [
            ((), 4 - 2),  # two texts in one font
            (("font-size: 24px",), 4 + 2),
            (("font-weight: 700",), 4 + 2),
            (("", "font-size: 24px"), 4 + 4),  # a heading begins what is below it
            ((GREY,), 4 + 2 - 2),
        ],
    )
    def test_fonts_and_backgrounds_of_both_sides(self, styles, weight):
        page, nodes = paragraphs((0, 0, 100, 50), (0, 66, 100, 50), styles=styles)
        (separator,) = detect(page, nodes, vertical=False).separators
        assert separator.weight == weight


class TestBestDivision:
    def test_no_division(self):
        assert best_division(*paragraphs((0, 0, 100, 50), (50, 25, 100, 50))) is None
