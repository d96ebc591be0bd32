"""A model that goes on learning from pages labelled by hand, where the corpora it was trained on are not at hand.

New trees are added to those of the model, fitted on the labelled pages alone and beginning from what the model says of
them: where it is right they change little. All else stays: the linear models, the region model, and what decides how
much of a page is kept. What the model has learned elsewhere is not in the new trees' sight, so that they may undo some
of it on pages that are unlike the labelled ones; `docs/guides/label.md` has figures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.content.model import CORRECTED, Model
from vclean.classify.training.dataset import WEIGHT_CAP
from vclean.classify.training.train import CONTENT_PARAMETERS, TYPE_PARAMETERS
from vclean.classify.trees.boosting import fit_forest
from vclean.errors import InputError
from vclean.features.text.characters import EncodedTexts
from vclean.labels import LABELS, UNKNOWN, Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns

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
class CorrectedPage:
    """A page of B blocks labelled by hand, as the trees of a model read it.

    Attributes:
        x: float32 (B, len(stacking.COLUMNS)), with what the model's other parts say; they do not learn.
        label: int8 (B,), an index into `vclean.labels.LABELS`, or `UNKNOWN` for content of unknown type.
        weight: float32 (B,), as in training.
    """

    x: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float32]

    @classmethod
    def of(cls, base: Model, blocks: BlockColumns, label: NDArray[np.int8]) -> CorrectedPage:
        """The lesson for a model of `blocks` that are labelled."""
        decision = base.label(blocks).decision
        x = decision.x if decision else np.zeros((0, len(stacking.COLUMNS)), dtype=np.float32)
        words = EncodedTexts.from_texts(blocks.text).words.per_text()
        return cls(x, label, np.sqrt(np.clip(words, 1, WEIGHT_CAP)).astype(np.float32))


def continue_training(base: Model, lessons: Sequence[CorrectedPage], *, facts: dict[str, Any] | None = None) -> Model:
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
    content = fit_forest(
        CONTENT, CONTENT_ROUNDS, x, label != LABELS.index(Label.OTHER), weight=weight, base=base.content
    )
    typed = ~np.isin(label, (UNKNOWN, LABELS.index(Label.OTHER)))
    types = (
        fit_forest(TYPES, TYPE_ROUNDS, x[typed], label[typed], weight=weight[typed], base=base.types)
        if typed.any()
        else base.types
    )
    card = base.card | {CORRECTED: _card(base, len(x)) | (facts or {})}
    return replace(base, content=content, types=types, card=card, version="")


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
