"""Train `vclean.classify.methods.models.convolution.Network` with PyTorch.

All random choices (first weights, excerpts, dropout) come from NumPy with a fixed seed, and PyTorch runs on one thread.
So the same sequences give the same network, and the state of global random generators does not change.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.methods.models.convolution import Network
from vclean.imports import import_optional

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from numpy.typing import NDArray

    Tensor = Any
    """Tensor of PyTorch, which may not be installed."""

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
