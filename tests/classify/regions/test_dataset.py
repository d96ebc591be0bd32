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


def rows(read=snapshot, **options):
    html, marks = strip_marks(MARKED)
    return marked_rows(PageContext(extract_blocks(read(html))), marks, **options)


class TestMarkedRows:
    def test_marked_regions_precede_negatives(self):
        training_rows = rows()
        assert training_rows.role[:3].tolist() == [
            ROLE_CODES[Role.NAVIGATION],
            ROLE_CODES[Role.CONTENT],
            ROLE_CODES[Role.LOGO],
        ]
        assert set(training_rows.role[3:].tolist()) == {NONE}
        assert len(training_rows) == len(training_rows.x)

    def test_containers_with_the_blocks_of_a_mark_are_no_negatives(self):
        """Skip the `div` around the content; the page, two list items, a heading and paragraphs remain."""
        assert (rows().role == NONE).sum() == 6

    def test_includes_regions_without_text(self):
        assert rows().x[2, NAMES.index("blocks")] == 0
        assert rows().x[2, NAMES.index("name_logo")] == 1

    def test_ignores_marks_of_missing_elements(self):
        context = PageContext(extract_blocks(snapshot("<p>one</p>")))
        assert marked_rows(context, [RegionMark("/html[1]/body[1]/nav[1]", Role.AD, 1)]).role.tolist() == [NONE]

    def test_hides_names_of_generated_marks(self):
        hidden = [NAMES.index(column.name) for column in (*KIND_COLUMNS, *NAME_COLUMNS)]
        assert np.isnan(rows(by_hand=False).x[:, hidden]).all()
        assert not np.isnan(rows().x[:, hidden]).any()

    def test_site_and_origin(self):
        training_rows = rows(site="example.org", by_hand=False)
        assert (training_rows.site, training_rows.by_hand) == ("example.org", False)

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

    def test_reads_each_page_with_and_without_subresources(self, archive):
        requests = []

        def read(page):
            requests.append((page.url, page.resources is None))
            return snapshot(page.content)

        all_rows = list(archive_rows(archive, [read, read]))
        assert requests[:4] == [("http://a.example/", False)] * 2 + [("http://a.example/#bare", True)] * 2
        assert [(row.site, row.by_hand, len(row)) for row in all_rows] == [("a.example", True, len(rows()))] * 4

    def test_skips_unreadable_pages(self, archive):
        def read(page):
            raise DeadlineError("too late")

        assert list(archive_rows(archive, [read])) == []

    def test_generated_marks(self, archive):
        row = next(archive_rows(archive, [lambda page: snapshot(page.content)], by_hand=False))
        assert not row.by_hand
        assert np.isnan(row.x[:, -1]).all()


class TestHideNames:
    def test_other_features_do_not_change(self):
        x = np.ones((2, len(COLUMNS)), dtype=np.float32)
        visible = len(COLUMNS) - len(KIND_COLUMNS) - len(NAME_COLUMNS)
        hidden = hide_names(x)
        assert (hidden[:, :visible] == 1).all()
        assert np.isnan(hidden[:, visible:]).all()
        assert (x == 1).all()


class TestBlockValues:
    @pytest.mark.parametrize("read", [snapshot, laid_out])
    def test_one_value_per_block(self, read):
        context = PageContext(extract_blocks(read("<h1>One</h1><p>Two</p>")))
        assert {len(column) for column in block_values(context).values()} == {2}
