"""Predict the roles of a page's containers, and those of the regions around its blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.matrix import block_values
from vclean.features.regions import LIMITS, candidate_regions, region_matrix
from vclean.labels import REGION_ROLES, Role

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.forest import Forest
    from vclean.features.page_context import PageContext

CLASSES: Final = len(REGION_ROLES) + 1
"""Number of classes: the roles, then one class for containers that are not regions."""
NONE: Final = len(REGION_ROLES)
"""Class of containers that are not regions."""


def block_roles(trees: Forest, context: PageContext) -> list[Role | None]:
    """Return the most probable role of the nearest region of each block, None outside all regions; there is a block."""
    regions = candidate_regions(context)
    x = np.clip(region_matrix(regions, block_values(context)), -LIMITS, LIMITS)
    nearest = inherit_roles(trees.predict(x).astype(np.float32), regions.parent)[regions.block_region]
    roles = [*REGION_ROLES, None]
    return [roles[code] for code in nearest.argmax(axis=1).tolist()]


def inherit_roles(posterior: NDArray[np.float32], parent: NDArray[np.int32]) -> NDArray[np.float32]:
    """Combine the prediction for each candidate with those for its ancestors.

    Args:
        posterior: float32 (C, CLASSES), probabilities of each role, and last of not being a region.
        parent: int32 (C,), parent of each candidate, which comes before it; -1 for outermost candidates.

    Returns:
        Probabilities of the role of the nearest region, float32 (C, CLASSES): the candidate itself if it is a region,
        else the nearest region of its parent; predictions count as independent.
    """
    depth = np.zeros(len(parent), dtype=np.int64)
    for row, parent_row in enumerate(parent.tolist()):
        depth[row] = depth[parent_row] + 1 if parent_row >= 0 else 0
    nearest = posterior.copy()
    for level in range(1, depth.max(initial=0) + 1):  # all candidates of one depth at once
        rows = np.flatnonzero(depth == level)
        inherited = posterior[rows, NONE, None] * nearest[parent[rows]]
        nearest[rows, :NONE] += inherited[:, :NONE]
        nearest[rows, NONE] = inherited[:, NONE]
    return nearest
