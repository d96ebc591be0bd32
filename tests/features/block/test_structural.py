from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import context_of

from vclean.features.block.structural import LARGE_BLOCK, TAG_CODES, long_text
from vclean.features.matrix import block_values

LONG = "word " * LARGE_BLOCK
SHORT = "two words"

TAGS = "<body>a<div><p>b <b>longer</b></p></div><ul><li>c</ul><custom-tag style='display:block'>d</custom-tag>"
HEADINGS = "<p>one</p><h1>two three</h1><p>four</p><p>five</p><h3><a href=x>six</a></h3><p>seven</p>"
VISIBILITY = "<p>one</p><p hidden>two</p><details><p>three four</p></details>"
SPLITS = "<p>a<br>b</p><hr><p><img>c</p><ul><li>d<li>e</ul><table><tr><td>f<tr><td>g</table>"
HOLDER = (
    f"<p>{SHORT}</p><div><p>{LONG}</p><p>{SHORT}</p><section><p>{LONG}</p><p>{LONG}</p></section></div><p>{LONG}</p>"
)
"""Three texts of 20 words in the div and one outside: the div has 75 % of the long text."""


def code(tag):
    return TAG_CODES.index(tag)


@pytest.mark.parametrize(
    ("name", "html", "expected"),
    [
        ("tag", TAGS, [code("body"), code("p"), code("li"), len(TAG_CODES)]),
        ("depth", "<body>a<div><p>b</p></div></body>", [1, 3]),
        ("bold_share", "<h2>a</h2>", [1]),
        ("siblings", "<div><h2>a</h2><p>b</p><p>c</p><ul><li>d</ul></div>", [4, 4, 4, 1]),
        ("words_before", "<p>one two</p><p>three</p><p>four</p>", [0, 2, 3]),
        ("since_heading", HEADINGS, [0, 0, 1, 2, 0, 1]),
        ("last_heading_level", HEADINGS, [0, 1, 1, 1, 3, 3]),
        ("visibility", VISIBILITY, [0, 2, 0]),
        ("hidden_share", VISIBILITY, [0.75] * 3),
        ("in_table", "<table><tr><td>a<table><tr><td>b</table></table>", [1, 2]),
        ("split_li", SPLITS, [0, 0, 1, 1, 0, 0]),
        ("split_row", SPLITS, [0, 0, 0, 0, 1, 1]),
        ("holder75_inside", HOLDER, [0, 1, 1, 1, 1, 0]),
        ("holder50_inside", HOLDER, [0, 0, 0, 1, 1, 0]),
        ("class_link_share", "<p>ab</p><p>a<a href=x>b</a></p>", [0.25, 0.25]),
    ],
)
def test_values(name, html, expected):
    assert np.asarray(block_values(context_of(html))[name]).tolist() == expected


def test_codes_of_tags_never_change():
    """Check that known tags keep their codes: models store them, so new tags are added at the end."""
    assert TAG_CODES[:6] == ("h1", "h2", "h3", "h4", "h5", "h6")
    assert len(set(TAG_CODES)) == len(TAG_CODES)


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
