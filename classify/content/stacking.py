"""Compute stacked features: scores of the linear models and of the region model as columns of the feature matrix.

The matrix of the trees has three parts: the base matrix (`vclean.features.matrix`); the scores of the two linear
models, of the block itself and averaged over related blocks; and the region model's probabilities for the containers
around each block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.regions.model import NONE, inherit_roles
from vclean.features import matrix
from vclean.features.block.neighbourhood import (
    LEVELS,
    STEPS,
    cumulative_sums,
    neighbour_values,
    step_doc,
    sum_over_runs,
)
from vclean.features.columns import FeatureColumn
from vclean.labels import REGION_ROLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.block.neighbourhood import Layout
    from vclean.features.matrix import Features
    from vclean.features.regions.candidates import RegionLayout
    from vclean.labels import Role

WINDOWS: Final = (5, 15)
"""Numbers of blocks on each side over which the linear scores are averaged."""

_SCORES: Final = ("path", "word", "both")

SCORE_COLUMNS: tuple[FeatureColumn, ...] = tuple(
    FeatureColumn(f"{score}_{part}", "log odds", f"Score of the {score} linear model{'s' * (score == 'both')}: {doc}.")
    for score in _SCORES
    for part, doc in (
        ("score", "of the block itself"),
        *((f"up{level}", f"mean over the words of the {level}. larger subtree") for level in range(1, LEVELS + 1)),
        ("alike", "mean over the blocks with the same chain of tags and classes"),
        *((f"{step:+d}", step_doc(step)) for step in STEPS),
        *((f"window{reach}", f"mean over the words of the {reach} blocks on both sides") for reach in WINDOWS),
        ("page", "mean over the words of the page"),
        ("rank", "share of the page's words in blocks with a higher score"),
    )
)

_BOX: Final = ("x", "y", "width", "height")

REGION_COLUMNS: Final = (
    *(
        FeatureColumn(f"region_{role}", "probability", f"The innermost container is a region: {role}.")
        for role in REGION_ROLES
    ),
    FeatureColumn("region_none", "probability", "The innermost container is not a region."),
    *(
        FeatureColumn(f"nearest_{role}", "probability", f"The role of the nearest region around the block: {role}.")
        for role in REGION_ROLES
    ),
    FeatureColumn("nearest_none", "probability", "No container around the block is a region."),
    *(
        FeatureColumn(f"within_{role}", "probability", f"Maximum over the containers around the block: {role}.")
        for role in REGION_ROLES
    ),
    FeatureColumn("nearest_is_content", "probability", "The role of the nearest region is a content role."),
    FeatureColumn(
        "within_boilerplate", "probability", "Maximum over the containers around the block and all boilerplate roles."
    ),
    *(
        FeatureColumn(f"region_{side}", "share", f"{side.title()} of the container that is most probably a region.")
        for side in _BOX
    ),
)

_REGION_INDEX: Final = {column.name: index for index, column in enumerate(REGION_COLUMNS)}
_NEAREST: Final = [_REGION_INDEX[f"nearest_{role}"] for role in (*REGION_ROLES, "none")]
_CONTENT: Final = np.array([role.is_content for role in REGION_ROLES])

COLUMNS: Final = (*matrix.COLUMNS, *SCORE_COLUMNS, *REGION_COLUMNS)
"""Columns of the trees' matrix: the base matrix, the scores of the two linear models, the region columns."""

REGIONS: Final = slice(len(COLUMNS) - len(REGION_COLUMNS), len(COLUMNS))
"""Slice of the region columns in `COLUMNS`."""


def stack_columns(
    features: Features,
    path: NDArray[np.float32],
    word: NDArray[np.float32],
    posterior: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """Return the feature matrix of the trees, float32 (B, len(COLUMNS)).

    Args:
        features: base features of the page.
        path: float32 (B,), log odds of the path model.
        word: float32 (B,), log odds of the word model.
        posterior: float32 (C, CLASSES), probabilities of the region model, or None without one.
    """
    if not len(features.base):
        return np.zeros((0, len(COLUMNS)), dtype=np.float32)
    scores = score_columns(path, word, features.layout)
    return np.hstack([features.base, scores, region_columns(posterior, features.region_layout)])


def score_columns(path: NDArray[np.float32], word: NDArray[np.float32], layout: Layout) -> NDArray[np.float32]:
    """Return the score columns for the linear scores `path` and `word` (B,): float32 (B, len(SCORE_COLUMNS))."""
    score, weight = np.array([path, word, path + word]), layout.tokens + 1
    weighted = score * weight
    total = cumulative_sums(np.vstack([weighted, weight]))
    parts = [
        score[:, None],
        _subtree_means(total, layout),
        _means_alike(weighted, weight, layout.alike)[:, None],
        neighbour_values(score),
        *(_window(total, reach)[:, None] for reach in WINDOWS),
        np.broadcast_to((weighted.sum(axis=1) / weight.sum())[:, None, None], (len(score), 1, len(path))),
        np.array([_rank(each, weight) for each in score])[:, None],
    ]
    columns = np.concatenate(parts, axis=1, dtype=np.float32, casting="same_kind")
    return np.ascontiguousarray(columns.reshape(-1, len(path)).T)


def _subtree_means(total: NDArray[np.float64], layout: Layout) -> NDArray[np.float32]:
    """Return weighted means over the subtrees around each block, float32 (K, LEVELS, B); for `total` see `_window`."""
    sums = sum_over_runs(total, layout)
    return np.asarray(sums[:-1] / np.maximum(sums[-1], 1)).transpose(0, 2, 1)


def _means_alike(
    weighted: NDArray[np.float32], weight: NDArray[np.float32], alike: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return weighted means over the blocks with the same number in `alike`, float64 (K, B).

    Args:
        weighted: float32 (K, B), values times weights.
        weight: float32 (B,).
        alike: int32 (B,), equal for blocks with the same chain of tags and classes.
    """
    sums = np.array([np.bincount(alike, values) for values in weighted])
    return (sums / np.bincount(alike, weight)).take(alike, axis=1)


def _rank(score: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the share of the weight in blocks ranked above each block, float32 (B,).

    Blocks are ranked by decreasing score, and by position for equal scores.
    """
    order = np.argsort(-np.round(score, 3), kind="stable")  # stable ties despite rounding differences between sums
    ordered = weight[order]
    rank = np.empty(len(score), dtype=np.float32)
    rank[order] = (np.cumsum(ordered) - ordered) / weight.sum()
    return rank


def _window(total: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """Return weighted means over a window of `reach` blocks on both sides of each block, float64 (K, B).

    Args:
        total: float64 (K + 1, B + 1), running sums of K weighted values and, last, of their weights.
        reach: number of blocks.
    """
    index, count = np.arange(total.shape[1] - 1), total.shape[1] - 1
    high, low = np.minimum(index + reach + 1, count), np.maximum(index - reach, 0)
    sums = total.take(high, axis=1) - total.take(low, axis=1)
    return np.asarray(sums[:-1] / sums[-1])


def region_columns(posterior: NDArray[np.float32] | None, layout: RegionLayout) -> NDArray[np.float32]:
    """Return the region columns of the blocks, float32 (B, len(REGION_COLUMNS)).

    Args:
        posterior: float32 (C, CLASSES), probabilities of each candidate; None without a region model, which gives NaN.
        layout: nesting of the candidates, and the innermost candidate of each block.
    """
    if posterior is None:
        return np.full((len(layout.block_region), len(REGION_COLUMNS)), np.nan, dtype=np.float32)
    nearest, within, best = inherit_roles(posterior, layout.parent)
    content = nearest[:, :NONE] @ _CONTENT
    boilerplate = within[:, ~_CONTENT].max(axis=1)
    columns = np.hstack([posterior, nearest, within, content[:, None], boilerplate[:, None], layout.box[best]])
    return columns[layout.block_region].astype(np.float32)


def block_roles(columns: NDArray[np.float32]) -> list[Role | None]:
    """Return the most probable role of the nearest region of each block; None outside all regions.

    Args:
        columns: float32 (B, len(REGION_COLUMNS)), see `region_columns`.
    """
    roles = [*REGION_ROLES, None]
    return [roles[code] for code in columns[:, _NEAREST].argmax(axis=1).tolist()]


def highest_role_probability(columns: NDArray[np.float32], role: Role) -> NDArray[np.float32]:
    """Return the highest probability of `role` among the containers around each block, float32 (B,).

    Args:
        columns: float32 (B, len(REGION_COLUMNS)), see `region_columns`.
        role: role of a region.
    """
    return columns[:, _REGION_INDEX[f"within_{role}"]]
