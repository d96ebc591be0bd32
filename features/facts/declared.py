"""Read the product or the recipe that a page declares: JSON-LD and microdata with the vocabulary of https://schema.org.

Nothing in it is trusted: values of wrong types are skipped, and depth, number and length of values are bounded.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.features.facts.markup import first_text, main_nodes, parse_json, type_names
from vclean.features.facts.mentions import clean_text
from vclean.features.facts.products import amount
from vclean.features.facts.subject import Subject
from vclean.features.headline import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vclean.features.facts.page_view import PageView

    Properties = Mapping[str, Sequence[Any]]

_PRODUCT: Final = re.compile(r"(?:product|productgroup|productmodel|vehicle|\bcar)(?=[\"'/]|$)", re.IGNORECASE)
_RECIPE: Final = re.compile(r"recipe(?=[\"'/]|$)", re.IGNORECASE)
"""Ends of types, also in the text of a script."""
_TAG: Final = re.compile(r"<[^<>]{1,200}>")
_LINE: Final = re.compile(r"[\r\n]+|<(?:br|/p|/li|/div)\b[^<>]{0,200}>", re.IGNORECASE)
_NUMBERS: Final = (
    "sku", "mpn", "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "isbn", "productID", "model", "identifier",
)  # fmt: skip
"""Properties with the number of a product."""
_LIST_PROPERTIES: Final = ("recipeInstructions", "recipeIngredient", "ingredients")
"""Properties with several values that microdata may have in one element."""
_MAX_DEPTH: Final = 5
_MAX_VALUES: Final = 200
"""Most ingredients or steps, and most objects of a list."""
_MAX_CHARS: Final = 2000
"""Longest ingredient or step, in characters."""
_MOST_PRODUCTS: Final = 3
"""Most products of a page that is about one of them, if none has the name of the page."""


def declared_product(page: PageView) -> Subject | None:
    """Return the product that a page declares as its main one; None for other pages, and for those with many products.

    It has the name of the page, or else is the first of a few.
    A page that Open Graph calls a product (https://ogp.me/#types) declares one without other values than its price.
    """
    products = [_to_product(properties) for properties in _declared(page, _PRODUCT)]
    if products:
        title = normalize(f"{page.texts[page.headline] if page.texts else ''} {page.snapshot.title}")
        named = [product for product in products if product.name and normalize(product.name) in title]
        first = products[0] if len(products) <= _MOST_PRODUCTS else None
        return max(named, key=lambda product: (len(product.name), bool(product.price)), default=first)
    meta = dict(reversed(page.snapshot.head.meta))
    if meta.get("og:type", "").lower() in ("product", "og:product", "product.item") or "product:price:amount" in meta:
        return Subject(
            brand=clean_text(meta.get("product:brand", ""), 100),
            price=amount(meta.get("product:price:amount", meta.get("og:price:amount", ""))),
            currency=clean_text(meta.get("product:price:currency", meta.get("og:price:currency", "")), 3).upper(),
            numbers=tuple(filter(None, [clean_text(meta.get("product:retailer_item_id", ""), 60)])),
        )
    return None


def declared_recipe(page: PageView) -> Subject | None:
    """Return the recipe that a page declares: the one with most ingredients and steps; None without ingredients."""
    recipes = [
        Subject(
            name=_first(properties, "name", 300),
            ingredients=_distinct_lines([*properties.get("recipeIngredient", ()), *properties.get("ingredients", ())]),
            steps=_distinct_lines(properties.get("recipeInstructions", ())),
        )
        for properties in _declared(page, _RECIPE)
    ]
    best = max(recipes, key=lambda recipe: len(recipe.ingredients) + len(recipe.steps), default=None)
    return best if best and best.ingredients else None


def _to_product(properties: Properties) -> Subject:
    price, currency = _price(properties, 0)
    numbers = [first_text(value, 60).removeprefix("sku:") for name in _NUMBERS for value in properties.get(name, ())]
    return Subject(
        name=_first(properties, "name", 300),
        brand=_first(properties, "brand", 100),
        price=price,
        currency=currency,
        numbers=tuple(dict.fromkeys(filter(None, numbers[:20]))),
    )


def _first(properties: Properties, name: str, limit: int) -> str:
    return next(filter(None, (first_text(value, limit) for value in properties.get(name, ()))), "")


def _price(properties: Properties, depth: int) -> tuple[str, str]:
    """Return the first price in an object or in the objects inside it, with its currency."""
    price = next(
        filter(None, (amount(value) for name in ("price", "lowPrice") for value in properties.get(name, ()))), ""
    )
    if price:
        return price, _first(properties, "priceCurrency", 3).upper()
    nested = ("offers", "priceSpecification", "hasVariant")
    inside = (value for name in nested for value in properties.get(name, ()))
    for value in inside if depth < _MAX_DEPTH else ():
        if isinstance(value, dict) and (found := _price(_as_lists(value), depth + 1))[0]:
            return found
    return "", ""


def _distinct_lines(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(list(dict.fromkeys(_lines(values, 0)))[:_MAX_VALUES])


def _lines(values: Sequence[Any], depth: int) -> Iterator[str]:
    """Yield the texts of ingredients or steps: strings, one or several lines, and objects with texts or lists."""
    for value in values[:_MAX_VALUES]:
        if isinstance(value, list) and depth < _MAX_DEPTH:
            yield from _lines(value, depth + 1)
        elif isinstance(value, dict) and depth < _MAX_DEPTH:
            inside = value.get("itemListElement") or value.get("text") or value.get("name")
            yield from _lines(inside if isinstance(inside, list) else [inside], depth + 1)
        elif isinstance(value, str):
            lines = _LINE.split(value[: _MAX_CHARS * 20])
            yield from filter(None, (clean_text(html.unescape(_TAG.sub(" ", line)), _MAX_CHARS) for line in lines))


def _declared(page: PageView, kind: re.Pattern[str]) -> Iterator[Properties]:
    """Yield the properties of each object of a kind, those of JSON-LD first."""
    for script in page.snapshot.head.json_ld:
        if kind.search(script):
            for node in main_nodes(parse_json(script)):
                if any(map(kind.search, type_names(node.get("@type")))):
                    yield _as_lists(node)
    yield from _items(page, kind)


def _as_lists(node: Mapping[str, Any]) -> Properties:
    return {name: value[:_MAX_VALUES] if isinstance(value, list) else [value] for name, value in node.items()}


def _items(page: PageView, kind: re.Pattern[str]) -> Iterator[Properties]:
    """Yield the properties of the items of a kind in the microdata, but for items inside them of the same kind."""
    last = 0
    for element, types in page.snapshot.attributes("itemtype").items():
        if element < last or not kind.search(types[:200].rstrip("/")):
            continue
        last = int(page.snapshot.end[element])
        found: dict[str, list[str]] = defaultdict(list)
        for node, names in page.properties_in(element):
            for name in names[:200].split():
                if len(found[name]) < _MAX_VALUES:
                    found[name] += _microdata_values(page, node, name)
        for name in ("price", "priceCurrency"):  # often in a `<meta>`, which is no element of a snapshot
            values = {value for key, value in page.snapshot.head.meta if key == name.lower()}
            if len(values) == 1 and name not in found:  # with several, that of this item is unknown
                found[name] += values
        yield found


def _microdata_values(page: PageView, element: int, name: str) -> list[str]:
    """Return the value of a property in microdata; the items of a list, or the paragraphs, for the steps of a recipe.

    An ordered list or a `<div>` with all steps is a common value (https://schema.org/recipeInstructions).
    """
    snapshot = page.snapshot
    if name in _LIST_PROPERTIES:
        for tag in ("li", "p"):  # the better ones first
            inside = element + np.flatnonzero(snapshot.is_tag((tag,))[element : snapshot.end[element]])
            if len(inside) > 1:
                return [page.text_of(part, _MAX_CHARS) for part in inside[:_MAX_VALUES].tolist()]
    return [snapshot.attributes("content").get(element) or page.text_of(element, _MAX_CHARS)]
