"""Fit the region model, and one region model for each fold of sites for cross-validation.

Its rows are containers of marked pages. Marks give the roles of a page's regions. All other containers are negative
examples, without a role. If the marks were derived from the structure of a site generator, the features of tags, ARIA
roles and names are removed: otherwise the model would learn the generator.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.corpora import marked as marking
from vclean.classify.corpora.corpora import assign_folds, registered_domain
from vclean.classify.regions import NONE
from vclean.classify.training import fits
from vclean.errors import InputError, VcleanError
from vclean.features.blocks import extract_blocks
from vclean.features.columns import limit_counts
from vclean.features.matrix import block_values
from vclean.features.page_context import PageContext, discard_default_layout
from vclean.features.regions import BOX_COLUMNS, LIMITS, TEXT_COLUMNS, candidate_regions, region_matrix, regions_at
from vclean.labels import REGION_ROLES, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.marked import MarkedArchive, RegionMark
    from vclean.classify.evaluation.evaluate import Reader
    from vclean.classify.forest import Forest


ROLE_CODES: Final[dict[Role, int]] = {role: code for code, role in enumerate(REGION_ROLES)}
"""Class of each role."""

_PLAIN: Final = len(TEXT_COLUMNS) + len(BOX_COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class RegionRows:
    """Training rows of one page: R containers with their roles.

    Attributes:
        site: registered domain of the page.
        by_hand: whether a person marked the regions; False for marks derived from the structure of the page.
        x: float32 (R, len(vclean.features.regions.COLUMNS)), features.
        role: int8 (R,), class of `ROLE_CODES`, or `NONE`.
    """

    site: str
    by_hand: bool
    x: NDArray[np.float32]
    role: NDArray[np.int8]


def archive_rows(archive: MarkedArchive, readers: Iterable[Reader], *, by_hand: bool = True) -> Iterator[RegionRows]:
    """Yield the training rows of each readable page of an archive, one per reader.

    Each page is read twice, with and without its style sheets and images, because most pages in use have lost them.
    Pages without text are skipped.

    Args:
        archive: marked pages.
        readers: functions from a page to a snapshot.
        by_hand: see `marked_rows`.
    """
    readers = list(readers)
    for marked in archive.marked_pages():
        # The fragment gives each variant its own entry in the snapshot cache, which is keyed by URL and content.
        bare = replace(marked.page, url=marked.page.url + "#bare", resources=None)
        site = registered_domain(marked.page.url)
        for page in (marked.page, bare):
            for read in readers:
                try:
                    context = PageContext(extract_blocks(read(page)))
                except VcleanError:
                    continue
                if len(context):
                    context = discard_default_layout(context)
                    yield marked_rows(context, marked.marks, site=site, by_hand=by_hand)


def marked_rows(
    context: PageContext, marks: Sequence[RegionMark], *, site: str = "", by_hand: bool = True
) -> RegionRows:
    """Return the training rows of a page: its marked regions, and its other candidates without a role.

    Args:
        context: the page.
        marks: marks of the page; marks of missing elements are ignored.
        site: registered domain of the page.
        by_hand: whether a person made the marks; if not, the features of tags and names are NaN.
    """
    element = marking.locate_marks(context.snapshot, marks)
    exists = element >= 0
    marked = element[exists]
    # Candidates that do not have the same blocks as any marked element.
    negatives = np.setdiff1d(
        candidate_regions(context).node, context.container[marked[context.block_count[marked] > 0]]
    )
    node = np.concatenate([marked, negatives])
    role = np.full(len(node), NONE, dtype=np.int8)
    role[: exists.sum()] = [ROLE_CODES[mark.role] for mark, is_present in zip(marks, exists, strict=True) if is_present]
    x = limit_counts(region_matrix(regions_at(context, node), block_values(context)), LIMITS)
    if not by_hand:
        x[:, _PLAIN:] = np.nan
    return RegionRows(site, by_hand, x, role)


FOLDS: Final = 5
_MIN_SITES: Final = 2
NONE_WEIGHT: Final = 0.3
"""Weight of a container that is not a region; these are ten times as frequent as regions."""
STYLED_WEIGHT: Final = 0.1
"""Weight of a region marked by a generator, relative to 1 for one marked by hand."""
SITE_REGIONS: Final = 40
"""Number of regions at which the weight of a site of generated pages stops growing: all its pages are alike."""


def fit(rows: Sequence[RegionRows]) -> Forest:
    """Fit the boosted model of container roles; the same rows give the same model."""
    x = np.vstack([page.x for page in rows])
    role = np.concatenate([page.role for page in rows])
    return fits.fit("regions", x, role, weight=_weights(rows))


def _weights(rows: Sequence[RegionRows]) -> NDArray[np.float32]:
    """Return the training weight of each row, float32 (R,)."""
    regions = Counter[str]()
    for page in rows:
        regions[page.site] += int((page.role != NONE).sum())
    weights = []
    for page in rows:
        scale = 1.0 if page.by_hand else STYLED_WEIGHT * min(1, SITE_REGIONS / max(regions[page.site], 1))
        weights.append(scale * np.where(page.role == NONE, NONE_WEIGHT, 1))
    return np.concatenate(weights).astype(np.float32)


def fit_held_out(rows: Sequence[RegionRows]) -> dict[str, Forest]:
    """Fit models without each fold of sites, and return for each site marked by hand the one that saw no page of it.

    The segment model is trained on their posteriors. Pages marked by a generator are in all training sets.

    Raises:
        InputError: fewer than two sites are marked by hand.
    """
    by_hand = sorted({page.site for page in rows if page.by_hand})
    if len(by_hand) < _MIN_SITES:
        raise InputError("too few marked pages to learn roles from: give an archive with pages of several sites")
    fold = dict(zip(by_hand, assign_folds(by_hand, FOLDS).tolist(), strict=True))
    models = {
        held_out: fit([page for page in rows if fold.get(page.site) != held_out]) for held_out in set(fold.values())
    }
    return {site: models[fold[site]] for site in by_hand}
