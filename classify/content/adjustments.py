"""Adjust the probabilities of the content trees by site and policy, and record the changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.classify.content.expected_f import adjust_for_kind, bounded_log_odds
from vclean.classify.prediction import Change

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from vclean.classify.content.kinds import KindRequest
    from vclean.classify.content.site_evidence import SiteEvidence


class AdjustedProbability:
    """Probability of content of the B blocks of a page, with the changes of its log odds.

    Attributes:
        value: float32 (B,), the probability after all adjustments.
        changes: float64 (B,) by `Change`, what was added to the log odds, without the evidence of the site.
    """

    def __init__(self, probability: NDArray[np.float32]) -> None:
        self.value = probability
        self.changes: dict[Change, NDArray[np.float64]] = {}

    def add_evidence(self, evidence: SiteEvidence) -> None:
        """Add the evidence of the other pages of the site, which is not recorded as a change."""
        from vclean.classify.content.site_evidence import add_evidence

        self.value = add_evidence(self.value, evidence.log_odds)

    def add_comments(self, comments: NDArray[np.float32], words: NDArray[np.float32], *, include: bool) -> None:
        """Keep or leave out readers' comments: see `adjust_for_kind`."""
        self._replace(Change.COMMENTS, adjust_for_kind(self.value, comments, words, include=include))

    def add_requests(self, requests: Sequence[KindRequest], words: NDArray[np.float32]) -> None:
        """Keep or leave out kinds of blocks, as the policy requests."""
        for request in requests:
            self._replace(Change.KINDS, adjust_for_kind(self.value, request.members, words, include=request.include))

    def _replace(self, change: Change, value: NDArray[np.float32]) -> None:
        if value is not self.value:
            total = self.changes.get(change, 0)
            self.changes[change] = total + bounded_log_odds(value) - bounded_log_odds(self.value)
        self.value = value
