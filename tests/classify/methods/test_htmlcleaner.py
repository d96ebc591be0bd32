from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.methods import get
from vclean.classify.methods.htmlcleaner import best_sequence
from vclean.features.blocks import extract_blocks

GOOD = "<p>It rained all day in the valley, and nobody who was there minded it, for it was very warm.</p>"
LINKS = "<p><a href=/>Sport and weather from all over the world</a></p>"


def letters(html):
    return "".join(get("htmlcleaner")(extract_blocks(snapshot(html))).labels)


class TestLabel:
    def test_does_not_cross_links(self):
        assert letters(f"{GOOD}{GOOD}{LINKS * 4}{GOOD}<p>x</p>") == "ppoooooo"

    def test_good_sentence_has_a_capital_and_an_end(self):
        small, endless = GOOD.replace("It", "it"), GOOD.replace("warm.", "warm")
        assert letters(f"<p>x</p>{small}{GOOD}{endless}<p>y</p>") == "oopoo"

    def test_headings_by_tag_and_capitals(self):
        assert letters(f"{GOOD}<h3>Title</h3><p>WEATHER</p>{GOOD}<p>x</p>") == "phhpo"

    def test_drops_hidden_blocks_and_controls(self):
        assert letters(f"{GOOD}<p hidden>Hidden</p><button>Press</button>{GOOD}<p>x</p>") == "poopo"


class TestBestSequence:
    def test_agrees_with_manual_computation(self):
        good = np.array([True, False, True, False, True])
        assert best_sequence(np.array([3.0, -1, 2, -9, 4]), good) == (0, 3)
        assert best_sequence(np.array([3.0, -4, 2, -1, 4]), good) == (2, 5)
        assert best_sequence(np.array([9.0, 9, 9]), np.array([False, True, False])) == (1, 2)
        assert best_sequence(np.array([9.0]), np.array([False])) == (0, 0)

    @given(st.lists(st.tuples(st.integers(-9, 9), st.booleans()), min_size=1, max_size=10))
    def test_returns_the_best_sequence(self, rows):
        worth = np.array([value for value, _ in rows], dtype=np.float64)
        good = np.array([flag for _, flag in rows])
        ends = np.flatnonzero(good).tolist()
        sums = [worth[a : b + 1].sum() for a in ends for b in ends if a <= b]
        begin, end = best_sequence(worth, good)
        assert worth[begin:end].sum() == pytest.approx(max(sums, default=0))
        if sums:
            assert good[begin]
            assert good[end - 1]
