"""The columns of a feature matrix: name, unit and meaning, declared in a table beside the code that fills them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.number[Any]] | NDArray[np.bool_]
    """What becomes a column: whole numbers, fractions or flags."""

    Values = dict[str, Numbers]
    """Columns by name, each (B,)."""


@dataclass(frozen=True, slots=True)
class FeatureColumn:
    """One column of a feature matrix."""

    name: str
    unit: str
    doc: str


def parse_columns(text: str) -> tuple[FeatureColumn, ...]:
    """Columns from lines of `name | unit | meaning`."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    return tuple(FeatureColumn(name, unit, doc) for name, unit, doc in rows)


def stack_columns(columns: Sequence[FeatureColumn], values: Mapping[str, Numbers]) -> NDArray[np.float32]:
    """float32 (B, len(columns)): `values` (B,) by name in the order of `columns`.

    Raises:
        KeyError: a declared column has no values.
    """
    return np.ascontiguousarray(stack_rows([column.name for column in columns], values).T)


def stack_rows(names: Sequence[str], values: Mapping[str, Numbers]) -> NDArray[np.float32]:
    """float32 (len(names), B): `values` (B,) by name.

    Raises:
        KeyError: a name has no values.
    """
    flat = np.concatenate([values[name] for name in names], dtype=np.float32, casting="unsafe")
    return flat.reshape(len(names), -1)


def ratio(part: Numbers | float, whole: Numbers | float) -> NDArray[np.float32]:
    """`part / whole`, 0 where the whole is 0; NaN stays NaN."""
    dividend, divisor = np.asarray(part, dtype=np.float32), np.asarray(whole, dtype=np.float32)
    empty = np.zeros(np.broadcast(dividend, divisor).shape, dtype=np.float32)
    return np.divide(dividend, divisor, out=empty, where=divisor != 0)  # `np.errstate` takes longer than the division
