"""Find what a page is about, if it is one product or one recipe."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vclean.features.facts.mentions import has_any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vclean.features.facts.declared import DeclaredProduct, DeclaredRecipe
    from vclean.features.facts.products import ProductBlocks
    from vclean.features.facts.recipes import RecipeBlocks
    from vclean.features.page_context import PageContext

_TYPE: Final = re.compile(r"(?:product|productgroup|productmodel|vehicle|\bcar|recipe)(?=[\"'/]|$)", re.IGNORECASE)
"""End of the type of a product or recipe, also in the text of a script."""
_SHORT_TOKENS, _SHORT_CHARS = 8, 80
"""Most words or characters of a block that may be a heading of ingredients, or a button of a shopping cart."""


@dataclass(frozen=True, slots=True)
class ProductSubject:
    """Product that a page is about: what it declares, and where it shows it."""

    declared: DeclaredProduct
    blocks: ProductBlocks


@dataclass(frozen=True, slots=True)
class RecipeSubject:
    """Recipe that a page is about: what it declares, or else shows, and where it shows it."""

    declared: DeclaredRecipe
    blocks: RecipeBlocks


Subject = ProductSubject | RecipeSubject


def find_subject(context: PageContext, candidates: NDArray[np.bool_]) -> Subject | None:
    """Return what a page is about, if it is one product or one recipe.

    A page without markup is about a recipe if it shows ingredients under a heading, and steps. Else it is about a
    product if it has few elements that are named as buttons of a shopping cart, and a price near its headline.

    Args:
        context: the page.
        candidates: bool (B,), the blocks that may be a part of it; others are hidden.
    """
    if not len(context) or not _may_have_subject(context):
        return None
    # Most pages are about neither, and do without these modules.
    from vclean.features.facts.declared import DeclaredProduct, declared_product, declared_recipe
    from vclean.features.facts.page_view import PageView
    from vclean.features.facts.products import find_product, looks_like_product
    from vclean.features.facts.recipes import find_recipe, find_shown_recipe

    page = PageView(context)
    if recipe := declared_recipe(page):
        return RecipeSubject(recipe, find_recipe(page, recipe, candidates))
    declared = declared_product(page)
    if declared is None and (shown := find_shown_recipe(context, candidates)):
        return RecipeSubject(*shown)
    if declared is None and not looks_like_product(page):
        return None
    declared = declared or DeclaredProduct()
    product = ProductSubject(declared, find_product(page, declared, candidates))
    return product if product.blocks.price >= 0 else None


def _may_have_subject(context: PageContext) -> bool:
    """Return whether a page has a sign of a product or recipe: its type, a name or text of a cart, or ingredients."""
    snapshot = context.snapshot
    types = (types[:200].rstrip("/") for types in snapshot.values("itemtype").distinct)
    if any(map(_TYPE.search, snapshot.head.json_ld)) or any(map(_TYPE.search, types)):
        return True
    if any(has_any("cart_name_sign", snapshot.values(name).distinct) for name in ("class", "id", "name")):
        return True
    blocks = zip(context.blocks.text, context.tokens.tolist(), strict=True)
    short = [text for text, tokens in blocks if tokens <= _SHORT_TOKENS or len(text) <= _SHORT_CHARS]
    return has_any("cart_text_sign", short) or has_any("ingredients", short)
