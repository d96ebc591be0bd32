"""Variant A of the hybrid extractors of Bakic 2012: the extractor that fits the page.

As published: a support vector machine picks one of BTE, Readability and boilerpipe's default and article extractors by
the document vector of the page (`vclean.classify.methods.bakic.document_vector`), and what that one extracts is
content.

Left open and chosen: in training, the right one is that of the highest LCS F1, the first among equals; there is a
machine for each (`vclean.classify.methods.models.svm`), and the surest one decides; pages weigh by what the choice is
worth, the difference between their best and their worst extractor.
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
"""The four base extractors, in the order of `extractor_masks`."""
_LEAST: Final = 0.01
"""What a page weighs at least, or there may be nothing to learn from."""


@dataclass(frozen=True, slots=True, eq=False)
class ExtractorChoiceExample:
    """A page: float32 (C,) document vector, float64 (4,) F1 of the extractors."""

    vector: NDArray[np.float32]
    f1: NDArray[np.float64]


def example(lesson: TrainingPage) -> ExtractorChoiceExample:
    """The document vector of a page, and how good each extractor is on it."""
    texts = [_text(lesson.blocks, found) for found in extractor_masks(lesson.blocks)]
    f1 = np.array([lcs_overlap(text, lesson.page.text).f1 for text in texts])
    return ExtractorChoiceExample(Parts.whole(lesson.blocks).vectors()[0], f1)


def train(examples: Sequence[ExtractorChoiceExample]) -> bytes:
    """A machine for each extractor."""
    vectors, f1 = np.stack([page.vector for page in examples]), np.stack([page.f1 for page in examples])
    best = f1.argmax(axis=1)
    weight = np.maximum(f1.max(axis=1) - f1.min(axis=1), _LEAST).astype(np.float32)
    machines = [svm.fit(vectors, best == number, weight) for number in range(len(EXTRACTORS))]
    found = [machine.to_arrays(f"{number} ") for number, machine in enumerate(machines)]
    return storage.to_bytes({name: values for machine in found for name, values in machine.items()})


def load(data: bytes) -> Method:
    """Extracts by the extractor whose machine is surest."""
    found = storage.from_bytes(data)
    machines = [svm.SupportVectorMachine.from_arrays(found, f"{number} ") for number in range(len(EXTRACTORS))]

    def label(blocks: BlockColumns) -> Prediction:
        vector = Parts.whole(blocks).vectors()
        surest = int(np.argmax([machine.probability(vector)[0] for machine in machines]))
        return EXTRACTORS[surest](blocks)

    return label


@lru_cache(maxsize=1)  # Both hybrids learn from a page in turn.
def extractor_masks(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Bool (4, B): what each extractor keeps of a page; a library that fails on it keeps nothing."""
    by_bte = np.array([label.is_content for label in bte.label(blocks).labels], dtype=bool)
    return np.stack([by_bte, *libraries.readability_and_boilerpipe(blocks)])


def _text(blocks: BlockColumns, found: NDArray[np.bool_]) -> str:
    return "\n".join(compress(blocks.text, found.tolist()))
