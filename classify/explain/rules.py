"""Name and describe the rules that decide about blocks after the trees.

`_STEPS` lists the rules that change or replace the decision of the trees, the last one first: the name of each, the
blocks that it decided about, and its phrase.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vclean.classify.content.postprocess import KEEP_SHARE
from vclean.classify.explain.phrases import format_percent
from vclean.labels import Visibility
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Callable

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
_KINDS: Final = {"ul": "list", "ol": "list", "dl": "definition list", "pre": "code", "table": "table"}


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules that decided about the B blocks of a page after the trees.

    Attributes:
        blocks, prediction, decision: the page and its labels.
        words: float32 (B,), words per block.
    """

    blocks: BlockColumns
    prediction: Prediction
    decision: Decision
    words: NDArray[np.float32]

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
        steps = [step for step, decided in self._decided if decided[block]]
        if is_opposed and not steps:
            return [(Rule.THRESHOLD, f"{self.selection(block)}, close to the threshold of this page")]
        named = steps[:1] if steps and steps[0].is_alone else steps
        return [(step.rule, step.phrase(self, block)) for step in named]

    @cached_property
    def _decided(self) -> list[tuple[_Step, NDArray[np.bool_]]]:
        return [(step, step.decided(self)) for step in _STEPS]

    @cached_property
    def is_kept(self) -> NDArray[np.bool_]:
        """Return which blocks have the label of content, bool (B,)."""
        return np.array([label.is_content for label in self.prediction.labels], dtype=bool)

    @cached_property
    def by_subject(self) -> NDArray[np.bool_]:
        """Return which blocks are content because the product or recipe of the page has them, bool (B,)."""
        return np.isin(np.arange(len(self.blocks)), list(self.prediction.subject_blocks))

    @cached_property
    def in_comments(self) -> NDArray[np.bool_]:
        """Return which blocks are in readers' comments, bool (B,), if the policy decides about these."""
        comments = self.decision.comments
        return np.zeros(len(self.blocks), dtype=bool) if comments is None else comments.members > 0

    def selection(self, block: int) -> str:
        """Return whether the threshold kept a block, and its probability, such as `kept at 0.40`."""
        return f"{_action(self.decision.selected[block])} at {self.prediction.probability[block]:.2f}"


class _Step(NamedTuple):
    """Rule, the blocks that it decided about, bool (B,), and its phrase for one of them.

    With `is_alone` no rule behind it is named: it decides whatever they did.
    """

    rule: Rule
    decided: Callable[[Rules], NDArray[np.bool_]]
    phrase: Callable[[Rules, int], str]
    is_alone: bool = False


def _confirmed(rules: Rules) -> NDArray[np.bool_]:
    confirmed = rules.decision.confirmed
    return np.zeros(len(rules.blocks), dtype=bool) if confirmed is None else confirmed


def _hidden_phrase(rules: Rules, block: int) -> str:
    technique = Hidden(int(rules.blocks.technique[block])).technique
    is_revealable = rules.blocks.visibility[block] == Visibility.REVEALABLE
    state = "can be opened by readers" if is_revealable else "never seen by readers"
    return f"left out because it is hidden ({technique}) and {state}: --hidden keep would keep it"


def _repeated(rules: Rules) -> NDArray[np.bool_]:
    evidence = rules.decision.evidence
    return evidence.repeated & ~rules.is_kept if evidence else np.zeros(len(rules.blocks), dtype=bool)


def _repeated_phrase(rules: Rules, block: int) -> str:
    evidence = rules.decision.evidence
    count = f"{evidence.documents[block]} of the {evidence.total}" if evidence else "many"
    return f"left out because it repeats: {count} pages of the site have it"


def _headline_phrase(rules: Rules, block: int) -> str:
    if rules.is_kept[block]:
        return "kept because it is the headline: --title out would leave it out"
    return f"left out because it {'repeats' if rules.decision.policy.title else 'is'} the headline"


def _group_phrase(rules: Rules, block: int) -> str:
    decision, words = rules.decision, np.maximum(rules.words, 1)
    members = decision.group == decision.group[block]
    share = words[members & decision.selected].sum() / words[members].sum()
    snapshot = rules.blocks.snapshot
    kind = _KINDS[snapshot.tags[snapshot.tag[decision.group[block]]]]
    if decision.is_content[block] and share < KEEP_SHARE:
        return f"kept with the whole {kind}: it is probably content, and the blocks before and after it are kept"
    action = _action(decision.is_content[block])
    return f"{action} with the whole {kind}: {format_percent(share)} of its words were selected"


def _comments_phrase(rules: Rules, _: int) -> str:
    if rules.decision.comments is None or rules.decision.comments.include is None:
        return "a post of this thread: --comments out leaves out readers' comments only"
    return f"in readers' comments, which are {_action(rules.decision.policy.comments)} as requested"


def _threshold_phrase(rules: Rules, block: int) -> str:
    weight = rules.decision.policy.recall_weight
    requested = "" if weight == 1 else f" ({'precision' if weight < 1 else 'recall'} requested)"
    return f"{rules.selection(block)}: the threshold of this page is {rules.threshold:.2f}{requested}"


def _action(is_kept: np.bool_ | bool | None) -> str:
    return "kept" if is_kept else "dropped"


_SUBJECT: Final = "kept because the product or recipe of this page has it: its price, number, ingredient or step"
_STEPS: Final = (
    _Step(
        Rule.CONFIRMED,
        _confirmed,
        lambda rules, block: f"labelled {rules.prediction.labels[block]} by a person, who confirmed this page",
        is_alone=True,
    ),
    _Step(
        Rule.HIDDEN,
        lambda rules: rules.blocks.visibility > rules.decision.policy.most_hidden,
        _hidden_phrase,
        is_alone=True,
    ),
    _Step(
        Rule.OVERLAY,
        lambda rules: rules.blocks.is_excluded(rules.decision.policy),
        lambda *_: "left out because it is in an overlay, which floats above the page: --hidden keep would keep it",
        is_alone=True,
    ),
    _Step(Rule.SITE, _repeated, _repeated_phrase, is_alone=True),
    _Step(
        Rule.HEADLINE,
        lambda rules: (rules.is_kept != rules.decision.is_content) & ~rules.by_subject,
        _headline_phrase,
    ),
    _Step(Rule.SUBJECT, lambda rules: rules.by_subject, lambda *_: _SUBJECT),
    _Step(Rule.GROUP, lambda rules: rules.decision.is_content != rules.decision.selected, _group_phrase),
    _Step(Rule.COMMENTS, lambda rules: rules.in_comments, _comments_phrase),
    _Step(
        Rule.THRESHOLD,
        lambda rules: rules.decision.selected != (rules.prediction.probability >= _EVEN),
        _threshold_phrase,
    ),
)
"""Rules, the last one first."""
