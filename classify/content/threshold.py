"""Choose the content blocks of a page among candidate selections, with a model that predicts their word F1.

The block probabilities rank the blocks of a page. The number of content blocks depends on the page: on some pages,
comments or teasers are content. Each candidate selection is optimal for one weight of recall. Boosted trees predict the
word F1 of each candidate. Their features describe the page, the default selection, and the difference of the candidate
from the default. The candidate with the highest prediction is chosen; this prediction is the confidence of the page.

A candidate without a tenth of the words that are probably content is never chosen. A model had its best prediction
there on 11 of 869 pages: their mean word F1 was .39, and .81 without these candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.content.expected_f import best_selections
from vclean.classify.content.stacking import add_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.trees.forest import Forest


BETAS: Final = (0.2, 0.35, 0.5, 0.7, 1.0, 1.5, 2.5)
"""Weights of recall of the candidates."""
MARGIN: Final = 0.01
"""Minimum gain in predicted word F1 for a candidate to replace the default; mean scores are the same for .005."""


PROBABLE: Final = 0.6
"""Probability above which a block is probably content."""
MAX_LOSS: Final = 0.1
"""Maximum share of the words of probable blocks that a candidate may leave out."""

_BLOCK_COLUMNS: Final = (
    "words", "words_of_page", "link_share", "sentences", "heading_level", "duplicate_shape", "visibility",
    "class_blocks", "path_score", "word_score", "both_rank", "both_up1", "both_up2", "both_up3", "both_alike",
    "word_alike", "up1_blocks", "up2_words_of_page", "up3_long_share",
)  # fmt: skip
"""Block features; their means over words describe the default selection and the change from it."""
_PAGE_COLUMNS: Final = (
    "page_words", "page_blocks", "page_elements", "page_link_share", "long_share", "hidden_share", "holder50_words",
    "path_page", "word_page", "both_page",
)  # fmt: skip
"""Page features: equal for all blocks of a page."""
_PROBABILITY_LEVELS: Final = (0.1, 0.3, 0.5, 0.7, 0.9)
_TINY: Final = 1e-6


def _indices(names: tuple[str, ...]) -> list[int]:
    index = {column.name: number for number, column in enumerate(stacking.COLUMNS)}
    return [index[name] for name in names]


_BLOCK_COLUMN_INDEX: Final = _indices(_BLOCK_COLUMNS)
_PAGE_COLUMN_INDEX: Final = _indices(_PAGE_COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class CandidateSelections:
    """K candidate selections of the content blocks of a page of B blocks.

    Attributes:
        masks: bool (K, B), the selected blocks of each candidate.
        rows: float32 (K, F), features of the candidates.
        default: index of the candidate that is chosen unless another is better by `MARGIN`.
        loss: float64 (K,), share of the words of probable blocks that a candidate leaves out.
    """

    masks: NDArray[np.bool_]
    rows: NDArray[np.float32]
    default: int
    loss: NDArray[np.float64]


def candidate_selections(
    x: NDArray[np.float32],
    probability: NDArray[np.float32],
    words: NDArray[np.float32],
    beta: float = 1.0,
) -> CandidateSelections:
    """Return the candidate selections of a page, one per weight of recall.

    Args:
        x: float32 (B, len(stacking.COLUMNS)), B at least 1.
        probability: float32 (B,), probability that a block is content.
        words: float32 (B,), words per block.
        beta: requested weight of recall relative to precision, which gives one candidate; 1 gives all candidates.
    """
    betas = BETAS if beta == 1 else (beta,)
    masks, expected = best_selections(probability, words, (1.0, *betas))
    rows = np.column_stack([np.log([1.0, *betas]), expected, _changes(x, probability, words, masks)])
    page = _page_features(x, probability, words, masks[0], float(expected[0]))
    features = np.hstack([rows, np.tile(page, (len(masks), 1))])[1:].astype(np.float32)
    default = BETAS.index(1.0) if beta == 1 else 0
    return CandidateSelections(masks[1:], features, default, _loss(probability, words, masks[1:]))


def _loss(
    probability: NDArray[np.float32], words: NDArray[np.float32], masks: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the share of the words of probable blocks outside each selection, float64 (K,); 0 without such words."""
    probable = np.where(probability > PROBABLE, words, 0).astype(np.float64)
    return np.asarray(~masks @ probable / max(float(probable.sum()), _TINY))


def _changes(
    x: NDArray[np.float32], probability: NDArray[np.float32], words: NDArray[np.float32], masks: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Describe the first selection, and the difference of each selection from it, float64 (K, C)."""
    values = np.nan_to_num(x[:, _BLOCK_COLUMN_INDEX])
    changed, position = masks ^ masks[0], np.linspace(0, 1, len(words))[:, None]
    size = changed @ words
    columns = [
        size / max(float(words[masks[0]].sum()), 1),
        size,
        changed.sum(axis=1),
        masks.sum(axis=1),
        (masks & ~masks[0]) @ words,
        _mean(changed, words, probability[:, None]),
        _mean(changed, words, position) - _mean(masks[:1], words, position),
        _mean(changed, words, values),
        np.tile(_mean(masks[:1], words, values), (len(masks), 1)),
    ]
    return np.column_stack(columns)


def _page_features(
    x: NDArray[np.float32],
    probability: NDArray[np.float32],
    words: NDArray[np.float32],
    default: NDArray[np.bool_],
    expected: float,
) -> NDArray[np.float64]:
    """Return features of the page, of its default selection, and of its probabilities, float64 (P,)."""
    gold = float(probability @ words)
    selected = float(words[default].sum())
    sure = [float(words[probability > limit].sum()) / max(gold, 1) for limit in _PROBABILITY_LEVELS]
    counts = [expected, gold, selected, len(words), int(default.sum()), selected / max(float(words.sum()), 1)]
    return np.concatenate([x[0, _PAGE_COLUMN_INDEX], counts, sure])


def _mean(
    selections: NDArray[np.bool_], words: NDArray[np.float32], values: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """Return the means of `values` (B, V) over the words of `selections` (K, B), float64 (K, V); 0 without words."""
    weight = selections * words.astype(np.float64)
    return np.asarray(weight @ values / np.maximum(weight.sum(axis=1, keepdims=True), _TINY))


@dataclass(frozen=True, slots=True)
class ThresholdModel:
    """Model that selects the content blocks of a page.

    Attributes:
        forest: boosted trees that predict the word F1 of a selection.
        calibration: maps probabilities of the content trees to calibrated probabilities.
    """

    forest: Forest
    calibration: CalibrationMap

    def select(
        self, candidates: CandidateSelections, convention: NDArray[np.float32]
    ) -> tuple[NDArray[np.bool_], float]:
        """Return the content blocks, bool (B,), and the confidence: the predicted word F1 of this selection, in 0..1.

        Candidates with a loss above `MAX_LOSS` are left out, except the default.

        Args:
            candidates: the selections to choose from.
            convention: float32 (C,), see `Conventions.columns`.
        """
        predicted = self.forest.predict(add_columns(candidates.rows, convention))
        is_default = np.arange(len(predicted)) == candidates.default
        preferred = np.where((candidates.loss <= MAX_LOSS) | is_default, predicted, -np.inf)
        preferred[candidates.default] += MARGIN
        best = int(np.argmax(preferred))
        return candidates.masks[best], float(np.clip(predicted[best], 0, 1))


@dataclass(frozen=True, slots=True)
class CalibrationMap:
    """Piecewise linear, increasing map from predicted to calibrated probabilities.

    Attributes:
        predicted, observed: coordinates of its points, both ascending; without points, the map is the identity.
    """

    predicted: tuple[float, ...] = ()
    observed: tuple[float, ...] = ()

    def __call__(self, probability: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
        """Return the calibrated probabilities of `probability` (N,), float32 (N,)."""
        if not self.predicted:
            return probability.astype(np.float32)
        return np.asarray(np.interp(probability, self.predicted, self.observed), dtype=np.float32)

    def to_dict(self) -> dict[str, list[float]]:
        """Return the points for JSON."""
        # "said" is the name of the predicted probabilities in model files.
        return {"said": list(self.predicted), "observed": list(self.observed)}

    @classmethod
    def from_dict(cls, points: Mapping[str, Sequence[float]]) -> CalibrationMap:
        """Build the map from the result of `to_dict`.

        Raises:
            ValueError: the points are not those of an increasing map.
        """
        predicted, observed = (tuple(map(float, points[name])) for name in ("said", "observed"))
        if len(predicted) != len(observed) or not all(np.diff(predicted) > 0) or not all(np.diff(observed) > 0):
            raise ValueError("not an increasing map")
        return cls(predicted, observed)
