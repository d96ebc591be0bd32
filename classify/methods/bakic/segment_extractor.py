"""Segment extractor of Bakic 2012 (hybrid content extractors).

As published: the page is split at `div` and `table`, recursively while an element has over half of the text. A support
vector machine predicts from the document vector of a segment (`vclean.classify.methods.bakic.document_vector`) whether
the segment is interesting. In training, a segment is interesting if over 0.9 of it is in the gold.

Choices where the paper is silent: a `div` inside other elements splits as well; the kernel
(`vclean.classify.methods.models.svm`). Segments weigh by the root of their words. If no segment is interesting, the
most probable one is content. Labels are those of the markup. Hidden blocks are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods import storage
from vclean.classify.methods.bakic.document_vector import Parts
from vclean.classify.methods.base import prediction_from_mask
from vclean.classify.methods.models import svm
from vclean.classify.prediction import Prediction
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Method, TrainingPage
    from vclean.features.blocks import BlockColumns

    Describe = Callable[[Parts], NDArray[np.float32]]
    """Function that returns the features (P, C) of P segments."""

INTERESTING: Final = 0.9
"""Share of an interesting segment that has to be in the gold."""
_HALF: Final = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class SegmentExample:
    """Training example of a page: float32 (P, C) features, labels and weights (P,) of its P segments."""

    columns: NDArray[np.float32]
    interesting: NDArray[np.bool_]
    weight: NDArray[np.float32]


def make_example(training_page: TrainingPage) -> SegmentExample:
    """Make the training example of a page from the document vectors of its segments."""
    return segment_example(training_page, Parts.vectors)


def train(examples: Sequence[SegmentExample]) -> bytes:
    """Train the support vector machine."""
    machine = svm.fit(
        np.concatenate([page.columns for page in examples]),
        np.concatenate([page.interesting for page in examples]),
        np.concatenate([page.weight for page in examples]),
    )
    return storage.to_bytes(machine.to_arrays())


def load(data: bytes) -> Method:
    """Return the method that keeps the visible blocks in interesting segments."""
    return segment_method(data, Parts.vectors)


def segment_example(training_page: TrainingPage, describe: Describe) -> SegmentExample:
    """Make the training example of a page from its segments with words, with the features of `describe`."""
    parts = Parts.segments(training_page.blocks)
    words = np.bincount(parts.of_block, parts.words, len(parts))
    interesting = parts.share(training_page.truth.content_share) > INTERESTING
    has_words = words > 0
    weight = np.sqrt(words[has_words]).astype(np.float32)
    return SegmentExample(describe(parts)[has_words], interesting[has_words], weight)


def segment_method(data: bytes, describe: Describe) -> Method:
    """Return the method by a trained support vector machine, for segments with the features of `describe`."""
    machine = svm.SupportVectorMachine.from_arrays(storage.from_bytes(data))

    def label(blocks: BlockColumns) -> Prediction:
        parts = Parts.segments(blocks)
        probability = machine.probability(describe(parts))[parts.of_block]
        likely = probability >= min(_HALF, float(probability.max()))
        is_content = likely & (blocks.visibility != Visibility.HIDDEN)
        return Prediction(prediction_from_mask(blocks, is_content).labels, probability)

    return label
