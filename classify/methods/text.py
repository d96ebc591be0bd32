"""All shown text: what every method has to beat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.classify.methods.verdict import decide
from vclean.labels import Visibility

if TYPE_CHECKING:
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import Blocks


def label(blocks: Blocks) -> Prediction:
    """Every block that is shown at once is content."""
    return decide(blocks, blocks.visibility == Visibility.SHOWN)
