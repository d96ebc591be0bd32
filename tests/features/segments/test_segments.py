"""Test segments: the tree, the permitted degree of coherence, and the nodes in the document."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.painted import painted

from vclean.errors import UsageError
from vclean.features.segments.vips import segment


@pytest.fixture
def tree():
    """Return a page with two leaves."""
    return segment(painted("<p title='0 0 100 40'>one\n  two<p title='0 500 100 40'>three"))


class TestTree:
    def test_length_and_repr(self, tree):
        assert len(tree) == 3
        assert repr(tree) == "<Segments 'https://example.org/dir/page.html': 3 segments, 2 of them leaves>"


class TestAt:
    def test_degree_1_gives_the_page(self, tree):
        cut = tree.at(1)
        assert (len(tree.separators), len(cut.separators), len(cut)) == (1, 0, 1)
        assert cut.text.tolist() == [0, 0]

    @pytest.mark.parametrize("pdoc", [0, 12, -1])
    def test_rejects_degree_out_of_range(self, tree, pdoc):
        with pytest.raises(UsageError, match=f"must be 1 to 11, not {pdoc}"):
            tree.at(pdoc)


class TestRoots:
    """Fewest nodes of the document that contain a segment and nothing else."""

    @pytest.mark.parametrize(
        ("owners", "expected"),
        [
            ([2, 2, 2, 1], ["/html[1]/body[1]/div[1]"]),
            ([1, 2, 2, 2], [f"/html[1]/body[1]/{path}" for path in ("div[1]/b[1]", "div[1]/text()[2]", "p[1]")]),
        ],
    )
    def test_text_follows_the_element_before_it(self, tree, owners, expected):
        page = painted("<div>one<b>two</b>three</div><p>four")
        owned = replace(tree, snapshot=page, text=np.array(owners), element=np.full(len(page), -1))
        assert [owned.xpath(node) for node in owned.roots[2]] == expected


class TestSegmentText:
    def test_collapses_white_space(self, tree):
        assert tree.segment_text(1) == "one two"
