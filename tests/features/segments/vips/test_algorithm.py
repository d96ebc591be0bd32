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

    def test_divides_as_far_as_possible(self):
        assert texts(segment(painted(PAGE))) == [
            "Title", "of the site", "Home", "News", "Heading", "First paragraph", "Second paragraph", "Imprint Contact",
        ]  # fmt: skip

    def test_divides_rows_before_columns(self):
        """Check that a column gap that stops at header and footer is used only within its row."""
        segments = segment(painted(PAGE))
        assert not segments.separators.vertical[segments.separators.segment == 0].any()
        assert segments.separators.vertical.any()

    def test_heaviest_separator_divides_the_largest_segments(self):
        """Check two pairs of paragraphs, close within a pair and far between the pairs."""
        boxes = ["0 0 500 40", "0 50 500 40", "0 190 500 40", "0 240 500 40"]
        html = "".join(f"<p title='{box}'>{name}" for box, name in zip(boxes, "abcd", strict=True))
        segments = segment(painted(html))
        pairs = [row for row, above in enumerate(segments.parent.tolist()) if above == 0]
        assert [segments.segment_text(row) for row in pairs] == ["a b", "c d"]

    def test_equal_separators_divide_at_once(self):
        html = "".join(f"<p title='0 {50 * number} 500 20'>{number}" for number in range(5))
        segments = segment(painted(html))
        assert segments.parent.tolist() == [-1, 0, 0, 0, 0, 0]
        assert len(segments.separators) == 4

    def test_box_is_the_painted_box(self):
        segments = segment(painted(PAGE)).at(4)
        assert segments.box[segments.leaves].tolist() == [
            [0, 0, 1000, 80], [0, 100, 200, 50], [300, 100, 700, 460], [0, 900, 1000, 40],
        ]  # fmt: skip

    def test_first_segment_is_the_page(self):
        assert segment(painted(PAGE)).box[0].tolist() == [0, 0, 1000, 1000]

    def test_separators_have_boxes_and_weights(self):
        separators = segment(painted(PAGE)).separators
        assert [0, 560, 1000, 340] in separators.box.tolist()
        assert separators.weight.max() >= 12

    def test_images_are_segments(self):
        segments = segment(painted("<img title='0 0 400 300'><p title='0 400 400 30'>Caption"))
        assert [segments.xpath(root) for leaf in segments.leaves for root in segments.roots[leaf]] == [
            "/html[1]/body[1]/img[1]", "/html[1]/body[1]/p[1]",
        ]  # fmt: skip
        assert (segments.element >= 0).sum() == 1

    def test_inline_pieces_of_a_line_stay_together(self):
        """Check that overlapping boxes are not divided."""
        html = "<div title='0 0 500 40'>before <b>bold</b> after</div><p title='0 300 500 40'>next"
        assert texts(segment(painted(html))) == ["before bold after", "next"]

    def test_overlapping_blocks_are_divided_separately(self):
        """Check that two overlapping boxes are not separated, but each is divided."""
        html = (
            "<div title='0 0 600 300'><p title='0 0 200 40'>a<p title='0 200 200 40'>b</div>"
            "<div title='300 100 600 300'><p title='400 0 200 40'>c<p title='400 200 200 40'>d</div>"
        )
        assert sorted(texts(segment(painted(html)))) == ["a", "b", "c", "d"]

    def test_hidden_nodes_are_in_no_segment(self):
        segments = segment(painted("<p title='0 0 100 20'>seen<p title='0 60 100 20' lang=hidden>unseen<p>seen"))
        assert [text for text, owner in zip(segments.snapshot.texts, segments.text, strict=True) if owner < 0] == [
            "unseen"
        ]

    def test_includes_content_outside_the_page(self):
        html = "<p title='0 0 100 20'>on<p title='2000 3000 100 20'>off"
        assert texts(segment(painted(html))) == ["on", "off"]

    def test_page_without_visible_content(self):
        segments = segment(painted("<p></p>"))
        assert (len(segments), len(segments.separators)) == (1, 0)

    def test_deep_nesting(self):
        html = "<div>" * 300 + "<p title='0 0 100 20'>a<p title='0 90 100 20'>b" + "</div>" * 300
        assert texts(segment(painted(html))) == ["a", "b"]

    def test_rejects_unrendered_page(self):
        with pytest.raises(UsageError, match="was not rendered: render it first"):
            segment(snapshot("<p>text"))


class TestCoherence:
    """Degrees of coherence in the tree."""

    def test_root_is_one(self):
        assert segment(painted(PAGE)).coherence[0] == 1

    def test_the_heaviest_separator_makes_the_least_coherent_segment(self):
        segments = segment(painted(PAGE))
        heaviest = segments.separators.segment[np.argmax(segments.separators.weight)]
        assert segments.coherence[heaviest] == 1

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
