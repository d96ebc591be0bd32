"""Test the fonts that VIPS compares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from helpers.painted import node, painted, text_node

from vclean.features.segments.vips.page import Fonts, VisualPage


def page_of(html):
    return VisualPage(painted(html))


def element(page, tag):
    return node(page.snapshot, tag)


class TestOf:
    def test_mean_over_characters(self):
        page = page_of("<p style='font-size: 10px'>aaa<b style='font-size: 30px'>b</b>")
        font = page.fonts.of(element(page, "p"))
        assert (font.size, font.even) == (15, False)

    def test_of_a_text(self):
        page = page_of("<p>a<b style='font-weight: 700'>b</b>")
        assert page.fonts.of(text_node(page.snapshot, "b")).weight == 700

    def test_even(self):
        page = page_of("<div>a<b>b</b></div><p style='font-weight: 700'>c<i style='font-weight: 400'>d</i>")
        assert page.fonts.of(element(page, "div")).even
        assert not page.fonts.of(element(page, "p")).even

    def test_none_without_text(self):
        page = page_of("<div><img title='0 0 9 9'></div><p>text")
        assert page.fonts.of(element(page, "div")) is None

    def test_none_for_visible_white_space(self):
        """Check a Unicode separator, which may have a line box."""
        page = page_of("<div>\x1f</div><p>text")
        whole = replace(page.snapshot, texts=["\x1f", "text"])
        fonts = Fonts(whole, np.array([True, True]))
        assert fonts.of(element(page, "div")) is None
        assert fonts.of(element(page, "p")).size == 16

    def test_excludes_text_after_the_element(self):
        """Check text that follows an element in document order, before any other element starts."""
        page = page_of("<div><b>in</b><i style='font-size: 30px'></i>after</div>")
        assert page.fonts.of(element(page, "i")) is None
        assert page.fonts.of(element(page, "b")).size == 16

    def test_ignores_hidden_text(self):
        page = page_of("<p>a<b lang=hidden style='font-size: 90px'>b</b>")
        assert page.fonts.of(element(page, "p")).size == 16
        assert page.fonts.of(element(page, "b")) is None
