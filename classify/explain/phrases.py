"""Describe features in English: the group of each column of the feature matrix, and a phrase for each value.

Phrases for features of the block itself and of subtrees are in `data/`. Phrases for neighbors and linear scores are
composed in this module.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from functools import cache
from heapq import nlargest
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.features import hashed_tokens
from vclean.features.block import neighbourhood
from vclean.features.block.structural import TAG_CODES
from vclean.files import read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from vclean.classify.content.stacking import LinearModel
    from vclean.classify.prediction import Prediction
    from vclean.features.page_context import PageContext


_PLACEHOLDER: Final = re.compile(r"\{(\w+)(?::([^}]+))?\}")
_SHORT, _LONG = 5, 40
"""Numbers of words up to which a text is called short, and from which it is called long."""


def fill_template(template: str, value: float) -> str:
    """Replace the placeholder of `template` by the formatted `value`.

    >>> fill_template("{percent} digits", 0.25), fill_template("{count:link}", 2), fill_template("inside <nav>", 1)
    ('25 % digits', '2 links', 'inside <nav>')
    """
    return _PLACEHOLDER.sub(lambda match: _FORMS[match[1]](value, match[2] or ""), template)


def format_count(number: float, noun: str) -> str:
    """Format a number with its noun, which is in the singular.

    >>> format_count(1, "word"), format_count(0, "link"), format_count(1200, "comma"), format_count(2, "child")
    ('1 word', 'no links', '1,200 commas', '2 children')
    """
    many = "children" if noun == "child" else f"{noun}s"
    if number == 0:
        return f"no {many}"
    return f"{number:,.0f} {noun if round(number) == 1 else many}"


def _length(value: float, noun: str) -> str:
    size = "" if value == 0 else " (short)" if value <= _SHORT else " (long)" if value >= _LONG else ""
    return format_count(value, noun) + size


def _number(value: float, _: str) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.1f}".removesuffix(".0")


def format_percent(value: float) -> str:
    """Format a share in percent; 0 and 100 are exact.

    >>> format_percent(0.123), format_percent(0.004), format_percent(0.996)
    ('12 %', 'under 1 %', 'over 99 %')
    """
    if 0 < value < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= value < 1 else f"{100 * value:.0f} %"


def _tag(value: float, _: str) -> str:
    code = int(value)
    return f"<{TAG_CODES[code]}>" if code < len(TAG_CODES) else "another tag"


def _levels(value: float, _: str) -> str:
    if value == 0:
        return "as deep as"
    return f"{format_count(abs(value), 'level')} {'deeper' if value > 0 else 'higher'} than"


def _after(value: float, reference: str) -> str:
    if value == 0:
        return f"at {reference}"
    return f"{format_count(abs(value), 'word')} {'after' if value >= 0 else 'before'} {reference}"


_FORMS: Final[dict[str, Callable[[float, str], str]]] = {
    "share": lambda value, _: f"{value:.2f}",
    "percent": lambda value, _: format_percent(abs(value)),
    "number": _number,
    "integer": lambda value, _: f"{value:.0f}",
    "px": lambda value, _: f"{value:,.0f} px",
    "count": format_count,
    "length": _length,
    "per_hundred": lambda value, noun: format_count(100 * value, noun),
    "tag": _tag,
    "heading": lambda value, _: f"a level {value:.0f} heading" if value else "no heading",
    "own_heading": lambda value, _: f"a level {value:.0f} heading" if value else "not a heading",
    "visibility": lambda value, _: ("visible", "hidden until opened", "hidden")[int(value)],
    "levels": _levels,
    "after": _after,
}
"""Functions that format a value, by name of the form; arguments: value, noun."""


SIMILAR_BLOCKS: Final = "similar blocks"
NEIGHBORS: Final = "neighbors"
CONTAINERS: Final = "containers"
_MAIN_TEXT: Final = "main text"
_MAIN_TEXT_POSITION: Final = "main text position"
"""Kind of the columns about the position relative to the main text; `GroupPhrases.main_text` has their phrase."""
_SIMILAR_BLOCKS_SUMMARY: Final = ("blocks", "mean_words", "link_share")
"""Features of similar blocks that are part of the phrase of `GroupPhrases`."""
_SIMILAR_BLOCKS_KINDS: Final = ("share", "stop_words", "spread")
"""Kinds of the other features of similar blocks."""
NAMES: Final = "tags and classes"
WORDS: Final = "words"
PAGE: Final = "page"
FONT: Final = "font and color"
_VISUAL_GROUPS: Final = frozenset(("position", "size and shape", FONT))
"""Groups with features that are NaN on unrendered pages."""

_LINEAR_INPUTS: Final = {"path": "tags and classes", "word": "words", "both": "tags, classes and words"}
"""Inputs of the linear models, by score."""
_NAME: Final = re.compile(r"(?:(path|word|both)_(?:up(\d))?|up(\d)_)?(.*?)([+-]\d)?")
WEAK, _STRONG = 0.7, 3.0
"""Absolute linear scores (log odds) below which evidence is called little, and above which it is called strong."""


_COLUMN_PHRASES: Final = tuple(read_table(__file__, "column_phrases.tsv"))
_PHRASE: Final = {name: phrase for _, name, phrase in _COLUMN_PHRASES}
_GROUP: Final = {name: group for group, name, _ in _COLUMN_PHRASES}
_SUBTREE_PHRASE: Final = dict(read_table(__file__, "subtree_phrases.tsv"))

GROUPS: Final = (*dict.fromkeys(_GROUP.values()), WORDS, NEIGHBORS, CONTAINERS)
"""Names of the groups of columns."""


@cache
def _split(name: str) -> tuple[str, int, str, int]:
    """Return the parts of a column's name: linear score, level of the subtree, feature, and offset of the neighbor.

    Empty or 0 for columns without one. `path_up2` has no feature; that of `both_rank` is `rank`.
    """
    if name in _PHRASE:
        return "", 0, name, 0
    score, of_score, level, part, step = _NAME.fullmatch(name).groups(default="")  # type: ignore[union-attr]
    return score, int(of_score or level or 0), part, int(step or 0)


def group_of(name: str) -> str:
    """Return the group of the column `name`.

    >>> group_of("link_share"), group_of("link_share-1"), group_of("path_up2"), group_of("both_window5")
    ('links', 'neighbors', 'containers', 'neighbors')
    """
    _, level, part, step = _split(name)
    if step or part.startswith("window"):
        return NEIGHBORS
    if level:
        return CONTAINERS
    of_scores = {"score": NAMES, "rank": NAMES, "alike": SIMILAR_BLOCKS, "page": PAGE}
    return _GROUP.get(name) or (WORDS if name == "word_score" else of_scores[part])


def kind_of(name: str) -> str:
    """Return the kind of the column `name`: columns of one kind have nearly the same meaning.

    >>> kind_of("path_up1") == kind_of("word_up3"), kind_of("holder50_inside") == kind_of("holder75_inside")
    (True, True)
    """
    score, level, feature, _ = _split(name)
    if score:
        return "score of a subtree" if level else "score"
    prefix, _, part = name.partition("_")
    if prefix in ("holder50", "holder75"):
        return part if part == "words" else _MAIN_TEXT_POSITION
    if prefix in ("path", "class"):
        return SIMILAR_BLOCKS if part in _SIMILAR_BLOCKS_SUMMARY else part
    return FONT if name in ("font_size", "font_weight") else feature


def phrase(name: str, value: float, subject: str = "its container", contribution: float = 0.0) -> str:
    """Describe the `value` of the column `name`.

    Args:
        name: name of a column of `stacking.COLUMNS`.
        value: value of the feature; NaN if unknown.
        subject: name of the subtree or the blocks that the column describes, if it describes any.
        contribution: contribution of the value, in log odds. A score can be evidence against content and contribute
            towards content, if it is higher than on average.

    >>> phrase("link_share", 0.92), phrase("words", 3), phrase("in_main", 0), phrase("link_share-1", 0.5)
    ('link share 0.92', '3 words (short)', 'not inside <main>', 'previous block: link share 0.50')
    >>> phrase("path_up1", -4.0, "div.menu (12 blocks)")
    'tags and classes of div.menu (12 blocks) are strong evidence against content'
    """
    score, level, feature, step = _split(name)
    if score:
        return _score_phrase(name, value, subject, contribution)
    if step:
        missing = f"no block {'after' if step > 0 else 'before'} it"
        return missing if math.isnan(value) else f"{_neighbor(step)}: {_block_phrase(feature, value)}"
    if not level:
        return _block_phrase(name, value)
    if math.isnan(value):
        return f"{feature.replace('_', ' ')} of {subject} unknown"
    return fill_template(_SUBTREE_PHRASE[feature].replace("{container}", subject), value)


def _block_phrase(name: str, value: float) -> str:
    if math.isnan(value):
        return "not rendered" if _GROUP[name] in _VISUAL_GROUPS else f"{name.replace('_', ' ')} unknown"
    if_true, slash, if_false = _PHRASE[name].partition(" / ")
    return if_false if slash and value == 0 else fill_template(if_true, value)


def _neighbor(step: int) -> str:
    """Return the name of the block after, or for a negative `step` before."""
    return "next block" if step > 0 else "previous block"


def _score_phrase(name: str, value: float, subject: str, contribution: float) -> str:
    score, _, part, step = _split(name)
    names = _LINEAR_INPUTS[score]
    if math.isnan(value):
        return "few blocks around it"
    if part == "rank":
        return f"{format_percent(value)} of the page's text has {names} more typical of content"
    evidence = _evidence(value, contribution)
    if part == "score" or (part == "alike" and not subject):
        return f"its {names} are {evidence}"
    if part == "page":
        subject = "the page"
    elif part.startswith("window"):
        subject = f"the {part.removeprefix('window')} blocks on each side"
    elif step:
        subject = f"the {_neighbor(step)}"
    return f"{names} of {subject} are {evidence}"


def _evidence(value: float, contribution: float) -> str:
    side = "for" if value > 0 else "against"
    if value * contribution < 0 and abs(value) >= WEAK:
        return f"evidence {side} content, but less than on average"
    if abs(value) < WEAK:
        return f"little evidence {'against' if contribution > 0 else 'for'} content"
    return f"{'strong ' if abs(value) > _STRONG else ''}evidence {side} content"


COLUMN_GROUPS: Final = tuple(group_of(column.name) for column in stacking.COLUMNS)
"""Group of each column of `stacking.COLUMNS`."""

SUBTREE_LEVELS: Final = tuple(_split(column.name)[1] for column in stacking.COLUMNS)
"""Level, from 1, of the subtree that each column describes; 0 for other columns."""
INDEX: Final = {column.name: index for index, column in enumerate(stacking.COLUMNS)}
"""Index of each column of `stacking.COLUMNS` by name."""
_NAMES: Final = list(INDEX)
_IS_LINEAR_SCORE: Final = np.array([_split(name)[0] != "" and not name.endswith("_rank") for name in _NAMES])
"""Whether each column has a score of the linear models in log odds."""
_GROUP_COLUMNS: Final = {
    group: [index for index, name in enumerate(COLUMN_GROUPS) if name == group] for group in GROUPS
}
MIN_CONTRIBUTION: Final = 0.1
"""Absolute log odds below which a contribution is not a reason."""
_SECOND_FEATURE_SHARE: Final = 0.35
"""Minimum contribution of a second feature of a group, relative to the first, to be described."""
_CONTRADICTION_WEIGHT: Final = 0.3
"""Weight of a linear score whose sign differs from the sign of its contribution: correct, but confusing to read."""
_LABELS: Final = {"h": "heading", "p": "paragraph", "l": "list item", "c": "continuation", "o": "boilerplate"}
_BOLD: Final = 600
"""Minimum font weight that is called bold."""
MAX_TOKENS: Final = 3
"""Maximum number of tokens in a phrase."""
_MIN_WEIGHT_SHARE: Final = 0.3
"""Weight of a token, relative to the largest one, below which it is left out."""


class GroupPhrases:
    """Phrases for the groups of features of the B blocks of a page.

    Args:
        context: the page.
        x: float32 (B, F), the feature matrix, with the columns `stacking.COLUMNS`.
        contributions: float64 (B, F), the contribution of each feature.
        linear: the linear models, whose weights show which names and words are evidence.
        prediction: the labels and probabilities of the blocks.
    """

    def __init__(
        self,
        context: PageContext,
        x: NDArray[np.float32],
        contributions: NDArray[np.float64],
        linear: LinearModel,
        prediction: Prediction,
    ) -> None:
        self._context, self._x, self._linear, self._prediction = context, x, linear, prediction
        self._containers = neighbourhood.subtrees(context)
        contradicts = _IS_LINEAR_SCORE & (x * contributions < 0)
        self._weighted = np.where(contradicts, _CONTRADICTION_WEIGHT * contributions, contributions)

    def text(self, block: int, group: str, contribution: float) -> str:
        """Describe a group of a block, with the sum of its contributions."""
        summary, covered = self._summary(block, group)
        names = self._strongest_features(block, group, contribution)
        parts = [self._phrase(block, name, contribution) for name in names if kind_of(name) not in covered]
        return "; ".join(filter(None, (summary, *parts)))

    def is_informative(self, block: int, group: str, contribution: float) -> bool:
        """Return False for page features, equal for all blocks, and for the fact that the page was not rendered."""
        if group not in _VISUAL_GROUPS:
            return group != PAGE
        return not math.isnan(self._value(block, self._strongest_features(block, group, contribution)[0]))

    def _summary(self, block: int, group: str) -> tuple[str, tuple[str, ...]]:
        """Return a phrase about the group, and the kinds of features that it covers."""
        if group == NEIGHBORS:
            return f"previous: {self._labeled(block - 1)}, next: {self._labeled(block + 1)}", ()
        if group == SIMILAR_BLOCKS:
            # Of a block without similar ones, no feature of the group is described.
            others = () if self._has_similar_blocks(block) else _SIMILAR_BLOCKS_KINDS
            return self._similar_blocks(block), (SIMILAR_BLOCKS, *others)
        if group == _MAIN_TEXT:
            return self.main_text(block), (_MAIN_TEXT_POSITION,)
        font = self.font(block) if group == FONT else ""
        return font, (FONT,) if font else ()

    def _strongest_features(self, block: int, group: str, sign: float) -> list[str]:
        """Return the one or two columns with the largest contributions of a sign; two are of different kinds."""
        columns = np.array(_GROUP_COLUMNS[group])
        strength = self._weighted[block, columns] * (1 if sign >= 0 else -1)
        order = np.argsort(-strength, kind="stable")
        is_strong = strength >= max(_SECOND_FEATURE_SHARE * strength[order[0]], MIN_CONTRIBUTION / 2)
        names = [_NAMES[column] for column in columns[order[: max(is_strong.sum(), 1)]].tolist()]
        others = [name for name in names if kind_of(name) != kind_of(names[0])]
        return [names[0], *others[:1]]

    def _phrase(self, block: int, name: str, contribution: float) -> str:
        value, level = self._value(block, name), _split(name)[1]
        subject = self.container(block, level) if level else "these blocks" * self._has_similar_blocks(block)
        text = phrase(name, value, subject, contribution)
        if name not in ("path_score", "word_score") or abs(value) < WEAK:
            return text
        found = self.tokens(block, name.removesuffix("_score"), value)
        tokens = [token if token.startswith("<") else f'"{token}"' for token in found]
        return f"{text} ({', '.join(tokens)})" if tokens else text

    def _labeled(self, block: int) -> str:
        if not 0 <= block < len(self._prediction.labels):
            return "none"
        label, probability = self._prediction.labels[block], float(self._prediction.probability[block])
        return f"{_LABELS[label.value]} ({probability:.2f})"

    def _value(self, block: int, name: str) -> float:
        return float(self._x[block, INDEX[name]])

    def container(self, block: int, level: int) -> str:
        """Return the name of the block's subtree at `level`, such as `div.menu (12 blocks)`."""
        element = int(self._containers[block, level - 1])
        count = self._context.block_count[element]
        return (
            "the whole page"
            if count == len(self._context)
            else f"{self.selector(element)} ({format_count(count, 'block')})"
        )

    def selector(self, element: int) -> str:
        """Return the tag of an element with its id or first class: `div#nav`, `ul.links`."""
        snapshot = self._context.snapshot
        tag, classes = snapshot.tags[snapshot.tag[element]], snapshot.attributes("class").get(element, "").split()
        if name := snapshot.attributes("id").get(element, "").strip():
            return f"{tag}#{name}"
        return f"{tag}.{classes[0]}" if classes else tag

    def font(self, block: int) -> str:
        """Return size and weight of the font on a rendered page, such as `23 px bold`; '' on other pages."""
        size, weight = self._value(block, "font_size"), self._value(block, "font_weight")
        return "" if math.isnan(size) else f"{size:.0f} px{' bold' if weight >= _BOLD else ''}"

    def _has_similar_blocks(self, block: int) -> bool:
        """Return whether other blocks have the same chain of tags and classes."""
        return self._value(block, "class_blocks") > 1

    def _similar_blocks(self, block: int) -> str:
        """Describe the blocks with the same chain of tags and classes."""
        if not self._has_similar_blocks(block):
            return "no other block has its tags and classes"
        count = self._value(block, "class_blocks")
        words, links = self._value(block, "class_mean_words"), self._value(block, "class_link_share")
        number = fill_template("{number}", words)
        average = f"{number} word{'s' * (number != '1')} and link share {links:.2f} on average"
        return f"{format_count(count, 'block')} with its tags and classes, with {average}"

    def main_text(self, block: int) -> str:
        """Describe the position relative to the main text: the smallest element with 75 % of the long text.

        The core of the main text is the smallest element with 50 %.
        """
        side, distance = self._value(block, "holder75_side"), self._value(block, "holder75_distance")
        if side == 0:
            in_core = self._value(block, "holder50_inside")
            return "inside the main text" if in_core else "inside the main text, but outside its core"
        return f"{format_count(distance, 'block')} {'before' if side < 0 else 'after'} the main text"

    def tokens(self, block: int, score: str, sign: float) -> list[str]:
        """Return the strongest evidence for content, or against it if `sign` is negative.

        It is in tags, classes and ids for the score `path`, and in words and word pairs for the score `word`.
        """
        if score == "path":
            return _strongest(hashed_tokens.path_names(self._context, block), self._linear.path, sign)
        tokens = hashed_tokens.word_names(self._context, block)
        return _strongest(((name.lower(), bucket) for name, bucket in tokens), self._linear.word, sign)


def _strongest(tokens: Iterable[tuple[str, int]], weights: NDArray[np.float32], sign: float) -> list[str]:
    """Return the tokens with the largest total weights of a sign; a word in a returned word pair is left out."""
    total: defaultdict[str, float] = defaultdict(float)
    for name, bucket in tokens:
        total[name] += float(weights[bucket]) * (1 if sign >= 0 else -1)
    best = nlargest(MAX_TOKENS, total, key=total.__getitem__)
    strong = [name for name in best if total[name] > 0 and total[name] >= _MIN_WEIGHT_SHARE * total[best[0]]]
    return [name for name in strong if not any(name != other and name in other.split() for other in strong)]
