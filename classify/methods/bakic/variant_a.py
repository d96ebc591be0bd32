"""Variant A of the hybrid extractors of Bakic 2012: select an extractor for each page.

As published: a support vector machine selects one of BTE, Readability and boilerpipe's default and article extractors
by the document vector of the page (`vclean.classify.methods.bakic.document_vector`). The output of this extractor is
the content.

Choices where the paper is silent: in training, the best extractor has the highest LCS F1, the first among equals. There
is one machine per extractor (`vclean.classify.methods.models.svm`), and the highest probability wins. Pages weigh by
the difference between their best and their worst extractor.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.evaluation.scores import lcs_overlap
from vclean.classify.methods import bte, libraries, storage
from vclean.classify.methods.bakic.document_vector import Parts
from vclean.classify.methods.models import svm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Method, TrainingPage
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

EXTRACTORS: Final[tuple[Method, ...]] = (
    bte.label,
    libraries.readability,
    libraries.boilerpipe_default,
    libraries.boilerpipe_article,
)
"""Base extractors, in the order of `extractor_masks`."""
_MIN_WEIGHT: Final = 0.01
"""Minimum weight of a page, so that there is always something to train on."""


@dataclass(frozen=True, slots=True, eq=False)
class ExtractorChoiceExample:
    """Training example of a page: float32 (C,) document vector, float64 (4,) F1 of the extractors."""

    vector: NDArray[np.float32]
    f1: NDArray[np.float64]


def make_example(training_page: TrainingPage) -> ExtractorChoiceExample:
    """Make the training example of a page; it runs all four extractors."""
    texts = [_text(training_page.blocks, mask) for mask in extractor_masks(training_page.blocks)]
    f1 = np.array([lcs_overlap(text, training_page.gold_page.text).f1 for text in texts])
    return ExtractorChoiceExample(Parts.whole(training_page.blocks).vectors()[0], f1)


def train(examples: Sequence[ExtractorChoiceExample]) -> bytes:
    """Train a support vector machine for each extractor."""
    vectors, f1 = np.stack([page.vector for page in examples]), np.stack([page.f1 for page in examples])
    best = f1.argmax(axis=1)
    weight = np.maximum(f1.max(axis=1) - f1.min(axis=1), _MIN_WEIGHT).astype(np.float32)
    machines = [svm.fit(vectors, best == number, weight) for number in range(len(EXTRACTORS))]
    arrays = [machine.to_arrays(f"{number} ") for number, machine in enumerate(machines)]
    return storage.to_bytes({name: values for machine in arrays for name, values in machine.items()})


def load(data: bytes) -> Method:
    """Return the method that runs the extractor with the highest probability."""
    arrays = storage.from_bytes(data)
    machines = [svm.SupportVectorMachine.from_arrays(arrays, f"{number} ") for number in range(len(EXTRACTORS))]

    def label(blocks: BlockColumns) -> Prediction:
        vector = Parts.whole(blocks).vectors()
        best = int(np.argmax([machine.probability(vector)[0] for machine in machines]))
        return EXTRACTORS[best](blocks)

    return label


@lru_cache(maxsize=1)  # both hybrid methods train on a page, one after the other
def extractor_masks(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return which blocks each extractor keeps, bool (4, B); a library that fails on the page keeps none."""
    by_bte = np.array([label.is_content for label in bte.label(blocks).labels], dtype=bool)
    return np.stack([by_bte, *libraries.readability_and_boilerpipe(blocks)])


def _text(blocks: BlockColumns, mask: NDArray[np.bool_]) -> str:
    return "\n".join(compress(blocks.text, mask.tolist()))
