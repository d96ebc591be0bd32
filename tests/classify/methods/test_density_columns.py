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


def by_tag(found, values):
    """The values of the elements, by tag, in document order."""
    page = found.blocks.snapshot
    pairs = zip(page.tag.tolist(), values.tolist(), strict=True)
    result = {}
    for tag, value in pairs:
        result.setdefault(page.tags[tag], []).append(pytest.approx(value))
    return result


class TestCounts:
    def test_characters_and_tags(self):
        found = density()
        assert by_tag(found, found.chars) == {"html": [13], "body": [13], "div": [11], "p": [5, 4], "a": [2]}
        assert by_tag(found, found.tags) == {"html": [5], "body": [4], "div": [2], "p": [0, 0], "a": [0]}

    def test_links(self):
        found = density()
        assert by_tag(found, found.link_chars) == {"html": [2], "body": [2], "div": [0], "p": [0, 0], "a": [2]}
        assert by_tag(found, found.link_tags) == {"html": [1], "body": [1], "div": [0], "p": [0, 0], "a": [0]}

    def test_white_space_is_collapsed(self):
        assert density("<p>  a \n  b  </p>").chars[0] == 3


class TestTextDensity:
    def test_characters_per_tag(self):
        found = density()
        assert by_tag(found, found.text) == {"html": [13 / 5], "body": [13 / 4], "div": [11 / 2], "p": [5, 4], "a": [2]}

    def test_sums_are_of_children_and_loose_texts(self):
        found = density()
        assert by_tag(found, found.text_sum)["div"] == [5 + 4 + 2]
        assert by_tag(found, found.text_sum)["body"] == [11 / 2 + 2]


class TestComposite:
    def test_by_the_formula(self):
        """The body: C 13, T 4, LC 2, LT 1; a paragraph: C 5, T 1, LC 1, LT 1; the page's share of links 2 / 13."""
        found = density()
        body = 13 / 4 * log(13 * 4 / (2 * 1)) / log(log(13 * 2 / 11 + 2 / 13 * 13 + e))
        paragraph = 5 / 1 * log(5) / log(log(5 * 1 / 5 + 2 / 13 * 5 + e))
        values = by_tag(found, found.composite)
        assert (values["body"], values["p"][0]) == ([body], paragraph)

    def test_a_link_has_none(self):
        found = density()
        assert by_tag(found, found.composite)["a"] == [0]

    def test_sums_have_loose_texts_by_their_own_formula(self):
        found = density()
        children = by_tag(found, found.composite)["p"]
        loose = 2 * log(2) / log(log(2 / 13 * 2 + e))
        assert by_tag(found, found.composite_sum)["div"][0].expected == pytest.approx(
            sum(child.expected for child in children) + loose
        )

    @pytest.mark.parametrize("html", ["<p>a", "<a href=/>only a link</a>", "<p></p><p>text", "x", "<img>y"])
    def test_never_less_than_nothing(self, html):
        found = density(html)
        assert np.isfinite(found.composite).all()
        assert np.isfinite(found.composite_sum).all()
        assert (found.composite >= 0).all()


class TestPointDensity:
    def test_marks_per_tag(self):
        found = density()
        assert by_tag(found, found.point) == {"html": [4 / 5], "body": [1], "div": [2], "p": [2, 0], "a": [0]}
        assert by_tag(found, found.point_sum)["div"] == [2 + 0 + 2]
