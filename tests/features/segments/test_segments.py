"""Test segments: the tree, the permitted degree of coherence, and the nodes in the document."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.painted import painted

from vclean.errors import UsageError
from vclean.features.segments.segments import Segments, Separators

HTML = (
    "<div title='0 0 1000 200'><p title='0 0 1000 40'>one<p title='0 50 1000 40'>two</div>"
    "<div title='0 400 1000 200'>three<b>four</b><img title='0 500 90 90'></div>"
)


def segments(html=HTML, **texts):
    """Return segments of a page; each text node with a given word is in the given segment."""
    page = painted(html)
    rows = {row: int(owner) for word, owner in texts.items() for row, text in enumerate(page.texts) if word in text}
    parent = [-1, 0, 1, 1, 0]
    box = np.array([[0, 0, 1000, 1000], [0, 0, 9, 9], [0, 0, 9, 4], [0, 5, 9, 4], [0, 20, 9, 9]], dtype=np.float32)
    return Segments(
        snapshot=page,
        method="test",
        parent=np.array(parent, dtype=np.int32),
        coherence=np.array([1, 4, 9, 10, 8], dtype=np.int32),
        box=box,
        text=np.array([rows.get(row, -1) for row in range(len(page.texts))], dtype=np.int32),
        element=np.where(page.is_tag(("img",)), 4, -1).astype(np.int32),
        node_box=np.concatenate([page.box, np.tile(np.float32([0, 0, 9, 9]), (len(page.texts), 1))]),
        separators=Separators(
            segment=np.array([1, 0], dtype=np.int32),
            vertical=np.array([True, False]),
            box=np.array([[0, 4, 9, 1], [0, 9, 9, 11]], dtype=np.float32),
            weight=np.array([2, 12], dtype=np.int32),
        ),
    )


@pytest.fixture
def tree():
    return segments(one=2, two=3, three=4, four=4)


def paths(tree_segments, row):
    return [tree_segments.xpath(node) for node in tree_segments.roots[row]]


class TestTree:
    def test_length_and_repr(self, tree):
        assert len(tree) == 5
        assert repr(tree) == "<Segments 'https://example.org/dir/page.html': 5 segments, 3 of them leaves>"


class TestAt:
    @pytest.mark.parametrize("pdoc", [0, 12, -1])
    def test_rejects_degree_out_of_range(self, tree, pdoc):
        with pytest.raises(UsageError, match=f"must be 1 to 11, not {pdoc}"):
            tree.at(pdoc)


class TestRoots:
    """Fewest nodes of the document that contain a segment and nothing else."""

    def test_text_follows_the_element_before_it(self):
        html = "<div>one<b>two</b>three</div><p>four"
        tree_segments = segments(html, one=4, two=4, three=4, four=2)
        assert paths(tree_segments, 4) == ["/html[1]/body[1]/div[1]"]
        apart = segments(html, one=2, two=4, three=4, four=4)
        assert paths(apart, 4) == [
            "/html[1]/body[1]/div[1]/b[1]",
            "/html[1]/body[1]/div[1]/text()[2]",
            "/html[1]/body[1]/p[1]",
        ]


class TestSegmentText:
    def test_collapses_white_space(self):
        assert segments("<p>one\n  two", one=2).segment_text(2) == "one two"
