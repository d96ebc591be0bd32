"""Networks of one-dimensional convolutions along a sequence, evaluated by NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_ONE_THREAD: Final = 1 << 18
"""Multiplications up to which OpenBLAS keeps a product on one thread (its `SMP_THRESHOLD_MIN` times four); on products
as small as these, threads wait for each other for longer than they work."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Layers of convolutions; all but the last are cut off below zero.

    Attributes:
        weights: float32 (out, in, width) for every layer, of odd width.
        biases: float32 (out,) for every layer.
    """

    weights: Sequence[NDArray[np.float32]]
    biases: Sequence[NDArray[np.float32]]

    def __call__(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32 (R, out): what comes of the rows `columns` (R, in); beyond both ends there are zeros."""
        *inner, (weight, bias) = zip(self.weights, self.biases, strict=True)
        for inner_weight, inner_bias in inner:
            columns = np.maximum(convolve(columns, inner_weight, inner_bias), 0)
        return convolve(columns, weight, bias)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """What the network is, by name; `prefix` begins every name."""
        layers = enumerate(zip(self.weights, self.biases, strict=True))
        return {
            f"{prefix}{layer}_{name}": part for layer, both in layers for name, part in zip("wb", both, strict=True)
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Network:
        """The network that `to_arrays` took apart."""
        names = [name for name in arrays if name.startswith(prefix)]
        return cls([arrays[name] for name in names if name.endswith("w")],
                   [arrays[name] for name in names if name.endswith("b")])  # fmt: skip


def convolve(
    columns: NDArray[np.float32], weight: NDArray[np.float32], bias: NDArray[np.float32]
) -> NDArray[np.float32]:
    """float32 (R, out): every row of `columns` (R, in) with its neighbours, by `weight` (out, in, width)."""
    reach = weight.shape[2] // 2
    padded = np.pad(columns, ((reach, reach), (0, 0)))
    steps = np.ascontiguousarray(weight.transpose(2, 1, 0))
    parts = (_product(padded[step : step + len(columns)], matrix) for step, matrix in enumerate(steps))
    return np.asarray(sum(parts, start=bias), dtype=np.float32)


def _product(rows: NDArray[np.float32], matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    found = np.empty((len(rows), matrix.shape[1]), dtype=np.float32)
    at_once = max(_ONE_THREAD // matrix.size, 1)
    for at in range(0, len(rows), at_once):
        np.matmul(rows[at : at + at_once], matrix, out=found[at : at + at_once])
    return found
