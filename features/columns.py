"""Declare the columns of feature matrices (name, unit, meaning), stack their values, and group their rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from vclean.features import _names
from vclean.files import read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.features.page_context import PageContext

    Numbers = NDArray[np.number[Any]] | NDArray[np.bool_]
    """Values of a column: integers, floats or flags."""

    Values = dict[str, Numbers]
    """Columns by name, each (B,)."""

    Parts = dict[Callable[[PageContext], Values], list[str]]
    """Names of columns of blocks by the function that computes their values, (B,) each, from a page."""

_Integer = TypeVar("_Integer", bound="np.integer[Any]")


class Groups:
    """B rows in G groups of equal keys.

    Args:
        keys: (B,), rows with equal keys are a group.

    Attributes:
        number: int64 (B,), the group of each row; groups are numbered by ascending key.
        sizes: int64 (G,), the number of rows of each group.
        order: int64 (B,), the rows sorted by group, in their original order within a group.
    """

    def __init__(self, keys: Numbers) -> None:
        self.order = np.argsort(keys, kind="stable")
        ascending = keys[self.order]
        new = np.ones(len(keys), dtype=bool)
        new[1:] = ascending[1:] != ascending[:-1]
        self.number = np.empty(len(keys), dtype=np.int64)
        self.number[self.order] = np.cumsum(new) - 1
        self.sizes = np.bincount(self.number)

    @cached_property
    def size(self) -> NDArray[np.int64]:
        """Return the number of rows in each row's group, itself included: int64 (B,)."""
        return self.sizes[self.number]

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """Return the number of earlier rows in each row's group: int64 (B,)."""
        rank = np.empty(len(self.number), dtype=np.int64)
        rank[self.order] = np.arange(len(rank)) - np.repeat(np.cumsum(self.sizes) - self.sizes, self.sizes)
        return rank

    @cached_property
    def spread(self) -> NDArray[np.int64]:
        """Return the distance in rows from the first to the last row of each row's group: int64 (B,)."""
        end = np.cumsum(self.sizes)
        return np.asarray((self.order[end - 1] - self.order[end - self.sizes])[self.number])

    def total(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of `values` (B,) over each row's group: float64 (B,)."""
        return np.bincount(self.number, values).astype(np.float64)[self.number]


def sorted_unique(keys: NDArray[_Integer]) -> NDArray[_Integer]:
    """Return the distinct `keys` in ascending order.

    Ten times as fast as `np.unique` for a few thousand keys, and without its import of `numpy.ma`.
    """
    keys = np.sort(keys)
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    return keys[new]


def find_keys(values: NDArray[_Integer], keys: NDArray[_Integer]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which `values` are among distinct ascending `keys`, and the index of each of these in `keys`."""
    is_key = np.zeros(256, dtype=bool)
    is_key[keys.astype(np.uint8)] = True
    rows = np.flatnonzero(is_key[values.astype(np.uint8)])  # most values differ from all keys in the last byte
    index = np.searchsorted(keys, values[rows])
    is_equal = keys.take(index, mode="clip") == values[rows]
    return rows[is_equal], index[is_equal]


@dataclass(frozen=True, eq=False)
class RaggedArray:
    """R rows of different lengths: row `i` is `values[start[i]:start[i + 1]]`.

    Attributes:
        start: int64 (R + 1,), the index in `values` of the first value of each row, then the number of values.
        values: int32 (M,), the values of all rows, row by row.
    """

    start: NDArray[np.int64]
    values: NDArray[np.int32]

    @classmethod
    def from_bytes(cls, start: bytes, values: bytes) -> RaggedArray:
        """Return the rows from the bytes of their starts and their values."""
        return cls(np.frombuffer(start, np.int64), np.frombuffer(values, np.int32))

    @classmethod
    def concatenate(cls, arrays: Sequence[RaggedArray]) -> RaggedArray:
        """Concatenate the rows of arrays into one array."""
        lengths = np.concatenate([np.diff(array.start) for array in arrays])
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(start, np.concatenate([array.values for array in arrays]))

    def take(self, rows: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the values of `rows`.

        Returns:
            For each value its index in `rows`, int64 (K,), and the value, int32 (K,).
        """
        length = np.diff(self.start)[rows]
        owner = np.repeat(np.arange(len(rows)), length)
        return owner, self.values[np.arange(len(owner)) + (self.start[rows] - np.cumsum(length) + length)[owner]]

    def row_sums(self, weights: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of `weights[value]` over each row: float64 (R,)."""
        return np.frombuffer(_names.row_sums(weights, self.values, self.start), np.float64)


def sum_over_runs(
    values: NDArray[Any], begin: NDArray[np.integer[Any]], end: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    """Return the sums of `values` (..., B) over the runs `[begin, end)` of any shape S: float64 (..., *S)."""
    total = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, axis=-1, out=total[..., 1:])
    return np.asarray(total.take(end, axis=-1) - total.take(begin, axis=-1))


COUNT_LIMITS: Final = {"words": 3000.0, "characters": 20_000.0, "blocks": 400.0, "elements": 2000.0}
"""Limits of counts by unit: 5 to 20 % of the pages of the corpora are larger.

Beyond them there are too few pages to learn from. Without limits, the probabilities of paragraphs sink with the length
of the page, from .99 to .66 between 165 and 5,206 blocks of the same kind.
"""


@dataclass(frozen=True, slots=True)
class FeatureColumn:
    """Declaration of one column of a feature matrix: name, unit and meaning."""

    name: str
    unit: str
    doc: str


def read_columns(table: str, part: str = "") -> tuple[FeatureColumn, ...]:
    """Return the columns that `data/columns.tsv` declares for a part of a table, or for all its parts."""
    parts = (columns for key, columns in _declared().items() if key == (table, part or key[1]))
    return tuple(chain.from_iterable(parts))


@cache
def _declared() -> dict[tuple[str, str], list[FeatureColumn]]:
    columns: dict[tuple[str, str], list[FeatureColumn]] = {}
    for table, part, name, unit, doc in read_table(__file__, "columns.tsv"):
        columns.setdefault((table, part), []).append(FeatureColumn(name, unit, doc))
    return columns


def read_parts(table: str, functions: Mapping[str, Any]) -> Parts:
    """Return the names of columns in `data/columns.tsv` by the functions that compute them, which the rows name."""
    parts = {part: columns for (name, part), columns in _declared().items() if name == table}
    return {functions[part]: [column.name for column in columns] for part, columns in parts.items()}


def compute_parts(parts: Parts, context: PageContext, names: frozenset[str] | None = None) -> Values:
    """Return the values of all columns of a page, (B,) each, or of the parts with the columns `names`."""
    values: Values = {}
    for compute, columns in parts.items():
        if names is None or not names.isdisjoint(columns):
            values.update(compute(context))
    return values


def count_limits(columns: Sequence[FeatureColumn]) -> NDArray[np.float32]:
    """Return the limit of each column, in both directions: float32 (len(columns),); infinity for others than counts.

    The unit of a neighbor's column refers to the column of the block, such as "as `words`".
    """
    units = {f"as `{column.name}`": column.unit for column in columns}
    limits = [COUNT_LIMITS.get(units.get(column.unit, column.unit), np.inf) for column in columns]
    return np.array(limits, dtype=np.float32)


def stack_rows(names: Sequence[str], values: Mapping[str, Numbers]) -> NDArray[np.float32]:
    """Return `values` (B,) as a transposed matrix in the order of `names`: float32 (len(names), B).

    Raises:
        KeyError: a name has no values.
    """
    flat = np.concatenate([values[name] for name in names], dtype=np.float32, casting="unsafe")
    return flat.reshape(len(names), -1)


def ratio(part: Numbers | float, whole: Numbers | float) -> NDArray[np.float32]:
    """Return `part / whole`, with 0 where the whole is 0; NaN stays NaN."""
    dividend, divisor = np.asarray(part, dtype=np.float32), np.asarray(whole, dtype=np.float32)
    zeros = np.zeros(np.broadcast(dividend, divisor).shape, dtype=np.float32)
    return np.divide(dividend, divisor, out=zeros, where=divisor != 0)  # `np.errstate` is slower than the division
