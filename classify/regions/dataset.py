"""The rows the region model learns from: the containers of a page beside their roles.

Marks tell the roles of a page's regions and, of every other container, that it is none. Where a generator's structure
told them, tags, ARIA roles and names are hidden from the features, or the model would learn the generator.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.corpora import marked as marking
from vclean.classify.corpora.corpora import registered_domain
from vclean.classify.regions.model import NONE
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.features.matrix import block_values
from vclean.features.page_context import PageContext
from vclean.features.regions.candidates import candidate_regions, regions_at
from vclean.features.regions.columns import BOX_COLUMNS, TEXT_COLUMNS, region_matrix
from vclean.labels import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.marked import MarkedArchive, RegionMark
    from vclean.classify.evaluation.evaluate import Reader

ROLE_CODES: Final = {role: code for code, role in enumerate(Role)}
"""The class of every role."""

_PLAIN: Final = len(TEXT_COLUMNS) + len(BOX_COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class RegionRows:
    """R containers of one page with their roles.

    Attributes:
        site: its registered domain.
        by_hand: whether a reader marked them, or else the structure that made the page.
        x: float32 (R, len(regions.columns.COLUMNS)).
        role: int8 (R,), a code of `ROLE_CODES`, or `NONE`.
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
    for marked in archive.marked_pages():
        # The fragment tells the two apart where snapshots are kept by URL and content.
        bare = replace(marked.page, url=marked.page.url + "#bare", resources=None)
        site = registered_domain(marked.page.url)
        for page in (marked.page, bare):
            for read in ways:
                try:
                    context = PageContext(extract_blocks(read(page)))
                except VcleanError:
                    continue
                if len(context):
                    yield marked_rows(context, marked.marks, site=site, by_hand=by_hand)


def marked_rows(
    context: PageContext, marks: Sequence[RegionMark], *, site: str = "", by_hand: bool = True
) -> RegionRows:
    """The marked regions of a page, with or without text, and its other candidates as none.

    Args:
        context: the page.
        marks: its marks; those whose element is not in the page are left out.
        site: its registered domain.
        by_hand: whether a reader made the marks; else they were made from tags and names, which must not be seen.
    """
    element = marking.locate_marks(context.snapshot, marks)
    found = element >= 0
    node = np.concatenate([element[found], _others(context, element[found])])
    role = np.full(len(node), NONE, dtype=np.int8)
    role[: found.sum()] = [ROLE_CODES[mark.role] for mark, there in zip(marks, found, strict=True) if there]
    x = region_matrix(regions_at(context, node), block_values(context))
    return RegionRows(site, by_hand, x if by_hand else hide_names(x), role)


def _others(context: PageContext, marked: NDArray[np.int32]) -> NDArray[np.int32]:
    """The candidates that hold the same blocks as none of the `marked` elements."""
    holder = context.container
    taken = holder[marked[context.block_count[marked] > 0]]
    return np.setdiff1d(candidate_regions(context).node, taken)


def hide_names(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """`x` without what tags, ARIA roles and names say: NaN."""
    hidden = x.copy()
    hidden[:, _PLAIN:] = np.nan
    return hidden
