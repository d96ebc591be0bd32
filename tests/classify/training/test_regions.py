from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from helpers.archives import record, response
from helpers.pages import context_of, laid_out, snapshot

from vclean.classify.corpora.marked import MarkedArchive, strip_marks
from vclean.classify.regions import NONE
from vclean.classify.training import regions
from vclean.classify.training.fits import FITS
from vclean.classify.training.regions import (
    NONE_WEIGHT,
    STYLED_WEIGHT,
    RegionRows,
    archive_rows,
    fit,
    fit_held_out,
    marked_rows,
)
from vclean.errors import DeadlineError, InputError
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.features.regions import COLUMNS, FLAG_COLUMNS

WORDS = ["river", "ferry", "bridge", "rope", "village", "winter", "council", "bell"]


def page(number):
    """Return the rows of a page with a marked menu, a marked article, and unmarked text."""
    menu = "".join(f"<li><a href=/{word}>{word}</a>" for word in WORDS[: 3 + number % 4])
    text = "".join(f"<p>The {word} was here, and so were {number} others, they said.</p>" for word in WORDS[:4])
    html = f"""<div data-block-type=Menu data-block=1><ul>{menu}</ul></div>
    <div data-block-type=Article data-block=1><h1>The {WORDS[number % 8]}</h1>{text}</div><p>End"""
    stripped, marks = strip_marks(html)
    return marked_rows(context_of(stripped), marks, site=f"site{number}.example")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setitem(FITS, "regions", FITS["regions"] | {"min_data_in_leaf": 2, "rounds": 12})


@pytest.fixture(scope="module")
def pages():
    return [page(number) for number in range(12)]


class TestWeights:
    def rows(self, roles, site="a", by_hand=True):
        role = np.array(roles, dtype=np.int8)
        return RegionRows(site, by_hand, np.zeros((len(role), len(COLUMNS)), dtype=np.float32), role)

    def test_negatives_and_generated_marks_weigh_less(self):
        pages = [self.rows([0, NONE]), self.rows([0], site="b", by_hand=False)]
        assert regions._weights(pages).tolist() == pytest.approx([1, NONE_WEIGHT, STYLED_WEIGHT])

    def test_limits_the_weight_of_a_site(self):
        many = [self.rows([0] * 50, by_hand=False) for _ in range(4)]
        other = self.rows([0], site="b", by_hand=False)
        weights = regions._weights([*many, other])
        assert weights[:-1].sum() == pytest.approx(STYLED_WEIGHT * regions.SITE_REGIONS, rel=1e-4)
        assert weights[-1] == pytest.approx(STYLED_WEIGHT)


class TestFitHeldOut:
    def test_model_of_a_site_excludes_the_site(self, pages):
        models = fit_held_out(pages)
        model = models["site3.example"]
        together = [site for site in models if models[site] is model]
        assert "site3.example" in together
        assert model.text == fit([rows for rows in pages if rows.site not in together]).text

    def test_rejects_a_single_site(self, pages):
        with pytest.raises(InputError, match="too few marked pages"):
            fit_held_out([pages[0], pages[0]])

    def test_accepts_two_sites(self, pages):
        assert fit_held_out(pages[:2])["site0.example"].text == fit(pages[1:2]).text


MARKED = """<body><nav data-block=1 data-block-type=Menu class=topnav><ul><li><a href=/>Home</a><li>About</ul></nav>
<div><div data-block=1 data-block-type=Content><h1>Title</h1><p>Text</p></div></div>
<img data-block=1 data-block-type=Logo src=logo.png><p>Unmarked</p></body>"""
NAMES = [column.name for column in COLUMNS]


def rows(read=snapshot, **options):
    html, marks = strip_marks(MARKED)
    return marked_rows(PageContext(extract_blocks(read(html))), marks, **options)


class TestMarkedRows:
    def test_containers_with_the_blocks_of_a_mark_are_no_negatives(self):
        """Skip the `div` around the content; the page, two list items, a heading and paragraphs remain."""
        assert (rows().role == NONE).sum() == 6

    def test_includes_regions_without_text(self):
        assert rows().x[2, [NAMES.index("blocks"), NAMES.index("name_logo")]].tolist() == [0, 1]

    def test_rendered(self):
        assert (rows(laid_out).x[:, NAMES.index("page_height")] > 0).all()


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
        assert [(row.site, row.by_hand, len(row.x)) for row in all_rows] == [("a.example", True, len(rows().x))] * 4

    def test_skips_unreadable_pages(self, archive):
        def read(page):
            raise DeadlineError("too late")

        assert list(archive_rows(archive, [read])) == []

    def test_generated_marks_hide_tags_and_names_only(self, archive):
        (row,) = islice(archive_rows(archive, [lambda page: snapshot(page.content)], by_hand=False), 1)
        visible = len(COLUMNS) - len(FLAG_COLUMNS)
        assert not row.by_hand
        np.testing.assert_array_equal(row.x[:, :visible], rows().x[:, :visible])
        assert np.isnan(row.x[:, visible:]).all()
