"""The decision tree of WCC (Amsterdam at CleanEval 2007).

As published: a tree on four columns of a block, number of words, tag round it, share of capitalised words, words for
each punctuation mark (`vclean.classify.methods.wcc.decision_tree`). Left open and chosen: the learner is LightGBM with
a single tree of up to 31 leaves; blocks weigh by the root of their words, as for the main model; types are those of the
markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import lightgbm
import numpy as np

from vclean.classify.methods.base import decide
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
tag | code | The tag of the element round the text, by its place in `structural.TAG_CODES`.
capitalised_words | share | Words that begin with a capital, among those that could.
words_per_mark | words per mark | Words for each punctuation mark; all words where there is none.
"""
)


def compute(context: PageContext) -> Values:
    """The columns of a page, each (B,)."""
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
    """A page's B blocks: float32 (B, 4) columns, bool (B,) whether they are content, float32 (B,) weights."""

    columns: NDArray[np.float32]
    content: NDArray[np.bool_]
    weight: NDArray[np.float32]


def example(lesson: TrainingPage) -> DecisionTreeExample:
    """The four columns and the truth of a page's blocks."""
    columns = _columns(lesson.blocks)
    return DecisionTreeExample(columns, lesson.truth.is_content, np.sqrt(columns[:, 0].clip(1, WEIGHT_CAP)))


def train(examples: Sequence[DecisionTreeExample]) -> bytes:
    """A tree on the blocks of all pages, in LightGBM's text format."""
    rows = lightgbm.Dataset(
        np.concatenate([page.columns for page in examples]),
        np.concatenate([page.content for page in examples]),
        weight=np.concatenate([page.weight for page in examples]),
        categorical_feature=[_TAG],
        params=_PARAMETERS,
    )
    return lightgbm.train(_PARAMETERS, rows, num_boost_round=1).model_to_string().encode()


def load(data: bytes) -> Method:
    """Keeps the blocks that the tree takes for content and that are not hidden."""
    tree = lightgbm.Booster(model_str=data.decode())

    def label(blocks: BlockColumns) -> Prediction:
        probability = np.asarray(tree.predict(_columns(blocks), num_threads=1), dtype=np.float32)
        kept = (probability >= _HALF) & (blocks.visibility != Visibility.HIDDEN)
        return Prediction(decide(blocks, kept).labels, probability)

    return label


def _columns(blocks: BlockColumns) -> NDArray[np.float32]:
    return stack_columns(COLUMNS, compute(PageContext(blocks)))
