from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.pages import laid_out, result, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.prediction import Headline, HeadlineSource
from vclean.errors import UsageError
from vclean.features.blocks import extract_blocks
from vclean.labels import Kind, Role
from vclean.output.chunks import count_words, make_chunks, split_sentences, split_words, write_chunks

OUTLINE = "<h1>A</h1><p>a.<h2>B</h2><p>b1.<p>b2.<h3>C</h3><p>c.<h2>D</h2><p>d."
TABLE = "<table><tr><th>Day<th>Rain<th><tr><td>One<td>2 mm<td><tr><td>Two<td><p>3<p>mm<td></table>"


def chunks(html, labels, max_words=200, **facts):
    return make_chunks(result(snapshot(html), labels, **facts), max_words)


def texts(html, labels, max_words=200):
    return [chunk.text for chunk in chunks(html, labels, max_words)]


class TestHeadings:
    def test_path(self):
        assert [(chunk.headings, chunk.text) for chunk in chunks(OUTLINE, "hphpphphp")] == [
            (("A",), "a."), (("A", "B"), "b1.\n\nb2."), (("A", "B", "C"), "c."), (("A", "D"), "d."),
        ]  # fmt: skip

    def test_heading_without_text_is_a_chunk(self):
        page = chunks("<h1>A</h1><h2>B</h2><h2>C</h2><p>c<h2>D</h2>", "hhhph")
        assert [(chunk.headings, chunk.text) for chunk in page] == [(("A",), "B"), (("A", "C"), "c"), (("A",), "D")]

    def test_only_headings(self):
        assert [(chunk.headings, chunk.text) for chunk in chunks("<h1>A</h1><h2>B</h2>", "hh")] == [(("A",), "B")]

    def test_title_of_the_document(self):
        page = result(snapshot("<p>a"), "p")
        object.__setattr__(page.prediction, "headline", Headline("News", None, HeadlineSource.TITLE))
        assert make_chunks(page)[0].headings == ("News",)


class TestLimit:
    def test_units_are_joined_up_to_the_limit(self):
        assert texts("<p>a b<p>c d<p>e", "ppp", 4) == ["a b\n\nc d", "e"]

    def test_list_items_have_no_blank_line(self):
        assert texts("<p>a<ul><li>b<li>c</ul>", "pll") == ["a\n\nb\nc"]

    def test_long_paragraphs_are_split_between_sentences(self):
        assert texts("<p>It was wet. It was cold. Then it froze.", "p", 6) == [
            "It was wet. It was cold.",
            "Then it froze.",
        ]

    def test_long_sentences_are_split_between_words(self):
        assert texts("<p>one two three four five", "p", 2) == ["one two", "three four", "five"]

    def test_rest_of_a_split_paragraph_joins_the_next(self):
        page = chunks("<p>One two. Three.<p>Four.", "pp", 2)
        assert [(chunk.text, chunk.blocks) for chunk in page] == [("One two.", (0,)), ("Three.\n\nFour.", (0, 1))]

    def test_continuation_joins_its_unit(self):
        assert texts("<p>a<p>b<p>c", "ppc") == ["a\n\nb c"]

    def test_every_chunk_is_within_the_limit(self):
        html = "".join(f"<p>{' '.join(['word'] * n)}." for n in range(1, 40))
        page = chunks(html, "p" * 39, 25)
        assert max(chunk.words for chunk in page) <= 25
        assert sum(chunk.words for chunk in page) == sum(range(1, 40))

    @pytest.mark.parametrize("limit", [0, -1, 1.5, "9"])
    def test_wrong_limit(self, limit):
        with pytest.raises(UsageError, match="use at least 1"):
            chunks("<p>a", "p", limit)


class TestTablesAndCode:
    def test_table_is_whole(self):
        assert texts(f"<p>Before.{TABLE}<p>After.", "pppppppp" + "p", 3) == [
            "Before.", "Day | Rain | \nOne | 2 mm | \nTwo | 3 mm | ", "After.",
        ]  # fmt: skip

    def test_table_below_the_limit_joins_its_section(self):
        assert texts(f"<p>Before.{TABLE}", "pppppppp")[0].startswith("Before.\n\nDay | Rain")

    def test_code_is_whole(self):
        assert texts("<pre>a = 1\n\nb = 2\n</pre>", "p", 1) == ["a = 1\n\nb = 2"]

    @pytest.mark.parametrize(
        "html",
        [
            "<code class='hljs' style='display: block'>a = 1\nb = 2</code>",
            "<table class='blob-wrapper'><tr><td>a = 1<tr><td>b = 2</table>",
            "<div class='highlight' data-lang='py'><div>a = 1</div><div>b = 2</div></div>",
        ],
    )
    def test_code_in_other_elements_is_not_split(self, html):
        page = snapshot(html)
        labels = "p" * len(extract_blocks(page))
        assert len(make_chunks(result(page, labels), 1)) == 1


class TestFields:
    def test_places_and_names(self):
        page = result(laid_out("<nav>x</nav><p>a<p>b"), "opp", roles=[Role.NAVIGATION, Role.ARTICLE, Role.ARTICLE])
        (chunk,) = make_chunks(page)
        assert chunk.blocks == (1, 2)
        assert chunk.xpaths == ("/html[1]/body[1]/p[1]", "/html[1]/body[1]/p[2]")
        assert [box.y for box in chunk.boxes] == [40, 60]
        assert (chunk.kinds, chunk.roles) == ((Kind.BODY,), (Role.ARTICLE,))


class TestWriteChunks:
    def test_one_object_per_line(self):
        page = result(laid_out(OUTLINE), "hphpphphp", id="a.html")
        lines = [json.loads(line) for line in write_chunks(page).splitlines()]
        assert [line["text"] for line in lines] == ["a.", "b1.\n\nb2.", "c.", "d."]
        assert lines[1] == {
            "id": "a.html", "url": "https://example.org/dir/page.html", "index": 1, "headings": ["A", "B"],
            "text": "b1.\n\nb2.", "words": 2, "blocks": [3, 4],
            "xpaths": ["/html[1]/body[1]/p[2]", "/html[1]/body[1]/p[3]"],
            "boxes": np.array([[40, 80, 24, 16], [40, 100, 24, 16]]).tolist(), "kinds": ["body"], "roles": [],
        }  # fmt: skip

    def test_no_content(self):
        assert write_chunks(result(snapshot("<p>Menu"), "o")) == ""


class TestSplitSentences:
    @given(st.text(alphabet="aB1 .!?\n。”'"))
    def test_no_character_is_lost(self, text: str) -> None:
        assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())

    def test_long_text_takes_linear_time(self) -> None:
        assert len(split_sentences("." * 200_000)) == 1


class TestCountWords:
    def test_no_texts(self) -> None:
        assert count_words([]) == []


class TestSplitWords:
    def test_limit(self) -> None:
        assert split_words("a b, c (d) e", 2) == ["a b,", "c (d)", "e"]

    def test_text_below_the_limit(self) -> None:
        assert split_words("a b", 2) == ["a b"]

    @given(st.text(alphabet="aあ ,."), st.integers(1, 5))
    def test_parts_are_within_the_limit(self, text: str, limit: int) -> None:
        parts = split_words(text, limit)
        assert all(words <= limit for words in count_words(parts))
        assert "".join("".join(parts).split()) == "".join(text.split())
