"""Name and describe the rules that decide about blocks after the trees.

Every rule that changes or replaces the decision of the trees has its name in `Rule` and its phrase in `Rules`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content.postprocess import KEEP_SHARE
from vclean.classify.explain.phrases import format_percent
from vclean.labels import Visibility
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Decision, Prediction
    from vclean.features.blocks import BlockColumns


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
_IS_COMMENT: Final = 0.5
"""Probability above which a block counts as a reader comment."""
_KINDS: Final = {"ul": "list", "ol": "list", "dl": "definition list", "pre": "code", "table": "table"}


class Rules:
    """Rules that decided about blocks of a page after the trees.

    Attributes:
        threshold: lowest probability of the selected blocks; NaN if no block was selected.
    """

    def __init__(
        self, blocks: BlockColumns, prediction: Prediction, decision: Decision, words: NDArray[np.float32]
    ) -> None:
        self._blocks = blocks
        self._prediction = prediction
        self._decision = decision
        self._words = np.maximum(words, 1)
        self._excluded = blocks.is_excluded(decision.policy)
        self._in_comments = decision.comments > _IS_COMMENT
        selected = prediction.probability[decision.selected]
        self.threshold = float(selected.min()) if len(selected) else float("nan")

    def describe(self, block: int, *, is_opposed: bool = False) -> list[tuple[Rule, str]]:
        """Return names and phrases of the rules that decided about a block, the last rule first.

        Args:
            block: index of the block.
            is_opposed: whether the label is against the sum of the contributions; then there is a rule at least.
        """
        rules = self._describe(block)
        if is_opposed and not rules:
            return [(Rule.THRESHOLD, f"{self._selection(block)}, close to the threshold of this page")]
        return rules

    def _describe(self, block: int) -> list[tuple[Rule, str]]:
        if confirmed := self._confirmed_rule(block):
            return [(Rule.CONFIRMED, confirmed)]
        if hidden := self._hidden_rule(block):
            return [(Rule.HIDDEN, hidden)]
        if self._excluded[block]:
            text = "left out because it is in an overlay, which floats above the page: --hidden keep would keep it"
            return [(Rule.OVERLAY, text)]
        if repeated := self._site_rule(block):
            return [(Rule.SITE, repeated)]
        texts = {
            Rule.HEADLINE: self._headline_rule(block),
            Rule.SUBJECT: self._subject_rule(block),
            Rule.GROUP: self._group_rule(block),
            Rule.COMMENTS: self._comments_rule(block),
            Rule.THRESHOLD: self._threshold_rule(block),
        }
        return [(rule, text) for rule, text in texts.items() if text]

    def _confirmed_rule(self, block: int) -> str:
        confirmed = self._decision.confirmed
        if confirmed is None or not confirmed[block]:
            return ""
        return f"labelled {self._prediction.labels[block]} by a person, who confirmed this page"

    def _hidden_rule(self, block: int) -> str:
        """Return what hides a block that the policy leaves out for being hidden; empty for other blocks."""
        blocks = self._blocks
        if blocks.visibility[block] <= self._decision.policy.most_hidden:
            return ""
        technique = Hidden(int(blocks.technique[block])).technique
        state = (
            "can be opened by readers" if blocks.visibility[block] == Visibility.REVEALABLE else "never seen by readers"
        )
        return f"left out because it is hidden ({technique}) and {state}: --hidden keep would keep it"

    def _site_rule(self, block: int) -> str:
        evidence = self._decision.evidence
        if evidence is None or not evidence.repeated[block] or self._prediction.labels[block].is_content:
            return ""
        count = f"{evidence.documents[block]} of the {evidence.total} pages of the site have it"
        return f"left out because it repeats: {count}"

    def _headline_rule(self, block: int) -> str:
        is_kept = self._prediction.labels[block].is_content
        if is_kept == self._decision.is_content[block] or block in self._prediction.subject_blocks:
            return ""
        if is_kept:
            return "kept because it is the headline: --title out would leave it out"
        is_requested = not self._decision.policy.title
        return f"left out because it {'is' if is_requested else 'repeats'} the headline"

    def _subject_rule(self, block: int) -> str:
        if block not in self._prediction.subject_blocks:
            return ""
        return "kept because the product or recipe of this page has it: its price, brand, number, ingredient or step"

    def _group_rule(self, block: int) -> str:
        decision = self._decision
        if decision.is_content[block] == decision.selected[block]:
            return ""
        members = decision.group == decision.group[block]
        share = self._words[members & decision.selected].sum() / self._words[members].sum()
        snapshot = self._blocks.snapshot
        kind = _KINDS[snapshot.tags[snapshot.tag[decision.group[block]]]]
        if decision.is_content[block] and share < KEEP_SHARE:
            return f"kept with the whole {kind}: it is probably content, and the blocks before and after it are kept"
        action = "kept" if decision.is_content[block] else "dropped"
        return f"{action} with the whole {kind}: {format_percent(share)} of its words were selected"

    def _comments_rule(self, block: int) -> str:
        include = self._decision.policy.comments
        if self._decision.thread and self._in_comments[block]:
            return "a post of this thread: --comments out leaves out readers' comments only"
        if include is not None and self._in_comments[block]:
            return f"in readers' comments, which are {'kept' if include else 'dropped'} as requested"
        return ""

    def _threshold_rule(self, block: int) -> str:
        if not self._is_exception(block):
            return ""
        threshold = f"the threshold of this page is {self.threshold:.2f}"
        return f"{self._selection(block)}: {threshold}{self._requested_balance()}"

    def _is_exception(self, block: int) -> bool:
        """Return whether a block was dropped although it is probably content, or kept although it is probably not."""
        return bool(self._decision.selected[block]) != (float(self._prediction.probability[block]) >= _EVEN)

    def _selection(self, block: int) -> str:
        return f"{self._action(block)} at {self._prediction.probability[block]:.2f}"

    def _action(self, block: int) -> str:
        return "kept" if self._decision.selected[block] else "dropped"

    def _requested_balance(self) -> str:
        weight = self._decision.policy.recall_weight
        return "" if weight == 1 else f" ({'precision' if weight < 1 else 'recall'} requested)"
