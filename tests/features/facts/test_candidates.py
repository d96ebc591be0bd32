from __future__ import annotations

import time

import numpy as np
import pytest
from helpers.pages import context_of, snapshot

from vclean.features.blocks import extract_blocks
from vclean.features.facts.candidates import COLUMNS, MAX_CANDIDATES, Candidates, MetadataPage
from vclean.features.facts.mentions import Field
from vclean.features.facts.threads import LabelledBlocks
from vclean.features.matrix import page_context
from vclean.settings import Policy

PAGE = """<title>Rain in May | The Daily</title><meta property="og:title" content="Rain in May"><h1>Rain in May</h1>
<p class=byline>By Ann Lee and Bo Ek</p><p class=date>March 7, 2024</p><p>It rained for days.</p>"""


def page_of(html: str) -> MetadataPage:
    return MetadataPage(context_of(html), "en")


def values(candidates: Candidates) -> list[tuple[str, ...]]:
    return [row.values for row in candidates.rows]


class TestTitleCandidates:
    def test_groups_equal_titles(self) -> None:
        candidates = page_of(PAGE).candidates(Field.TITLE)
        assert values(candidates)[0] == ("Rain in May",)
        names = {mention.name for mention in candidates.rows[0].mentions}
        assert names >= {"headline0", "og:title", "stripped", "part"}


class TestAuthorCandidates:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<a rel=author href=/x>Ann Lee</a>", ("Ann Lee",)),
            ("<span itemprop=author><b itemprop=name>Ann Lee</b> Joined 2020</span>", ("Ann Lee",)),
            ("<a href='https://example.org/author/ann'>Ann Lee</a>", ("Ann Lee",)),
            ("<p>By</p><p>Ann Lee</p>", ("Ann Lee",)),
            ("<p>Dec 17, 2025 Ann K. Lee</p>", ("Ann K. Lee",)),
            ("<p>By Ann Lee<br>Daily News<br>Archive | Contact</p>", ("Ann Lee",)),
            ("<p>By <a>Ann Lee</a> and <b>Bo</b> <b>Ek</b></p>", ("Ann Lee", "Bo Ek")),
            ("<meta name=dc.creator content='Lee, Ann'><meta name=dc.creator content='Ek, Bo'>", ("Ann Lee", "Bo Ek")),
        ],
    )  # fmt: skip
    def test_reads_markup_and_text(self, html: str, expected: tuple[str, ...]) -> None:
        assert expected in values(
            page_of(f"<h1>Rain in May</h1>{html}<p>It rained for days.").candidates(Field.AUTHORS)
        )

    def test_has_none_for_a_byline_of_5000_characters(self) -> None:
        html = f"<h1>Rain</h1><p class=byline>By {'Ann Lee ' * 625}</p><meta name=author content='{'x' * 5000}'>"
        assert values(page_of(html).candidates(Field.AUTHORS)) == []


class TestDateCandidates:
    def test_reads_markup_and_text(self) -> None:
        html = "<h1>Rain</h1><time datetime=2024-03-07T10:00:00Z>today</time><p>7 March 2024<p>Updated: 9 March 2024"
        expected = [("2024-03-07T10:00:00+00:00",), ("2024-03-09",)]
        assert values(page_of(html).candidates(Field.PUBLISHED)) == expected

    def test_bounds_a_thousand_dates(self) -> None:
        days = "".join(f"<p class=date>{1 + n % 28} May {1995 + n // 28}</p>" for n in range(1000))
        times = "".join(f"<time datetime={1995 + n // 28}-03-{1 + n % 28:02}></time>" for n in range(1000))
        started = time.perf_counter()
        assert len(page_of(f"<h1>Rain</h1>{days}{times}").candidates(Field.PUBLISHED).rows) == MAX_CANDIDATES
        assert time.perf_counter() - started < 5


class TestFeatures:
    @pytest.mark.parametrize(
        ("html", "field", "value", "name", "expected"),
        [
            (PAGE, Field.TITLE, ("Rain in May",), "is_h1", 1),
            (PAGE, Field.AUTHORS, ("Ann Lee", "Bo Ek"), "by", 1),
            (PAGE, Field.PUBLISHED, ("2024-03-07",), "covered", 10 / 13),
            (PAGE + "<p class=date>March 8, 2024</p>", Field.PUBLISHED, ("2024-03-07",), "has_day_after", 1),
            (PAGE + "<p>Updated: 9 March 2024", Field.PUBLISHED, ("2024-03-09",), "updated", 1),
        ],
    )
    def test_of_pages(self, html: str, field: Field, value: tuple[str, ...], name: str, expected: float) -> None:
        candidates = page_of(html).candidates(field)
        feature = candidates.x[values(candidates).index(value), COLUMNS[field].index(name)]
        assert float(feature) == pytest.approx(expected)


class TestIsLinked:
    @pytest.mark.parametrize(
        ("html", "is_linked"),
        [
            ("<p><a href=/a>Rain in June</a>", True),
            ("<a href=/a><p>Rain in June</p></a>", True),
            ("<p><a href=#a>Rain in June</a>", False),
            ("<p><a href=/news#a>Rain in June</a>", False),
            ("<p><a href=/a>Rain</a> It rained all of the day in the valley.", False),
            ("<p>Rain", False),
        ],
    )
    def test_linked(self, html, is_linked):
        blocks = extract_blocks(snapshot(html, "https://example.org/news"))
        page = LabelledBlocks(
            blocks=blocks, context=page_context(blocks), labels=[], probability=np.zeros(1), policy=Policy()
        )
        assert page.is_linked.tolist() == [is_linked]
