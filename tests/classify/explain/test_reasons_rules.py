from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.content import stacking
from vclean.classify.content.postprocess import block_groups
from vclean.classify.explain.reasons import Rules
from vclean.classify.prediction import Decision, Prediction
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.labels import Label
from vclean.settings import Policy

PAGE = "<p>one two three<p>four five six<p>seven eight nine<ul><li>a b c<li>d e f<li>g h i<li>j k l</ul>"


def told(probability, cut_at, kept=None, *, comments=(), policy=None, page=PAGE):
    """What is told of the blocks of a page, and its threshold.

    Args:
        probability: of every block.
        cut_at: a string of + and -, what the cut kept.
        kept: what was kept in the end; as the cut has it without.
        comments: blocks among comments.
    """
    blocks = extract_blocks(snapshot(page))
    chosen = np.array([mark == "+" for mark in cut_at])
    last = np.array([mark == "+" for mark in kept or cut_at])
    among = np.zeros(len(blocks), dtype=np.float32)
    among[list(comments)] = 1
    x = np.zeros((len(blocks), len(stacking.COLUMNS)), dtype=np.float32)
    decision = Decision(x, among, None, policy or Policy(), chosen, block_groups(blocks), last)
    labels = [Label.PARAGRAPH if each else Label.OTHER for each in last]
    said = Prediction(labels, np.array(probability, dtype=np.float32), decision=decision)
    rules = Rules(blocks, said, decision, PageContext(blocks).tokens)
    return [rules.describe(block) for block in range(len(blocks))], rules.threshold


class TestTell:
    def test_nothing_where_the_trees_alone_decided(self) -> None:
        rules, threshold = told([0.9, 0.8, 0.2, 0.1, 0.1, 0.1, 0.1], "++-----")
        assert rules == [[]] * 7
        assert threshold == pytest.approx(0.8)

    def test_a_cut_below_one_half(self) -> None:
        rules, _ = told([0.9, 0.4, 0.2, 0.1, 0.1, 0.1, 0.1], "++-----")
        assert rules[1] == ["kept at 0.40: the threshold of this page is 0.40"]
        assert not rules[0]
        assert not rules[2]

    def test_a_cut_above_one_half(self) -> None:
        rules, _ = told([0.9, 0.6, 0.2, 0.1, 0.1, 0.1, 0.1], "+------")
        assert rules[1] == ["dropped at 0.60: the threshold of this page is 0.90"]

    @pytest.mark.parametrize(("beta", "what"), [(0.25, "precision"), (4, "recall")])
    def test_a_cut_that_was_asked_for(self, beta: float, what: str) -> None:
        rules, _ = told([0.9, 0.6, 0.2, 0.1, 0.1, 0.1, 0.1], "+------", policy=Policy(recall_weight=beta))
        assert rules[1] == [
            f"dropped at 0.60: the threshold of this page is 0.90 ({what} requested)",
        ]

    def test_a_list_kept_as_a_whole(self) -> None:
        rules, _ = told([0.9, 0.8, 0.2, 0.8, 0.8, 0.8, 0.3], "++-+++-", "++-++++")
        assert rules[6] == ["kept with the whole list: 75 % of its words were selected"]
        assert not rules[5]

    def test_a_table_dropped_as_a_whole(self) -> None:
        rows = "".join(f"<tr><td>a b c {row}<td>d e f {row}" for row in range(5))
        rules, _ = told([0.9] + [0.1] * 9, "+---------", "-" * 10, page=f"<table>{rows}</table>")
        assert rules[0] == ["dropped with the whole table: 10 % of its words were selected"]

    def test_the_last_word_comes_first(self) -> None:
        """First the list, then the cut that decided otherwise."""
        rules, _ = told([0.9, 0.8, 0.2, 0.45, 0.1, 0.1, 0.1], "++-+---", "++-----")
        assert [text.split()[0] for text in rules[3]] == ["dropped", "kept"]

    @pytest.mark.parametrize(("wanted", "text"), [(True, "kept"), (False, "dropped")])
    def test_comments_as_they_were_asked_for(self, wanted: bool, text: str) -> None:
        rules, _ = told([0.9, 0.8, 0.2] + [0.1] * 4, "++-----", comments=(2,), policy=Policy(comments=wanted))
        assert rules[2] == [f"in readers' comments, which are {text} as requested"]
        assert not rules[1]

    def test_comments_that_the_cut_left_out(self) -> None:
        """They are dropped although they are as probable as what is kept."""
        rules, threshold = told([0.9, 0.6, 0.7, 0.1, 0.1, 0.1, 0.1], "++-----", comments=(2,))
        assert threshold == pytest.approx(0.6)
        assert rules[2] == ["dropped at 0.70: all comments of this page are dropped"]

    def test_comments_that_the_cut_kept(self) -> None:
        rules, _ = told([0.9, 0.6, 0.3, 0.1, 0.1, 0.1, 0.1], "+++----", comments=(2,))
        assert rules[2] == ["kept at 0.30: all comments of this page are kept"]


class TestThreshold:
    def test_of_nothing(self) -> None:
        assert math.isnan(told([0.1] * 7, "-------")[1])

    def test_of_comments_alone(self) -> None:
        assert told([0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], "+------", comments=(0,))[1] == pytest.approx(0.4)
