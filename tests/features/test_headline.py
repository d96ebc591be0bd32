from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import context_of, snapshot

from vclean.features.headline import (
    find_headline,
    has_home_url,
    headline_scores,
    is_site_name,
    normalize,
    split_title,
    strip_site_name,
    title_agreement,
)

TEXT = "It rained for many days in the whole valley, and the farmers lost most of the hay that they had cut. "
BODY = f"<p>{TEXT}<p>{TEXT}{TEXT}<p>{TEXT}"


class TestFindHeadline:
    @pytest.mark.parametrize(
        ("html", "title", "expected"),
        [
            (f"<div>Rain in May</div>{BODY}", "Rain in May - The Daily", "Rain in May"),  # no heading by its tag
            (f"<body class='has-breadcrumbs nav-open'><h1>Rain in May</h1>{BODY}</body>", "Wind", "Rain in May"),
            (f"<h1>★</h1>{BODY}", "Wind", None),
            (BODY, "Rain in May", None),
        ],
    )
    def test_text_of_the_headline(self, html: str, title: str, expected: str | None) -> None:
        context = context_of(f"<title>{title}</title>{html}")
        index = find_headline(context)
        assert (None if index < 0 else context.blocks.text[index]) == expected


class TestHeadlineScores:
    def test_hidden_blocks_are_out(self) -> None:
        scores = headline_scores(context_of("<h1>Rain</h1><p hidden>Snow</p>"))
        assert np.isfinite(scores).tolist() == [True, False]


class TestTitleAgreement:
    def test_best_run_of_parts(self) -> None:
        context = context_of(
            "<title>Rain in May | Weather | The Daily</title><p>Rain in May<p>Weather - The Daily<p>Sun"
        )
        assert title_agreement(context)[0].tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("url", "expected"),
    [("https://example.org", True), ("https://example.org/index.html", True), ("https://example.org/?p=1", False),
     ("https://example.org/a", False), ("", False), ("http://[bad/", False)],
)  # fmt: skip
def test_has_home_url(url: str, expected: bool) -> None:
    assert has_home_url(snapshot("<p>x", url)) is expected


class TestSplitTitle:
    def test_number_of_parts_is_limited(self) -> None:
        assert split_title("a | b | c | d | e | f | g")[-1] == "f | g"


class TestIsSiteName:
    @pytest.mark.parametrize("url", ["https://example.org/rain", "", "http://[bad/rain"])
    def test_other_parts(self, url: str) -> None:
        assert not is_site_name("Rain", url)


class TestStripSiteName:
    @pytest.mark.parametrize(
        ("title", "url", "expected"),
        [
            ("The Daily | Rain in May", "https://thedaily.example.org/a", "Rain in May"),
            ("Rain - a story | The Daily", "https://thedaily.example.org/a", "Rain - a story"),
            ("The rain in May and its cost - The Daily", "", "The rain in May and its cost"),
            ("Rain", "https://thedaily.example.org/", "Rain"),
            ("The Daily", "https://thedaily.example.org/", ""),
            ("Rain - Everything about weather in one place", "", "Rain - Everything about weather in one place"),
            ("", "", ""),
        ],
    )
    def test_titles(self, title: str, url: str, expected: str) -> None:
        assert strip_site_name(title, url) == expected


def test_normalize() -> None:
    assert normalize("“RAIN” – in  May_2!") == "rain in may 2"
