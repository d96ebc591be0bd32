"""Run methods on corpora, score their output, and report the scores as a table and as data."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from vclean.classify.corpora.gold import GoldPage, align
from vclean.classify.evaluation import scores
from vclean.classify.prediction import Prediction
from vclean.errors import OutputError, UsageError, VcleanError
from vclean.features.blocks import BlockColumns, extract_blocks
from vclean.features.text.characters import EncodedTexts
from vclean.features.text.language import detect
from vclean.labels import LABELS, Label
from vclean.page import Page
from vclean.render.snapshot import Snapshot
from vclean.runtime import track

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.corpora import Corpus
    from vclean.classify.corpora.marked import MarkedArchive
    from vclean.classify.evaluation.scores import PageScore


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvaluation:
    """Output and scores of a method on a page with B blocks; B is 0 if it failed.

    Attributes:
        corpus, id, page_type, url: the page.
        language: language of its gold text, ISO 639-1, or empty.
        words: number of words of its gold text.
        method: name of the predictor.
        text, cleaneval: clean text, without and with marks; empty if the page failed.
        score: scores against the page's gold.
        error: reason why the page failed, in one line, or empty.
        predicted: int8 (B,), codes of the predicted labels, see `vclean.labels.LABELS`.
        gold: int8 (B,), codes of the gold labels; `vclean.labels.UNKNOWN` for content of unknown type.
        block_words: float32 (B,), words per block.
        probability: float32 (B,), that a block is content; empty if the confidence is NaN.
        confidence: confidence of the page, in 0..1; NaN if the method gives no probabilities or failed, or if the gold
            is partial.
    """

    corpus: str
    id: str
    page_type: str
    url: str = ""
    language: str = ""
    words: int = 0
    method: str
    text: str
    cleaneval: str
    score: PageScore
    error: str
    predicted: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8), compare=False)
    gold: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8), compare=False)
    block_words: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32), compare=False)
    probability: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32), compare=False)
    confidence: float = field(default=float("nan"), compare=False)

    @property
    def key(self) -> tuple[str, str]:
        """Return corpus and id of the page."""
        return self.corpus, self.id

    @property
    def f1(self) -> float:
        """Return the word F1, in 0..1."""
        return self.score.word.f1


_T = TypeVar("_T")

Predictor: TypeAlias = Callable[[GoldPage, BlockColumns], Prediction]
"""Function that labels the blocks of a page. It gets the page to choose a model that never saw its site."""
Reader: TypeAlias = Callable[[Page], Snapshot]
"""Function that reads a page, by the static parser or in a browser."""
Writer: TypeAlias = Callable[[BlockColumns, Prediction], tuple[str, str]]
"""Function that returns the clean text of a prediction, without and with CleanEval's marks."""


def evaluate(
    corpora: Sequence[Corpus | MarkedArchive], predictors: Mapping[str, Predictor], *, read: Reader, write: Writer
) -> Report:
    """Run each predictor on each page and score its output.

    A page that cannot be read, or on which a predictor fails, counts as empty output and is listed in the report.
    Progress goes to standard error.

    Raises:
        UsageError: there is no corpus, two have the same name, or one has no page.
        InputError: a corpus is damaged.
        OutputError: a rendering cannot be stored.
    """
    _check(corpora)
    evaluations: list[PageEvaluation] = []
    for corpus in corpora:
        for page in track(corpus, f"scoring {corpus.name}", "pages", total=len(corpus)):
            evaluations += _run(page, predictors, read, write)
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


def _run(page: GoldPage, predictors: Mapping[str, Predictor], read: Reader, write: Writer) -> Iterator[PageEvaluation]:
    blocks, read_error = _attempt(lambda: extract_blocks(read(page.to_page())))
    truth = align(blocks.text, page) if blocks is not None else None
    language = detect(page.text, blocks.snapshot.language if blocks is not None else "")
    facts: dict[str, Any] = {name: getattr(page, name) for name in ("corpus", "id", "page_type", "url")}
    facts |= {"language": language, "words": scores.count_words(page.text)}
    for name, predict in predictors.items():
        result, error = (
            (None, read_error) if blocks is None else _attempt(partial(_predict, page, blocks, predict, write))
        )
        prediction, text, cleaneval = result or (None, "", "")
        score = score_page(page, text, cleaneval)
        output: dict[str, Any] = {"method": name, "text": text, "cleaneval": cleaneval, "score": score, "error": error}
        if blocks is not None and truth and prediction:
            output["predicted"] = np.array([LABELS.index(label) for label in prediction.labels], dtype=np.int8)
            output["gold"] = truth.label
            if not (isnan(prediction.confidence) or page.is_partial):
                output["block_words"] = EncodedTexts(blocks.text).words.per_text()
                output |= {"probability": prediction.probability, "confidence": prediction.confidence}
        yield PageEvaluation(**facts, **output)


def _predict(page: GoldPage, blocks: BlockColumns, predict: Predictor, write: Writer) -> tuple[Prediction, str, str]:
    prediction = predict(page, blocks)
    return prediction, *write(blocks, prediction)


def calibration_report(evaluations: Iterable[PageEvaluation]) -> dict[str, Any]:
    """Return the calibration errors and bins of pages, ready for JSON: of blocks, words and page confidences.

    Blocks and words are scored by the probability of their block, pages by their confidence. `ece` has ten bins of
    equal width and `ece_equal_mass` ten bins of equal mass; `bins` are those of equal width. Without pages with a
    confidence, the report is empty.
    """
    pages = [evaluation for evaluation in evaluations if not isnan(evaluation.confidence)]
    if not pages:
        return {}
    predicted = np.concatenate([page.probability for page in pages])
    is_content = np.concatenate([page.gold for page in pages]) != LABELS.index(Label.OTHER)
    words = np.concatenate([page.block_words for page in pages])
    return {
        "blocks": scores.errors_and_bins(predicted, is_content),
        "words": scores.errors_and_bins(predicted, is_content, words),
        "pages": scores.errors_and_bins([page.confidence for page in pages], [page.f1 for page in pages]),
    }


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
        return len({evaluation.key for evaluation in self.evaluations})

    @property
    def failed(self) -> int:
        """Return the number of pages on which a method failed."""
        return len({evaluation.key for evaluation in self.evaluations if evaluation.error})

    def table(self) -> str:
        """Format one table per corpus and method: all pages, each page type, calibration errors, and failed pages."""
        return "\n\n".join(_section(corpus, method, part) for (corpus, method), part in self._parts().items())

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by corpus, method and page type, ready for JSON; None means "undefined".

        Methods that give probabilities also have the result of `calibration_report`.
        """
        result: dict[str, dict[str, Any]] = {}
        for (corpus, method), part in self._parts().items():
            failed = [{"id": evaluation.id, "error": evaluation.error} for evaluation in part if evaluation.error]
            entry = {"scores": {name: _for_json(score) for name, score in _by_type(part).items()}, "failed": failed}
            if calibration := calibration_report(part):
                entry["calibration"] = calibration
            result.setdefault(corpus, {})[method] = entry
        return result

    def calibration(self) -> dict[str, Any]:
        """Return the calibration report of each method that gives probabilities, over all corpora, ready for JSON."""
        parts = group(self.evaluations, lambda evaluation: evaluation.method)
        return {method: report for method, part in parts.items() if (report := calibration_report(part))}

    def predictions(self) -> str:
        """Return one line of JSON for each page and method: corpus, id, method, text, cleaneval."""
        fields = ("corpus", "id", "method", "text", "cleaneval")
        records = ({name: getattr(evaluation, name) for name in fields} for evaluation in self.evaluations)
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)

    def _parts(self) -> dict[tuple[str, str], list[PageEvaluation]]:
        return group(self.evaluations, lambda evaluation: (evaluation.corpus, evaluation.method))


def group(evaluations: Iterable[PageEvaluation], key: Callable[[PageEvaluation], _T]) -> dict[_T, list[PageEvaluation]]:
    """Group evaluations by a key, in the order of its first values."""
    parts: dict[_T, list[PageEvaluation]] = {}
    for evaluation in evaluations:
        parts.setdefault(key(evaluation), []).append(evaluation)
    return parts


def _for_json(score: Mapping[str, float]) -> dict[str, float | None]:
    """Return the scores by name, with None for NaN, which JSON lacks."""
    return {name: None if isnan(value) else value for name, value in score.items()}


def _by_type(part: Sequence[PageEvaluation]) -> dict[str, dict[str, float]]:
    types = sorted(group(part, lambda evaluation: evaluation.page_type).items())
    members = {_ALL: part} | {name: pages for name, pages in types if name}
    return {name: scores.aggregate(evaluation.score for evaluation in pages) for name, pages in members.items()}


def _section(corpus: str, method: str, part: Sequence[PageEvaluation]) -> str:
    from tabulate import tabulate

    rows = [["", *_FIELDS.values()]]
    rows += [[name, *(_cell(field, score[field]) for field in _FIELDS)] for name, score in _by_type(part).items()]
    aligned = ["left", *["right"] * len(_FIELDS)]
    table = tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=aligned)
    failed = [f"failed: {evaluation.id}: {evaluation.error}" for evaluation in part if evaluation.error]
    errors = [f"{name} {figures['ece']:.3f}" for name, figures in calibration_report(part).items()]
    calibration = [f"expected calibration error: {', '.join(errors)}"] if errors else []
    return "\n".join([f"{corpus}, {method}", table, *calibration, *failed])


def _cell(name: str, value: float) -> str:
    if isnan(value):
        return "-"
    decimals = 0 if name == "pages" else 2 if name.startswith("cleaneval") else 3
    return f"{value:.{decimals}f}"
