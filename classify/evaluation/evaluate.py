"""Run methods on corpora, score their output, and report the scores as a table and as data."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from vclean.classify.corpora.gold import GoldPage, align
from vclean.classify.evaluation import scores
from vclean.classify.evaluation.scores import CalibrationSample, calibration_report
from vclean.classify.prediction import Prediction
from vclean.errors import OutputError, UsageError, VcleanError
from vclean.features.blocks import BlockColumns, extract_blocks
from vclean.features.text.characters import EncodedTexts
from vclean.page import Page
from vclean.render.snapshot import Snapshot
from vclean.runtime import track

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vclean.classify.corpora.corpora import Corpus
    from vclean.classify.corpora.marked import MarkedArchive
    from vclean.classify.evaluation.scores import PageScore, Scores


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


_T = TypeVar("_T")

Predictor: TypeAlias = Callable[[GoldPage, BlockColumns], Prediction]
"""Function that labels the blocks of a page. It gets the page to choose a model that never saw its site."""
Reader: TypeAlias = Callable[[Page], Snapshot]
"""Function that reads a page, by the static parser or in a browser."""
Writer: TypeAlias = Callable[[BlockColumns, Prediction], tuple[str, str]]
"""Function that returns the clean text of a prediction, without and with CleanEval's marks."""
PageCallback: TypeAlias = Callable[[GoldPage, BlockColumns | None, Prediction | None, PageEvaluation], None]
"""Function that gets the evaluation of a page, its blocks (None if it could not be read), and its prediction (None if
the method failed)."""


def evaluate(
    corpora: Sequence[Corpus | MarkedArchive],
    predictors: Mapping[str, Predictor],
    *,
    read: Reader,
    write: Writer,
    on_page: PageCallback | None = None,
) -> Report:
    """Run each predictor on each page and score its output; `on_page` is called after each.

    A page that cannot be read, or on which a predictor fails, counts as empty output and is listed in the report.
    Progress goes to standard error.

    Raises:
        UsageError: there is no corpus, two have the same name, or one has no page.
        InputError: a corpus is damaged.
        OutputError: a rendering cannot be stored.
    """
    _check(corpora)
    evaluations = []
    for corpus in corpora:
        for page in track(corpus, f"scoring {corpus.name}", "pages", total=len(corpus)):
            for blocks, prediction, evaluation in _run(page, predictors, read, write):
                evaluations.append(evaluation)
                if on_page:
                    on_page(page, blocks, prediction, evaluation)
    return Report(tuple(evaluations))


def _check(corpora: Sequence[Corpus | MarkedArchive]) -> None:
    names = [corpus.name for corpus in corpora]
    if not names:
        raise UsageError("give at least one corpus")
    if empty := [corpus.name for corpus in corpora if not len(corpus)]:
        raise UsageError(f"the corpus {empty[0]} has no page: leave it out")
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two corpora are called {twice[0]}: give each once, under a different file name")


def score_page(page: GoldPage, text: str, cleaneval: str) -> PageScore:
    """Return all scores of `text`, and of `cleaneval` (with marks), against the gold of `page`."""
    return scores.PageScore(
        word=scores.word_score(text, page.text),
        lcs=scores.lcs_overlap(text, page.text),
        cleaneval=scores.cleaneval_score(text, page.text),
        cleaneval_markup=scores.cleaneval_markup_score(cleaneval, page.markup) if page.markup else None,
        must=scores.snippets_present(text, page.must),
        must_not=scores.snippets_absent(text, page.must_not),
    )


def _run(
    page: GoldPage, predictors: Mapping[str, Predictor], read: Reader, write: Writer
) -> Iterator[tuple[BlockColumns | None, Prediction | None, PageEvaluation]]:
    blocks, read_error = _attempt(lambda: extract_blocks(read(page.to_page())))
    for name, predict in predictors.items():
        result, error = (
            (None, read_error) if blocks is None else _attempt(partial(_predict, page, blocks, predict, write))
        )
        prediction, text, cleaneval = result or (None, "", "")
        score = score_page(page, text, cleaneval)
        evaluation = PageEvaluation(
            corpus=page.corpus,
            id=page.id,
            page_type=page.page_type,
            method=name,
            text=text,
            cleaneval=cleaneval,
            score=score,
            error=error,
            calibration=_calibration_sample(page, blocks, prediction, score.word.f1)
            if blocks is not None and prediction
            else None,
        )
        yield blocks, prediction, evaluation


def _predict(page: GoldPage, blocks: BlockColumns, predict: Predictor, write: Writer) -> tuple[Prediction, str, str]:
    prediction = predict(page, blocks)
    return prediction, *write(blocks, prediction)


def _calibration_sample(
    page: GoldPage, blocks: BlockColumns, prediction: Prediction, f1: float
) -> CalibrationSample | None:
    """Return probabilities with their outcomes; None for methods without probabilities, and for partial gold."""
    if isnan(prediction.confidence) or page.is_partial:
        return None
    return CalibrationSample(
        probability=prediction.probability,
        content=align(blocks.text, page).is_content,
        words=EncodedTexts.from_texts(blocks.text).words.per_text(),
        confidence=prediction.confidence,
        f1=f1,
    )


def _attempt(step: Callable[[], _T]) -> tuple[_T | None, str]:
    """Return the result of `step`, or None and the error in one line: one page must not end a long run."""
    try:
        return step(), ""
    except OutputError:  # a full disk stays full
        raise
    except VcleanError as error:
        return None, str(error)
    except Exception as error:  # libraries of methods raise many types
        return None, f"{type(error).__name__}: {error}".partition("\n")[0]


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
        `vclean.classify.evaluation.scores.calibration_report`.
        """
        result: dict[str, dict[str, Any]] = {}
        for (corpus, method), part in self._parts().items():
            failed = [{"id": evaluation.id, "error": evaluation.error} for evaluation in part if evaluation.error]
            figures = {name: score.to_dict() for name, score in _by_type(part).items()}
            entry = {"scores": figures, "failed": failed}
            if samples := _samples(part):
                entry["calibration"] = calibration_report(samples)
            result.setdefault(corpus, {})[method] = entry
        return result

    def calibration(self) -> dict[str, Any]:
        """Return the calibration report of each method that gives probabilities, over all corpora, ready for JSON."""
        samples: dict[str, list[CalibrationSample]] = {}
        for evaluation in self.evaluations:
            if evaluation.calibration:
                samples.setdefault(evaluation.method, []).append(evaluation.calibration)
        return {method: calibration_report(pages) for method, pages in samples.items()}

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
    types = sorted({evaluation.page_type for evaluation in part} - {""})
    members = {_ALL: part} | {name: [each for each in part if each.page_type == name] for name in types}
    return {name: scores.aggregate(evaluation.score for evaluation in pages) for name, pages in members.items()}


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
    errors = (f"{name} {part['ece']:.3f}" for name, part in calibration_report(samples).items())
    return [f"expected calibration error: {', '.join(errors)}"]


def _cells(score: Scores) -> list[str]:
    return [_cell(name, getattr(score, name)) for name in _FIELDS]


def _cell(name: str, value: float) -> str:
    if isnan(value):
        return "-"
    decimals = 0 if name == "pages" else 2 if name.startswith("cleaneval") else 3
    return f"{value:.{decimals}f}"
