"""Test segments built from the states of containers."""

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
    """Build segments from containers by id: `main` are the main segments, `parts` those of the finer level."""
    regions = candidate_regions(PageContext(extract_blocks(page)))
    states = [_states(page, regions, names) for names in (main, main if parts is None else parts)]
    return build_segments(VisualPage(page), regions, *states)


def _states(page, regions, names):
    nodes = [by_id(page, name) for name in names]
    states = []
    for node in regions.node.tolist():
        inside = any(top < node < page.end[top] for top in nodes)
        states.append(State.AT if node in nodes else State.BELOW if inside else State.ABOVE)
    return np.array(states, dtype=np.int8)


def words(page_segments):
    return [page_segments.segment_text(leaf) for leaf in page_segments.leaves]


class TestBuildSegments:
    def test_containers_become_segments(self, page):
        page_segments = segments(page, ["head", "title", "main"])
        assert page_segments.method == METHOD
        assert words(page_segments) == ["One Two", "Three", "Four Five Six Seven Eight"]
        assert page_segments.coherence.tolist() == [WHOLE, MAIN, MAIN, MAIN]
        assert page_segments.parent.tolist() == [-1, 0, 0, 0]

    def test_parts_are_inside_main_segments(self, page):
        page_segments = segments(page, ["head", "title", "main"], ["head", "title", "left", "right"])
        assert words(page_segments.at(MAIN)) == ["One Two", "Three", "Four Five Six Seven Eight"]
        assert words(page_segments) == ["One Two", "Three", "Four Five", "Six", "Seven", "Eight"]
        assert page_segments.coherence.tolist() == [WHOLE, MAIN, MAIN, MAIN, PART, PART, PART, PART]

    def test_text_between_containers_is_a_segment(self, page):
        """Check two texts in one container that are not adjacent."""
        assert words(segments(page, ["left", "right"])) == ["One Two", "Three", "Four Five", "Six", "Seven", "Eight"]

    def test_siblings_of_segments_are_segments(self, page):
        assert words(segments(page, ["head"])) == ["One Two", "Three", "Four Five Six Seven Eight"]

    def test_consecutive_texts_are_one_segment(self):
        html = '<body title="0 0 9 9">One<br><br>Two<div id=a title="0 5 9 2"><p>Three</p><p>Four</p></div></body>'
        assert words(segments(painted(html), ["a"])) == ["One Two", "Three Four"]

    def test_page_without_segments(self, page):
        page_segments = segments(page, [])
        assert words(page_segments) == ["One Two Three Four Five Six Seven Eight"]
        assert len(page_segments) == 2

    def test_all_visible_nodes_are_in_leaves(self, page):
        page_segments = segments(page, ["head", "main"], ["head", "left"])
        shown = [row for row, text in enumerate(page.texts) if text.strip()]
        assert set(page_segments.text[shown].tolist()) <= set(page_segments.leaves.tolist())
        image = int(np.flatnonzero(page.is_tag(("img",)))[0])
        assert page_segments.element[image] in page_segments.leaves
        assert (np.delete(page_segments.element, image) == -1).all()

    def test_hidden_text_is_in_no_segment(self):
        html = '<body title="0 0 9 9"><p id=a title="0 0 9 4">One</p><p lang=hidden>Two</p><p title="0 5 9 4">Three'
        assert words(segments(painted(html), ["a"])) == ["One", "Three"]

    def test_boxes(self, page):
        page_segments = segments(page, ["head", "title", "main"], ["head", "title", "left", "right"])
        box = dict(zip(words(page_segments), page_segments.box[page_segments.leaves].tolist(), strict=True))
        assert page_segments.box[0].tolist() == [0, 0, page.width, page.height]
        assert box["One Two"] == [0, 0, 100, 20]
        assert box["Four Five"] == [0, 30, 50, 70]

    def test_to_dict(self, page):
        record = segments(page, ["head", "main"]).to_dict()
        assert [part["text"] for part in record["root"]["segments"]] == [
            "One Two", "Three", "Four Five Six Seven Eight",
        ]  # fmt: skip
        assert not len(segments(page, ["head"]).separators)
