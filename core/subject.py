"""The product or the recipe that a page is about, from its markup and from what readers see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.facts.products import price_and_currency
from vclean.features.facts.subject import ProductSubject, find_subject
from vclean.features.matrix import page_context
from vclean.features.text.page_title import normalize
from vclean.labels import Box
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.facts.subject import RecipeSubject


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Product that a page is about. Strings are empty and tuples have no items where the page gives no value.

    Attributes:
        name: its name: that of the markup if readers see it in the headline or the title, else the headline.
        brand: its brand, as declared.
        price: its price, a number with a decimal point: that of `price_text`, else the declared one.
        price_text: its price as readers see it; empty if they see no price, or only others.
        currency: ISO 4217 code of the currency.
        numbers: its numbers, as declared: those of the manufacturer, of the shop, on the bar code.
        box: the box of the block with the price, in CSS px; None if the page was not rendered, or shows no price.
        blocks: the indices of the blocks with price, brand and numbers.
    """

    name: str
    brand: str
    price: str
    price_text: str
    currency: str
    numbers: tuple[str, ...]
    box: Box | None
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Recipe that a page is about, as its markup declares it.

    Attributes:
        name: its name; empty if unknown.
        ingredients: its ingredients, with their amounts.
        steps: its steps, in order.
        box: the smallest box around the ingredients and steps that readers see, in CSS px; None if the page was not
            rendered, or shows none.
        blocks: the indices of the blocks with ingredients and steps.
    """

    name: str
    ingredients: tuple[str, ...]
    steps: tuple[str, ...]
    box: Box | None
    blocks: tuple[int, ...]


def read_subject(blocks: BlockColumns, prediction: Prediction, title: Callable[[], str]) -> Product | Recipe | None:
    """Return the product or the recipe that a page is about; None for other pages.

    Args:
        blocks: the blocks of the page.
        prediction: their labels. By other methods, and in the convention of a corpus, it has no subject.
        title: returns the title in the metadata of the page.
    """
    subject = prediction.subject
    if subject is None:
        context = prediction.context or page_context(blocks)
        subject = find_subject(context, ~blocks.is_excluded(Policy()))
    if subject is None:
        return None
    name = subject.declared.name
    shown = prediction.headline.text if prediction.headline else title()
    if not name or normalize(name) not in normalize(f"{shown} {blocks.snapshot.title}"):
        name = shown or name
    return _product(blocks, subject, name) if isinstance(subject, ProductSubject) else _recipe(blocks, subject, name)


def _product(blocks: BlockColumns, subject: ProductSubject, name: str) -> Product:
    declared, shown = subject.declared, subject.blocks
    price, currency = price_and_currency(declared, shown.price_text)
    return Product(
        name=name,
        brand=declared.brand,
        price=price,
        price_text=shown.price_text,
        currency=currency,
        numbers=declared.numbers,
        box=_box(blocks, [shown.price] if shown.price_text else []),
        blocks=shown.rows,
    )


def _recipe(blocks: BlockColumns, subject: RecipeSubject, name: str) -> Recipe:
    return Recipe(
        name=name,
        ingredients=subject.declared.ingredients,
        steps=subject.declared.steps,
        box=_box(blocks, subject.blocks.rows),
        blocks=subject.blocks.rows,
    )


def _box(blocks: BlockColumns, rows: Sequence[int]) -> Box | None:
    """Return the smallest box around some blocks; None if none of them is painted."""
    boxes = blocks.box[[row for row in rows if row >= 0]].astype(float)
    boxes = boxes[np.isfinite(boxes).all(axis=1)]
    if not len(boxes):
        return None
    left, top = boxes[:, :2].min(axis=0).tolist()
    right, bottom = (boxes[:, :2] + boxes[:, 2:]).max(axis=0).tolist()
    return Box(left, top, right - left, bottom - top)
