"""Web2Text (Vogels, Ganea and Eickhoff 2018, "Web2Text: Deep structured boilerplate removal").

As published: the collapsed document tree (section 2.1, `vclean.classify.methods.web2text.collapsed_tree`) and its
features of blocks and of pairs of neighbors (section 2.2, `vclean.classify.methods.web2text.columns`). Two networks of
five convolutions along the page (section 2.3) predict the probability of content for each block, and of each pair of
labels for each two neighbors. Viterbi finds the sequence with the highest sum of logarithms, in which the pairs are
weighted by `PAIR_WEIGHT`. Each network is trained separately by cross-entropy, all blocks alike, with dropout and L2
regularization. Details that the paper omits are as in the authors' program, dalab/web2text: excerpts of nine blocks,
128 of them per step, Adam, dropout of weights.

Choices of vclean: 1000 steps and `PAIR_WEIGHT`, by validation on other sites. Numbers are standardized by their mean
and standard deviation on the training pages, instead of the program's constants. Flags are -1 and 1 as in the program,
and missing values are 0. A block of vclean is content by the share of its words in the gold. Probabilities are
marginals over all sequences. Hidden blocks are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.methods import storage
from vclean.classify.methods.base import prediction_from_mask
from vclean.classify.methods.models import linear_chain
from vclean.classify.methods.models.convolution import Network
from vclean.classify.methods.models.convolution_training import Plan, fit
from vclean.classify.methods.web2text import columns as web2text
from vclean.classify.prediction import Prediction
from vclean.features.page_context import PageContext
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Method, TrainingPage
    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import FeatureColumn

PAIR_WEIGHT: Final = 0.5
"""Weight of the pairs relative to the blocks: 0.5 and 1 were the best of 0 to 1.5."""
_WIDTHS: Final = (1, 1, 3, 3, 3)
_BLOCK_PLAN: Final = Plan(filters=(50, 50, 50, 10, 2), widths=_WIDTHS)
_PAIR_PLAN: Final = Plan(filters=(50, 50, 50, 10, 4), widths=_WIDTHS)


@dataclass(frozen=True, slots=True, eq=False)
class Web2TextExample:
    """Training example of a page: float32 (B, 128) and (B - 1, 25) features of blocks and pairs, bool (B,) content."""

    blocks: NDArray[np.float32]
    pairs: NDArray[np.float32]
    content: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Potential:
    """Network over C columns that are standardized.

    Attributes:
        mean, scale: float32 (C,).
        network: network that returns logits.
    """

    mean: NDArray[np.float32]
    scale: NDArray[np.float32]
    network: Network

    def __call__(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the log probability of each class for the rows `columns` (R, C), float32 (R, K)."""
        logits = self.network(standardized(columns, self.mean, self.scale))
        high = logits.max(axis=1, keepdims=True)
        return np.asarray(logits - high - np.log(np.exp(logits - high).sum(axis=1, keepdims=True)))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of the potential by name; each name begins with `prefix`."""
        standardization = {f"{prefix}mean": self.mean, f"{prefix}scale": self.scale}
        return standardization | self.network.to_arrays(f"{prefix}layer_")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Potential:
        """Build the potential from the result of `to_arrays`."""
        return cls(arrays[f"{prefix}mean"], arrays[f"{prefix}scale"], Network.from_arrays(arrays, f"{prefix}layer_"))


def make_example(training_page: TrainingPage) -> Web2TextExample:
    """Make the training example of a page."""
    return Web2TextExample(*web2text.compute(PageContext(training_page.blocks)), training_page.truth.is_content)


def train(examples: Sequence[Web2TextExample]) -> bytes:
    """Train the two networks and the standardization of their columns.

    Raises:
        ExtraMissingError: PyTorch is not installed.
    """
    content = [page.content.astype(np.int64) for page in examples]
    pairs = [2 * labels[:-1] + labels[1:] for labels in content]
    block = fit_potential([page.blocks for page in examples], content, web2text.COLUMNS, _BLOCK_PLAN)
    pair = fit_potential([page.pairs for page in examples], pairs, web2text.PAIR_COLUMNS, _PAIR_PLAN)
    return storage.to_bytes(block.to_arrays("block_") | pair.to_arrays("pair_"))


def load(data: bytes) -> Method:
    """Return the method that keeps the visible blocks that are content in the best sequence."""
    arrays = storage.from_bytes(data)
    block, pair = Potential.from_arrays(arrays, "block_"), Potential.from_arrays(arrays, "pair_")

    def label(blocks: BlockColumns) -> Prediction:
        columns, pair_columns = web2text.compute(PageContext(blocks))
        states, transitions = block(columns), PAIR_WEIGHT * pair(pair_columns).reshape(-1, 2, 2)
        is_content = (linear_chain.viterbi(states, transitions) > 0) & (blocks.visibility != Visibility.HIDDEN)
        probability = linear_chain.marginals(states, transitions)[:, 1]
        return Prediction(prediction_from_mask(blocks, is_content).labels, probability.astype(np.float32))

    return label


def fit_potential(
    columns: Sequence[NDArray[np.float32]],
    targets: Sequence[NDArray[np.int64]],
    descriptions: Sequence[FeatureColumn],
    plan: Plan,
) -> Potential:
    """Fit a potential that predicts the `targets` (R,) of the rows of `columns` (R, C), one array per page.

    Raises:
        ExtraMissingError: PyTorch is not installed.
    """
    mean, scale = _standard(np.concatenate(columns), descriptions)
    return Potential(mean, scale, fit([standardized(each, mean, scale) for each in columns], targets, plan))


def standardized(
    columns: NDArray[np.float32], mean: NDArray[np.float32], scale: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Standardize `columns`, float32 (R, C); missing values become 0."""
    return np.asarray(np.nan_to_num((columns - mean) / scale, nan=0.0), dtype=np.float32)


def _standard(
    columns: NDArray[np.float32], descriptions: Sequence[FeatureColumn]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return mean and standard deviation; 0 and 1 if all values are missing or equal. Flags will become -1 and 1."""
    flag = np.array([column.unit == "flag" for column in descriptions])
    known = np.ma.masked_invalid(columns.astype(np.float64))
    mean, scale = known.mean(axis=0).filled(0), known.std(axis=0).filled(0)
    mean, scale = np.where(flag, 0.5, mean), np.where(flag, 0.5, np.where(scale > 0, scale, 1))
    return mean.astype(np.float32), scale.astype(np.float32)
