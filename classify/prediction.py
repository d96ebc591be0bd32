"""`Prediction`: the labels and probabilities that a method gives the blocks of a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vclean.classify.content.kinds import KindRequest
    from vclean.classify.content.site_evidence import SiteEvidence
    from vclean.labels import Kind, Label, Role
    from vclean.settings import Policy


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """Inputs and intermediate results of a model on a page of B blocks; `vclean.classify.explain.reasons` explains it.

    Attributes:
        x: float32 (B, len(stacking.COLUMNS)), the feature matrix.
        comments: float32 (B,), probability that a block is among readers' comments.
        evidence: evidence of the other pages of the site, or None.
        policy: the user's choice of what counts as content.
        selected: bool (B,), the blocks that the threshold selected, one by one.
        group: int32 (B,), group of blocks that is kept or dropped as one, -1 for blocks outside groups.
        is_content: bool (B,), the final decision, after post-processing.
        thread: whether posts were kept, as the content of a thread, although the policy leaves comments out.
        requests: what the policy requested about kinds of blocks.
    """

    x: NDArray[np.float32]
    comments: NDArray[np.float32]
    evidence: SiteEvidence | None
    policy: Policy
    selected: NDArray[np.bool_]
    group: NDArray[np.int32]
    is_content: NDArray[np.bool_]
    thread: bool = False
    requests: tuple[KindRequest, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """Labels of the B blocks of a page.

    Attributes:
        labels: B labels.
        probability: float32 (B,), probability in 0..1 that a block is content; 0 or 1 for methods without
            probabilities.
        confidence: expected word F1 of the page, in 0..1; NaN for methods that do not estimate it.
        model: version of the model, empty for methods without one.
        roles: role of the region around each block, None outside all regions; empty for methods without regions.
        kinds: what each block is in its document; empty for methods without kinds.
        decision: how the model decided; None for methods without a model, and for a page without blocks.

    >>> import vclean
    >>> prediction = vclean.clean("<h1>Rain</h1><p>It rained.", method="text").prediction
    >>> [str(label) for label in prediction.labels], prediction.probability.tolist()
    (['h', 'p'], [1.0, 1.0])
    """

    labels: list[Label]
    probability: NDArray[np.float32]
    confidence: float = float("nan")
    model: str = ""
    roles: list[Role | None] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    decision: Decision | None = None
