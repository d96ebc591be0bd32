"""Find the recipe that a page is about: the blocks with its ingredients and its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.text.page_title import normalize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.facts.declared import DeclaredRecipe
    from vclean.features.facts.page_view import PageView

_LEAST_WORDS: Final = 2
"""Fewest words of a block that is a part of an ingredient or step; shorter ones have to be a whole one."""
_MOST_WORDS: Final = 300
"""Most words of a block that is compared."""
_LEAST_SHARE: Final = 0.3
"""Share of the declared ingredients or steps that readers have to see; below it the markup is about something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeBlocks:
    """Where a page shows its recipe, by indices of blocks.

    Attributes:
        ingredients: the blocks with ingredients, ascending.
        steps: the blocks with steps, ascending.
    """

    ingredients: tuple[int, ...]
    steps: tuple[int, ...]

    @property
    def rows(self) -> tuple[int, ...]:
        """Return all blocks, ascending."""
        return tuple(sorted({*self.ingredients, *self.steps}))


def find_recipe(page: PageView, declared: DeclaredRecipe, candidates: NDArray[np.bool_]) -> RecipeBlocks:
    """Return where a page shows the recipe that it declares.

    Args:
        page: the page.
        declared: the recipe.
        candidates: bool (B,), the blocks that may belong to it; others are hidden.
    """
    rows = np.flatnonzero(candidates & (page.context.tokens <= _MOST_WORDS)).tolist()
    texts = {row: normalize(page.texts[row]) for row in rows}
    return RecipeBlocks(ingredients=_rows_of(declared.ingredients, texts), steps=_rows_of(declared.steps, texts))


def _rows_of(declared: Sequence[str], texts: dict[int, str]) -> tuple[int, ...]:
    """Return the blocks that are a declared text or a part of one; none if readers see few of the declared texts."""
    lines = set(filter(None, map(normalize, declared)))
    joined = f" {' | '.join(sorted(lines))} "
    found = [row for row, text in texts.items() if text in lines or _is_part(text, joined)]
    seen = f" {' '.join(texts[row] for row in found)} "
    share = sum(f" {line} " in seen or line in seen for line in lines) / max(len(lines), 1)
    return tuple(found) if share >= _LEAST_SHARE else ()


def _is_part(text: str, joined: str) -> bool:
    return text.count(" ") + 1 >= _LEAST_WORDS and f" {text} " in joined
