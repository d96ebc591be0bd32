"""Stacked features: the scores of the linear models and of the region model as columns of the block matrix.

The trees read the base matrix (`vclean.features.matrix`), then the scores of the two linear models, averaged over the
runs of blocks that belong together, then the region model's probabilities for the containers around each block.
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
from vclean.labels import Role

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.block.neighbourhood import Layout
    from vclean.features.matrix import Features
    from vclean.features.regions.candidates import RegionLayout

WINDOWS: Final = (5, 15)
"""Blocks on each side over which the linear verdicts are averaged."""

_SCORES: Final = ("path", "word", "both")

SCORE_COLUMNS: tuple[FeatureColumn, ...] = tuple(
    FeatureColumn(
        f"{score}_{part}", "log odds", f"Verdict of the {score} linear model{'s' * (score == 'both')}: {doc}."
    )
    for score in _SCORES
    for part, doc in (
        ("score", "of the block itself"),
        *((f"up{level}", f"mean over the words of the {level}. larger subtree") for level in range(1, LEVELS + 1)),
        ("alike", "mean over the blocks with the same chain of tags and classes"),
        *((f"{step:+d}", step_doc(step)) for step in STEPS),
        *((f"window{reach}", f"mean over the words of the {reach} blocks on both sides") for reach in WINDOWS),
        ("page", "mean over the words of the page"),
        ("rank", "share of the page's words in blocks of a higher verdict"),
    )
)

_PLACES: Final = ("x", "y", "width", "height")

REGION_COLUMNS: Final = (
    *(FeatureColumn(f"region_{role}", "probability", f"The innermost container is a region: {role}.") for role in Role),
    FeatureColumn("region_none", "probability", "The innermost container is no region."),
    *(
        FeatureColumn(f"nearest_{role}", "probability", f"The nearest region round the block is one: {role}.")
        for role in Role
    ),
    FeatureColumn("nearest_none", "probability", "No container round the block is a region."),
    *(
        FeatureColumn(f"within_{role}", "probability", f"Some container round the block is one: {role}; the highest.")
        for role in Role
    ),
    FeatureColumn("nearest_is_content", "probability", "The nearest region's role is one of content."),
    FeatureColumn(
        "within_boilerplate", "probability", "Some container round the block is a region that is not content."
    ),
    *(
        FeatureColumn(f"region_{side}", "share", f"{side.title()} of the container that is most probably a region.")
        for side in _PLACES
    ),
)

_PLACE: Final = {column.name: place for place, column in enumerate(REGION_COLUMNS)}
_NEAREST: Final = [_PLACE[f"nearest_{role}"] for role in (*Role, "none")]
_CONTENT: Final = np.array([role.is_content for role in Role])

COLUMNS: Final = (*matrix.COLUMNS, *SCORE_COLUMNS, *REGION_COLUMNS)
"""All columns that the trees read: the base matrix, the scores of the two linear models, then the region model's."""

REGIONS: Final = slice(len(COLUMNS) - len(REGION_COLUMNS), len(COLUMNS))
"""The columns of the region model among `COLUMNS`."""


def stack_columns(
    features: Features,
    path: NDArray[np.float32],
    word: NDArray[np.float32],
    posterior: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """Return the matrix that the trees read, float32 (B, len(COLUMNS)).

    Args:
        features: of the page.
        path: float32 (B,), log odds of the path model.
        word: float32 (B,), log odds of the word model.
        posterior: float32 (C, CLASSES), of the region model, or None without one.
    """
    if not len(features.base):
        return np.zeros((0, len(COLUMNS)), dtype=np.float32)
    scores = score_columns(path, word, features.layout)
    return np.hstack([features.base, scores, region_columns(posterior, features.region_layout)])


def score_columns(path: NDArray[np.float32], word: NDArray[np.float32], where: Layout) -> NDArray[np.float32]:
    """Return the linear scores `path` and `word` (B,), averaged over the layout: float32 (B, len(SCORE_COLUMNS))."""
    score, weight = np.array([path, word, path + word]), where.tokens + 1
    weighted = score * weight
    total = cumulative_sums(np.vstack([weighted, weight]))
    parts = [
        score[:, None],
        _subtree_means(total, where),
        _means_alike(weighted, weight, where.alike)[:, None],
        neighbour_values(score),
        *(_window(total, reach)[:, None] for reach in WINDOWS),
        np.broadcast_to((weighted.sum(axis=1) / weight.sum())[:, None, None], (len(score), 1, len(path))),
        np.array([_rank(each, weight) for each in score])[:, None],
    ]
    found = np.concatenate(parts, axis=1, dtype=np.float32, casting="same_kind")
    return np.ascontiguousarray(found.reshape(-1, len(path)).T)


def _subtree_means(total: NDArray[np.float64], where: Layout) -> NDArray[np.float32]:
    """float32 (K, LEVELS, B): weighted means over the larger subtrees; for `total` see `_window`."""
    sums = sum_over_runs(total, where)
    return np.asarray(sums[:-1] / np.maximum(sums[-1], 1)).transpose(0, 2, 1)


def _means_alike(
    weighted: NDArray[np.float32], weight: NDArray[np.float32], alike: NDArray[np.int32]
) -> NDArray[np.float64]:
    """float64 (K, B): means of values, `weighted` (K, B), over the blocks of the same number."""
    sums = np.array([np.bincount(alike, each) for each in weighted])
    return (sums / np.bincount(alike, weight)).take(alike, axis=1)


def _rank(score: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (B,): share of the weight in blocks of a higher score, the earlier of two equal ones first."""
    order = np.argsort(-np.round(score, 3), kind="stable")  # ties stay in order, however the sums were rounded
    ordered = weight[order]
    rank = np.empty(len(score), dtype=np.float32)
    rank[order] = (np.cumsum(ordered) - ordered) / weight.sum()
    return rank


def _window(total: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """float64 (K, B): weighted means over the blocks from `reach` before to `reach` after.

    Args:
        total: float64 (K + 1, B + 1), running sums of K weighted values and, last, of their weights.
        reach: blocks.
    """
    index, count = np.arange(total.shape[1] - 1), total.shape[1] - 1
    high, low = np.minimum(index + reach + 1, count), np.maximum(index - reach, 0)
    sums = total.take(high, axis=1) - total.take(low, axis=1)
    return np.asarray(sums[:-1] / sums[-1])


def region_columns(posterior: NDArray[np.float32] | None, where: RegionLayout) -> NDArray[np.float32]:
    """Return the region columns of the blocks, float32 (B, len(REGION_COLUMNS)).

    Args:
        posterior: float32 (C, CLASSES), of every candidate; None without a region model, which gives NaN.
        where: how the candidates nest, and which holds each block.
    """
    if posterior is None:
        return np.full((len(where.block_region), len(REGION_COLUMNS)), np.nan, dtype=np.float32)
    nearest, within, best = inherit_roles(posterior, where.parent)
    content = nearest[:, :NONE] @ _CONTENT
    chrome = within[:, ~_CONTENT].max(axis=1)
    whole = np.hstack([posterior, nearest, within, content[:, None], chrome[:, None], where.box[best]])
    return whole[where.block_region].astype(np.float32)


def block_roles(columns: NDArray[np.float32]) -> list[Role | None]:
    """Return the role of the region of each block: the most probable one of the nearest region; None outside all.

    Args:
        columns: float32 (B, len(REGION_COLUMNS)), of `region_columns`.
    """
    roles = [*Role, None]
    return [roles[code] for code in columns[:, _NEAREST].argmax(axis=1).tolist()]


def highest_role_probability(columns: NDArray[np.float32], role: Role) -> NDArray[np.float32]:
    """Return the highest probability of a container around each block to be a region of `role`, float32 (B,).

    Args:
        columns: float32 (B, len(REGION_COLUMNS)), of `region_columns`.
        role: the role.
    """
    return columns[:, _PLACE[f"within_{role}"]]
