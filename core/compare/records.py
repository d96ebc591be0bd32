"""Record the results of all methods on each page for a report, and group them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.corpora import gold
from vclean.classify.evaluation import scores
from vclean.classify.methods import get, names
from vclean.classify.methods.registry import DEFAULT
from vclean.features.text.language import detect
from vclean.labels import LABELS, UNKNOWN, Label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.gold import GoldPage
    from vclean.classify.evaluation.evaluate import PageEvaluation
    from vclean.classify.methods import Method
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns


LENGTHS: Final = {
    0: "no words",
    1: "1 to 99",
    100: "100 to 299",
    300: "300 to 999",
    1000: "1,000 to 2,999",
    3000: "3,000 and more",
}
"""Names of the lengths of gold texts, by their least number of words."""

Key = tuple[str, str]
"""Corpus and id of a page."""

_CODE: Final = {label: code for code, label in enumerate(LABELS)}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PageRecord:
    """Result of a method on a page with B blocks; B is 0 if it failed.

    Attributes:
        outcome: its text and scores.
        url: of the page, empty if unknown.
        language: of the gold text, ISO 639-1, or empty.
        words: number of words of the gold text.
        predicted: int8 (B,), codes of the predicted labels, see `vclean.labels.LABELS`.
        gold: int8 (B,), codes of the gold labels; `vclean.labels.UNKNOWN` for content of unknown type.
    """

    outcome: PageEvaluation
    url: str
    language: str
    words: int
    predicted: NDArray[np.int8]
    gold: NDArray[np.int8]

    @property
    def key(self) -> Key:
        """Return the key of the page."""
        return self.outcome.corpus, self.outcome.id

    @property
    def f1(self) -> float:
        """Return the word F1, in 0..1."""
        return self.outcome.score.word.f1

    @property
    def length(self) -> str:
        """Return the name of the length of the gold text."""
        return LENGTHS[max(least for least in LENGTHS if least <= self.words)]


class RecordCollector:
    """Collect the records of an evaluation: a `vclean.classify.evaluation.evaluate.PageCallback`."""

    def __init__(self) -> None:
        self.records: list[PageRecord] = []
        self._gold: tuple[GoldPage, NDArray[np.int8], str] | None = None

    def __call__(
        self, page: GoldPage, blocks: BlockColumns | None, prediction: Prediction | None, outcome: PageEvaluation
    ) -> None:
        """Record the result of a method on a page."""
        codes, language = self._gold_labels(page, blocks)
        predicted = [_CODE[label] for label in prediction.labels] if prediction else []
        record = PageRecord(
            outcome=outcome,
            url=page.url,
            language=language,
            words=scores.count_words(page.text),
            predicted=np.array(predicted, dtype=np.int8),
            gold=codes if prediction else codes[:0],
        )
        self.records.append(record)

    def _gold_labels(self, page: GoldPage, blocks: BlockColumns | None) -> tuple[NDArray[np.int8], str]:
        """Return the gold labels of the blocks and the language. They are cached because all methods share them."""
        if self._gold is None or self._gold[0] is not page:
            codes = gold.align(blocks.text, page).label if blocks is not None else np.zeros(0, dtype=np.int8)
            self._gold = page, codes, detect(page.text, blocks.snapshot.language if blocks is not None else "")
        return self._gold[1:]


def methods(records: Sequence[PageRecord]) -> list[str]:
    """Return the names of the methods, in the order of the records."""
    return list(dict.fromkeys(record.outcome.method for record in records))


def of_method(records: Sequence[PageRecord], method: str) -> list[PageRecord]:
    """Return the records of one method."""
    return [record for record in records if record.outcome.method == method]


DIMENSIONS: Final[dict[str, Callable[[PageRecord], str]]] = {
    "corpus": lambda record: record.outcome.corpus,
    "page type": lambda record: record.outcome.page_type or "unknown",
    "language": lambda record: record.language or "unknown",
    "length": lambda record: record.length,
}
"""Dimensions by which a report groups pages."""


def groups(records: Sequence[PageRecord], dimension: str) -> list[str]:
    """Return the values of a dimension in the records: lengths by size, others by number of pages."""
    values = Counter(map(DIMENSIONS[dimension], records))
    if dimension == "length":
        return [name for name in LENGTHS.values() if name in values]
    return sorted(values, key=lambda name: (-values[name], name))


def by_group(records: Sequence[PageRecord], dimension: str) -> dict[tuple[str, str], list[PageRecord]]:
    """Return the records by value of a dimension and method."""
    parts: dict[tuple[str, str], list[PageRecord]] = {}
    for record in records:
        parts.setdefault((DIMENSIONS[dimension](record), record.outcome.method), []).append(record)
    return parts


def confusion(records: Sequence[PageRecord]) -> NDArray[np.int64]:
    """Return the confusion matrix, int64 (L + 1, L) for L labels: numbers of blocks by gold and predicted label.

    The last row counts content of unknown type.
    """
    size = len(Label)
    table = np.zeros((size + 1, size), dtype=np.int64)
    for record in records:
        rows = np.where(record.gold == UNKNOWN, size, record.gold)
        np.add.at(table, (rows, record.predicted), 1)
    return table


def confidence_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of at least one value, and its 95 % interval by the normal approximation, clipped to 0..1."""
    sample = np.asarray(values, dtype=float)
    mean = float(sample.mean())
    margin = 1.96 * float(sample.std(ddof=1)) / len(sample) ** 0.5 if len(sample) > 1 else 0.0
    return mean, max(0.0, mean - margin), min(1.0, mean + margin)


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """Method with the model it uses.

    Attributes:
        name: as the user gave it.
        method: name of the method.
        model: file of its model or selectors; None for the shipped model, or for none.
    """

    name: str
    method: str
    model: Path | None = None

    @classmethod
    def of(cls, name: str) -> ComparedMethod:
        """Parse the name of a method, a method with a file such as `template=rules.txt`, or the name of a model file.

        >>> ComparedMethod.of("bte")
        ComparedMethod(name='bte', method='bte', model=None)
        """
        method, equals, file = name.partition("=")
        if equals and method in names():
            return cls(name, method, Path(file))
        path = Path(name)
        is_file = name not in names() and (path.is_file() or path.suffix != "" or len(path.parts) > 1)
        return cls(name, DEFAULT, path) if is_file else cls(name, name)

    def load(self) -> Method:
        """Return the method.

        Raises:
            UsageError: there is no such method.
            ModelError: the model file is missing, damaged or of another version.
        """
        return get(self.method, self.model)
