"""What the roles of a page's regions say of its blocks: the region columns of the block matrix."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.columns import Column
from vclean.roles import Role

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.regions import Regions

CLASSES: Final = len(Role) + 1
"""Roles, then one class for what is no region."""
NONE: Final = len(Role)

_PLACES: Final = ("x", "y", "width", "height")

COLUMNS: Final = (
    *(Column(f"region_{role}", "probability", f"The innermost container is a region: {role}.") for role in Role),
    Column("region_none", "probability", "The innermost container is no region."),
    *(Column(f"nearest_{role}", "probability", f"The nearest region round the block is one: {role}.") for role in Role),
    Column("nearest_none", "probability", "No container round the block is a region."),
    *(Column(f"within_{role}", "probability", f"Some container round the block is one: {role}; the highest.")
      for role in Role),
    Column("nearest_is_content", "probability", "The nearest region's role is one of content."),
    Column("within_boilerplate", "probability", "Some container round the block is a region that is not content."),
    *(Column(f"region_{side}", "share", f"{side.title()} of the container that is most probably a region.")
      for side in _PLACES),
)  # fmt: skip

_PLACE: Final = {column.name: place for place, column in enumerate(COLUMNS)}
_NEAREST: Final = [_PLACE[f"nearest_{role}"] for role in (*Role, "none")]
_CONTENT: Final = np.array([role.is_content for role in Role])


@dataclass(frozen=True, eq=False)
class RegionLayout:
    """Which of a page's C candidates stand round which, and round its B blocks.

    Attributes:
        parent: int32 (C,), the candidate round each, which comes before it; -1 for the outermost.
        block_region: int32 (B,), the innermost candidate round each block.
        box: float32 (C, 4), x, y, width, height in page widths and heights; NaN where not rendered.
    """

    parent: NDArray[np.int32]
    block_region: NDArray[np.int32]
    box: NDArray[np.float32]

    @classmethod
    def of(cls, regions: Regions) -> RegionLayout:
        """The layout of a page's candidates."""
        snapshot = regions.snapshot
        page = np.array([snapshot.width, snapshot.height] * 2, dtype=np.float32)
        return cls(
            regions.parent, regions.block_region, (snapshot.box[regions.node] / np.maximum(page, 1)).astype(np.float32)
        )


def block_columns(posterior: NDArray[np.float32], where: RegionLayout) -> NDArray[np.float32]:
    """float32 (B, len(COLUMNS)): the region columns of the blocks.

    Args:
        posterior: float32 (C, CLASSES), of every candidate.
        where: which candidates stand round which.
    """
    nearest, within, best = inherited(posterior, where.parent)
    content = nearest[:, :NONE] @ _CONTENT
    chrome = within[:, ~_CONTENT].max(axis=1)
    whole = np.hstack([posterior, nearest, within, content[:, None], chrome[:, None], where.box[best]])
    return whole[where.block_region].astype(np.float32)


def inherited(
    posterior: NDArray[np.float32], parent: NDArray[np.int32]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
    """What each candidate has from itself and the ones round it.

    Returns:
        The role of the nearest region, float32 (C, CLASSES), taking the candidates' verdicts as independent: its own
        with the probability that it is a region, else that of the one round it; the highest probability of every role,
        float32 (C, len(Role)); and the candidate that is most probably a region, the innermost of equals, int32 (C,).
    """
    order, ends = _levels(parent)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    above = place[parent[order]]
    nearest = posterior.take(order, axis=0)
    within, chance, best = nearest[:, :NONE].copy(), 1 - nearest[:, NONE], order.astype(np.int32)
    for begin, end in pairwise(ends):
        level, outer = slice(begin, end), above[begin:end]
        passed_on = nearest[level, NONE, None] * nearest.take(outer, axis=0)
        nearest[level, :NONE] += passed_on[:, :NONE]
        nearest[level, NONE] = passed_on[:, NONE]
        within[level] = np.maximum(within[level], within.take(outer, axis=0))
        best[level] = np.where(chance.take(outer) > chance[level], best.take(outer), best[level])
        chance[level] = np.maximum(chance[level], chance.take(outer))
    return nearest.take(place, axis=0), within.take(place, axis=0), best.take(place)


def _levels(parent: NDArray[np.int32]) -> tuple[NDArray[np.intp], list[int]]:
    """The candidates by how many they have round them, fewest first, and where in this order each number ends."""
    depth: list[int] = []
    for above in parent.tolist():
        depth.append(depth[above] + 1 if above >= 0 else 0)
    return np.argsort(depth, kind="stable"), np.cumsum(np.bincount(depth)).tolist()


def block_roles(columns: NDArray[np.float32]) -> list[Role | None]:
    """The role of the region each block is in: the most probable of the nearest region's; None outside all.

    Args:
        columns: float32 (B, len(COLUMNS)), of `block_columns`.
    """
    roles = [*Role, None]
    return [roles[code] for code in columns[:, _NEAREST].argmax(axis=1).tolist()]


def among(columns: NDArray[np.float32], role: Role) -> NDArray[np.float32]:
    """float32 (B,): the highest probability of a container round each block to be a region of `role`.

    Args:
        columns: float32 (B, len(COLUMNS)), of `block_columns`.
        role: the role.
    """
    return columns[:, _PLACE[f"within_{role}"]]
