"""Measure to how many posts each post of a thread replies, directly or not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.facts.slots import RecordTexts

_DEPTH: Final = re.compile(r"(?:depth|level|indent)[-_]?(\d{1,2})\b", re.IGNORECASE)
_DEPTH_ATTRIBUTES: Final = ("data-depth", "data-level", "depth", "indent", "aria-level")
_LEVEL: Final = re.compile(r"\d{1,2}", re.ASCII)
_INDENT: Final = re.compile(r"(?:margin|padding)-left:\s*(\d{1,4}(?:\.\d{1,4})?)(?:px|em|rem|%)?", re.IGNORECASE)
"""Indentation in the inline style of a post."""


def post_depths(texts: RecordTexts, authors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the depth of replies: by nesting, by the classes or attributes of the records, or by edges: int64 (R,).

    Args:
        texts: the texts of the records.
        authors: int64 (R,), the text with the author of each post, -1 without.
    """
    snapshot, records = texts.blocks.snapshot, texts.records
    is_record = np.zeros(len(snapshot), dtype=bool)
    is_record[records] = True
    nested = tree.path_sum(is_record, snapshot.end)[records] - 1
    if nested.any():
        return nested
    classes = snapshot.attributes("class")
    levels = [_DEPTH.search(classes.get(record, "")) for record in records.tolist()]
    if any(levels):
        return _from_zero([int(level[1]) if level else 0 for level in levels])
    for name in _DEPTH_ATTRIBUTES:
        numbers = _numbers_in(texts, name)
        if len(numbers) == len(records):
            return _from_zero([numbers[record] for record in range(len(records))])
    edges = [snapshot.box[records, 0]]
    if len(authors) and authors.min() >= 0:
        edges.append(snapshot.box[texts.parent[authors], 0])
    if not np.isfinite(edges[0]).all():
        styles = snapshot.attributes("style")
        indents = [_INDENT.search(styles.get(record, "")[:500]) for record in records.tolist()]
        return _ranks([float(indent[1]) if indent else 0 for indent in indents])
    ranks = [_ranks(edge.tolist()) for edge in edges if np.isfinite(edge).all()]
    return next((rank for rank in ranks if rank.any()), ranks[0])


def _numbers_in(texts: RecordTexts, name: str) -> dict[int, int]:
    """Return the first whole number in an attribute of each record or of an element in it, by record."""
    numbers: dict[int, int] = {}
    for element, value in texts.blocks.snapshot.attributes(name).items():
        record = int(texts.record_of_element[element])
        if record >= 0 and _LEVEL.fullmatch(value):
            numbers.setdefault(record, int(value))
    return numbers


def _from_zero(numbers: list[int]) -> NDArray[np.int64]:
    return np.array(numbers, dtype=np.int64) - min(numbers)


def _ranks(edges: list[float]) -> NDArray[np.int64]:
    """Return the rank of each of some left edges, in CSS px, among the distinct ones: int64 (R,)."""
    return np.unique(np.round(np.array(edges) / 4), return_inverse=True)[1].astype(np.int64)
