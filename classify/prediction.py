"""`Prediction`: the labels and probabilities that a method gives the blocks of a page, and their headline."""

from __future__ import annotations

from collections import UserList
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from vclean.classify.content.site_evidence import SiteEvidence
    from vclean.classify.metadata import MetadataModel
    from vclean.features.facts.subject import Subject
    from vclean.features.page_context import PageContext
    from vclean.labels import Label, PartKind, Role
    from vclean.settings import Policy


_T = TypeVar("_T")


class LazyList(UserList[_T]):
    """List that is computed on its first use.

    >>> LazyList(lambda: ["a", "b"])[1]
    'b'
    """

    def __init__(self, compute: Callable[[], list[_T]]) -> None:
        self._compute = compute

    @cached_property
    def data(self) -> list[_T]:  # type: ignore[override]
        """Return the values."""
        return self._compute()

    def __reduce__(self) -> tuple[type[list[_T]], tuple[list[_T]]]:
        """Pickle and copy the values, without what computes them."""
        return list, (self.data,)


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """Inputs and intermediate results of a model on a page of B blocks; `vclean.classify.explain.reasons` explains it.

    Attributes:
        x: float32 (B, len(stacking.COLUMNS)), the feature matrix.
        convention: float32 (C,), the columns of the convention: see `vclean.classify.content.stacking`.
        evidence: evidence of the other pages of the site, or None.
        policy: the user's choice of what counts as content.
        selected: bool (B,), the blocks that the threshold selected, one by one.
        group: int32 (B,), group of blocks that is kept or dropped as one, -1 for blocks outside groups.
        is_content: bool (B,), the decision after post-processing, but for the headline and confirmed labels.
        candidates: float32 (B,), the probabilities from which `selected` was chosen; 0 for those that cannot be.
        kinds: the blocks of each kind about which the policy decides: see `postprocess.requested_kinds`.
        changes: float64 (B,) by group of contributions, what was added to the log odds of the trees.
    """

    x: NDArray[np.float32]
    convention: NDArray[np.float32]
    evidence: SiteEvidence | None
    policy: Policy
    selected: NDArray[np.bool_]
    group: NDArray[np.int32]
    is_content: NDArray[np.bool_]
    candidates: NDArray[np.float32]
    kinds: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    changes: Mapping[str, NDArray[np.floating]] = field(default_factory=dict)


HeadlineSource = Literal["model", "rule", "title", "dropped", "confirmed"]
"""What decided about the headline of a page: see `Headline`."""


@dataclass(frozen=True, slots=True)
class Headline:
    """Headline of a page.

    Attributes:
        text: its text.
        block: the index of its block; None if it is the title of the document.
        source: what decided about it: the `model`, which labels its block as heading; the `rule` that the headline is
            kept; no block is the headline, and the `title` of the document is added to the output; the block is
            `dropped`, as requested or as a person confirmed; a person `confirmed` on this page that it is content.

    >>> Headline("Rain", 0, "rule").text
    'Rain'
    """

    text: str
    block: int | None
    source: HeadlineSource


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
        decision: how the model decided; None for methods without a model, and for a page without blocks.
        headline: the headline of the page; None for a page without one, and for methods without a model.
        subject: the product or the recipe that the page is about; None for other pages, and for methods without a
            model.
        subject_blocks: the blocks that are content because the subject has them.
        context: values derived from the blocks, for later steps that need them too; None for methods without a model.
        metadata_model: the model that chooses metadata; None for the one that ships with the package.
        confirmed: the labels that a person confirmed, by block.
        parts: what a person confirmed to be title, byline or date of the page, by block.

    >>> import vclean
    >>> prediction = vclean.clean("<h1>Rain</h1><p>It rained.", method="text").prediction
    >>> [str(label) for label in prediction.labels], prediction.probability.tolist()
    (['h', 'p'], [1.0, 1.0])
    """

    labels: list[Label]
    probability: NDArray[np.float32]
    confidence: float = float("nan")
    model: str = ""
    roles: Sequence[Role | None] = field(default_factory=list)
    decision: Decision | None = None
    headline: Headline | None = None
    subject: Subject | None = None
    subject_blocks: frozenset[int] = frozenset()
    context: PageContext | None = None
    metadata_model: MetadataModel | None = None
    confirmed: Mapping[int, Label] = field(default_factory=dict)
    parts: Mapping[int, PartKind] = field(default_factory=dict)

    @property
    def added_title(self) -> str:
        """Return the title of the document if it is printed as headline before the content, else an empty string."""
        return self.headline.text if self.headline and self.headline.source == "title" else ""
