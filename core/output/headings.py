"""Determine the level of headings from their tag, or from their font relative to other headings of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.features import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns

HEADINGS = tuple(f"h{level}" for level in range(1, 7))

_LOWEST_LEVEL, _DEFAULT_LEVEL = len(HEADINGS), 2
_BOLD = 600
"""Least CSS font weight of a bold face (CSS Fonts 4, 2.2.1, calls 600 semi-bold)."""
_BOLD_DIVISOR = 4
"""Bold adds a quarter of a px to the rounded font size: it only separates headings of equal size."""


def heading_levels(blocks: BlockColumns, heading: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the level of each block as a heading.

    The level is that of the heading tag around the block, unless the page was rendered and the font sizes contradict
    the tags. A rendered heading without a tag gets the highest level of the tagged headings that are not larger; if all
    are larger, it gets a level below them, by the rank of its size and weight. Without usable tags, the rank alone
    determines the level. On a page that was not rendered, a heading without a tag is one level below the last tagged
    heading, or at level 2 if there is none.

    Args:
        blocks: the blocks of the page.
        heading: bool (B,), whether each block is a heading.

    Returns:
        int64 (B,), 1 to 6.
    """
    tag_level = _tag_levels(blocks)
    size = _font_sizes(blocks)
    is_rendered = heading & np.isfinite(size)
    tagged = np.where(heading, tag_level, 0)
    if not is_rendered.any():
        return np.where(tag_level > 0, tag_level, _below_last_tagged(tagged))
    if _contradicts(tagged[is_rendered], size[is_rendered]):
        tag_level = tagged = np.zeros_like(tag_level)
    return np.where(tag_level > 0, tag_level, _levels_by_size(size, is_rendered, tagged))


def _main_elements(blocks: BlockColumns) -> NDArray[np.int32]:
    """Return the element of most text of each block, without formulas if it has other text, int32 (B,)."""
    main = blocks.main_element
    if "math" in blocks.snapshot.tags:
        plain = blocks.without_formulas
        has_text = np.isin(np.arange(len(blocks)), plain.text_block)
        main = np.where(has_text, plain.main_element, main) if len(plain) == len(blocks) else main
    return main


def _tag_levels(blocks: BlockColumns) -> NDArray[np.int64]:
    """Return the level of the heading tag around each block, int64 (B,), 0 without such a tag."""
    snapshot = blocks.snapshot
    level_of_tag = np.array([int(name[1]) if name in HEADINGS else 0 for name in snapshot.tags], dtype=np.int64)
    heading_element = tree.nearest_ancestor(snapshot.is_tag(HEADINGS), snapshot.parent)[_main_elements(blocks)]
    return level_of_tag[snapshot.tag[heading_element]]


def _font_sizes(blocks: BlockColumns) -> NDArray[np.float64]:
    """Return the font size of each block in whole px, plus 1/4 if bold, float64 (B,); NaN if not rendered."""
    snapshot = blocks.snapshot
    style = snapshot.style[_main_elements(blocks)]
    size, weight = (snapshot.styles.number(name)[style] for name in ("font-size", "font-weight"))
    return np.asarray(np.round(size) + (weight >= _BOLD) / _BOLD_DIVISOR, dtype=np.float64)


def _below_last_tagged(tagged: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one level below that of the last tagged heading, for each block.

    Args:
        tagged: int64 (B,), the levels of tagged headings, 0 for other blocks.
    """
    last = np.maximum.accumulate(np.where(tagged > 0, np.arange(len(tagged)), -1))
    level_above = np.where(last >= 0, tagged[last], _DEFAULT_LEVEL - 1)
    return np.asarray(np.minimum(level_above + 1, _LOWEST_LEVEL))


def _contradicts(tagged: NDArray[np.int64], size: NDArray[np.float64]) -> bool:
    """Return whether, for most pairs of tagged levels, the lower heading has the larger median font size."""
    medians = np.array([np.median(size[tagged == level]) for level in np.unique(tagged[tagged > 0])])
    rise = np.sign(medians[None, :] - medians[:, None])
    return bool(np.triu(rise).sum() > 0)


def _levels_by_size(
    size: NDArray[np.float64], is_rendered: NDArray[np.bool_], tagged: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the level of each block by its font size, relative to tagged headings (`tagged` > 0)."""
    is_tagged = is_rendered & (tagged > 0)
    smallest = size[is_tagged].min(initial=np.inf)
    smaller_sizes = np.unique(size[is_rendered & (size < smallest)])[::-1]
    rank = tagged[is_tagged].max(initial=0) + 1 + np.searchsorted(-smaller_sizes, -size)
    sizes, index = np.unique(size, return_inverse=True)
    highest = np.array([tagged[is_tagged & (size <= limit)].min(initial=_LOWEST_LEVEL) for limit in sizes.tolist()])
    level = np.where(size >= smallest, highest[index], rank)
    return np.where(np.isfinite(size), np.clip(level, 1, _LOWEST_LEVEL), _DEFAULT_LEVEL)
