"""Declare the columns of feature matrices (name, unit, meaning) and stack their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.features.page_context import PageContext

    Numbers = NDArray[np.number[Any]] | NDArray[np.bool_]
    """Values of a column: integers, floats or flags."""

    Values = dict[str, Numbers]
    """Columns by name, each (B,)."""


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


def parse_columns(text: str) -> tuple[FeatureColumn, ...]:
    """Return the columns declared by lines of `name | unit | meaning`."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    return tuple(FeatureColumn(name, unit, doc) for name, unit, doc in rows)


@dataclass(frozen=True, slots=True)
class ColumnPart:
    """Columns of a block that one function computes together.

    Attributes:
        columns: the columns.
        compute: the function from a page to their values, (B,) each.
    """

    columns: tuple[FeatureColumn, ...]
    compute: Callable[[PageContext], Values]


def compute_parts(parts: Sequence[ColumnPart], context: PageContext, names: Collection[str] | None = None) -> Values:
    """Return the values of all columns of a page, (B,) each, or of the parts with the columns `names`."""
    values: Values = {}
    for part in parts:
        if names is None or any(column.name in names for column in part.columns):
            values.update(part.compute(context))
    return values


def all_columns(parts: Sequence[ColumnPart]) -> tuple[FeatureColumn, ...]:
    """Return the columns of several parts."""
    return tuple(column for part in parts for column in part.columns)


def count_limits(columns: Sequence[FeatureColumn]) -> NDArray[np.float32]:
    """Return the limit of each column: float32 (len(columns),); infinity for columns that do not count.

    The unit of a neighbor's column refers to the column of the block, such as "as `words`".
    """
    units = {f"as `{column.name}`": column.unit for column in columns}
    limits = [COUNT_LIMITS.get(units.get(column.unit, column.unit), np.inf) for column in columns]
    return np.array(limits, dtype=np.float32)


def limit_counts(values: NDArray[np.float32], limits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return `values` (R, C), bounded by plus and minus `limits` (C,); NaN stays NaN."""
    return np.asarray(np.clip(values, -limits, limits))


def stack_columns(columns: Sequence[FeatureColumn], values: Mapping[str, Numbers]) -> NDArray[np.float32]:
    """Return `values` (B,) as a matrix in the order of `columns`: float32 (B, len(columns)).

    Raises:
        KeyError: a declared column has no values.
    """
    return np.ascontiguousarray(stack_rows([column.name for column in columns], values).T)


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
