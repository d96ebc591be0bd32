"""Name and describe the rules that decide about blocks after the trees."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content.postprocess import KEEP_SHARE
from vclean.classify.explain.phrases import format_percent
from vclean.labels import Visibility
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.classify.prediction import Decision, Prediction
    from vclean.features.page_context import PageContext


class Rule(StrEnum):
    """Rule that decides about a block after the trees."""

    CONFIRMED = "confirmed"
    """A person confirmed the label of the block on this page."""
    HIDDEN = "hidden"
    """The block is more hidden than the policy allows."""
    OVERLAY = "overlay"
    """The block is in an element that floats above the page."""
    SITE = "same site"
    """Many pages of the site have the same text."""

    HEADLINE = "headline"
    """The headline is kept once, or left out as requested."""
    SUBJECT = "product or recipe"
    """What a page shows of its product or its recipe is kept."""
    GROUP = "whole group"
    """A list, table or code is kept or dropped as one."""
    COMMENTS = "comments"
    """Readers' comments are kept or dropped, as requested."""
    THRESHOLD = "threshold"
    """The threshold of the page is not one half."""
    METHOD = "method"
    """Another method than the model decided."""


_EVEN: Final = 0.5
"""Threshold that needs no explanation: a block is kept if content is more probable than boilerplate."""
_KINDS: Final = {"ul": "list", "ol": "list", "dl": "definition list", "pre": "code", "table": "table"}


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules that decided about the B blocks of a page after the trees.

    Attributes:
        context, prediction, decision: the page and its labels.
    """

    context: PageContext
    prediction: Prediction
    decision: Decision

    @cached_property
    def threshold(self) -> float:
        """Return the lowest probability of the selected blocks; NaN if no block was selected."""
        selected = self.prediction.probability[self.decision.selected]
        return float(selected.min()) if len(selected) else float("nan")

    def describe(self, block: int, *, is_opposed: bool = False) -> list[tuple[Rule, str]]:
        """Return names and phrases of the rules that decided about a block, the last rule first.

        Args:
            block: index of the block.
            is_opposed: whether the label is against the sum of the contributions; then there is a rule at least.
        """
        final = next(self._final(block), None)
        named = [final] if final else [*self._steps(block)]
        if is_opposed and not named:
            return [(Rule.THRESHOLD, f"{self._selection(block)}, close to the threshold of this page")]
        return named

    def _final(self, block: int) -> Iterator[tuple[Rule, str]]:
        """Yield the rules that decide whatever others do; the first one did."""
        decision, evidence, label = self.decision, self.decision.evidence, self.prediction.labels[block]
        if decision.confirmed is not None and decision.confirmed[block]:
            yield Rule.CONFIRMED, f"labelled {label} by a person, who confirmed this page"
        if self.context.blocks.visibility[block] > decision.policy.most_hidden:
            yield Rule.HIDDEN, self._hidden_phrase(block)
        if self._is_excluded[block]:
            yield Rule.OVERLAY, _OVERLAY
        if evidence and evidence.repeated[block] and not label.is_content:
            count = f"{evidence.documents[block]} of the {evidence.total}"
            yield Rule.SITE, f"left out because it repeats: {count} pages of the site have it"

    def _steps(self, block: int) -> Iterator[tuple[Rule, str]]:
        """Yield the rules that decided one after the other, the last one first."""
        decision, is_kept = self.decision, self.prediction.labels[block].is_content
        by_subject = block in self.prediction.subject_blocks
        if is_kept != decision.is_content[block] and not by_subject:
            yield Rule.HEADLINE, self._headline_phrase(is_kept=is_kept)
        if by_subject:
            yield Rule.SUBJECT, _SUBJECT
        if decision.is_content[block] != decision.selected[block]:
            yield Rule.GROUP, self._group_phrase(block)
        if decision.comments and decision.comments.members[block]:
            yield Rule.COMMENTS, self._comments_phrase(include=decision.comments.include)
        if decision.selected[block] != (self.prediction.probability[block] >= _EVEN):
            yield Rule.THRESHOLD, self._threshold_phrase(block)

    @cached_property
    def _is_excluded(self) -> NDArray[np.bool_]:
        return self.context.blocks.is_excluded(self.decision.policy)

    def _hidden_phrase(self, block: int) -> str:
        technique = Hidden(int(self.context.blocks.technique[block])).technique
        is_revealable = self.context.blocks.visibility[block] == Visibility.REVEALABLE
        state = "can be opened by readers" if is_revealable else "never seen by readers"
        return f"left out because it is hidden ({technique}) and {state}: --hidden keep would keep it"

    def _headline_phrase(self, *, is_kept: bool) -> str:
        if is_kept:
            return "kept because it is the headline: --title out would leave it out"
        return f"left out because it {'repeats' if self.decision.policy.title else 'is'} the headline"

    def _group_phrase(self, block: int) -> str:
        decision, words = self.decision, np.maximum(self.context.tokens, 1)
        members = decision.group == decision.group[block]
        share = words[members & decision.selected].sum() / words[members].sum()
        snapshot = self.context.snapshot
        kind = _KINDS[snapshot.tags[snapshot.tag[decision.group[block]]]]
        if decision.is_content[block] and share < KEEP_SHARE:
            return f"kept with the whole {kind}: it is probably content, and the blocks before and after it are kept"
        action = _action(decision.is_content[block])
        return f"{action} with the whole {kind}: {format_percent(share)} of its words were selected"

    def _comments_phrase(self, *, include: bool | None) -> str:
        if include is None:
            return "a post of this thread: --comments out leaves out readers' comments only"
        return f"in readers' comments, which are {_action(self.decision.policy.comments)} as requested"

    def _threshold_phrase(self, block: int) -> str:
        weight = self.decision.policy.recall_weight
        requested = "" if weight == 1 else f" ({'precision' if weight < 1 else 'recall'} requested)"
        return f"{self._selection(block)}: the threshold of this page is {self.threshold:.2f}{requested}"

    def _selection(self, block: int) -> str:
        """Return whether the threshold kept a block, and its probability, such as `kept at 0.40`."""
        return f"{_action(self.decision.selected[block])} at {self.prediction.probability[block]:.2f}"


def _action(is_kept: np.bool_ | bool | None) -> str:
    return "kept" if is_kept else "dropped"


_OVERLAY: Final = "left out because it is in an overlay, which floats above the page: --hidden keep would keep it"
_SUBJECT: Final = "kept because the product or recipe of this page has it: its price, number, ingredient or step"
