"""Find the texts that every record of a page has at the same position: authors, dates, titles.

A slot is a position in a record: the tags and classes of the element around a text and of its parent. What stands in
the same slot of most records has the same meaning in all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.groups import Groups
from vclean.labels import Visibility
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns

_DIGITS: Final = re.compile(r"\d+")
_NO_RECORD: Final = -1
LEAST_SHARE: Final = 0.5
"""Share of the posts that need to have a text in the slot of authors, dates or bodies."""
_TEMPLATE_SHARE: Final = 0.6
"""Share of the records from which a text belongs to the template of the site."""
_FEW: Final = 3
"""Number of records up to which one author may have written most of them."""
_MAX_LABEL: Final = 30
"""Longest label of a text, in characters."""


@dataclass(frozen=True, eq=False)
class RecordTexts:
    """Text nodes of a page by record: R records, K text nodes in blocks.

    Attributes:
        blocks: the blocks of the page.
        records: int32 (R,), the elements of the records, ascending.
        ends: int32 (R,), for the records of a flat list, which begin at these elements: one past the last element of
            each; empty for records that are elements.
    """

    blocks: BlockColumns
    records: NDArray[np.int32]
    ends: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @cached_property
    def record_of_element(self) -> NDArray[np.int64]:
        """Return the innermost record around each element, -1 outside all records: int64 (N,)."""
        snapshot = self.blocks.snapshot
        if len(self.ends):
            every = np.arange(len(snapshot))
            record = np.searchsorted(self.records, every, side="right") - 1
            return np.where((record >= 0) & (every < self.ends[record]), record, _NO_RECORD)
        number = np.full(len(snapshot), _NO_RECORD)
        number[self.records] = np.arange(len(self.records))
        nearest = tree.nearest_ancestor(number >= 0, snapshot.parent)
        return number[nearest]

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """Return the element of each text node: int32 (K,)."""
        return self.blocks.snapshot.text_parent[self.blocks.members]

    @cached_property
    def record(self) -> NDArray[np.int64]:
        """Return the innermost record around each text node, -1 outside all records: int64 (K,)."""
        return self.record_of_element[self.parent]

    @cached_property
    def texts(self) -> list[str]:
        """Return the text nodes, without white space around them."""
        texts = self.blocks.snapshot.texts
        return [texts[row].strip() for row in self.blocks.members.tolist()]

    def text_of(self, element: int) -> str:
        """Return the texts in an element that are not hidden, joined by spaces."""
        end = self.blocks.snapshot.end[element]
        order, before = self._document_order
        first, last = np.searchsorted(before, [element, end])
        rows = np.sort(order[first:last])  # texts after the last element inside may be outside
        inside = (self.parent[rows] >= element) & (self.parent[rows] < end) & ~self._is_hidden[rows]
        return " ".join(" ".join(self.texts[row] for row in rows[inside].tolist()).split())

    @cached_property
    def _document_order(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the text nodes in document order, and the last element that starts before each: (K,) both."""
        before = self.blocks.snapshot.text_after[self.blocks.members]
        order = np.argsort(before, kind="stable")
        return order, before[order]

    @cached_property
    def _is_hidden(self) -> NDArray[np.bool_]:
        """Return which texts no reader sees: bool (K,)."""
        is_hidden = self.blocks.visibility == Visibility.HIDDEN
        return np.asarray(is_hidden[self.blocks.text_block[self.blocks.members]])

    def label_before(self, row: int) -> str:
        """Return the text before a text of the same record if it is short, such as `Joined:`; else empty."""
        if not row or self.record[row - 1] != self.record[row] or len(self.texts[row - 1]) > _MAX_LABEL:
            return ""
        return self.texts[row - 1]

    @cached_property
    def slots(self) -> Groups:
        """Return the K text nodes, grouped by slot."""
        snapshot, name = self.blocks.snapshot, self._element_name
        above = np.maximum(snapshot.parent, 0)
        depth = snapshot.depth - snapshot.depth[self.records[self.record_of_element]]
        key = (name * (int(name.max(initial=0)) + 1) + name[above]) * 64 + np.clip(depth, 0, 63)
        return Groups.from_keys(key[self.parent])

    @cached_property
    def _element_name(self) -> NDArray[np.int64]:
        """Return a number for the tag and classes of each element, without the digits in the classes: int64 (N,)."""
        snapshot, classes = self.blocks.snapshot, self.blocks.snapshot.values("class")
        names: dict[str, int] = {"": 0}
        number = np.zeros(len(snapshot), dtype=np.int64)
        rows = [names.setdefault(_DIGITS.sub("0", value), len(names)) for value in classes.distinct]
        number[classes.node] = np.array(rows, dtype=np.int64)[classes.index]
        return number * len(snapshot.tags) + snapshot.tag

    def is_template(self, *, ignore_digits: bool) -> NDArray[np.bool_]:
        """Return which texts most records have, such as `Reply`, or without digits `12 posts`: bool (K,)."""
        number = self._text_number if ignore_digits else np.unique(np.array(self.texts), return_inverse=True)[1]
        rows = np.flatnonzero(self.record >= 0)
        size = len(self.records)
        pairs = np.unique(number[rows] * size + self.record[rows])
        count = np.bincount(pairs // size, minlength=int(number.max(initial=0)) + 1)
        return np.asarray((count[number] > _TEMPLATE_SHARE * size) & (size > _FEW))

    @cached_property
    def _text_number(self) -> NDArray[np.int64]:
        """Return a number for each text, equal for texts that differ in digits alone: int64 (K,)."""
        texts: dict[str, int] = {}
        return np.array([texts.setdefault(_DIGITS.sub("0", text), len(texts)) for text in self.texts], dtype=np.int64)

    def best_slot(self, candidates: NDArray[np.bool_], bonus: NDArray[np.float64], least_share: float) -> int:
        """Return the slot that most records have, with the highest mean bonus; -1 if none is in enough records.

        Args:
            candidates: bool (K,), the text nodes that may be the text.
            bonus: float64 (K,), added to the share of records, as a mean over the slot's first text of each record.
            least_share: share of the records that need to have a candidate in the slot.
        """
        first = self._first_of_record(candidates)
        slot = self.slots.number[first]
        count = np.bincount(slot, minlength=len(self.slots.sizes))
        if not len(first):
            return -1
        mean = np.bincount(slot, bonus[first], minlength=len(count)) / np.maximum(count, 1)
        share = count / len(self.records)
        score = np.where((share >= least_share) & (count > 0), share + mean, -np.inf)
        best = int(score.argmax())
        return best if np.isfinite(score[best]) else -1

    def _first_of_record(self, candidates: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the first candidate in each slot of each record: int64."""
        rows = np.flatnonzero(candidates & (self.record >= 0))
        key = self.slots.number[rows] * len(self.records) + self.record[rows]
        _, first = np.unique(key, return_index=True)
        return rows[first]

    def fill(self, candidates: NDArray[np.bool_], slot: int) -> NDArray[np.int64]:
        """Return the first candidate of each record in a slot, or -1: int64 (R,)."""
        texts = np.full(len(self.records), -1)
        rows = np.flatnonzero(candidates & (self.record >= 0) & (self.slots.number == slot))[::-1]
        texts[self.record[rows]] = rows
        return texts

    def fill_any(self, candidates: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the first candidate of each record in any slot, or -1: int64 (R,)."""
        texts = np.full(len(self.records), -1)
        rows = np.flatnonzero(candidates & (self.record >= 0))[::-1]
        texts[self.record[rows]] = rows
        return texts

    def distinct_share(self, candidates: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return for each text node the share of distinct texts among the candidates of its slot: float64 (K,)."""
        rows = np.flatnonzero(candidates & (self.record >= 0))
        slot, count = self.slots.number[rows], max(len(self.texts), 1)
        pairs = np.unique(slot * count + self._text_number[rows])
        distinct = np.bincount(pairs // count, minlength=len(self.slots.sizes))
        total = np.bincount(slot, minlength=len(self.slots.sizes))
        return (distinct / np.maximum(total, 1))[self.slots.number]


def order_in_record(texts: RecordTexts, candidates: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the number of earlier candidates in the record of each candidate, at most 9: float64 (K,)."""
    rows = np.flatnonzero(candidates & (texts.record >= 0))
    order = np.zeros(len(candidates))
    by_record = rows[np.argsort(texts.record[rows], kind="stable")]
    record = texts.record[by_record]
    start = np.flatnonzero(np.diff(record, prepend=-2))
    order[by_record] = np.arange(len(by_record)) - np.repeat(start, np.diff(np.append(start, len(by_record))))
    return np.minimum(order, 9)
