"""Tests of segments: the tree, how far it is cut, and where its nodes are in the document."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.painted import painted

from vclean.errors import UsageError
from vclean.features.segments.segments import Segments, Separators
from vclean.features.segments.vips.algorithm import segment

HTML = (
    "<div title='0 0 1000 200'><p title='0 0 1000 40'>one<p title='0 50 1000 40'>two</div>"
    "<div title='0 400 1000 200'>three<b>four</b><img title='0 500 90 90'></div>"
)


def segments(html=HTML, **texts):
    """Segments of a page: the text nodes that have a word are in the segment given for it."""
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


def paths(found, row):
    return [found.xpath(node) for node in found.roots[row]]


class TestTree:
    def test_ends_and_depths(self, tree):
        assert tree.end.tolist() == [5, 4, 3, 4, 5]
        assert tree.depth.tolist() == [0, 1, 2, 2, 1]

    def test_leaves_are_the_flat_cut(self, tree):
        assert tree.leaves.tolist() == [2, 3, 4]

    def test_length_and_repr(self, tree):
        assert len(tree) == 5
        assert repr(tree) == "<Segments 'https://example.org/dir/page.html': 5 segments, 3 of them leaves>"


class TestAt:
    def test_one_leaves_the_page(self, tree):
        cut = tree.at(1)
        assert len(cut) == 1
        assert len(cut.separators) == 0
        assert set(cut.text[cut.text >= 0].tolist()) == {0}

    def test_what_coheres_enough_is_not_cut(self, tree):
        cut = tree.at(4)
        assert cut.parent.tolist() == [-1, 0, 0]
        assert cut.coherence.tolist() == [1, 4, 8]
        assert cut.segment_text(1) == "one two"

    def test_what_does_not_is(self, tree):
        cut = tree.at(5)
        assert cut.parent.tolist() == [-1, 0, 1, 1, 0]

    def test_numbers_move_up(self, tree):
        cut = tree.at(4)
        assert cut.segment_text(2) == "three four"
        assert cut.element.max() == 2

    def test_separators_inside_go(self, tree):
        assert tree.at(4).separators.weight.tolist() == [12]
        assert tree.at(5).separators.segment.tolist() == [1, 0]

    def test_cutting_again_changes_nothing(self, tree):
        once = tree.at(4)
        assert once.at(4).to_dict() == once.to_dict()

    @pytest.mark.parametrize("pdoc", [0, 12, -1])
    def test_out_of_range(self, tree, pdoc):
        with pytest.raises(UsageError, match=f"has to be 1 to 11, not {pdoc}"):
            tree.at(pdoc)


class TestRoots:
    """The fewest nodes of the document that hold a segment and nothing else."""

    def test_the_page(self, tree):
        assert paths(tree, 0) == ["/html[1]"]

    def test_an_element_that_holds_all_of_it(self, tree):
        assert paths(tree, 1) == ["/html[1]/body[1]/div[1]"]
        assert paths(tree, 2) == ["/html[1]/body[1]/div[1]/p[1]"]
        assert paths(tree, 4) == ["/html[1]/body[1]/div[2]"]

    def test_several_nodes_in_document_order(self):
        """What shares an element with other segments is named by itself, texts too."""
        found = segments(one=2, two=4, three=4, four=3)
        assert paths(found, 4) == [
            "/html[1]/body[1]/div[1]/p[2]", "/html[1]/body[1]/div[2]/text()[1]", "/html[1]/body[1]/div[2]/img[1]",
        ]  # fmt: skip

    def test_text_behind_an_element_comes_behind_it(self):
        html = "<div>one<b>two</b>three</div><p>four"
        found = segments(html, one=4, two=4, three=4, four=2)
        assert paths(found, 4) == ["/html[1]/body[1]/div[1]"]
        apart = segments(html, one=2, two=4, three=4, four=4)
        assert paths(apart, 4) == [
            "/html[1]/body[1]/div[1]/b[1]",
            "/html[1]/body[1]/div[1]/text()[2]",
            "/html[1]/body[1]/p[1]",
        ]

    def test_what_cannot_be_seen_is_passed_over(self):
        """An element with hidden text in it is still the root of what can be seen in it."""
        found = segments("<div>one<p lang=hidden>unseen</div><p>two", one=2, two=3)
        assert paths(found, 2) == ["/html[1]/body[1]/div[1]"]

    def test_a_segment_without_nodes(self):
        assert segments(one=2, two=3, three=3, four=3).roots[4] != []
        assert segments("<p>one", one=2).roots[3] == []

    def test_roots_hold_the_segment(self):
        """Of every segment of a real cut, as text."""
        html = "".join(
            f"<section><h2 title='0 {n}00 900 20'>h{n}</h2>t{n}<p title='0 {n}50 900 20'>p{n}</section>" for n in "1368"
        )
        found = segment(painted(html))
        for row, roots in enumerate(found.roots):
            inside = {root for root in roots if root < len(found.snapshot)}
            held = {
                text
                for text, parent in enumerate(found.snapshot.text_parent.tolist())
                if found.text[text] >= 0
                and (inside & set(found.snapshot.ancestors(parent)) or text + len(found.snapshot) in roots)
            }
            owned = {text for text, owner in enumerate(found.text.tolist()) if row <= owner < found.end[row]}
            assert held == owned


class TestXpath:
    def test_texts_are_numbered_among_texts(self, tree):
        page = painted("<p>one<b>two</b>three")
        row = next(row for row, text in enumerate(page.texts) if text == "three")
        assert replace(tree, snapshot=page).xpath(len(page) + row) == "/html[1]/body[1]/p[1]/text()[2]"


class TestWords:
    def test_white_space_is_collapsed(self):
        assert segments("<p>one\n  two", one=2).segment_text(2) == "one two"

    def test_of_all_that_is_inside(self, tree):
        assert tree.segment_text(1) == "one two"
        assert tree.segment_text(0) == "one two three four"
