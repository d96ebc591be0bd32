from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

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
    def test_first_heading_before_the_text(self) -> None:
        assert headline(f"<h1>Rain in May</h1>{BODY}<h1>More rain</h1>") == "Rain in May"

    def test_heading_with_the_words_of_the_title(self) -> None:
        html = f"<h2>Weather</h2><h2>Rain in May</h2>{BODY}"
        assert headline(html, title="Rain in May | The Daily") == "Rain in May"

    def test_title_without_heading_tag(self) -> None:
        assert headline(f"<div>Rain in May</div>{BODY}", title="Rain in May - The Daily") == "Rain in May"

    @pytest.mark.parametrize("logo", ["<a href='/'>The Daily</a>", "<a href='https://example.org/'>The Daily</a>"])
    def test_link_to_the_home_page_is_the_name_of_the_site(self, logo: str) -> None:
        html = f"<h1>{logo}</h1><h2>Rain in May</h2>{BODY}"
        assert headline(html, title="Rain in May - The Daily") == "Rain in May"

    def test_heading_in_navigation(self) -> None:
        header = "<header><h2 class=entry-title>It pours</h2></header>"
        html = f"<nav><li>Home<li><h1>Rain: all news</h1></nav><article>{header}{BODY}"
        assert headline(html, title="Rain: all news", url="https://example.org/rain") == "It pours"

    def test_repeated_teasers(self) -> None:
        teasers = "".join(f"<div class=card><h2><a href=/{day}>Rain on day {day}</a></h2></div>" for day in range(8))
        assert headline(f"{teasers}{BODY}") is None

    def test_hidden_heading(self) -> None:
        assert headline(f"<h1 style='visibility: hidden'>Rain in May</h1>{BODY}") is None

    def test_no_heading(self) -> None:
        assert headline(BODY, title="Rain in May") is None

    def test_page_without_blocks(self) -> None:
        assert find_headline(PageContext(extract_blocks(snapshot("<p>")))) == -1

    def test_largest_font_of_a_rendered_page(self) -> None:
        """Check that of two headings of the same tag, the larger wins."""
        styles = {"h2": {"font-size": "18px"}, "b": {"font-size": "32px"}}
        html = f"<title>Weather</title><h2>Rain in April</h2><h2><b>Rain in May</b></h2>{BODY}"
        blocks = extract_blocks(laid_out(html, styles=styles))
        scores = headline_scores(PageContext(blocks))
        assert scores[1] > scores[0]


class TestHeadlineScores:
    def test_long_blocks_and_hidden_blocks_are_out(self) -> None:
        blocks = extract_blocks(snapshot(f"<h1>Rain</h1><p hidden>Snow</p><h1>{TEXT * 4}</h1>"))
        scores = headline_scores(PageContext(blocks))
        assert np.isfinite(scores).tolist() == [True, False, False]


class TestTitleAgreement:
    def test_best_run_of_parts(self) -> None:
        page = snapshot("<title>Rain in May | Weather | The Daily</title><p>Rain in May<p>Weather - The Daily<p>Sun")
        assert title_agreement(PageContext(extract_blocks(page))).tolist() == [1, 1, 0]

    def test_name_of_the_site_does_not_count(self) -> None:
        page = snapshot("<title>Rain - Example</title><p>Example<p>Rain")
        assert title_agreement(PageContext(extract_blocks(page)))[1] == 1
        assert title_agreement(PageContext(extract_blocks(page)))[0] < 1


@pytest.mark.parametrize(
    ("url", "expected"),
    [("https://example.org", True), ("https://example.org/index.html", True), ("https://example.org/?p=1", False),
     ("https://example.org/a", False), ("", False), ("http://[bad/", False)],
)  # fmt: skip
def test_has_home_url(url: str, expected: bool) -> None:
    assert has_home_url(snapshot("<p>x", url)) is expected
