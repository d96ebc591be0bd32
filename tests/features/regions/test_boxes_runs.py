from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import context_of

from vclean.features.matrix import block_values
from vclean.features.regions.candidates import candidate_regions
from vclean.features.regions.columns import RegionSums

PAGE = "<html><body><nav><a href=x>One</a></nav><div><section><h1>Two words</h1><p>Three</p></section><img></div>"
"""Page with three blocks; the candidates are the page, `nav`, `div` (with `section`), `h1` and `p`."""


@pytest.fixture(scope="module")
def run():
    page = context_of(PAGE)
    return RegionSums(candidate_regions(page), block_values(page))


class TestBlockSum:
    def test_over_the_blocks_of_each_region(self, run):
        assert run.block_sum(np.array([1, 10, 100])).tolist() == [111, 1, 110, 10, 100]

    def test_several_rows(self, run):
        sums = run.block_sum(np.array([[True, False, True], [False, True, True]]))
        assert sums.dtype == np.float64
        assert sums.tolist() == [[2, 1, 1, 0, 1], [2, 0, 2, 1, 1]]


class TestEnclosing:
    def test_sums_over_the_enclosing_region(self, run):
        assert run.enclosing_sum(np.array([1, 10, 100])).tolist() == [111, 111, 111, 110, 110]

    def test_blocks_of_the_enclosing_region(self, run):
        assert run.enclosing_blocks.tolist() == [3, 3, 3, 2, 2]


class TestMeans:
    def test_weighted_by_words(self, run):
        means = run.means(["link_share", "heading_level"])
        assert means["link_share"] == pytest.approx([1 / 4, 1, 0, 0, 0], abs=1e-3)
        assert means["heading_level"] == pytest.approx([2 / 4, 0, 2 / 3, 1, 0], abs=1e-3)

    def test_nan_without_values(self, run):
        assert np.isnan(run.means(["font_size"])["font_size"]).all()


class TestElements:
    def test_several_sets_of_tags(self, run):
        assert run.elements([("img",), ("h1", "p"), ("a",)]).tolist() == [
            [1, 0, 1, 0, 0],
            [2, 0, 2, 1, 1],
            [1, 1, 0, 0, 0],
        ]


class TestBitsInChain:
    def test_all_elements_with_the_same_blocks(self, run):
        snapshot = run.regions.snapshot
        bit = {"html": 1, "body": 2, "nav": 4, "a": 8, "div": 16, "section": 32, "img": 64}
        bits = np.array([bit.get(tag, 0) for tag in snapshot.tags], dtype=np.uint64)[snapshot.tag]
        # the link is inline: the text in it is a block of `nav`
        assert run.bits_in_chain(bits).tolist() == [1 | 2, 4, 16 | 32, 0, 0]
