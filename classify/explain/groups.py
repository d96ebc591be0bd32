"""Sum SHAP values by feature group.

Some columns are sums of both linear scores. Their contributions are divided between the path score and the word score,
in proportion to the absolute scores, to show whether names or words contributed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.explain import phrases
from vclean.classify.prediction import Change
from vclean.features.block import neighbourhood

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SITE: Final = "site"
"""Group of the evidence from other pages of the site."""
GROUPS: Final = (*phrases.GROUPS, SITE, *(change.value for change in Change))
"""Groups that have a contribution, in the order of the columns of `sum_by_group`."""

_INDEX: Final = {column.name: index for index, column in enumerate(stacking.COLUMNS)}
_PARTS: Final = [name.removeprefix("path_") for name in _INDEX if "both_" + name.removeprefix("path_") in _INDEX]
_PATH, _WORD, _BOTH = ([_INDEX[f"{score}_{part}"] for part in _PARTS] for score in ("path", "word", "both"))
_LEVEL: Final = np.array(phrases.SUBTREE_LEVELS)
_BLOCKS: Final = [
    _INDEX["page_blocks"],
    *(_INDEX[f"up{level}_blocks"] for level in range(1, neighbourhood.LEVELS + 1)),
]
"""By level, the column with the number of blocks of the subtree. Level 0 has none; its entry is not used."""
_MEMBER: Final = np.array([[group == each for each in GROUPS] for group in phrases.COLUMN_GROUPS], dtype=np.float64)


def share_linear_contributions(x: NDArray[np.float32], contributions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide the contributions of the sum of both linear scores between the two scores.

    Args:
        x: float32 (B, F), feature matrix.
        contributions: float64 (B, F), SHAP values.

    Returns:
        float64 (B, F), with the same sum per row, and 0 in the columns of the sum of scores.
    """
    path, word = np.abs(np.nan_to_num(x[:, _PATH])), np.abs(np.nan_to_num(x[:, _WORD]))
    part = np.where(path + word > 0, path / np.maximum(path + word, 1e-9), 0.5)
    divided = contributions.copy()
    divided[:, _PATH] += part * contributions[:, _BOTH]
    divided[:, _WORD] += (1 - part) * contributions[:, _BOTH]
    divided[:, _BOTH] = 0
    return divided


def page_level_columns(x: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return a mask of the subtree features that describe the whole page, bool (B, F).

    Such features are equal for all blocks of the page.
    """
    is_page = x[:, _BLOCKS] >= x[:, [_INDEX["page_blocks"]]]
    is_page_level: NDArray[np.bool_] = is_page[:, _LEVEL] & (_LEVEL > 0)
    return is_page_level


def sum_by_group(
    contributions: NDArray[np.float64],
    is_page_level: NDArray[np.bool_],
    evidence: NDArray[np.float32] | None = None,
    changes: Mapping[Change, NDArray[np.float64]] | None = None,
) -> NDArray[np.float64]:
    """Sum contributions by group, float64 (B, len(GROUPS)).

    Args:
        contributions: float64 (B, F), see `share_linear_contributions`.
        is_page_level: bool (B, F), see `page_level_columns`: contributions to add to the group of the page.
        evidence: float32 (B,), log odds from the other pages of the site, or None.
        changes: float64 (B,) by `Change`, log odds that options and the threshold model added.
    """
    sums: NDArray[np.float64] = np.where(is_page_level, 0, contributions) @ _MEMBER
    sums[:, GROUPS.index(phrases.PAGE)] += np.where(is_page_level, contributions, 0).sum(axis=1)
    if evidence is not None:
        sums[:, GROUPS.index(SITE)] = evidence
    for change, values in (changes or {}).items():
        sums[:, GROUPS.index(change)] = values
    return sums
