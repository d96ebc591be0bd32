from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import context_of, laid_out, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.blocks import extract_blocks
from vclean.features.matrix import block_values
from vclean.features.page_context import PageContext
from vclean.features.regions import (
    BOX_COLUMNS,
    COLUMNS,
    Regions,
    blocks_before,
    candidate_regions,
    region_matrix,
)

PAGE = """<body><div id=menu class=topnav role=navigation><ul><li><a href=/>Home page</a>
<li><a href=/b>Second</a></ul></div>
<div id=text><h1>The title of it</h1><p>Twelve words are what this one sentence has, and no more.</p></div>
<div id=foot><img src=logo.png width=120px height=40% alt="The logo"><span>Copyright 2020</span></div></body>"""
BOXES = {"html": (0, 0, 1000, 800), "body": (0, 0, 1000, 800), "menu": (0, 0, 200, 800), "text": (200, 0, 800, 700),
         "foot": (200, 700, 800, 100)}  # fmt: skip


def columns(page, nodes=None):
    """Return the columns of regions by name, each a dictionary from the element's id or tag to its value."""
    view = PageContext(extract_blocks(page))
    regions = candidate_regions(view) if nodes is None else Regions(view, np.array(nodes, dtype=np.int32))
    matrix = region_matrix(regions, block_values(view))
    keys = [name_of(page, node) for node in regions.node.tolist()]
    return {column.name: dict(zip(keys, matrix[:, at].tolist(), strict=True)) for at, column in enumerate(COLUMNS)}


def name_of(page, node):
    return page.attributes("id").get(node, page.tags[page.tag[node]])


def boxed(styles=None):
    """Return the page with invented boxes by id or tag."""
    page = laid_out(PAGE, styles=styles)
    box = np.array([BOXES.get(name_of(page, node), (0, 0, 10, 10)) for node in range(len(page))], dtype=np.float32)
    return replace(page, box=box, width=1000.0, height=800.0)


class TestText:
    @pytest.mark.parametrize(
        ("column", "expected"),
        [
            ("blocks", {"html": 5, "text": 2}),
            ("words", {"text": 15}),
            ("words_of_page", {"text": 15 / 20}),
            ("blocks_of_around", {"menu": 2 / 5}),
            ("words_of_around", {"html": 1}),
            ("mean_words", {"text": 7.5}),
            ("short_blocks", {"menu": 1}),
            ("link_blocks", {"menu": 1}),
            ("mean_link_share", {"menu": 1, "text": 0}),
            ("links_per_block", {"menu": 1}),
            ("link_share_to_around", {"menu": 1 - 3 / 20}),
            ("headings", {"text": 0.5}),
            ("first_is_heading", {"text": 1, "menu": 0}),
            ("before_h1", {"html": 0, "menu": 1, "li": 1, "text": 0, "h1": 0, "p": 0, "foot": 0}),
            ("holds_h1", {"html": 1, "menu": 0, "li": 0, "text": 1, "h1": 1, "p": 0, "foot": 0}),
            ("begin", {"text": 2 / 5}),
            ("end", {"foot": 1}),
            ("is_first", {"menu": 1, "foot": 0}),
            ("is_last", {"menu": 0, "foot": 1}),
            ("name_nav", {"menu": 1}),  # also of elements with the same blocks
            ("tag_list", {"menu": 1}),
            ("aria_navigation", {"menu": 1}),
            ("in_name_nav", {"menu": 0, "li": 1}),
            ("in_aria_navigation", {"li": 1}),
            ("name_footer", {"foot": 1}),
            ("tag_h1", {"h1": 1}),
        ],
    )
    def test_values(self, column, expected):
        values = columns(snapshot(PAGE))[column]
        assert {name: values[name] for name in expected} == pytest.approx(expected, abs=0.01)


class TestImages:
    def test_an_image_has_its_attributes_and_no_text(self):
        page = snapshot(PAGE)
        values = columns(page, np.flatnonzero(page.is_tag(("img",))))
        assert values["width_attribute"]["img"] == 120
        assert np.isnan(values["height_attribute"]["img"])
        assert values["alt_words"]["img"] == 2
        assert values["blocks"]["img"] == values["words"]["img"] == 0
        assert values["name_logo"]["img"] == 1
        assert np.isnan(values["mean_link_share"]["img"])

    @pytest.mark.parametrize(
        ("href", "expected"),
        [("/", 1), ("/index.html", 1), ("https://example.org/", 1), ("/shop", 0), ("https://example.org/shop", 0)],
    )
    def test_link_to_the_home_page(self, href, expected):
        page = snapshot(f"<a href={href}><img src=a.png></a>text")
        assert columns(page, np.flatnonzero(page.is_tag(("img",))))["same_site_link"]["img"] == expected


class TestUnrendered:
    def test_layout_columns_are_nan(self):
        values = columns(snapshot(PAGE))
        assert all(np.isnan(value) for column in BOX_COLUMNS for value in values[column.name].values())


class TestBoxes:
    @pytest.mark.parametrize(
        ("column", "expected"),
        [
            ("x", {"text": 0.2}),
            ("width", {"text": 0.8}),
            ("area", {"foot": 0.1}),
            ("aspect", {"menu": 0.25}),
            ("bottom_distance", {"text": 100}),
            ("bottom_share", {"foot": 0}),
            ("right_gap", {"menu": 0.8}),
            ("centre_offset", {"menu": -0.4}),
            ("above_fold", {"menu": 0.75}),
            ("width_of_around", {"text": 0.8}),
            ("left_in_around", {"text": 0.2}),
            ("right_in_around", {"text": 0}),
            ("bottom_in_around", {"text": 1 / 8}),
            ("area_of_around", {"html": 1}),
            ("words_below", {"menu": 0}),
            ("words_above", {"menu": 0, "foot": 1}),
            ("words_per_area", {"text": 15 * 10_000 / (800 * 700)}),
        ],
    )
    def test_values(self, column, expected):
        values = columns(boxed())[column]
        assert {name: values[name] for name in expected} == pytest.approx(expected, rel=1e-3, abs=1e-6)

    def test_words_on_each_side(self):
        """Check a page where all text is at the left edge, one line below the other, inside the menu's box."""
        values = columns(boxed())
        assert values["words_left"]["text"] > 0.4
        assert values["words_right"]["text"] < 0.2


class TestAppearance:
    def test_background_border_and_position(self):
        styles = {"div": {"background-color": "rgb(0, 0, 0)", "border-top-width": "2px", "position": "fixed",
                          "float": "left", "background-image": "url(a.png)"}}  # fmt: skip
        values = columns(boxed(styles))
        assert values["background_luminance"]["menu"] == 0
        assert values["background_differs"]["menu"] == 1
        for name in ("border", "floated", "background_image"):
            assert values[name]["menu"] == 1, name
            assert values[name]["html"] == 0, name
        assert values["inside_float"]["li"] == 1
        assert values["inside_float"]["menu"] == 0

    def test_a_plain_page(self):
        values = columns(boxed())
        assert values["background_luminance"]["menu"] == pytest.approx(1)
        assert values["background_differs"]["menu"] == values["absolute"]["menu"] == 0


NESTED = """<body><div id=outer><div id=inner><h1>Title</h1><div id=text><p>One</p><p>Two</p></div></div></div>
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
        page = context_of(NESTED)
        regions = Regions(page, np.array([element(page.snapshot, "inner")], dtype=np.int32))
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
