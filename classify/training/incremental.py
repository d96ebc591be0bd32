"""Continue the training of a model on pages labelled by hand, without the corpora of its first training.

New trees are added to those of the model. They are fitted on the labelled pages alone, starting from the model's
predictions for them, so correct predictions change little. The linear models, the region model and the calibration
stay unchanged. The new trees know nothing of the first training data, and may degrade predictions on pages unlike the
labelled ones; `docs/guides/label.md` has figures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.content.model import CORRECTED, Model
from vclean.classify.content.stacking import add_columns
from vclean.classify.training.dataset import WEIGHT_CAP
from vclean.classify.training.fits import CORRECTIONS, FITS, fit
from vclean.errors import InputError
from vclean.features.text.characters import EncodedTexts
from vclean.labels import LABELS, UNKNOWN, Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns


@dataclass(frozen=True, slots=True, eq=False)
class CorrectedPage:
    """Feature matrix and labels of a page of B blocks labelled by hand.

    Attributes:
        x: float32 (B, len(stacking.COLUMNS)), with the outputs of the model's other parts, which are not trained.
        convention: float32 (C,), the columns of the convention of the page.
        label: int8 (B,), an index into `vclean.labels.LABELS`, or `UNKNOWN` for content of unknown type.
        weight: float32 (B,), as in training.
    """

    x: NDArray[np.float32]
    convention: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float32]

    @classmethod
    def from_labels(cls, base: Model, blocks: BlockColumns, label: NDArray[np.int8]) -> CorrectedPage:
        """Return the training data of labelled `blocks` for the model `base`."""
        decision = base.label(blocks).decision
        x = decision.x if decision else np.zeros((0, len(stacking.COLUMNS)), dtype=np.float32)
        convention = decision.convention if decision else np.zeros(len(base.conventions.names), dtype=np.float32)
        words = EncodedTexts.from_texts(blocks.text).words.per_text()
        return cls(x, convention, label, np.sqrt(np.clip(words, 1, WEIGHT_CAP)).astype(np.float32))


def continue_training(
    base: Model, pages: Sequence[CorrectedPage], *, card_fields: dict[str, Any] | None = None
) -> Model:
    """Return `base` trained further on `pages`, without a version; the same pages give the same model.

    Args:
        base: model to start from; it is not changed.
        pages: training data made for `base`.
        card_fields: additional fields of the model card.

    Raises:
        InputError: there is no block to train on.
    """
    if not any(len(page.label) for page in pages):
        raise InputError("there is no block to learn from: label pages first, with `vclean label`")
    x = np.concatenate([page.x for page in pages])
    label = np.concatenate([page.label for page in pages])
    weight = np.concatenate([page.weight for page in pages])
    with_convention = np.concatenate([add_columns(page.x, page.convention) for page in pages])
    is_content = label != LABELS.index(Label.OTHER)
    content = fit("content", with_convention, is_content, weight=weight, base=base.content)
    typed = ~np.isin(label, (UNKNOWN, LABELS.index(Label.OTHER)))
    types = fit("types", x[typed], label[typed], weight=weight[typed], base=base.types) if typed.any() else base.types
    card = base.card | {CORRECTED: _card(base, len(x)) | (card_fields or {})}
    return replace(base, content=content, types=types, card=card, version="")


def _card(base: Model, rows: int) -> dict[str, Any]:
    return {
        "base": base.version,
        "trained": datetime.now(tz=UTC).date().isoformat(),
        "rows": rows,
        "parameters": {name: {**FITS[name], **CORRECTIONS} for name in ("content", "types")},
    }
