"""Find the line numbers that highlighters write before the lines of code: they are no code."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.blocks import find_block_level
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns


def line_numbers(blocks: BlockColumns) -> NDArray[np.int32]:
    """Return the text nodes of `pre` elements that are line numbers, int32 (K,).

    They are integers that count up by one. Either they are all the text of a `pre` element, and the next one has as
    many lines; a single text needs to be in the same row of a table. Or each is a text of its own at the start of a
    line, and the code has a line for each.
    """
    snapshot = blocks.snapshot
    is_code = snapshot.is_tag(("pre",))
    if not is_code.any():
        return np.zeros(0, dtype=np.int32)
    owner = tree.nearest_ancestor(is_code, snapshot.parent)[snapshot.text_parent]
    texts = np.flatnonzero(is_code[owner])
    starts = np.flatnonzero(np.diff(owner[texts])) + 1
    lines = [
        _Lines(rows, [snapshot.texts[row] for row in rows.tolist()], breaks)
        for rows, breaks in zip(np.split(texts, starts), np.split(_breaks(blocks, texts), starts), strict=True)
        if len(rows)
    ]
    row = tree.nearest_ancestor(snapshot.is_tag(("tr",)), snapshot.parent)[snapshot.text_parent]
    alone = [
        one.rows
        for one, after in pairwise(lines)
        if one.counts_lines_of(after) and (len(one.rows) > 1 or row[one.rows[0]] == row[after.rows[0]] > 0)
    ]
    inside = [one.numbers for one in lines]
    return np.concatenate([np.zeros(0, dtype=np.intp), *alone, *inside]).astype(np.int32)


def _breaks(blocks: BlockColumns, texts: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return whether a `br` or the end of a block breaks the line before each of K `texts`, bool (K,)."""
    snapshot = blocks.snapshot
    container = tree.nearest_ancestor(find_block_level(snapshot), snapshot.parent)[snapshot.text_parent[texts]]
    count = np.append(0, np.cumsum(snapshot.is_tag(("br",))))[snapshot.text_after[texts] + 1]
    return np.append(True, (np.diff(container) != 0) | (np.diff(count) > 0))


class _Lines:
    """Lines of a `pre` element.

    Attributes:
        rows: (K,), its text nodes.
    """

    def __init__(self, rows: NDArray[np.intp], texts: list[str], breaks: NDArray[np.bool_]) -> None:
        self.rows = rows
        starts_line = zip(breaks.tolist(), [True, *(text.endswith("\n") for text in texts[:-1])], texts, strict=True)
        self._is_number = [(one or other) and text.strip().isdecimal() for one, other, text in starts_line]
        self._texts = ["\n" * one + text for one, text in zip(breaks.tolist(), texts, strict=True)]

    def _lines(self, *, numbers: bool) -> list[str]:
        """Return the lines with text, without the texts that may be numbers if not requested."""
        texts = [text for text, flag in zip(self._texts, self._is_number, strict=True) if numbers or not flag]
        return [line for line in "".join(texts).split("\n") if line.strip()]

    def counts_lines_of(self, code: _Lines) -> bool:
        """Return True if the text numbers the lines of `code`; empty lines may lack a number."""
        numbers, count = [line.strip() for line in self._lines(numbers=True)], len(code._lines(numbers=True))
        return _count_up(numbers) and count <= len(numbers) <= 2 * count + 1

    @property
    def numbers(self) -> NDArray[np.intp]:
        """Return the texts that number the other lines of the element, (N,)."""
        numbers = [text.strip() for text, flag in zip(self._texts, self._is_number, strict=True) if flag]
        if len(numbers) < 2 or not _count_up(numbers) or not 0 < len(self._lines(numbers=False)) <= len(numbers):
            return self.rows[:0]
        return np.asarray(self.rows[np.array(self._is_number, dtype=bool)])


def _count_up(numbers: list[str]) -> bool:
    """Return whether texts are integers in ascending order without gaps.

    >>> _count_up(["9", "10", "11"]), _count_up(["1", "3"]), _count_up(["x"]), _count_up([])
    (True, False, False, False)
    """
    if not numbers or not all(map(str.isdecimal, numbers)):
        return False
    first = int(numbers[0])
    return [*map(int, numbers)] == list(range(first, first + len(numbers)))
