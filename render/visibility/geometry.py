"""Select the texts of a rendered page that layout shows, and find those that are too small to read or out of reach."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.render import tree
from vclean.render.snapshot import Hidden
from vclean.render.static.styles import REPLACED_TAGS, SKIPPED_TAGS
from vclean.render.visibility.painting import turned_away, viewport_styles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

    Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]
    """Indices of points, and of the box around each."""


_EXEMPT_TAGS: Final = frozenset(("datalist", "optgroup", "option", "rp", "select")) | REPLACED_TAGS | SKIPPED_TAGS
"""Elements that contain no text of the page, or that the system paints."""
LEAST_FONT_SIZE: Final = 5.0
"""CSS px, after transforms; smaller letters cannot be read."""
LEAST_ADVANCE: Final = 0.12
"""Mean width of a character in font sizes; below it letters lie on top of each other. Narrow fonts have .3."""
MOST_ADVANCE: Final = 100.0
"""Mean width of a character in font sizes; a transform that stretches letters as far leaves no letters."""

_LEAST_CHARACTERS: Final = 5
"""Characters of a text; the mean advance of fewer is uncertain."""
_LINE_HEIGHT: Final = 1.15
"""Height of a line box of text in font sizes, for common fonts: 1.11 (Times) to 1.36 (Noto)."""
_UNSCALED_HEIGHTS: Final = (0.6, 1.9)
"""Heights of lines, in those of the font, that fonts explain; transforms explain others."""
_FAR_RIGHT: Final = 2.0
"""Widths of the viewport; readers do not scroll further to the right, except in tables."""
_ROOTS: Final = (0, 1)
"""The root and the body: rendering reads no head."""
_FAR_DOWN: Final = 5000.0
"""CSS px of empty page above the last texts of a page, after which readers do not look for more."""
_FEW: Final = 0.1
"""Largest share of the texts of a page that may be far down."""
_MAX_PAIRS: Final = 1_000_000
"""Pairs of a point and a box that are compared at once: about 50 MB."""


class CandidateTexts:
    """Select the texts that are neither blank nor hidden by layout: K with lines, W without.

    Attributes:
        snapshot: the rendered page.
        index: intp (K,), the candidates with lines among the texts of the snapshot, ascending.
        parent: int32 (K,), the parent of each.
        length: int64 (K,), the characters of each without white space around them; 0 for control characters that Python
            counts as white space and HTML does not, such as U+001F.
        box: float32 (K, 4), the union of the lines of each.
        without_lines: intp (W,), the candidates without lines.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        exempt = tree.inside(snapshot.is_tag(_EXEMPT_TAGS), snapshot.end)
        candidate = (snapshot.text_hidden == Hidden.NO) & ~exempt[snapshot.text_parent]
        lines = np.bincount(snapshot.line_text, minlength=len(snapshot.texts))
        self.without_lines = np.flatnonzero(candidate & (lines == 0) & (snapshot.text_length > 0))
        self.index = np.flatnonzero(candidate & (lines > 0))
        self.parent = snapshot.text_parent[self.index]
        self.length = snapshot.text_length[self.index]
        self.box = snapshot.text_box[self.index]

    def __len__(self) -> int:
        return len(self.index)

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

    @property
    def extent(self) -> NDArray[np.float32]:
        """Return the sum of the lengths of each candidate's lines, CSS px, float32 (K,)."""
        box = self.snapshot.line_box
        length = np.maximum(box[:, 2], box[:, 3])
        total = np.bincount(self.snapshot.line_text, weights=length, minlength=len(self.snapshot.texts))
        return total[self.index].astype(np.float32)


def without_lines(texts: CandidateTexts) -> NDArray[np.uint8]:
    """Return the technique that takes the lines from each text without lines, `Hidden`, uint8 (W,)."""
    snapshot = texts.snapshot
    font_size = snapshot.styles.number("font-size")[snapshot.style]
    small = font_size[snapshot.text_parent[texts.without_lines]] < 1
    return np.where(small, Hidden.FONT_SIZE, Hidden.TRANSFORM).astype(np.uint8)


def unreadable(texts: CandidateTexts) -> NDArray[np.uint8]:
    """Return the technique that makes letters too small, turned away or overprinted, `Hidden` or 0, uint8 (K,)."""
    snapshot = texts.snapshot
    size = snapshot.styles.number("font-size")[snapshot.style[texts.parent]]
    effective = _effective_font_size(texts, size)
    small = effective < LEAST_FONT_SIZE
    # A drop cap makes the box of its lines higher, and the letters of the text no larger.
    letters = np.maximum(np.minimum(effective, size), 0.1)
    advance = texts.extent / (np.maximum(texts.length, 1) * letters)
    overprinted = (advance < LEAST_ADVANCE) & (texts.length >= _LEAST_CHARACTERS)
    torn = advance > MOST_ADVANCE
    by_size = np.where(size < LEAST_FONT_SIZE, Hidden.FONT_SIZE, Hidden.TRANSFORM)
    cases = [turned_away(snapshot)[texts.parent] | torn, small, overprinted]
    return np.select(cases, [Hidden.TRANSFORM, by_size, Hidden.SPACING], Hidden.NO).astype(np.uint8)


def _effective_font_size(texts: CandidateTexts, size: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the font size after transforms, CSS px, (K,): from the height of lines where `size` cannot explain it."""
    box = texts.largest_line
    vertical = (box[:, 3] > 2 * size) & (box[:, 2] < box[:, 3])
    height = np.where(vertical, box[:, 2], box[:, 3])
    ratio = height / (_LINE_HEIGHT * np.maximum(size, 0.1))
    scaled = (ratio < _UNSCALED_HEIGHTS[0]) | (ratio > _UNSCALED_HEIGHTS[1])
    return np.where(scaled, height / _LINE_HEIGHT, size)


def out_of_reach(texts: CandidateTexts) -> NDArray[np.uint8]:
    """Return `Hidden.OFF_PAGE` for texts that a reader cannot or would not scroll to, else 0, uint8 (K,)."""
    snapshot, box = texts.snapshot, texts.box
    right, bottom = box[:, 0] + box[:, 2], box[:, 1] + box[:, 3]
    left_edge = min(float(snapshot.box[0, 0]), 0.0)
    beside = (box[:, 0] >= snapshot.width) | _far_right(texts)
    off_page = ((right <= left_edge) | (bottom <= 0)) & (box[:, 2] > 0) | _far_below(box[:, 1], bottom)
    if beside.any():
        off_page |= beside & ~_scroll_sideways(snapshot)[texts.parent]
    return np.where(off_page, Hidden.OFF_PAGE, Hidden.NO).astype(np.uint8)


def _far_right(texts: CandidateTexts) -> NDArray[np.bool_]:
    """Return which texts begin further to the right than a reader scrolls a page, bool (K,).

    In a page from right to left they begin as far to the left.
    """
    snapshot, left = texts.snapshot, texts.box[:, 0]
    directions = snapshot.attributes("dir")
    if any(directions.get(element, "").lower() == "rtl" for element in _ROOTS):
        left = snapshot.width - left - texts.box[:, 2]
    viewport = float(snapshot.settings.get("width", snapshot.width))
    if not (left >= viewport).any():
        return np.zeros(len(texts), dtype=bool)
    overflow = snapshot.styles.column("overflow-x")
    is_locked = any(overflow[style] in ("hidden", "clip") for style in viewport_styles(snapshot))
    limit = viewport if is_locked else _FAR_RIGHT * viewport
    return np.asarray(left >= limit)


def _scroll_sideways(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements are in a part of the page that a reader scrolls sideways, or in a table, bool (N,)."""
    scrolls = snapshot.styles.is_in("overflow-x", ("auto", "scroll"))[snapshot.style]
    scrolls = scrolls & ~snapshot.is_tag(("html", "body")) | snapshot.is_tag(("table", "pre"))
    return tree.inside(scrolls, snapshot.end)


def _far_below(top: NDArray[np.float32], bottom: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which of K texts lie below a large empty part of the page, if they are few, bool (K,)."""
    order = np.argsort(top, kind="stable")
    reached = np.maximum.accumulate(bottom[order])
    gaps = np.flatnonzero(top[order][1:] - reached[:-1] > _FAR_DOWN)
    far = np.zeros(len(top), dtype=bool)
    if len(gaps) and len(top) - gaps[0] - 1 <= max(1, _FEW * len(top)):
        far[order[gaps[0] + 1 :]] = True
    return far


def points_in_boxes(points: NDArray[np.float32], boxes: NDArray[np.float32]) -> Iterator[Pairs]:
    """Yield the pairs of a point and a box that contains it, in chunks; boxes ascend.

    Points are sorted by y, so that each box is only compared with the points between its top and bottom.

    Args:
        points: float32 (P, 2).
        boxes: float32 (B, 4).
    """
    if not len(boxes):
        return
    order = np.argsort(points[:, 1], kind="stable")
    y = points[order, 1]
    first = np.searchsorted(y, boxes[:, 1])
    count = np.maximum(np.searchsorted(y, boxes[:, 1] + boxes[:, 3]) - first, 0)
    chunk = (np.cumsum(count) - count) // _MAX_PAIRS
    for rows in np.split(np.arange(len(boxes)), np.flatnonzero(np.diff(chunk)) + 1):
        box = np.repeat(rows, count[rows])
        begin = np.cumsum(count[rows]) - count[rows]
        point = order[np.arange(len(box)) + np.repeat(first[rows] - begin, count[rows])]
        inside = (boxes[box, 0] <= points[point, 0]) & (points[point, 0] < boxes[box, 0] + boxes[box, 2])
        yield point[inside], box[inside]
