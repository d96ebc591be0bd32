"""The level of every heading: of its tag, or of what it looks like beside the page's other headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.features import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns

HEADINGS = tuple(f"h{level}" for level in range(1, 7))

_LOWEST, _USUAL = len(HEADINGS), 2
_BOLD = 600
"""The CSS weight from which a face is bold (CSS Fonts 4, 2.2.1, calls 600 semi-bold)."""
_STEP = 4
"""Weight counts for a quarter of a px: it parts headings of one size and no others."""


def levels(blocks: BlockColumns, heading: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int64 (B,), the level of each block as a heading, 1 to 6; `heading` bool (B,) says which are headings.

    A heading tag round a block tells its level, unless the page was rendered and its tags contradict the sizes they
    are shown in. A rendered heading without a tag has the level of the largest tagged ones it is no smaller than,
    or comes below them all, by the rank of its size, then weight. Without any tags to go by rank alone counts. On a
    page that was not rendered it stands one below the last tagged heading, or at 2 where there was none.
    """
    tag = _tag_levels(blocks)
    looks = _looks(blocks)
    seen = heading & np.isfinite(looks)
    told = np.where(heading, tag, 0)
    if not seen.any():
        return np.where(tag > 0, tag, _below_the_last(told))
    if _contradict(told[seen], looks[seen]):
        tag = told = np.zeros_like(tag)
    return np.where(tag > 0, tag, _by_looks(looks, seen, told))


def _tag_levels(blocks: BlockColumns) -> NDArray[np.int64]:
    """int64 (B,): the level of the heading tag round each block, 0 where there is none."""
    snapshot = blocks.snapshot
    named = np.array([int(name[1]) if name in HEADINGS else 0 for name in snapshot.tags], dtype=np.int64)
    owner = tree.nearest_ancestor(snapshot.is_tag(HEADINGS), snapshot.parent)[blocks.main_element]
    return named[snapshot.tag[owner]]


def _looks(blocks: BlockColumns) -> NDArray[np.float64]:
    """float64 (B,): size in whole px, a little more where bold; larger is more of a heading; NaN if not rendered."""
    snapshot = blocks.snapshot
    style = snapshot.style[blocks.main_element]
    size, weight = (snapshot.styles.number(name)[style] for name in ("font-size", "font-weight"))
    return np.asarray(np.round(size) + (weight >= _BOLD) / _STEP, dtype=np.float64)


def _below_the_last(told: NDArray[np.int64]) -> NDArray[np.int64]:
    """One level below the last heading that has a tag; `told` is 0 where there is none."""
    last = np.maximum.accumulate(np.where(told > 0, np.arange(len(told)), -1))
    above = np.where(last >= 0, told[last], _USUAL - 1)
    return np.asarray(np.minimum(above + 1, _LOWEST))


def _contradict(told: NDArray[np.int64], looks: NDArray[np.float64]) -> bool:
    """Whether of most two levels the deeper is set larger, by the median of each level."""
    medians = np.array([np.median(looks[told == level]) for level in np.unique(told[told > 0])])
    rise = np.sign(medians[None, :] - medians[:, None])
    return bool(np.triu(rise).sum() > 0)


def _by_looks(looks: NDArray[np.float64], seen: NDArray[np.bool_], told: NDArray[np.int64]) -> NDArray[np.int64]:
    """The level of each block by its looks, given those of the tagged headings (`told` > 0)."""
    known = seen & (told > 0)
    smallest = looks[known].min(initial=np.inf)
    below = np.unique(looks[seen & (looks < smallest)])[::-1]
    rank = told[known].max(initial=0) + 1 + np.searchsorted(-below, -looks)
    sizes, number = np.unique(looks, return_inverse=True)
    covered = np.array([told[known & (looks <= size)].min(initial=_LOWEST) for size in sizes.tolist()])[number]
    level = np.where(looks >= smallest, covered, rank)
    return np.where(np.isfinite(looks), np.clip(level, 1, _LOWEST), _USUAL)
