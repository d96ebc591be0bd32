from __future__ import annotations

from math import e, log

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.methods import get
from vclean.classify.methods.density import Density, content_elements
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


class TestContentElements:
    #     html(0) - body(1) - div(2) - p(3), p(4); a(5)
    PAGE = snapshot("<body><div><p>a</p><p>b</p></div><a>c</a></body>")

    def test_root_alone_is_not_content(self):
        density, sums = np.array([9.0, 3, 3, 3, 3, 3]), np.array([9.0, 1, 8, 1, 1, 1])
        assert not content_elements(self.PAGE, density, sums)[0]


PAGE = "<body><div><p>a, b.</p><p>cccc</p>!!</div><a>dd</a></body>"


def density(html=PAGE):
    return Density(extract_blocks(snapshot(html)))


def by_tag(densities, values):
    """Return the values of the elements by tag, in document order."""
    page = densities.blocks.snapshot
    pairs = zip(page.tag.tolist(), values.tolist(), strict=True)
    result = {}
    for tag, value in pairs:
        result.setdefault(page.tags[tag], []).append(pytest.approx(value))
    return result


class TestCounts:
    def test_counts_links(self):
        densities = density()
        assert by_tag(densities, densities.link_chars) == {"html": [2], "body": [2], "div": [0], "p": [0, 0], "a": [2]}
        assert by_tag(densities, densities.link_tags) == {"html": [1], "body": [1], "div": [0], "p": [0, 0], "a": [0]}


class TestTextDensity:
    def test_density_is_characters_per_tag(self):
        densities = density()
        assert by_tag(densities, densities.text) == {
            "html": [13 / 5],
            "body": [13 / 4],
            "div": [11 / 2],
            "p": [5, 4],
            "a": [2],
        }

    def test_sums_children_and_child_texts(self):
        densities = density()
        assert by_tag(densities, densities.text_sum)["div"] == [5 + 4 + 2]
        assert by_tag(densities, densities.text_sum)["body"] == [11 / 2 + 2]


class TestComposite:
    def test_agrees_with_the_formula(self):
        """Use the body: C 13, T 4, LC 2, LT 1; a paragraph: C 5, T 1, LC 1, LT 1; the page's link share is 2 / 13."""
        densities = density()
        body = 13 / 4 * log(13 * 4 / (2 * 1)) / log(log(13 * 2 / 11 + 2 / 13 * 13 + e))
        paragraph = 5 / 1 * log(5) / log(log(5 * 1 / 5 + 2 / 13 * 5 + e))
        values = by_tag(densities, densities.composite)
        assert (values["body"], values["p"][0]) == ([body], paragraph)

    def test_child_texts_have_a_separate_formula(self):
        densities = density()
        children = by_tag(densities, densities.composite)["p"]
        loose = 2 * log(2) / log(log(2 / 13 * 2 + e))
        assert by_tag(densities, densities.composite_sum)["div"][0].expected == pytest.approx(
            sum(child.expected for child in children) + loose
        )

    @pytest.mark.parametrize("html", ["<p>a", "<a href=/>only a link</a>", "<p></p><p>text", "x", "<img>y"])
    def test_is_never_negative(self, html):
        densities = density(html)
        assert np.isfinite(densities.composite).all()
        assert np.isfinite(densities.composite_sum).all()
        assert (densities.composite >= 0).all()


class TestPointDensity:
    def test_density_is_marks_per_tag(self):
        densities = density()
        assert by_tag(densities, densities.point) == {"html": [4 / 5], "body": [1], "div": [2], "p": [2, 0], "a": [0]}
        assert by_tag(densities, densities.point_sum)["div"] == [2 + 0 + 2]
