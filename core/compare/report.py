"""A report as one HTML page: tables, plots, and the pages that came out worst."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from vclean.characters import legal
from vclean.classify.evaluation.reliability import calibration_report
from vclean.compare import plots
from vclean.compare.error_analysis import MISSED, RIGHT, WRONG
from vclean.compare.plots import Column, Table
from vclean.compare.records import DIMENSIONS, confusion, groups, interval, methods, of_method, scored
from vclean.html_pages import INLINE_POLICY, asset, format_count, format_decimals, render_page, to_script_json
from vclean.labels import Label
from vclean.render.overlay.layers import PENS, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vclean.compare.error_analysis import Look
    from vclean.compare.plots import Plot
    from vclean.compare.records import Key, Trial


_PACKAGE: Final = "vclean.compare"
_MEANINGS: Final = {RIGHT: "content, kept", MISSED: "content, missed", WRONG: "kept, but no content"}
_CARD_ERRORS: Final = 5
"""Blocks of a kind that a card quotes."""
_EXCERPT: Final = 160
_NAME: Final = 100

MAX_ROWS: Final = 2_000
"""Pages that the list of all pages has at most, the worst of them."""

_UNTOLD: Final = "content, type untold"
"""What the gold says of a block that is content, where it tells no types."""

_PLOTTED: Final = 12
"""Groups that a plot shows at most, those with most pages."""

_SCORES: Final = {
    "word_f1": Column("word F1", 3, "harmonic mean of precision and recall of the bag of words, mean over the pages"),
    "word_precision": Column("precision", 3, "share of the words of the output that the gold has"),
    "word_recall": Column("recall", 3, "share of the words of the gold that the output has"),
    "lcs_f1": Column("LCS F1", 3, "of the longest common subsequence of words, mean over the pages"),
    "lcs_f1_micro": Column("micro", 3, "the same, of the summed lengths"),
    "cleaneval": Column("CleanEval", 1, "text-only score of CleanEval, 0 to 100"),
    "cleaneval_markup": Column("+ markup", 1, "the same with marks, over the pages whose gold has them"),
}
_FEW: Final = ("word_f1", "word_precision", "word_recall")

_KINDS: Final = ("blocks", "words", "pages")
_ERRORS: Final = {"ece": "equal width", "ece_equal_mass": "equal mass"}
_RELIABILITY: Final = {
    "blocks": ("Blocks: is it content?", "probability", "share that is content"),
    "words": ("Blocks, by their words", "probability", "share of words in content"),
    "pages": ("Pages: how good is the text?", "confidence", "mean word F1"),
}

MAX_BYTES: Final = 20_000_000
"""The page stays below this: overlays that do not fit are left out, and their number is told."""

_SPARE: Final = 20_000
"""Bytes for buttons, and for what says that something was left out."""

Content = dict[str, Any]
"""What the template of a section or of a part of it shows, by name; an empty section is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFacts:
    """What a report shows.

    Attributes:
        trials: of every page and method, those of one method in the order of the pages.
        facts: what is told of the run, by name.
        worst: the trials that are shown as the worst, the worst first.
        looks: second looks at those pages.
        overlays: their HTML overlays.
    """

    trials: Sequence[Trial]
    facts: Mapping[str, str] = field(default_factory=dict)
    worst: Sequence[Trial] = ()
    looks: Mapping[Key, Look] = field(default_factory=dict)
    overlays: Mapping[Key, str] = field(default_factory=dict)


def to_html(facts: ReportFacts) -> str:
    """Return the page; equal facts give equal pages."""
    room = MAX_BYTES - len(_document(facts, {}).encode()) - _SPARE
    return _document(facts, _fitting(facts, room))


def _fitting(facts: ReportFacts, room: int) -> dict[Key, str]:
    """Return the overlays that fit into `room` bytes, those of the worst pages first."""
    fitting = {}
    for trial in facts.worst:
        overlay = facts.overlays.get(trial.key, "")
        size = len(legal(to_script_json(overlay)).encode())
        if overlay and size <= room:
            fitting[trial.key] = overlay
            room -= size
    return fitting


def _document(facts: ReportFacts, overlays: Mapping[Key, str]) -> str:
    trials = facts.trials
    sections = {
        "Scores": _overview(trials),
        "Kinds of pages": _by_groups(trials),
        "Calibration": _calibration(trials),
        "Labels": {"tables": [_confusion(name, of_method(trials, name)) for name in methods(trials)]},
        "Worst pages": _worst(facts, overlays),
        "All pages": _all_pages(trials),
        "Failures": _failures(trials),
    }
    title = f"{', '.join(methods(trials))} on {', '.join(groups(trials, 'corpus'))}"
    return render_page(
        _PACKAGE,
        "report.html",
        title=f"{title} – vclean",
        policy=INLINE_POLICY,
        styles=[asset(_PACKAGE, name) for name in ("page.css", "report.css")],
        scripts=[asset(_PACKAGE, "report.js")],
        heading=title,
        facts=facts.facts,
        sections={title: content for title, content in sections.items() if content},
        meanings=_MEANINGS,
        overlays=list(overlays.values()),
    )


def _overview(trials: Sequence[Trial]) -> Content:
    """Return the word F1 of every method, its distribution over the pages, and all scores by corpus."""
    parts = {name: of_method(trials, name) for name in methods(trials)}
    return {
        "tiles": [_tile(*part) for part in parts.items()],
        "plot": plots.distribution(
            "Pages by word F1", {name: [trial.f1 for trial in part] for name, part in parts.items()}
        ),
        "table": _score_table(trials, "corpus", tuple(_SCORES)),
    }


def _tile(name: str, trials: Sequence[Trial]) -> Content:
    scores = [trial.f1 for trial in trials]
    mean, low, high = interval(scores)
    failed = sum(bool(trial.outcome.error) for trial in trials)
    return {
        "name": name,
        "figure": f"{mean:.3f}",
        "notes": [
            f"word F1; 95 %: {low:.3f} to {high:.3f}",
            f"median {median(scores):.3f}, {len(scores):,} pages, {failed} failed",
        ],
    }


def _by_groups(trials: Sequence[Trial]) -> Content:
    """Return the scores by page type, language and length of the gold, where the pages differ in them."""
    wanted = [name for name in DIMENSIONS if name != "corpus" and len(groups(trials, name)) > 1]
    if not wanted:
        return {}
    pairs = [(_group_plot(trials, name), _score_table(trials, name, _FEW)) for name in wanted]
    return {"legend": plots.legend(methods(trials)), "pairs": pairs}


def _calibration(trials: Sequence[Trial]) -> Content:
    """Return how far probabilities and confidences are calibrated, for the methods that give some."""
    verdicts = {
        name: [trial.outcome.calibration for trial in of_method(trials, name) if trial.outcome.calibration]
        for name in methods(trials)
    }
    facts = {name: calibration_report(pages) for name, pages in verdicts.items() if pages}
    if not facts:
        return {}
    columns = [Column("method"), Column("of"), *(Column(f"bins of {text}", 4) for text in _ERRORS.values())]
    rows = [[name, kind, *(each[kind][error] for error in _ERRORS)] for name, each in facts.items() for kind in _KINDS]
    return {
        "legend": plots.legend(list(facts)),
        "plots": [
            plots.reliability(title, {name: each[kind]["bins"] for name, each in facts.items()}, predicted, observed)
            for kind, (title, predicted, observed) in _RELIABILITY.items()
        ],
        "table": Table(columns, rows, "Expected calibration error"),
    }


def _confusion(method: str, trials: Sequence[Trial]) -> Content:
    """Return a confusion matrix: labels of the gold by labels that were given."""
    names = [*(f"{label} {PENS[label].meaning.partition(',')[0]}" for label in Label), _UNTOLD]
    rights = [*({at} for at in range(len(Label))), {at for at, label in enumerate(Label) if label.is_content}]
    rows = zip(names, rights, confusion(trials).tolist(), strict=True)
    return {
        "method": method,
        "labels": [(str(label), name) for label, name in zip(Label, names, strict=False)],
        "rows": [_confusion_row(name, right, row) for name, right, row in rows if sum(row)],
    }


def _confusion_row(name: str, right: set[int], row: Sequence[int]) -> Content:
    """Return a row; `right` are the columns of the labels that agree with the gold."""
    total = sum(row)
    cells = [
        {
            "css": "n right" if column in right else "n",
            "share": f"{value / total:.3f}",
            "title": f"{value:,} of {total:,} blocks",
            "text": f"{100 * value / total:.1f}" if value else "·",
        }
        for column, value in enumerate(row)
    ]
    return {"name": name, "cells": cells, "total": f"{total:,}"}


def _all_pages(trials: Sequence[Trial]) -> Content:
    """Return every page with its score by every method, the worst by the first method first."""
    names = methods(trials)
    f1 = {(trial.key, trial.outcome.method): trial.f1 for trial in trials}
    pages = sorted(of_method(trials, names[0]), key=lambda trial: (trial.f1, trial.key))
    scores = [Column(name, 3, f"word F1 of {name}") for name in names]
    confidence = Column("confidence", 3, f"the word F1 that {names[0]} expects")
    texts = [Column(name) for name in ("page", "corpus", "type", "language")]
    rows = [
        [*_page(trial), *(f1.get((trial.key, name)) for name in names), _confidence(trial)]
        for trial in pages[:MAX_ROWS]
    ]
    return {
        "note": f"The {MAX_ROWS:,} worst of {len(pages):,} pages." if len(pages) > MAX_ROWS else "",
        "table": Table([*texts, Column("words", 0), *scores, confidence], rows, id="all-pages-table"),
    }


def _page(trial: Trial) -> list[Any]:
    outcome = trial.outcome
    return [excerpt(outcome.id, 80), outcome.corpus, outcome.page_type, trial.language, trial.words]


def _confidence(trial: Trial) -> float | None:
    return trial.outcome.calibration.confidence if trial.outcome.calibration else None


def _failures(trials: Sequence[Trial]) -> Content:
    """Return the pages that failed, and why."""
    failed = [trial.outcome for trial in trials if trial.outcome.error]
    rows = [[outcome.id, outcome.corpus, outcome.method, outcome.error] for outcome in failed]
    columns = [Column(name) for name in ("page", "corpus", "method", "why")]
    return {"table": Table(columns, rows)} if rows else {}


def _score_table(trials: Sequence[Trial], dimension: str, names: Sequence[str]) -> Table:
    """Return the scores of these names by a dimension; columns that nothing in it defines are left out."""
    scores = scored(trials, dimension)
    names = [name for name in names if not all(isnan(getattr(score, name)) for score in scores.values())]
    rows = [
        [group, scores[group, method].pages, method, *(getattr(scores[group, method], name) for name in names)]
        for group in groups(trials, dimension)
        for method in methods(trials)
        if (group, method) in scores
    ]
    columns = [Column(dimension), Column("pages", 0), Column("method"), *(_SCORES[name] for name in names)]
    return Table(columns, rows, f"By {dimension}")


def _group_plot(trials: Sequence[Trial], dimension: str) -> Plot:
    group_of, names = DIMENSIONS[dimension], methods(trials)
    parts: dict[str, dict[str, list[float]]] = {}
    for trial in trials:
        parts.setdefault(group_of(trial), {}).setdefault(trial.outcome.method, []).append(trial.f1)
    pages = {group: max(map(len, part.values())) for group, part in parts.items()}
    common = sorted(pages, key=lambda group: -pages[group])[:_PLOTTED]
    order = [group for group in groups(trials, dimension) if group in common]
    means = {
        group: {method: interval(parts[group][method]) for method in names if method in parts[group]} for group in order
    }
    return plots.by_group(f"Word F1 by {dimension}, with 95 % intervals", names, means, pages)


def _worst(facts: ReportFacts, overlays: Mapping[Key, str]) -> Content:
    """Return the cards of the worst pages."""
    if not facts.worst:
        return {}
    indexes = {key: index for index, key in enumerate(overlays)}
    by_page: dict[Key, list[Trial]] = {}
    for trial in facts.trials:
        by_page.setdefault(trial.key, []).append(trial)
    return {
        "note": " ".join(_notes(facts, overlays)),
        "has_pictures": any(look.picture for look in facts.looks.values()),
        "cards": [
            _card(
                trial,
                facts.looks.get(trial.key),
                indexes.get(trial.key),
                [rival for rival in by_page[trial.key] if rival is not trial],
            )
            for trial in facts.worst
        ],
    }


def _notes(facts: ReportFacts, overlays: Mapping[Key, str]) -> Iterator[str]:
    yield f"The pages on which {facts.worst[0].outcome.method} has the lowest word F1."
    if not any(look.picture for look in facts.looks.values()):
        yield "With --render, their pictures stand here, and open as overlays."
    elif overlays:
        yield "A picture opens as an overlay to explore."
    if left := len(facts.overlays) - len(overlays):
        yield f"The overlays of {left} of them are left out, to keep this file under {MAX_BYTES // 10**6} MB."


def _card(trial: Trial, look: Look | None, overlay: int | None, rivals: Sequence[Trial]) -> Content:
    """Return the card of a page.

    Args:
        trial: The outcome on the page.
        look: The page read again; None where it could not be read.
        overlay: The index of its overlay in the document, or None.
        rivals: The trials of the other methods on the page.
    """
    return {
        "name": excerpt(trial.outcome.id, _NAME),
        "f1": f"{trial.f1:.3f}",
        "url": trial.url,
        "short_url": excerpt(trial.url, 120),
        "is_link": trial.url.lower().startswith(("http://", "https://")),
        "facts": _card_facts(trial, rivals),
        "error": trial.outcome.error,
        "thumbnail": look.thumbnail() if look else "",
        "overlay": overlay,
        "errors": [each for kind in (MISSED, WRONG) if (each := _errors(look, kind))] if look else [],
    }


def _card_facts(trial: Trial, rivals: Sequence[Trial]) -> str:
    outcome = trial.outcome
    kinds = ", ".join(
        filter(
            None, [outcome.corpus, outcome.page_type, trial.language, f"{format_count(trial.words, 'word')} of gold"]
        )
    )
    word = outcome.score.word
    others = [f"{rival.outcome.method} {rival.f1:.3f}" for rival in rivals]
    precision, recall = format_decimals(word.precision, 3), format_decimals(word.recall, 3)
    return f"{kinds}; {', '.join([f'precision {precision}', f'recall {recall}', *others])}"


def _errors(look: Look, kind: str) -> Content:
    """Return the blocks of a kind of error, the longest of them quoted."""
    blocks = look.errors(kind)
    if not blocks:
        return {}
    return {
        "kind": kind,
        "count": len(blocks),
        "quotes": [_quote(look, block) for block in blocks[:_CARD_ERRORS]],
        "more": max(len(blocks) - _CARD_ERRORS, 0),
    }


def _quote(look: Look, block: int) -> Content:
    verdict = look.trial.outcome.calibration
    probability = f"{float(verdict.probability[block]):.2f}".replace("0.", ".") if verdict else ""
    return {"probability": probability, "text": excerpt(look.blocks.text[block], _EXCERPT)}
