from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.methods.bte import best_span, label
from vclean.features.blocks import extract_blocks

MENU = "<ul>" + "<li><a href=/>Link</a></li>" * 8 + "</ul>"
ARTICLE = "<h1>Cats</h1>" + "<p>Cats sleep most of the day and most of the night, and nobody knows why.</p>" * 3
VALUES = st.lists(st.integers(-9, 9), max_size=12)


def letters(prediction):
    return "".join(label.value for label in prediction.labels)


class TestLabel:
    def test_keeps_the_dense_part_of_a_page(self):
        blocks = extract_blocks(snapshot(f"{MENU}<div>{ARTICLE}</div>{MENU}"))
        content = [text for text, found in zip(blocks.text, label(blocks).labels, strict=True) if found.is_content]
        assert len(content) == 3
        assert all(text.startswith("Cats sleep") for text in content)

    def test_menu_costs_more_tags_than_it_has_words(self):
        assert letters(label(extract_blocks(snapshot(MENU)))) == "looooooo"

    def test_maximizes_words_minus_tags(self):
        """Cross a gap of two tags between two and three words, but not a gap of six tags."""
        near = extract_blocks(snapshot("<p>one two</p><p>one two three</p>"))
        far = extract_blocks(snapshot("<div><div><p>one two</p></div></div><div><div><p>one two three</p></div></div>"))
        assert letters(label(near)) == "op"
        assert letters(label(far)) == "op"
        longer = extract_blocks(snapshot("<p>one two three</p><p>one two three</p>"))
        assert letters(label(longer)) == "pp"


class TestBestSpan:
    def test_agrees_with_manual_computation(self):
        assert best_span(np.array([2, 3, -1, 3]), np.array([0, 1, 0, 9])) == (0, 2)
        assert best_span(np.array([2, 3, -1, 5]), np.array([0, 1, 0, 1])) == (0, 4)

    @pytest.mark.parametrize("values", [[], [0], [-1, -2]])
    def test_no_positive_sum(self, values):
        assert best_span(np.array(values, dtype=np.int64), np.ones(len(values), dtype=np.int64)) == (0, 0)

    @given(VALUES, st.data())
    def test_returns_the_best_span(self, values, data):
        costs = data.draw(st.lists(st.integers(0, 9), min_size=len(values), max_size=len(values)))

        def worth(begin, end):
            return sum(values[begin:end]) - sum(costs[begin + 1 : end])

        begin, end = best_span(np.array(values, dtype=np.int64), np.array(costs, dtype=np.int64))
        spans = [(a, b) for a in range(len(values)) for b in range(a + 1, len(values) + 1)]
        assert worth(begin, end) == max([0, *(worth(*span) for span in spans)])
