"""Train networks of one-dimensional convolutions along a sequence with PyTorch, and evaluate them with NumPy.

All random choices (first weights, excerpts, dropout) come from NumPy with a fixed seed, and PyTorch runs on one thread.
So the same sequences give the same network, and the state of global random generators does not change.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.methods.base import mean_and_scale, standardized
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
    """Convolutional network over standardized columns; all layers but the last end with a rectifier (ReLU).

    Attributes:
        mean, scale: float32 (C,), mean and standard deviation of the columns.
        weights: float32 (out, in, width) for each layer, of odd width.
        biases: float32 (out,) for each layer.
    """

    mean: NDArray[np.float32]
    scale: NDArray[np.float32]
    weights: Sequence[NDArray[np.float32]]
    biases: Sequence[NDArray[np.float32]]

    def __call__(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the log probability of each class for the rows `columns` (R, C), float32 (R, classes)."""
        logits = self.logits(standardized(columns, self.mean, self.scale))
        high = logits.max(axis=1, keepdims=True)
        return np.asarray(logits - high - np.log(np.exp(logits - high).sum(axis=1, keepdims=True)))

    def logits(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the output of the last layer for standardized `rows` (R, C), with zero padding."""
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            rows = convolve(np.maximum(rows, 0) if layer else rows, weight, bias)
        return rows

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of the network by name; each name begins with `prefix`."""
        arrays = {f"{prefix}mean": self.mean, f"{prefix}scale": self.scale}
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            arrays |= {f"{prefix}layer_{layer}_w": weight, f"{prefix}layer_{layer}_b": bias}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Network:
        """Build the network from the result of `to_arrays`."""
        mean, scale, *layers = (values for name, values in arrays.items() if name.startswith(prefix))
        return cls(mean, scale, layers[::2], layers[1::2])


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


def fit(
    columns: Sequence[NDArray[np.float32]],
    targets: Sequence[NDArray[np.int64]],
    plan: Plan,
    is_flag: NDArray[np.bool_],
) -> Network:
    """Train a network that predicts the class `targets` (R,) of the rows of `columns` (R, C), by cross-entropy.

    Both have one array per sequence. At least one sequence has a row. The flags among the columns, `is_flag` (C,),
    become -1 and 1; numbers are standardized.

    The weights are trained by Adam. They start at random, normal within two standard deviations; biases start at 0.

    Raises:
        ExtraMissingError: PyTorch is not installed.
    """
    torch = import_optional("torch", "PyTorch", "web2text")
    mean, scale = (np.where(is_flag, np.float32(0.5), part) for part in mean_and_scale(np.concatenate(columns)))
    random = np.random.default_rng(plan.seed)
    excerpts = _excerpts([standardized(rows, mean, scale) for rows in columns], targets, plan, random)
    with _deterministic(torch):
        shapes = zip(plan.filters, (len(mean), *plan.filters), plan.widths, strict=False)
        weights = [_parameter(torch, _SPREAD * random.normal(size=shape).clip(-2, 2)) for shape in shapes]
        biases = [_parameter(torch, np.zeros(count)) for count in plan.filters]
        adam = torch.optim.Adam([*weights, *biases], lr=plan.rate)
        for excerpt in excerpts:
            loss = _loss(torch, excerpt, [_drop(torch, weight, plan, random) for weight in weights], biases)
            size = sum((weight**2).sum() for weight in weights)
            adam.zero_grad()
            (loss + plan.decay / 2 * size).backward()
            adam.step()
    return Network(mean, scale, *([part.detach().numpy() for part in parts] for parts in (weights, biases)))


def _excerpts(
    columns: Sequence[NDArray[np.float32]],
    targets: Sequence[NDArray[np.int64]],
    plan: Plan,
    random: np.random.Generator,
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int64]]]:
    """Yield for each step excerpts of sequences: columns (batch, excerpt, C) and targets (batch, excerpt).

    All sequences are in one array, each followed by padding for an excerpt.
    """
    used, excerpt = [index for index, classes in enumerate(targets) if len(classes)], plan.excerpt
    length = np.array([len(targets[index]) for index in used])
    start = np.cumsum(length + excerpt) - length - excerpt
    padded = np.concatenate([np.pad(columns[index], ((0, excerpt), (0, 0))) for index in used])
    classes = np.concatenate([np.pad(targets[index], (0, excerpt), constant_values=_PADDING) for index in used])
    for _ in range(plan.steps):
        sequence = random.integers(len(start), size=plan.batch)
        positions = np.maximum(length[sequence] - excerpt, 0) + 1
        begin = start[sequence] + (random.random(plan.batch) * positions).astype(np.int64)
        rows = begin[:, None] + np.arange(excerpt)
        yield padded[rows], classes[rows]


def _parameter(torch: ModuleType, values: NDArray[np.float64]) -> Tensor:
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def _drop(torch: ModuleType, weight: Tensor, plan: Plan, random: np.random.Generator) -> Tensor:
    """Return a weight tensor after dropout, with the remaining weights scaled up."""
    share = np.float32(1 - plan.dropout)
    mask = random.random(tuple(weight.shape), dtype=np.float32) < share
    return weight * torch.from_numpy(mask / share)


def _loss(
    torch: ModuleType,
    excerpts: tuple[NDArray[np.float32], NDArray[np.int64]],
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
) -> Tensor:
    """Return the cross-entropy of a network on excerpts."""
    rows, truth = map(torch.from_numpy, excerpts)
    logits = forward(torch, rows.transpose(1, 2), weights, biases, (truth != _PADDING)[:, None])
    return torch.nn.functional.cross_entropy(logits, truth, ignore_index=_PADDING)


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
