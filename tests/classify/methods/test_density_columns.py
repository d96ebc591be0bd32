from __future__ import annotations

from math import e, log

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.methods.density import Density
from vclean.features.blocks import extract_blocks

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
    def test_characters_and_tags(self):
        densities = density()
        assert by_tag(densities, densities.chars) == {"html": [13], "body": [13], "div": [11], "p": [5, 4], "a": [2]}
        assert by_tag(densities, densities.tags) == {"html": [5], "body": [4], "div": [2], "p": [0, 0], "a": [0]}

    def test_counts_links(self):
        densities = density()
        assert by_tag(densities, densities.link_chars) == {"html": [2], "body": [2], "div": [0], "p": [0, 0], "a": [2]}
        assert by_tag(densities, densities.link_tags) == {"html": [1], "body": [1], "div": [0], "p": [0, 0], "a": [0]}

    def test_collapses_white_space(self):
        assert density("<p>  a \n  b  </p>").chars[0] == 3


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

    def test_link_has_density_0(self):
        densities = density()
        assert by_tag(densities, densities.composite)["a"] == [0]

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
