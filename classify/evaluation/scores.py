"""Score clean text against gold text, by the definitions in common use.

A page on which a method failed scores as empty output, and no page is left out of a mean. Two empty texts agree
perfectly.

Probabilities are calibrated if of all the blocks given .8, eight in ten are content; confidences of pages, if the pages
given .8 have a word F1 of .8 on average. The reliability table compares the two in bins. The expected calibration error
(ECE) is their mean difference, weighted by bin (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    Numbers = NDArray[np.float64]

BINS: Final = 10


class Reliability:
    """Mean predictions and outcomes of N probabilities by bin, lowest bin first, without empty bins.

    Args:
        predicted: (N,), in 0..1.
        observed: (N,), outcomes in 0..1: 0 or 1, or a score.
        weight: (N,), weight of each; 1 by default.
        bins: number of bins.
        equal_mass: use bins of equal weight instead of bins of equal width; equal probabilities share a bin.

    Attributes:
        count: (K,), number of predictions in each bin.
        weight: float64 (K,), sum of their weights.
        predicted: float64 (K,), weighted mean probability.
        observed: float64 (K,), weighted mean outcome.
    """

    def __init__(
        self,
        predicted: ArrayLike,
        observed: ArrayLike,
        weight: ArrayLike | None = None,
        *,
        bins: int = BINS,
        equal_mass: bool = False,
    ) -> None:
        p, q = np.asarray(predicted, dtype=float), np.asarray(observed, dtype=float)
        w = np.ones(len(p)) if weight is None else np.asarray(weight, dtype=float)
        bin_index = _equal_mass(p, w, bins) if equal_mass else np.minimum((p * bins).astype(np.int64), bins - 1)
        count = np.bincount(bin_index, minlength=bins)
        sums = (np.bincount(bin_index, weights=each, minlength=bins) for each in (w, w * p, w * q))
        mass, p_sum, q_sum = (np.asarray(each, dtype=np.float64) for each in sums)
        used = mass > 0
        self.count, self.weight = count[used], mass[used]
        self.predicted, self.observed = p_sum[used] / mass[used], q_sum[used] / mass[used]

    @property
    def error(self) -> float:
        """Return the expected calibration error, in 0..1; 0 without predictions."""
        total = self.weight.sum()
        return float(self.weight @ np.abs(self.predicted - self.observed) / total) if total else 0.0


def _equal_mass(p: Numbers, w: Numbers, bins: int) -> NDArray[np.int64]:
    """Return the bin of each probability, int64 (N,), by the weight of all smaller ones and half of the equal ones."""
    values, index = np.unique(p, return_inverse=True)
    mass = np.bincount(index, w, len(values))
    middle = (np.cumsum(mass) - mass / 2) / max(mass.sum(), 1e-300)
    return np.asarray(np.minimum((middle * bins).astype(np.int64), bins - 1)[index])


def errors_and_bins(predicted: ArrayLike, observed: ArrayLike, weight: ArrayLike | None = None) -> dict[str, Any]:
    """Return the calibration errors in bins of equal width and of equal mass, and the bins of equal width, for JSON."""
    width, mass = (Reliability(predicted, observed, weight, equal_mass=equal_mass) for equal_mass in (False, True))
    columns = (width.count.tolist(), width.predicted.round(4).tolist(), width.observed.round(4).tolist())
    rows = [{"count": n, "predicted": p, "observed": q} for n, p, q in zip(*columns, strict=True)]
    return {"ece": round(width.error, 5), "ece_equal_mass": round(mass.error, 5), "bins": rows}


_WORD = re.compile(r"\w+")
_PUNCTUATION = re.compile(r"[^\w\s]|_")
_MARK = re.compile(r"<[hpl]>", re.IGNORECASE)
_CACHED_TEXTS = 8
"""Number of texts whose words are cached: the gold of a page is compared with the output of each method."""


def count_words(text: str) -> int:
    """Count the words of `text`, as `word_score` does."""
    return len(_WORD.findall(text))


class Overlap(NamedTuple):
    """Number of words `common` to an output of `output` words and a gold text of `gold` words."""

    common: int
    output: int
    gold: int

    @property
    def precision(self) -> float:
        """Return common / output, in 0..1; without output 1 if there is no gold, else 0."""
        return self.common / self.output if self.output else float(not self.gold)

    @property
    def recall(self) -> float:
        """Return common / gold, in 0..1; without gold 1 if there is no output, else 0."""
        return self.common / self.gold if self.gold else float(not self.output)

    @property
    def f1(self) -> float:
        """Return 2 x common / (output + gold), in 0..1; 1 if both are empty."""
        total = self.output + self.gold
        return 2 * self.common / total if total else 1.0


class SnippetShare(NamedTuple):
    """Number `matching` of `total` snippets that satisfy their rule."""

    matching: int
    total: int

    @property
    def value(self) -> float:
        """Return the share, in 0..1; NaN without snippets."""
        return self.matching / self.total if self.total else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageScore:
    """Scores of one page; `cleaneval_markup` is None if the gold has no marks."""

    word: Overlap
    lcs: Overlap
    cleaneval: float
    cleaneval_markup: float | None
    must: SnippetShare
    must_not: SnippetShare


def word_score(output: str, gold: str) -> Overlap:
    r"""Compare the bags of lower-cased `\w+` tokens (WCXB, Foley 2026).

    >>> word_score("The cat", "the cat sat").f1
    0.8
    """
    left, right = _bag(output), _bag(gold)
    return Overlap((left & right).total(), left.total(), right.total())


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


def aggregate(scores: Iterable[PageScore]) -> dict[str, float]:
    """Return the scores of a set of at least one page by name.

    Returns:
        pages: number of pages.
        word_precision, word_recall, word_f1: means over the pages, 0..1.
        lcs_f1: mean over the pages; lcs_f1_micro: of the summed lengths.
        cleaneval: mean over the pages, 0..100; cleaneval_markup: over the pages whose gold has marks, else NaN.
        must, must_not: share of all required snippets that are present, and of all forbidden snippets that are absent.
    """
    pages = list(scores)
    marked = [page.cleaneval_markup for page in pages if page.cleaneval_markup is not None]
    return {
        "pages": len(pages),
        "word_precision": fmean(page.word.precision for page in pages),
        "word_recall": fmean(page.word.recall for page in pages),
        "word_f1": fmean(page.word.f1 for page in pages),
        "lcs_f1": fmean(page.lcs.f1 for page in pages),
        "lcs_f1_micro": Overlap(*_sums(page.lcs for page in pages)).f1,
        "cleaneval": fmean(page.cleaneval for page in pages),
        "cleaneval_markup": fmean(marked) if marked else float("nan"),
        "must": SnippetShare(*_sums(page.must for page in pages)).value,
        "must_not": SnippetShare(*_sums(page.must_not for page in pages)).value,
    }


def _sums(counts: Iterable[tuple[int, ...]]) -> Iterator[int]:
    return map(sum, zip(*counts, strict=True))


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
