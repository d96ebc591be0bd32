"""Find what a page is about, if it is one product or one recipe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vclean.features.facts.declared import DeclaredProduct, declared_product, declared_recipe
from vclean.features.facts.page_view import PageView
from vclean.features.facts.products import find_product, looks_like_product
from vclean.features.facts.recipes import find_recipe, find_shown_recipe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vclean.features.facts.declared import DeclaredRecipe
    from vclean.features.facts.products import ProductBlocks
    from vclean.features.facts.recipes import RecipeBlocks
    from vclean.features.page_context import PageContext

_DECLARED_NOTHING: Final = DeclaredProduct()


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
    if not len(context):
        return None
    page = PageView(context)
    if recipe := declared_recipe(page):
        return RecipeSubject(recipe, find_recipe(page, recipe, candidates))
    declared = declared_product(page)
    if declared is None and (shown := find_shown_recipe(context, candidates)):
        return RecipeSubject(*shown)
    if declared is None and not looks_like_product(page):
        return None
    product = ProductSubject(
        declared or _DECLARED_NOTHING, find_product(page, declared or _DECLARED_NOTHING, candidates)
    )
    return product if product.blocks.price >= 0 else None
