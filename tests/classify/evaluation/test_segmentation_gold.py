from __future__ import annotations

import shapely
from helpers.boxed import boxed

from vclean.classify.corpora.marked import RegionMark, strip_marks
from vclean.classify.evaluation.segmentation import gold_segments
from vclean.labels import Role

HTML = """<html><body><div data-block=1 data-block-type=Header title="0 0 100 20">Site
<ul data-block=2 data-block-type=Menu title="50 0 50 20"><li>Home</ul></div>
<div data-block=1 data-block-type=Content title="0 20 100 80">
<p data-block=2 data-block-type=Article title="0 20 100 30">One</p>
<p data-block=2 data-block-type=Article lang=hidden>Two</p>Rest</div></body></html>"""


def truth(html, level):
    """Return the segments of a level, and the texts in each."""
    stripped, marks = strip_marks(html)
    page = boxed(stripped)
    segments = gold_segments(page, marks, level)
    texts = [
        [" ".join(page.texts[row - len(page)].split()) for row in range(len(page), len(held)) if held[row]]
        for held in segments.members
    ]
    return segments, [[text for text in texts_of_segment if text] for texts_of_segment in texts]


class TestGoldSegments:
    def test_level_1_has_the_regions(self) -> None:
        segments, texts = truth(HTML, 1)
        assert [shape.bounds for shape in segments.shapes] == [(0, 0, 100, 20), (0, 20, 100, 100)]
        assert texts == [["Site", "Home"], ["One", "Two", "Rest"]]

    def test_level_2_has_the_visible_parts(self) -> None:
        segments, texts = truth(HTML, 2)
        assert [shape.bounds for shape in segments.shapes] == [(50, 0, 100, 20), (0, 20, 100, 50)]
        assert texts == [["Home"], ["One"]]

    def test_marks_of_one_level_may_be_nested(self) -> None:
        html = HTML.replace("data-block=2", "data-block=1")
        segments, texts = truth(html, 1)
        assert len(segments) == 4
        assert shapely.covers(segments.shapes[0], segments.shapes[1])
        assert texts[1] == ["Home"]

    def test_without_marks_of_the_level(self) -> None:
        assert len(truth(HTML, 3)[0]) == 0

    def test_marks_missing_from_the_page(self) -> None:
        page = boxed("<body><p>One</p></body>")
        marks = [RegionMark("/html[1]/body[1]/p[2]", Role.AD, 1), RegionMark("/html[1]/body[1]/p[1]", Role.ARTICLE, 1)]
        assert len(gold_segments(page, marks, 1)) == 1
