from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import context_of, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.block.structural import COLUMNS, LARGE_BLOCK, TAG_CODES, compute, heading_level, long_text
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext

LONG = "word " * LARGE_BLOCK
SHORT = "two words"

MARKUP = st.lists(
    st.sampled_from(
        ["<p>", "</p>", "<div class=a>", "<div class='b a'>", "</div>", "<h1>", "</h1>", "<h2>x</h2>", "<ul><li>",
         "</ul>", "<a href=x>", "</a>", "<br>", "<img>", "<table><td>", "</table>", "<p hidden>", "one two", LONG,
         " -- ", "<b></b>"]
    ),
    max_size=20,
).map(lambda pieces: "<body>" + "".join(pieces))  # fmt: skip


def values(name, html):
    return np.asarray(compute(context_of(html))[name], dtype=np.float64).tolist()


def code(tag):
    return TAG_CODES.index(tag)


class TestTags:
    HTML = "<body>a<div><p>b <b>longer</b></p></div><ul><li>c</ul><custom-tag style='display:block'>d</custom-tag>"

    def test_tag_of_the_container(self):
        assert values("tag", self.HTML) == [code("body"), code("p"), code("li"), len(TAG_CODES)]

    def test_tag_of_its_parent(self):
        assert values("parent_tag", self.HTML) == [code("html"), code("div"), code("ul"), code("body")]

    def test_tag_of_the_longest_text(self):
        assert values("inner_tag", self.HTML)[:2] == [code("body"), code("b")]

    def test_depth(self):
        """Check that the html element has depth 0."""
        assert values("depth", self.HTML) == [1, 3, 3, 2]
        assert values("inline_depth", self.HTML) == [0, 1, 0, 0]

    def test_codes_never_change(self):
        """Check that known tags keep their codes: models store them, so new tags are added at the end."""
        assert TAG_CODES[:6] == ("h1", "h2", "h3", "h4", "h5", "h6")
        assert len(set(TAG_CODES)) == len(TAG_CODES)


class TestShares:
    def test_links(self):
        html = "<p>a <a href=x>b</a> c <a href=y>d</a></p><p>e</p><a href=z><p>f</p></a>"
        assert values("links", html) == [2, 0, 1]

    def test_link_share(self):
        assert values("link_share", "<p>abc<a href=x>d</a></p><p>e</p>") == [0.25, 0]

    @pytest.mark.parametrize(
        ("name", "tag"), [("bold_share", "strong"), ("italic_share", "em"), ("code_share", "code"), ("bold_share", "b")]
    )
    def test_by_tag(self, name, tag):
        assert values(name, f"<p>abc<{tag}>d</{tag}></p><p>e</p>") == [0.25, 0]

    def test_headings_are_bold(self):
        assert values("bold_share", "<h2>a</h2>") == [1]

    def test_text_nodes(self):
        assert values("text_nodes", "<p>a<b>b</b>c</p><p>d</p>") == [3, 1]


class TestContainer:
    HTML = "<body><div>a<p>b<img><img></p><p>c</p></div><p>d</p></body>"

    def test_blocks(self):
        assert values("container_blocks", self.HTML) == [3, 1, 1, 1]

    def test_elements(self):
        assert values("container_elements", self.HTML) == [5, 3, 1, 1]

    def test_images(self):
        assert values("container_images", self.HTML) == [2, 2, 0, 0]

    def test_ordinal(self):
        assert values("ordinal_in_container", "<p>a<br><br>b<br><br>c</p><p>d</p>") == [0, 1, 2, 0]


class TestSiblings:
    HTML = "<div><h2>a</h2><p>b</p><p>c</p><ul><li>d</ul></div>"

    def test_number(self):
        """Count the element itself: the four children of the div, and the only item."""
        assert values("siblings", self.HTML) == [4, 4, 4, 1]

    def test_same_tag(self):
        assert values("same_tag_siblings", self.HTML) == [0.25, 0.5, 0.5, 1]

    def test_place(self):
        assert values("sibling_place", self.HTML) == [0, 0.25, 0.5, 0]


class TestPosition:
    HTML = "<p>one two</p><p>three</p><p>--</p><p>four</p>"

    def test_in_blocks(self):
        assert values("position", self.HTML) == [0, 0.25, 0.5, 0.75]
        assert values("blocks_before", self.HTML) == [0, 1, 2, 3]
        assert values("blocks_after", self.HTML) == [3, 2, 1, 0]

    def test_in_words(self):
        assert values("word_position", self.HTML) == [0, 0.5, 0.75, 0.75]
        assert values("words_before", self.HTML) == [0, 2, 3, 3]
        assert values("words_after", self.HTML) == [2, 1, 1, 0]


class TestHeadings:
    HTML = "<p>one</p><h1>two three</h1><p>four</p><p>five</p><h3><a href=x>six</a></h3><p>seven</p>"

    def test_level(self):
        assert values("heading_level", self.HTML) == [0, 1, 0, 0, 3, 0]

    def test_lowest_number_of_nested_headings(self):
        assert heading_level(context_of("<h2><h4>x</h4></h2><h3><div>y</div></h3>")).tolist() == [2, 3]

    def test_since_the_last_heading(self):
        assert values("since_heading", self.HTML) == [0, 0, 1, 2, 0, 1]
        assert values("last_heading_level", self.HTML) == [0, 1, 1, 1, 3, 3]

    def test_words_after_the_first_h1(self):
        assert values("after_h1", self.HTML) == [-1, 0, 2, 3, 4, 5]
        assert values("has_h1", self.HTML) == [1] * 6

    def test_without_an_h1(self):
        assert values("after_h1", "<p>one two</p><p>three</p>") == [0, 2]
        assert values("has_h1", "<p>one two</p><p>three</p>") == [0, 0]
        assert values("since_heading", "<p>one two</p><p>three</p>") == [0, 1]


class TestLongText:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            (f"<p>{LONG}</p>", True),
            (f"<p>{LONG[5:]}</p>", False),
            (f"<p><a href=x>{LONG}</a></p>", False),
            (f"<p>{LONG * 3}<a href=x>{LONG}</a></p>", True),
            (f"<p hidden>{LONG}</p>", False),
            (f"<details><p>{LONG}</p></details>", True),
        ],
    )
    def test_many_words_few_links_and_not_hidden(self, html, expected):
        assert long_text(context_of(html)).tolist() == [expected]

    def test_distance(self):
        html = f"<p>a</p><p>{LONG}</p><p>b</p><p>c</p><p>{LONG}</p><p>d</p>"
        assert values("since_long", html) == [1, 0, 1, 2, 0, 1]
        assert values("until_long", html) == [1, 0, 2, 1, 0, 1]

    def test_distance_without_long_text(self):
        assert values("since_long", "<p>a</p><p>b</p>") == [1, 2]
        assert values("until_long", "<p>a</p><p>b</p>") == [2, 1]

    def test_share(self):
        linked = f"<p>{'x ' * LARGE_BLOCK}<a href=x>{LONG}</a></p>"
        assert values("long_share", f"<p>{LONG}</p>{linked}") == pytest.approx([1 / 3] * 2)


class TestPage:
    def test_link_share(self):
        assert values("page_link_share", "<p>abc</p><p><a href=x>d</a></p>") == [0.25, 0.25]

    def test_elements(self):
        html = "<p>a</p><p>b</p>"
        assert values("page_elements", html) == [len(snapshot(html))] * 2

    def test_visibility(self):
        html = "<p>one</p><p hidden>two</p><details><p>three four</p></details>"
        assert values("visibility", html) == [0, 2, 1]
        assert values("hidden_share", html) == [0.75] * 3

    @pytest.mark.parametrize("used", [False, True])
    def test_noscript(self, used):
        page = replace(snapshot("<p>a</p>"), noscript=used)
        assert compute(PageContext(extract_blocks(page)))["noscript_used"].tolist() == [used]


class TestContainers:
    @pytest.mark.parametrize(
        ("name", "html"),
        [
            ("article", "<article><p>x"),
            ("nav", "<nav>x"),
            ("nav", "<menu><li>x"),
            ("list", "<ol><li>x"),
            ("list_item", "<ul><li>x"),
            ("cell", "<table><tr><td>x"),
            ("link", "<p><a href=x>x"),
            ("heading", "<h5>x"),
            ("bold", "<p><strong>x"),
            ("details", "<details open><p>x"),
            ("center", "<font>x"),
        ],
    )
    def test_by_tag(self, name, html):
        assert values(f"in_{name}", html) == [1]
        assert values(f"in_{name}", "<div>x</div>") == [0]

    def test_nested_tags_count_each(self):
        html = "<table><tr><td>a<table><tr><td>b</table></table>"
        assert values("in_table", html) == [1, 2]

    def test_ancestors_of_the_longest_text(self):
        assert values("in_bold", "<p>a <b>longer</b></p><p>longer <b>b</b></p>") == [1, 0]


class TestSplits:
    HTML = "<p>a<br>b</p><hr><p><img>c</p><ul><li>d<li>e</ul><table><tr><td>f<tr><td>g</table>"

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("p", [1, 1, 0, 0, 0, 0]),
            ("hr", [0, 1, 0, 0, 0, 0]),
            ("img", [0, 1, 0, 0, 0, 0]),
            ("li", [0, 0, 1, 1, 0, 0]),
            ("row", [0, 0, 0, 0, 1, 1]),
            ("br", [0, 0, 0, 0, 0, 0]),
        ],
    )
    def test_elements_that_begin_between_two_blocks(self, name, expected):
        assert values(f"split_{name}", self.HTML) == expected

    def test_breaks_between_blocks_count(self):
        assert values("split_br", "<p>a<br>b<br><br><br>c</p>") == [0, 3]

    def test_elements_inside_a_block_do_not_count(self):
        assert values("split_a", "<p>a <a href=x>b</a> c</p><p><a href=y>d</a></p>") == [0, 1]


class TestHolder:
    """Three texts of 20 words in the div and one outside: the div has 75 % of the long text."""

    HTML = (
        f"<p>{SHORT}</p>"
        f"<div><p>{LONG}</p><p>{SHORT}</p><section><p>{LONG}</p><p>{LONG}</p></section></div>"
        f"<p>{LONG}</p>"
    )

    def test_inside(self):
        assert values("holder75_inside", self.HTML) == [0, 1, 1, 1, 1, 0]

    def test_deepest_element_with_half_of_the_text(self):
        assert values("holder50_inside", self.HTML) == [0, 0, 0, 1, 1, 0]

    def test_side(self):
        assert values("holder75_side", self.HTML) == [-1, 0, 0, 0, 0, 1]
        assert values("holder50_side", self.HTML) == [-1, -1, -1, 0, 0, 1]

    def test_distance(self):
        assert values("holder50_distance", self.HTML) == [3, 2, 1, 0, 0, 1]

    def test_place(self):
        """Check positions among the 62 words of the div: 2 before it, then 0, 20, 22, 42 and 62."""
        expected = [-2 / 62, 0, 20 / 62, 22 / 62, 42 / 62, 1]
        assert values("holder75_place", self.HTML) == pytest.approx(expected)

    def test_place_is_clipped_far_outside(self):
        links = f"<p><a href=x>{LONG * 3}</a></p>"
        html = f"{links}<div><p>{LONG}</p></div>{links}<p>z</p>"
        assert values("holder75_place", html) == pytest.approx([-1, 0, 1, 2])

    def test_depth(self):
        assert values("holder75_depth", self.HTML) == [0, 1, 1, 2, 2, 0]

    def test_words(self):
        assert values("holder75_words", self.HTML) == pytest.approx([62 / 84] * 6)

    def test_all_words_count_without_long_text(self):
        html = "<p>one</p><div><p>two three four</p></div>"
        assert values("holder75_inside", html) == [0, 1]

    @pytest.mark.parametrize("tail", ["", "<p><b></b></p>", "<section><div><p></p></div></section>"])
    def test_a_page_without_words(self, tail):
        """Check that the holder contains a block, even if there are deeper empty elements."""
        html = f"<div>.</div>{tail}"
        assert values("holder50_inside", html) == [1]
        assert values("holder50_words", html) == [0]


class TestRepetition:
    HTML = """<div class=x><p class=a>one two</p><p class=b>three</p><p class=a><a href=x>fourth</a> five</p></div>
<div class=y><p class=a>--</p></div>"""

    def test_blocks_with_the_same_chain_of_tags(self):
        """Check that the third block's longest text is in its link, so it has another chain of tags."""
        assert values("path_blocks", self.HTML) == [3, 3, 1, 3]

    def test_blocks_with_the_same_chain_of_tags_and_classes(self):
        assert values("class_blocks", self.HTML) == [1, 1, 1, 1]
        assert values("class_blocks", self.HTML.replace("<a href=x>fourth</a>", "fourth")) == [2, 1, 2, 1]

    def test_words(self):
        assert values("path_share", self.HTML) == pytest.approx([3 / 5, 3 / 5, 2 / 5, 3 / 5])
        assert values("path_mean_words", self.HTML) == [1, 1, 2, 1]

    def test_links(self):
        html = "<p>ab</p><p>a<a href=x>b</a></p>"
        assert values("path_link_share", html) == [0.25, 0.25]

    def test_place_and_spread(self):
        assert values("path_place", self.HTML) == pytest.approx([0, 1 / 3, 0, 2 / 3])
        assert values("path_spread", self.HTML) == [0.75, 0.75, 0, 0.75]

    def test_stop_words(self):
        english = "The ferry crosses the river every hour, and when the water is high it does not cross at all."
        html = f"<html lang=en><div>{english}</div><p>the zebra</p><p>of zebras</p>"
        assert values("path_stop_words", html)[1:] == [0.5, 0.5]


class TestCompute:
    @given(MARKUP)
    def test_any_page_gives_finite_numbers(self, html):
        page = context_of(html)
        if len(page):
            columns = compute(page)
            assert set(columns) == {column.name for column in COLUMNS}
            for name, column in columns.items():
                assert column.shape == (len(page),), name
                assert np.isfinite(column).all() or name.endswith("stop_words"), name

    @given(MARKUP)
    def test_shares_and_flags(self, html):
        page = context_of(html)
        columns = compute(page) if len(page) else {}
        for column in COLUMNS:
            if columns and column.unit in ("share", "flag") and not column.name.endswith("_place"):
                known = columns[column.name][~np.isnan(columns[column.name])]
                assert ((known >= 0) & (known <= 1 + 1e-6)).all(), column.name
