"""`Report`: the scores of a run, as a table, as data, and the texts they belong to."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, Any

from vclean.classify.evaluation import reliability, scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.classify.evaluation.reliability import PageOutcome
    from vclean.classify.evaluation.scores import PageScore, Scores

_FIELDS = {
    "pages": "pages",
    "word_f1": "word F1",
    "word_precision": "P",
    "word_recall": "R",
    "lcs_f1": "LCS F1",
    "lcs_f1_micro": "micro",
    "cleaneval": "CleanEval",
    "cleaneval_markup": "+markup",
    "must": "must",
    "must_not": "must not",
}
_ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvaluation:
    """What a method made of a page.

    Attributes:
        corpus, id, page_type: of the page.
        method: the name the predictor was given.
        text, cleaneval: the clean text, without and with marks; empty when the page failed.
        score: against the page's gold.
        error: why the page failed, in one line, or empty.
        verdict: the probabilities behind it and what came of them; None where the method gives none, or failed.
    """

    corpus: str
    id: str
    page_type: str
    method: str
    text: str
    cleaneval: str
    score: PageScore
    error: str
    verdict: PageOutcome | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Report:
    """The outcomes of one or more methods on one or more corpora, corpus by corpus and page by page."""

    outcomes: tuple[PageEvaluation, ...]

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return len({(outcome.corpus, outcome.id) for outcome in self.outcomes})

    @property
    def failed(self) -> int:
        """How many of them failed by any method."""
        return len({(outcome.corpus, outcome.id) for outcome in self.outcomes if outcome.error})

    def table(self) -> str:
        """A table for each corpus and method: all pages, each page type, calibration errors, the pages that failed."""
        return "\n\n".join(_section(corpus, method, part) for (corpus, method), part in self._parts().items())

    def to_dict(self) -> dict[str, Any]:
        """The same figures by corpus, method and page type, ready for JSON: None stands for "not defined".

        Methods that give probabilities have their reliability beside: see
        `vclean.classify.evaluation.reliability.calibration_report`.
        """
        result: dict[str, dict[str, Any]] = {}
        for (corpus, method), part in self._parts().items():
            failed = [{"id": outcome.id, "error": outcome.error} for outcome in part if outcome.error]
            figures = {name: score.to_dict() for name, score in _by_type(part).items()}
            entry = {"scores": figures, "failed": failed}
            if verdicts := _verdicts(part):
                entry["calibration"] = reliability.calibration_report(verdicts)
            result.setdefault(corpus, {})[method] = entry
        return result

    def calibration(self) -> dict[str, Any]:
        """The reliability of each method that gives probabilities, over all corpora together, ready for JSON."""
        verdicts: dict[str, list[PageOutcome]] = {}
        for outcome in self.outcomes:
            if outcome.verdict:
                verdicts.setdefault(outcome.method, []).append(outcome.verdict)
        return {method: reliability.calibration_report(pages) for method, pages in verdicts.items()}

    def predictions(self) -> str:
        """One JSON object a line for each page and method: corpus, id, method, text, cleaneval."""
        fields = ("corpus", "id", "method", "text", "cleaneval")
        records = ({name: getattr(outcome, name) for name in fields} for outcome in self.outcomes)
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)

    def _parts(self) -> dict[tuple[str, str], list[PageEvaluation]]:
        parts: dict[tuple[str, str], list[PageEvaluation]] = {}
        for outcome in self.outcomes:
            parts.setdefault((outcome.corpus, outcome.method), []).append(outcome)
        return parts


def _by_type(part: Sequence[PageEvaluation]) -> dict[str, Scores]:
    typed = [outcome for outcome in part if outcome.page_type]
    by_type = scores.total_by((outcome.page_type for outcome in typed), (outcome.score for outcome in typed))
    return {_ALL: scores.total(outcome.score for outcome in part), **by_type}


def _section(corpus: str, method: str, part: Sequence[PageEvaluation]) -> str:
    from tabulate import tabulate

    rows = [["", *_FIELDS.values()]]
    rows += [[name, *_cells(score)] for name, score in _by_type(part).items()]
    aligned = ["left", *["right"] * len(_FIELDS)]
    table = tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=aligned)
    failed = [f"failed: {outcome.id}: {outcome.error}" for outcome in part if outcome.error]
    return "\n".join([f"{corpus}, {method}", table, *_calibration_errors(part), *failed])


def _verdicts(part: Sequence[PageEvaluation]) -> list[PageOutcome]:
    return [outcome.verdict for outcome in part if outcome.verdict]


def _calibration_errors(part: Sequence[PageEvaluation]) -> list[str]:
    """One line, where there is something to say."""
    verdicts = _verdicts(part)
    if not verdicts:
        return []
    errors = (f"{name} {found['ece']:.3f}" for name, found in reliability.calibration_report(verdicts).items())
    return [f"expected calibration error: {', '.join(errors)}"]


def _cells(score: Scores) -> list[str]:
    return [_cell(name, getattr(score, name)) for name in _FIELDS]


def _cell(name: str, value: float) -> str:
    if isnan(value):
        return "-"
    places = 0 if name == "pages" else 2 if name.startswith("cleaneval") else 3
    return f"{value:.{places}f}"
