"""Write a report as one HTML page: tables, and the pages with the lowest scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.characters import format_count, replace_illegal
from vclean.classify.evaluation.scores import aggregate, calibration_report
from vclean.compare.records import (
    DIMENSIONS,
    MISSED,
    RIGHT,
    WRONG,
    by_group,
    confidence_interval,
    confusion,
    groups,
    methods,
    of_method,
)
from vclean.html_pages import INLINE_POLICY, asset, format_decimals, render_page, to_script_json
from vclean.labels import Label
from vclean.render.overlay.layers import PENS, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vclean.compare.records import ErrorAnalysis, Key, PageRecord


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

_KINDS: Final = ("blocks", "words", "pages")
_ERRORS: Final = {"ece": "equal width", "ece_equal_mass": "equal mass"}
_RELIABILITY: Final = {
    "blocks": ("Blocks: probability of content", "probability", "share that is content"),
    "words": ("Blocks, weighted by words", "probability", "share of words in content"),
    "pages": ("Pages: expected word F1", "confidence", "mean word F1"),
}

MAX_BYTES: Final = 20_000_000
"""Maximum size of the page. Overlays that do not fit are left out, and the page states their number."""

_SPARE: Final = 20_000
"""Bytes reserved for buttons and for the note about omitted overlays."""

Content = dict[str, Any]
"""Values for the template of a section or a part of it, by name; an empty section is left out."""

_NOTHING: Final[Content] = {"note": "", "tiles": (), "tables": (), "has_screenshots": False, "cards": ()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """Data of a report.

    Attributes:
        records: of every page and method; those of one method are in the order of the pages.
        facts: facts about the run, by name.
        worst: records shown as the worst pages, lowest score first.
        analyses: error analyses of these pages.
        overlays: their HTML overlays.
    """

    records: Sequence[PageRecord]
    facts: Mapping[str, str] = field(default_factory=dict)
    worst: Sequence[PageRecord] = ()
    analyses: Mapping[Key, ErrorAnalysis] = field(default_factory=dict)
    overlays: Mapping[Key, str] = field(default_factory=dict)


def to_html(data: ReportData) -> str:
    """Return the page; equal data give equal pages."""
    room = MAX_BYTES - len(_document(data, {}).encode()) - _SPARE
    return _document(data, _select_overlays(data, room))


def _select_overlays(data: ReportData, room: int) -> dict[Key, str]:
    """Select the overlays that fit into `room` bytes, those of the worst pages first."""
    fitting = {}
    for record in data.worst:
        overlay = data.overlays.get(record.key, "")
        size = len(replace_illegal(to_script_json(overlay)).encode())
        if overlay and size <= room:
            fitting[record.key] = overlay
            room -= size
    return fitting


def _document(data: ReportData, overlays: Mapping[Key, str]) -> str:
    records = data.records
    sections = {
        "Scores": _overview(records),
        "Kinds of pages": _by_groups(records),
        "Calibration": _calibration(records),
        "Labels": _labels(records),
        "Worst pages": _worst(data, overlays),
        "All pages": _all_pages(records),
        "Failures": _failures(records),
    }
    title = f"{', '.join(methods(records))} on {', '.join(groups(records, 'corpus'))}"
    return render_page(
        _PACKAGE,
        "report.html",
        title=f"{title} – vclean",
        policy=INLINE_POLICY,
        styles=[asset("vclean", "page.css"), asset(_PACKAGE, "report.css")],
        scripts=[asset(_PACKAGE, "report.js")],
        heading=title,
        facts=data.facts,
        sections={title: _NOTHING | content for title, content in sections.items() if content},
        meanings=_MEANINGS,
        overlays=list(overlays.values()),
    )


def _overview(records: Sequence[PageRecord]) -> Content:
    """Return the word F1 of every method, its distribution over the pages, and all scores by corpus."""
    parts = {name: of_method(records, name) for name in methods(records)}
    return {
        "tiles": [_tile(*part) for part in parts.items()],
        "tables": [_distribution(parts), _score_table(records, "corpus", tuple(_SCORES))],
    }


def _distribution(parts: Mapping[str, Sequence[PageRecord]]) -> Table:
    """Return the share of the pages of every method by word F1, best pages first."""
    counts = [np.histogram([record.f1 for record in part], _BINS, (0, 1))[0] / len(part) for part in parts.values()]
    rows = [
        [f"{low / _BINS:.1f} to {(low + 1) / _BINS:.1f}", *shares] for low, shares in enumerate(np.transpose(counts))
    ]
    columns = [Column("word F1"), *(Column(name, 3, f"share of the pages of {name}") for name in parts)]
    return Table(columns, rows[::-1], "Pages by word F1")


def _tile(name: str, records: Sequence[PageRecord]) -> Content:
    scores = [record.f1 for record in records]
    mean, low, high = confidence_interval(scores)
    failed = sum(bool(record.outcome.error) for record in records)
    return {
        "name": name,
        "figure": f"{mean:.3f}",
        "notes": [
            f"word F1; 95 %: {low:.3f} to {high:.3f}",
            f"median {median(scores):.3f}, {format_count(len(scores), 'page')}, {failed} failed",
        ],
    }


def _by_groups(records: Sequence[PageRecord]) -> Content:
    """Return the scores by page type, language and length of the gold, where the pages differ in them."""
    dimensions = [name for name in DIMENSIONS if name != "corpus" and len(groups(records, name)) > 1]
    if not dimensions:
        return {}
    return {"tables": [_score_table(records, name, _MAIN_SCORES) for name in dimensions]}


def _calibration(records: Sequence[PageRecord]) -> Content:
    """Return the calibration of probabilities and confidences, for the methods that give them."""
    samples = {
        name: [record.outcome.calibration for record in of_method(records, name) if record.outcome.calibration]
        for name in methods(records)
    }
    facts = {name: calibration_report(pages) for name, pages in samples.items() if pages}
    if not facts:
        return {}
    columns = [Column("method"), Column("of"), *(Column(f"bins of {text}", 4) for text in _ERRORS.values())]
    rows = [[name, kind, *(each[kind][error] for error in _ERRORS)] for name, each in facts.items() for kind in _KINDS]
    bins = [_reliability(kind, {name: each[kind]["bins"] for name, each in facts.items()}) for kind in _KINDS]
    return {
        "note": "Of a calibrated method, predicted and observed values are equal.",
        "tables": [Table(columns, rows, "Expected calibration error"), *bins],
    }


def _reliability(kind: str, bins: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    """Return predictions and outcomes by bin and method, of `Reliability.to_dict` of `classify/evaluation`."""
    title, predicted, observed = _RELIABILITY[kind]
    columns = [Column("method"), Column("count", 0), Column(predicted, 3), Column(observed, 3)]
    rows = [
        [name, *(row[key] for key in ("count", "predicted", "observed"))] for name, each in bins.items() for row in each
    ]
    return Table(columns, rows, title)


def _labels(records: Sequence[PageRecord]) -> Content:
    """Return a confusion matrix for each method: gold labels by predicted labels."""
    names = [*(f"{label} {PENS[label].meaning.partition(',')[0]}" for label in Label), _UNKNOWN_TYPE]
    columns = [Column("gold"), *(Column(name, 3) for name in names[:-1]), Column("blocks", 0)]
    tables = []
    for method in methods(records):
        counts = zip(names, confusion(of_method(records, method)).tolist(), strict=True)
        rows = [[name, *(count / sum(row) for count in row), sum(row)] for name, row in counts if sum(row)]
        tables.append(Table(columns, rows, method))
    return {"note": "Blocks by gold label (rows) and predicted label (columns), as shares of a row.", "tables": tables}


def _all_pages(records: Sequence[PageRecord]) -> Content:
    """Return every page with its scores by all methods, lowest score of the first method first."""
    names = methods(records)
    f1 = {(record.key, record.outcome.method): record.f1 for record in records}
    pages = sorted(of_method(records, names[0]), key=lambda record: (record.f1, record.key))
    scores = [Column(name, 3, f"word F1 of {name}") for name in names]
    confidence = Column("confidence", 3, f"word F1 expected by {names[0]}")
    texts = [Column(name) for name in ("page", "corpus", "type", "language")]
    rows = [
        [*_page(record), *(f1.get((record.key, name)) for name in names), _confidence(record)]
        for record in pages[:MAX_ROWS]
    ]
    return {
        "note": f"The {MAX_ROWS:,} worst of {len(pages):,} pages." if len(pages) > MAX_ROWS else "",
        "tables": [Table([*texts, Column("words", 0), *scores, confidence], rows, id="all-pages-table")],
    }


def _page(record: PageRecord) -> list[Any]:
    outcome = record.outcome
    return [excerpt(outcome.id, 80), outcome.corpus, outcome.page_type, record.language, record.words]


def _confidence(record: PageRecord) -> float | None:
    return record.outcome.calibration.confidence if record.outcome.calibration else None


def _failures(records: Sequence[PageRecord]) -> Content:
    """Return the pages that failed, with the reasons."""
    failed = [record.outcome for record in records if record.outcome.error]
    rows = [[outcome.id, outcome.corpus, outcome.method, outcome.error] for outcome in failed]
    columns = [Column(name) for name in ("page", "corpus", "method", "reason")]
    return {"note": "Failed pages count as empty output.", "tables": [Table(columns, rows)]} if rows else {}


def _score_table(records: Sequence[PageRecord], dimension: str, names: Sequence[str]) -> Table:
    """Return the scores of these names by a dimension; columns without any defined value are left out."""
    parts = by_group(records, dimension)
    scores = {key: aggregate(record.outcome.score for record in part) for key, part in parts.items()}
    names = [name for name in names if not all(isnan(getattr(score, name)) for score in scores.values())]
    rows = [
        [group, score.pages, method, _interval(parts[group, method]), *(getattr(score, name) for name in names)]
        for group in groups(records, dimension)
        for method in methods(records)
        if (score := scores.get((group, method)))
    ]
    interval = Column("95 %", title="interval in which the mean word F1 of such pages is expected")
    columns = [Column(dimension), Column("pages", 0), Column("method"), interval, *(_SCORES[name] for name in names)]
    return Table(columns, rows, f"By {dimension}")


def _interval(records: Sequence[PageRecord]) -> str:
    _, low, high = confidence_interval([record.f1 for record in records])
    return f"{low:.3f} to {high:.3f}"


def _worst(data: ReportData, overlays: Mapping[Key, str]) -> Content:
    """Return the cards of the worst pages."""
    if not data.worst:
        return {}
    indexes = {key: index for index, key in enumerate(overlays)}
    by_page: dict[Key, list[PageRecord]] = {}
    for record in data.records:
        by_page.setdefault(record.key, []).append(record)
    return {
        "note": " ".join(_notes(data, overlays)),
        "has_screenshots": any(analysis.screenshot for analysis in data.analyses.values()),
        "cards": [
            _card(record, data.analyses.get(record.key), indexes.get(record.key), by_page[record.key])
            for record in data.worst
        ],
    }


def _notes(data: ReportData, overlays: Mapping[Key, str]) -> Iterator[str]:
    yield f"The pages on which {data.worst[0].outcome.method} has the lowest word F1."
    if not any(analysis.screenshot for analysis in data.analyses.values()):
        yield "With --render, their screenshots are shown here and open as overlays."
    elif overlays:
        yield "A screenshot opens as an overlay."
    if left := len(data.overlays) - len(overlays):
        yield f"The overlays of {left} of them are left out, to keep this file under {MAX_BYTES // 10**6} MB."


def _card(
    record: PageRecord, analysis: ErrorAnalysis | None, overlay: int | None, of_page: Sequence[PageRecord]
) -> Content:
    """Return the card of a page, with its analysis if it could be read again, and the index of its overlay."""
    return {
        "name": excerpt(record.outcome.id, _NAME),
        "f1": f"{record.f1:.3f}",
        "url": record.url,
        "short_url": excerpt(record.url, 120),
        "is_link": record.url.lower().startswith(("http://", "https://")),
        "facts": _card_facts(record, of_page),
        "error": record.outcome.error,
        "thumbnail": analysis.thumbnail() if analysis else "",
        "overlay": overlay,
        "errors": [each for kind in (MISSED, WRONG) if (each := _errors(analysis, kind))] if analysis else [],
    }


def _card_facts(record: PageRecord, of_page: Sequence[PageRecord]) -> str:
    """Return what is known of the page, and its scores by this and the other methods."""
    outcome, word = record.outcome, record.outcome.score.word
    kinds = outcome.corpus, outcome.page_type, record.language, f"{format_count(record.words, 'word')} of gold"
    scores = [f"{name} {format_decimals(getattr(word, name), 3)}" for name in ("precision", "recall")]
    scores += [f"{other.outcome.method} {other.f1:.3f}" for other in of_page if other is not record]
    return f"{', '.join(filter(None, kinds))}; {', '.join(scores)}"


def _errors(analysis: ErrorAnalysis, kind: str) -> Content:
    """Return the blocks of a kind of error, the longest of them quoted."""
    blocks = analysis.errors(kind)
    if not blocks:
        return {}
    return {
        "kind": kind,
        "count": len(blocks),
        "quotes": [_quote(analysis, block) for block in blocks[:_CARD_ERRORS]],
        "more": max(len(blocks) - _CARD_ERRORS, 0),
    }


def _quote(analysis: ErrorAnalysis, block: int) -> Content:
    calibration = analysis.record.outcome.calibration
    probability = f"{float(calibration.probability[block]):.2f}".replace("0.", ".") if calibration else ""
    return {"probability": probability, "text": excerpt(analysis.blocks.text[block], _EXCERPT)}
