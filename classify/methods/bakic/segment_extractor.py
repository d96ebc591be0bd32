"""The segment extractor of Bakic 2012 (hybrid content extractors).

As published: the page is split at `div` and `table`, going into an element only while it holds over half of the text;
a support vector machine tells by the document vector of a segment (`vclean.classify.methods.bakic.document_vector`)
whether it is interesting. In training, it is where over 0.9 of it is in the gold.

Left open and chosen: a `div` inside other elements splits as well; the kernel (`vclean.classify.methods.models.svm`);
segments weigh by the root of their words; where none is interesting, the likeliest one is content; types are those of
the markup; what is hidden is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods import storage
from vclean.classify.methods.bakic.document_vector import Parts
from vclean.classify.methods.base import decide
from vclean.classify.methods.models import svm
from vclean.classify.prediction import Prediction
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Method, TrainingPage
    from vclean.features.blocks import BlockColumns

    Describe = Callable[[Parts], NDArray[np.float32]]
    """The columns (P, C) of P segments."""

INTERESTING: Final = 0.9
"""The share of a segment that has to be in the gold."""
_HALF: Final = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class SegmentExample:
    """P segments of a page: float32 (P, C) columns, bool (P,) whether they are interesting, float32 (P,) weights."""

    columns: NDArray[np.float32]
    interesting: NDArray[np.bool_]
    weight: NDArray[np.float32]


def example(lesson: TrainingPage) -> SegmentExample:
    """The document vectors and the truth of a page's segments."""
    return segment_example(lesson, Parts.vectors)


def train(examples: Sequence[SegmentExample]) -> bytes:
    """The machine."""
    machine = svm.fit(
        np.concatenate([page.columns for page in examples]),
        np.concatenate([page.interesting for page in examples]),
        np.concatenate([page.weight for page in examples]),
    )
    return storage.to_bytes(machine.to_arrays())


def load(data: bytes) -> Method:
    """Keeps what is in interesting segments and not hidden."""
    return by_segments(data, Parts.vectors)


def segment_example(lesson: TrainingPage, describe: Describe) -> SegmentExample:
    """The columns that `describe` gives, and the truth, of those of a page's segments that have words."""
    parts = Parts.segments(lesson.blocks)
    words = np.bincount(parts.of_block, parts.words, len(parts))
    interesting = parts.share(lesson.truth.content_share) > INTERESTING
    some = words > 0
    return SegmentExample(describe(parts)[some], interesting[some], np.sqrt(words[some]).astype(np.float32))


def by_segments(data: bytes, describe: Describe) -> Method:
    """The method of the machine in `data`, for segments with the columns that `describe` gives."""
    machine = svm.SupportVectorMachine.from_arrays(storage.from_bytes(data))

    def label(blocks: BlockColumns) -> Prediction:
        parts = Parts.segments(blocks)
        probability = machine.probability(describe(parts))[parts.of_block]
        likely = probability >= min(_HALF, float(probability.max()))
        kept = likely & (blocks.visibility != Visibility.HIDDEN)
        return Prediction(decide(blocks, kept).labels, probability)

    return label
