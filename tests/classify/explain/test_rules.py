from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.content import stacking
from vclean.classify.content.kinds import KindRequest
from vclean.classify.content.postprocess import block_groups
from vclean.classify.explain.rules import Rule, Rules
from vclean.classify.prediction import Decision, Prediction
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.labels import Label
from vclean.settings import Policy

PAGE = "<p>one two three<p>four five six<p>seven eight nine<ul><li>a b c<li>d e f<li>g h i<li>j k l</ul>"


def decided(probability, selected, final=None, *, comments=(), policy=None, page=PAGE):
    """Return the rules that decided about a page.

    Args:
        probability: probability of each block.
        selected: a string of + and -, the blocks selected by the threshold.
        final: blocks after post-processing; equal to `selected` by default.
        comments: blocks in comments.
        policy: the policy.
        page: HTML of the page.
    """
    blocks = extract_blocks(snapshot(page))
    by_threshold = np.array([mark == "+" for mark in selected])
    is_content = np.array([mark == "+" for mark in final or selected])
    policy, members = policy or Policy(), np.zeros(len(blocks), dtype=np.float32)
    members[list(comments)] = 1
    requests = () if policy.comments is None else (KindRequest("comments", members, policy.comments),)
    x = np.zeros((len(blocks), len(stacking.COLUMNS)), dtype=np.float32)
    decision = Decision(
        x=x,
        convention=np.zeros(0, dtype=np.float32),
        evidence=None,
        policy=policy,
        requests=requests,
        selected=by_threshold,
        group=block_groups(blocks),
        is_content=is_content,
    )
    labels = [Label.PARAGRAPH if flag else Label.OTHER for flag in is_content]
    prediction = Prediction(labels, np.array(probability, dtype=np.float32), decision=decision)
    return Rules(PageContext(blocks), prediction, decision)


def rules_of(probability, *arguments, **options):
    """Return the phrases of the rules of each block, and the threshold; arguments as for `decided`."""
    rules = decided(probability, *arguments, **options)
    return [[text for _, text in rules.describe(block)] for block in range(len(probability))], rules.threshold


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
        rules = decided([0.9] * 7, before + "-" * 6, policy=Policy(title=title))
        rules.prediction.labels[0] = label
        assert rules.describe(0)[0] == (Rule.HEADLINE, phrase)

    def test_threshold_below_one_half(self) -> None:
        rules, _ = rules_of([0.9, 0.4, 0.2, 0.1, 0.1, 0.1, 0.1], "++-----")
        assert rules[1] == ["kept at 0.40: the threshold of this page is 0.40"]
        assert not rules[0]
        assert not rules[2]

    def test_threshold_above_one_half(self) -> None:
        rules, _ = rules_of([0.9, 0.6, 0.2, 0.1, 0.1, 0.1, 0.1], "+------")
        assert rules[1] == ["dropped at 0.60: the threshold of this page is 0.90"]

    def test_list_between_kept_blocks(self) -> None:
        page = "<p>one two three<ul><li>a b c<li>d e f</ul><p>four five six"
        rules, _ = rules_of([0.9, 0.6, 0.6, 0.9], "+--+", "++++", page=page)
        phrase = "kept with the whole list: it is probably content, and the blocks before and after it are kept"
        assert phrase in rules[1]
        assert rules[1] == rules[2]

    def test_table_dropped_as_one(self) -> None:
        rows = "".join(f"<tr><td>a b c {row}<td>d e f {row}" for row in range(5))
        rules, _ = rules_of([0.9] + [0.1] * 9, "+---------", "-" * 10, page=f"<table>{rows}</table>")
        assert rules[0] == ["dropped with the whole table: 10 % of its words were selected"]

    def test_last_rule_comes_first(self) -> None:
        """Check that the rule of the list precedes the rule of the threshold."""
        rules, _ = rules_of([0.9, 0.8, 0.2, 0.45, 0.1, 0.1, 0.1], "++-+---", "++-----")
        assert [text.split()[0] for text in rules[3]] == ["dropped", "kept"]

    @pytest.mark.parametrize(("include", "text"), [(True, "kept"), (False, "dropped")])
    def test_requested_comments(self, include: bool, text: str) -> None:
        rules, _ = rules_of([0.9, 0.8, 0.2] + [0.1] * 4, "++-----", comments=(2,), policy=Policy(comments=include))
        assert rules[2] == [f"in readers' comments, which are {text} as requested"]
        assert not rules[1]


class TestRule:
    """Names of rules."""

    @pytest.mark.parametrize(
        ("options", "block", "rules"),
        [
            ({"probability": [0.9, 0.4, 0.2] + [0.1] * 4, "selected": "++-----"}, 1, [Rule.THRESHOLD]),
            ({"probability": [0.9, 0.4, 0.2] + [0.1] * 4, "selected": "++-----"}, 0, []),
            ({"probability": [0.9] * 3 + [0.8] * 3 + [0.3], "selected": "++++++-", "final": "+" * 7}, 6, [Rule.GROUP]),
            (
                {"probability": [0.9, 0.1] + [0.1] * 5, "selected": "+------", "comments": (1,)}
                | {"policy": Policy(comments=False)},
                1,
                [Rule.COMMENTS],
            ),
            ({"probability": [0.9, 0.8], "selected": "+-", "page": "<p>a<p hidden>b"}, 1, [Rule.HIDDEN]),
        ],
    )
    def test_names_the_rules_of_a_block(self, options, block: int, rules) -> None:
        assert [rule for rule, _ in decided(**options).describe(block)] == rules


class TestThreshold:
    def test_nan_without_selected_blocks(self) -> None:
        assert math.isnan(rules_of([0.1] * 7, "-------")[1])
