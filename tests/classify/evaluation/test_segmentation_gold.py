from __future__ import annotations

import shapely
from helpers.boxed import boxed

from vclean.classify.corpora.marked import RegionMark, strip
from vclean.classify.evaluation.segmentation import gold_segments
from vclean.labels import Role

HTML = """<html><body><div data-block=1 data-block-type=Header title="0 0 100 20">Site
<ul data-block=2 data-block-type=Menu title="50 0 50 20"><li>Home</ul></div>
<div data-block=1 data-block-type=Content title="0 20 100 80">
<p data-block=2 data-block-type=Article title="0 20 100 30">One</p>
<p data-block=2 data-block-type=Article lang=hidden>Two</p>Rest</div></body></html>"""


def truth(html, level):
    """The segments of a level, and the texts in each."""
    stripped, marks = strip(html)
    page = boxed(stripped)
    found = gold_segments(page, marks, level)
    texts = [
        [" ".join(page.texts[row - len(page)].split()) for row in range(len(page), len(held)) if held[row]]
        for held in found.holds
    ]
    return found, [[text for text in own if text] for own in texts]


class TestGoldSegments:
    def test_regions(self) -> None:
        found, texts = truth(HTML, 1)
        assert [shape.bounds for shape in found.shapes] == [(0, 0, 100, 20), (0, 20, 100, 100)]
        assert texts == [["Site", "Home"], ["One", "Two", "Rest"]]

    def test_parts_and_nothing_hidden(self) -> None:
        found, texts = truth(HTML, 2)
        assert [shape.bounds for shape in found.shapes] == [(50, 0, 100, 20), (0, 20, 100, 50)]
        assert texts == [["Home"], ["One"]]

    def test_marks_of_one_level_may_lie_in_each_other(self) -> None:
        html = HTML.replace("data-block=2", "data-block=1")
        found, texts = truth(html, 1)
        assert len(found) == 4
        assert shapely.covers(found.shapes[0], found.shapes[1])
        assert texts[1] == ["Home"]

    def test_no_marks_of_the_level(self) -> None:
        assert len(truth(HTML, 3)[0]) == 0

    def test_marks_that_are_not_on_the_page(self) -> None:
        page = boxed("<body><p>One</p></body>")
        marks = [RegionMark("/html[1]/body[1]/p[2]", Role.AD, 1), RegionMark("/html[1]/body[1]/p[1]", Role.ARTICLE, 1)]
        assert len(gold_segments(page, marks, 1)) == 1
