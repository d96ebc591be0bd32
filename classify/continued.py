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
from vclean.classify.gold import CODES, UNKNOWN
from vclean.classify.model import CORRECTED, Model, from_bytes
from vclean.classify.training import CONTENT_PARAMETERS, TYPE_PARAMETERS
from vclean.errors import InputError
from vclean.features.text import Texts
from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lightgbm import Booster
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
    """A page labelled by hand, read one way.

    Attributes:
        blocks: B of them.
        label: int8 (B,), an index into `vclean.classify.gold.CODES`, or `UNKNOWN` for content of unknown type.
    """

    blocks: Blocks
    label: NDArray[np.int8]


def go_on(base: Model, lessons: Sequence[Lesson], *, facts: dict[str, Any] | None = None) -> Model:
    """The model `base` after lessons; the same lessons give the same model.

    Args:
        base: stays as it is.
        lessons: at least one of them with blocks.
        facts: what else the model card says of them.

    Raises:
        InputError: there is no block to learn from.
    """
    taught = [_taught(base, lesson) for lesson in lessons if len(lesson.blocks)]
    if not taught:
        raise InputError("there is no block to learn from: label pages first, with `vclean label`")
    x, label, weight = (np.concatenate(parts) for parts in zip(*taught, strict=True))
    content = _more(base.content, CONTENT, CONTENT_ROUNDS, x, label != CODES.index(Label.OTHER), weight)
    typed = ~np.isin(label, (UNKNOWN, CODES.index(Label.OTHER)))
    types = _more(base.types, TYPES, TYPE_ROUNDS, x[typed], label[typed], weight[typed]) if typed.any() else base.types
    card = base.card | {CORRECTED: _card(base, lessons, len(x)) | (facts or {})}
    return from_bytes(replace(base, content=content, types=types, card=card).to_bytes(), "the model")


def _taught(base: Model, lesson: Lesson) -> tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.float32]]:
    """The matrix of a page of B blocks as the model sees it, (B, C), their labels and weights (B,), as in training."""
    decision = base.label(lesson.blocks).decision
    assert decision is not None
    words = Texts.of(lesson.blocks.text).words.per_text()
    return decision.x, lesson.label, np.sqrt(np.clip(words, 1, WEIGHT_CAP)).astype(np.float32)


def _more(
    trees: Booster,
    parameters: dict[str, Any],
    rounds: int,
    x: NDArray[np.float32],
    y: NDArray[Any],
    weight: NDArray[np.float32],
) -> Booster:
    data = lightgbm.Dataset(x, y, weight=weight, params=parameters, free_raw_data=False)
    return lightgbm.train(parameters, data, rounds, init_model=trees)


def _card(base: Model, lessons: Sequence[Lesson], rows: int) -> dict[str, Any]:
    return {
        "base": base.version,
        "trained": datetime.now(tz=UTC).date().isoformat(),
        "readings": len(lessons),
        "rows": rows,
        "parameters": {
            "content": {**CONTENT, "rounds": CONTENT_ROUNDS},
            "types": {**TYPES, "rounds": TYPE_ROUNDS},
        },
    }
