"""Write a report as one HTML page: tables, and the pages with the lowest scores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import isnan
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.characters import format_count, replace_illegal
from vclean.classify.evaluation.evaluate import calibration_report, group
from vclean.classify.evaluation.scores import aggregate
from vclean.compare.records import MISSED, RIGHT, WRONG, by_method, worst_pages
from vclean.html_pages import INLINE_POLICY, asset, format_decimals, render_page, to_script_json
from vclean.labels import UNKNOWN, Label
from vclean.render.overlay.layers import PENS, excerpt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.evaluation.evaluate import PageEvaluation
    from vclean.compare.records import ErrorAnalysis, Key


_PACKAGE: Final = "vclean.compare"
_MEANINGS: Final = {RIGHT: "content, kept", MISSED: "content, missed", WRONG: "kept, but not content"}
_CARD_ERRORS: Final = 5
"""Maximum number of blocks of a kind that a card quotes."""
_EXCERPT: Final = 160
_NAME: Final = 100

MAX_ROWS: Final = 2_000
"""Maximum number of pages in the list of all pages: those with the lowest scores."""

_UNKNOWN_TYPE: Final = "content of unknown type"
"""Row of the confusion matrix for content whose gold has no types."""

_BINS: Final = 10
"""Number of bins of the distribution of scores."""


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a table.

    Attributes:
        name: The head.
        places: Decimal places of its numbers; None if it contains text. Numbers of three places are in 0..1 and have
            a bar.
        title: An explanation of the head in a sentence, or empty.
    """

    name: str
    places: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Table that is sorted by a click on the head of a column.

    Attributes:
        columns: The columns.
        rows: A text, a number or None for each column; the first is the head of its row.
        caption: The caption; empty if the context makes it clear.
        id: The id of the element, or empty.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    caption: str = ""
    id: str = ""


_SCORES: Final = {
    "word_f1": Column("word F1", 3, "harmonic mean of precision and recall of the bag of words, mean over the pages"),
    "word_precision": Column("precision", 3, "share of the words of the output that are in the gold"),
    "word_recall": Column("recall", 3, "share of the words of the gold that are in the output"),
    "lcs_f1": Column("LCS F1", 3, "F1 of the longest common subsequence of words, mean over the pages"),
    "lcs_f1_micro": Column("micro", 3, "LCS F1 of the summed lengths"),
    "cleaneval": Column("CleanEval", 1, "text-only score of CleanEval, 0 to 100"),
    "cleaneval_markup": Column("+ markup", 1, "score with marks, over the pages whose gold has them"),
}
_MAIN_SCORES: Final = ("word_f1", "word_precision", "word_recall")

_ERRORS: Final = {"ece": "equal width", "ece_equal_mass": "equal mass"}
_RELIABILITY: Final = {
    "blocks": ("Blocks: probability of content", "probability", "share that is content"),
    "words": ("Blocks, weighted by words", "probability", "share of words in content"),
    "pages": ("Pages: expected word F1", "confidence", "mean word F1"),
}

_BIN: Final = ("count", "predicted", "observed")
"""Fields of a bin of `calibration_report`."""

MAX_BYTES: Final = 20_000_000
"""Maximum size of all overlays. Those that do not fit are left out, and the page states their number."""

Content = dict[str, Any]
"""Values for the template of a section or a part of it, by name; an empty section is left out."""

_NOTHING: Final[Content] = {"note": "", "tiles": (), "tables": (), "has_screenshots": False, "cards": ()}


def to_html(
    evaluations: Sequence[PageEvaluation],
    *,
    facts: Mapping[str, str] | None = None,
    worst: Sequence[PageEvaluation] = (),
    analyses: Mapping[Key, ErrorAnalysis] | None = None,
) -> str:
    """Return the page; equal data give equal pages.

    Args:
        evaluations: of every page and method; those of one method are in the order of the pages.
        facts: facts about the run, by name.
        worst: the worst pages, lowest score first.
        analyses: error analyses of these pages.
    """
    analyses = analyses or {}
    overlays = _fitting_overlays([each.key for each in worst], analyses)
    parts = by_method(evaluations)
    sections = {
        "Scores": _overview(evaluations),
        "Kinds of pages": _by_groups(evaluations),
        "Calibration": _calibration(parts),
        "Labels": _labels(parts),
        "Worst pages": _worst(evaluations, worst, analyses, overlays),
        "All pages": _all_pages(parts),
        "Failures": _failures(evaluations),
    }
    title = f"{', '.join(parts)} on {', '.join(by_dimension(evaluations, 'corpus'))}"
    return render_page(
        _PACKAGE,
        "report.html",
        title=f"{title} – vclean",
        policy=INLINE_POLICY,
        styles=[asset("vclean", "page.css"), asset(_PACKAGE, "report.css")],
        scripts=[asset(_PACKAGE, "report.js")],
        heading=title,
        facts=facts or {},
        sections={title: _NOTHING | content for title, content in sections.items() if content},
        meanings=_MEANINGS,
        overlays=list(overlays.values()),
    )


def _fitting_overlays(keys: Sequence[Key], analyses: Mapping[Key, ErrorAnalysis]) -> dict[Key, str]:
    """Return the overlays of pages, as many as fit together into `MAX_BYTES` as JSON."""
    overlays: dict[Key, str] = {}
    room = MAX_BYTES
    for key in keys:
        overlay = analyses[key].overlay() if key in analyses else ""
        size = len(replace_illegal(to_script_json(overlay)).encode())
        if overlay and size <= room:
            overlays[key] = overlay
            room -= size
    return overlays


def _overview(evaluations: Sequence[PageEvaluation]) -> Content:
    """Return the word F1 of every method, its distribution over the pages, and all scores by corpus."""
    parts = by_method(evaluations)
    counts = [np.histogram([each.f1 for each in part], _BINS, (0, 1))[0] / len(part) for part in parts.values()]
    ranges = [f"{low / _BINS:.1f} to {(low + 1) / _BINS:.1f}" for low in range(_BINS)]
    rows = [[name, *shares] for name, shares in zip(ranges, np.transpose(counts), strict=True)]
    columns = [Column("word F1"), *(Column(name, 3, f"share of the pages of {name}") for name in parts)]
    scores = _score_table("corpus", by_dimension(evaluations, "corpus"), tuple(_SCORES))
    return {
        "tiles": [_tile(*part) for part in parts.items()],
        "tables": [Table(columns, rows[::-1], "Pages by word F1"), scores],
    }


def _tile(name: str, part: Sequence[PageEvaluation]) -> Content:
    scores = [each.f1 for each in part]
    failed = sum(bool(each.error) for each in part)
    return {
        "name": name,
        "figure": f"{fmean(scores):.3f}",
        "notes": [
            f"word F1; 95 %: {confidence_interval(scores)}",
            f"median {median(scores):.3f}, {format_count(len(scores), 'page')}, {failed} failed",
        ],
    }


def _by_groups(evaluations: Sequence[PageEvaluation]) -> Content:
    """Return the scores by page type, language and length of the gold, where the pages differ in them."""
    parts = {name: by_dimension(evaluations, name) for name in DIMENSIONS if name != "corpus"}
    tables = [_score_table(name, part, _MAIN_SCORES) for name, part in parts.items() if len(part) > 1]
    return {"tables": tables} if tables else {}


def _calibration(parts: Mapping[str, Sequence[PageEvaluation]]) -> Content:
    """Return the calibration of probabilities and confidences, for the methods that give them."""
    facts = {name: report for name, part in parts.items() if (report := calibration_report(part))}
    if not facts:
        return {}
    columns = [Column("method"), Column("of"), *(Column(f"bins of {text}", 4) for text in _ERRORS.values())]
    pairs = product(facts, _RELIABILITY)
    rows = [[name, kind, *(facts[name][kind][error] for error in _ERRORS)] for name, kind in pairs]
    tables = [Table(columns, rows, "Expected calibration error")]
    for kind, (title, predicted, observed) in _RELIABILITY.items():
        heads = [Column("method"), Column("count", 0), Column(predicted, 3), Column(observed, 3)]
        bins = [(name, row) for name, each in facts.items() for row in each[kind]["bins"]]
        tables.append(Table(heads, [[name, *(row[key] for key in _BIN)] for name, row in bins], title))
    return {"note": "Of a calibrated method, predicted and observed values are equal.", "tables": tables}


def _labels(parts: Mapping[str, Sequence[PageEvaluation]]) -> Content:
    """Return a confusion matrix for each method: gold labels by predicted labels."""
    names = [*(f"{label} {PENS[label].meaning.partition(',')[0]}" for label in Label), _UNKNOWN_TYPE]
    columns = [Column("gold"), *(Column(name, 3) for name in names[:-1]), Column("blocks", 0)]
    tables = []
    for method, part in parts.items():
        counts = zip(names, confusion(part).tolist(), strict=True)
        rows = [[name, *(count / sum(row) for count in row), sum(row)] for name, row in counts if sum(row)]
        tables.append(Table(columns, rows, method))
    return {"note": "Blocks by gold label (rows) and predicted label (columns), as shares of a row.", "tables": tables}


def _all_pages(parts: Mapping[str, Sequence[PageEvaluation]]) -> Content:
    """Return every page with its scores by all methods, lowest score of the first method first."""
    first, pages = next(iter(parts.items()))
    f1 = {name: {each.key: each.f1 for each in part} for name, part in parts.items()}
    scores = [Column(name, 3, f"word F1 of {name}") for name in parts]
    confidence = Column("confidence", 3, f"word F1 expected by {first}")
    texts = [Column(name) for name in ("page", "corpus", "type", "language")]
    rows = [
        [
            *(excerpt(each.id, 80), each.corpus, each.page_type, each.language, each.words),
            *(by_page.get(each.key) for by_page in f1.values()),
            None if isnan(each.confidence) else each.confidence,
        ]
        for each in worst_pages(pages, MAX_ROWS)
    ]
    return {
        "note": f"The {MAX_ROWS:,} worst of {len(pages):,} pages." if len(pages) > MAX_ROWS else "",
        "tables": [Table([*texts, Column("words", 0), *scores, confidence], rows, id="all-pages-table")],
    }


def _failures(evaluations: Sequence[PageEvaluation]) -> Content:
    """Return the pages that failed, with the reasons."""
    rows = [[each.id, each.corpus, each.method, each.error] for each in evaluations if each.error]
    columns = [Column(name) for name in ("page", "corpus", "method", "reason")]
    return {"note": "Failed pages count as empty output.", "tables": [Table(columns, rows)]} if rows else {}


def _score_table(dimension: str, parts: Mapping[str, Sequence[PageEvaluation]], names: Sequence[str]) -> Table:
    """Return the scores of these names by a dimension; columns without any defined value are left out."""
    groups = [(name, method, part) for name, pages in parts.items() for method, part in by_method(pages).items()]
    scores = [aggregate(each.score for each in part) for _, _, part in groups]
    names = [name for name in names if not all(isnan(score[name]) for score in scores)]
    rows = [
        [
            group,
            score["pages"],
            method,
            confidence_interval([each.f1 for each in part]),
            *(score[name] for name in names),
        ]
        for (group, method, part), score in zip(groups, scores, strict=True)
    ]
    interval = Column("95 %", title="interval in which the mean word F1 of such pages is expected")
    columns = [Column(dimension), Column("pages", 0), Column("method"), interval, *(_SCORES[name] for name in names)]
    return Table(columns, rows, f"By {dimension}")


def _worst(
    evaluations: Sequence[PageEvaluation],
    worst: Sequence[PageEvaluation],
    analyses: Mapping[Key, ErrorAnalysis],
    overlays: Mapping[Key, str],
) -> Content:
    """Return the cards of the worst pages."""
    if not worst:
        return {}
    indexes = {key: index for index, key in enumerate(overlays)}
    by_page = group(evaluations, lambda evaluation: evaluation.key)
    screenshots = sum(bool(analysis.screenshot) for analysis in analyses.values())
    left, limit = screenshots - len(overlays), MAX_BYTES // 10**6
    notes = (
        f"The pages on which {worst[0].method} has the lowest word F1.",
        "" if screenshots else "With --render, their screenshots are shown here and open as overlays.",
        "A screenshot opens as an overlay." if overlays else "",
        f"The overlays of {left} of them are left out: all together may have {limit} MB." if left else "",
    )
    return {
        "note": " ".join(filter(None, notes)),
        "has_screenshots": screenshots > 0,
        "cards": [_card(each, analyses.get(each.key), indexes.get(each.key), by_page[each.key]) for each in worst],
    }


def _card(
    page: PageEvaluation, analysis: ErrorAnalysis | None, overlay: int | None, of_page: Sequence[PageEvaluation]
) -> Content:
    """Return the card of a page, with its analysis if it could be read again, and the index of its overlay."""
    kinds = page.corpus, page.page_type, page.language, f"{format_count(page.words, 'word')} of gold"
    scores = [f"{name} {format_decimals(getattr(page.score.word, name), 3)}" for name in ("precision", "recall")]
    scores += [f"{other.method} {other.f1:.3f}" for other in of_page if other is not page]
    return {
        "name": excerpt(page.id, _NAME),
        "f1": f"{page.f1:.3f}",
        "url": page.url,
        "short_url": excerpt(page.url, 120),
        "is_link": page.url.lower().startswith(("http://", "https://")),
        "facts": f"{', '.join(filter(None, kinds))}; {', '.join(scores)}",
        "error": page.error,
        "thumbnail": analysis.thumbnail() if analysis else "",
        "overlay": overlay,
        "errors": [each for kind in (MISSED, WRONG) if (each := _errors(analysis, kind))] if analysis else [],
    }


def _errors(analysis: ErrorAnalysis, kind: str) -> Content:
    """Return the blocks of a kind of error, the longest of them quoted."""
    blocks, probabilities = analysis.errors(kind), analysis.evaluation.probability.tolist()
    quotes = []
    for block in blocks[:_CARD_ERRORS]:
        probability = f"{probabilities[block]:.2f}".replace("0.", ".") if probabilities else ""
        quotes.append({"probability": probability, "text": excerpt(analysis.blocks.text[block], _EXCERPT)})
    more = len(blocks) - len(quotes)
    return {"kind": kind, "count": len(blocks), "quotes": quotes, "more": more} if blocks else {}


LENGTHS: Final = {
    0: "no words",
    1: "1 to 99",
    100: "100 to 299",
    300: "300 to 999",
    1000: "1,000 to 2,999",
    3000: "3,000 and more",
}
"""Names of the lengths of gold texts, by their least number of words."""

DIMENSIONS: Final[dict[str, Callable[[PageEvaluation], str]]] = {
    "corpus": lambda evaluation: evaluation.corpus,
    "page type": lambda evaluation: evaluation.page_type or "unknown",
    "language": lambda evaluation: evaluation.language or "unknown",
    "length": lambda evaluation: LENGTHS[max(least for least in LENGTHS if least <= evaluation.words)],
}
"""Dimensions by which a report groups pages."""


def by_dimension(evaluations: Sequence[PageEvaluation], dimension: str) -> dict[str, list[PageEvaluation]]:
    """Return the evaluations by value of a dimension: lengths by size, others by number of pages."""
    parts = group(evaluations, DIMENSIONS[dimension])
    names = sorted(parts, key=lambda name: (-len(parts[name]), name))
    if dimension == "length":
        names = [name for name in LENGTHS.values() if name in parts]
    return {name: parts[name] for name in names}


def confusion(evaluations: Sequence[PageEvaluation]) -> NDArray[np.int64]:
    """Return the confusion matrix, int64 (L + 1, L) for L labels: numbers of blocks by gold and predicted label.

    The last row counts content of unknown type.
    """
    size = len(Label)
    gold, predicted = (np.concatenate([getattr(each, name) for each in evaluations]) for name in ("gold", "predicted"))
    cell = np.where(gold == UNKNOWN, size, gold).astype(np.int64) * size + predicted
    return np.bincount(cell, minlength=(size + 1) * size).reshape(size + 1, size)


def confidence_interval(values: Sequence[float]) -> str:
    """Return the 95 % interval of the mean of at least one value by the normal approximation, clipped to 0..1."""
    mean = fmean(values)
    margin = 1.96 * stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{max(0.0, mean - margin):.3f} to {min(1.0, mean + margin):.3f}"
