from __future__ import annotations

import json

import pytest
from helpers.pages import laid_out, result, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.prediction import Headline
from vclean.errors import UsageError
from vclean.labels import Role
from vclean.output.chunks import count_words, make_chunks, split_sentences, split_words, write_chunks

OUTLINE = "<h1>A</h1><p>a.<h2>B</h2><p>b1.<p>b2.<h3>C</h3><p>c.<h2>D</h2><p>d."
TABLE = "<table><tr><th>Day<th>Rain<th><tr><td>One<td>2 mm<td><tr><td>Two<td><p>3<p>mm<td></table>"
ROWS = "Day | Rain | \nOne | 2 mm | \nTwo | 3 mm | "


def chunks(html, labels, max_words=200, **facts):
    return make_chunks(result(snapshot(html), labels, **facts), max_words)


class TestHeadings:
    @pytest.mark.parametrize(
        ("html", "labels", "expected"),
        [
            (OUTLINE, "hphpphphp", [(("A",), "a."), (("A", "B"), "b1.\n\nb2."), (("A", "B", "C"), "c."),
             (("A", "D"), "d.")]),
            # A heading without text is a chunk.
            ("<h1>A</h1><h2>B</h2><h2>C</h2><p>c<h2>D</h2>", "hhhph", [(("A",), "B"), (("A", "C"), "c"),
             (("A",), "D")]),
            ("<h1>A</h1><h2>B</h2>", "hh", [(("A",), "B")]),
        ],
    )  # fmt: skip
    def test_path(self, html, labels, expected):
        assert [(chunk.headings, chunk.text) for chunk in chunks(html, labels)] == expected

    def test_title_of_the_document(self):
        page = result(snapshot("<p>a"), "p")
        object.__setattr__(page.prediction, "headline", Headline("News", None, "title"))
        assert make_chunks(page)[0].headings == ("News",)


@pytest.mark.parametrize(
    ("html", "labels", "limit", "expected"),
    [
        ("<p>a b<p>c d<p>e", "ppp", 4, ["a b\n\nc d", "e"]),
        ("<p>a<ul><li>b<li>c</ul>", "pll", 200, ["a\n\nb\nc"]),
        ("<p>a<p>b<p>c", "ppc", 200, ["a\n\nb c"]),
        ("<p>It was wet. It was cold. Then it froze.", "p", 6, ["It was wet. It was cold.", "Then it froze."]),
        ("<p>one two three four five", "p", 2, ["one two", "three four", "five"]),
        # Tables and code are never split.
        (f"<p>Before.{TABLE}<p>After.", "ppppppppp", 3, ["Before.", ROWS, "After."]),
        (f"<p>Before.{TABLE}", "pppppppp", 200, [f"Before.\n\n{ROWS}"]),
        ("<pre>a = 1\n\nb = 2\n</pre>", "p", 1, ["a = 1\n\nb = 2"]),
        ("<code class='hljs' style='display: block'>a = 1\nb = 2</code>", "p", 1, ["a = 1 b = 2"]),
        ("<table class='blob-wrapper'><tr><td>a = 1<tr><td>b = 2</table>", "pp", 1, ["a = 1\nb = 2"]),
        ("<div class=highlight data-lang=py><div>a = 1</div><div>b = 2</div></div>", "pp", 1, ["a = 1\nb = 2"]),
    ],
)
def test_texts(html, labels, limit, expected):
    assert [chunk.text for chunk in chunks(html, labels, limit)] == expected


class TestLimit:
    def test_rest_of_a_split_paragraph_joins_the_next(self):
        page = chunks("<p>One two. Three.<p>Four.", "pp", 2)
        assert [(chunk.text, chunk.blocks) for chunk in page] == [("One two.", (0,)), ("Three.\n\nFour.", (0, 1))]

    def test_every_chunk_is_within_the_limit(self):
        html = "".join(f"<p>{' '.join(['word'] * n)}." for n in range(1, 40))
        page = chunks(html, "p" * 39, 25)
        assert max(chunk.words for chunk in page) <= 25
        assert sum(chunk.words for chunk in page) == sum(range(1, 40))

    @pytest.mark.parametrize("limit", [0, -1, 1.5, "9"])
    def test_wrong_limit(self, limit):
        with pytest.raises(UsageError, match="use at least 1"):
            chunks("<p>a", "p", limit)


def test_json_has_one_object_per_line():
    page = result(laid_out(OUTLINE), "hphpphphp", id="a.html", roles=[*[Role.ARTICLE] * 8, None])
    lines = [json.loads(line) for line in write_chunks(page).splitlines()]
    assert [line["text"] for line in lines] == ["a.", "b1.\n\nb2.", "c.", "d."]
    assert lines[1] == {
        "id": "a.html", "url": "https://example.org/dir/page.html", "index": 1, "headings": ["A", "B"],
        "text": "b1.\n\nb2.", "words": 2, "blocks": [3, 4],
        "xpaths": ["/html[1]/body[1]/p[2]", "/html[1]/body[1]/p[3]"],
        "boxes": [[40, 80, 24, 16], [40, 100, 24, 16]], "kinds": ["body"], "roles": ["article"],
    }  # fmt: skip
    assert lines[3]["roles"] == []


@given(st.text(alphabet="aB1 .!?\n。”'"))
def test_sentences_have_every_character(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_sentences_of_a_long_text_take_linear_time() -> None:
    assert len(split_sentences("." * 200_000)) == 1


class TestSplitWords:
    @pytest.mark.parametrize(("text", "parts"), [("a b, c (d) e", ["a b,", "c (d)", "e"]), ("a b", ["a b"])])
    def test_limit(self, text: str, parts: list[str]) -> None:
        assert split_words(text, 2) == parts

    @given(st.text(alphabet="aあ ,."), st.integers(1, 5))
    def test_parts_are_within_the_limit(self, text: str, limit: int) -> None:
        parts = split_words(text, limit)
        assert all(words <= limit for words in count_words(parts))
        assert "".join("".join(parts).split()) == "".join(text.split())
