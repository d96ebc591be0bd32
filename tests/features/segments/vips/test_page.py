"""Test the properties of a page that VIPS reads."""

from __future__ import annotations

import pytest
from helpers.pages import snapshot
from helpers.painted import node, painted, text_node

from vclean.features.segments.vips.page import VisualPage, stands_out


def page_of(html, **size):
    return VisualPage(painted(html, **size))


def element(page, tag, number=0):
    return node(page.snapshot, tag, number)


class TestChildren:
    """Valid children of a node: those with visible content."""

    def test_texts_and_elements_in_document_order(self):
        page = page_of("<div>one<b>two</b>three<i>four</i></div>")
        div = element(page, "div")
        names = [page.snapshot.texts[n - page.first_text] if page.is_text(n) else n for n in page.children[div]]
        assert names == ["one", element(page, "b"), "three", element(page, "i")]

    def test_an_image_is_valid(self):
        page = page_of("<div><img title='0 0 50 50'></div>")
        assert page.children[element(page, "div")] == [element(page, "img")]


class TestVirtualText:
    def test_text_is_virtual_text(self):
        page = page_of("<div>text<p>more</div>")
        assert page.is_virtual_text[text_node(page.snapshot, "text")]

    def test_block_is_not_virtual_text(self):
        page = page_of("<div>text</div>")
        assert not page.is_virtual_text[element(page, "div")]


class TestKind:
    def test_breaks_line(self):
        page = page_of("<div><a>x</a></div>")
        assert page.breaks_line[element(page, "div")]
        assert not page.breaks_line[element(page, "a")]


class TestExtent:
    """Box that a node paints."""

    def test_ignores_vertical_padding(self):
        page = page_of("<div title='0 0 500 500'><p title='0 100 500 50'>text</div>")
        assert page.extent[element(page, "div")] == (0, 100, 500, 150)

    def test_short_heading_is_as_wide_as_its_column(self):
        page = page_of("<h1 title='0 0 800 30'><span title='0 5 60 20'>Short</span></h1>")
        assert page.extent[element(page, "h1")] == (0, 5, 800, 25)

    def test_an_inline_element_is_as_wide_as_its_text(self):
        page = page_of("<a title='0 0 800 30'><b title='0 5 60 20'>Short</b></a>")
        assert page.extent[element(page, "a")] == (0, 5, 60, 25)

    def test_floats_in_a_container_without_height(self):
        page = page_of("<div title='0 0 900 0'><p title='0 0 100 40'>one<p title='200 0 100 60'>two</div>")
        assert page.extent[element(page, "div")] == (0, 0, 900, 60)

    def test_size_is_a_share_of_the_page(self):
        page = page_of("<p title='0 0 500 200'>text", width=1000, height=1000)
        assert page.size[element(page, "p")] == pytest.approx(0.1)


class TestBackground:
    def test_white_without_background(self):
        page = page_of("<p>text")
        assert page.background[element(page, "p")] == (255, 255, 255, "")

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


class TestRules:
    def test_boxes_of_rules(self):
        page = page_of("<div>a<hr title='0 40 500 2'>b</div>")
        assert page.rules == [(0, 40, 500, 42)]
        assert page.has_rule == {element(page, "div")}


def test_page_that_was_not_rendered_has_no_valid_nodes():
    assert not any(VisualPage(snapshot("<p>text")).children)


def fonts_of(html):
    return VisualPage(painted(html))


def element_named(page, tag):
    return node(page.snapshot, tag)


class TestOf:
    def test_of_a_text(self):
        page = fonts_of("<p>a<b style='font-weight: 700'>b</b>")
        assert page.fonts.of(text_node(page.snapshot, "b")).weight == 700

    def test_none_without_text(self):
        page = fonts_of("<div><img title='0 0 9 9'></div><p>text")
        assert page.fonts.of(element_named(page, "div")) is None

    def test_ignores_hidden_text(self):
        page = fonts_of("<p>a<b lang=hidden style='font-size: 90px'>b</b>")
        assert page.fonts.of(element_named(page, "p")).size == 16
        assert page.fonts.of(element_named(page, "b")) is None
