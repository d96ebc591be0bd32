from __future__ import annotations

from math import e, log

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.methods.density import (
    TextNodes,
    composite_densities,
    content_elements,
    point_densities,
    text_densities,
)
from vclean.features.blocks import extract_blocks


class TestContentElements:
    def test_root_alone_is_not_content(self):
        page = snapshot("<body><div><p>a</p><p>b</p></div><a>c</a></body>")
        density, sums = np.array([9.0, 3, 3, 3, 3, 3]), np.array([9.0, 1, 8, 1, 1, 1])
        assert not content_elements(page, density, sums)[0]


PAGE = "<body><div><p>a, b.</p><p>cccc</p>!!</div><a>dd</a></body>"


def by_tag(densities, html=PAGE):
    """Return the densities of the elements, and their sums, by tag in document order."""
    nodes = TextNodes(extract_blocks(snapshot(html)))
    results = []
    for values in densities(nodes):
        result = {}
        for tag, value in zip(nodes.snapshot.tag.tolist(), values.tolist(), strict=True):
            result.setdefault(nodes.snapshot.tags[tag], []).append(pytest.approx(value))
        results.append(result)
    return results


class TestTextDensities:
    def test_agree_with_manual_computation(self):
        density, sums = by_tag(text_densities)
        assert density == {"html": [13 / 5], "body": [13 / 4], "div": [11 / 2], "p": [5, 4], "a": [2]}
        assert (sums["div"], sums["body"]) == ([5 + 4 + 2], [11 / 2 + 2])


class TestCompositeDensities:
    def test_agree_with_the_formula(self):
        """Use the body: C 13, T 4, LC 2, LT 1; a paragraph: C 5, T 1, LC 1, LT 1; the page's link share is 2 / 13."""
        density, sums = by_tag(composite_densities)
        body = 13 / 4 * log(13 * 4 / (2 * 1)) / log(log(13 * 2 / 11 + 2 / 13 * 13 + e))
        paragraph = 5 / 1 * log(5) / log(log(5 * 1 / 5 + 2 / 13 * 5 + e))
        assert (density["body"], density["p"][0]) == ([body], paragraph)
        loose = 2 * log(2) / log(log(2 / 13 * 2 + e))
        assert sums["div"] == [sum(child.expected for child in density["p"]) + loose]

    def test_a_link_is_not_one_of_its_links(self):
        """Use the link: C 4, T 1, LC 4, LT 1."""
        density, _ = by_tag(composite_densities, "<p>abcd</p><a href=/>ef<button>gh</button></a>")
        assert density["a"] == [0]

    @pytest.mark.parametrize("html", ["<p>a", "<a href=/>only a link</a>", "<p></p><p>text", "x", "<img>y"])
    def test_are_never_negative(self, html):
        density, sums = composite_densities(TextNodes(extract_blocks(snapshot(html))))
        assert np.isfinite([density, sums]).all()
        assert (density >= 0).all()


class TestPointDensities:
    def test_agree_with_manual_computation(self):
        density, sums = by_tag(point_densities)
        assert density == {"html": [4 / 5], "body": [1], "div": [2], "p": [2, 0], "a": [0]}
        assert sums["div"] == [2 + 0 + 2]
