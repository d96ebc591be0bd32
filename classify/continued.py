"""A model that goes on learning from pages labelled by hand, where the corpora it was trained on are not at hand.

New trees are added to those of the model, fitted on the labelled pages alone and beginning from what the model says of
them: where it is right they change little. All else stays: the linear models, the region model, and what decides how
much of a page is kept. What the model has learned elsewhere is not in the new trees' sight, so that they may undo some
of it on pages that are unlike the labelled ones; `docs/label.md` has figures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import lightgbm
import numpy as np

from vclean.classify.dataset import WEIGHT_CAP
from vclean.classify.forest import Forest
from vclean.classify.gold import CODES, UNKNOWN
from vclean.classify.model import CORRECTED, Model
from vclean.classify.training import CONTENT_PARAMETERS, TYPE_PARAMETERS
from vclean.errors import InputError
from vclean.features import matrix
from vclean.features.text import Texts
from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks

_SMALL: Final[dict[str, Any]] = {
    "learning_rate": 0.1,
    "num_leaves": 8,
    "min_data_in_leaf": 3,
    "bagging_fraction": 1.0,
    "bagging_freq": 0,
    "num_threads": 1,
}
"""A few pages have a few hundred blocks: small trees, of which every leaf has some."""
CONTENT: Final[dict[str, Any]] = {**CONTENT_PARAMETERS, **_SMALL}
CONTENT_ROUNDS: Final = 40
TYPES: Final[dict[str, Any]] = {**TYPE_PARAMETERS, **_SMALL}
TYPE_ROUNDS: Final = 20


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A page of B blocks labelled by hand, as the trees of a model read it.

    Attributes:
        x: float32 (B, len(matrix.COLUMNS)), with what the model's other parts say; they do not learn.
        label: int8 (B,), an index into `vclean.classify.gold.CODES`, or `UNKNOWN` for content of unknown type.
        weight: float32 (B,), as in training.
    """

    x: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float32]

    @classmethod
    def of(cls, base: Model, blocks: Blocks, label: NDArray[np.int8]) -> Lesson:
        """The lesson for a model of `blocks` that are labelled."""
        decision = base.label(blocks).decision
        x = decision.x if decision else np.zeros((0, len(matrix.COLUMNS)), dtype=np.float32)
        words = Texts.of(blocks.text).words.per_text()
        return cls(x, label, np.sqrt(np.clip(words, 1, WEIGHT_CAP)).astype(np.float32))


def go_on(base: Model, lessons: Sequence[Lesson], *, facts: dict[str, Any] | None = None) -> Model:
    """The model `base` after lessons made for it, without a version yet; the same lessons give the same model.

    Args:
        base: stays as it is.
        lessons: what is learned from.
        facts: what else the model card says of them.

    Raises:
        InputError: there is no block to learn from.
    """
    if not any(len(lesson.label) for lesson in lessons):
        raise InputError("there is no block to learn from: label pages first, with `vclean label`")
    x = np.concatenate([lesson.x for lesson in lessons])
    label = np.concatenate([lesson.label for lesson in lessons])
    weight = np.concatenate([lesson.weight for lesson in lessons])
    content = _more(base.content, CONTENT, CONTENT_ROUNDS, x, label != CODES.index(Label.OTHER), weight=weight)
    typed = ~np.isin(label, (UNKNOWN, CODES.index(Label.OTHER)))
    types = (
        _more(base.types, TYPES, TYPE_ROUNDS, x[typed], label[typed], weight=weight[typed])
        if typed.any()
        else base.types
    )
    card = base.card | {CORRECTED: _card(base, len(x)) | (facts or {})}
    return replace(base, content=content, types=types, card=card, version="")


def _more(
    trees: Forest,
    parameters: dict[str, Any],
    rounds: int,
    x: NDArray[np.float32],
    y: NDArray[Any],
    *,
    weight: NDArray[np.float32],
) -> Forest:
    data = lightgbm.Dataset(x, y, weight=weight, params=parameters, free_raw_data=False)
    return Forest.of(lightgbm.train(parameters, data, rounds, init_model=trees.booster))


def _card(base: Model, rows: int) -> dict[str, Any]:
    return {
        "base": base.version,
        "trained": datetime.now(tz=UTC).date().isoformat(),
        "rows": rows,
        "parameters": {
            "content": {**CONTENT, "rounds": CONTENT_ROUNDS},
            "types": {**TYPES, "rounds": TYPE_ROUNDS},
        },
    }
