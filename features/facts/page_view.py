"""Read parts of a page for metadata: texts of elements, and the position of the headline."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.characters import is_sentence
from vclean.features.facts.mentions import MAX_CHARS, clean_text
from vclean.features.names import lexicon
from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot

_WORD: Final = re.compile(r"[^\W\d_]+")
_MAX_TEXTS: Final = 40
"""Most text nodes of an element that are read: names and dates have few."""
_SAME_ROW: Final = 14.0
"""Largest vertical distance in CSS px between the centers of two texts of one row."""
NAMES: Final = ("author", "date", "comments", "related", "footer", "side", "meta", "title", "nav", "article", "header")
"""Groups of names of elements that features distinguish, see `vclean.features.names.lexicon`."""


@dataclass(frozen=True, eq=False)
class PageView:
    """Page with N elements and B blocks, and what several fields of metadata need of it."""

    context: PageContext

    @property
    def snapshot(self) -> Snapshot:
        """Return the snapshot of the page."""
        return self.context.snapshot

    @cached_property
    def texts(self) -> list[str]:
        """Return the texts of the blocks; empty for sentences that no reader sees."""
        texts = self.context.blocks.text
        if not self._hidden_sentences:
            return texts
        return ["" if row in self._hidden_sentences else text for row, text in enumerate(texts)]

    @cached_property
    def all_text(self) -> str:
        """Return the text of the page in small letters."""
        return "\n".join(self.texts).casefold()

    @cached_property
    def small_words(self) -> frozenset[str]:
        """Return the words that the page has in small letters, which are seldom those of names."""
        return frozenset(filter(str.islower, set(_WORD.findall("\n".join(self.texts)))))

    @cached_property
    def all_links(self) -> str:
        """Return the addresses of the links of the page in small letters."""
        return "\n".join(self.snapshot.values("href").distinct).lower()

    @cached_property
    def interface_words(self) -> dict[str, NDArray[np.float32]]:
        """Return the number of words of user interfaces in each block, by list: float32 (B,) each."""
        return {name: self.context.terms.count(name) for name in ("actions", "bylines", "boilerplate")}

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Return the scores of the blocks as headlines, see `vclean.features.headline`: float64 (B,)."""
        return self.context.headline_scores

    @cached_property
    def headline(self) -> int:
        """Return the block with the highest score as headline; 0 if no block can be one."""
        return int(self.scores.argmax()) if len(self.scores) else 0

    @cached_property
    def block_names(self) -> NDArray[np.bool_]:
        """Return which blocks are in elements with names of the groups `NAMES`, but for the largest: bool (B, G)."""
        context, bits = self.context, self.context.name_bits
        few = context.block_count <= max(len(context) / 3, 3)
        named = np.where(few, bits, np.uint64(0))
        around = (named | lexicon.ancestor_bits(named, self.snapshot.parent))[context.anchor]
        inside = [(around & np.uint64(1 << lexicon.NAME_GROUPS.index(name))) > 0 for name in NAMES]
        return np.array(inside, dtype=bool).T.reshape(-1, len(NAMES))

    @cached_property
    def in_comments(self) -> NDArray[np.bool_]:
        """Return which blocks are in elements that are named after comments, without the headline: bool (B,)."""
        context, end = self.context, self.snapshot.end
        if not len(context):
            return np.zeros(0, dtype=bool)
        headline = context.anchor[self.headline]
        elements = np.flatnonzero(context.name_bits & np.uint64(1 << lexicon.NAME_GROUPS.index("comments")))
        elements = elements[(elements > headline) | (end[elements] <= headline)]
        change = np.bincount(elements, minlength=len(end) + 1) - np.bincount(end[elements], minlength=len(end) + 1)
        return np.asarray(change.cumsum()[context.anchor] > 0)

    @cached_property
    def boxes(self) -> NDArray[np.float32]:
        """Return the boxes of the blocks, x, y, width, height in CSS px: float32 (B, 4); NaN if not painted."""
        return self.context.blocks.box

    @cached_property
    def font_size(self) -> NDArray[np.float32]:
        """Return the font sizes of the blocks in CSS px: float32 (B,)."""
        return self.context.blocks.font_size

    @cached_property
    def in_row_of_date(self) -> NDArray[np.bool_]:
        """Return which blocks overlap vertically with a short block that has digits and a name of dates: bool (B,)."""
        context = self.context
        is_date = self.block_names[:, NAMES.index("date")] & (context.digit_words > 0) & (context.tokens <= 15)
        middle = self.boxes[:, 1] + self.boxes[:, 3] / 2
        dates = np.sort(middle[is_date & np.isfinite(middle)])
        if not len(dates):
            return np.zeros(len(context), dtype=bool)
        nearest = dates[np.clip(np.searchsorted(dates, middle), 0, len(dates) - 1)]
        before = dates[np.clip(np.searchsorted(dates, middle) - 1, 0, len(dates) - 1)]
        return np.minimum(np.abs(nearest - middle), np.abs(before - middle)) < _SAME_ROW

    @cached_property
    def _hidden_sentences(self) -> frozenset[int]:
        """Return the blocks that no reader sees, of the length of a sentence."""
        blocks = self.context.blocks
        hidden = np.flatnonzero(blocks.visibility == Visibility.HIDDEN).tolist()
        return frozenset(row for row in hidden if is_sentence(blocks.text[row]))

    def block_of(self, element: int) -> int:
        """Return the block of the first text in an element; -1 if it has none."""
        snapshot = self.snapshot
        start, end = np.searchsorted(snapshot.text_after, [element, int(snapshot.end[element])])
        owners = self.context.blocks.text_block[start : min(int(end), int(start) + _MAX_TEXTS)]
        inside = snapshot.text_parent[start : start + len(owners)]
        mask = (owners >= 0) & (inside >= element) & (inside < snapshot.end[element])
        return int(owners[mask][0]) if mask.any() else -1

    def text_of(self, element: int, limit: int = MAX_CHARS) -> str:
        """Return the text of an element and its descendants, parts of elements separated by spaces; bounded.

        Sentences that no reader sees are left out; hidden words and numbers may be markup on purpose.
        """
        snapshot = self.snapshot
        start, end = map(int, np.searchsorted(snapshot.text_after, [element, int(snapshot.end[element])]))
        last = int(snapshot.end[element])
        rows = range(start, min(end, start + _MAX_TEXTS))
        parents = snapshot.text_parent[rows.start : rows.stop].tolist()
        owners = self.context.blocks.text_block[rows.start : rows.stop].tolist()
        parts = [
            snapshot.texts[row][: 2 * limit]
            for row, parent, owner in zip(rows, parents, owners, strict=True)
            if element <= parent < last and owner not in self._hidden_sentences
        ]
        return clean_text(" ".join(parts), limit)
