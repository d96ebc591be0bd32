"""The columns of a feature matrix: name, unit and meaning of each, declared as a table beside the code that fills it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


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


def stack(columns: Sequence[Column], values: Mapping[str, NDArray[np.generic]], count: int) -> NDArray[np.float32]:
    """float32 (count, len(columns)): `values` by name in the order of `columns`.

    Raises:
        KeyError: a declared column has no values.
    """
    matrix = np.empty((count, len(columns)), dtype=np.float32)
    for index, column in enumerate(columns):
        matrix[:, index] = values[column.name]
    return matrix


def ratio(part: NDArray[np.generic], whole: NDArray[np.generic] | float) -> NDArray[np.float32]:
    """`part / whole`, 0 where the whole is 0; NaN stays NaN."""
    whole = np.asarray(whole, dtype=np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole == 0, np.float32(0), np.asarray(part, dtype=np.float32) / whole)
