"""Product and recipe of a result."""

from __future__ import annotations

import json

import pytest

import vclean
from vclean import Box

WORDS = "It lights the road for sixty metres, and leaves the eyes of those who come towards you alone. " * 4
LAMP = {"@type": "Product", "name": "Fennel 2", "brand": "Lantern", "sku": "L-204", "offers": {"price": "64.90"}}
SOUP = {
    "@type": "Recipe",
    "name": "Leek soup",
    "recipeIngredient": ["3 leeks", "Salt"],
    "recipeInstructions": "Boil it.",
}


def page(declared: object, body: str) -> str:
    script = f'<script type="application/ld+json">{json.dumps(declared)}</script>'
    return f"<title>Fennel 2 lamp</title>{script}<h1>Fennel 2 lamp</h1>{body}<p>{WORDS}</p>"


class TestProduct:
    def test_name_that_readers_do_not_see(self) -> None:
        product = vclean.clean(page({**LAMP, "name": "Clothes, shoes & more"}, "<p>64,90 €")).product
        assert product is not None
        assert product.name == "Fennel 2 lamp"

    @pytest.mark.parametrize(
        ("price", "amount", "text"),
        [
            ("<del>$249.00</del> <b>$199.00</b>", "199.00", "$199.00"),
            ("<p class=old-price>$249.00</p><p>$199.00</p>", "199.00", "$199.00"),
            ("Was $249.00 Now $199.00", "199.00", "$199.00"),
            ("<span>$</span><span>199</span><sup>00</sup>", "199.00", "$199.00"),
            ("CHF 1'199", "1199", "CHF 1'199"),
            ("€ 1 299,00", "1299.00", "€ 1 299,00"),
        ],
    )
    def test_price_of_today(self, price: str, amount: str, text: str) -> None:
        declared = {key: value for key, value in LAMP.items() if key != "offers"}
        product = vclean.clean(page(declared, f"<div>{price}</div><button>Add to cart</button>")).product
        assert product is not None
        assert (product.price, product.price_text) == (amount, text)

    @pytest.mark.browser
    def test_box_of_the_price(self) -> None:
        html = page(LAMP, '<p style="position:absolute;left:300px;top:200px;margin:0;width:80px">64,90 €</p>')
        product = vclean.clean(html, render=True).product
        assert product is not None
        assert isinstance(product.box, Box)
        assert product.box[:2] == (300, 200)


class TestRecipe:
    def test_fields(self) -> None:
        result = vclean.clean(page(SOUP, "<ul><li>3 leeks<li>Salt</ul><p>Boil it."))
        recipe = result.recipe
        assert recipe is not None
        assert recipe.name == "Fennel 2 lamp"
        assert (recipe.ingredients, recipe.steps) == (("3 leeks", "Salt"), ("Boil it.",))
        assert [result.blocks[row].text for row in recipe.blocks] == ["3 leeks", "Salt", "Boil it."]
        assert result.product is None

    def test_json(self) -> None:
        fields = json.loads(vclean.clean(page(SOUP, "<ul><li>3 leeks<li>Salt</ul>")).to_json())
        assert fields["recipe"]["ingredients"] == ["3 leeks", "Salt"]
        assert fields["product"] is None
