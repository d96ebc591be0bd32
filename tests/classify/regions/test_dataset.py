from __future__ import annotations

import numpy as np
import pytest
from helpers.archives import record, response
from helpers.pages import laid_out, snapshot

from vclean.classify.corpora.marked import MarkedArchive, RegionMark, strip_marks
from vclean.classify.regions.dataset import ROLE_CODES, archive_rows, hide_names, marked_rows
from vclean.classify.regions.model import NONE
from vclean.errors import DeadlineError
from vclean.features.blocks import extract_blocks
from vclean.features.matrix import block_values
from vclean.features.page_context import PageContext
from vclean.features.regions.columns import COLUMNS, KIND_COLUMNS, NAME_COLUMNS
from vclean.labels import Role

MARKED = """<body><nav data-block=1 data-block-type=Menu class=topnav><ul><li><a href=/>Home</a><li>About</ul></nav>
<div><div data-block=1 data-block-type=Content><h1>Title</h1><p>Text</p></div></div>
<img data-block=1 data-block-type=Logo src=logo.png><p>Unmarked</p></body>"""
NAMES = [column.name for column in COLUMNS]


def rows(read=snapshot, **how):
    html, marks = strip_marks(MARKED)
    return marked_rows(PageContext(extract_blocks(read(html))), marks, **how)


class TestMarkedRows:
    def test_marked_regions_first_then_the_rest_as_none(self):
        found = rows()
        assert found.role[:3].tolist() == [ROLE_CODES[Role.NAVIGATION], ROLE_CODES[Role.CONTENT], ROLE_CODES[Role.LOGO]]
        assert set(found.role[3:].tolist()) == {NONE}
        assert len(found) == len(found.x)

    def test_what_holds_the_same_blocks_as_a_mark_is_not_none(self):
        """The `div` round the content is the content; left are the page, two list items, heading and paragraphs."""
        assert (rows().role == NONE).sum() == 6

    def test_a_region_without_text_is_one(self):
        assert rows().x[2, NAMES.index("blocks")] == 0
        assert rows().x[2, NAMES.index("name_logo")] == 1

    def test_marks_that_are_not_in_the_page_are_left_out(self):
        view = PageContext(extract_blocks(snapshot("<p>one</p>")))
        assert marked_rows(view, [RegionMark("/html[1]/body[1]/nav[1]", Role.AD, 1)]).role.tolist() == [NONE]

    def test_where_a_generator_marked_them_the_names_are_hidden(self):
        hidden = [NAMES.index(column.name) for column in (*KIND_COLUMNS, *NAME_COLUMNS)]
        assert np.isnan(rows(by_hand=False).x[:, hidden]).all()
        assert not np.isnan(rows().x[:, hidden]).any()

    def test_the_page_it_is_from(self):
        found = rows(site="example.org", by_hand=False)
        assert (found.site, found.by_hand) == ("example.org", False)

    def test_rendered(self):
        assert rows(laid_out).x[:, NAMES.index("rendered")].tolist() == [1] * len(rows())


class TestArchiveRows:
    @pytest.fixture
    def archive(self, tmp_path):
        path = tmp_path / "a.warc"
        page = record("http://a.example/", response(MARKED.encode(), "text/html; charset=utf-8"))
        bad = record("http://b.example/", response(b"<p data-block-type=Ad></p>"))
        path.write_bytes(page + bad)
        return MarkedArchive(path)

    def test_each_page_each_way_with_its_sub_resources_and_without(self, archive):
        seen = []

        def read(page):
            seen.append((page.url, page.resources is None))
            return snapshot(page.content)

        found = list(archive_rows(archive, [read, read]))
        assert seen[:4] == [("http://a.example/", False)] * 2 + [("http://a.example/#bare", True)] * 2
        assert [(row.site, row.by_hand, len(row)) for row in found] == [("a.example", True, len(rows()))] * 4

    def test_a_page_that_cannot_be_read_is_left_out(self, archive):
        def read(page):
            raise DeadlineError("too late")

        assert list(archive_rows(archive, [read])) == []

    def test_marks_of_a_generator(self, archive):
        row = next(archive_rows(archive, [lambda page: snapshot(page.content)], by_hand=False))
        assert not row.by_hand
        assert np.isnan(row.x[:, -1]).all()


class TestHideNames:
    def test_the_rest_stays(self):
        x = np.ones((2, len(COLUMNS)), dtype=np.float32)
        kept = len(COLUMNS) - len(KIND_COLUMNS) - len(NAME_COLUMNS)
        found = hide_names(x)
        assert (found[:, :kept] == 1).all()
        assert np.isnan(found[:, kept:]).all()
        assert (x == 1).all()


class TestBlockValues:
    @pytest.mark.parametrize("read", [snapshot, laid_out])
    def test_one_number_per_block(self, read):
        view = PageContext(extract_blocks(read("<h1>One</h1><p>Two</p>")))
        assert {len(column) for column in block_values(view).values()} == {2}
