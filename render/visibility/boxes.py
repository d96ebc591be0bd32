"""Compare boxes with points and with other boxes. Boxes are x, y, width and height in CSS px.

A box contains its left and top edges, and not its right and bottom edges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]
    """Indices of points, and of the box around each."""

_MAX_PAIRS: Final = 1_000_000
"""Pairs of a point and a box that are compared at once: about 50 MB."""


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


def contains(box: NDArray[np.float32], point: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return whether each box (..., 4) contains its point (..., 2), bool (...)."""
    return np.asarray(((box[..., :2] <= point) & (point < box[..., :2] + box[..., 2:])).all(axis=-1))
