"""Test the properties of a page that VIPS reads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import snapshot
from helpers.painted import node, painted, text_node

from vclean.features.segments.vips.page import Fonts, NodeKind, VisualPage, stands_out


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

    @pytest.mark.parametrize(
        "inside",
        ["<div></div>", "<div lang=hidden>x</div>", "<p> </p>", "<div style='background-color: rgb(9, 9, 9)'></div>"],
        ids=["empty", "hidden", "blank", "decoration"],
    )
    def test_invalid_children(self, inside):
        page = page_of(f"<section>{inside}<p>text</section>")
        assert page.children[element(page, "section")] == [element(page, "p", -1)]

    def test_an_image_is_valid(self):
        page = page_of("<div><img title='0 0 50 50'></div>")
        assert page.children[element(page, "div")] == [element(page, "img")]

    @pytest.mark.parametrize("box", ["0 0 1 50", "0 0 500 2", "0 0 0 0"])
    def test_a_spacer_is_not_valid(self, box):
        page = page_of(f"<div><img title='{box}'>text</div>")
        assert page.children[element(page, "div")] == [text_node(page.snapshot, "text")]

    def test_container_without_height_is_valid_with_content(self):
        page = page_of("<main><div title='0 0 900 0'><p title='0 0 100 40'>float</div></main>")
        assert page.children[element(page, "main")] == [element(page, "div")]


class TestVirtualText:
    @pytest.mark.parametrize(
        ("inside", "expected"),
        [
            ("<a>text</a>", True),
            ("<a><b>text</b> more</a>", True),
            ("<a><img title='0 0 9 9'></a>", False),
            ("<a><p>text</a>", False),
            ("<a></a>", False),
        ],
        ids=["text", "nested", "image", "block", "empty"],
    )
    def test_inline_elements(self, inside, expected):
        page = page_of(f"<div>{inside}</div>")
        assert page.is_virtual_text[element(page, "a")] is expected

    def test_text_is_virtual_text(self):
        page = page_of("<div>text<p>more</div>")
        assert page.is_virtual_text[text_node(page.snapshot, "text")]

    def test_block_is_not_virtual_text(self):
        page = page_of("<div>text</div>")
        assert not page.is_virtual_text[element(page, "div")]


class TestKind:
    @pytest.mark.parametrize(
        ("html", "tag", "kind"),
        [
            ("<a>x</a>", "a", NodeKind.INLINE),
            ("<p>x", "p", NodeKind.PARAGRAPH),
            ("<section>x</section>", "section", NodeKind.OTHER),
            ("<table><tr><td>x</table>", "table", NodeKind.TABLE),
            ("<table><tr><td>x</table>", "tr", NodeKind.ROW),
            ("<table><tr><td>x</table>", "td", NodeKind.CELL),
            ("<div style='display: table'>x</div>", "div", NodeKind.TABLE),
            ("<div style='display: inline'>x</div>", "div", NodeKind.INLINE),
            ("<a style='display: block'>x</a>", "a", NodeKind.OTHER),
        ],
    )
    def test_by_display(self, html, tag, kind):
        page = page_of(html)
        assert page.kind[element(page, tag)] is kind

    def test_breaks_line(self):
        page = page_of("<div><a>x</a></div>")
        assert page.breaks_line[element(page, "div")]
        assert not page.breaks_line[element(page, "a")]


class TestExtent:
    """Box that a node paints."""

    def test_text_has_the_extent_of_its_lines(self):
        page = page_of("<p title='10 20 300 40'>text")
        assert page.extent[text_node(page.snapshot, "text")] == (10, 20, 310, 60)

    def test_ignores_vertical_padding(self):
        page = page_of("<div title='0 0 500 500'><p title='0 100 500 50'>text</div>")
        assert page.extent[element(page, "div")] == (0, 100, 500, 150)

    def test_short_heading_is_as_wide_as_its_column(self):
        page = page_of("<h1 title='0 0 800 30'><span title='0 5 60 20'>Short</span></h1>")
        assert page.extent[element(page, "h1")] == (0, 5, 800, 25)

    def test_an_inline_element_is_as_wide_as_its_text(self):
        page = page_of("<a title='0 0 800 30'><b title='0 5 60 20'>Short</b></a>")
        assert page.extent[element(page, "a")] == (0, 5, 60, 25)

    @pytest.mark.parametrize(
        "style", ["background-color: rgb(0, 0, 99)", "background-image: url(a.png)", "border-top-width: 1px"]
    )
    def test_includes_borders(self, style):
        page = page_of(f"<div title='0 0 500 500' style='{style}'><p title='0 100 500 50'>text<p>more</div>")
        assert page.extent[element(page, "div")] == (0, 0, 500, 500)

    def test_ignores_background_equal_to_the_one_behind(self):
        style = "background-color: rgb(255, 255, 255)"
        html = f"<div title='0 0 500 500' style='{style}'><p title='0 100 500 50'>one<p title='0 200 500 50'>two</div>"
        page = page_of(html)
        assert page.extent[element(page, "div")] == (0, 100, 500, 250)

    def test_only_child_has_the_extent_of_a_decorated_parent(self):
        html = "<div title='0 0 500 500' style='border-top-width: 1px'><ul title='9 9 90 90'><li>a<li>b</ul></div>"
        page = page_of(html)
        assert page.extent[element(page, "ul")] == (0, 0, 500, 500)
        assert page.extent[element(page, "li")] == (9, 9, 99, 99)

    def test_floats_in_a_container_without_height(self):
        page = page_of("<div title='0 0 900 0'><p title='0 0 100 40'>one<p title='200 0 100 60'>two</div>")
        assert page.extent[element(page, "div")] == (0, 0, 900, 60)

    def test_page_without_visible_content(self):
        page = page_of("<div title='5 5 90 90'></div>text")
        assert page.extent[element(page, "div")] == (0, 0, 0, 0)

    def test_size_is_a_share_of_the_page(self):
        page = page_of("<p title='0 0 500 200'>text", width=1000, height=1000)
        assert page.size[element(page, "p")] == pytest.approx(0.1)

    def test_a_page_of_no_size(self):
        page = page_of("<p>text", width=0, height=0)
        assert page.size[element(page, "p")] == 0


class TestBackground:
    def test_white_without_background(self):
        page = page_of("<p>text")
        assert page.background[element(page, "p")] == (255, 255, 255, "")

    def test_nearest_painted_background(self):
        page = page_of("<div style='background-color: rgb(10, 20, 30)'><p>text</div>")
        assert page.background[element(page, "p")] == (10, 20, 30, "")
        assert page.background[text_node(page.snapshot, "text")] == (10, 20, 30, "")

    def test_blends_transparent_backgrounds(self):
        html = "<div style='background-color: rgb(0, 0, 0)'><p style='background-color: rgba(200, 100, 0, 0.5)'>x</div>"
        page = page_of(html)
        assert page.background[element(page, "p")] == (100, 50, 0, "")

    def test_image_counts_until_covered(self):
        html = (
            "<div style='background-image: url(a.png)'><p>one<p style='background-color: rgb(255, 255, 255)'>two</div>"
        )
        page = page_of(html)
        assert page.background[element(page, "p")][3] == "url(a.png)"
        assert page.background[element(page, "p", 1)][3] == ""

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

    def test_ignores_hidden_rules(self):
        page = page_of("<div>a<hr lang=hidden>b</div>")
        assert page.rules == []
        assert page.has_rule == set()


def test_page_without_anything():
    page = VisualPage(painted("<p></p>"))
    assert not any(page.children)
    assert np.isfinite(page.extent).all()


def test_page_that_was_not_rendered_has_no_valid_nodes():
    assert not any(VisualPage(snapshot("<p>text")).children)


def fonts_of(html):
    return VisualPage(painted(html))


def element_named(page, tag):
    return node(page.snapshot, tag)


class TestOf:
    def test_mean_over_characters(self):
        page = fonts_of("<p style='font-size: 10px'>aaa<b style='font-size: 30px'>b</b>")
        font = page.fonts.of(element_named(page, "p"))
        assert (font.size, font.even) == (15, False)

    def test_of_a_text(self):
        page = fonts_of("<p>a<b style='font-weight: 700'>b</b>")
        assert page.fonts.of(text_node(page.snapshot, "b")).weight == 700

    def test_even(self):
        page = fonts_of("<div>a<b>b</b></div><p style='font-weight: 700'>c<i style='font-weight: 400'>d</i>")
        assert page.fonts.of(element_named(page, "div")).even
        assert not page.fonts.of(element_named(page, "p")).even

    def test_none_without_text(self):
        page = fonts_of("<div><img title='0 0 9 9'></div><p>text")
        assert page.fonts.of(element_named(page, "div")) is None

    def test_none_for_visible_white_space(self):
        """Check a Unicode separator, which may have a line box."""
        page = fonts_of("<div>\x1f</div><p>text")
        whole = replace(page.snapshot, texts=["\x1f", "text"])
        fonts = Fonts(whole, np.array([True, True]))
        assert fonts.of(element_named(page, "div")) is None
        assert fonts.of(element_named(page, "p")).size == 16

    def test_excludes_text_after_the_element(self):
        """Check text that follows an element in document order, before any other element starts."""
        page = fonts_of("<div><b>in</b><i style='font-size: 30px'></i>after</div>")
        assert page.fonts.of(element_named(page, "i")) is None
        assert page.fonts.of(element_named(page, "b")).size == 16

    def test_ignores_hidden_text(self):
        page = fonts_of("<p>a<b lang=hidden style='font-size: 90px'>b</b>")
        assert page.fonts.of(element_named(page, "p")).size == 16
        assert page.fonts.of(element_named(page, "b")) is None
