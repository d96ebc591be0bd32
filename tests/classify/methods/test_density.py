from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.methods import get
from vclean.classify.methods.density import content_elements, threshold
from vclean.features.blocks import extract_blocks

MENU = "<ul>" + "<li><a href=/>Link text</a></li>" * 8 + "</ul>"
TEXT = "<p>It rained all day, and nobody in the valley minded; it was warm, after all. So it went on.</p>"
METHODS = ("cetd", "cetd-text", "point-density")


def letters(method, html):
    return "".join(get(method)(extract_blocks(snapshot(html))).labels)


@pytest.mark.parametrize("method", METHODS)
class TestMethods:
    def test_keeps_the_dense_part_of_a_page(self, method):
        assert letters(method, f"{MENU}<div>{TEXT * 3}</div>{MENU}") == "o" * 8 + "ppp" + "o" * 8

    def test_drops_hidden_blocks(self, method):
        hidden = TEXT.replace("<p>", "<p style='display:none'>")
        assert letters(method, f"{MENU}<div>{TEXT}{hidden}{TEXT}</div>") == "o" * 8 + "pop"

    @pytest.mark.parametrize("html", ["One", "<p>One", "<a href=/>One</a>", "<body><body>One", "<br>One<br><br>Two"])
    def test_small_pages(self, method, html):
        assert set(letters(method, html)) <= {"p", "o"}

    def test_page_without_text(self, method):
        assert letters(method, "<p></p>") == ""


class TestContentElements:
    #     html(0) - body(1) - div(2) - p(3), p(4); a(5)
    PAGE = snapshot("<body><div><p>a</p><p>b</p></div><a>c</a></body>")

    def test_agrees_with_manual_computation(self):
        """Use a page where the div has the largest sum, the body sets the threshold, and only the link is below it."""
        density, sums = np.array([2.0, 2.5, 4, 4, 4, 2]), np.array([2.5, 6.0, 8, 4, 4, 2])
        assert threshold(self.PAGE, density, sums) == 2.5
        assert content_elements(self.PAGE, density, sums).tolist() == [False, False, True, True, True, False]

    def test_descendants_of_dropped_elements_are_dropped(self):
        density, sums = np.array([2.0, 3, 1, 9, 9, 4]), np.array([0.0, 1, 2, 0, 0, 9])
        assert threshold(self.PAGE, density, sums) == 3
        assert content_elements(self.PAGE, density, sums).tolist() == [False, False, False, False, False, True]

    def test_root_alone_is_not_content(self):
        density, sums = np.array([9.0, 3, 3, 3, 3, 3]), np.array([9.0, 1, 8, 1, 1, 1])
        assert not content_elements(self.PAGE, density, sums)[0]

    def test_page_of_one_element(self):
        page = snapshot("<html>text")
        values = np.ones(len(page))
        assert content_elements(page, values, values).any()
