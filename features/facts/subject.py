"""Find what a page is about, if it is one product or one recipe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.facts.mentions import words_in_any
from vclean.features.headline import normalize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.page_context import PageContext

_SHORT: Final = 80
"""Most characters of a block that may be a button of a shopping cart."""
_LEAST_WORDS: Final = 2
"""Fewest words of a block that is a part of an ingredient or step; shorter ones have to be a whole one."""
_LEAST_SHARE: Final = 0.3
"""Share of the declared ingredients or steps that readers have to see; below it the markup is about something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Product or recipe that a page is about: what it declares, and where it shows it.

    Strings are empty and tuples have no items where the page gives no value.

    Attributes:
        name: its name, as declared.
        brand: the name of the brand of a product, as declared.
        price: the price of a product, or the lowest one: a number with a decimal point.
        currency: ISO 4217 code of the currency.
        numbers: declared numbers of a product, such as those of the manufacturer (MPN), of the shop (SKU) and on the
            bar code (GTIN).
        ingredients: the declared ingredients of a recipe, with their amounts; a product has none.
        steps: the declared steps of a recipe, in order.
        rows: the blocks with price and numbers of the product, or with ingredients and steps, ascending.
        price_row: the block of the price; -1 for recipes.
        price_text: the price as on the page; empty if the block has another one than the declared price.
    """

    name: str = ""
    brand: str = ""
    price: str = ""
    currency: str = ""
    numbers: tuple[str, ...] = ()
    ingredients: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    price_row: int = -1
    price_text: str = ""


def find_subject(context: PageContext, candidates: NDArray[np.bool_]) -> Subject | None:
    """Return what a page is about, if it is one product or one recipe.

    A page without markup is about a product if it has few elements that are named as buttons of a shopping cart, and a
    price near its headline.

    Args:
        context: the page.
        candidates: bool (B,), the blocks that may be a part of it; others are hidden.
    """
    if not len(context) or not _may_have_subject(context):
        return None
    # Most pages are about neither, and do without these modules.
    from vclean.features.facts.declared import declared_product, declared_recipe
    from vclean.features.facts.page_view import PageView
    from vclean.features.facts.products import find_product, looks_like_product

    page = PageView(context)
    if recipe := declared_recipe(page):
        texts = {row: normalize(page.texts[row]) for row in np.flatnonzero(candidates).tolist()}
        rows = {*_rows_of(recipe.ingredients, texts), *_rows_of(recipe.steps, texts)}
        return replace(recipe, rows=tuple(sorted(rows)))
    declared = declared_product(page)
    if declared is None and not looks_like_product(page):
        return None
    return find_product(page, declared or Subject(), candidates)


def _may_have_subject(context: PageContext) -> bool:
    """Return whether a page has a sign of a product or recipe: its type, or a name or text of a cart."""
    snapshot = context.snapshot
    types = (f'/{kind[:200].rstrip("/")}"' for kind in snapshot.values("itemtype").distinct)
    names = [value for name in ("class", "id", "name") for value in snapshot.values(name).distinct]
    return bool(
        words_in_any("subject_type_sign", [*snapshot.head.json_ld, *types])
        or words_in_any("cart_name_sign", names)
        or words_in_any("cart_text_sign", [text for text in context.blocks.text if len(text) <= _SHORT])
    )


def _rows_of(declared: Sequence[str], texts: dict[int, str]) -> list[int]:
    """Return the blocks that are a declared text or a part of one; none if readers see few of the declared texts."""
    lines = set(filter(None, map(normalize, declared)))
    joined = f" {' | '.join(sorted(lines))} "
    found = [
        row for row, text in texts.items()
        if text in lines or (text.count(" ") + 1 >= _LEAST_WORDS and f" {text} " in joined)
    ]  # fmt: skip
    seen = f" {' '.join(texts[row] for row in found)} "
    share = sum(f" {line} " in seen or line in seen for line in lines) / max(len(lines), 1)
    return found if share >= _LEAST_SHARE else []
