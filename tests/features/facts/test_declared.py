"""Products and recipes that the markup of a page declares."""

from __future__ import annotations

import json
import time

import pytest
from helpers.pages import context_of
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.facts.declared import declared_product, declared_recipe
from vclean.features.facts.page_view import PageView
from vclean.features.facts.subject import Subject

LAMP = {
    "@type": "Product", "name": "Fennel 2", "brand": {"name": "Lantern"}, "sku": "L-204", "gtin13": "4012345678901",
    "offers": {"@type": "Offer", "price": 64.9, "priceCurrency": "eur"},
}  # fmt: skip
SOUP = {
    "@type": "Recipe", "name": "Leek soup", "recipeIngredient": ["3 leeks", "1 l of water"],
    "recipeInstructions": [
        {"@type": "HowToSection", "itemListElement": [{"@type": "HowToStep", "text": "Cut the leeks."}]},
        {"@type": "HowToStep", "text": "<p>Boil them.</p><p>Serve&nbsp;hot.</p>"},
    ],
}  # fmt: skip
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["price", "offers", "text"]), inner),
    max_leaves=12,
)


def page(*objects: object, body: str = "<h1>Fennel 2</h1>", head: str = "") -> PageView:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(each)}</script>' for each in objects)
    return PageView(context_of(f"<head>{head}{scripts}</head>{body}"))


def product_of(*objects: object, **parts: str) -> Subject:
    product = declared_product(page(*objects, **parts))
    assert product is not None
    return product


def recipe_of(*objects: object, **parts: str) -> Subject:
    recipe = declared_recipe(page(*objects, **parts))
    assert recipe is not None
    return recipe


class TestDeclaredProduct:
    @pytest.mark.parametrize(("more", "currency"), [("", "USD"), ('<meta itemprop=priceCurrency content="EUR">', "")])
    def test_currency_in_a_meta(self, more: str, currency: str) -> None:
        body = f"""<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Fennel 2</h1>
            <meta itemprop="priceCurrency" content="USD">$<b itemprop="price" content="199.00">199</b></div>{more}"""
        product = product_of(body=body)
        assert (product.price, product.currency) == ("199.00", currency)

    def test_reads_open_graph(self) -> None:
        head = '<meta property="og:type" content="product"><meta property="product:price:amount" content="1.299,00">'
        assert product_of(head=head).price == "1299.00"

    def test_takes_the_product_with_the_name_of_the_page(self) -> None:
        others = [{"@type": "Product", "name": f"Lamp {number}"} for number in range(5)]
        assert product_of(*others, LAMP).name == "Fennel 2"
        assert declared_product(page(*others)) is None

    @given(ANY)
    def test_ignores_wrong_types(self, value: object) -> None:
        product = product_of({"@type": "Product", "name": "Fennel 2", "offers": value, "brand": value})
        assert product.name == "Fennel 2"

    def test_other_pages_declare_none(self) -> None:
        assert declared_product(page({"@type": "Article", "headline": "Products of the year"})) is None


class TestDeclaredRecipe:
    def test_reads_json_ld(self) -> None:
        recipe = recipe_of(SOUP)
        assert recipe.ingredients == ("3 leeks", "1 l of water")
        assert recipe.steps == ("Cut the leeks.", "Boil them.", "Serve hot.")

    def test_reads_microdata(self) -> None:
        body = """<div itemscope itemtype="http://schema.org/Recipe"><h1 itemprop="name">Soup</h1>
            <li itemprop="recipeIngredient">3 leeks</li><li itemprop="recipeIngredient">Salt</li></div>"""
        recipe = recipe_of(body=body)
        assert (recipe.name, recipe.ingredients) == ("Soup", ("3 leeks", "Salt"))

    @given(ANY)
    def test_ignores_wrong_types(self, value: object) -> None:
        recipe = recipe_of({"@type": "Recipe", "recipeIngredient": ["Salt"], "recipeInstructions": value})
        assert recipe.ingredients == ("Salt",)

    def test_is_bounded(self) -> None:
        nested: object = "Boil."
        for _ in range(200):
            nested = [nested]
        start = time.perf_counter()
        recipe = recipe_of({**SOUP, "recipeIngredient": ["x" * 5000] * 50, "recipeInstructions": nested})
        assert time.perf_counter() - start < 5
        assert [len(each) for each in recipe.ingredients] == [2000]
        assert recipe.steps == ()


@pytest.mark.parametrize(
    "steps", ["<ol><li>Cut the leeks.<li>Boil them.</ol>", "<p>Cut the leeks.<p>Boil them.", "<p>Cut the leeks."]
)
def test_steps_in_one_element_of_microdata(steps: str) -> None:
    body = f"""<div itemscope itemtype="https://schema.org/Recipe"><h1 itemprop="name">Leek soup</h1>
        <i itemprop="recipeIngredient">3 leeks</i><div itemprop="recipeInstructions">{steps}</div></div>"""
    assert recipe_of(body=body).steps == ("Cut the leeks.", "Boil them.")[: 1 + steps.count("Boil")]
