"""Select the texts of a page that layout shows, and compute where their lines are."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree
from vclean.render.snapshot import Hidden
from vclean.render.static.styles import REPLACED_TAGS, SKIPPED_TAGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_EXEMPT_TAGS: Final = frozenset(("datalist", "optgroup", "option", "rp", "select")) | REPLACED_TAGS | SKIPPED_TAGS
"""Elements that contain no text of the page, or that the system paints."""


class CandidateTexts:
    """Select the texts that are neither blank nor hidden by layout: K with lines, W without.

    Attributes:
        snapshot: the rendered page.
        index: intp (K,), the candidates with lines among the texts of the snapshot, ascending.
        parent: int32 (K,), the parent of each.
        without_lines: intp (W,), the candidates without lines.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        candidate = (snapshot.text_hidden == Hidden.NO) & ~_is_exempt(snapshot)[snapshot.text_parent]
        lines = np.bincount(snapshot.line_text, minlength=len(snapshot.texts))
        self.without_lines = np.flatnonzero(candidate & (lines == 0) & (snapshot.text_length > 0))
        self.index = np.flatnonzero(candidate & (lines > 0))
        self.parent = snapshot.text_parent[self.index]

    def __len__(self) -> int:
        return len(self.index)

    def lines(self, candidate: int) -> NDArray[np.float32]:
        """Return the boxes of the lines of one candidate, float32 (L, 4)."""
        text = self.index[candidate]
        begin, end = np.searchsorted(self.snapshot.line_text, (text, text + 1))
        return self.snapshot.line_box[begin:end]

    @cached_property
    def length(self) -> NDArray[np.int64]:
        """Return the characters of each candidate without white space around them, int64 (K,).

        0 for control characters that Python counts as white space and HTML does not, such as U+001F.
        """
        return self.snapshot.text_length[self.index]

    @cached_property
    def largest_line(self) -> NDArray[np.float32]:
        """Return the box of the line of each candidate with the largest area, float32 (K, 4)."""
        box, owner = self.snapshot.line_box, self.snapshot.line_text
        area = box[:, 2] * box[:, 3]
        order = np.lexsort((np.arange(len(area)), -area, owner))
        return box[order[np.searchsorted(owner[order], self.index)]]

    @cached_property
    def center(self) -> NDArray[np.float32]:
        """Return the center of the largest line of each candidate, float32 (K, 2)."""
        box = self.largest_line
        return np.asarray(box[:, :2] + box[:, 2:] / np.float32(2))

    @cached_property
    def extent(self) -> NDArray[np.float32]:
        """Return the sum of the lengths of each candidate's lines, CSS px, float32 (K,)."""
        box = self.snapshot.line_box
        length = np.maximum(box[:, 2], box[:, 3])
        total = np.bincount(self.snapshot.line_text, weights=length, minlength=len(self.snapshot.texts))
        return total[self.index].astype(np.float32)

    @cached_property
    def box(self) -> NDArray[np.float32]:
        """Return the union of each candidate's lines, float32 (K, 4)."""
        box, owner = self.snapshot.line_box, self.snapshot.line_text
        low = np.full((len(self.snapshot.texts), 2), np.inf, dtype=np.float32)
        high = np.full_like(low, -np.inf)
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        if len(first):
            low[owner[first]] = np.minimum.reduceat(box[:, :2], first, axis=0)
            high[owner[first]] = np.maximum.reduceat(box[:, :2] + box[:, 2:], first, axis=0)
        union: NDArray[np.float32] = np.hstack([low[self.index], (high - low)[self.index]])
        return union


def _is_exempt(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements are exempt tags or inside one, bool (N,)."""
    exempt = snapshot.is_tag(_EXEMPT_TAGS)
    return tree.path_sum(exempt, snapshot.end) > 0 if exempt.any() else exempt
