"""Models that are arrays of numbers, as bytes: no date and no code in them, so that equal models are equal files."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


def to_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A line with the names of the arrays, and the arrays in NumPy's format."""
    file = io.BytesIO()
    for values in arrays.values():
        np.save(file, values, allow_pickle=False)
    return json.dumps(list(arrays)).encode() + b"\n" + file.getvalue()


def from_bytes(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays that `to_bytes` wrote, by name.

    Raises:
        ValueError: it did not.
    """
    line, _, rest = data.partition(b"\n")
    file = io.BytesIO(rest)
    return {str(name): np.load(file, allow_pickle=False) for name in json.loads(line)}
