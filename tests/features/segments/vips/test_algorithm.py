"""Test VIPS as a whole: the content structure it builds."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot
from helpers.painted import painted
from hypothesis import given, settings
from hypothesis import strategies as st

from vclean.errors import UsageError
from vclean.features.segments.vips.algorithm import THRESHOLDS, segment

PAGE = """
<header title='0 0 1000 80' style='background-color: rgb(0, 0, 90)'><h1 title='20 20 300 40'>Title</h1>
  <p title='20 70 300 10'>of the site</header>
<nav title='0 100 200 600'><ul title='0 100 200 600'><li title='0 100 200 20'>Home
  <li title='0 130 200 20'>News</ul></nav>
<main title='300 100 700 600'><h2 title='300 100 700 30' style='font-size: 24px'>Heading</h2>
  <p title='300 150 700 200'>First paragraph<p title='300 360 700 200'>Second paragraph</main>
<footer title='0 900 1000 40'><p title='0 900 1000 20'>Imprint<p title='0 922 1000 18'>Contact</footer>
"""


def texts(segments):
    """Return the text of each leaf."""
    return [segments.segment_text(leaf) for leaf in segments.leaves.tolist()]


class TestSegment:
    def test_regions_of_a_page(self):
        assert texts(segment(painted(PAGE)).at(4)) == [
            "Title of the site", "Home News", "Heading First paragraph Second paragraph", "Imprint Contact",
        ]  # fmt: skip

    def test_page_without_visible_content(self):
        segments = segment(painted("<p></p>"))
        assert (len(segments), len(segments.separators)) == (1, 0)

    def test_rejects_unrendered_page(self):
        with pytest.raises(UsageError, match="was not rendered: render it first"):
            segment(snapshot("<p>text"))


class TestCoherence:
    """Degrees of coherence in the tree."""

    def test_root_is_one(self):
        assert segment(painted(PAGE)).coherence[0] == 1

    def test_thresholds_decrease(self):
        assert list(THRESHOLDS) == sorted(THRESHOLDS, reverse=True)


class TestAnyPage:
    """Properties of any layout."""

    BOXES = st.lists(
        st.tuples(
            st.integers(0, 90),
            st.integers(0, 90),
            st.integers(1, 60),
            st.integers(1, 40),
            st.integers(0, 2),
            st.booleans(),
        ),
        min_size=1,
        max_size=14,
    )

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
    def test_each_visible_text_is_in_one_leaf(self, boxes):
        segments = segment(painted(self.html(boxes)))
        owners = segments.text[[row for row, text in enumerate(segments.snapshot.texts) if text.strip()]]
        assert set(owners.tolist()) == set(segments.leaves.tolist())

    @settings(max_examples=40)
    @given(BOXES)
    def test_coherence_does_not_decrease_from_parent_to_child(self, boxes):
        segments = segment(painted(self.html(boxes)))
        assert (segments.coherence[1:] >= segments.coherence[segments.parent[1:]]).all()
        assert segments.coherence.min() == 1
        assert segments.coherence.max() <= 11

    @settings(max_examples=40)
    @given(BOXES)
    def test_boxes_are_nested(self, boxes):
        """Check that boxes are nested, except in the page's, which content can overflow."""
        segments = segment(painted(self.html(boxes)))
        inner = np.flatnonzero(segments.parent > 0)
        box, around = segments.box[inner], segments.box[segments.parent[inner]]
        assert (box[:, :2] >= around[:, :2]).all()
        assert (box[:, :2] + box[:, 2:] <= around[:, :2] + around[:, 2:]).all()

    @settings(max_examples=40)
    @given(BOXES)
    def test_is_deterministic(self, boxes):
        one, other = segment(painted(self.html(boxes))), segment(painted(self.html(boxes)))
        assert one.to_dict() == other.to_dict()

    @settings(max_examples=40)
    @given(BOXES)
    def test_larger_degree_refines_the_segments(self, boxes):
        segments = segment(painted(self.html(boxes)))
        counts = [len(segments.at(pdoc).leaves) for pdoc in range(1, 12)]
        assert counts == sorted(counts)
        assert counts[0] == 1
