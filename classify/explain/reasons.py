"""Explain why the blocks of a page were kept or dropped, in phrases and as contributions.

The base value and the contributions of all groups, less the threshold of the page, add up to the margin of a block:
above 0 it is kept, below 0 it is dropped. Where the label is on the other side, a rule overruled the sum, and is named.

The reasons of a block begin with rules that decided after the model: the threshold of the page, a list that is kept or
dropped as one, options of the user. The feature groups with the largest contributions to the log odds of the trees
follow. The phrase of a group describes the one or two features with the largest contributions. The group of the
neighbors also has the labels of the blocks before and after.

Some columns are sums of both linear scores. Their contributions are divided between the path score and the word score,
in proportion to the absolute scores, to show whether names or words contributed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.content.expected_f import bounded_log_odds
from vclean.classify.content.postprocess import KEEP_SHARE
from vclean.classify.content.stacking import add_columns
from vclean.classify.explain import phrases
from vclean.classify.explain.phrases import INDEX, MIN_CONTRIBUTION, GroupPhrases, format_percent
from vclean.features.block import neighbourhood
from vclean.features.page_context import PageContext
from vclean.labels import Visibility
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.content.model import Model
    from vclean.classify.prediction import Decision, Prediction
    from vclean.features.blocks import BlockColumns


_TEXTS: Final = {
    "site": "also on other pages of the site",
    "alike": "blocks in the same places of this page",
    "convention": "what annotators keep on such pages",
    "kinds": "its kind of block is kept or left out as requested",
}
"""Texts of the groups without features: evidence of the site, and what else changes the log odds of the trees."""
GROUPS: Final = (*phrases.GROUPS, *_TEXTS)
"""Groups that have a contribution, in the order of the columns of their sums."""

_PARTS: Final = [name.removeprefix("path_") for name in INDEX if "both_" + name.removeprefix("path_") in INDEX]
_PATH, _WORD, _BOTH = ([INDEX[f"{score}_{part}"] for part in _PARTS] for score in ("path", "word", "both"))
_LEVEL: Final = np.array(phrases.SUBTREE_LEVELS)
_BLOCKS: Final = [
    INDEX["page_blocks"],
    *(INDEX[f"up{level}_blocks"] for level in range(1, neighbourhood.LEVELS + 1)),
]
"""By level, the column with the number of blocks of the subtree. Level 0 has none; its entry is not used."""
_MEMBER: Final = np.array([[group == each for each in GROUPS] for group in phrases.COLUMN_GROUPS], dtype=np.float64)


def divide_contributions(
    x: NDArray[np.float32], contributions: NDArray[np.float64], others: Mapping[str, NDArray[Any]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the contributions by column, float64 (B, F), and by group, float64 (B, len(GROUPS)).

    The contributions of the sum of both linear scores are divided between the two scores. Features of a subtree that is
    the whole page are equal for all its blocks: they count in the group of the page, and are 0 by column.

    Args:
        x: float32 (B, F), feature matrix.
        contributions: float64 (B, F), SHAP values.
        others: (B,), log odds of groups without columns.
    """
    path, word = np.abs(np.nan_to_num(x[:, _PATH])), np.abs(np.nan_to_num(x[:, _WORD]))
    part = np.where(path + word > 0, path / np.maximum(path + word, 1e-9), 0.5)
    columns = contributions.copy()
    columns[:, _PATH] += part * contributions[:, _BOTH]
    columns[:, _WORD] += (1 - part) * contributions[:, _BOTH]
    columns[:, _BOTH] = 0
    is_page_level = (x[:, _BLOCKS] >= x[:, [INDEX["page_blocks"]]])[:, _LEVEL] & (_LEVEL > 0)
    of_page = np.where(is_page_level, columns, 0)
    columns -= of_page
    sums = columns @ _MEMBER
    sums[:, GROUPS.index(phrases.PAGE)] += of_page.sum(axis=1)
    for group, values in others.items():
        sums[:, GROUPS.index(group)] = values
    return columns, sums


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
        named = [*islice(self._final(block), 1)] or [*self._steps(block)]
        if is_opposed and not named:
            return [(Rule.THRESHOLD, f"{self._selection(block)}, close to the threshold of this page")]
        return named

    def _final(self, block: int) -> Iterator[tuple[Rule, str]]:
        """Yield the rules that decide whatever others do; the first one did."""
        decision, evidence, label = self.decision, self.decision.evidence, self.prediction.labels[block]
        if block in self.prediction.confirmed:
            yield Rule.CONFIRMED, f"labelled {label} by a person, who confirmed this page"
        if self.context.blocks.visibility[block] > decision.policy.most_hidden:
            technique = Hidden(int(self.context.blocks.technique[block])).technique
            is_revealable = self.context.blocks.visibility[block] == Visibility.REVEALABLE
            state = "can be opened by readers" if is_revealable else "never seen by readers"
            yield Rule.HIDDEN, f"left out because it is hidden ({technique}) and {state}: --hidden keep would keep it"
        if decision.policy.hidden != "keep" and self.context.blocks.in_overlay[block]:
            text = "left out because it is in an overlay, which floats above the page: --hidden keep would keep it"
            yield Rule.OVERLAY, text
        if evidence and evidence.repeated[block] and not label.is_content:
            count = f"{evidence.documents[block]} of the {evidence.total}"
            yield Rule.SITE, f"left out because it repeats: {count} pages of the site have it"

    def _steps(self, block: int) -> Iterator[tuple[Rule, str]]:
        """Yield the rules that decided one after the other, the last one first."""
        decision, is_kept = self.decision, self.prediction.labels[block].is_content
        if block in self.prediction.subject_blocks:
            yield (
                Rule.SUBJECT,
                "kept because the product or recipe of this page has it: its price, number, ingredient or step",
            )
        elif is_kept and not decision.is_content[block]:
            yield Rule.HEADLINE, "kept because it is the headline: --title out would leave it out"
        elif decision.is_content[block] and not is_kept:
            yield Rule.HEADLINE, f"left out because it {'repeats' if decision.policy.title else 'is'} the headline"
        if decision.is_content[block] != decision.selected[block]:
            yield Rule.GROUP, self._group_phrase(block)
        phrases_by_kind = {
            "posts": "a post of this thread: --comments out leaves out readers' comments only",
            "comments": f"in readers' comments, which are {_action(decision.policy.comments)} as requested",
        }
        for kind, phrase in phrases_by_kind.items():
            if kind in decision.kinds and decision.kinds[kind][block]:
                yield Rule.COMMENTS, phrase
        if decision.selected[block] != (self.prediction.probability[block] >= _EVEN):
            weight = decision.policy.recall_weight
            requested = "" if weight == 1 else f" ({'precision' if weight < 1 else 'recall'} requested)"
            threshold = f"the threshold of this page is {self.threshold:.2f}{requested}"
            yield Rule.THRESHOLD, f"{self._selection(block)}: {threshold}"

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

    def _selection(self, block: int) -> str:
        """Return whether the threshold kept a block, and its probability, such as `kept at 0.40`."""
        return f"{_action(self.decision.selected[block])} at {self.prediction.probability[block]:.2f}"


def _action(is_kept: np.bool_ | bool | None) -> str:
    return "kept" if is_kept else "dropped"


RULE: Final = "rule"
"""Group of the rules; `Reason.rule` has the name of the rule."""
MAX_GROUPS: Final = 5
"""Maximum number of groups with a contribution among the reasons of a block."""
_MIN_SUPPORTING_GROUPS: Final = 2
"""Number of groups that support the decision among the reasons of a block, if there are as many."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Reason why a block is content or not.

    Attributes:
        group: feature group, such as `links` or `neighbors`; `rule` for rules after the model.
        text: phrase such as `link share 0.92`.
        contribution: signed log odds towards content; 0 for rules.
        rule: name of the rule, one of `vclean.classify.explain.reasons.Rule`; empty for contributions.

    >>> Reason("links", "link share 0.92", -1.5).group
    'links'
    """

    group: str
    text: str
    contribution: float
    rule: str = ""


Reasons = list[Reason]
"""Reasons of one block: rules, then groups by decreasing absolute contribution."""


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Reasons why the B blocks of a page were kept or dropped.

    Attributes:
        reasons: reasons of each block.
        groups: names of the G groups; empty for methods without contributions.
        contributions: float64 (B, G), signed log odds towards content of all groups.
        base: log odds of an average block; the base and a block's contributions add up to the log odds of the block.
        threshold: lowest probability of the selected blocks; NaN if none was selected, or for methods without one.
        least_log_odds: log odds above which blocks are kept; NaN for methods without.
        margins: float64 (B,), base plus contributions minus `least_log_odds`; empty for methods without.
        overruled_by: for each block the name of the rule against the sign of its margin; empty strings for the others.

    >>> Explanation([[Reason("links", "link share 0.92", -1.5)]]).reasons[0][0].text
    'link share 0.92'
    """

    reasons: Sequence[Reasons]
    groups: tuple[str, ...] = ()
    contributions: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    base: float = float("nan")
    threshold: float = float("nan")
    least_log_odds: float = float("nan")
    margins: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    overruled_by: Sequence[str] = ()


def placeholder_explanation(method: str, count: int) -> Explanation:
    """Return the explanation of `count` blocks that were labeled by a method without contributions."""
    reason = Reason(RULE, f"decided by the method {method}, which gives no reasons", 0.0, Rule.METHOD)
    return Explanation([[reason]] * count)


def explain(model: Model, blocks: BlockColumns, prediction: Prediction) -> Explanation:
    """Explain the `prediction` of `model` for `blocks`.

    This takes about 3 ms per block.
    """
    decision = prediction.decision
    if decision is None:
        return Explanation([])
    base, columns = model.content.contributions(add_columns(decision.x, decision.convention))
    columns, convention = columns[:, : len(INDEX)], columns[:, len(INDEX) :].sum(axis=1)
    columns, sums = divide_contributions(decision.x, columns, {**decision.changes, "convention": convention})
    least = least_log_odds(decision)
    margins = base + sums.sum(axis=1) - least
    context = PageContext(blocks)
    rules = Rules(context, prediction, decision)
    texts = GroupPhrases(context, decision.x, columns, model.linear, prediction)
    reasons, overruled_by = list[Reasons](), list[str]()
    for block, label in enumerate(prediction.labels):
        is_opposed = bool(margins[block] > 0) != label.is_content
        named = rules.describe(block, is_opposed=is_opposed)
        overruled_by.append(str(named[0][0]) if is_opposed else "")
        of_rules = [Reason(RULE, text, 0.0, rule) for rule, text in named]
        reasons.append(of_rules + _reasons(texts, block, sums[block], is_content=label.is_content))
    return Explanation(reasons, GROUPS, sums, base, rules.threshold, least, margins, overruled_by)


def least_log_odds(decision: Decision) -> float:
    """Return the log odds between the least probable block that was selected and the next one that was not.

    If all blocks were selected: 0, or a little less than the least of them. 0 if none was.
    """
    if not decision.selected.any():
        return 0.0
    values = bounded_log_odds(decision.candidates)
    least = float(values[decision.selected].min())
    below = values[values < least]
    return (least + float(below.max())) / 2 if len(below) else min(0.0, least - MIN_CONTRIBUTION)


def _reasons(texts: GroupPhrases, block: int, sums: NDArray[np.float64], *, is_content: bool) -> Reasons:
    """Return the most important groups of a block, given the sums (G,) of contributions by group.

    The group of the neighbors, and the strongest groups that support the decision, are always included. A block can be
    dropped because little evidence supports it; then readers look for the small evidence against it.
    """
    order = [GROUPS[index] for index in np.argsort(-np.abs(sums), kind="stable")]
    size = dict(zip(GROUPS, sums.tolist(), strict=True))
    large = [group for group in order if abs(size[group]) >= MIN_CONTRIBUTION]
    candidates = [group for group in large if group in _TEXTS or texts.is_informative(block, group, size[group])]
    supporting = [group for group in candidates if (size[group] > 0) == is_content]
    by_priority = dict.fromkeys([phrases.NEIGHBORS, *supporting[:_MIN_SUPPORTING_GROUPS], *candidates])
    selected = list(by_priority)[:MAX_GROUPS]
    return [
        Reason(group, _TEXTS.get(group) or texts.text(block, group, size[group]), size[group])
        for group in order
        if group in selected
    ]
