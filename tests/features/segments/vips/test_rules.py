"""Test the thirteen rules of VIPS, each on the smallest page that needs it."""

from __future__ import annotations

import pytest
from helpers.painted import node, painted, text_node

from vclean.features.segments.vips.page import VisualPage
from vclean.features.segments.vips.rules import extract_visual_blocks

SMALL, LARGE = 0.5, 0.001
"""Thresholds above and below the sizes of the blocks of these pages."""
TWO = "<p title='0 0 100 50'>one<p title='0 60 100 50'>two"
"""Container with two small blocks."""
ROW = f"<td title='0 0 50 50' style='background-color: rgb(0, 0, 0)'>{TWO}<td title='50 0 50 50'>{TWO}</table>"
"""Cells of a table, the first one with a background of its own."""


def coherences(page, threshold):
    """Return the degrees of coherence of the blocks of a page by node."""
    return dict(extract_visual_blocks(page, [0], threshold))


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
        assert [block.node for block in extract_visual_blocks(page, [main], SMALL)] == page.children[main]

    def test_texts_and_images_are_blocks(self):
        page = VisualPage(painted("<div>one<img title='0 0 90 90'><p>two</div>"))
        nodes = text_node(page.snapshot, "one"), node(page.snapshot, "img"), node(page.snapshot, "p")
        assert list(coherences(page, 0).items()) == list(zip(nodes, (10, 8, 10), strict=True))
