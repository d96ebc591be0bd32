from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import context_of
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.block.structural import COLUMNS, LARGE_BLOCK, TAG_CODES, long_text
from vclean.features.matrix import block_values

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


def compute(context):
    """Return the columns of this module for a page."""
    values = block_values(context)
    return {column.name: values[column.name] for column in COLUMNS}


def values(name, html):
    return np.asarray(compute(context_of(html))[name], dtype=np.float64).tolist()


def code(tag):
    return TAG_CODES.index(tag)


class TestTags:
    HTML = "<body>a<div><p>b <b>longer</b></p></div><ul><li>c</ul><custom-tag style='display:block'>d</custom-tag>"

    def test_tag_of_the_container(self):
        assert values("tag", self.HTML) == [code("body"), code("p"), code("li"), len(TAG_CODES)]

    def test_codes_never_change(self):
        """Check that known tags keep their codes: models store them, so new tags are added at the end."""
        assert TAG_CODES[:6] == ("h1", "h2", "h3", "h4", "h5", "h6")
        assert len(set(TAG_CODES)) == len(TAG_CODES)


class TestShares:
    def test_headings_are_bold(self):
        assert values("bold_share", "<h2>a</h2>") == [1]


class TestSiblings:
    HTML = "<div><h2>a</h2><p>b</p><p>c</p><ul><li>d</ul></div>"

    def test_number(self):
        """Count the element itself: the four children of the div, and the only item."""
        assert values("siblings", self.HTML) == [4, 4, 4, 1]


class TestHeadings:
    HTML = "<p>one</p><h1>two three</h1><p>four</p><p>five</p><h3><a href=x>six</a></h3><p>seven</p>"

    def test_since_the_last_heading(self):
        assert values("since_heading", self.HTML) == [0, 0, 1, 2, 0, 1]
        assert values("last_heading_level", self.HTML) == [0, 1, 1, 1, 3, 3]


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


class TestPage:
    def test_visibility(self):
        html = "<p>one</p><p hidden>two</p><details><p>three four</p></details>"
        assert values("visibility", html) == [0, 2, 0]
        assert values("hidden_share", html) == [0.75] * 3


class TestDepth:
    def test_depth_of_the_container(self):
        """Check that the html element has depth 0."""
        assert values("depth", "<body>a<div><p>b</p></div></body>") == [1, 3]


class TestContainers:
    def test_nested_tags_count_each(self):
        html = "<table><tr><td>a<table><tr><td>b</table></table>"
        assert values("in_table", html) == [1, 2]


class TestSplits:
    HTML = "<p>a<br>b</p><hr><p><img>c</p><ul><li>d<li>e</ul><table><tr><td>f<tr><td>g</table>"

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("li", [0, 0, 1, 1, 0, 0]),
            ("row", [0, 0, 0, 0, 1, 1]),
        ],
    )
    def test_elements_that_begin_between_two_blocks(self, name, expected):
        assert values(f"split_{name}", self.HTML) == expected


class TestFirstHeading:
    def test_words_before(self):
        assert values("words_before", "<p>one two</p><p>three</p><p>four</p>") == [0, 2, 3]


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


class TestRepetition:
    HTML = """<div class=x><p class=a>one two</p><p class=b>three</p><p class=a><a href=x>fourth</a> five</p></div>
<div class=y><p class=a>--</p></div>"""

    def test_links(self):
        html = "<p>ab</p><p>a<a href=x>b</a></p>"
        assert values("class_link_share", html) == [0.25, 0.25]


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
