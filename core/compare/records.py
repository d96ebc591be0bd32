"""What a report knows of each page: what every method made of it, and what tells pages apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.corpora import gold
from vclean.classify.evaluation import scores
from vclean.features.text.language import detect
from vclean.labels import LABELS, UNKNOWN, Label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.corpora import GoldPage
    from vclean.classify.evaluation.report import PageEvaluation
    from vclean.classify.evaluation.scores import Scores
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

LENGTHS: Final = (
    (1, "no words"),
    (100, "1 to 99"),
    (300, "100 to 299"),
    (1000, "300 to 999"),
    (3000, "1,000 to 2,999"),
)
"""Names of the lengths of a page's gold text, each with the number of words that it stays below."""
LONGEST: Final = "3,000 and more"

Key = tuple[str, str]
"""A page, by its corpus and its id."""

_CODE: Final = {label: code for code, label in enumerate(LABELS)}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Trial:
    """What a method made of a page with B blocks, B being 0 where it failed.

    Attributes:
        outcome: its text and scores.
        url: of the page, empty when unknown.
        language: of the gold text, ISO 639-1, or empty.
        words: how many the gold text has.
        said: int8 (B,), the codes of the labels it gave, see `vclean.labels.LABELS`.
        gold: int8 (B,), those of the gold, `vclean.labels.UNKNOWN` for content of unknown type.
    """

    outcome: PageEvaluation
    url: str
    language: str
    words: int
    said: NDArray[np.int8]
    gold: NDArray[np.int8]

    @property
    def key(self) -> Key:
        """Which page it is."""
        return self.outcome.corpus, self.outcome.id

    @property
    def f1(self) -> float:
        """The word F1, in 0..1."""
        return self.outcome.score.word.f1

    @property
    def length(self) -> str:
        """The name of the length of the gold text."""
        return next((name for bound, name in LENGTHS if self.words < bound), LONGEST)


class Notebook:
    """Takes down every trial of an evaluation: a `vclean.classify.evaluation.evaluate.PageCallback`."""

    def __init__(self) -> None:
        self.trials: list[Trial] = []
        self._gold: tuple[GoldPage, NDArray[np.int8], str] | None = None

    def __call__(
        self, page: GoldPage, blocks: BlockColumns | None, prediction: Prediction | None, outcome: PageEvaluation
    ) -> None:
        """Take down what a method made of a page."""
        codes, language = self._known(page, blocks)
        said = [_CODE[label] for label in prediction.labels] if prediction else []
        trial = Trial(
            outcome=outcome,
            url=page.url,
            language=language,
            words=scores.count_words(page.text),
            said=np.array(said, dtype=np.int8),
            gold=codes if prediction else codes[:0],
        )
        self.trials.append(trial)

    def _known(self, page: GoldPage, blocks: BlockColumns | None) -> tuple[NDArray[np.int8], str]:
        """The gold of a page's blocks and its language, which are the same for all methods."""
        if self._gold is None or self._gold[0] is not page:
            codes = gold.align(blocks.text, page).label if blocks is not None else np.zeros(0, dtype=np.int8)
            self._gold = page, codes, detect(page.text, blocks.snapshot.language if blocks is not None else "")
        return self._gold[1:]


def methods(trials: Sequence[Trial]) -> list[str]:
    """The names of the methods, in the order of the trials."""
    return list(dict.fromkeys(trial.outcome.method for trial in trials))


def of_method(trials: Sequence[Trial], method: str) -> list[Trial]:
    """The trials of one method."""
    return [trial for trial in trials if trial.outcome.method == method]


DIMENSIONS: Final[dict[str, Callable[[Trial], str]]] = {
    "corpus": lambda trial: trial.outcome.corpus,
    "page type": lambda trial: trial.outcome.page_type or "unknown",
    "language": lambda trial: trial.language or "unknown",
    "length": lambda trial: trial.length,
}
"""What pages are told apart by."""


def groups(trials: Sequence[Trial], dimension: str) -> list[str]:
    """The values that the trials have in a dimension: lengths by size, all others by how many pages have them."""
    values = Counter(map(DIMENSIONS[dimension], trials))
    if dimension == "length":
        return [name for name in (*(name for _, name in LENGTHS), LONGEST) if name in values]
    return sorted(values, key=lambda name: (-values[name], name))


def scored(trials: Sequence[Trial], dimension: str) -> dict[tuple[str, str], Scores]:
    """The scores of the pages of each value of a dimension, by that value and the method."""
    parts: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        parts.setdefault((DIMENSIONS[dimension](trial), trial.outcome.method), []).append(trial)
    return {key: scores.aggregate(trial.outcome.score for trial in part) for key, part in parts.items()}


def confusion(trials: Sequence[Trial]) -> NDArray[np.int64]:
    """int64 (L + 1, L), L labels: how many blocks the gold has for one thing, and the method for another.

    Rows are what the gold says, the last one content of unknown type; columns are the labels that were given.
    """
    size = len(Label)
    table = np.zeros((size + 1, size), dtype=np.int64)
    for trial in trials:
        rows = np.where(trial.gold == UNKNOWN, size, trial.gold)
        np.add.at(table, (rows, trial.said), 1)
    return table


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean of `values`, at least one, and its 95 % interval by the normal approximation, cut to 0..1."""
    sample = np.asarray(values, dtype=float)
    mean = float(sample.mean())
    reach = 1.96 * float(sample.std(ddof=1)) / len(sample) ** 0.5 if len(sample) > 1 else 0.0
    return mean, max(0.0, mean - reach), min(1.0, mean + reach)
