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


def overlap_area(box: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the area that a box (4,) shares with each of K others (K, 4), in square CSS px, (K,)."""
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[:2] + box[2:], others[:, :2] + others[:, 2:])
    return np.asarray(np.maximum(high - low, 0).prod(axis=1))


def covered_area(box: NDArray[np.float32], others: NDArray[np.float32]) -> float:
    """Return the area of a box (4,) that K others (K, 4) cover together, in square CSS px."""
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[:2] + box[2:], others[:, :2] + others[:, 2:])
    low, high = (corner[(high > low).all(axis=1)] for corner in (low, high))
    edges = [np.unique([low[:, axis], high[:, axis]]) for axis in (0, 1)]
    inside_x, inside_y = (
        (low[:, axis, None] <= edges[axis][:-1]) & (edges[axis][:-1] < high[:, axis, None]) for axis in (0, 1)
    )
    is_covered = (inside_x[:, :, None] & inside_y[:, None, :]).any(axis=0)
    return float((is_covered * np.diff(edges[0])[:, None] * np.diff(edges[1])).sum())
