"""Score clean text against gold text, by the definitions in common use.

A page on which a method failed scores as empty output, and no page is left out of a mean. Two empty texts agree
perfectly.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import isnan
from statistics import fmean
from typing import TYPE_CHECKING

from rapidfuzz.distance import LCSseq

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WORD = re.compile(r"\w+")
_PUNCTUATION = re.compile(r"[^\w\s]|_")
_MARK = re.compile(r"<[hpl]>", re.IGNORECASE)
_CACHED_TEXTS = 8
"""Number of texts whose words are cached: the gold of a page is compared with the output of each method."""


def count_words(text: str) -> int:
    """Count the words of `text`, as `word_score` does."""
    return len(_WORD.findall(text))


@dataclass(frozen=True, slots=True)
class WordScore:
    """Precision, recall and their harmonic mean, each in 0..1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Overlap:
    """Length `common` of the longest common subsequence of the `output` and `gold` words; sums up over pages."""

    common: int
    output: int
    gold: int

    @property
    def f1(self) -> float:
        """Return 2 x common / (output + gold), in 0..1; 1 if both are empty."""
        total = self.output + self.gold
        return 2 * self.common / total if total else 1.0

    def __add__(self, other: Overlap) -> Overlap:
        return Overlap(self.common + other.common, self.output + other.output, self.gold + other.gold)


@dataclass(frozen=True, slots=True)
class SnippetShare:
    """Number `matching` of `total` snippets that satisfy their rule; sums up over pages."""

    matching: int
    total: int

    @property
    def value(self) -> float:
        """Return the share, in 0..1; NaN without snippets."""
        return self.matching / self.total if self.total else float("nan")

    def __add__(self, other: SnippetShare) -> SnippetShare:
        return SnippetShare(self.matching + other.matching, self.total + other.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageScore:
    """Scores of one page; `cleaneval_markup` is None if the gold has no marks."""

    word: WordScore
    lcs: Overlap
    cleaneval: float
    cleaneval_markup: float | None
    must: SnippetShare
    must_not: SnippetShare


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Scores of a set of pages.

    Attributes:
        pages: number of pages.
        word_precision, word_recall, word_f1: means over the pages, 0..1.
        lcs_f1: mean over the pages; lcs_f1_micro: of the summed lengths.
        cleaneval: mean over the pages, 0..100; cleaneval_markup: over the pages whose gold has marks, else NaN.
        must, must_not: share of all required snippets that are present, and of all forbidden snippets that are absent.
    """

    pages: int
    word_precision: float
    word_recall: float
    word_f1: float
    lcs_f1: float
    lcs_f1_micro: float
    cleaneval: float
    cleaneval_markup: float
    must: float
    must_not: float

    def to_dict(self) -> dict[str, float | None]:
        """Return the scores by name, with None for NaN, which JSON lacks."""
        return {name: None if isnan(value) else value for name, value in asdict(self).items()}


def word_score(output: str, gold: str) -> WordScore:
    r"""Compare the bags of lower-cased `\w+` tokens (WCXB, Foley 2026).

    >>> word_score("The cat", "the cat sat")
    WordScore(precision=1.0, recall=0.6666666666666666, f1=0.8)
    """
    left, right = _bag(output), _bag(gold)
    if not left and not right:
        return WordScore(1.0, 1.0, 1.0)
    common = (left & right).total()
    precision = common / left.total() if left else 0.0
    recall = common / right.total() if right else 0.0
    return WordScore(precision, recall, 2 * common / (left.total() + right.total()))


def lcs_overlap(output: str, gold: str) -> Overlap:
    """Return the longest common subsequence of words split at white space (Bakic 2012), with case and punctuation."""
    return _overlap(output.split(), gold.split())


def cleaneval_score(output: str, gold: str) -> float:
    """Return the text-only CleanEval score (Baroni et al. 2008), 0..100; marks in either text are ignored.

    It is 100 x (1 - d / (n + m)) = 200 x LCS / (n + m), where d is the edit distance on words with substitutions at
    cost 2.
    """
    return 100 * _overlap(_unmarked_words(output), _unmarked_words(gold)).f1


def cleaneval_markup_score(output: str, gold: str) -> float:
    """Return the CleanEval score of text with marks, 0..100; each `<h>`, `<p>`, `<l>` counts as a word."""
    return 100 * _overlap(_marked_words(output), _marked_words(gold)).f1


def has_marks(text: str) -> bool:
    """Return whether a text has any of CleanEval's marks."""
    return bool(_MARK.search(text))


def snippets_present(output: str, snippets: Sequence[str]) -> SnippetShare:
    """Count the `snippets` that occur in `output`, ignoring white space and case (WCXB's "must")."""
    text = _normalized(output)
    return SnippetShare(sum(_normalized(snippet) in text for snippet in snippets), len(snippets))


def snippets_absent(output: str, snippets: Sequence[str]) -> SnippetShare:
    """Count the `snippets` that do not occur in `output`, ignoring white space and case (WCXB's "must not")."""
    present = snippets_present(output, snippets)
    return SnippetShare(present.total - present.matching, present.total)


def aggregate(scores: Iterable[PageScore]) -> Scores:
    """Return the scores of a set of at least one page."""
    pages = list(scores)
    marked = [page.cleaneval_markup for page in pages if page.cleaneval_markup is not None]
    return Scores(
        pages=len(pages),
        word_precision=fmean(page.word.precision for page in pages),
        word_recall=fmean(page.word.recall for page in pages),
        word_f1=fmean(page.word.f1 for page in pages),
        lcs_f1=fmean(page.lcs.f1 for page in pages),
        lcs_f1_micro=sum((page.lcs for page in pages), Overlap(0, 0, 0)).f1,
        cleaneval=fmean(page.cleaneval for page in pages),
        cleaneval_markup=fmean(marked) if marked else float("nan"),
        must=sum((page.must for page in pages), SnippetShare(0, 0)).value,
        must_not=sum((page.must_not for page in pages), SnippetShare(0, 0)).value,
    )


def aggregate_by(keys: Iterable[str], scores: Iterable[PageScore]) -> dict[str, Scores]:
    """Return the scores of the pages of each key, sorted by key."""
    groups: defaultdict[str, list[PageScore]] = defaultdict(list)
    for key, score in zip(keys, scores, strict=True):
        groups[key].append(score)
    return {key: aggregate(groups[key]) for key in sorted(groups)}


@lru_cache(maxsize=_CACHED_TEXTS)
def _bag(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def _overlap(output: Sequence[str], gold: Sequence[str]) -> Overlap:
    return Overlap(LCSseq.similarity(output, gold), len(output), len(gold))


@lru_cache(maxsize=_CACHED_TEXTS)
def _unmarked_words(text: str) -> list[str]:
    return _plain_words(_MARK.sub(" ", text))


def _plain_words(text: str) -> list[str]:
    return _PUNCTUATION.sub("", text.lower()).split()


@lru_cache(maxsize=_CACHED_TEXTS)
def _marked_words(text: str) -> list[str]:
    marks = [mark.lower() for mark in _MARK.findall(text)]
    first, *rest = map(_plain_words, _MARK.split(text))
    return [*first, *(word for mark, words in zip(marks, rest, strict=True) for word in (mark, *words))]


def _normalized(text: str) -> str:
    return " ".join(text.casefold().split())
