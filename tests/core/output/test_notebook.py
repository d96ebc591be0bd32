"""Test how results show in notebooks."""

from __future__ import annotations

import base64
import re

import lxml.html
import pytest

import vclean
from vclean.html_pages import MAX_ROWS

HOSTILE = "<title><b>T</b></title><h1>Rain</h1><p>&lt;script&gt;alert(1)&lt;/script&gt; fell all day.</p>"


def rows(html: str) -> list[list[str]]:
    return [[cell.text_content() for cell in row.iter("td")] for row in lxml.html.fromstring(html).iter("tr")][1:]


class TestResult:
    def test_lists_blocks(self) -> None:
        html = vclean.clean(HOSTILE, method="text")._repr_html_()
        assert rows(html) == [
            ["0", "h", "1.00", "", "Rain"],
            ["1", "p", "1.00", "", "<script>alert(1)</script> fell all day."],
        ]
        assert "<script" not in html
        assert "&lt;b&gt;T&lt;/b&gt;" in html
        assert "parsed without a browser" in html
        assert "<img" not in html

    def test_has_confidence_and_language_of_the_model(self) -> None:
        html = vclean.clean(
            "<h1>Rain</h1>" + "<p>The rain fell all day on the old town by the river." * 5
        )._repr_html_()
        assert re.search(r"confidence 0\.\d\d, language en", html)

    def test_is_bounded(self) -> None:
        html = vclean.clean("<p>" + "<p>word ".join(["x" * 1000] * (MAX_ROWS + 7)), method="text")._repr_html_()
        assert len(rows(html)) == MAX_ROWS
        assert "7 more blocks" in html
        assert len(html) < 100_000

    @pytest.mark.browser
    def test_has_overlay_of_screenshot(self) -> None:
        html = vclean.clean(HOSTILE, render=True, screenshot=True)._repr_html_()
        picture = re.search(r"base64,([\w+/=]+)", html)
        assert picture
        assert base64.b64decode(picture[1]).startswith(b"\x89PNG")


@pytest.mark.browser
class TestSegments:
    def test_lists_leaves(self) -> None:
        segments = vclean.segment(HOSTILE, pdoc=11)
        html = segments._repr_html_()
        assert len(rows(html)) == len(segments.leaves)
        assert "<script>alert" in " ".join(row[5] for row in rows(html))
        assert "<script" not in html
        assert f"{len(segments)} segments by vips" in html
