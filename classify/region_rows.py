"""The rows the region model learns from: the containers of a page beside their roles.

Marks tell the roles of a page's regions and, of every other container, that it is none. Where a generator's structure
told them, tags, ARIA roles and names are hidden from the features, or the model would learn the generator.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify import marks as marking
from vclean.classify.corpora import registered_domain
from vclean.errors import VcleanError
from vclean.features import linguistic, structural, visual
from vclean.features.blocks import cut
from vclean.features.region_blocks import NONE
from vclean.features.region_boxes import BOX_COLUMNS
from vclean.features.region_columns import TEXT_COLUMNS, region_matrix
from vclean.features.regions import candidates, regions_at
from vclean.features.view import View
from vclean.roles import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.classify.evaluate import Reader
    from vclean.classify.marks import Mark, MarkedArchive
    from vclean.features.columns import Values

CODES: Final = {role: code for code, role in enumerate(Role)}
"""The class of every role."""

_PLAIN: Final = len(TEXT_COLUMNS) + len(BOX_COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class RegionRows:
    """R containers of one page with their roles.

    Attributes:
        site: its registered domain.
        by_hand: whether a reader marked them, or else the structure that made the page.
        x: float32 (R, len(region_columns.COLUMNS)).
        role: int8 (R,), a code of `CODES`, or `NONE`.
    """

    site: str
    by_hand: bool
    x: NDArray[np.float32]
    role: NDArray[np.int8]

    def __len__(self) -> int:
        """The number of containers."""
        return len(self.role)


def archive_rows(archive: MarkedArchive, readers: Iterable[Reader], *, by_hand: bool = True) -> Iterator[RegionRows]:
    """The rows of every page of an archive that can be read and has text, each way of reading it.

    Every page is read with its style sheets and images and without, for most pages that are met have lost them.

    Args:
        archive: the pages.
        readers: the ways.
        by_hand: as in `marked_rows`.
    """
    ways = list(readers)
    for marked in archive.marked():
        # The fragment tells the two apart where snapshots are kept by URL and content.
        bare = replace(marked.page, url=marked.page.url + "#bare", resources=None)
        site = registered_domain(marked.page.url)
        for page in (marked.page, bare):
            for read in ways:
                try:
                    view = View(cut(read(page)))
                except VcleanError:
                    continue
                if len(view):
                    yield marked_rows(view, marked.marks, site=site, by_hand=by_hand)


def block_values(view: View) -> Values:
    """The columns of the blocks that the features of regions are made of."""
    return {**linguistic.compute(view), **structural.compute(view), **visual.compute(view)}


def marked_rows(view: View, marks: Sequence[Mark], *, site: str = "", by_hand: bool = True) -> RegionRows:
    """The marked regions of a page, with or without text, and its other candidates as none.

    Args:
        view: the page.
        marks: its marks; those whose element is not in the page are left out.
        site: its registered domain.
        by_hand: whether a reader made the marks; else they were made from tags and names, which must not be seen.
    """
    element = marking.locate(view.snapshot, marks)
    found = element >= 0
    node = np.concatenate([element[found], _others(view, element[found])])
    role = np.full(len(node), NONE, dtype=np.int8)
    role[: found.sum()] = [CODES[mark.role] for mark, there in zip(marks, found, strict=True) if there]
    x = region_matrix(regions_at(view, node), block_values(view))
    return RegionRows(site, by_hand, x if by_hand else hide_names(x), role)


def _others(view: View, marked: NDArray[np.int32]) -> NDArray[np.int32]:
    """The candidates that hold the same blocks as none of the `marked` elements."""
    holder = view.container
    taken = holder[marked[view.block_count[marked] > 0]]
    return np.setdiff1d(candidates(view).node, taken)


def hide_names(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """`x` without what tags, ARIA roles and names say: NaN."""
    hidden = x.copy()
    hidden[:, _PLAIN:] = np.nan
    return hidden
