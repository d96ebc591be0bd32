"""Train networks of one-dimensional convolutions along a sequence with PyTorch, and evaluate them with NumPy.

All random choices (first weights, excerpts, dropout) come from NumPy with a fixed seed, and PyTorch runs on one thread.
So the same sequences give the same network, and the state of global random generators does not change.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.imports import import_optional

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from numpy.typing import NDArray

    Tensor = Any
    """Tensor of PyTorch, which may not be installed."""

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


_SPREAD: Final = 0.1
_PADDING: Final = -1
"""Target of rows beyond the end of a sequence, which do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Architecture and training parameters of a network.

    Attributes:
        filters, widths: number and width of the filters of each layer; the last layer has one filter per class.
        dropout: share of the weights dropped in a step.
        decay: L2 penalty; half of it, times the sum of squared weights, is added to the loss.
        excerpt: number of rows of an excerpt.
        batch: number of excerpts per step, each from a sequence drawn uniformly, whatever its length.
        steps: number of training steps.
        rate: learning rate of Adam.
        seed: seed of all random choices.
    """

    filters: tuple[int, ...]
    widths: tuple[int, ...]
    dropout: float = 0.2
    decay: float = 1e-4
    excerpt: int = 9
    batch: int = 128
    steps: int = 1000
    rate: float = 1e-3
    seed: int = 7


def fit(columns: Sequence[NDArray[np.float32]], targets: Sequence[NDArray[np.int64]], plan: Plan) -> Network:
    """Train a network that predicts the class `targets` (R,) of the rows of `columns` (R, C), by cross-entropy.

    Both have one array per sequence. At least one sequence has a row.

    Raises:
        ExtraMissingError: PyTorch is not installed.
    """
    torch = import_optional("torch", "PyTorch", "web2text")
    random = np.random.default_rng(plan.seed)
    rows = _PaddedRows.from_sequences(columns, targets, plan.excerpt)
    with _deterministic(torch):
        optimizer = _Optimizer(torch, random, rows.columns.shape[1], plan)
        for _ in range(plan.steps):
            optimizer.step(*rows.draw(random, plan))
        return optimizer.network()


@dataclass(frozen=True, slots=True, eq=False)
class _PaddedRows:
    """Rows of all sequences, each sequence followed by padding for an excerpt.

    Attributes:
        columns: float32 (R, C), 0 in the padding; targets: int64 (R,), `_PADDING` in the padding.
        start, length: int64 (S,), first row and number of rows of each sequence.
    """

    columns: NDArray[np.float32]
    targets: NDArray[np.int64]
    start: NDArray[np.int64]
    length: NDArray[np.int64]

    @classmethod
    def from_sequences(
        cls, columns: Sequence[NDArray[np.float32]], targets: Sequence[NDArray[np.int64]], padding: int
    ) -> _PaddedRows:
        length = np.array([len(each) for each in targets])
        used = np.flatnonzero(length).tolist()
        return cls(
            np.concatenate([np.pad(columns[each], ((0, padding), (0, 0))) for each in used]),
            np.concatenate([np.pad(targets[each], (0, padding), constant_values=_PADDING) for each in used]),
            np.cumsum(length[used] + padding) - length[used] - padding,
            length[used],
        )

    def draw(self, random: np.random.Generator, plan: Plan) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Draw excerpts of sequences at random: columns (batch, excerpt, C) and targets (batch, excerpt)."""
        sequence = random.integers(len(self.start), size=plan.batch)
        starts = np.maximum(self.length[sequence] - plan.excerpt, 0) + 1
        begin = self.start[sequence] + (random.random(plan.batch) * starts).astype(np.int64)
        rows = begin[:, None] + np.arange(plan.excerpt)
        return self.columns[rows], self.targets[rows]


class _Optimizer:
    """Weights in training by Adam. They start at random, normal within two standard deviations; biases start at 0."""

    def __init__(self, torch: ModuleType, random: np.random.Generator, columns: int, plan: Plan) -> None:
        self._torch, self._random, self._plan = torch, random, plan
        shapes = zip(plan.filters, (columns, *plan.filters), plan.widths, strict=False)
        self._weights = [self._tensor(_SPREAD * random.normal(size=shape).clip(-2, 2)) for shape in shapes]
        self._biases = [self._tensor(np.zeros(count)) for count in plan.filters]
        self._adam = torch.optim.Adam([*self._weights, *self._biases], lr=plan.rate)

    def _tensor(self, values: NDArray[np.float64]) -> Tensor:
        return self._torch.tensor(values, dtype=self._torch.float32, requires_grad=True)

    def step(self, columns: NDArray[np.float32], targets: NDArray[np.int64]) -> None:
        """Update the weights by excerpts: columns (batch, excerpt, C) and targets (batch, excerpt)."""
        truth = self._torch.from_numpy(targets)
        inside = (truth != _PADDING)[:, None]
        weights = [self._drop(weight) for weight in self._weights]
        logits = forward(self._torch, self._torch.from_numpy(columns).transpose(1, 2), weights, self._biases, inside)
        entropy = self._torch.nn.functional.cross_entropy(logits, truth, ignore_index=_PADDING)
        size = sum((weight**2).sum() for weight in self._weights)
        self._adam.zero_grad()
        (entropy + self._plan.decay / 2 * size).backward()
        self._adam.step()

    def _drop(self, weight: Tensor) -> Tensor:
        """Return a weight tensor after dropout, with the remaining weights scaled up."""
        share = np.float32(1 - self._plan.dropout)
        mask = self._random.random(tuple(weight.shape), dtype=np.float32) < share
        return weight * self._torch.from_numpy(mask / share)

    def network(self) -> Network:
        """Return the network with the current weights."""
        return Network(*([part.detach().numpy() for part in parts] for parts in (self._weights, self._biases)))


def forward(
    torch: ModuleType, columns: Tensor, weights: Sequence[Tensor], biases: Sequence[Tensor], inside: Tensor
) -> Tensor:
    """Return the output (S, out, R) of the network for `columns` (S, C, R); rows not `inside` (S, 1, R) are zeros."""
    for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        rows = torch.relu(columns) if layer else columns
        columns = torch.nn.functional.conv1d(rows * inside, weight, bias, padding="same")
    return columns


@contextmanager
def _deterministic(torch: ModuleType) -> Iterator[None]:
    """Run PyTorch on one thread and with deterministic operations only in this block."""
    threads, strict = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(strict)
