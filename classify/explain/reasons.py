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

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nlargest
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.content.expected_f import bounded_log_odds
from vclean.classify.content.stacking import add_columns
from vclean.classify.explain import phrases
from vclean.classify.explain.rules import Rule, Rules
from vclean.classify.prediction import Change
from vclean.classify.shap import contributions
from vclean.features import hashed_tokens
from vclean.features.block import neighbourhood
from vclean.features.page_context import PageContext

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.content.model import Model
    from vclean.classify.content.stacking import LinearModel
    from vclean.classify.prediction import Decision, Prediction
    from vclean.features.blocks import BlockColumns


SITE: Final = "site"
"""Group of the evidence from other pages of the site."""
GROUPS: Final = (*phrases.GROUPS, SITE, *(change.value for change in Change))
"""Groups that have a contribution, in the order of the columns of `sum_by_group`."""

_INDEX: Final = {column.name: index for index, column in enumerate(stacking.COLUMNS)}
_PARTS: Final = [name.removeprefix("path_") for name in _INDEX if "both_" + name.removeprefix("path_") in _INDEX]
_PATH, _WORD, _BOTH = ([_INDEX[f"{score}_{part}"] for part in _PARTS] for score in ("path", "word", "both"))
_LEVEL: Final = np.array(phrases.SUBTREE_LEVELS)
_BLOCKS: Final = [
    _INDEX["page_blocks"],
    *(_INDEX[f"up{level}_blocks"] for level in range(1, neighbourhood.LEVELS + 1)),
]
"""By level, the column with the number of blocks of the subtree. Level 0 has none; its entry is not used."""
_MEMBER: Final = np.array([[group == each for each in GROUPS] for group in phrases.COLUMN_GROUPS], dtype=np.float64)


def share_linear_contributions(x: NDArray[np.float32], contributions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide the contributions of the sum of both linear scores between the two scores.

    Args:
        x: float32 (B, F), feature matrix.
        contributions: float64 (B, F), SHAP values.

    Returns:
        float64 (B, F), with the same sum per row, and 0 in the columns of the sum of scores.
    """
    path, word = np.abs(np.nan_to_num(x[:, _PATH])), np.abs(np.nan_to_num(x[:, _WORD]))
    part = np.where(path + word > 0, path / np.maximum(path + word, 1e-9), 0.5)
    divided = contributions.copy()
    divided[:, _PATH] += part * contributions[:, _BOTH]
    divided[:, _WORD] += (1 - part) * contributions[:, _BOTH]
    divided[:, _BOTH] = 0
    return divided


def page_level_columns(x: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return a mask of the subtree features that describe the whole page, bool (B, F).

    Such features are equal for all blocks of the page.
    """
    is_page = x[:, _BLOCKS] >= x[:, [_INDEX["page_blocks"]]]
    is_page_level: NDArray[np.bool_] = is_page[:, _LEVEL] & (_LEVEL > 0)
    return is_page_level


def sum_by_group(
    contributions: NDArray[np.float64],
    is_page_level: NDArray[np.bool_],
    evidence: NDArray[np.float32] | None = None,
    changes: Mapping[Change, NDArray[np.float64]] | None = None,
) -> NDArray[np.float64]:
    """Sum contributions by group, float64 (B, len(GROUPS)).

    Args:
        contributions: float64 (B, F), see `share_linear_contributions`.
        is_page_level: bool (B, F), see `page_level_columns`: contributions to add to the group of the page.
        evidence: float32 (B,), log odds from the other pages of the site, or None.
        changes: float64 (B,) by `Change`, log odds that options added.
    """
    sums: NDArray[np.float64] = np.where(is_page_level, 0, contributions) @ _MEMBER
    sums[:, GROUPS.index(phrases.PAGE)] += np.where(is_page_level, contributions, 0).sum(axis=1)
    if evidence is not None:
        sums[:, GROUPS.index(SITE)] = evidence
    for change, values in (changes or {}).items():
        sums[:, GROUPS.index(change)] = values
    return sums


_BOLD: Final = 600
"""Minimum font weight that is called bold."""
MAX_TOKENS: Final = 3
"""Maximum number of tokens in a phrase."""
_MIN_WEIGHT_SHARE: Final = 0.3
"""Weight of a token, relative to the largest one, below which it is left out."""


class BlockSurroundings:
    """Phrases about the surroundings of the blocks of a page.

    Attributes:
        x: float32 (B, len(stacking.COLUMNS)), feature matrix of the page.

    Args:
        context: the page.
        x: the feature matrix.
        linear: the linear models, whose weights show which names and words are evidence.
    """

    def __init__(self, context: PageContext, x: NDArray[np.float32], linear: LinearModel) -> None:
        self._context = context
        self.x = x
        self._linear = linear
        self._containers = neighbourhood.subtrees(context)
        self._block_count = context.block_count
        self._classes = context.snapshot.attributes("class")
        self._ids = context.snapshot.attributes("id")

    def value(self, block: int, name: str) -> float:
        """Return the value of the feature `name`."""
        return float(self.x[block, _INDEX[name]])

    def container(self, block: int, level: int) -> str:
        """Return the name of the block's subtree at `level`, such as `div.menu (12 blocks)`."""
        element = int(self._containers[block, level - 1])
        if self._block_count[element] == len(self._context):
            return "the whole page"
        return f"{self.selector(element)} ({phrases.format_count(self._block_count[element], 'block')})"

    def selector(self, element: int) -> str:
        """Return the tag of an element with its id or first class: `div#nav`, `ul.links`."""
        snapshot = self._context.snapshot
        tag, classes = snapshot.tags[snapshot.tag[element]], self._classes.get(element, "").split()
        if name := self._ids.get(element, "").strip():
            return f"{tag}#{name}"
        return f"{tag}.{classes[0]}" if classes else tag

    def font(self, block: int) -> str:
        """Return size and weight of the font on a rendered page, such as `23 px bold`; '' on other pages."""
        size, weight = self.value(block, "font_size"), self.value(block, "font_weight")
        if np.isnan(size):
            return ""
        return f"{size:.0f} px{' bold' if weight >= _BOLD else ''}"

    def has_similar_blocks(self, block: int) -> bool:
        """Return whether other blocks have the same chain of tags and classes."""
        return self.value(block, "class_blocks") > 1

    def similar_blocks(self, block: int) -> str:
        """Describe the blocks with the same chain of tags and classes."""
        if not self.has_similar_blocks(block):
            return "no other block has its tags and classes"
        count = self.value(block, "class_blocks")
        words, links = self.value(block, "class_mean_words"), self.value(block, "class_link_share")
        number = phrases.fill_template("{number}", words)
        average = f"{number} word{'s' * (number != '1')} and link share {links:.2f} on average"
        return f"{phrases.format_count(count, 'block')} with its tags and classes, with {average}"

    def main_text(self, block: int) -> str:
        """Describe the position relative to the main text: the smallest element with 75 % of the long text.

        The core of the main text is the smallest element with 50 %.
        """
        side, distance = self.value(block, "holder75_side"), self.value(block, "holder75_distance")
        if side == 0:
            in_core = self.value(block, "holder50_inside")
            return "inside the main text" if in_core else "inside the main text, but outside its core"
        return f"{phrases.format_count(distance, 'block')} {'before' if side < 0 else 'after'} the main text"

    @cached_property
    def _named(self) -> dict[int, list[tuple[str, str]]]:
        return hashed_tokens.named_attributes(self._context.snapshot)

    def names(self, block: int, sign: float) -> list[str]:
        """Return the strongest evidence in tags, classes and ids: for content, or against it if `sign` is negative."""
        tokens = hashed_tokens.path_names(self._context, self._named, block)
        return _strongest(((name, float(self._linear.path[bucket])) for name, bucket in tokens), sign)

    def words(self, block: int, sign: float) -> list[str]:
        """Return the strongest evidence in words and word pairs: for content, or against it if `sign` is negative."""
        tokens = hashed_tokens.word_names(self._context, block)
        return _strongest(((name.lower(), float(self._linear.word[bucket])) for name, bucket in tokens), sign)


def _strongest(weighted: Iterable[tuple[str, float]], sign: float) -> list[str]:
    """Return the tokens with the largest total weights of a sign; a word in a returned word pair is left out."""
    total: defaultdict[str, float] = defaultdict(float)
    for name, weight in weighted:
        total[name] += weight * (1 if sign >= 0 else -1)
    best = nlargest(MAX_TOKENS, total, key=total.__getitem__)
    strong = [name for name in best if total[name] > 0 and total[name] >= _MIN_WEIGHT_SHARE * total[best[0]]]
    return [name for name in strong if not any(name != other and name in other.split() for other in strong)]


RULE: Final = "rule"
"""Group of the rules; `Reason.rule` has the name of the rule."""
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

_TEXTS: Final = {
    SITE: "also on other pages of the site",
    Change.ALIKE: "blocks in the same places of this page",
    Change.CONVENTION: "what annotators keep on such pages",
    Change.KINDS: "its kind of block is kept or left out as requested",
}
"""Texts of the groups without features."""
_NAMES: Final = list(_INDEX)
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
        rule: name of the rule, one of `vclean.classify.explain.rules.Rule`; empty for contributions.

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

    This takes about 4 ms per block, and 0.5 s for the first page.
    """
    decision = prediction.decision
    if decision is None:
        return Explanation([])
    base, columns = contributions(model.content, add_columns(decision.x, decision.convention))
    columns, convention = columns[:, : len(_NAMES)], columns[:, len(_NAMES) :].sum(axis=1)
    divided = share_linear_contributions(decision.x, columns)
    is_page_level = page_level_columns(decision.x)
    site = decision.evidence.log_odds if decision.evidence else None
    sums = sum_by_group(divided, is_page_level, site, {**decision.changes, Change.CONVENTION: convention})
    least = least_log_odds(decision)
    margins = base + sums.sum(axis=1) - least
    context = PageContext(blocks)
    rules = Rules(context, prediction, decision)
    surroundings = BlockSurroundings(context, decision.x, model.linear)
    writer = _ReasonWriter(surroundings, prediction, np.where(is_page_level, 0, divided))
    is_opposed = [(margin > 0) != label.is_content for margin, label in zip(margins, prediction.labels, strict=True)]
    named = [rules.describe(block, is_opposed=opposed) for block, opposed in enumerate(is_opposed)]
    reasons = [
        [*(Reason(RULE, text, 0.0, rule) for rule, text in named[block]), *writer.reasons(block, sums[block])]
        for block in range(len(blocks))
    ]
    overruled_by = [str(rule[0][0]) if opposed else "" for rule, opposed in zip(named, is_opposed, strict=True)]
    return Explanation(reasons, GROUPS, sums, base, rules.threshold, least, margins, overruled_by)


def least_log_odds(decision: Decision) -> float:
    """Return the log odds between the least probable block that was selected and the next one that was not.

    If all blocks were selected: 0, or a little less than the least of them. 0 if none was.
    """
    if decision.candidates is None or not decision.selected.any():
        return 0.0
    values = bounded_log_odds(decision.candidates)
    least = float(values[decision.selected].min())
    below = values[values < least]
    return (least + float(below.max())) / 2 if len(below) else min(0.0, least - MIN_CONTRIBUTION)


class _ReasonWriter:
    """Phrases for the contributions to the blocks of a page."""

    def __init__(
        self, surroundings: BlockSurroundings, prediction: Prediction, contributions: NDArray[np.float64]
    ) -> None:
        self._surroundings = surroundings
        self._prediction = prediction
        self._x = surroundings.x
        self._is_content = [label.is_content for label in prediction.labels]
        contradicts = _IS_LINEAR_SCORE & (self._x * contributions < 0)
        self._weighted = np.where(contradicts, _CONTRADICTION_WEIGHT * contributions, contributions)

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
        supporting = [group for group in candidates if (size[group] > 0) == self._is_content[block]]
        by_priority = dict.fromkeys([phrases.NEIGHBORS, *supporting[:_MIN_SUPPORTING_GROUPS], *candidates])
        selected = list(by_priority)[:MAX_GROUPS]
        return [
            Reason(group, self._text(block, group, size[group]), size[group]) for group in order if group in selected
        ]

    def _is_informative(self, block: int, group: str, size: dict[str, float]) -> bool:
        """Return False for page features, equal for all blocks, and for the fact that the page was not rendered."""
        if group in _TEXTS:
            return True
        first, *_ = self._strongest_features(block, group, size[group])
        return group != phrases.PAGE and not phrases.is_unrendered(_NAMES[first], float(self._x[block, first]))

    def _text(self, block: int, group: str, contribution: float) -> str:
        if group in _TEXTS:
            return _TEXTS[group]
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
        if group == phrases.SIMILAR_BLOCKS:
            # Of a block without similar ones, no feature of the group is described.
            others = () if self._surroundings.has_similar_blocks(block) else phrases.SIMILAR_BLOCKS_KINDS
            return self._surroundings.similar_blocks(block), (phrases.SIMILAR_BLOCKS, *others)
        if group == phrases.MAIN_TEXT:
            return self._surroundings.main_text(block), (phrases.MAIN_TEXT_POSITION,)
        if group == phrases.FONT:
            font = self._surroundings.font(block)
            return font, (phrases.FONT,) if font else ()
        return "", ()

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
            find_tokens = self._surroundings.names if name == "path_score" else self._surroundings.words
            tokens = find_tokens(block, value)
            return f"{text} ({', '.join(map(_quoted, tokens))})" if tokens else text
        return text

    def _subject(self, block: int, column: int) -> str:
        """Return the name of the subtree or blocks that a column describes."""
        level = phrases.SUBTREE_LEVELS[column]
        if level:
            return self._surroundings.container(block, level)
        return "these blocks" if self._surroundings.has_similar_blocks(block) else ""

    def _neighbors(self, block: int) -> str:
        count = len(self._prediction.labels)
        before = self._labeled(block - 1) if block else "none"
        after = self._labeled(block + 1) if block + 1 < count else "none"
        return f"previous: {before}, next: {after}"

    def _labeled(self, block: int) -> str:
        label, probability = self._prediction.labels[block], float(self._prediction.probability[block])
        return f"{_LABELS[label.value]} ({probability:.2f})"


_LABELS: Final = {"h": "heading", "p": "paragraph", "l": "list item", "c": "continuation", "o": "boilerplate"}


def _quoted(name: str) -> str:
    return name if name.startswith("<") else f'"{name}"'
