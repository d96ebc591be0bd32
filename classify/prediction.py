"""`Prediction`: the labels and probabilities that a method gives the blocks of a page, and their headline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from vclean.classify.content.kinds import KindRequest
    from vclean.classify.content.site_evidence import SiteEvidence
    from vclean.classify.metadata import MetadataModel
    from vclean.features.facts.subject import Subject
    from vclean.features.page_context import PageContext
    from vclean.labels import Label, PartKind, Role
    from vclean.settings import Policy


_T = TypeVar("_T")


class LazySequence(Sequence[_T], Generic[_T]):
    """Compute the values of the blocks of a page when the first one is read.

    Args:
        count: the number of values.
        compute: the function that returns them.

    >>> list(LazySequence(2, lambda: ["a", "b"]))
    ['a', 'b']
    """

    def __init__(self, count: int, compute: Callable[[], Sequence[_T]]) -> None:
        self._count = count
        self._compute = compute

    def __len__(self) -> int:
        """Return the number of values."""
        return self._count

    @overload
    def __getitem__(self, block: int) -> _T: ...

    @overload
    def __getitem__(self, block: slice) -> Sequence[_T]: ...

    def __getitem__(self, block: int | slice) -> _T | Sequence[_T]:
        """Return the value of a block, or those of several."""
        return self._values[block]

    def __iter__(self) -> Iterator[_T]:
        """Iterate over the values."""
        return iter(self._values)

    def __reduce__(self) -> tuple[type[list[_T]], tuple[list[_T]]]:
        """Pickle and copy the values, without what computes them."""
        return list, (list(self),)

    @cached_property
    def _values(self) -> Sequence[_T]:
        return self._compute() if self._count else ()


class Change(StrEnum):
    """What changes the log odds of a block besides its features; also a group of contributions.

    >>> Change.KINDS.value
    'kinds'
    """

    ALIKE = "alike"
    """What the trees say of blocks in the same places of the page."""
    CONVENTION = "convention"
    """The convention of a corpus, a part of the trees."""
    KINDS = "kinds"
    """A kind of block, such as readers' comments, is kept or left out, as requested."""


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
        requests: what the policy requested about kinds of blocks.
        confirmed: bool (B,), the blocks with a label that a person confirmed; None if there are none.
        candidates: float32 (B,), the probabilities from which `selected` was chosen; 0 for those that cannot be.
        changes: float64 (B,) by `Change`, what was added to the log odds of the trees, without the site's evidence.
    """

    x: NDArray[np.float32]
    convention: NDArray[np.float32]
    evidence: SiteEvidence | None
    policy: Policy
    selected: NDArray[np.bool_]
    group: NDArray[np.int32]
    is_content: NDArray[np.bool_]
    requests: tuple[KindRequest, ...] = ()
    confirmed: NDArray[np.bool_] | None = None
    candidates: NDArray[np.float32] | None = None
    changes: Mapping[Change, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def comments(self) -> KindRequest | None:
        """Return the request about readers' comments; None if the policy has none."""
        return next((request for request in self.requests if request.name == "comments"), None)


class HeadlineSource(StrEnum):
    """What decided about the headline of a page.

    >>> HeadlineSource.TITLE.value
    'title'
    """

    MODEL = "model"
    """The model labels its block as heading."""
    RULE = "rule"
    """The block would be left out, or be no heading, but for the rule that the headline is kept."""
    TITLE = "title"
    """No block is the headline, and the title of the document is added to the output."""
    DROPPED = "dropped"
    """The block is left out, as requested or as a person confirmed."""
    CONFIRMED = "confirmed"
    """A person confirmed on this page that the block is content."""


@dataclass(frozen=True, slots=True)
class Headline:
    """Headline of a page.

    Attributes:
        text: its text.
        block: the index of its block; None if it is the title of the document.
        source: what decided about it.

    >>> Headline("Rain", 0, HeadlineSource.RULE).text
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
    parts: Mapping[int, PartKind] = field(default_factory=dict)

    @property
    def added_title(self) -> str:
        """Return the title of the document if it is printed as headline before the content, else an empty string."""
        is_added = self.headline is not None and self.headline.source is HeadlineSource.TITLE
        return self.headline.text if self.headline is not None and is_added else ""
