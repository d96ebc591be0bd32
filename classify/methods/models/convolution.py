"""Evaluate networks of one-dimensional convolutions along a sequence, with NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_ONE_THREAD: Final = 1 << 18
"""Number of multiplications up to which OpenBLAS computes a product on one thread (its `SMP_THRESHOLD_MIN` times four).
For such small products, threads wait for each other longer than they compute."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Convolutional network; all layers but the last end with a rectifier (ReLU).

    Attributes:
        weights: float32 (out, in, width) for each layer, of odd width.
        biases: float32 (out,) for each layer.
    """

    weights: Sequence[NDArray[np.float32]]
    biases: Sequence[NDArray[np.float32]]

    def __call__(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the output of the network for the rows `columns` (R, in), float32 (R, out), with zero padding."""
        *inner, (weight, bias) = zip(self.weights, self.biases, strict=True)
        for inner_weight, inner_bias in inner:
            columns = np.maximum(convolve(columns, inner_weight, inner_bias), 0)
        return convolve(columns, weight, bias)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the weights and biases by name; each name begins with `prefix`."""
        layers = enumerate(zip(self.weights, self.biases, strict=True))
        return {
            f"{prefix}{layer}_{name}": part for layer, both in layers for name, part in zip("wb", both, strict=True)
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Network:
        """Build the network from the result of `to_arrays`."""
        names = [name for name in arrays if name.startswith(prefix)]
        return cls([arrays[name] for name in names if name.endswith("w")],
                   [arrays[name] for name in names if name.endswith("b")])  # fmt: skip


def convolve(
    columns: NDArray[np.float32], weight: NDArray[np.float32], bias: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Convolve the rows `columns` (R, in) with `weight` (out, in, width), float32 (R, out)."""
    reach = weight.shape[2] // 2
    padded = np.pad(columns, ((reach, reach), (0, 0)))
    matrices = np.ascontiguousarray(weight.transpose(2, 1, 0))
    parts = (_product(padded[step : step + len(columns)], matrix) for step, matrix in enumerate(matrices))
    return np.asarray(sum(parts, start=bias), dtype=np.float32)


def _product(rows: NDArray[np.float32], matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    product = np.empty((len(rows), matrix.shape[1]), dtype=np.float32)
    batch = max(_ONE_THREAD // matrix.size, 1)
    for begin in range(0, len(rows), batch):
        np.matmul(rows[begin : begin + batch], matrix, out=product[begin : begin + batch])
    return product
