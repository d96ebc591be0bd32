"""Find groups of elements that repeat on a page: the candidates for its records.

A group has elements with the same tag and class word, the same tag and numbered id, the same microdata type, or the
same tag and parent. The members of a group need not be siblings, so that replies inside replies are found as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.groups import Groups
from vclean.features.names.element_names import sorted_unique
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import AttributeValues, Snapshot

MAX_NAMES: Final = 8
"""Names of an attribute that are read; utility classes come in dozens, and that of a component is among the first."""
MAX_RECORDS: Final = 20_000
"""Largest number of elements of a group: the first ones; larger groups of cells are left out."""
_DIGITS: Final = re.compile(r"\d+")
INLINE: Final = frozenset(("a", "abbr", "b", "br", "em", "font", "i", "img", "span", "strong", "time", "svg", "path",
                            "option", "script", "style", "input", "button", "label", "sup", "sub", "code"))  # fmt: skip
"""Tags of elements that are no records: they have one line of text at most. Links around blocks are, side by side."""
_BLOCKS: Final = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "ul", "ol", "dl", "table", "section", "article")
"""Tags of blocks; a link around some is the card of an item."""
_CELLS: Final = ("td", "th")


@dataclass(frozen=True, eq=False)
class RecordGroups:
    """G groups of repeated elements, as P pairs of group and element, sorted by group, then element.

    Attributes:
        snapshot: the page.
        group: int64 (P,), the group of each pair, 0 to G - 1.
        element: int32 (P,), the element of each pair.
        is_part: whether the groups are those of a part of the page, in which one element may be a group.
    """

    snapshot: Snapshot
    group: NDArray[np.int64]
    element: NDArray[np.int32]
    is_part: bool = False

    @classmethod
    def find(cls, snapshot: Snapshot) -> RecordGroups:
        """Find the groups of a page with at least two members."""
        element, key = _keys(snapshot)
        return cls._from_keys(snapshot, element, key, _is_candidate(snapshot), np.zeros(len(snapshot), dtype=bool))

    @classmethod
    def find_within(cls, snapshot: Snapshot, part: NDArray[np.bool_], single: NDArray[np.bool_]) -> RecordGroups:
        """Find the groups of a part of a page; items of lists, articles, and elements of a custom tag are groups, too.

        Args:
            snapshot: the page.
            part: bool (N,), the elements of the part.
            single: bool (N,), elements that may be the only member of a group.
        """
        element, key = _keys(snapshot)
        by_tag = [tag for tag in snapshot.tags if tag in ("li", "article") or "-" in tag]
        inside = np.flatnonzero(part & snapshot.is_tag(by_tag)).astype(np.int32)
        tag_key = snapshot.tag[inside] + int(key.max(initial=0)) + 1
        element, key = np.concatenate([element, inside]), np.concatenate([key, tag_key])
        groups = cls._from_keys(snapshot, element, key, _is_candidate(snapshot) & part, single)
        return replace(groups, is_part=True)

    @classmethod
    def _from_keys(
        cls,
        snapshot: Snapshot,
        element: NDArray[np.int32],
        key: NDArray[np.int64],
        is_candidate: NDArray[np.bool_],
        single: NDArray[np.bool_],
    ) -> RecordGroups:
        """Group candidates (N,) by pairs of element and key; a group needs two members, or a `single` (N,) one."""
        keep = is_candidate[element]
        element, key = element[keep], key[keep]
        key, element = np.divmod(sorted_unique(key * len(snapshot) + element), max(len(snapshot), 1))
        groups = Groups.from_keys(key)
        is_large = groups.size > MAX_RECORDS
        keep = ((groups.size > 1) | single[element]) & ~(is_large & snapshot.is_tag(_CELLS)[element])
        if is_large.any():
            keep &= groups.rank < MAX_RECORDS
        group = np.cumsum(np.diff(groups.number[keep], prepend=-1) > 0) - 1
        return cls(snapshot, group, element[keep].astype(np.int32))

    def __len__(self) -> int:
        """Return the number of groups."""
        return int(self.group[-1]) + 1 if len(self.group) else 0

    @cached_property
    def is_outermost(self) -> NDArray[np.bool_]:
        """Return which members are not inside another member of their group: bool (P,)."""
        size = len(self.snapshot) + 1
        reach = np.maximum.accumulate(self.group * size + self.snapshot.end[self.element])
        is_outermost = np.ones(len(self.group), dtype=bool)
        is_outermost[1:] = reach[:-1] <= self.group[1:] * size + self.element[1:]
        return is_outermost

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of element `values` (N,), sums over subtrees, over each group: float64 (G,).

        Members inside other members are left out, so that no text counts twice.
        """
        outermost = np.where(self.is_outermost, values[self.element].astype(np.float64), 0)
        return np.asarray(np.bincount(self.group, outermost, minlength=len(self)), dtype=np.float64)

    def count(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the number of members of each group for which the element `mask` (N,) is true: int64 (G,)."""
        return np.bincount(self.group, mask[self.element], minlength=len(self)).astype(np.int64)

    @cached_property
    def size(self) -> NDArray[np.int64]:
        """Return the number of members of each group: int64 (G,)."""
        return np.bincount(self.group, minlength=len(self))

    def members(self, group: int) -> NDArray[np.int32]:
        """Return the elements of one group, ascending."""
        first, last = np.searchsorted(self.group, [group, group + 1])
        return self.element[first:last]


def _is_candidate(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements may be records: bool (N,)."""
    is_candidate = ~snapshot.is_tag(INLINE)
    is_card = snapshot.is_tag(("a",))
    if is_card.any():
        is_card &= tree.subtree_sum(snapshot.is_tag(_BLOCKS), snapshot.end) > 0
        parent = np.maximum(snapshot.parent, 0)
        # An element with one such link is the card itself, and has what is beside the link as well.
        is_candidate |= is_card & (np.bincount(parent, is_card, minlength=len(snapshot))[parent] > 1)
    return is_candidate


def _keys(snapshot: Snapshot) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return pairs of an element and the key of a group."""
    elements, keys = [], []
    numbers: dict[str, int] = {}
    for attribute, names in (("class", _class_names), ("id", _numbered_id), ("itemtype", _type_name)):
        element, number = _named(snapshot.values(attribute), attribute, names, numbers)
        elements.append(element)
        keys.append(number)
    every = np.arange(1, len(snapshot), dtype=np.int32)
    elements.append(every)
    keys.append(snapshot.parent[1:].astype(np.int64) + len(numbers))
    element, key = np.concatenate(elements), np.concatenate(keys)
    return element, key * len(snapshot.tags) + snapshot.tag[element]


def _named(
    values: AttributeValues, attribute: str, names: Callable[[str], list[str]], numbers: dict[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return pairs of an element and the number of a name in one of its attributes."""
    rows = [[numbers.setdefault(f"{attribute} {name}", len(numbers)) for name in names(value[:300])]
            for value in values.distinct]  # fmt: skip
    length = np.array([len(row) for row in rows], dtype=np.int64)
    flat = np.array([number for row in rows for number in row], dtype=np.int64)
    start = np.cumsum(length) - length
    repeats = length[values.index] if len(length) else np.zeros(0, dtype=np.int64)
    element = np.repeat(values.node, repeats)
    offset = np.arange(len(element)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    first = np.repeat(start[values.index], repeats) if len(length) else offset
    return element, flat[first + offset]


def _class_names(value: str) -> list[str]:
    return [_DIGITS.sub("0", name) for name in dict.fromkeys(value.split()[:MAX_NAMES])]


def _numbered_id(value: str) -> list[str]:
    return [_DIGITS.sub("0", value)] if any(map(str.isdigit, value)) else []


def _type_name(value: str) -> list[str]:
    return [value.rpartition("/")[2]] if value else []


def sum_weights(blocks: BlockColumns, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of block weights (B,) in the subtree of each element: float64 (N,)."""
    snapshot = blocks.snapshot
    at_node = np.bincount(blocks.node, weight, minlength=len(snapshot)).astype(np.float64)
    return tree.subtree_sum(at_node, snapshot.end)
