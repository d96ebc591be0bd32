from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.features.blocks import extract_blocks
from vclean.features.headline import find_headline, has_home_url, headline_scores, title_agreement
from vclean.features.page_context import PageContext

TEXT = "It rained for many days in the whole valley, and the farmers lost most of the hay that they had cut. "
BODY = f"<p>{TEXT}<p>{TEXT}{TEXT}<p>{TEXT}"


def headline(html: str, *, title: str = "", url: str = "https://example.org/a/b.html") -> str | None:
    """Return the text of the headline of a parsed page."""
    blocks = extract_blocks(snapshot(f"<title>{title}</title>{html}", url))
    index = find_headline(PageContext(blocks))
    return None if index < 0 else blocks.text[index]


class TestFindHeadline:
    def test_title_without_heading_tag(self) -> None:
        assert headline(f"<div>Rain in May</div>{BODY}", title="Rain in May - The Daily") == "Rain in May"

    def test_names_of_the_whole_page_do_not_count(self) -> None:
        page = f"<body class='has-breadcrumbs nav-open'><h1>Rain in May</h1>{BODY}</body>"
        assert headline(page, title="Wind") == "Rain in May"

    def test_icon(self) -> None:
        assert headline(f"<h1>★</h1>{BODY}", title="Wind") is None

    def test_no_heading(self) -> None:
        assert headline(BODY, title="Rain in May") is None


class TestHeadlineScores:
    def test_hidden_blocks_are_out(self) -> None:
        scores = headline_scores(PageContext(extract_blocks(snapshot("<h1>Rain</h1><p hidden>Snow</p>"))))
        assert np.isfinite(scores).tolist() == [True, False]


class TestTitleAgreement:
    def test_best_run_of_parts(self) -> None:
        page = snapshot("<title>Rain in May | Weather | The Daily</title><p>Rain in May<p>Weather - The Daily<p>Sun")
        assert title_agreement(PageContext(extract_blocks(page))).tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("url", "expected"),
    [("https://example.org", True), ("https://example.org/index.html", True), ("https://example.org/?p=1", False),
     ("https://example.org/a", False), ("", False), ("http://[bad/", False)],
)  # fmt: skip
def test_has_home_url(url: str, expected: bool) -> None:
    assert has_home_url(snapshot("<p>x", url)) is expected
