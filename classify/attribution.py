"""The contributions of the columns by group: what people are told of.

What the sum of the two linear verdicts contributed is shared between the two, by their sizes: readers want to know
whether it was a class name or a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import matrix, wording

if TYPE_CHECKING:
    from numpy.typing import NDArray

SITE: Final = "the site"
"""The group of what the other pages of the site tell."""
GROUPS: Final = (*wording.GROUPS, SITE)
"""The groups of reasons that have a contribution, in the order of their sums."""

_PLACE: Final = {column.name: place for place, column in enumerate(matrix.COLUMNS)}
_PARTS: Final = [name.removeprefix("path_") for name in _PLACE if "both_" + name.removeprefix("path_") in _PLACE]
_PATH, _WORD, _BOTH = ([_PLACE[f"{score}_{part}"] for part in _PARTS] for score in ("path", "word", "both"))
_MEMBER: Final = np.array([[group == each for each in GROUPS] for group in wording.COLUMN_GROUPS], dtype=np.float64)


def shared(x: NDArray[np.float32], contributions: NDArray[np.float64]) -> NDArray[np.float64]:
    """The contributions float64 (B, F) to `x` (B, F), those of both linear verdicts shared between the two."""
    path, word = np.abs(np.nan_to_num(x[:, _PATH])), np.abs(np.nan_to_num(x[:, _WORD]))
    part = np.where(path + word > 0, path / np.maximum(path + word, 1e-9), 0.5)
    divided = contributions.copy()
    divided[:, _PATH] += part * contributions[:, _BOTH]
    divided[:, _WORD] += (1 - part) * contributions[:, _BOTH]
    divided[:, _BOTH] = 0
    return divided


def by_group(divided: NDArray[np.float64], evidence: NDArray[np.float32] | None) -> NDArray[np.float64]:
    """float64 (B, len(GROUPS)): the sums over the columns of every group.

    Args:
        divided: float64 (B, F), of `shared`.
        evidence: float32 (B,), log odds from the other pages of the site, or None.
    """
    sums: NDArray[np.float64] = divided @ _MEMBER
    if evidence is not None:
        sums[:, GROUPS.index(SITE)] = evidence
    return sums
