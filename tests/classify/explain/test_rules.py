from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.content import stacking
from vclean.classify.content.postprocess import block_groups
from vclean.classify.explain.reasons import Rule, Rules
from vclean.classify.prediction import Decision, Prediction
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.labels import Label
from vclean.settings import Policy

PAGE = "<p>one two three<p>four five six<p>seven eight nine<ul><li>a b c<li>d e f<li>g h i<li>j k l</ul>"


def decided(probability, selected, final=None, *, page=PAGE, **policy):
    """Return the rules that decided about a page with comments in its third block.

    Args:
        probability: probability of each block.
        selected: a string of + and -, the blocks selected by the threshold.
        final: blocks after post-processing; equal to `selected` by default.
        page: HTML of the page.
        **policy: fields of the policy.
    """
    blocks = extract_blocks(snapshot(page))
    by_threshold = np.array([mark == "+" for mark in selected])
    is_content = np.array([mark == "+" for mark in final or selected])
    kinds = {"comments": np.arange(len(blocks)) == 2} if "comments" in policy else {}
    decision = Decision(
        x=np.zeros((len(blocks), len(stacking.COLUMNS)), dtype=np.float32),
        convention=np.zeros(0, dtype=np.float32),
        evidence=None,
        policy=Policy(**policy),
        selected=by_threshold,
        group=block_groups(blocks),
        is_content=is_content,
        candidates=np.array(probability, dtype=np.float32),
        kinds=kinds,
    )
    labels = [Label.PARAGRAPH if flag else Label.OTHER for flag in is_content]
    prediction = Prediction(labels, np.array(probability, dtype=np.float32), decision=decision)
    return Rules(PageContext(blocks), prediction, decision)


LIST = "<p>one two three<ul><li>a b c<li>d e f</ul><p>four five six"
TABLE = f"<table>{''.join(f'<tr><td>a b c {row}<td>d e f {row}' for row in range(5))}</table>"
HIGH, LOW = [0.9, 0.8, 0.2] + [0.1] * 4, [0.9, 0.4, 0.2] + [0.1] * 4
LIKELY, FEW = [0.9, 0.6, 0.6, 0.9], [0.9] + [0.1] * 9
BELOW = {Rule.THRESHOLD: "dropped at 0.60: the threshold of this page is 0.90"}
WHOLE_LIST = "kept with the whole list: it is probably content, and the blocks before and after it are kept"
WHOLE_TABLE = "dropped with the whole table: 10 % of its words were selected"
COMMENTS = "in readers' comments, which are {} as requested"


class TestDescribe:
    @pytest.mark.parametrize(
        ("label", "title", "phrase"),
        [
            (Label.HEADING, True, "kept because it is the headline: --title out would leave it out"),
            (Label.OTHER, False, "left out because it is the headline"),
            (Label.OTHER, True, "left out because it repeats the headline"),
        ],
    )
    def test_headline(self, label: Label, title: bool, phrase: str) -> None:
        before = "-" if label.is_content else "+"
        rules = decided([0.9] * 7, before + "-" * 6, title=title)
        rules.prediction.labels[0] = label
        assert rules.describe(0)[0] == (Rule.HEADLINE, phrase)

    @pytest.mark.parametrize(
        ("probability", "selected", "options", "block", "rules"),
        [
            (LOW, "++-----", {}, 0, {}),
            (LOW, "++-----", {}, 2, {}),
            (LOW, "++-----", {}, 1, {Rule.THRESHOLD: "kept at 0.40: the threshold of this page is 0.40"}),
            (LIKELY, "+---", {"page": LIST}, 1, BELOW),
            (LIKELY, "+--+", {"page": LIST, "final": "++++"}, 1, {Rule.GROUP: WHOLE_LIST} | BELOW),
            (FEW, "+---------", {"page": TABLE, "final": "-" * 10}, 0, {Rule.GROUP: WHOLE_TABLE}),
            (HIGH, "++-----", {"comments": True}, 1, {}),
            (HIGH, "++-----", {"comments": True}, 2, {Rule.COMMENTS: COMMENTS.format("kept")}),
            (HIGH, "++-----", {"comments": False}, 2, {Rule.COMMENTS: COMMENTS.format("dropped")}),
        ],
    )
    def test_rules_with_the_last_one_first(self, probability, selected, options, block: int, rules) -> None:
        assert decided(probability, selected, **options).describe(block) == [*rules.items()]

    def test_hidden(self) -> None:
        assert [rule for rule, _ in decided([0.9, 0.8], "+-", page="<p>a<p hidden>b").describe(1)] == [Rule.HIDDEN]


class TestThreshold:
    def test_nan_without_selected_blocks(self) -> None:
        assert math.isnan(decided([0.1] * 7, "-------").threshold)
