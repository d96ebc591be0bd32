"""Compute the 128 features of a block and the 25 of a pair of neighbors of Web2Text (Vogels, Ganea and Eickhoff 2018).

The counts, their limits and the tags with a feature are those of the authors' program (dalab/web2text,
`features/extractor`). Leaves and forks are those of `vclean.classify.methods.web2text.collapsed_tree`.

Choices of vclean: stop words are those of the page's language. Punctuation marks are those of all scripts. Lengths and
positions are in characters of text, not of source. Years, web addresses and mail addresses are those of
`vclean.features.block.linguistic`. There is a block break if a block-level element begins between two blocks, or if
they have different containers. The tags of a parent have `th` where the program has `ul` twice. Undefined values (a
ratio to 0, a parent of the root) are NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.methods.web2text.collapsed_tree import NONE, CollapsedTree
from vclean.features.block import linguistic
from vclean.features.block.structural import count_opened_before
from vclean.features.columns import FeatureColumn, ratio, stack_columns
from vclean.features.groups import Groups
from vclean.features.text.characters import COLON, COMMA, DIGIT, SENTENCE_END, SPACE, UPPER
from vclean.render.static import styles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Numbers, Values
    from vclean.features.page_context import PageContext

LEAF_TAGS = ("a", "p", "td", "b", "li", "span", "i", "tr", "div", "strong", "em", "h3", "h2", "table", "h4", "small",
             "sup", "h1", "blockquote")  # fmt: skip
FORK_TAGS = ("td", "div", "p", "tr", "table", "body", "ul", "span", "li", "blockquote", "b", "small", "a", "ol", "th",
             "i", "form", "dl", "strong", "pre")  # fmt: skip
DISTANCES = (2, 3, 4)
"""Steps in the collapsed tree with their own column; one more column is for larger distances."""

_PUNCTUATION = COMMA | SENTENCE_END | COLON

_DUPLICATES = (
    ("has_duplicate", "flag", "another block has the same text"),
    ("has_10_duplicates", "flag", "ten other blocks or more have it"),
    ("same_class_path", "share", "blocks with the same chain of tags and classes, of all"),
)
_TEXT = (
    ("word_length", "characters", "mean length of a word, 3..15"),
    ("has_stop_word", "flag", "there is a stop word"),
    ("stop_word_ratio", "share", "stop words among the words"),
    ("log_characters", "log characters", "number of characters, from e^2.5 to e^5.5, of forks to e^10"),
    ("log_punctuation_ratio", "log share", "punctuation marks among the characters, e^-4..e^-2.5"),
    ("has_numeric", "flag", "there is a digit"),
    ("numeric_ratio", "share", "digits among the characters"),
    ("log_sentence_length", "log characters", "characters a sentence, e^2..e^5"),
    ("ends_punctuation", "flag", "the last character is a punctuation mark"),
    ("ends_question", "flag", "the last character is a question mark"),
    ("copyright", "flag", "there is a ©"),
    ("email", "flag", "there is a mail address"),
    ("url", "flag", "there is a web address"),
    ("year", "flag", "there is a year"),
    *((f"capitals_{power}", "share", f"words with a capital among the words, to the power of {power}")
      for power in (1, 2, 3)),
)  # fmt: skip
_LEAF = (
    *_TEXT,
    ("has_word", "flag", "there is a word"),
    ("log_words", "log words", "number of words, up to e^3.5"),
    ("has_punctuation", "flag", "there is a punctuation mark"),
    ("punctuation", "marks", "punctuation marks, up to 10"),
    ("has_sentences", "flag", "there are several sentences"),
    ("position", "share", "position on the page"),
    ("position_2", "share", "its square"),
)
_FORK = (
    *_TEXT,
    ("body_share", "share", "its share of the page's text"),
    ("link_density", "share", "characters in links, of all"),
    ("has_form", "flag", "there is an input field"),
)


def _named(prefix: str, rows: tuple[tuple[str, str, str], ...], subject: str) -> tuple[FeatureColumn, ...]:
    return tuple(FeatureColumn(prefix + name, unit, f"{subject}: {doc}.") for name, unit, doc in rows)


def _tags(prefix: str, tags: tuple[str, ...], subject: str) -> tuple[FeatureColumn, ...]:
    return tuple(FeatureColumn(f"{prefix}tag_{tag}", "flag", f"{subject}: it is one with a `{tag}`.") for tag in tags)


COLUMNS: tuple[FeatureColumn, ...] = (
    *_named("", _DUPLICATES, "The block"),
    *_named("", _LEAF, "The block"),
    FeatureColumn("has_parent", "flag", "There is a fork around it."),
    *_named("parent_", _FORK, "The fork around it"),
    *_tags("parent_", FORK_TAGS, "The fork around it"),
    FeatureColumn("has_grandparent", "flag", "There is a fork around that fork."),
    *_named("grandparent_", _FORK, "The fork around that fork"),
    *_named("root_", _FORK, "The outermost fork"),
    *_tags("", LEAF_TAGS, "The block"),
)
PAIR_COLUMNS: tuple[FeatureColumn, ...] = (
    *(FeatureColumn(f"distance_{steps}", "flag", f"It is {steps} steps from one to the other.") for steps in DISTANCES),
    FeatureColumn("distance_more", "flag", "It is more steps."),
    FeatureColumn("block_break", "flag", "Something of block level begins or ends between them."),
    *_named("common_", _FORK, "The fork around both"),
)


def compute(context: PageContext) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the features of a page's B blocks, float32 (B, 128), and of its neighbor pairs, float32 (B - 1, 25)."""
    page = _PageFeatures(context)
    blocks = stack_columns(COLUMNS, page.blocks())
    return blocks, stack_columns(PAIR_COLUMNS, page.pairs())


@dataclass(frozen=True, eq=False)
class _PageFeatures:
    """Features of a page; sums are float64, with one row for each run of blocks."""

    context: PageContext

    @cached_property
    def tree(self) -> CollapsedTree:
        return CollapsedTree(self.context.blocks)

    def blocks(self) -> Values:
        """Return the features of the blocks, each (B,)."""
        parent = self.tree.parent
        grandparent = self.tree.parents(parent)
        root = np.full(len(self.context), self.tree.root, dtype=np.int32)
        return {
            **self._duplicates(),
            **self._leaf(),
            "has_parent": parent != NONE,
            **_prefixed("parent_", self._fork(parent)),
            **_by_tag("parent_", FORK_TAGS, _or_nan(self.tree.fork_tags(parent, FORK_TAGS), parent)),
            "has_grandparent": grandparent != NONE,
            **_prefixed("grandparent_", self._fork(grandparent)),
            **_prefixed("root_", self._fork(root)),
            **_by_tag("", LEAF_TAGS, self.tree.leaf_tags(LEAF_TAGS)),
        }

    def pairs(self) -> Values:
        """Return the features of the pairs, each (B - 1,)."""
        distance = self.tree.distance
        return {
            **{f"distance_{steps}": distance == steps for steps in DISTANCES},
            "distance_more": distance > DISTANCES[-1],
            "block_break": self._breaks(),
            **_prefixed("common_", self._fork(self.tree.common_fork)),
        }

    def _duplicates(self) -> Values:
        others = self._linguistic["duplicates"]
        same_path = Groups.from_keys(self.context.class_path[self.tree.container]).size
        return {
            "has_duplicate": others > 0,
            "has_10_duplicates": others >= 10,
            "same_class_path": same_path / len(self.context),
        }

    def _leaf(self) -> Values:
        count, end = self._totals, np.cumsum(self._totals["characters"])
        position = (end - count["characters"] / 2) / end[-1]
        return {
            **_text(count, 5.5),
            **self._ends(np.arange(len(self.context))),
            "has_word": count["words"] > 0,
            "log_words": _log(count["words"], 0, 3.5),
            "has_punctuation": count["punctuation"] > 0,
            "punctuation": count["punctuation"].clip(0, 10),
            "has_sentences": count["sentences"] > 1,
            "position": position,
            "position_2": position**2,
        }

    def _fork(self, forks: NDArray[np.int32]) -> Values:
        """Return the features of `forks` (M,), NaN for `NONE`."""
        first, end = self.tree.runs(forks)
        count = {name: total[end] - total[first] for name, total in self._cumulative.items()}
        columns = {
            **_text(count, 10),
            **self._ends(np.maximum(end - 1, 0)),
            "body_share": count["characters"] / self._cumulative["characters"][-1],
            "link_density": ratio(count["link_characters"], count["characters"]),
            "has_form": self.tree.has(forks, ("input",)),
        }
        return {name: _or_nan(values, forks) for name, values in columns.items()}

    def _ends(self, blocks: NDArray[np.int64]) -> Values:
        """Return the features of the last characters of `blocks`, which are the last blocks of runs."""
        texts = self.context.texts
        last = (np.append(texts.start[1:], len(texts.code)) - 2)[blocks]
        return {
            "ends_punctuation": (texts.kind[last] & _PUNCTUATION) > 0,
            "ends_question": np.isin(texts.code[last], [ord(mark) for mark in "?？؟"]),
        }

    @cached_property
    def _linguistic(self) -> Values:
        return linguistic.compute(self.context)

    @cached_property
    def _totals(self) -> dict[str, NDArray[np.float64]]:
        """Return the counts of each block, (B,) each; stop words are 0 for languages without a list of them."""
        texts, words, values = self.context.texts, self.context.words, self._linguistic
        capital = (texts.kind[words.start] & UPPER) > 0
        counts = {
            "characters": values["chars"],
            "words": values["words"],
            "word_characters": words.per_text((words.end - words.start).astype(np.float32)),
            "stop_words": np.nan_to_num(values["stop_word_count"]),
            "capitals": words.per_text(capital.astype(np.float32)),
            "punctuation": texts.count_class(_PUNCTUATION),
            "digits": texts.count_class(DIGIT),
            "sentences": self._sentences(),
            "link_characters": self.context.link_share * values["chars"],
            "copyrights": texts.count(texts.code == ord("©")),
            **{name: values[name] for name in ("emails", "urls", "years")},
        }
        return {name: np.asarray(count, dtype=np.float64) for name, count in counts.items()}

    @cached_property
    def _cumulative(self) -> dict[str, NDArray[np.float64]]:
        return {name: np.concatenate([[0], np.cumsum(values)]) for name, values in self._totals.items()}

    def _sentences(self) -> NDArray[np.float32]:
        """Return one more than the number of sentence ends before white space and a capital, float32 (B,)."""
        texts, kind = self.context.texts, self.context.texts.kind
        ends = ((kind & SENTENCE_END) > 0) | (texts.code == ord(";"))
        ends[:-2] &= ((kind[1:-1] & SPACE) > 0) & ((kind[2:] & UPPER) > 0)
        ends[-2:] = False
        return texts.count(ends) + 1

    def _breaks(self) -> NDArray[np.bool_]:
        snapshot, node = self.context.snapshot, self.context.blocks.node
        opened = count_opened_before(self.context, snapshot.is_tag(styles.BLOCK_TAGS)[None])[0, 1:]
        return np.asarray((opened > 0) | (node[1:] != node[:-1]))


def _text(count: dict[str, NDArray[np.float64]], max_log: float) -> Values:
    """Return the features that leaves and forks share, from the counts of M runs; `max_log` limits log characters."""
    characters, words = count["characters"], count["words"]
    capitals = _share(count["capitals"], words)
    return {
        "word_length": _share(count["word_characters"], words).clip(3, 15),
        "has_stop_word": count["stop_words"] > 0,
        "stop_word_ratio": _share(count["stop_words"], words),
        "log_characters": _log(characters, 2.5, max_log),
        "log_punctuation_ratio": _log(_share(count["punctuation"], characters), -4, -2.5),
        "has_numeric": count["digits"] > 0,
        "numeric_ratio": _share(count["digits"], characters),
        "log_sentence_length": _log(_share(characters, count["sentences"]), 2, 5),
        "copyright": count["copyrights"] > 0,
        "email": count["emails"] > 0,
        "url": count["urls"] > 0,
        "year": count["years"] > 0,
        **{f"capitals_{power}": capitals**power for power in (1, 2, 3)},
    }


def _share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `part / whole`, NaN where `whole` is 0."""
    return part / np.where(whole == 0, np.nan, whole)


def _log(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Return the logarithm, limited to `low`..`high`; NaN for 0."""
    return np.log(np.where(values == 0, np.nan, values)).clip(low, high)


def _or_nan(values: Numbers, forks: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the `values` of `forks` (M,), NaN for `NONE`."""
    absent = (forks == NONE).reshape(-1, *[1] * (values.ndim - 1))
    return np.where(absent, np.float32(np.nan), values.astype(np.float32))


def _prefixed(prefix: str, values: Values) -> Values:
    return {prefix + name: column for name, column in values.items()}


def _by_tag(prefix: str, tags: tuple[str, ...], values: Numbers) -> Values:
    return {f"{prefix}tag_{tag}": values[:, index] for index, tag in enumerate(tags)}
