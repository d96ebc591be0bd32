"""Test VIPS: the properties of a page that it reads, its rules, and the content structure it builds."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot
from helpers.painted import node, painted, text_node
from hypothesis import given, settings
from hypothesis import strategies as st

from vclean.errors import UsageError
from vclean.features.segments.vips import best_division, detect, extract_visual_blocks, segment
from vclean.features.segments.vips_page import VisualPage, stands_out


def page_of(html):
    return VisualPage(painted(html))


class TestExtent:
    """Box that a node paints."""

    def test_floats_in_a_container_without_height(self):
        page = page_of("<div title='0 0 900 0'><p title='0 0 100 40'>one<p title='200 0 100 60'>two</div>")
        assert page.extent[node(page.snapshot, "div")] == (0, 0, 900, 60)

    def test_size_is_a_share_of_the_page(self):
        page = page_of("<p title='0 0 500 200'>text")
        assert page.size[node(page.snapshot, "p")] == pytest.approx(0.1)


class TestBackground:
    @pytest.mark.parametrize(
        ("one", "other", "expected"),
        [
            ((9, 9, 9, ""), (9, 9, 9, ""), False),
            ((9, 9, 9, ""), (10, 10, 10, ""), False),
            ((9, 9, 9, ""), (9, 30, 9, ""), True),
            ((9, 9, 9, ""), (9, 9, 9, "url(a.png)"), True),
        ],
    )
    def test_stands_out(self, one, other, expected):
        assert stands_out(one, other) is expected


class TestFonts:
    def test_mean_of_a_text_and_of_an_element(self):
        page = page_of("<p>a<b style='font-weight: 700'>b</b>")
        assert page.fonts[text_node(page.snapshot, "b")] == (16, 700, True)
        assert page.fonts[node(page.snapshot, "p")] == (16, 550, False)

    def test_none_without_text(self):
        page = page_of("<div><img title='0 0 9 9'></div><p>text")
        assert page.fonts[node(page.snapshot, "div")] is None


SMALL, LARGE = 0.5, 0.001
"""Thresholds above and below the sizes of the blocks of these pages."""
TWO = "<p title='0 0 100 50'>one<p title='0 60 100 50'>two"
"""Container with two small blocks."""
ROW = f"<td title='0 0 50 50' style='background-color: rgb(0, 0, 0)'>{TWO}<td title='50 0 50 50'>{TWO}</table>"
"""Cells of a table, the first one with a background of its own."""


def coherences(page, threshold):
    """Return the degrees of coherence of the blocks of a page by node."""
    return extract_visual_blocks(page, [0], threshold)


class TestExtractVisualBlocks:
    @pytest.mark.parametrize(
        ("html", "tag", "threshold", "expected"),
        [
            ("<main>text</main>", "main", LARGE, 10),  # rule 4
            ("<div>one <a style='font-weight: 700'>two</a></div>", "div", LARGE, 9),  # rule 4, in two fonts
            ("<p style='display: inline' title='0 0 9 9'>one<a style='display: block' title='0 0 9 9'>two</a>", "p",
             SMALL, None),  # rule 5, also of paragraphs
            (f"<main title='0 0 100 110'>{TWO}<hr title='0 55 100 2'></main>", "main", SMALL, None),  # rule 6
            (f"<main title='0 0 100 60'>{TWO}</main>", "main", SMALL, None),  # rule 7
            (f"<main title='0 0 300 300'>{TWO}</main>", "main", SMALL, 6),  # rule 10
            (f"<main title='0 0 300 300'>{TWO}</main>", "main", LARGE, None),  # rule 12
            ("<p title='0 0 100 100'>one<img title='0 0 50 50'>", "p", 0.0101, 8),  # rule 10, of a text-like node
            (f"<table><tr title='0 0 100 50'>{ROW}", "tr", SMALL, None),  # rule 8 divides the row,
            (f"<table><tr title='0 0 900 900'>{ROW}", "td", LARGE, 7),  # but not its cell
            (f"<table><tr title='0 0 900 900'>{ROW}", "td", SMALL, 8),  # a small one has a higher degree
            (f"<table title='0 0 900 900'><tbody title='0 0 900 400' style='background-color: rgb(0, 0, 0)'>"
             f"<tr>{TWO}</tbody><tbody title='0 400 900 400'><tr>{TWO}</table>", "tbody", LARGE, 6),  # nor a large part
            (f"<table><tr><td title='0 0 900 900'>{TWO}<td>x</table>", "td", LARGE, 7),  # rule 13
            (f"<table title='0 0 900 900'><tbody title='0 0 900 900'><tr>{TWO}</tbody><tbody><tr><td>x</table>",
             "table", LARGE, 5),  # rule 13
        ],
    )  # fmt: skip
    def test_degree_of_coherence(self, html, tag, threshold, expected):
        page = VisualPage(painted(html))
        assert coherences(page, threshold).get(node(page.snapshot, tag)) == expected

    def test_thresholds_do_not_change_later_rounds(self):
        page = VisualPage(painted(f"<main title='0 0 300 300'>{TWO}</main>"))
        first, second, third = (coherences(page, threshold) for threshold in (LARGE, SMALL, LARGE))
        assert first == third != second

    def test_a_single_root_is_divided(self):
        page = VisualPage(painted(f"<main title='0 0 300 300'>{TWO}</main>"))
        main = node(page.snapshot, "main")
        assert list(extract_visual_blocks(page, [main], SMALL)) == page.children[main]

    def test_texts_and_images_are_blocks(self):
        page = VisualPage(painted("<div>one<img title='0 0 90 90'><p>two</div>"))
        nodes = text_node(page.snapshot, "one"), node(page.snapshot, "img"), node(page.snapshot, "p")
        assert list(coherences(page, 0).items()) == list(zip(nodes, (10, 8, 10), strict=True))


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
        strips, separators = detect(page, nodes, vertical=vertical)
        assert sorted(node for strip in strips for node in strip) == nodes
        assert len(strips) == len(separators) + 1
        low, high, side = (0, 2, 0) if vertical else (1, 3, 1)
        for number, separator in enumerate(separators):
            begin, end = separator.box[side], separator.box[side] + separator.box[side + 2]
            assert all(page.extent[node][high] <= begin for strip in strips[: number + 1] for node in strip)
            assert all(page.extent[node][low] >= end for strip in strips[number + 1 :] for node in strip)


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
        _, (separator,) = detect(page, nodes, vertical=False)
        assert separator.weight == weight


class TestBestDivision:
    def test_no_division(self):
        assert best_division(*paragraphs((0, 0, 100, 50), (50, 25, 100, 50))) is None
