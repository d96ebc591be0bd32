from __future__ import annotations

import time

import numpy as np
import pytest
from helpers.pages import context_of, laid_out, snapshot

from vclean.features.blocks import extract_blocks
from vclean.features.facts import authors, publication_dates, titles
from vclean.features.facts.authors import author_candidates
from vclean.features.facts.candidates import MAX_CANDIDATES, Candidates, MetadataPage
from vclean.features.facts.mentions import Field
from vclean.features.facts.publication_dates import date_candidates
from vclean.features.facts.titles import title_candidates
from vclean.features.page_context import PageContext

PAGE = """<title>Rain in May | The Daily</title><meta property="og:title" content="Rain in May"><h1>Rain in May</h1>
<p class=byline>By Ann Lee and Bo Ek</p><p class=date>March 7, 2024</p><p>It rained for days.</p>"""


def page_of(html: str, *, rendered: bool = False) -> MetadataPage:
    context = PageContext(extract_blocks(laid_out(html))) if rendered else context_of(html)
    return MetadataPage(context, "en", day_first=False)


def values(candidates: Candidates) -> list[tuple[str, ...]]:
    return [row.values for row in candidates.rows]


def feature(candidates: Candidates, columns: tuple[str, ...], value: tuple[str, ...], name: str) -> float:
    return float(candidates.x[values(candidates).index(value), columns.index(name)])


class TestTitleCandidates:
    def test_groups_equal_titles(self) -> None:
        candidates = title_candidates(page_of(PAGE))
        assert values(candidates)[0] == ("Rain in May",)
        assert {mention.name for mention in candidates.rows[0].mentions} >= {
            "headline0",
            "og:title",
            "stripped",
            "part",
        }
        assert feature(candidates, titles.COLUMNS, ("Rain in May",), "is_h1") == 1

    def test_has_no_empty_title(self) -> None:
        assert values(title_candidates(page_of("<title> - </title><p>.</p>"))) == []


class TestAuthorCandidates:
    def test_reads_bylines(self) -> None:
        candidates = author_candidates(page_of(PAGE))
        assert ("Ann Lee", "Bo Ek") in values(candidates)
        assert feature(candidates, authors.COLUMNS, ("Ann Lee", "Bo Ek"), "by") == 1

    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<a rel=author href=/x>Ann Lee</a>", ("Ann Lee",)),
            ("<span itemprop=author><b itemprop=name>Ann Lee</b> Joined 2020</span>", ("Ann Lee",)),
            ("<a href='https://example.org/author/ann'>Ann Lee</a>", ("Ann Lee",)),
            ("<p>By</p><p>Ann Lee</p>", ("Ann Lee",)),
            ("<p>Dec 17, 2025 Ann K. Lee</p>", ("Ann K. Lee",)),
            ("<p>Ann Lee</p>", ("Ann Lee",)),
            ("<meta name=dc.creator content='Lee, Ann'><meta name=dc.creator content='Ek, Bo'>", ("Ann Lee", "Bo Ek")),
        ],
    )  # fmt: skip
    def test_reads_markup_and_text(self, html: str, expected: tuple[str, ...]) -> None:
        assert expected in values(author_candidates(page_of(f"<h1>Rain in May</h1>{html}<p>It rained for days.")))

    def test_has_none_for_a_byline_of_5000_characters(self) -> None:
        html = f"<h1>Rain</h1><p class=byline>By {'Ann Lee ' * 625}</p><meta name=author content='{'x' * 5000}'>"
        assert values(author_candidates(page_of(html))) == []


class TestDateCandidates:
    def test_reads_markup_and_text(self) -> None:
        html = "<h1>Rain</h1><time datetime=2024-03-07T10:00:00Z>today</time><p>7 March 2024<p>Updated: 9 March 2024"
        candidates = date_candidates(page_of(html))
        assert values(candidates) == [("2024-03-07T10:00:00+00:00",), ("2024-03-09",)]
        assert feature(candidates, publication_dates.COLUMNS, ("2024-03-09",), "updated") == 1

    def test_bounds_a_thousand_dates(self) -> None:
        days = "".join(f"<p class=date>{1 + n % 28} May {1995 + n // 28}</p>" for n in range(1000))
        times = "".join(f"<time datetime={1995 + n // 28}-03-{1 + n % 28:02}></time>" for n in range(1000))
        started = time.perf_counter()
        assert len(date_candidates(page_of(f"<h1>Rain</h1>{days}{times}")).rows) == MAX_CANDIDATES
        assert time.perf_counter() - started < 5


class TestFeatures:
    @pytest.mark.parametrize("find", [title_candidates, author_candidates, date_candidates])
    def test_sight_is_known_on_rendered_pages_only(self, find) -> None:
        columns = {
            title_candidates: titles.COLUMNS, author_candidates: authors.COLUMNS,
            date_candidates: publication_dates.COLUMNS,
        }[find]  # fmt: skip
        column = columns.index("y_below_headline")
        assert np.isnan(find(page_of(PAGE)).x[:, column]).all()
        assert np.isfinite(find(page_of(PAGE, rendered=True)).x[:, column]).any()

    @pytest.mark.parametrize("html", ["<p>", "", "<title>x</title>", "<p>x"])
    def test_accept_pages_without_text(self, html: str) -> None:
        page = MetadataPage(PageContext(extract_blocks(snapshot(html or "<br>"))), "", day_first=True)
        for find in (title_candidates, author_candidates, date_candidates):
            candidates = find(page)
            assert len(candidates.rows) == len(candidates.x)

    def test_mentions_have_all_fields(self) -> None:
        assert set(page_of(PAGE).mentions) == set(Field)
