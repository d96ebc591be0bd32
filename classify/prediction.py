"""`Prediction`: what a method says of the blocks of a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vclean.labels import Label, Role
    from vclean.settings import Policy


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """How a model came to what it keeps of a page of B blocks; what `vclean.classify.explain.reasons` explains.

    Attributes:
        x: float32 (B, len(stacking.COLUMNS)), what the trees read.
        comments: float32 (B,), that a block is among readers' comments.
        evidence: float32 (B,), log odds that were added to those of the trees, or None.
        policy: what was to count as content.
        selected: bool (B,), the blocks that the threshold kept, one by one.
        group: int32 (B,), what is kept or dropped as a whole, -1 for blocks on their own.
        kept: bool (B,), what was kept in the end.
    """

    x: NDArray[np.float32]
    comments: NDArray[np.float32]
    evidence: NDArray[np.float32] | None
    policy: Policy
    selected: NDArray[np.bool_]
    group: NDArray[np.int32]
    kept: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """The labels of the B blocks of a page.

    Attributes:
        labels: B labels.
        probability: float32 (B,), that a block is content, in 0..1; 0 or 1 for methods that only decide.
        confidence: of the page, the F1 expected of the labels, in 0..1; NaN for methods that give none.
        model: the version of the model that made it, empty for methods without one.
        roles: what the region round each block is for, None outside all; empty for methods that tell no regions.
        decision: how a model came to it; None for methods without one, and for a page without blocks.
    """

    labels: list[Label]
    probability: NDArray[np.float32]
    confidence: float = float("nan")
    model: str = ""
    roles: list[Role | None] = field(default_factory=list)
    decision: Decision | None = None
