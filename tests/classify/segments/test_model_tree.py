"""Tests of segments made of the states of containers."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.marked import by_id
from helpers.painted import painted

from vclean.classify.segments.model import MAIN, METHOD, PART, WHOLE, build_segments
from vclean.classify.segments.optimal_cut import State
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.features.regions.candidates import candidate_regions
from vclean.features.segments.vips.page import VisualPage

HTML = """<body title="0 0 100 100"><div id=head title="0 0 100 20"><p title="0 0 100 10">One</p>
<p title="0 10 100 10">Two</p></div><h1 id=title title="0 20 100 10">Three</h1>
<div id=main title="0 30 100 70"><div id=left title="0 30 50 70"><p title="0 30 50 30">Four</p>
<p title="0 60 50 40">Five</p></div>Six<div id=right title="50 30 50 70"><p title="50 30 50 30">Seven</p>
<img title="50 60 50 40"></div>Eight</div></body>"""


@pytest.fixture
def page():
    return painted(HTML)


def segments(page, main, parts=None):
    """The segments where the containers with the ids `main` are segments, and `parts` in the finer cut."""
    regions = candidate_regions(PageContext(extract_blocks(page)))
    states = [_states(page, regions, names) for names in (main, main if parts is None else parts)]
    return build_segments(VisualPage(page), regions, *states)


def _states(page, regions, names):
    at = [by_id(page, name) for name in names]
    found = []
    for node in regions.node.tolist():
        inside = any(top < node < page.end[top] for top in at)
        found.append(State.AT if node in at else State.BELOW if inside else State.ABOVE)
    return np.array(found, dtype=np.int8)


def words(found):
    return [found.segment_text(leaf) for leaf in found.leaves]


class TestBuild:
    def test_containers_are_segments(self, page):
        found = segments(page, ["head", "title", "main"])
        assert found.method == METHOD
        assert words(found) == ["One Two", "Three", "Four Five Six Seven Eight"]
        assert found.coherence.tolist() == [WHOLE, MAIN, MAIN, MAIN]
        assert found.parent.tolist() == [-1, 0, 0, 0]

    def test_the_finer_cut_lies_in_the_coarser_one(self, page):
        found = segments(page, ["head", "title", "main"], ["head", "title", "left", "right"])
        assert words(found.at(MAIN)) == ["One Two", "Three", "Four Five Six Seven Eight"]
        assert words(found) == ["One Two", "Three", "Four Five", "Six", "Seven", "Eight"]
        assert found.coherence.tolist() == [WHOLE, MAIN, MAIN, MAIN, PART, PART, PART, PART]

    def test_a_text_between_containers_is_a_segment(self, page):
        """As are both that stand in one container, but not side by side."""
        assert words(segments(page, ["left", "right"])) == ["One Two", "Three", "Four Five", "Six", "Seven", "Eight"]

    def test_containers_beside_segments_are_segments(self, page):
        assert words(segments(page, ["head"])) == ["One Two", "Three", "Four Five Six Seven Eight"]

    def test_texts_after_each_other_are_one(self):
        html = '<body title="0 0 9 9">One<br><br>Two<div id=a title="0 5 9 2"><p>Three</p><p>Four</p></div></body>'
        assert words(segments(painted(html), ["a"])) == ["One Two", "Three Four"]

    def test_no_segment_is_the_page(self, page):
        found = segments(page, [])
        assert words(found) == ["One Two Three Four Five Six Seven Eight"]
        assert len(found) == 2

    def test_all_there_is_to_see_is_in_a_leaf(self, page):
        found = segments(page, ["head", "main"], ["head", "left"])
        shown = [row for row, text in enumerate(page.texts) if text.strip()]
        assert set(found.text[shown].tolist()) <= set(found.leaves.tolist())
        image = int(np.flatnonzero(page.is_tag(("img",)))[0])
        assert found.element[image] in found.leaves
        assert (np.delete(found.element, image) == -1).all()

    def test_hidden_text_is_in_none(self):
        html = '<body title="0 0 9 9"><p id=a title="0 0 9 4">One</p><p lang=hidden>Two</p><p title="0 5 9 4">Three'
        assert words(segments(painted(html), ["a"])) == ["One", "Three"]

    def test_boxes(self, page):
        found = segments(page, ["head", "title", "main"], ["head", "title", "left", "right"])
        box = dict(zip(words(found), found.box[found.leaves].tolist(), strict=True))
        assert found.box[0].tolist() == [0, 0, page.width, page.height]
        assert box["One Two"] == [0, 0, 100, 20]
        assert box["Four Five"] == [0, 30, 50, 70]

    def test_it_can_be_written(self, page):
        record = segments(page, ["head", "main"]).to_dict()
        assert [part["text"] for part in record["root"]["segments"]] == [
            "One Two", "Three", "Four Five Six Seven Eight",
        ]  # fmt: skip
        assert not len(segments(page, ["head"]).separators)
