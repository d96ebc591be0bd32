from __future__ import annotations

import numpy as np
from helpers.boxed import boxed

from vclean.classify.evaluation.segmentation import DEPTHS, Nodes, segment_at_depth, whole_page

PAGE = """<body><header title="0 0 100 10"><b title="0 0 40 10">Site</b> slogan <img title="90 0 10 10"></header>
<main title="0 10 100 80"><p title="0 10 100 40">First</p><p title="0 50 100 40">Second
<i title="40 50 20 10">word</i></p></main><aside lang=hidden>Hidden</aside>Loose</body>"""


def texts(html, depth):
    """Return the texts in each segment."""
    page = boxed(html)
    result = []
    for held in segment_at_depth(page, depth).members:
        rows = np.flatnonzero(held[len(page) :])
        result.append([" ".join(page.texts[row].split()) for row in rows if page.texts[row].strip()])
    return result


class TestWholePage:
    def test_one_segment_with_all_nodes(self) -> None:
        page = boxed(PAGE)
        result = whole_page(page)
        assert [shape.bounds for shape in result.shapes] == [(0, 0, 100, 100)]
        assert result.members.shape == (1, len(Nodes(page)))
        assert result.members.all()


class TestSegmentAtDepth:
    def test_children_of_the_body(self) -> None:
        """Check that loose nodes of the body are one segment, and hidden nodes none."""
        assert texts(PAGE, 1) == [["Loose"], ["Site", "slogan"], ["First", "Second", "word"]]

    def test_deeper_level(self) -> None:
        """Check that the image, which has no text, is a segment."""
        assert texts(PAGE, 2) == [["Loose"], ["slogan"], ["Site"], [], ["First"], ["Second", "word"]]

    def test_loose_nodes_above_the_depth_are_one_segment(self) -> None:
        """Check the segment of the text in the header and the image beside it."""
        page = boxed(PAGE)
        loose = segment_at_depth(page, 3).members[1]
        assert loose[: len(page)].sum() == loose[len(page) :].sum() == 1

    def test_deepest_level(self) -> None:
        assert texts(PAGE, 16) == [["Loose"], ["slogan"], ["Site"], ["First"], ["Second"], ["word"]]

    def test_shapes(self) -> None:
        page = boxed(PAGE)
        bounds = [shape.bounds for shape in segment_at_depth(page, 2).shapes]
        assert bounds[2:] == [(0, 0, 40, 10), (90, 0, 100, 10), (0, 10, 100, 50), (0, 50, 100, 90)]

    def test_images_are_segments(self) -> None:
        page = boxed('<body><div title="0 0 50 50"><img title="0 0 9 9"><img title="20 20 9 9"></div></body>')
        assert len(segment_at_depth(page, 1)) == 1
        assert [shape.bounds for shape in segment_at_depth(page, 2).shapes] == [(0, 0, 9, 9), (20, 20, 29, 29)]

    def test_segments_do_not_share_text(self) -> None:
        page = boxed(PAGE)
        for depth in DEPTHS:
            held = segment_at_depth(page, depth).members[:, len(page) :]
            shown = Nodes(page).shown[len(page) :]
            assert (held[:, shown].sum(axis=0) == 1).all(), depth

    def test_empty_page(self) -> None:
        page = boxed("<body></body>")
        assert len(segment_at_depth(page, 1)) <= 1
