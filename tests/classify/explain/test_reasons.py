"""Test that the sum beside each block is on the side of its label, or that the rule that overruled it is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.encyclopedia import Encyclopedia
from helpers.pages import laid_out, snapshot

from vclean.classify.content.confirmed import ConfirmedPage
from vclean.classify.content.model import Model, load
from vclean.classify.content.site_evidence import SiteEvidence
from vclean.classify.content.stacking import add_columns
from vclean.classify.explain.phrases import INDEX, MIN_CONTRIBUTION, NEIGHBORS, PAGE, GroupPhrases
from vclean.classify.explain.reasons import (
    MAX_GROUPS,
    RULE,
    Explanation,
    Rule,
    explain,
    least_log_odds,
    placeholder_explanation,
)
from vclean.classify.prediction import Prediction
from vclean.features.blocks import BlockColumns, block_names, extract_blocks
from vclean.features.page_context import PageContext
from vclean.labels import Label
from vclean.page import Page
from vclean.render.static.parse import parse
from vclean.settings import Policy

SENTENCE = "It rained for a week, and nobody in the town by the river was surprised that the cellars filled. "
HTML = f"""<html lang=en><title>Rain in the valley</title><body>
<nav class="menu sidebar"><ul><li><a href=/>Home</a><li><a href=/n>News</a><li><a href=/a>About us</a></ul></nav>
<main><article class=post><h1>Rain in the valley</h1>{f"<p>{2 * SENTENCE}</p>" * 5}
<ul><li>Boots<li>Buckets<li>Pumps</ul></article></main>
<aside class="widget newsletter"><h3>Subscribe</h3><p>Sign up for our newsletter</p></aside>
<footer class=footer><p>Copyright 2020 All rights reserved. <a href=/p>Privacy policy</a></footer>"""


@pytest.fixture(scope="module")
def blocks():
    return extract_blocks(snapshot(HTML))


@pytest.fixture(scope="module")
def prediction(blocks):
    return load().label(blocks)


@pytest.fixture(scope="module")
def explanation(blocks, prediction) -> Explanation:
    return explain(load(), blocks, prediction)


def by_group(explanation, block):
    return {reason.group: reason for reason in explanation.reasons[block]}


class TestExplain:
    def test_contributions_sum_to_the_log_odds(self, explanation: Explanation, prediction) -> None:
        """Compare with the trees, which see the predicted conventions as columns, and the mean of blocks alike."""
        decision = prediction.decision
        assert list(decision.changes) == ["alike"]
        expected = load().content.booster.predict(add_columns(decision.x, decision.convention), raw_score=True)
        expected += decision.changes["alike"]
        np.testing.assert_allclose(explanation.base + explanation.contributions.sum(axis=1), expected, atol=1e-9)

    def test_reasons_are_sorted_by_contribution(self, explanation: Explanation, blocks) -> None:
        assert len(explanation.reasons) == len(blocks)
        for reasons in explanation.reasons:
            size = [abs(reason.contribution) for reason in reasons if reason.group not in (RULE, NEIGHBORS)]
            assert 0 < len(size) <= MAX_GROUPS
            assert size == sorted(size, reverse=True)
            assert min(size) >= MIN_CONTRIBUTION

    def test_includes_groups_that_support_the_decision(self, explanation: Explanation, prediction) -> None:
        """Check for two supporting groups, if there are two, even if other groups are stronger."""
        for block, sums in enumerate(explanation.contributions):
            side = 1 if prediction.decision.is_content[block] else -1
            supporting = sum(reason.contribution * side > 0 for reason in explanation.reasons[block])
            known = sum(
                size * side >= 0.3 for group, size in zip(explanation.groups, sums, strict=True) if group != PAGE
            )
            assert supporting >= min(2, known)

    def test_reason_has_the_sum_of_its_group(self, explanation: Explanation) -> None:
        for reasons, sums in zip(explanation.reasons, explanation.contributions, strict=True):
            size = dict(zip(explanation.groups, sums.tolist(), strict=True))
            assert all(reason.contribution == size[reason.group] for reason in reasons if reason.group != RULE)

    def test_always_includes_neighbors(self, explanation: Explanation, prediction) -> None:
        first, second = (by_group(explanation, block)[NEIGHBORS].text for block in (0, 1))
        assert first.startswith(f"previous: none, next: boilerplate ({prediction.probability[1]:.2f})")
        assert second.startswith(f"previous: boilerplate ({prediction.probability[0]:.2f}), next: boilerplate")
        assert all(NEIGHBORS in by_group(explanation, block) for block in range(len(explanation.reasons)))

    def test_page_features_are_no_reasons(self, explanation: Explanation) -> None:
        assert PAGE in explanation.groups
        assert all(PAGE not in by_group(explanation, block) for block in range(len(explanation.reasons)))

    def test_describes_names_and_words(self, explanation: Explanation, blocks) -> None:
        menu = " ".join(reason.text for reason in explanation.reasons[blocks.text.index("News")])
        assert "strong evidence against content" in menu
        assert '"menu"' in menu or "ul" in menu
        footer = " ".join(reason.text for reason in explanation.reasons[-1])
        assert "after the main text" in footer

    def test_missing_rendering_is_no_reason(self, explanation: Explanation) -> None:
        assert all("not rendered" not in reason.text for reasons in explanation.reasons for reason in reasons)

    def test_threshold_is_the_lowest_selected_probability(self, explanation: Explanation, prediction) -> None:
        assert explanation.threshold == min(prediction.probability[prediction.decision.selected].tolist())

    def test_site_evidence_is_a_reason(self, blocks) -> None:
        log_odds = np.zeros(len(blocks), dtype=np.float32)
        log_odds[-1] = -1.27
        ones = np.ones(len(blocks), dtype=np.int64)
        evidence = SiteEvidence(log_odds, repeated=np.zeros(len(blocks), dtype=bool), documents=ones, total=2)
        known = load().label(blocks, evidence=evidence)
        explanation = explain(load(), blocks, known)
        assert explanation.contributions[-1][explanation.groups.index("site")] == pytest.approx(-1.27)
        assert by_group(explanation, -1)["site"].text == "also on other pages of the site"
        assert not explanation.contributions[:-1, explanation.groups.index("site")].any()

    def test_visual_groups_of_a_rendered_page(self) -> None:
        styles = {"h1": {"font-size": "32px", "font-weight": "700"}}
        seen = extract_blocks(laid_out(HTML, styles=styles))
        explanation = explain(load(), seen, load().label(seen))
        sums = dict(zip(explanation.groups, np.abs(explanation.contributions).sum(axis=0), strict=True))
        assert sums["font and color"] > 0
        assert sums["size and shape"] > 0


class TestPhrases:
    """Phrases of groups."""

    def texts(self, blocks, prediction, **sizes):
        """Return the phrases for the contributions `sizes`, by column, of the first block."""
        x = prediction.decision.x
        contributions = np.zeros(x.shape)
        for name, size in sizes.items():
            contributions[0, INDEX[name]] = size
        return GroupPhrases(PageContext(blocks), x, contributions, load().linear, prediction)

    def phrase(self, blocks, prediction, group, **sizes):
        return self.texts(blocks, prediction, **sizes).text(0, group, sum(sizes.values()))

    def test_scores_against_their_contribution_come_later(self, blocks, prediction) -> None:
        assert prediction.decision.x[0, INDEX["path_score"]] < 0
        texts = [
            self.phrase(blocks, prediction, "tags and classes", path_score=size, depth=size / 2) for size in (1, -1)
        ]
        assert [text.startswith("nested in 4 elements; ") for text in texts] == [True, False]

    def test_unknown_visual_features_and_those_of_the_page_are_no_reasons(self, blocks, prediction) -> None:
        is_informative = self.texts(blocks, prediction).is_informative
        assert [is_informative(0, group, 1.0) for group in ("font and color", PAGE, "links")] == [False, False, True]

    @pytest.mark.parametrize("second", [0.5, -0.1])
    def test_omits_a_weak_or_opposed_second_feature(self, blocks, prediction, second: float) -> None:
        assert self.phrase(blocks, prediction, "links", link_share=-2.0, in_link=second) == "link share 1.00"

    def test_omits_statistics_of_a_single_block(self, blocks, prediction) -> None:
        alone = prediction.decision.x[:, INDEX["class_blocks"]] <= 1
        assert alone[-1]
        first = replace(prediction, decision=replace(prediction.decision, x=prediction.decision.x[::-1]))
        text = self.phrase(blocks, first, "similar blocks", class_share=-1.0, word_alike=-0.6)
        assert text.startswith("no other block has its tags and classes; its words")
        assert "share" not in text
        many = self.phrase(blocks, prediction, "similar blocks", class_share=-1.0, word_alike=-0.6)
        assert many.startswith("3 blocks with its tags and classes, with 1.3 words and link share 1.00 on average; ")
        assert "% of the page's words" in many


class TestPlaceholderExplanation:
    def test_names_the_method(self) -> None:
        explanation = placeholder_explanation("bte", 2)
        assert [len(each) for each in explanation.reasons] == [1, 1]
        assert explanation.reasons[0][0].text == "decided by the method bte, which gives no reasons"
        assert explanation.groups == ()
        assert np.isnan([explanation.base, explanation.threshold]).all()


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
    model = model or load()
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


class TestGeneratedPages:
    @pytest.mark.parametrize("shift", [-12.0, -2.0, 2.0, 12.0])
    def test_evidence_of_the_site(self, shift: float) -> None:
        blocks = extract_blocks(snapshot(Encyclopedia(1).html))
        count = len(blocks)
        values = np.where(np.arange(count) % 3, 0, shift).astype(np.float32)
        evidence = SiteEvidence(
            values, repeated=np.arange(count) % 5 == 0, documents=np.full(count, 3, dtype=np.int32), total=4
        )
        assert_explained(blocks, evidence=evidence)

    @pytest.mark.parametrize("html", ["<p>Rain", "<p>", "<p hidden>Rain<p hidden>Sun", "<ul><li>a<li>a<li>a</ul>"])
    def test_short_pages(self, html: str) -> None:
        blocks = extract_blocks(snapshot(html))
        prediction, explanation = assert_explained(blocks)
        assert len(explanation.margins) == len(prediction.labels) == len(blocks)


class TestConfirmed:
    def test_rule_is_named(self) -> None:
        blocks = extract_blocks(snapshot(Encyclopedia(1).html))
        names = block_names(blocks.xpath, blocks.text)
        usual = load().label(blocks).labels
        opposite = [Label.OTHER if label.is_content else Label.PARAGRAPH for label in usual]
        pages = (ConfirmedPage("", dict(zip(names, opposite, strict=True))),)
        prediction, explanation = assert_explained(blocks, model=replace(load(), confirmed=pages))
        assert prediction.labels == opposite
        assert explanation.reasons[0][0].text == f"labelled {opposite[0]} by a person, who confirmed this page"
        assert set(explanation.overruled_by) <= {"", Rule.CONFIRMED}
        assert explanation.overruled_by.count(Rule.CONFIRMED) > len(blocks) / 2


class TestLeastLogOdds:
    @pytest.mark.parametrize(
        ("candidates", "selected"),
        [(np.array([1, 0], dtype=np.float32), [True, False]), (np.array([0.1], dtype=np.float32), [False])],
    )  # fmt: skip
    def test_certain_blocks_or_none(self, candidates, selected: list[bool]) -> None:
        decision = SimpleNamespace(candidates=candidates, selected=np.array(selected))
        assert least_log_odds(decision) == pytest.approx(0, abs=1e-6)
