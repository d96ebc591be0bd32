"""The contributions of the columns by group: what people are told of.

What the sum of the two linear verdicts contributed is shared between the two, by their sizes: readers want to know
whether it was a class name or a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.explain import phrases
from vclean.features.block import neighbourhood

if TYPE_CHECKING:
    from numpy.typing import NDArray

SITE: Final = "the site"
"""The group of what the other pages of the site tell."""
GROUPS: Final = (*phrases.GROUPS, SITE)
"""The groups of reasons that have a contribution, in the order of their sums."""

_PLACE: Final = {column.name: place for place, column in enumerate(stacking.COLUMNS)}
_PARTS: Final = [name.removeprefix("path_") for name in _PLACE if "both_" + name.removeprefix("path_") in _PLACE]
_PATH, _WORD, _BOTH = ([_PLACE[f"{score}_{part}"] for part in _PARTS] for score in ("path", "word", "both"))
_LEVEL: Final = np.array(phrases.SUBTREE_LEVELS)
_BLOCKS: Final = [
    _PLACE["blocks_before"],
    *(_PLACE[f"up{level}_blocks"] for level in range(1, neighbourhood.LEVELS + 1)),
]
"""By level, the column that counts the blocks of the subtree; a stand-in for level 0, which has none."""
_OWN_PLACE: Final = np.array([name.endswith(("_place", "_depth")) for name in _PLACE])
_MEMBER: Final = np.array([[group == each for each in GROUPS] for group in phrases.COLUMN_GROUPS], dtype=np.float64)


def share_linear_contributions(x: NDArray[np.float32], contributions: NDArray[np.float64]) -> NDArray[np.float64]:
    """The contributions float64 (B, F) to `x` (B, F), those of both linear verdicts shared between the two."""
    path, word = np.abs(np.nan_to_num(x[:, _PATH])), np.abs(np.nan_to_num(x[:, _WORD]))
    part = np.where(path + word > 0, path / np.maximum(path + word, 1e-9), 0.5)
    divided = contributions.copy()
    divided[:, _PATH] += part * contributions[:, _BOTH]
    divided[:, _WORD] += (1 - part) * contributions[:, _BOTH]
    divided[:, _BOTH] = 0
    return divided


def page_level_columns(x: NDArray[np.float32]) -> NDArray[np.bool_]:
    """What is said of a block's larger subtree where that is the whole page, and so of every block: bool (B, F)."""
    whole = x[:, _BLOCKS] >= x[:, [_PLACE["page_blocks"]]]
    told: NDArray[np.bool_] = whole[:, _LEVEL] & (_LEVEL > 0) & ~_OWN_PLACE
    return told


def sum_by_group(
    divided: NDArray[np.float64], of_all: NDArray[np.bool_], evidence: NDArray[np.float32] | None
) -> NDArray[np.float64]:
    """float64 (B, len(GROUPS)): the sums over the columns of every group.

    Args:
        divided: float64 (B, F), of `share_linear_contributions`.
        of_all: bool (B, F), of `page_level_columns`: what counts as said of the page.
        evidence: float32 (B,), log odds from the other pages of the site, or None.
    """
    sums: NDArray[np.float64] = np.where(of_all, 0, divided) @ _MEMBER
    sums[:, GROUPS.index(phrases.PAGE)] += np.where(of_all, divided, 0).sum(axis=1)
    if evidence is not None:
        sums[:, GROUPS.index(SITE)] = evidence
    return sums
