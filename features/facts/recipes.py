"""Find the recipe that a page is about: the blocks with its ingredients and its steps.

A recipe in markup is found by its texts. Without markup, headings such as Ingredients and Method show it: ingredients
are items with an amount, and short ones beside them; steps are items with equal tags in the section after their
heading, or several right after five or more ingredients with an amount.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.facts.declared import DeclaredRecipe
from vclean.features.facts.mentions import pattern_of, words_of
from vclean.features.text.page_title import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.features.facts.page_view import PageView
    from vclean.features.page_context import PageContext

_LEAST_WORDS: Final = 2
"""Fewest words of a block that is a part of an ingredient or step; shorter ones have to be a whole one."""
_MOST_WORDS: Final = 300
"""Most words of a block that is compared."""
_LEAST_SHARE: Final = 0.3
"""Share of the declared ingredients or steps that readers have to see; below it the markup is about something else."""

_AMOUNT: Final = (
    r"\W*(?:[\d¼½¾⅐-⅞]|(?:{amount})\s)|.*(?:[\d¼½¾⅐-⅞]\s*(?:{unit})\b|(?:大さじ|小さじ)\d|\d(?:個|本|枚|片|かけ))"
)
"""Amount: a number or a word for one at the beginning, or a number with a unit anywhere."""
_NOTES: Final = r"\W*(?:{after_steps})\W*"
"""Headings after which the steps are over, as the template above for `pattern_of`."""
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_SECTION_LEVEL: Final = 3
"""Lowest level of a heading that ends the steps under a heading that is no heading element."""
_HEADING_WORDS: Final = 8
"""Most words of a heading."""
_MOST_HEADINGS: Final = 8
_INGREDIENT_WORDS: Final = 30
_PLAIN_WORDS: Final = 15
"""Most words of an ingredient without amount."""
_LEAST_AMOUNTS: Final = 3
"""Fewest ingredients with an amount."""
_LEAST_AMOUNTS_ALONE: Final = 5
"""Fewest ingredients with an amount where steps have no heading."""
_LEAST_STEP_WORDS: Final = 12
"""Fewest words of all steps."""
_MOST_GAP: Final = 4
"""Most items in a row that are no ingredients, inside a list of several groups."""
_STEP_WORDS: Final = 4
"""Fewest words of a step."""
_MAX_CHARS: Final = 2000
"""Longest ingredient or step, in characters."""
_MOST_BLOCKS: Final = 150
"""Most blocks after a heading that belong to it."""


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


@dataclass(frozen=True, slots=True)
class _Item:
    """Blocks in one item of a list, row of a table, or other block container: their rows, element, text and words."""

    rows: tuple[int, ...]
    element: int
    text: str
    words: int


def find_shown_recipe(
    context: PageContext, candidates: NDArray[np.bool_]
) -> tuple[DeclaredRecipe, RecipeBlocks] | None:
    """Return the recipe of a page without markup; None without a heading of ingredients, amounts or steps.

    Args:
        context: the page.
        candidates: bool (B,), the blocks that may belong to it; others are hidden.
    """
    rows = np.flatnonzero(candidates & (context.tokens <= _HEADING_WORDS)).tolist()
    headings = _headings(context, rows, "ingredients")
    if not headings:
        return None
    steps_headings = _headings(context, rows, "steps")
    page = _Page(context, candidates, frozenset(headings), frozenset(steps_headings))
    lists = [page.ingredients(row) for row in headings[:_MOST_HEADINGS]]
    ingredients = max(lists, key=_count_amounts)
    if _count_amounts(ingredients) < _LEAST_AMOUNTS:
        return None
    steps = page.steps_near(ingredients, steps_headings)
    if not steps:
        return None
    return (
        DeclaredRecipe(ingredients=_texts(ingredients), steps=_texts(steps)),
        RecipeBlocks(ingredients=_rows(ingredients), steps=_rows(steps)),
    )


def _headings(context: PageContext, rows: Sequence[int], group: str) -> list[int]:
    """Return the short blocks in which a word begins with one of a group."""
    texts = context.blocks.text
    joined = "\n".join([texts[row] for row in rows]).lower()
    present = [word for word in words_of(group) if word in joined]
    if not present:
        return []
    pattern = re.compile(rf"(?:^|[\s(/&-])(?:{'|'.join(map(re.escape, present))})")
    return [row for row in rows if pattern.search(texts[row].lower())]


def _count_amounts(items: Sequence[_Item]) -> int:
    return sum(_has_amount(item) for item in items)


def _has_amount(item: _Item) -> bool:
    return item.words <= _INGREDIENT_WORDS and bool(pattern_of(_AMOUNT).match(item.text[:300]))


def _texts(items: Sequence[_Item]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.text[:_MAX_CHARS] for item in items))


def _rows(items: Sequence[_Item]) -> tuple[int, ...]:
    return tuple(row for item in items for row in item.rows)


@dataclass(frozen=True, slots=True)
class _Page:
    """Page with the headings of ingredients and steps, as rows of blocks."""

    context: PageContext
    candidates: NDArray[np.bool_]
    ingredient_headings: frozenset[int]
    steps_headings: frozenset[int]

    def ingredients(self, heading: int) -> list[_Item]:
        """Return the ingredients after a heading: items with an amount, and short ones beside these."""
        items: list[_Item] = []
        gap = 0
        for item in self._items(heading + 1):
            if not self.steps_headings.isdisjoint(item.rows):
                break
            gap = 0 if _has_amount(item) else gap + 1
            if gap > (_MOST_GAP if items else 2 * _MOST_GAP) and not self._is_beside(item, items):
                break
            items.append(item)
        parents = {self._parent(item) for item in items if _has_amount(item)}
        return [item for item in items if _has_amount(item) or self._is_plain(item, parents)]

    def steps_near(self, ingredients: Sequence[_Item], headings: Sequence[int]) -> list[_Item]:
        """Return the steps: under the first heading after the ingredients, under one before, or else after them."""
        last, own = ingredients[-1].rows[-1], frozenset(_rows(ingredients))
        order = sorted(headings, key=lambda row: (row < last, row))[:_MOST_HEADINGS]
        found = ([item for item in self._steps(row) if own.isdisjoint(item.rows)] for row in order)
        for steps in found:
            if sum(item.words for item in steps) >= _LEAST_STEP_WORDS:
                return steps
        after = self._steps(last) if _count_amounts(ingredients) >= _LEAST_AMOUNTS_ALONE else []
        return after if len(after) > 1 else []

    def _steps(self, heading: int) -> list[_Item]:
        """Return the steps after a heading: of the items up to the end of its section, those with the same tags."""
        groups: dict[tuple[int, int], list[_Item]] = defaultdict(list)
        level = min(self._level(heading), _SECTION_LEVEL)
        end = None
        for item in self._items(heading + 1):
            is_end = item.words < 2 * _STEP_WORDS and (
                pattern_of(_NOTES).fullmatch(item.text) or not self.ingredient_headings.isdisjoint(item.rows)
            )
            if is_end or (groups and self._level(item.rows[0]) <= level) or (end is not None and item.element >= end):
                break
            if item.words < _STEP_WORDS or self._level(item.rows[0]) <= len(_HEADINGS):
                continue
            if end is None and item.words >= 2 * _STEP_WORDS:
                end = self._end_of_section(item, heading)
            groups[self._tags(item)].append(item)
        return max(groups.values(), key=lambda items: sum(item.words for item in items), default=[])

    def _tags(self, item: _Item) -> tuple[int, int]:
        """Return the tags of the element of an item and of its parent."""
        tag = self.context.snapshot.tag
        return int(tag[item.element]), int(tag[self._parent(item)])

    def _end_of_section(self, item: _Item, heading: int) -> int:
        """Return the end of the smallest element with an item and the heading before it."""
        parent, ends = self.context.snapshot.parent, self.context.snapshot.end
        element = int(self.context.blocks.node[heading])
        while item.element >= ends[element] and element > 0:
            element = int(parent[element])
        return int(ends[element])

    def _is_beside(self, item: _Item, items: Sequence[_Item]) -> bool:
        return any(self._parent(item) == self._parent(other) for other in items[-1:]) and item.words <= _PLAIN_WORDS

    def _is_plain(self, item: _Item, parents: set[int]) -> bool:
        """Return whether an item without amount is an ingredient: salt, in the list of others."""
        is_short = item.words <= _PLAIN_WORDS and not item.text.endswith((":", "："))
        return is_short and self._parent(item) in parents and self._level(item.rows[0]) > len(_HEADINGS)

    def _parent(self, item: _Item) -> int:
        return int(self.context.snapshot.parent[item.element])

    def _level(self, row: int) -> int:
        """Return the level of a heading element, 7 for other blocks."""
        tag = self.context.snapshot.tags[self.context.snapshot.tag[self.context.blocks.node[row]]]
        return int(tag[1]) if tag in _HEADINGS else len(_HEADINGS) + 1

    def _items(self, first: int) -> Iterator[_Item]:
        """Yield the items from a block on; blocks in the same item of a list or row of a table are one."""
        rows = np.flatnonzero(self.candidates[first : first + _MOST_BLOCKS]) + first
        pending: list[int] = []
        last = -1
        for row in rows.tolist():
            element = self._item_element(int(self.context.blocks.node[row]))
            if pending and element != last:
                yield self._item(pending, last)
                pending = []
            pending.append(row)
            last = element
        if pending:
            yield self._item(pending, last)

    def _item(self, rows: list[int], element: int) -> _Item:
        text = " ".join(self.context.blocks.text[row] for row in rows)
        return _Item(tuple(rows), element, text, int(self.context.tokens[rows].sum()))

    def _item_element(self, node: int) -> int:
        """Return the item of a list or the row of a table around a block container, or the container itself."""
        snapshot, element = self.context.snapshot, node
        for _ in range(4):
            if snapshot.tags[snapshot.tag[element]] in ("li", "tr"):
                return element
            if (element := int(snapshot.parent[element])) < 0:
                break
        return node
