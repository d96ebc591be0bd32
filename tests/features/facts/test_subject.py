"""Where a page shows its product or its recipe."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.pages import context_of

from vclean.features.facts.subject import ProductSubject, RecipeSubject, Subject, find_subject

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
    return found, [context.blocks.text[row] for row in found.blocks.rows] if found else []


class TestProduct:
    @pytest.mark.parametrize("price", ["€ 64,90", "64.90 EUR", "Now 64,90 €", "64,90"])
    def test_declared_price_in_any_form(self, price: str) -> None:
        body = f"<p>Shipping 4,90 €<h1>Fennel 2</h1><p>Until May 74,90 €<p>{price}<p>Rate 5,41 €"
        assert subject(body, LAMP)[1] == [price]

    def test_price_without_declared_value(self) -> None:
        body = "<h1>Fennel 2</h1><p>Spend 90 € or more and we send it for free<p>74,90 €<p>3,00 €"
        assert subject(body, {"@type": "Product", "name": "Fennel 2"})[1] == ["74,90 €"]

    def test_brand_and_numbers(self) -> None:
        body = """<h1>Fennel 2</h1><p>by Lantern<p>64,90 €<p>Lantern makes lamps for those who ride all year round.
            <p>Item no. L-204<p>EAN: 4012345678901<dl><dt>Model:<dd>L-204</dl><p>Weight: light"""
        expected = ["by Lantern", "64,90 €", "Item no. L-204", "EAN: 4012345678901", "Model:", "L-204"]
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
        assert isinstance(found, ProductSubject)
        assert texts == ["64,90 €"]

    @pytest.mark.parametrize(
        "body",
        [
            "<h1>Fennel 2</h1><p>64,90 €<p>A lamp.",
            "<h1>Lamps</h1>" + "<p>64,90 €<p><button>Add to basket</button>" * 9,
            "<h1>Fennel 2</h1><p>A lamp that costs more than 60 € in most of the shops.<button>Add to cart</button>",
            "",
        ],
    )
    def test_other_pages_without_markup(self, body: str) -> None:
        assert subject(body) == (None, [])


class TestRecipe:
    def test_ingredients_and_steps(self) -> None:
        body = """<h1>Leek soup</h1><p>Salt is old.<ul><li>3 leeks<li>1 l of water<li>Salt</ul>
            <ol><li>Cut the leeks.<li>Boil them in the water <b>for an hour.</b></ol><p>Boil them"""
        found, texts = subject(body, SOUP)
        assert isinstance(found, RecipeSubject)
        steps = ["Cut the leeks.", "Boil them in the water for an hour."]
        assert texts == ["3 leeks", "1 l of water", "Salt", *steps, "Boil them"]
        assert len(found.blocks.ingredients) == 3

    def test_parts_of_an_ingredient(self) -> None:
        cells = "<tr><td>1 l<td>of water<tr><td>3 leeks<td>Salt"
        assert subject(f"<h1>Leek soup</h1><table>{cells}</table>", SOUP)[1] == ["1 l", "of water", "3 leeks", "Salt"]

    def test_ingredients_that_are_split_into_blocks(self) -> None:
        recipe = {"@type": "Recipe", "recipeIngredient": ["1 tsp. garlic granules", "3/4 tsp. ground coriander"]}
        body = "<h1>Fajitas</h1><p>1 tsp.<p>garlic granules<p>3/4 tsp.<p>ground coriander<p>A dish."
        expected = ["1 tsp.", "garlic granules", "3/4 tsp.", "ground coriander"]
        assert subject(body, recipe)[1] == expected

    def test_markup_that_readers_do_not_see(self) -> None:
        found, texts = subject("<h1>Other soups</h1><p>Salt<p>Pepper<p>Boil it.", SOUP)
        assert isinstance(found, RecipeSubject)
        assert texts == ["Salt"]


LEEKS = "<ul><li>3 leeks<li>1 l of water<li>2 tsp salt<li>Pepper</ul>"
BOIL = "<ol><li>Cut the leeks into thin slices.<li>Boil them in the water for an hour.</ol>"


class TestRecipeWithoutMarkup:
    @pytest.mark.parametrize(
        ("ingredients", "steps"),
        [
            ("<h2>Ingredients</h2>", "<h2>Directions</h2>"),
            ("<p><b>Ingrédients (4 personnes) :</b></p>", "<p>Préparation</p>"),
            ("<h3>Zutaten</h3>", "<h3>Zubereitung</h3>"),
            ("<h3>材料</h3>", "<h3>作り方</h3>"),
            ("<div><h3>Складові: інгредієнти</h3></div>", "<div><h3>Приготування</h3></div>"),
        ],
    )
    def test_lists_under_headings(self, ingredients: str, steps: str) -> None:
        body = (
            f"<h1>Leek soup</h1><p>A soup for winter.</p>{ingredients}{LEEKS}{steps}{BOIL}<h2>Notes</h2><p>Serve hot."
        )
        found, _ = subject(body)
        assert isinstance(found, RecipeSubject)
        assert found.declared.ingredients == ("3 leeks", "1 l of water", "2 tsp salt", "Pepper")
        assert found.declared.steps == ("Cut the leeks into thin slices.", "Boil them in the water for an hour.")

    def test_rows_of_a_table_are_ingredients(self) -> None:
        rows = "<tr><td>3<td>leeks<tr><td>1 l<td>water<tr><td>2 tsp<td>salt"
        found, _ = subject(f"<h1>Soup</h1><h2>Ingredients</h2><table>{rows}</table><h2>Method</h2>{BOIL}")
        assert isinstance(found, RecipeSubject)
        assert found.declared.ingredients == ("3 leeks", "1 l water", "2 tsp salt")
        assert len(found.blocks.ingredients) == 6

    def test_groups_of_ingredients_and_steps(self) -> None:
        body = f"""<h1>Soup</h1><h2>Ingredients</h2><h4>For the soup:</h4>{LEEKS}<h4>For the bread:</h4>
            <ul><li>500 g flour<li>Yeast</ul><h2>Method</h2><h4>Soup</h4>{BOIL}<h4>Bread</h4>
            <ol><li>Knead flour and yeast for ten minutes.</ol>
            <h2>More soups</h2><ol><li>Carrot soup with some ginger</ol>"""
        found, _ = subject(body)
        assert isinstance(found, RecipeSubject)
        assert found.declared.ingredients[-2:] == ("500 g flour", "Yeast")
        assert found.declared.steps[-1] == "Knead flour and yeast for ten minutes."
        assert len(found.declared.steps) == 3

    def test_steps_without_heading(self) -> None:
        five = "".join(f"<li>{number} cups of things" for number in range(1, 6))
        found, _ = subject(f"<h1>Soup</h1><h2>Ingredients</h2><ul>{five}</ul><div>{BOIL}</div>")
        assert isinstance(found, RecipeSubject)
        assert len(found.declared.steps) == 2

    @pytest.mark.parametrize(
        "body",
        [
            f"<h1>Soup</h1>{LEEKS}<h2>Method</h2>{BOIL}",
            f"<h1>Soup</h1><h2>Ingredients</h2>{LEEKS}",
            f"<h1>Shampoo</h1><h2>Ingredients</h2><ul><li>Aqua<li>Glycerin<li>Parfum</ul><h2>Directions</h2>{BOIL}",
            "<h1>Soup</h1><p>Ingredients</p><p>Method</p>",
        ],
        ids=["no heading", "no steps", "no amounts", "nothing"],
    )
    def test_other_pages(self, body: str) -> None:
        assert subject(body) == (None, [])

    def test_hidden_ingredients_do_not_count(self) -> None:
        body = f"<h1>Soup</h1><h2>Ingredients</h2>{LEEKS}<h2>Method</h2>{BOIL}"
        assert subject(body, hidden=(2, 3, 4)) == (None, [])

    def test_markup_comes_first(self) -> None:
        body = f"<h1>Leek soup</h1><h2>Ingredients</h2>{LEEKS}<h2>Method</h2>{BOIL}"
        found, _ = subject(body, SOUP)
        assert isinstance(found, RecipeSubject)
        assert found.declared.ingredients == ("3 leeks", "1 l of water", "Salt")
