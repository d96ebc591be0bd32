"""Test that the sum beside each block is on the side of its label, or that the rule that overruled it is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.encyclopedia import Encyclopedia
from helpers.pages import laid_out, snapshot

from vclean.classify.content.confirmed import ConfirmedPage, ConfirmedPages
from vclean.classify.content.model import Model, load_default
from vclean.classify.content.site_evidence import SiteEvidence
from vclean.classify.explain.reasons import Explanation, explain, least_log_odds
from vclean.classify.explain.rules import Rule
from vclean.classify.prediction import Change, Decision, Prediction
from vclean.features.block_names import block_names
from vclean.features.blocks import BlockColumns, extract_blocks
from vclean.labels import Label
from vclean.page import Page
from vclean.render.static.parse import parse
from vclean.settings import Policy

FIXTURES = sorted((Path(__file__).parents[3] / "fixtures").glob("*/page.html"))
POLICIES = {
    "default": Policy(),
    "precision": Policy(recall_weight=0.3),
    "recall": Policy(recall_weight=4),
    "comments out": Policy(comments=False),
    "comments in": Policy(comments=True),
    "kinds out": Policy(title=False, captions=False, byline=False, lists=False),
    "kinds in": Policy(captions=True, byline=True, lists=True),
    "hidden": Policy(hidden="keep"),
}


def assert_margins_match(blocks: BlockColumns, prediction: Prediction, explanation: Explanation) -> None:
    """Assert that the margins of the blocks of a page match their labels and the named rules."""
    sums = explanation.base + explanation.contributions.sum(axis=1) - explanation.least_log_odds
    np.testing.assert_allclose(explanation.margins, sums, atol=1e-9)
    for block, label in enumerate(prediction.labels):
        is_on_side = (explanation.margins[block] > 0) == label.is_content
        assert is_on_side == (explanation.overruled_by[block] == ""), blocks.text[block]
        if not is_on_side:
            assert explanation.reasons[block][0].rule == explanation.overruled_by[block]
            assert explanation.reasons[block][0].text


def assert_explained(
    blocks: BlockColumns, policy: Policy | None = None, model: Model | None = None, evidence: SiteEvidence | None = None
) -> tuple[Prediction, Explanation]:
    """Label and explain a page, assert that margins match labels, and return both."""
    model = model or load_default()
    prediction = model.label(blocks, policy=policy, evidence=evidence)
    explanation = explain(model, blocks, prediction)
    assert_margins_match(blocks, prediction, explanation)
    return prediction, explanation


class TestFixtures:
    @pytest.mark.slow
    @pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
    @pytest.mark.parametrize("path", FIXTURES, ids=[path.parent.name for path in FIXTURES])
    def test_all(self, path: Path, policy: Policy) -> None:
        assert_explained(extract_blocks(parse(Page(content=path.read_bytes()))), policy)

    @pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
    def test_forum(self, policy: Policy) -> None:
        path = next(path for path in FIXTURES if path.parent.name == "forum")
        _, explanation = assert_explained(extract_blocks(parse(Page(content=path.read_bytes()))), policy)
        assert Rule.THRESHOLD not in explanation.overruled_by

    def test_rendered(self) -> None:
        path = next(path for path in FIXTURES if path.parent.name == "news")
        assert_explained(extract_blocks(laid_out(path.read_text(encoding="utf-8"))))


class TestGeneratedPages:
    @pytest.mark.parametrize("seed", range(3))
    def test_articles(self, seed: int) -> None:
        assert_explained(extract_blocks(snapshot(Encyclopedia(2, seed).html, "https://example.org/wiki/Ferries")))

    @pytest.mark.parametrize("shift", [-12.0, -2.0, 2.0, 12.0])
    def test_evidence_of_the_site(self, shift: float) -> None:
        blocks = extract_blocks(snapshot(Encyclopedia(1).html))
        count = len(blocks)
        values = np.where(np.arange(count) % 3, 0, shift).astype(np.float32)
        evidence = SiteEvidence(
            values, repeated=np.arange(count) % 5 == 0, documents=np.full(count, 3, dtype=np.int32), total=4
        )
        assert_explained(blocks, evidence=evidence)

    @pytest.mark.parametrize("convention", load_default().conventions.names)
    def test_conventions(self, convention: str) -> None:
        blocks = extract_blocks(snapshot(Encyclopedia(1).html))
        _, explanation = assert_explained(blocks, Policy(convention=convention))
        assert explanation.contributions[:, explanation.groups.index(Change.CONVENTION)].any()

    @pytest.mark.parametrize("html", ["<p>Rain", "<p>", "<p hidden>Rain<p hidden>Sun", "<ul><li>a<li>a<li>a</ul>"])
    def test_short_pages(self, html: str) -> None:
        blocks = extract_blocks(snapshot(html))
        prediction, explanation = assert_explained(blocks)
        assert len(explanation.margins) == len(prediction.labels) == len(blocks)


class TestConfirmed:
    def test_rule_is_named(self) -> None:
        blocks = extract_blocks(snapshot(Encyclopedia(1).html))
        names = block_names(blocks.xpath, blocks.text)
        usual = load_default().label(blocks).labels
        opposite = [Label.OTHER if label.is_content else Label.PARAGRAPH for label in usual]
        pages = ConfirmedPages((ConfirmedPage("", dict(zip(names, opposite, strict=True))),))
        model = load_default()
        prediction = model.label(blocks)
        assert prediction.labels == usual
        prediction, explanation = assert_explained(blocks, model=replace(model, confirmed=pages))
        assert prediction.labels == opposite
        assert set(explanation.overruled_by) <= {"", Rule.CONFIRMED}
        assert explanation.overruled_by.count(Rule.CONFIRMED) > len(blocks) / 2


class TestLeastLogOdds:
    @staticmethod
    def decided(candidates: list[float] | None, selected: str) -> float:
        values = None if candidates is None else np.array(candidates, dtype=np.float32)
        mask = np.array([mark == "+" for mark in selected])
        empty = np.zeros(0, dtype=np.float32)
        decision = Decision(
            x=empty,
            convention=empty,
            comments=empty,
            evidence=None,
            policy=Policy(),
            selected=mask,
            group=np.zeros(0, dtype=np.int32),
            is_content=mask,
            candidates=values,
        )
        return least_log_odds(decision)

    def test_between_kept_and_dropped_blocks(self) -> None:
        assert self.decided([0.9, 0.5, 0.5, 0.1], "+++-") == pytest.approx(np.log(1 / 9) / 2)

    def test_all_kept(self) -> None:
        assert self.decided([0.9, 0.8], "++") == 0
        assert self.decided([0.9, 0.5], "++") == pytest.approx(-0.1)

    def test_certain_blocks(self) -> None:
        assert self.decided([1, 0], "+-") == 0

    def test_none_kept(self) -> None:
        assert self.decided([0.1], "-") == 0
        assert self.decided(None, "+") == 0
