"""Decision tree of WCC (Amsterdam at CleanEval 2007).

As published: a tree on four features of a block: number of words, tag around it, share of capitalized words, and words
per punctuation mark. Choices where the paper is silent: LightGBM fits a single tree of up to 31 leaves. Blocks weigh by
the root of their words, as for the main model. Labels are those of the markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import lightgbm
import numpy as np

from vclean.classify.methods.base import prediction_from_mask
from vclean.classify.prediction import Prediction
from vclean.classify.training.dataset import WEIGHT_CAP
from vclean.features.block import linguistic, structural
from vclean.features.columns import parse_columns, ratio, stack_columns
from vclean.features.page_context import PageContext
from vclean.features.text.characters import PUNCT
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Method, TrainingPage
    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import Values


COLUMNS = parse_columns(
    """
words | words | Number of words.
tag | code | The tag of the element around the text, by its index in `structural.TAG_CODES`.
capitalised_words | share | Words that begin with a capital, among those that could.
words_per_mark | words per mark | Words per punctuation mark; all words if there is none.
"""
)


def compute(context: PageContext) -> Values:
    """Return the features of a page, each (B,)."""
    values = linguistic.compute(context)
    marks = context.texts.count_class(PUNCT)
    return {
        "words": values["words"],
        "tag": structural.tag_codes(context.snapshot)[context.anchor],
        "capitalised_words": values["capitalised_words"],
        "words_per_mark": ratio(context.tokens, marks.clip(1)),
    }


_HALF: Final = 0.5
_TAG: Final = [column.name for column in COLUMNS].index("tag")
_PARAMETERS: Final[dict[str, Any]] = {
    "objective": "binary",
    "learning_rate": 1.0,
    "num_leaves": 31,
    "min_data_in_leaf": 50,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}


@dataclass(frozen=True, slots=True, eq=False)
class DecisionTreeExample:
    """Training example of a page: float32 (B, 4) features, bool (B,) content, float32 (B,) weights of its blocks."""

    columns: NDArray[np.float32]
    content: NDArray[np.bool_]
    weight: NDArray[np.float32]


def make_example(training_page: TrainingPage) -> DecisionTreeExample:
    """Make the training example of a page."""
    columns = _columns(training_page.blocks)
    return DecisionTreeExample(columns, training_page.truth.is_content, np.sqrt(columns[:, 0].clip(1, WEIGHT_CAP)))


def train(examples: Sequence[DecisionTreeExample]) -> bytes:
    """Fit a tree on the blocks of all pages, and return it in LightGBM's text format."""
    rows = lightgbm.Dataset(
        np.concatenate([page.columns for page in examples]),
        np.concatenate([page.content for page in examples]),
        weight=np.concatenate([page.weight for page in examples]),
        categorical_feature=[_TAG],
        params=_PARAMETERS,
    )
    return lightgbm.train(_PARAMETERS, rows, num_boost_round=1).model_to_string().encode()


def load(data: bytes) -> Method:
    """Return the method that keeps the visible blocks that the tree classifies as content."""
    tree = lightgbm.Booster(model_str=data.decode())

    def label(blocks: BlockColumns) -> Prediction:
        probability = np.asarray(tree.predict(_columns(blocks), num_threads=1), dtype=np.float32)
        is_content = (probability >= _HALF) & (blocks.visibility != Visibility.HIDDEN)
        return Prediction(prediction_from_mask(blocks, is_content).labels, probability)

    return label


def _columns(blocks: BlockColumns) -> NDArray[np.float32]:
    return stack_columns(COLUMNS, compute(PageContext(blocks)))
