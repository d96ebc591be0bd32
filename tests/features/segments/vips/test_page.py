"""Test the properties of a page that VIPS reads."""

from __future__ import annotations

import pytest
from helpers.painted import node, painted, text_node

from vclean.features.segments.vips.page import VisualPage, stands_out


def page_of(html):
    return VisualPage(painted(html))


class TestExtent:
    """Box that a node paints."""

    def test_floats_in_a_container_without_height(self):
        page = page_of("<div title='0 0 900 0'><p title='0 0 100 40'>one<p title='200 0 100 60'>two</div>")
        assert page.extent[node(page.snapshot, "div")] == (0, 0, 900, 60)

    def test_size_is_a_share_of_the_page(self):
        page = page_of("<p title='0 0 500 200'>text")
        assert page.size[node(page.snapshot, "p")] == pytest.approx(0.1)


class TestBackground:
    @pytest.mark.parametrize(
        ("one", "other", "expected"),
        [
            ((9, 9, 9, ""), (9, 9, 9, ""), False),
            ((9, 9, 9, ""), (10, 10, 10, ""), False),
            ((9, 9, 9, ""), (9, 30, 9, ""), True),
            ((9, 9, 9, ""), (9, 9, 9, "url(a.png)"), True),
        ],
    )
    def test_stands_out(self, one, other, expected):
        assert stands_out(one, other) is expected


class TestFonts:
    def test_mean_of_a_text_and_of_an_element(self):
        page = page_of("<p>a<b style='font-weight: 700'>b</b>")
        assert page.fonts[text_node(page.snapshot, "b")] == (16, 700, True)
        assert page.fonts[node(page.snapshot, "p")] == (16, 550, False)

    def test_none_without_text(self):
        page = page_of("<div><img title='0 0 9 9'></div><p>text")
        assert page.fonts[node(page.snapshot, "div")] is None
