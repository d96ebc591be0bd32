from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

from vclean.classify.content.model import load_default
from vclean.classify.explain import phrases
from vclean.classify.explain import reasons as module
from vclean.classify.explain.groups import SITE
from vclean.classify.explain.phrases import NEIGHBORS, PAGE
from vclean.classify.explain.reasons import (
    MAX_GROUPS,
    MIN_CONTRIBUTION,
    RULE,
    Explanation,
    explain,
    placeholder_explanation,
)
from vclean.features.blocks import extract_blocks
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
    return load_default().label(blocks)


@pytest.fixture(scope="module")
def explanation(blocks, prediction) -> Explanation:
    return explain(load_default(), blocks, prediction)


def by_group(explanation, block):
    return {reason.group: reason for reason in explanation.reasons[block]}


class TestExplain:
    def test_contributions_add_up_to_what_the_trees_say(self, explanation: Explanation, prediction) -> None:
        said = load_default().content.booster.predict(prediction.decision.x, raw_score=True)
        np.testing.assert_allclose(explanation.base + explanation.contributions.sum(axis=1), said, atol=1e-9)

    def test_every_block_has_reasons_strongest_first(self, explanation: Explanation, blocks) -> None:
        assert len(explanation.reasons) == len(blocks)
        for told in explanation.reasons:
            size = [abs(reason.contribution) for reason in told if reason.group not in (RULE, NEIGHBORS)]
            assert 0 < len(size) <= MAX_GROUPS
            assert size == sorted(size, reverse=True)
            assert min(size) >= MIN_CONTRIBUTION

    def test_what_speaks_for_the_verdict_is_told(self, explanation: Explanation, prediction) -> None:
        """Two groups at least, where there are two, however much more speaks for the other side."""
        for block, sums in enumerate(explanation.contributions):
            side = 1 if prediction.decision.is_content[block] else -1
            told = sum(reason.contribution * side > 0 for reason in explanation.reasons[block])
            known = sum(
                size * side >= 0.3 for group, size in zip(explanation.groups, sums, strict=True) if group != PAGE
            )
            assert told >= min(2, known)

    def test_a_reason_has_the_sum_of_its_group(self, explanation: Explanation) -> None:
        for told, sums in zip(explanation.reasons, explanation.contributions, strict=True):
            size = dict(zip(explanation.groups, sums.tolist(), strict=True))
            assert all(reason.contribution == size[reason.group] for reason in told if reason.group != RULE)

    def test_what_the_neighbours_said_is_told_in_any_case(self, explanation: Explanation, prediction) -> None:
        first, second = (by_group(explanation, block)[NEIGHBORS].text for block in (0, 1))
        assert first.startswith(f"previous: none, next: boilerplate ({prediction.probability[1]:.2f})")
        assert second.startswith(f"previous: boilerplate ({prediction.probability[0]:.2f}), next: boilerplate")
        assert all(NEIGHBORS in by_group(explanation, block) for block in range(len(explanation.reasons)))

    def test_what_holds_for_the_whole_page_is_in_the_figures_alone(self, explanation: Explanation) -> None:
        assert PAGE in explanation.groups
        assert all(PAGE not in by_group(explanation, block) for block in range(len(explanation.reasons)))

    def test_names_and_words_that_tell(self, explanation: Explanation, blocks) -> None:
        menu = " ".join(reason.text for reason in explanation.reasons[blocks.text.index("News")])
        assert "strong evidence against content" in menu
        assert '"menu"' in menu or "ul" in menu
        footer = " ".join(reason.text for reason in explanation.reasons[-1])
        assert "after the main text" in footer

    def test_a_paragraph_is_inside_the_main_text(self, explanation: Explanation, blocks) -> None:
        body = blocks.text.index((2 * SENTENCE).strip())
        assert by_group(explanation, body)["main text"].text.startswith("inside the main text")
        assert by_group(explanation, body)["main text"].contribution > 0

    def test_not_rendered_is_no_reason(self, explanation: Explanation) -> None:
        assert all("not rendered" not in reason.text for told in explanation.reasons for reason in told)

    def test_the_threshold_is_the_lowest_probability_kept(self, explanation: Explanation, prediction) -> None:
        assert explanation.threshold == min(prediction.probability[prediction.decision.selected].tolist())

    def test_the_same_twice(self, explanation: Explanation, blocks, prediction) -> None:
        again = explain(load_default(), blocks, prediction)
        assert again.reasons == explanation.reasons

    def test_a_rule_that_decided_comes_first(self, blocks) -> None:
        precise = load_default().label(blocks, policy=Policy(recall_weight=0.01))
        told = explain(load_default(), blocks, precise)
        dropped = [
            block for block, p in enumerate(precise.probability) if p > 0.5 and not precise.labels[block].is_content
        ]
        assert dropped
        for block in dropped:
            assert told.reasons[block][0].group == RULE
            assert "precision" in told.reasons[block][0].text
            assert told.reasons[block][0].contribution == 0

    def test_what_the_site_repeats(self, blocks) -> None:
        evidence = np.zeros(len(blocks), dtype=np.float32)
        evidence[-1] = -1.27
        known = load_default().label(blocks, evidence=evidence)
        told = explain(load_default(), blocks, known)
        assert told.contributions[-1][told.groups.index(SITE)] == pytest.approx(-1.27)
        assert by_group(told, -1)[SITE].text == "also on other pages of the site"
        assert not told.contributions[:-1, told.groups.index(SITE)].any()

    def test_a_page_without_blocks(self) -> None:
        nothing = extract_blocks(snapshot("<p>"))
        assert explain(load_default(), nothing, load_default().label(nothing)).reasons == []

    def test_one_block(self) -> None:
        alone = extract_blocks(snapshot("<p>word"))
        told = explain(load_default(), alone, load_default().label(alone))
        assert by_group(told, 0)[NEIGHBORS].text.startswith("previous: none, next: none")

    def test_a_rendered_page_tells_of_fonts_and_columns(self) -> None:
        styles = {"h1": {"font-size": "32px", "font-weight": "700"}}
        seen = extract_blocks(laid_out(HTML, styles=styles))
        told = explain(load_default(), seen, load_default().label(seen))
        sums = dict(zip(told.groups, np.abs(told.contributions).sum(axis=0), strict=True))
        assert sums["font and color"] > 0
        assert sums["size and shape"] > 0

    def test_without_region_model(self, blocks) -> None:
        bare = replace(load_default(), regions=None)
        told = explain(bare, blocks, bare.label(blocks))
        assert not any("probability" in reason.text for told in told.reasons for reason in told)


class TestPhrases:
    """How a group is worded from its columns."""

    def teller(self, blocks, prediction, sizes):
        """What words the contributions `sizes`, by column, of the first block."""
        x = prediction.decision.x
        divided = np.zeros(x.shape)
        for name, size in sizes.items():
            divided[0, module._NAMES.index(name)] = size
        model = load_default()
        view = module.PageContext(blocks)
        setting, telling = module.BlockSurroundings(view, x), module.SalientTokens(view, model.linear)
        return module._ReasonWriter(setting, telling, prediction, prediction.decision, divided)

    def told(self, blocks, prediction, group, **sizes):
        return self.teller(blocks, prediction, sizes)._text(0, group, sum(sizes.values()))

    def test_the_strongest_column_of_the_groups_side(self, blocks, prediction) -> None:
        assert self.told(blocks, prediction, "links", link_share=-2.0, links=0.5) == "link share 1.00"

    def test_a_second_one_that_says_something_else(self, blocks, prediction) -> None:
        found = self.told(blocks, prediction, "links", link_share=-2.0, links=-1.0)
        assert found == "link share 1.00; 1 link"

    def test_no_second_one_that_is_weak(self, blocks, prediction) -> None:
        assert self.told(blocks, prediction, "links", link_share=-2.0, links=-0.1) == "link share 1.00"

    def test_no_second_one_that_says_the_same(self, blocks, prediction) -> None:
        found = self.told(blocks, prediction, "length and punctuation", words=-2.0, chars=-1.9)
        assert found == "1 word (short)"

    def test_a_verdict_that_puzzles_comes_after_a_fact(self, blocks, prediction) -> None:
        """The tags of a menu speak against content; that they contribute towards it would puzzle."""
        assert prediction.decision.x[0, module._NAMES.index("path_score")] < 0
        found = self.told(blocks, prediction, "tags and classes", path_score=1.0, in_main=0.5)
        assert found.startswith("not inside <main>")

    def test_of_far_neighbours_little_is_said(self, blocks, prediction) -> None:
        found = self.told(blocks, prediction, "neighbors", **{"link_share+3": -1.0, "words+1": -0.7})
        assert found.split("; ")[1].startswith("next block: ")

    def test_of_a_block_like_no_other_no_share_is_told(self, blocks, prediction) -> None:
        alone = prediction.decision.x[:, module._NAMES.index("class_blocks")] <= 1
        assert alone[-1]
        first = replace(prediction, decision=replace(prediction.decision, x=prediction.decision.x[::-1]))
        found = self.told(blocks, first, "similar blocks", class_share=-1.0, word_alike=-0.6)
        assert found.startswith("no other block has its tags and classes; its words")
        assert "share" not in found
        many = self.told(blocks, prediction, "similar blocks", class_share=-1.0, word_alike=-0.6)
        assert many.startswith("3 blocks with its tags and classes, with 1.3 words and link share 1.00 on average; ")
        assert "% of the page's words" in many


class TestUnexplained:
    def test_says_which_method_it_was(self) -> None:
        told = placeholder_explanation("bte", 2)
        assert [len(each) for each in told.reasons] == [1, 1]
        assert told.reasons[0][0].text == "decided by the method bte, which gives no reasons"
        assert told.groups == ()
        assert np.isnan([told.base, told.threshold]).all()


class TestGroups:
    def test_all_are_named_for_people(self, explanation: Explanation) -> None:
        assert set(phrases.GROUPS) < set(explanation.groups)
        assert all("_" not in group for group in explanation.groups)
