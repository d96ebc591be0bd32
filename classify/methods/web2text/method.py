"""Web2Text (Vogels, Ganea and Eickhoff 2018, "Web2Text: Deep structured boilerplate removal").

As published: the collapsed document tree (section 2.1, `vclean.classify.methods.web2text.collapsed_tree`) and its
columns of blocks and of pairs of neighbours (section 2.2, `vclean.classify.methods.web2text.columns`); two networks of
five convolutions along the page (section 2.3) tell how probable content is at each block, and each pair of labels at
each two neighbours; Viterbi finds the sequence with the highest sum of logarithms, in which the pairs count by `PAIRS`.
Each network is trained on its own by cross-entropy, all blocks alike, with dropout and L2 regularisation. What the
paper leaves open is as in the authors' program, dalab/web2text: excerpts of nine blocks, 128 of them in a step, Adam,
dropout of weights.

Left open and chosen: 1000 steps, and `PAIRS`, by validation on other sites; numbers are standardised by their mean and
standard deviation on the training pages, in place of the program's constants, and flags are -1 and 1 as there; what is
missing is 0. A block, of vclean's, is content by the share of its words in the gold. The probability is that of all
sequences. What is hidden is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.methods import storage
from vclean.classify.methods.base import decide
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

PAIRS: Final = 0.5
"""What the pairs count beside the blocks: 0.5 and 1 were the best of 0 to 1.5."""
_WIDTHS: Final = (1, 1, 3, 3, 3)
_BLOCK_PLAN: Final = Plan(filters=(50, 50, 50, 10, 2), widths=_WIDTHS)
_PAIR_PLAN: Final = Plan(filters=(50, 50, 50, 10, 4), widths=_WIDTHS)


@dataclass(frozen=True, slots=True, eq=False)
class Web2TextExample:
    """A page's B blocks: float32 (B, 128) and (B - 1, 25) columns of blocks and pairs, bool (B,) what is content."""

    blocks: NDArray[np.float32]
    pairs: NDArray[np.float32]
    content: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Potential:
    """A network over C columns that were standardised.

    Attributes:
        mean, scale: float32 (C,).
        network: what tells the logits.
    """

    mean: NDArray[np.float32]
    scale: NDArray[np.float32]
    network: Network

    def __call__(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32 (R, K): the logarithm of how probable every answer is for the rows `columns` (R, C)."""
        logits = self.network(standardised(columns, self.mean, self.scale))
        high = logits.max(axis=1, keepdims=True)
        return np.asarray(logits - high - np.log(np.exp(logits - high).sum(axis=1, keepdims=True)))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """What it is, by name; `prefix` begins every name."""
        own = {f"{prefix}mean": self.mean, f"{prefix}scale": self.scale}
        return own | self.network.to_arrays(f"{prefix}layer_")

    @classmethod
    def from_arrays(cls, found: Mapping[str, NDArray[Any]], prefix: str) -> Potential:
        """What `to_arrays` took apart."""
        return cls(found[f"{prefix}mean"], found[f"{prefix}scale"], Network.from_arrays(found, f"{prefix}layer_"))


def example(lesson: TrainingPage) -> Web2TextExample:
    """The columns and the truth of a page's blocks."""
    return Web2TextExample(*web2text.compute(PageContext(lesson.blocks)), lesson.truth.is_content)


def train(examples: Sequence[Web2TextExample]) -> bytes:
    """The two networks, and what standardises their columns.

    Raises:
        ExtraMissingError: PyTorch is not installed.
    """
    content = [page.content.astype(np.int64) for page in examples]
    pairs = [2 * labels[:-1] + labels[1:] for labels in content]
    block = learn([page.blocks for page in examples], content, web2text.COLUMNS, _BLOCK_PLAN)
    pair = learn([page.pairs for page in examples], pairs, web2text.PAIR_COLUMNS, _PAIR_PLAN)
    return storage.to_bytes(block.to_arrays("block_") | pair.to_arrays("pair_"))


def load(data: bytes) -> Method:
    """Keeps the blocks that the best sequence has as content and that are not hidden."""
    found = storage.from_bytes(data)
    block, pair = Potential.from_arrays(found, "block_"), Potential.from_arrays(found, "pair_")

    def label(blocks: BlockColumns) -> Prediction:
        columns, pair_columns = web2text.compute(PageContext(blocks))
        places, steps = block(columns), PAIRS * pair(pair_columns).reshape(-1, 2, 2)
        kept = (linear_chain.viterbi(places, steps) > 0) & (blocks.visibility != Visibility.HIDDEN)
        probability = linear_chain.marginals(places, steps)[:, 1]
        return Prediction(decide(blocks, kept).labels, probability.astype(np.float32))

    return label


def learn(
    columns: Sequence[NDArray[np.float32]],
    answers: Sequence[NDArray[np.int64]],
    of: Sequence[FeatureColumn],
    plan: Plan,
) -> Potential:
    """A potential that tells the `answers` (R,) of the rows of `columns` (R, C), which are `of` those columns.

    Raises:
        ExtraMissingError: PyTorch is not installed.
    """
    mean, scale = _standard(np.concatenate(columns), of)
    return Potential(mean, scale, fit([standardised(each, mean, scale) for each in columns], answers, plan))


def standardised(
    columns: NDArray[np.float32], mean: NDArray[np.float32], scale: NDArray[np.float32]
) -> NDArray[np.float32]:
    """float32 (R, C): `columns` with the mean and the scale taken out; 0 where nothing is known."""
    return np.asarray(np.nan_to_num((columns - mean) / scale, nan=0.0), dtype=np.float32)


def _standard(
    columns: NDArray[np.float32], of: Sequence[FeatureColumn]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean and standard deviation of numbers, 0 and 1 where all are missing or equal; flags become -1 and 1."""
    flag = np.array([column.unit == "flag" for column in of])
    known = np.ma.masked_invalid(columns.astype(np.float64))
    mean, scale = known.mean(axis=0).filled(0), known.std(axis=0).filled(0)
    mean, scale = np.where(flag, 0.5, mean), np.where(flag, 0.5, np.where(scale > 0, scale, 1))
    return mean.astype(np.float32), scale.astype(np.float32)
