"""`Result` (contract; being written)."""
from __future__ import annotations
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
import numpy as np
from numpy.typing import NDArray
from vclean.labels import Label
if TYPE_CHECKING:
    from vclean.features.blocks import Blocks


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """What vclean says of a page.

    Attributes:
        blocks: the text blocks, with the snapshot they were cut from in `blocks.snapshot`.
        labels: one `Label` per block.
        probability: float32 (B,), that the block is content (any label but `o`).
        confidence: float, of the page: expected F1 of the chosen cut.
        method: the name of the method, "vclean" for the model.
        version: of vclean and of the model.
        language: detected, ISO 639-1, or empty.
        id: the page's name.
    """

    blocks: Blocks
    labels: list[Label]
    probability: NDArray[np.float32]
    confidence: float = float("nan")
    method: str = "vclean"
    version: dict[str, str] = field(default_factory=dict)
    language: str = ""
    id: str = ""
