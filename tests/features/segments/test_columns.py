"""Test the columns that decide whether a container is divided."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.boxed import boxed
from helpers.marked import by_id, marked_page

from vclean.classify.regions import CLASSES
from vclean.classify.segments.model import role_matrix
from vclean.features.blocks import extract_blocks
from vclean.features.matrix import block_values
from vclean.features.page_context import PageContext
from vclean.features.regions import candidate_regions
from vclean.features.segments import vips
from vclean.features.segments.columns import COLUMNS, segment_matrix, shape_values, words_of_page
from vclean.features.segments.vips_page import VisualPage

NAMES = [column.name for column in COLUMNS]


@pytest.fixture(scope="module")
def page_matrix():
    """Return a page, its candidates, and their matrix."""
    page, _ = marked_page(1)
    regions = candidate_regions(PageContext(extract_blocks(page)))
    painted = np.array(VisualPage(page).extent)[regions.node]
    return page, regions, segment_matrix(regions, block_values(regions.context), vips.segment(page), painted)


@pytest.fixture
def value(page_matrix):
    """Return the value of a column for the container with an id."""
    page, regions, x = page_matrix

    def look_up(name, column):
        row = regions.node.tolist().index(0 if name == "html" else by_id(page, name))
        return x[row, NAMES.index(column)]

    return look_up


class TestSegmentMatrix:
    @pytest.mark.parametrize(
        ("column", "expected"),
        [
            ("candidate_depth", {"html": 0, "main": 1}),
            ("candidates_in", {"html": 4, "main": 3}),
            ("candidates_beside", {"main": 4}),
            ("holds_name_footer", {"html": 1, "main": 0, "foot": 0}),
            ("holds_name_article", {"html": 1, "main": 1}),
            ("name_footer", {"foot": 1}),
            ("vips_coherence", {"html": 1}),
            ("vips_depth", {"html": 0}),
            ("vips_whole_9", {"html": 1}),
        ],
    )
    def test_values(self, value, column, expected):
        assert {name: value(name, column) for name in expected} == expected

    def test_shares_of_the_largest(self, value):
        assert value("html", "largest_in") == value("main", "words_of_page")
        assert value("html", "largest_of_it") == pytest.approx(value("main", "words_of_page"))

    def test_vips_leaves(self, value):
        assert value("main", "vips_depth") >= 1
        counts = [value("html", f"vips_{pdoc}") for pdoc in (4, 6, 9)]
        assert counts == sorted(counts)
        assert counts[-1] > value("main", "vips_9") >= 1


class TestRoleMatrix:
    def test_descendants_and_enclosing_candidate(self):
        posterior = np.random.default_rng(0).random((4, CLASSES)).astype(np.float32)
        parent = np.array([-1, 0, 1, 0], dtype=np.int32)
        own, inside, total, around = np.split(role_matrix(posterior, parent), 4, axis=1)
        assert np.array_equal(own, posterior)
        assert np.allclose(inside[0], posterior[1:].max(axis=0))
        assert np.allclose(inside[1], posterior[2])
        assert not inside[2:].any()
        assert np.allclose(total[0], posterior[1] + posterior[3])
        assert np.allclose(around[2], np.maximum(posterior[0], posterior[1]))
        assert not around[0].any()


class TestWordsOfPage:
    def test_share_of_every_row(self, page_matrix):
        _, _, x = page_matrix
        shares = words_of_page(x)
        assert shares[0] == pytest.approx(1)
        assert (shares[1:] < 1).all()


COLUMNS_PAGE = """<body title="0 0 100 100"><div id=top title="0 0 100 10"><p>a b</p><p>c d</p></div>
<div id=left title="0 20 40 80"><p title="0 20 40 40">a b c</p><p title="0 60 40 40">d e f</p></div>
<div id=right title="50 20 50 80"><p class=x title="50 20 50 20">a b c d e</p>
<p class=x title="50 50 50 20">f g h i j</p></div></body>"""


def values(html):
    """Return the columns by id of the container; the body is `html`."""
    page = boxed(html)
    regions = candidate_regions(PageContext(extract_blocks(page)))
    box = page.box[regions.node].copy()
    box[:, 2:] += box[:, :2]
    words = np.array([regions.context.tokens[a:b].sum() for a, b in zip(regions.first, regions.last, strict=True)])
    table = shape_values(regions, box, words)
    ids = page.attributes("id")
    names = [ids.get(node, page.tags[page.tag[node]]) for node in regions.node.tolist()]
    return {name: {key: float(column[row]) for key, column in table.items()} for row, name in enumerate(names)}


SHARES = np.array([4, 6, 10]) / 20


class TestShapeValues:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("html", {"parts_beside": 2, "parts_in_rows": 2 / 3, "parts_across": 1 / 3, "widest_gap": 10}),
            ("html", {"loose_words": 0, "second_of_it": 6 / 20, "parts_of_5": 3, "parts_of_20": 2}),
            ("html", {"spread_of_words": -(SHARES * np.log(SHARES)).sum()}),
            ("left", {"parts_beside": 1, "parts_in_rows": 0, "widest_gap": 0}),
            ("left", {"painted_width": 0.4, "painted_height": 0.8, "painted_px": 80, "painted_area": 0.32}),
            ("right", {"parts_alike": 1, "parts_across": 1, "widest_gap": 10}),
            ("p", {"second_of_it": 0, "spread_of_words": 0, "parts_of_5": 0, "parts_beside": 0, "parts_in_rows": 0}),
            ("p", {"widest_gap": 0, "loose_words": 1}),
        ],
    )
    def test_of_a_page_with_two_columns(self, name, expected):
        shape = values(COLUMNS_PAGE)[name]
        assert {column: shape[column] for column in expected} == pytest.approx(expected)

    def test_loose_words(self):
        shape = values("<body>One two three<div><p>Four</p><p>Five</p></div></body>")
        assert shape["html"]["loose_words"] == pytest.approx(3 / 5)
