"""Report the scores of an evaluation as a table and as data, with the texts that were scored."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, Any

from vclean.classify.evaluation import reliability, scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.classify.evaluation.reliability import CalibrationSample
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
    """Output and scores of a method on a page.

    Attributes:
        corpus, id, page_type: the page.
        method: name of the predictor.
        text, cleaneval: clean text, without and with marks; empty if the page failed.
        score: scores against the page's gold.
        error: reason why the page failed, in one line, or empty.
        calibration: probabilities and outcomes; None if the method gives no probabilities, or failed.
    """

    corpus: str
    id: str
    page_type: str
    method: str
    text: str
    cleaneval: str
    score: PageScore
    error: str
    calibration: CalibrationSample | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Report:
    """Evaluations of one or more methods on one or more corpora, corpus by corpus and page by page."""

    evaluations: tuple[PageEvaluation, ...]

    @property
    def pages(self) -> int:
        """Return the number of pages."""
        return len({(evaluation.corpus, evaluation.id) for evaluation in self.evaluations})

    @property
    def failed(self) -> int:
        """Return the number of pages on which a method failed."""
        return len({(evaluation.corpus, evaluation.id) for evaluation in self.evaluations if evaluation.error})

    def table(self) -> str:
        """Format one table per corpus and method: all pages, each page type, calibration errors, and failed pages."""
        return "\n\n".join(_section(corpus, method, part) for (corpus, method), part in self._parts().items())

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by corpus, method and page type, ready for JSON; None means "undefined".

        Methods that give probabilities also have the result of
        `vclean.classify.evaluation.reliability.calibration_report`.
        """
        result: dict[str, dict[str, Any]] = {}
        for (corpus, method), part in self._parts().items():
            failed = [{"id": evaluation.id, "error": evaluation.error} for evaluation in part if evaluation.error]
            figures = {name: score.to_dict() for name, score in _by_type(part).items()}
            entry = {"scores": figures, "failed": failed}
            if samples := _samples(part):
                entry["calibration"] = reliability.calibration_report(samples)
            result.setdefault(corpus, {})[method] = entry
        return result

    def calibration(self) -> dict[str, Any]:
        """Return the calibration report of each method that gives probabilities, over all corpora, ready for JSON."""
        samples: dict[str, list[CalibrationSample]] = {}
        for evaluation in self.evaluations:
            if evaluation.calibration:
                samples.setdefault(evaluation.method, []).append(evaluation.calibration)
        return {method: reliability.calibration_report(pages) for method, pages in samples.items()}

    def predictions(self) -> str:
        """Return one line of JSON for each page and method: corpus, id, method, text, cleaneval."""
        fields = ("corpus", "id", "method", "text", "cleaneval")
        records = ({name: getattr(evaluation, name) for name in fields} for evaluation in self.evaluations)
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)

    def _parts(self) -> dict[tuple[str, str], list[PageEvaluation]]:
        parts: dict[tuple[str, str], list[PageEvaluation]] = {}
        for evaluation in self.evaluations:
            parts.setdefault((evaluation.corpus, evaluation.method), []).append(evaluation)
        return parts


def _by_type(part: Sequence[PageEvaluation]) -> dict[str, Scores]:
    typed = [evaluation for evaluation in part if evaluation.page_type]
    by_type = scores.aggregate_by(
        (evaluation.page_type for evaluation in typed), (evaluation.score for evaluation in typed)
    )
    return {_ALL: scores.aggregate(evaluation.score for evaluation in part), **by_type}


def _section(corpus: str, method: str, part: Sequence[PageEvaluation]) -> str:
    from tabulate import tabulate

    rows = [["", *_FIELDS.values()]]
    rows += [[name, *_cells(score)] for name, score in _by_type(part).items()]
    aligned = ["left", *["right"] * len(_FIELDS)]
    table = tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=aligned)
    failed = [f"failed: {evaluation.id}: {evaluation.error}" for evaluation in part if evaluation.error]
    return "\n".join([f"{corpus}, {method}", table, *_calibration_errors(part), *failed])


def _samples(part: Sequence[PageEvaluation]) -> list[CalibrationSample]:
    return [evaluation.calibration for evaluation in part if evaluation.calibration]


def _calibration_errors(part: Sequence[PageEvaluation]) -> list[str]:
    """Return one line with the calibration errors, if there are any."""
    samples = _samples(part)
    if not samples:
        return []
    errors = (f"{name} {part['ece']:.3f}" for name, part in reliability.calibration_report(samples).items())
    return [f"expected calibration error: {', '.join(errors)}"]


def _cells(score: Scores) -> list[str]:
    return [_cell(name, getattr(score, name)) for name in _FIELDS]


def _cell(name: str, value: float) -> str:
    if isnan(value):
        return "-"
    decimals = 0 if name == "pages" else 2 if name.startswith("cleaneval") else 3
    return f"{value:.{decimals}f}"
