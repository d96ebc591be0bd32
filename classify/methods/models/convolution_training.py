"""Training of `vclean.classify.methods.models.convolution.Network`, by PyTorch.

Every choice at random (first weights, excerpts, dropout) is NumPy's by a fixed seed, and PyTorch runs on one thread, so
that the same sequences give the same network, and the state of nobody's generator changes.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.methods.models.convolution import Network
from vclean.imports import need

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from numpy.typing import NDArray

    Tensor = Any
    """Of a library that may not be there."""

_SPREAD: Final = 0.1
_OUTSIDE: Final = -1
"""The answer of rows beyond the end of a sequence, which do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a network is built and trained.

    Attributes:
        filters, widths: of every layer; the last has a filter for each answer.
        dropout: share of the weights that are left out of a step.
        decay: of the squares of the weights, what is added to the loss; half of it.
        excerpt: rows of a sequence that are looked at in one piece.
        batch: excerpts in a step, each of a sequence drawn at random, whatever its length.
        steps: how often the weights are changed.
        rate: of Adam.
        seed: of all that is random.
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


def fit(columns: Sequence[NDArray[np.float32]], answers: Sequence[NDArray[np.int64]], plan: Plan) -> Network:
    """A network that tells the `answers` (R,), from 0 on, of the rows of `columns` (R, C), by cross-entropy.

    Both have one array for each sequence, of which at least one has a row.

    Raises:
        ExtraMissingError: PyTorch is not installed.
    """
    torch = need("torch", "PyTorch", "web2text")
    random = np.random.default_rng(plan.seed)
    rows = _Rows.of(columns, answers, plan.excerpt)
    with _repeatable(torch):
        descent = _Descent(torch, random, rows.columns.shape[1], plan)
        for _ in range(plan.steps):
            descent.step(*rows.draw(random, plan))
        return descent.network()


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows of all sequences, each with room behind it for an excerpt.

    Attributes:
        columns: float32 (R, C), 0 in that room; answers: int64 (R,), `_OUTSIDE` in it.
        start, length: int64 (S,), where every sequence begins, and how many rows it has.
    """

    columns: NDArray[np.float32]
    answers: NDArray[np.int64]
    start: NDArray[np.int64]
    length: NDArray[np.int64]

    @classmethod
    def of(cls, columns: Sequence[NDArray[np.float32]], answers: Sequence[NDArray[np.int64]], room: int) -> _Rows:
        length = np.array([len(each) for each in answers])
        some = np.flatnonzero(length).tolist()
        return cls(
            np.concatenate([np.pad(columns[each], ((0, room), (0, 0))) for each in some]),
            np.concatenate([np.pad(answers[each], (0, room), constant_values=_OUTSIDE) for each in some]),
            np.cumsum(length[some] + room) - length[some] - room,
            length[some],
        )

    def draw(self, random: np.random.Generator, plan: Plan) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Excerpts of sequences at random: columns (batch, excerpt, C) and answers (batch, excerpt)."""
        sequence = random.integers(len(self.start), size=plan.batch)
        starts = np.maximum(self.length[sequence] - plan.excerpt, 0) + 1
        begin = self.start[sequence] + (random.random(plan.batch) * starts).astype(np.int64)
        taken = begin[:, None] + np.arange(plan.excerpt)
        return self.columns[taken], self.answers[taken]


class _Descent:
    """Weights on their way down the loss, from random ones: normal, at most two standard deviations; biases of zero."""

    def __init__(self, torch: ModuleType, random: np.random.Generator, columns: int, plan: Plan) -> None:
        self._torch, self._random, self._plan = torch, random, plan
        shapes = zip(plan.filters, (columns, *plan.filters), plan.widths, strict=False)
        self._weights = [self._tensor(_SPREAD * random.normal(size=shape).clip(-2, 2)) for shape in shapes]
        self._biases = [self._tensor(np.zeros(count)) for count in plan.filters]
        self._adam = torch.optim.Adam([*self._weights, *self._biases], lr=plan.rate)

    def _tensor(self, values: NDArray[np.float64]) -> Tensor:
        return self._torch.tensor(values, dtype=self._torch.float32, requires_grad=True)

    def step(self, columns: NDArray[np.float32], answers: NDArray[np.int64]) -> None:
        """Change the weights by excerpts: columns (batch, excerpt, C) and answers (batch, excerpt)."""
        truth = self._torch.from_numpy(answers)
        inside = (truth != _OUTSIDE)[:, None]
        kept = [self._dropped(weight) for weight in self._weights]
        logits = forward(self._torch, self._torch.from_numpy(columns).transpose(1, 2), kept, self._biases, inside)
        entropy = self._torch.nn.functional.cross_entropy(logits, truth, ignore_index=_OUTSIDE)
        size = sum((weight**2).sum() for weight in self._weights)
        self._adam.zero_grad()
        (entropy + self._plan.decay / 2 * size).backward()
        self._adam.step()

    def _dropped(self, weight: Tensor) -> Tensor:
        """A weight with some of its numbers 0, and the others larger in return."""
        share = np.float32(1 - self._plan.dropout)
        kept = self._random.random(tuple(weight.shape), dtype=np.float32) < share
        return weight * self._torch.from_numpy(kept / share)

    def network(self) -> Network:
        """What the weights are now."""
        return Network(*([part.detach().numpy() for part in parts] for parts in (self._weights, self._biases)))


def forward(
    torch: ModuleType, columns: Tensor, weights: Sequence[Tensor], biases: Sequence[Tensor], inside: Tensor
) -> Tensor:
    """(S, out, R): what `Network` makes of `columns` (S, C, R); rows that are not `inside` (S, 1, R) count as zeros."""
    for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        rows = torch.relu(columns) if layer else columns
        columns = torch.nn.functional.conv1d(rows * inside, weight, bias, padding="same")
    return columns


@contextmanager
def _repeatable(torch: ModuleType) -> Iterator[None]:
    """PyTorch on one thread and with no operation whose result may change from run to run."""
    threads, strict = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(strict)
