from __future__ import annotations

import numpy as np
from helpers.pages import context_of
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.regions.candidates import blocks_before, candidate_regions, regions_at

PAGE = """<body><div id=outer><div id=inner><h1>Title</h1><div id=text><p>One</p><p>Two</p></div></div></div>
<div id=foot><div>End</div><img src=a.png></div></body>"""


def element(page, name):
    return next(node for node, value in page.attributes("id").items() if value == name)


class TestCandidates:
    def test_a_page_without_text(self):
        regions = candidate_regions(context_of("<div><img src=a.png></div>"))
        assert len(regions) == len(regions.block_region) == len(regions.parent) == 0

    @given(st.lists(st.sampled_from(["<div>", "</div>", "<p>word</p>", "text", "<ul>", "</ul>"]), max_size=30))
    def test_every_block_is_in_all_enclosing_regions(self, parts):
        regions = candidate_regions(context_of("<body>start" + "".join(parts)))
        for block in range(len(regions.block_region)):
            region = int(regions.block_region[block])
            while region >= 0:
                assert regions.first[region] <= block < regions.last[region]
                region = int(regions.parent[region])
        assert (regions.parent < np.arange(len(regions))).all()


class TestRegionsAt:
    def test_nested_elements_with_the_same_blocks(self):
        page = context_of(PAGE)
        regions = regions_at(page, np.array([element(page.snapshot, "inner")], dtype=np.int32))
        assert (regions.first.tolist(), regions.last.tolist()) == ([0], [3])
        assert regions.enclosing.tolist() == [0]


class TestBlocksBefore:
    def test_counts_blocks_that_begin_before_the_element(self):
        page = context_of(
            "<html><body><p id=one>One <b id=two>two</b></p><img id=three><p id=four>Three</p><hr id=five>"
        )
        counts = blocks_before(page)
        assert [int(counts[element(page.snapshot, name)]) for name in ("one", "two", "three", "four", "five")] == [
            0, 1, 1, 1, 2
        ]  # fmt: skip
