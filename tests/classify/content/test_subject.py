"""The rule that keeps what a page shows of its product or recipe."""

from __future__ import annotations

from pathlib import Path

import pytest

import vclean
from vclean.classify.content.subject import place_subject
from vclean.classify.explain.rules import Rule
from vclean.labels import Label

PRODUCT = Path(__file__).parents[3] / "fixtures" / "product" / "page.html"
SHOP = """<title>Fennel 2</title><script type="application/ld+json">{"@type": "Product", "name": "Fennel 2",
"sku": "L-204", "offers": {"price": "64.90"}}</script><nav><a href=/>Home</a> <a href=/s>Lamps</a></nav>
<h1>Fennel 2</h1>
<form><div class=price>64,90 €</div><a href=/rates>or 5,41 € a month</a><input type=submit></form>
<p>The lamp lights the road for sixty metres, and leaves the eyes of those who come towards you alone.</p>
<p>Everything in it can be taken out and replaced: the lens, the board, the cable, and even the switch.</p>
<ul class=menu><li>Number: L-204</li></ul><footer>© Lantern</footer>"""
RECIPE = """<title>Leek soup - Pots</title><script type="application/ld+json">{"@type": "Recipe", "name": "Leek soup",
"recipeIngredient": ["3 leeks", "Salt"], "recipeInstructions": ["Cut the leeks into rings."]}</script>
<nav><a href=/>Home</a> <a href=/s>Soups</a></nav><h1>Leek soup</h1><p>This soup is what we cook in November, when it
rains for days and the garden has nothing left but leeks, and we have eaten it ever since we moved here.</p>
<ul><li>3 leeks</li><li>Salt</li></ul><div><div>Cut the leeks into rings.</div></div><p>It feeds four people, or two
who come home late from a long walk, and it is better on the second day.</p><footer>© Pots</footer>"""


class TestPlaceSubject:
    def test_keeps_price_and_number(self) -> None:
        result = vclean.clean(SHOP)
        labels = {block.text: block.label for block in result.blocks}
        assert (labels["64,90 €"], labels["Number: L-204"]) == (Label.PARAGRAPH, Label.LIST_ITEM)
        assert not labels["or 5,41 € a month"].is_content

    def test_names_the_rule(self) -> None:
        result = vclean.clean(SHOP, explain=True)
        by_rule = {block.index for block in result.blocks for each in block.reasons if each.rule == Rule.SUBJECT}
        assert by_rule == result.prediction.subject_blocks
        assert "64,90 €" in {result.blocks[row].text for row in by_rule}

    def test_keeps_ingredients_and_steps(self) -> None:
        result = vclean.clean(RECIPE)
        labels = {block.text: block.label for block in result.blocks}
        assert [labels[text] for text in ("3 leeks", "Salt")] == [Label.LIST_ITEM, Label.LIST_ITEM]
        assert labels["Cut the leeks into rings."].is_content
        assert "Soups" not in result.to_text()

    def test_corpora_decide_otherwise(self) -> None:
        result = vclean.clean_file(PRODUCT, policy=vclean.Policy(convention="wcxb"))
        assert result.prediction.subject_blocks == frozenset()

    def test_a_page_without_content_stays_empty(self) -> None:
        context = vclean.clean(SHOP).prediction.context
        assert context is not None
        labels = [Label.OTHER] * len(context)
        assert place_subject(context, labels, vclean.Policy()) == (labels, None, frozenset())

    @pytest.mark.parametrize("method", ["text", "bte"])
    def test_other_methods_have_no_rule(self, method: str) -> None:
        result = vclean.clean_file(PRODUCT, method=method)
        assert result.prediction.subject is None
        assert result.product is not None
        assert result.product.price == "64.90"
        assert result.product.price_text == "€ 64.90"
