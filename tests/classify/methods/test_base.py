from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.methods.base import marginals, to_elements, to_html, viterbi
from vclean.page import Page
from vclean.render.static.parse import parse

PAGE = """<html lang=en><head><title>A &amp; B</title></head><body class="x y">
<div id=a>one<p>two <b>three</b> four
<br>five</p>six</div>
<ul><li>seven<li><a href="/eight?a=1&amp;b=2">eight</a></ul><!-- no --><script>no()</script></body></html>"""


class TestToElements:
    def test_replaces_illegal_names_and_characters(self):
        page = replace(snapshot("<p title='a\x08b'>c\x08d</p>"), tags=("html", "body", "a<b"))
        element = to_elements(page)[2]
        assert (element.tag, element.get("title"), element.text) == ("x-other", "a b", "c d")


class TestToHtml:
    @pytest.mark.parametrize("html", [PAGE, "<p>", "text", "<table><td>a<td>b</table>", "<pre>\n a\n  b</pre><p>c"])
    def test_parses_to_the_same_snapshot(self, html):
        page = snapshot(html)
        parsed = parse(Page(content=to_html(page), url=page.url))
        assert [parsed.tags[tag] for tag in parsed.tag] == [page.tags[tag] for tag in page.tag]
        assert list(parsed.texts) == list(page.texts)
        assert parsed.title == page.title
        assert list(parsed.attr_value) == list(page.attr_value)


RANDOM = np.random.default_rng(5)
PLACES = RANDOM.normal(size=(4, 3))
PAIRS = RANDOM.normal(size=(3, 3))
STEPS = RANDOM.normal(size=(3, 3, 3))


def scores(places, pairs):
    """Return the score of each sequence, by enumeration."""
    steps = np.broadcast_to(pairs, (len(places) - 1, *pairs.shape[-2:]))
    return {
        path: sum(places[at, label] for at, label in enumerate(path))
        + sum(steps[at, before, after] for at, (before, after) in enumerate(pairwise(path)))
        for path in product(range(places.shape[1]), repeat=len(places))
    }


class TestViterbi:
    @pytest.mark.parametrize(("places", "pairs"), [(PLACES, PAIRS), (PLACES, STEPS), (PLACES[:1], PAIRS)])
    def test_returns_the_best_sequence(self, places, pairs):
        tried = scores(places, pairs)
        assert tuple(viterbi(places, pairs)) == max(tried, key=tried.get)


class TestMarginals:
    @pytest.mark.parametrize("pairs", [PAIRS, STEPS], ids=["everywhere", "by place"])
    def test_equals_sums_over_all_sequences(self, pairs):
        expected = np.zeros_like(PLACES)
        for path, score in scores(PLACES, pairs).items():
            expected[np.arange(4), path] += np.exp(score)
        expected /= expected.sum(axis=1, keepdims=True)
        assert marginals(PLACES, pairs) == pytest.approx(expected)
