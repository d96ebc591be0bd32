"""Test columns about the layout of the parts of a container."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.boxed import boxed

from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.features.regions.candidates import candidate_regions
from vclean.features.segments.columns import SHAPE_COLUMNS as COLUMNS
from vclean.features.segments.columns import shape_values

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


class TestShapeValues:
    def test_every_column(self):
        assert set(values(COLUMNS_PAGE)["html"]) == {column.name for column in COLUMNS}

    def test_two_columns_are_side_by_side(self):
        shape = values(COLUMNS_PAGE)
        assert shape["html"]["parts_beside"] == 2
        assert shape["html"]["parts_in_rows"] == pytest.approx(2 / 3)
        assert shape["left"]["parts_beside"] == 1
        assert shape["left"]["parts_in_rows"] == 0

    def test_shares_of_the_words(self):
        shape = values(COLUMNS_PAGE)["html"]
        assert shape["loose_words"] == pytest.approx(0)
        assert shape["second_of_it"] == pytest.approx(6 / 20)
        assert (shape["parts_of_5"], shape["parts_of_20"]) == (3, 2)
        shares = np.array([4, 6, 10]) / 20
        assert shape["spread_of_words"] == pytest.approx(-(shares * np.log(shares)).sum())

    def test_loose_words(self):
        shape = values("<body>One two three<div><p>Four</p><p>Five</p></div></body>")
        assert shape["html"]["loose_words"] == pytest.approx(3 / 5)

    def test_parts_alike_and_across(self):
        shape = values(COLUMNS_PAGE)
        assert shape["right"]["parts_alike"] == 1
        assert shape["right"]["parts_across"] == 1
        assert shape["html"]["parts_across"] == pytest.approx(1 / 3)

    def test_vertical_gaps(self):
        shape = values(COLUMNS_PAGE)
        assert shape["html"]["widest_gap"] == 10
        assert shape["right"]["widest_gap"] == 10
        assert shape["left"]["widest_gap"] == 0

    def test_painted_box(self):
        shape = values(COLUMNS_PAGE)["left"]
        assert (shape["painted_width"], shape["painted_height"]) == (pytest.approx(0.4), pytest.approx(0.8))
        assert (shape["painted_px"], shape["painted_area"]) == (80, pytest.approx(0.32))

    def test_container_without_parts(self):
        shape = values(COLUMNS_PAGE)["p"]
        names = ("second_of_it", "spread_of_words", "parts_of_5", "parts_beside", "parts_in_rows", "widest_gap")
        assert [shape[name] for name in names] == [0] * 6
        assert shape["loose_words"] == 1
