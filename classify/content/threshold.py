"""How much of a page to keep: a model of the word F1 that each of a few cuts would have.

The block probabilities say in which order blocks are content. How many of them are is a question about the page: are
its comments part of it, are its teasers? The candidates are the cuts that are best for different weights of recall and,
where some blocks are readers' comments, for these all in and all out: they stand or fall together. A boosted model
predicts the word F1 of each from the page, from what the usual cut keeps, and from what the candidate adds to it or
drops; the best is taken, and its prediction is the page's confidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.content.expected_f import best_selections, with_comments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.trees.forest import Forest


BETAS: Final = (0.2, 0.35, 0.5, 0.7, 1.0, 1.5, 2.5)
COMMENT_BETAS: Final = (0.5, 1.0, 2.0)
"""For the cuts that take a page's comments as decided on."""
MARGIN: Final = 0.01
"""Word F1 by which a prediction has to be better; mean scores are the same for .005 and .01."""


_LOOKS: Final = (
    "words", "link_share", "stop_words", "sentences", "tag", "heading_level", "path_score", "word_score", "both_up1",
    "both_up2", "both_up3", "both_up5", "both_alike", "word_alike", "up1_blocks", "up2_words_of_page",
    "up3_words_of_page", "up3_long_share", "class_blocks", "bylines", "dates", "boilerplate", "actions", "duplicates",
    "both_rank", "repeated_words", "visibility", "words_of_page", "both_page", "within_comments", "within_boilerplate",
    "nearest_is_content",
)  # fmt: skip
"""Columns of the blocks whose means over the words say what is kept, added or dropped."""
_PAGE: Final = (
    "page_words", "page_blocks", "page_elements", "page_link_share", "long_share", "hidden_share", "has_h1",
    "language_known", "holder50_words", "holder75_words", "both_page", "word_page", "path_page",
)  # fmt: skip
"""Columns that are the same for all blocks of a page."""
_SURE: Final = (0.1, 0.3, 0.5, 0.7, 0.9)
_TINY: Final = 1e-6
_CLEARLY: Final = 0.5


def _places(names: tuple[str, ...]) -> list[int]:
    place = {column.name: index for index, column in enumerate(stacking.COLUMNS)}
    return [place[name] for name in names]


_LOOKS_AT: Final = _places(_LOOKS)
_PAGE_AT: Final = _places(_PAGE)


@dataclass(frozen=True, slots=True, eq=False)
class CandidateSelections:
    """The K cuts of a page of B blocks to choose from.

    Attributes:
        keeps: bool (K, B), the blocks each keeps.
        rows: float32 (K, F), what the model reads of each.
        usual: the one to take unless another is better by `MARGIN`.
    """

    keeps: NDArray[np.bool_]
    rows: NDArray[np.float32]
    usual: int


def candidate_selections(
    x: NDArray[np.float32],
    probability: NDArray[np.float32],
    words: NDArray[np.float32],
    comments: NDArray[np.float32],
    beta: float = 1.0,
) -> CandidateSelections:
    """The cuts of a page: for all of `BETAS`, and with and without its comments; or for a `beta` that is asked for.

    Args:
        x: float32 (B, len(stacking.COLUMNS)), B at least 1.
        probability: float32 (B,), that a block is content.
        words: float32 (B,), words per block.
        comments: float32 (B,), that a block is among readers' comments; zeros where they need not be decided on.
        beta: how many times as much recall is to count as precision; 1 leaves it to the model.
    """
    betas = BETAS if beta == 1 else (beta,)
    keeps, expected = best_selections(probability, words, (1.0, *betas))
    kinds = np.zeros(len(keeps))
    if beta == 1 and (comments > _CLEARLY).any():
        for wanted, kind in ((False, -1.0), (True, 1.0)):
            told = with_comments(probability, comments, words, wanted=wanted)
            more, more_expected = best_selections(told, words, COMMENT_BETAS)
            keeps, expected = np.vstack([keeps, more]), np.append(expected, more_expected)
            kinds = np.append(kinds, np.full(len(more), kind))
            betas = (*betas, *COMMENT_BETAS)
    spoken = np.column_stack([comments, comments * probability])
    rows = np.column_stack([np.log([1.0, *betas]), kinds, expected, _changes(x, probability, words, keeps)])
    page = np.concatenate([_page(x, probability, words, keeps[0], float(expected[0])), _shares(spoken, words)])
    whole = np.hstack([rows, np.tile(page, (len(keeps), 1))])[1:].astype(np.float32)
    return CandidateSelections(keeps[1:], whole, BETAS.index(1.0) if beta == 1 else 0)


def _changes(
    x: NDArray[np.float32], probability: NDArray[np.float32], words: NDArray[np.float32], keeps: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """float64 (K, C): what each cut adds to the first one, or drops, and what the first one keeps."""
    looks = np.nan_to_num(x[:, _LOOKS_AT])
    changed, place = keeps ^ keeps[0], np.linspace(0, 1, len(words))[:, None]
    size = changed @ words
    columns = [
        size / max(float(words[keeps[0]].sum()), 1),
        size,
        changed.sum(axis=1),
        keeps.sum(axis=1),
        (keeps & ~keeps[0]) @ words,
        _mean(changed, words, probability[:, None]),
        _mean(changed, words, place) - _mean(keeps[:1], words, place),
        _mean(changed, words, looks),
        np.tile(_mean(keeps[:1], words, looks), (len(keeps), 1)),
    ]
    return np.column_stack(columns)


def _shares(values: NDArray[np.float32], words: NDArray[np.float32]) -> NDArray[np.float64]:
    """float64 (V,): means of `values` (B, V) over the words of the page."""
    return np.asarray(_mean(np.ones((1, len(words)), dtype=bool), words, values)[0])


def _page(
    x: NDArray[np.float32],
    probability: NDArray[np.float32],
    words: NDArray[np.float32],
    usual: NDArray[np.bool_],
    expected: float,
) -> NDArray[np.float64]:
    """float64 (P,): what the page is like, and how sure its blocks are."""
    gold = float(probability @ words)
    kept = float(words[usual].sum())
    sure = [float(words[probability > limit].sum()) / max(gold, 1) for limit in _SURE]
    counts = [expected, gold, kept, len(words), int(usual.sum()), kept / max(float(words.sum()), 1)]
    return np.concatenate([x[0, _PAGE_AT], counts, sure])


def _mean(
    chosen: NDArray[np.bool_], words: NDArray[np.float32], values: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """float64 (K, V): means of `values` (B, V) over the words of the `chosen` (K, B) blocks; 0 where there are none."""
    weight = chosen * words.astype(np.float64)
    return np.asarray(weight @ values / np.maximum(weight.sum(axis=1, keepdims=True), _TINY))


def choose(model: Forest, cuts: CandidateSelections) -> tuple[NDArray[np.bool_], float]:
    """The blocks to keep, bool (B,), and the word F1 predicted of that, in 0..1."""
    predicted = model.predict(cuts.rows)
    preferred = predicted.copy()
    preferred[cuts.usual] += MARGIN
    best = int(np.argmax(preferred))
    return cuts.keeps[best], float(np.clip(predicted[best], 0, 1))


@dataclass(frozen=True, slots=True)
class ThresholdModel:
    """Select the blocks to keep of a page.

    Attributes:
        forest: boosted trees, the word F1 of a selection.
        calibration: from the trees' probabilities to what came of them.
    """

    forest: Forest
    calibration: CalibrationMap

    def keep(self, candidates: CandidateSelections) -> tuple[NDArray[np.bool_], float]:
        """The blocks to keep, bool (B,), and the page's confidence: the word F1 predicted of that."""
        return choose(self.forest, candidates)


@dataclass(frozen=True, slots=True)
class CalibrationMap:
    """An increasing function from 0..1 to 0..1: straight lines between points.

    Attributes:
        said, observed: the points, both ascending; without points the map changes nothing.
    """

    said: tuple[float, ...] = ()
    observed: tuple[float, ...] = ()

    def __call__(self, probability: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
        """float32 (N,): what `probability` (N,) means."""
        if not self.said:
            return probability.astype(np.float32)
        return np.asarray(np.interp(probability, self.said, self.observed), dtype=np.float32)

    def to_dict(self) -> dict[str, list[float]]:
        """The points, for JSON."""
        return {"said": list(self.said), "observed": list(self.observed)}

    @classmethod
    def from_dict(cls, points: Mapping[str, Sequence[float]]) -> CalibrationMap:
        """The map of `to_dict`.

        Raises:
            ValueError: the points do not make an increasing map.
        """
        said, observed = (tuple(map(float, points[name])) for name in ("said", "observed"))
        if len(said) != len(observed) or not all(np.diff(said) > 0) or not all(np.diff(observed) > 0):
            raise ValueError("no increasing map")
        return cls(said, observed)
