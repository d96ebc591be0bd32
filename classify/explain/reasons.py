"""Explain why the blocks of a page were kept or dropped, in phrases and as contributions.

The reasons of a block begin with rules that decided after the model: the threshold of the page, a list that is kept or
dropped as one, options of the user. The feature groups with the largest contributions to the log odds of the trees
follow. The phrase of a group describes the one or two features with the largest contributions. The group of the
neighbors also has the labels of the blocks before and after.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.explain import phrases
from vclean.classify.explain.groups import GROUPS, SITE, page_level_columns, share_linear_contributions, sum_by_group
from vclean.classify.explain.phrases import format_percent
from vclean.classify.explain.surroundings import BlockSurroundings, SalientTokens
from vclean.classify.trees.shap import contributions
from vclean.features.page_context import PageContext
from vclean.labels import Visibility
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.content.model import Model
    from vclean.classify.prediction import Decision, Prediction
    from vclean.features.blocks import BlockColumns


_EVEN: Final = 0.5
"""Threshold that needs no explanation: a block is kept if content is more probable than boilerplate."""
_IS_COMMENT: Final = 0.5
"""Probability above which a block counts as a reader comment."""
_KINDS: Final = {"ul": "list", "ol": "list", "dl": "definition list", "pre": "code", "table": "table"}


class Rules:
    """Rules that decided about blocks of a page after the trees.

    Attributes:
        threshold: lowest probability of the selected blocks outside comments, or of all selected blocks if all are in
            comments; NaN if no block was selected.
    """

    def __init__(
        self, blocks: BlockColumns, prediction: Prediction, decision: Decision, words: NDArray[np.float32]
    ) -> None:
        self._blocks = blocks
        self._prediction = prediction
        self._decision = decision
        self._words = np.maximum(words, 1)
        self._in_comments = decision.comments > _IS_COMMENT
        outside = decision.selected & ~self._in_comments
        selected = prediction.probability[outside if outside.any() else decision.selected]
        self.threshold = float(selected.min()) if len(selected) else float("nan")

    def describe(self, block: int) -> list[str]:
        """Return phrases of the rules that decided about a block, the last rule first."""
        if hidden := self._hidden_rule(block):
            return [hidden]
        texts = [self._group_rule(block), self._comments_rule(block), self._threshold_rule(block)]
        return [text for text in texts if text]

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

    def _group_rule(self, block: int) -> str:
        decision = self._decision
        if decision.is_content[block] == decision.selected[block]:
            return ""
        members = decision.group == decision.group[block]
        share = self._words[members & decision.selected].sum() / self._words[members].sum()
        snapshot = self._blocks.snapshot
        kind = _KINDS[snapshot.tags[snapshot.tag[decision.group[block]]]]
        action = "kept" if decision.is_content[block] else "dropped"
        return f"{action} with the whole {kind}: {format_percent(share)} of its words were selected"

    def _comments_rule(self, block: int) -> str:
        include = self._decision.policy.comments
        if include is None or not self._in_comments[block]:
            return ""
        return f"in readers' comments, which are {'kept' if include else 'dropped'} as requested"

    def _threshold_rule(self, block: int) -> str:
        probability, selected = float(self._prediction.probability[block]), bool(self._decision.selected[block])
        if selected == (probability >= _EVEN):
            return ""
        action = "kept" if selected else "dropped"
        if selected != (probability >= self.threshold) and self._in_comments[block]:
            return f"{action} at {probability:.2f}: all comments of this page are {action}"
        threshold = f"the threshold of this page is {self.threshold:.2f}"
        return f"{action} at {probability:.2f}: {threshold}{self._requested_balance()}"

    def _requested_balance(self) -> str:
        weight = self._decision.policy.recall_weight
        return "" if weight == 1 else f" ({'precision' if weight < 1 else 'recall'} requested)"


RULE: Final = "rule"
"""Group of the rules that decided after the model."""
MAX_GROUPS: Final = 5
"""Maximum number of groups with a contribution among the reasons of a block."""
_MIN_SUPPORTING_GROUPS: Final = 2
"""Number of groups that support the decision among the reasons of a block, if there are as many."""
MIN_CONTRIBUTION: Final = 0.1
"""Absolute log odds below which a contribution is not a reason."""
_SECOND_FEATURE_SHARE: Final = 0.35
"""Minimum contribution of a second feature of a group, relative to the first, to be described."""
_CONTRADICTION_WEIGHT: Final = 0.3
"""Weight of a linear score whose sign differs from the sign of its contribution: correct, but confusing to read."""

_NAMES: Final = [column.name for column in stacking.COLUMNS]
_DISTANT_WEIGHT: Final = 0.5
"""Weight of features of blocks at a distance of two or three: readers look at adjacent blocks."""
_WEIGHT: Final = np.array([_DISTANT_WEIGHT if name[-2:] in ("-3", "-2", "+2", "+3") else 1.0 for name in _NAMES])
_IS_LINEAR_SCORE: Final = np.array([phrases.is_linear_score(name) for name in _NAMES])
_GROUP_COLUMNS: Final = {
    group: [index for index, name in enumerate(phrases.COLUMN_GROUPS) if name == group] for group in phrases.GROUPS
}


@dataclass(frozen=True, slots=True)
class Reason:
    """Reason why a block is content or not.

    Attributes:
        group: feature group, such as `links` or `neighbors`; `rule` for rules after the model.
        text: phrase such as `link share 0.92`.
        contribution: signed log odds towards content; 0 for rules.

    >>> Reason("links", "link share 0.92", -1.5).group
    'links'
    """

    group: str
    text: str
    contribution: float


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

    >>> Explanation([[Reason("links", "link share 0.92", -1.5)]]).reasons[0][0].text
    'link share 0.92'
    """

    reasons: Sequence[Reasons]
    groups: tuple[str, ...] = ()
    contributions: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    base: float = float("nan")
    threshold: float = float("nan")


def placeholder_explanation(method: str, count: int) -> Explanation:
    """Return the explanation of `count` blocks that were labeled by a method without contributions."""
    return Explanation([[Reason(RULE, f"decided by the method {method}, which gives no reasons", 0.0)]] * count)


def explain(model: Model, blocks: BlockColumns, prediction: Prediction) -> Explanation:
    """Explain the `prediction` of `model` for `blocks`.

    This takes about 4 ms per block, and 0.5 s for the first page.
    """
    decision = prediction.decision
    if decision is None:
        return Explanation([])
    base, columns = contributions(model.content, decision.x)
    divided = share_linear_contributions(decision.x, columns)
    is_page_level = page_level_columns(decision.x)
    sums = sum_by_group(divided, is_page_level, decision.evidence)
    context = PageContext(blocks)
    rules = Rules(blocks, prediction, decision, context.tokens)
    writer = _ReasonWriter(
        BlockSurroundings(context, decision.x),
        SalientTokens(context, model.linear),
        prediction,
        decision,
        np.where(is_page_level, 0, divided),
    )
    reasons = [
        [*(Reason(RULE, text, 0.0) for text in rules.describe(block)), *writer.reasons(block, sums[block])]
        for block in range(len(blocks))
    ]
    return Explanation(reasons, GROUPS, sums, base, rules.threshold)


class _ReasonWriter:
    """Phrases for the contributions to the blocks of a page."""

    def __init__(
        self,
        surroundings: BlockSurroundings,
        tokens: SalientTokens,
        prediction: Prediction,
        decision: Decision,
        contributions: NDArray[np.float64],
    ) -> None:
        self._surroundings = surroundings
        self._tokens = tokens
        self._prediction = prediction
        self._x = decision.x
        self._is_content = decision.is_content
        contradicts = _IS_LINEAR_SCORE & (decision.x * contributions < 0)
        self._weighted = np.where(contradicts, _CONTRADICTION_WEIGHT * contributions, contributions) * _WEIGHT

    def reasons(self, block: int, sums: NDArray[np.float64]) -> Reasons:
        """Return the most important groups of a block, given the sums (G,) of contributions by group.

        The group of the neighbors, and the strongest groups that support the decision, are always included. A block can
        be dropped because little evidence supports it; then readers look for the small evidence against it.
        """
        order = [GROUPS[index] for index in np.argsort(-np.abs(sums), kind="stable")]
        size = dict(zip(GROUPS, sums.tolist(), strict=True))
        candidates = [
            group
            for group in order
            if abs(size[group]) >= MIN_CONTRIBUTION and self._is_informative(block, group, size)
        ]
        supporting = [group for group in candidates if (size[group] > 0) == bool(self._is_content[block])]
        by_priority = dict.fromkeys([phrases.NEIGHBORS, *supporting[:_MIN_SUPPORTING_GROUPS], *candidates])
        selected = list(by_priority)[:MAX_GROUPS]
        return [
            Reason(group, self._text(block, group, size[group]), size[group]) for group in order if group in selected
        ]

    def _is_informative(self, block: int, group: str, size: dict[str, float]) -> bool:
        """Return False for page features, equal for all blocks, and for the fact that the page was not rendered."""
        if group == SITE:
            return True
        first, *_ = self._strongest_features(block, group, size[group])
        return group != phrases.PAGE and not phrases.is_unrendered(_NAMES[first], float(self._x[block, first]))

    def _text(self, block: int, group: str, contribution: float) -> str:
        if group == SITE:
            return "also on other pages of the site"
        summary, covered = self._summary(block, group)
        features = self._strongest_features(block, group, contribution)
        parts = [
            self._phrase(block, column, contribution)
            for column in features
            if phrases.kind_of(_NAMES[column]) not in covered
        ]
        return "; ".join([summary, *parts] if summary else parts)

    def _summary(self, block: int, group: str) -> tuple[str, tuple[str, ...]]:
        """Return a phrase about the group, and the kinds of features that it covers."""
        if group == phrases.NEIGHBORS:
            return self._neighbors(block), ()
        if group == phrases.REGION and self._prediction.roles:
            role = self._prediction.roles[block] or "none"
            return self._surroundings.region(block, role), (f"region {role}", "region is_content", "region boilerplate")
        if group == phrases.SIMILAR_BLOCKS:
            return self._surroundings.similar_blocks(block), self._covered_by_similar_blocks(block)
        if group == phrases.MAIN_TEXT:
            return self._surroundings.main_text(block), (phrases.MAIN_TEXT_POSITION,)
        if group == phrases.FONT:
            font = self._surroundings.font(block)
            return font, (phrases.FONT,) if font else ()
        return "", ()

    def _covered_by_similar_blocks(self, block: int) -> tuple[str, ...]:
        """Return the kinds of features not to describe; for a block without similar ones, all features of the group."""
        if self._has_similar_blocks(block):
            return (phrases.SIMILAR_BLOCKS,)
        return (phrases.SIMILAR_BLOCKS, *phrases.SIMILAR_BLOCKS_KINDS)

    def _has_similar_blocks(self, block: int) -> bool:
        return self._surroundings.value(block, "class_blocks") > 1

    def _strongest_features(self, block: int, group: str, sign: float) -> list[int]:
        """Return the one or two columns with the largest contributions of a sign; two are of different kinds."""
        columns = _GROUP_COLUMNS[group]
        strength = self._weighted[block, columns] * (1 if sign >= 0 else -1)
        order = np.argsort(-strength, kind="stable")
        first = int(order[0])
        kind = phrases.kind_of(_NAMES[columns[first]])
        minimum = max(_SECOND_FEATURE_SHARE * strength[first], MIN_CONTRIBUTION / 2)
        for other in order[1:].tolist():
            if strength[other] < minimum:
                break
            if phrases.kind_of(_NAMES[columns[other]]) != kind:
                return [columns[first], columns[other]]
        return [columns[first]]

    def _phrase(self, block: int, column: int, contribution: float) -> str:
        name, value = _NAMES[column], float(self._x[block, column])
        text = phrases.phrase(name, value, self._subject(block, column), contribution)
        if name in ("path_score", "word_score") and abs(value) >= phrases.WEAK:
            find_tokens = self._tokens.names if name == "path_score" else self._tokens.words
            tokens = find_tokens(block, value)
            return f"{text} ({', '.join(map(_quoted, tokens))})" if tokens else text
        if name == "link_share" and (layout_column := self._surroundings.column(block)):
            return f"{text} in {layout_column}"
        return text

    def _subject(self, block: int, column: int) -> str:
        """Return the name of the subtree or blocks that a column describes."""
        level = phrases.SUBTREE_LEVELS[column]
        if level:
            return self._surroundings.container(block, level)
        return "these blocks" if self._has_similar_blocks(block) else ""

    def _neighbors(self, block: int) -> str:
        count = len(self._prediction.labels)
        before = self._labeled(block - 1) if block else "none"
        after = self._labeled(block + 1) if block + 1 < count else "none"
        return f"previous: {before}, next: {after}"

    def _labeled(self, block: int) -> str:
        label, probability = self._prediction.labels[block], float(self._prediction.probability[block])
        return f"{_LABELS[label.value]} ({probability:.2f})"


_LABELS: Final = {
    "h": "heading", "p": "paragraph", "l": "list item", "c": "continuation", "o": "boilerplate",
}  # fmt: skip


def _quoted(name: str) -> str:
    return name if name.startswith("<") else f'"{name}"'
