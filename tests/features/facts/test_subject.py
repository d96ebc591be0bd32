"""Where a page shows its product or its recipe."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.pages import context_of

from vclean.features.facts.subject import Subject, find_subject

LAMP = {
    "@type": "Product", "name": "Fennel 2", "brand": "Lantern", "sku": "L-204",
    "offers": {"price": "64.90", "priceCurrency": "EUR"},
}  # fmt: skip
SOUP = {
    "@type": "Recipe", "name": "Leek soup", "recipeIngredient": ["3 leeks", "1 l of water", "Salt"],
    "recipeInstructions": "Cut the leeks.\nBoil them in the water for an hour.",
}  # fmt: skip


def subject(body: str, declared: object = None, hidden: tuple[int, ...] = ()) -> tuple[Subject | None, list[str]]:
    """Return the subject of a page, and the texts of its blocks."""
    script = f'<script type="application/ld+json">{json.dumps(declared)}</script>' if declared else ""
    context = context_of(f"<head>{script}<title>Fennel 2</title></head>{body}")
    candidates = np.ones(len(context), dtype=bool)
    candidates[list(hidden)] = False
    found = find_subject(context, candidates)
    return found, [context.blocks.text[row] for row in found.rows] if found else []


class TestProduct:
    def test_numbers(self) -> None:
        body = """<h1>Fennel 2</h1><p>by Lantern<p>64,90 €<p>Lantern makes lamps for those who ride all year round.
            <p>Item no. L-204<p>EAN: 4012345678901<dl><dt>Model:<dd>L-204</dl><p>Weight: light"""
        expected = ["64,90 €", "Item no. L-204", "EAN: 4012345678901", "Model:", "L-204"]
        assert subject(body, LAMP)[1] == expected

    def test_declared_number_far_before_the_headline(self) -> None:
        body = "<p>L-204<p>L-205" + "<p>Menu" * 20 + "<h1>Fennel 2</h1><p>64,90 €"
        assert subject(body, LAMP)[1] == ["L-204", "64,90 €"]

    def test_hidden_blocks_do_not_count(self) -> None:
        body = "<h1>Fennel 2</h1><p>64.90<p>64,90 €"
        assert subject(body, LAMP, hidden=(2,))[1] == ["64.90"]

    def test_without_price_a_page_is_about_no_product(self) -> None:
        assert subject("<h1>Fennel 2</h1><p>by Lantern", LAMP) == (None, [])

    @pytest.mark.parametrize(
        "button",
        [
            "<button>Add to basket</button>",
            "<button>Dodaj v košarico</button>",
            '<a class="btn add-to-cart" href=x>+</a>',
            "".join(f'<b id="buy-box-{part}"><i class="cart-add-{part}">+</i></b>' for part in range(9)),
        ],
    )
    def test_page_without_markup(self, button: str) -> None:
        found, texts = subject(f"<h1>Fennel 2</h1><p>64,90 €<p>A lamp.</p>{button}")
        assert found
        assert not found.ingredients
        assert texts == ["64,90 €"]


class TestRecipe:
    def test_ingredients_and_steps(self) -> None:
        body = """<h1>Leek soup</h1><p>Salt is old.<ul><li>3 leeks<li>1 l of water<li>Salt</ul>
            <ol><li>Cut the leeks.<li>Boil them in the water <b>for an hour.</b></ol><p>Boil them"""
        found, texts = subject(body, SOUP)
        assert found
        assert found.price_row == -1
        steps = ["Cut the leeks.", "Boil them in the water for an hour."]
        assert texts == ["3 leeks", "1 l of water", "Salt", *steps, "Boil them"]

    def test_parts_of_an_ingredient(self) -> None:
        cells = "<tr><td>1 l<td>of water<tr><td>3 leeks<td>Salt"
        assert subject(f"<h1>Leek soup</h1><table>{cells}</table>", SOUP)[1] == ["1 l", "of water", "3 leeks", "Salt"]

    def test_ingredients_that_are_split_into_blocks(self) -> None:
        recipe = {"@type": "Recipe", "recipeIngredient": ["1 tsp. garlic granules", "3/4 tsp. ground coriander"]}
        body = "<h1>Fajitas</h1><p>1 tsp.<p>garlic granules<p>3/4 tsp.<p>ground coriander<p>A dish."
        expected = ["1 tsp.", "garlic granules", "3/4 tsp.", "ground coriander"]
        assert subject(body, recipe)[1] == expected
