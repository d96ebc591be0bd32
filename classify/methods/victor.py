"""Victor (Marek, Pecina and Spousta 2007, "Web page cleaning with conditional random fields"), first at CleanEval 2007.

As published: the text is split into blocks, each described by its markup, its text and its place in the document
(`vclean.features.victor`), and a linear-chain conditional random field labels them heading, paragraph, list item,
continuation or other.

Left open and chosen: numbers are cut into ten ranges of equal frequency; the columns of `NEIGHBOURS` count for the
blocks before and after as well; CRFsuite trains the field, with L2 regularisation, on up to `BLOCKS` blocks of a page,
and NumPy evaluates it; a block is one of vclean's, which inline tags do not part; content whose type the gold does not
tell learns with the type of its markup; what is hidden is left out.

The best sequence as a whole is not what is read off: it leaves out a block whose four types of content share what
probability is left by `other`. A block is content where the four together have `CONTENT`, over all sequences, and then
of the likeliest of them. In the cross-validation over four corpora (docs/methods.md) the best sequence has .711, .661,
.759 and .822 word F1, this .777, .755, .790 and .878.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.gold import CODES, UNKNOWN
from vclean.classify.methods import arrays, chain
from vclean.classify.methods.verdict import tag_labels
from vclean.classify.prediction import Prediction
from vclean.extras import need
from vclean.features import victor
from vclean.features.columns import stack
from vclean.features.view import View
from vclean.labels import Label, Visibility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.frame import Lesson, Method
    from vclean.features.blocks import Blocks

RANGES: Final = 10
"""Ranges of a number; the last of `VALUES` is for what lies beyond the page."""
VALUES: Final = RANGES + 1
NEIGHBOURS: Final = (
    "container_a", "container_class_header", "container_class_list", "char_alpha_abs", "token_alpha_abs",
    "sentence_count", "sentence_end", "split_class_block",
)  # fmt: skip
BLOCKS: Final = 300
CONTENT: Final = 0.4
"""The probability of being content from which a block is: half of the F1 that can be reached, the threshold that makes
most of it (Lipton, Elkan and Narayanaswamy 2014)."""
_OPTIONS: Final = {"c1": 0.0, "c2": 1.0, "max_iterations": 60}
_COLUMNS: Final = [column.name for column in victor.COLUMNS]
_NEAR: Final = [_COLUMNS.index(name) for name in NEIGHBOURS]
_OTHER: Final = CODES.index(Label.OTHER)
_TYPES: Final = [code for code in range(len(CODES)) if code != _OTHER]


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A page's first B blocks: float32 (B, C) columns, and int8 (B,) labels, indexes into `CODES`."""

    columns: NDArray[np.float32]
    label: NDArray[np.int8]


def example(lesson: Lesson) -> Example:
    """The columns and the labels of a page's blocks, types by the markup where the gold tells none."""
    by_markup = np.array([CODES.index(label) for label in tag_labels(lesson.blocks)], dtype=np.int8)
    truth = lesson.truth.label
    return Example(_columns(lesson.blocks)[:BLOCKS], np.where(truth == UNKNOWN, by_markup, truth)[:BLOCKS])


def train(examples: Sequence[Example]) -> bytes:
    """The ranges, and the weights of the field."""
    cuts = _cuts(np.concatenate([page.columns for page in examples]))
    trainer = need("pycrfsuite", "python-crfsuite", "methods").Trainer(verbose=False, params=_OPTIONS)
    for page in examples:
        trainer.append(_names(_ranges(page.columns, cuts)), [CODES[code].value for code in page.label])
    place, pair = _weights(trainer)
    return arrays.to_bytes({"cuts": cuts, "place": place, "pair": pair})


def load(data: bytes) -> Method:
    """Labels the blocks by how probable their labels are, over all sequences."""
    found = arrays.from_bytes(data)
    cuts, weight, pair = found["cuts"], found["place"], found["pair"]

    def label(blocks: Blocks) -> Prediction:
        ranges = _ranges(_columns(blocks), cuts)
        place = weight[np.arange(ranges.shape[1]), ranges].sum(axis=1)
        likely = chain.marginals(place, pair)
        probability = 1 - likely[:, _OTHER]
        kept = (probability >= CONTENT) & (blocks.visibility != Visibility.HIDDEN)
        types = np.array(_TYPES)[likely[:, _TYPES].argmax(axis=1)]
        codes = np.where(kept, types, _OTHER)
        return Prediction([CODES[code] for code in codes.tolist()], probability.astype(np.float32))

    return label


def _columns(blocks: Blocks) -> NDArray[np.float32]:
    return stack(victor.COLUMNS, victor.compute(View(blocks)))


def _cuts(columns: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (C, RANGES - 1): where the ranges of each column end, infinite for those that are not needed.

    The first range is that of the least value alone, the others hold about as many of the greater values each.
    """
    cuts = np.full((columns.shape[1], RANGES - 1), np.inf, dtype=np.float32)
    for number, column in enumerate(columns.T):
        values = column[~np.isnan(column)]
        least = values.min(initial=np.inf)
        above = values[values > least]
        if len(above):
            ends = np.quantile(above, np.linspace(0, 1, RANGES - 1, endpoint=False)[1:], method="lower")
            different = np.unique([least, *ends])
            cuts[number, : len(different)] = different
    return cuts


def _ranges(columns: NDArray[np.float32], cuts: NDArray[np.float32]) -> NDArray[np.int64]:
    """int64 (B, C + 2 * len(NEIGHBOURS)): the range of every number, and of the neighbours'; the least if missing."""
    own = np.stack(
        [np.searchsorted(ends, values) for ends, values in zip(cuts, np.nan_to_num(columns.T, nan=-1.0), strict=True)],
        axis=1,
    )
    edge = np.full((1, len(_NEAR)), RANGES)
    return np.hstack([own, np.vstack([edge, own[:-1, _NEAR]]), np.vstack([own[1:, _NEAR], edge])])


def _names(ranges: NDArray[np.int64]) -> list[list[str]]:
    return [[f"{column} {value}" for column, value in enumerate(row)] for row in ranges.tolist()]


def _weights(trainer: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:  # noqa: ANN401 - a library without types
    """Weights (columns, VALUES, labels) of the labels by what is at a place, and (labels, labels) of their pairs."""
    with TemporaryDirectory(prefix="vclean-") as folder:
        file = str(Path(folder) / "field")
        trainer.train(file)
        tagger = need("pycrfsuite", "python-crfsuite", "methods").Tagger()
        tagger.open(file)
        info = tagger.info()
    place = np.zeros((len(_COLUMNS) + 2 * len(_NEAR), VALUES, len(CODES)), dtype=np.float32)
    pair = np.zeros((len(CODES), len(CODES)), dtype=np.float32)
    for (name, label), weight in info.state_features.items():
        column, value = name.split(" ")
        place[int(column), int(value), CODES.index(Label(label))] = weight
    for (before, after), weight in info.transitions.items():
        pair[CODES.index(Label(before)), CODES.index(Label(after))] = weight
    return place, pair
