"""`Prediction`: what a method says of the blocks of a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vclean.labels import Label
    from vclean.roles import Role


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """The labels of the B blocks of a page.

    Attributes:
        labels: B labels.
        probability: float32 (B,), that a block is content, in 0..1; 0 or 1 for methods that only decide.
        confidence: of the page, the F1 expected of the labels, in 0..1; NaN for methods that give none.
        model: the version of the model that made it, empty for methods without one.
        roles: what the region round each block is for, None outside all; empty for methods that tell no regions.
    """

    labels: list[Label]
    probability: NDArray[np.float32]
    confidence: float = float("nan")
    model: str = ""
    roles: list[Role | None] = field(default_factory=list)
