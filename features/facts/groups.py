"""Find groups of elements that repeat on a page, the candidates for its records, and the slots of their texts.

A group has elements with the same tag and class word, the same tag and numbered id, the same microdata type, or the
same tag and parent. The members of a group need not be siblings, so that replies inside replies are found as well.

A slot is a position in a record: the tags and classes of the element around a text and of its parent. Texts in the same
slot of most records have the same meaning in all of them: authors, dates, titles.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.columns import Groups, RaggedArray, sorted_unique
from vclean.labels import Visibility
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot


MAX_NAMES: Final = 8
"""Names of an attribute that are read; utility classes come in dozens, and that of a component is among the first."""
MAX_RECORDS: Final = 20_000
"""Largest number of elements of a group: the first ones."""
_DIGITS: Final = re.compile(r"\d+")
INLINE: Final = frozenset(("abbr", "b", "br", "em", "font", "i", "img", "span", "strong", "time", "svg", "path",
                            "option", "script", "style", "input", "button", "label", "sup", "sub", "code"))  # fmt: skip
"""Tags of elements that are no records: they have one line of text at most. Links may be, around the text of a card."""


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
    def find(
        cls, snapshot: Snapshot, part: NDArray[np.bool_] | None = None, single: NDArray[np.bool_] | None = None
    ) -> RecordGroups:
        """Find the groups of a page, or of a part of it, with at least two members.

        Args:
            snapshot: the page.
            part: bool (N,), the elements of the part; in it, items of lists and articles are groups, too.
            single: bool (N,), elements that may be the only member of a group.
        """
        (element, key), is_candidate = _keys(snapshot), ~snapshot.is_tag(INLINE)
        if part is not None:
            inside = np.flatnonzero(snapshot.is_tag(("li", "article"))).astype(np.int32)
            tag_key = snapshot.tag[inside] + int(key.max(initial=0)) + 1
            element, key = np.concatenate([element, inside]), np.concatenate([key, tag_key])
            is_candidate &= part
        keep = is_candidate[element]
        key, element = np.divmod(sorted_unique(key[keep] * len(snapshot) + element[keep]), max(len(snapshot), 1))
        groups = Groups(key)
        is_group = groups.size > 1 if single is None else (groups.size > 1) | single[element]
        keep = is_group & (groups.rank < MAX_RECORDS)
        group = np.cumsum(np.diff(groups.number[keep], prepend=-1) > 0) - 1
        return cls(snapshot, group, element[keep].astype(np.int32), part is not None)

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

    def best(self, score: NDArray[np.float64]) -> int:
        """Return the group with the highest score (G,), -1 if no score is positive.

        Elements nested in one another, such as `<li><article>`, are equally good. The outermost has author and date.
        """
        if not score.max(initial=0):
            return -1
        ties = np.flatnonzero(score >= score.max() - 1e-9)
        extent = self.total(np.asarray(self.snapshot.end, dtype=np.float64) - np.arange(len(self.snapshot)))
        return int(ties[extent[ties].argmax()])

    def members(self, group: int) -> NDArray[np.int32]:
        """Return the elements of one group, ascending."""
        first, last = np.searchsorted(self.group, [group, group + 1])
        return self.element[first:last]


def _keys(snapshot: Snapshot) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return pairs of an element and the key of a group."""
    elements, keys = [], []
    numbers: dict[str, int] = {}
    for attribute in ("class", "id", "itemtype"):
        values = snapshot.values(attribute)
        names = [[f"{attribute} {name}" for name in _names_in(attribute, value[:300])] for value in values.distinct]
        start = np.cumsum([0, *map(len, names)], dtype=np.int64)
        number = [numbers.setdefault(name, len(numbers)) for name in chain.from_iterable(names)]
        owner, key = RaggedArray(start, np.array(number, dtype=np.int32)).take(values.index)
        elements.append(values.node[owner])
        keys.append(key.astype(np.int64))
    every = np.arange(1, len(snapshot), dtype=np.int32)
    elements.append(every)
    keys.append(snapshot.parent[1:].astype(np.int64) + len(numbers))
    element, key = np.concatenate(elements), np.concatenate(keys)
    return element, key * len(snapshot.tags) + snapshot.tag[element]


def _names_in(attribute: str, value: str) -> list[str]:
    """Return the names in an attribute that the members of a group share, without their digits."""
    if attribute == "class":
        return [_DIGITS.sub("0", name) for name in dict.fromkeys(value.split()[:MAX_NAMES])]
    if attribute == "id":
        return [_DIGITS.sub("0", value)] if any(map(str.isdigit, value)) else []
    return [value.rpartition("/")[2]] if value else []


def sum_weights(blocks: BlockColumns, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of block weights (B,) in the subtree of each element: float64 (N,)."""
    snapshot = blocks.snapshot
    at_node = np.bincount(blocks.node, weight, minlength=len(snapshot)).astype(np.float64)
    return tree.subtree_sum(at_node, snapshot.end)


LEAST_SHARE: Final = 0.5
"""Share of the posts that need to have a text in the slot of authors, dates or bodies."""
_TEMPLATE_SHARE: Final = 0.6
"""Share of the records from which a text belongs to the template of the site."""
_FEW: Final = 3
"""Number of records up to which one author may have written most of them."""
_LABEL_SHARE: Final = 0.9
"""Share of equal texts from which a slot is one of labels."""
_MAX_LABEL: Final = 30
"""Longest label of a text, in characters."""


class RecordTexts:
    """Text nodes in the blocks of R records: K text nodes.

    Attributes:
        blocks: the blocks of the page.
        records: int32 (R,), the elements of the records, ascending.
        record_of_element: int64 (N,), the innermost record around each element, -1 outside all records.
        member: int64 (K,), the text nodes, as indices into `blocks.members`.
        node: int32 (K,), the text nodes, as indices into the texts of the snapshot.
        parent: int32 (K,), the element of each text node.
        record: int64 (K,), the innermost record around each text node.
        texts: the text nodes, without white space around them.
    """

    def __init__(self, blocks: BlockColumns, records: NDArray[np.int32]) -> None:
        snapshot, number = blocks.snapshot, np.full(len(blocks.snapshot), -1)
        number[records] = np.arange(len(records))
        self.blocks, self.records = blocks, records
        self.record_of_element = number[tree.nearest_ancestor(number >= 0, snapshot.parent)]
        self.member = np.flatnonzero(self.record_of_element[snapshot.text_parent[blocks.members]] >= 0)
        self.node = blocks.members[self.member]
        self.parent = snapshot.text_parent[self.node]
        self.record = self.record_of_element[self.parent]
        self.texts: list[str] = [snapshot.texts[row].strip() for row in self.node.tolist()]

    def text_of(self, element: int) -> str:
        """Return the texts in an element that are in blocks that readers can see, joined by spaces."""
        texts, rows = self.blocks.snapshot.texts, self.blocks.snapshot.texts_in(element)
        block = self.blocks.text_block[rows]
        is_shown = (block >= 0) & (self.blocks.visibility != Visibility.HIDDEN)[block]
        return " ".join(" ".join(compress(texts[rows.start : rows.stop], is_shown.tolist())).split())

    def label_before(self, row: int) -> str:
        """Return the text before a text of the same record if it is short, such as `Joined:`; else empty."""
        if not row or self.record[row - 1] != self.record[row] or len(self.texts[row - 1]) > _MAX_LABEL:
            return ""
        return self.texts[row - 1]

    @cached_property
    def slots(self) -> Groups:
        """Return the K text nodes, grouped by slot."""
        snapshot, classes = self.blocks.snapshot, self.blocks.snapshot.values("class")
        number = np.zeros(len(snapshot), dtype=np.int64)
        number[classes.node] = _numbers(["", *classes.distinct])[1:][classes.index]
        name = number * len(snapshot.tags) + snapshot.tag
        above = np.maximum(snapshot.parent, 0)
        depth = snapshot.depth - snapshot.depth[self.records[self.record_of_element]]
        key = (name * (int(name.max(initial=0)) + 1) + name[above]) * 64 + np.clip(depth, 0, 63)
        return Groups(key[self.parent])

    @cached_property
    def _text_number(self) -> NDArray[np.int64]:
        """Return a number for each text, equal for texts that differ in digits alone: int64 (K,)."""
        return _numbers(self.texts)

    @cached_property
    def is_template(self) -> NDArray[np.bool_]:
        """Return which texts most records have, such as `Reply`, or but for digits `12 posts`: bool (K,)."""
        number, size = self._text_number, len(self.records)
        pairs = np.unique(number * size + self.record)
        return np.asarray((np.bincount(pairs // size)[number] > _TEMPLATE_SHARE * size) & (size > _FEW))

    def in_best_slot(self, candidates: NDArray[np.bool_], bonus: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return the texts in the slot that most records have, with the highest mean bonus: bool (K,).

        Half of the records need to have a candidate in it.

        Args:
            candidates: bool (K,), the text nodes that may be the text.
            bonus: float64 (K,), added to the share of records, as a mean over the slot's first text of each record.
        """
        rows = np.flatnonzero(candidates)
        _, first = np.unique(self.slots.number[rows] * len(self.records) + self.record[rows], return_index=True)
        slot = self.slots.number[rows[first]]
        count = np.bincount(slot)
        mean = np.bincount(slot, bonus[rows[first]]) / np.maximum(count, 1)
        share = count / len(self.records)
        score = np.where((share >= LEAST_SHARE) & (count > 0), share + mean, -np.inf)
        best = int(score.argmax()) if np.isfinite(score).any() else -1
        return np.asarray(self.slots.number == best)

    def first_of_each(self, *masks: NDArray[np.bool_], record: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return the first text of each record in the first of some masks that has one, or -1: int64 (R,).

        Args:
            masks: bool (K,), or of the length of `record`.
            record: the record around each of other things than texts, such as `record_of_element`.
        """
        record, first = self.record if record is None else record, np.full(len(self.records), -1)
        for mask in reversed(masks):
            rows = np.flatnonzero(mask & (record >= 0))[::-1]
            first[record[rows]] = rows
        return first

    def blocks_of_each(self, mask: NDArray[np.bool_] | None = None) -> list[tuple[int, ...]]:
        """Return the blocks of each record, ascending: all, or those in `mask` (B,)."""
        record = self.record_of_element[self.blocks.node]
        rows: list[list[int]] = [[] for _ in self.records]
        for row in np.flatnonzero(record >= 0 if mask is None else mask & (record >= 0)).tolist():
            rows[record[row]].append(row)
        return list(map(tuple, rows))

    def distinct_share(self, candidates: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return for each text node the share of distinct texts among the candidates of its slot: float64 (K,)."""
        rows = np.flatnonzero(candidates)
        slot, count, slots = self.slots.number[rows], max(len(self.texts), 1), len(self.slots.sizes)
        pairs = np.unique(slot * count + self._text_number[rows])
        distinct = np.bincount(pairs // count, minlength=slots)
        return (distinct / np.maximum(np.bincount(slot, minlength=slots), 1))[self.slots.number]

    def are_labels(self, candidates: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which candidates have the text of nearly all candidates of a slot that most records have: (K,)."""
        rows = np.flatnonzero(candidates)
        slot = self.slots.number[rows]
        equal = Groups(slot * max(len(self.texts), 1) + self._text_number[rows]).size
        total, is_label = np.bincount(slot)[slot], np.zeros(len(self.texts), dtype=bool)
        is_label[rows] = (equal > _LABEL_SHARE * total) & (total >= LEAST_SHARE * len(self.records))
        return is_label

    def order_in_record(self, candidates: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the number of earlier candidates in the record of each candidate, at most 9: float64 (K,)."""
        order = np.zeros(len(candidates))
        order[candidates] = np.minimum(Groups(self.record[candidates]).rank, 9)
        return order


def _numbers(texts: Iterable[str]) -> NDArray[np.int64]:
    """Return a number for each text in the order of their first occurrence, equal for those that differ in digits."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(_DIGITS.sub("0", text), len(numbers)) for text in texts], dtype=np.int64)
