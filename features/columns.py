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
class Column:
    """One column of a feature matrix."""

    name: str
    unit: str
    doc: str


def table(text: str) -> tuple[Column, ...]:
    """Columns from lines of `name | unit | meaning`."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    return tuple(Column(name, unit, doc) for name, unit, doc in rows)


def stack(columns: Sequence[Column], values: Mapping[str, Numbers], count: int) -> NDArray[np.float32]:
    """float32 (count, len(columns)): `values` by name in the order of `columns`.

    Raises:
        KeyError: a declared column has no values.
    """
    matrix = np.empty((count, len(columns)), dtype=np.float32)
    for index, column in enumerate(columns):
        matrix[:, index] = values[column.name]
    return matrix


def ratio(part: Numbers | float, whole: Numbers | float) -> NDArray[np.float32]:
    """`part / whole`, 0 where the whole is 0; NaN stays NaN."""
    dividend, divisor = np.asarray(part, dtype=np.float32), np.asarray(whole, dtype=np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(divisor == 0, np.float32(0), dividend / divisor)
