"""Why the blocks of a page were kept or dropped, in words and in figures.

A rule that decided after the model comes first: the cut of the page, a list kept as a whole, what the user asked for.
Then come the groups of columns that contributed most to the log odds of the trees, worded from the values of the one or
two columns that contributed most to the group's side, and what became of the blocks before and after.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.explain import phrases
from vclean.classify.explain.groups import GROUPS, SITE, page_level_columns, share_linear_contributions, sum_by_group
from vclean.classify.explain.phrases import percent
from vclean.classify.explain.surroundings import BlockSurroundings, SalientTokens
from vclean.classify.trees.shap import contributions
from vclean.features.page_context import PageContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.content.model import Model
    from vclean.classify.prediction import Decision, Prediction
    from vclean.features.blocks import BlockColumns


_EVEN: Final = 0.5
_CLEARLY: Final = 0.5
"""Probability from which on a block counts as one among readers' comments."""
_KINDS: Final = {"ul": "list", "ol": "list", "dl": "list of definitions", "pre": "code", "table": "table"}


class Rules:
    """The rules that decided about the blocks of a page after the trees had spoken.

    Attributes:
        threshold: the lowest probability that the page's cut kept, among the blocks it did not decide on otherwise; NaN
            where it kept nothing.
    """

    def __init__(
        self, blocks: BlockColumns, prediction: Prediction, decision: Decision, words: NDArray[np.float32]
    ) -> None:
        self._blocks = blocks
        self._prediction = prediction
        self._decision = decision
        self._words = np.maximum(words, 1)
        self._among = decision.comments > _CLEARLY
        alone = decision.selected & ~self._among
        chosen = prediction.probability[alone if alone.any() else decision.selected]
        self.threshold = float(chosen.min()) if len(chosen) else float("nan")

    def tell(self, block: int) -> list[str]:
        """What decided about a block, the last word first; nothing where the trees alone did."""
        said = [self._whole(block), self._wanted(block), self._cut(block)]
        return [text for text in said if text]

    def _whole(self, block: int) -> str:
        decision = self._decision
        if decision.is_content[block] == decision.selected[block]:
            return ""
        members = decision.group == decision.group[block]
        share = self._words[members & decision.selected].sum() / self._words[members].sum()
        snapshot = self._blocks.snapshot
        kind = _KINDS[snapshot.tags[snapshot.tag[decision.group[block]]]]
        did = "kept" if decision.is_content[block] else "dropped"
        return f"{did} with the whole {kind}, of which {percent(share)} of the words were content on their own"

    def _wanted(self, block: int) -> str:
        wanted = self._decision.policy.comments
        if wanted is None or not self._among[block]:
            return ""
        return f"among readers' comments, which {'count as content' if wanted else 'are left out'} as you asked"

    def _cut(self, block: int) -> str:
        probability, cut = float(self._prediction.probability[block]), bool(self._decision.selected[block])
        if cut == (probability >= _EVEN):
            return ""
        did = "kept" if cut else "dropped"
        if cut != (probability >= self.threshold) and self._among[block]:
            return f"{did} at {probability:.2f} with the page's comments, all of which the page's cut {did}"
        side = "under" if cut else "over"
        return f"{did} at {probability:.2f}, {side} one half: {self._asked()}this page is cut at {self.threshold:.2f}"

    def _asked(self) -> str:
        weight = self._decision.policy.recall_weight
        return "" if weight == 1 else f"you asked for {'precision' if weight < 1 else 'recall'}, and "


RULE: Final = "rule"
"""The group of what decided after the model."""
MOST: Final = 5
"""So many groups with a contribution are worded for a block."""
_ON_SIDE: Final = 2
"""So many groups that speak for what became of a block are worded, if there are as many."""
LEAST: Final = 0.1
"""Log odds under which a contribution is not worth a word."""
_SECOND: Final = 0.35
"""A second column is named if it contributed at least this share of what the first did."""
_AGAINST: Final = 0.3
"""What a verdict counts that is on the other side than its contribution: true, but it puzzles."""

_NAMES: Final = [column.name for column in stacking.COLUMNS]
_FAR: Final = 0.5
"""What a column on a block two or three away counts: readers look at the next."""
_WEIGHT: Final = np.array([_FAR if name[-2:] in ("-3", "-2", "+2", "+3") else 1.0 for name in _NAMES])
_IS_VERDICT: Final = np.array([phrases.is_verdict(name) for name in _NAMES])
_OF_GROUP: Final = {
    group: [place for place, each in enumerate(phrases.COLUMN_GROUPS) if each == group] for group in phrases.GROUPS
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why a block is content or is not.

    Attributes:
        group: what kind of reason it is, such as `links` or `neighbours`; `rule` for what overrode the model.
        text: one phrase for people, such as `link share 0.92`.
        contribution: signed, in log odds towards content; 0 for rules.
    """

    group: str
    text: str
    contribution: float


Reasons = list[Reason]
"""Of one block: rules first, then the strongest groups, strongest first."""


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why the B blocks of a page were kept or dropped.

    Attributes:
        reasons: of every block.
        groups: the names of the G groups; none for a method that gives no contributions.
        contributions: float64 (B, G), signed, in log odds towards content, of all groups, worded or not.
        base: the log odds of an average block; the base and a block's contributions add up to what the model says.
        threshold: the lowest probability that the page's cut kept; NaN where nothing was kept or nothing cut.
    """

    reasons: Sequence[Reasons]
    groups: tuple[str, ...] = ()
    contributions: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    base: float = float("nan")
    threshold: float = float("nan")


def placeholder_explanation(method: str, count: int) -> Explanation:
    """What is said of `count` blocks that a method without contributions labelled."""
    return Explanation([[Reason(RULE, f"decided by the method {method}, which gives no reasons", 0.0)]] * count)


def explain(model: Model, blocks: BlockColumns, prediction: Prediction) -> Explanation:
    """Why `model` made its `prediction` of `blocks`.

    It takes about four milliseconds a block, and half a second for the first page.
    """
    decision = prediction.decision
    if decision is None:
        return Explanation([])
    base, columns = contributions(model.content, decision.x)
    divided = share_linear_contributions(decision.x, columns)
    of_all = page_level_columns(decision.x)
    sums = sum_by_group(divided, of_all, decision.evidence)
    context = PageContext(blocks)
    rules = Rules(blocks, prediction, decision, context.tokens)
    teller = _ReasonWriter(
        BlockSurroundings(context, decision.x),
        SalientTokens(context, model.linear),
        prediction,
        decision,
        np.where(of_all, 0, divided),
    )
    reasons = [
        [*(Reason(RULE, text, 0.0) for text in rules.tell(block)), *teller.reasons(block, sums[block])]
        for block in range(len(blocks))
    ]
    return Explanation(reasons, GROUPS, sums, base, rules.threshold)


class _ReasonWriter:
    """Puts the contributions of a page's blocks into words."""

    def __init__(
        self,
        setting: BlockSurroundings,
        telling: SalientTokens,
        prediction: Prediction,
        decision: Decision,
        divided: NDArray[np.float64],
    ) -> None:
        self._setting = setting
        self._telling = telling
        self._prediction = prediction
        self._x = decision.x
        self._kept = decision.is_content
        puzzling = _IS_VERDICT & (decision.x * divided < 0)
        self._weighed = np.where(puzzling, _AGAINST * divided, divided) * _WEIGHT

    def reasons(self, block: int, sums: NDArray[np.float64]) -> Reasons:
        """The strongest groups of a block; `sums` (G,) by group.

        Its neighbours are among them in any case, and so are the strongest that speak for what became of it: a block
        may be dropped for want of what speaks for it, and the little that speaks against it is what people look for.
        """
        order = [GROUPS[place] for place in np.argsort(-np.abs(sums), kind="stable")]
        size = dict(zip(GROUPS, sums.tolist(), strict=True))
        worded = [group for group in order if abs(size[group]) >= LEAST and self._is_worth_it(block, group, size)]
        side = [group for group in worded if (size[group] > 0) == bool(self._kept[block])]
        first = list(dict.fromkeys([phrases.NEIGHBOURS, *side[:_ON_SIDE], *worded]))[:MOST]
        chosen = [group for group in order if group in first]
        return [Reason(group, self._text(block, group, size[group]), size[group]) for group in chosen]

    def _is_worth_it(self, block: int, group: str, size: dict[str, float]) -> bool:
        """Not what holds for every block of the page, nor that the page was not rendered."""
        if group == SITE:
            return True
        picked = self._pick(block, group, size[group])
        return group != phrases.PAGE and not phrases.is_unseen(_NAMES[picked[0]], float(self._x[block, picked[0]]))

    def _text(self, block: int, group: str, contribution: float) -> str:
        if group == SITE:
            return "other pages of the site have it too"
        opening, covered = self._opening(block, group)
        picked = [
            place for place in self._pick(block, group, contribution) if phrases.kind_of(_NAMES[place]) not in covered
        ]
        said = [self._phrase(block, place, contribution) for place in picked]
        return "; ".join([opening, *said] if opening else said)

    def _opening(self, block: int, group: str) -> tuple[str, tuple[str, ...]]:
        """What is said of the group before its columns are, and the kinds of columns that need no word then."""
        if group == phrases.NEIGHBOURS:
            return self._neighbours(block), ()
        if group == phrases.REGION and self._prediction.roles:
            role = self._prediction.roles[block] or "none"
            return self._setting.region(block, role), (f"region {role}", "region is_content", "region boilerplate")
        if group == phrases.ALIKE:
            return self._setting.alike(block), self._covered_alike(block)
        if group == phrases.MAIN_TEXT:
            return self._setting.main_text(block), (phrases.WHERE,)
        if group == phrases.FONT:
            font = self._setting.font(block)
            return font, (phrases.FONT,) if font else ()
        return "", ()

    def _covered_alike(self, block: int) -> tuple[str, ...]:
        """What a block shares with others that are made alike is told; of one alone, the rest means nothing."""
        return (phrases.ALIKE,) if self._is_one_of_many(block) else (phrases.ALIKE, *phrases.OF_MANY)

    def _is_one_of_many(self, block: int) -> bool:
        return self._setting.value(block, "class_blocks") > 1

    def _pick(self, block: int, group: str, sign: float) -> list[int]:
        """The one or two columns that contributed most to the group's side."""
        places = _OF_GROUP[group]
        power = self._weighed[block, places] * (1 if sign >= 0 else -1)
        order = np.argsort(-power, kind="stable")
        first = int(order[0])
        picked, kind = [places[first]], phrases.kind_of(_NAMES[places[first]])
        for other in order[1:].tolist():
            if power[other] < _SECOND * power[first] or power[other] < LEAST / 2:
                break
            if phrases.kind_of(_NAMES[places[other]]) != kind:
                return [*picked, places[other]]
        return picked

    def _phrase(self, block: int, place: int, contribution: float) -> str:
        name, value = _NAMES[place], float(self._x[block, place])
        text = phrases.phrase(name, value, self._subject(block, place), contribution)
        if name in ("path_score", "word_score") and abs(value) >= phrases.WEAK:
            tell = self._telling.names if name == "path_score" else self._telling.words
            found = tell(block, value)
            return f"{text} ({', '.join(map(_quoted, found))})" if found else text
        if name == "link_share" and (column := self._setting.column(block)):
            return f"{text} in {column}"
        return text

    def _subject(self, block: int, place: int) -> str:
        level = phrases.SUBTREE_LEVELS[place]
        if level:
            return self._setting.container(block, level)
        return "these blocks" if self._is_one_of_many(block) else ""

    def _neighbours(self, block: int) -> str:
        count = len(self._prediction.labels)
        before = self._said(block - 1) if block else "nothing"
        after = self._said(block + 1) if block + 1 < count else "nothing"
        return f"before it {before}, after it {after}"

    def _said(self, block: int) -> str:
        label, probability = self._prediction.labels[block], float(self._prediction.probability[block])
        return f"{_LABELS[label.value]} ({probability:.2f})"


_LABELS: Final = {
    "h": "a heading", "p": "a paragraph", "l": "a list item", "c": "a continuation", "o": "boilerplate",
}  # fmt: skip


def _quoted(name: str) -> str:
    return name if name.startswith("<") else f'"{name}"'
