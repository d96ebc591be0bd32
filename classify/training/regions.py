"""Fit the region model and the trained segmenter on marked pages, and cross-validate them by site.

The rows of the region model are containers of marked pages. Marks give the roles of a page's regions. All other
containers are negative examples, without a role. If the marks were derived from the structure of a site generator, the
features of tags, ARIA roles and names are removed: otherwise the model would learn the generator.

The rows of the segmenter are containers, with their relation to the segments.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.corpora.corpora import assign_folds, registered_domain
from vclean.classify.corpora.marked import locate_marks
from vclean.classify.regions import NONE
from vclean.classify.segments.model import COLUMNS, FORMAT, LEVELS, SEEDS, SegmentModel, State, read_page, with_roles
from vclean.classify.training import fits
from vclean.errors import InputError, VcleanError
from vclean.features.blocks import extract_blocks
from vclean.features.matrix import block_values
from vclean.features.page_context import PageContext, discard_default_layout
from vclean.features.regions import BOX_COLUMNS, LIMITS, TEXT_COLUMNS, Regions, candidate_regions, region_matrix
from vclean.features.segments.columns import words_of_page
from vclean.imports import versions
from vclean.labels import REGION_ROLES, Role
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.marked import MarkedArchive, RegionMark, RenderedMarkedPage
    from vclean.classify.evaluation.evaluate import Reader
    from vclean.classify.forest import Forest
    from vclean.render.snapshot import Snapshot


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
    element = locate_marks(context.snapshot, marks)
    exists = element >= 0
    marked = element[exists]
    # Candidates that do not have the same blocks as any marked element.
    negatives = np.setdiff1d(
        candidate_regions(context).node, context.container[marked[context.block_count[marked] > 0]]
    )
    node = np.concatenate([marked, negatives])
    role = np.full(len(node), NONE, dtype=np.int8)
    role[: exists.sum()] = [ROLE_CODES[mark.role] for mark, is_present in zip(marks, exists, strict=True) if is_present]
    x = np.clip(region_matrix(Regions(context, node), block_values(context)), -LIMITS, LIMITS)
    if not by_hand:
        x[:, _PLAIN:] = np.nan
    return RegionRows(site, by_hand, x, role)


FOLDS: Final = 5
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
    if len(by_hand) < 2:
        raise InputError("too few marked pages to learn roles from: give an archive with pages of several sites")
    fold = dict(zip(by_hand, assign_folds(by_hand, FOLDS).tolist(), strict=True))
    models = {
        held_out: fit([page for page in rows if fold.get(page.site) != held_out]) for held_out in set(fold.values())
    }
    return {site: models[fold[site]] for site in by_hand}


@dataclass(frozen=True, slots=True, eq=False)
class SegmentRows:
    """Training rows of one page: C containers with their states.

    Attributes:
        address: URL of the page.
        x: float32 (C, len(segment_columns.COLUMNS)), features.
        parent: int32 (C,), parent of each container, -1 for outermost containers.
        states: for each level with marks on the page, the result of `true_states`.
        roles: training rows of the region model.
    """

    address: str
    x: NDArray[np.float32]
    parent: NDArray[np.int32]
    states: dict[int, tuple[NDArray[np.int8], NDArray[np.bool_]]]
    roles: RegionRows


def segment_rows(snapshot: Snapshot, marks: Sequence[RegionMark], address: str) -> SegmentRows | None:
    """Return the training rows of a marked page, or None for a page that cannot be divided.

    Args:
        snapshot: the rendered page, without its marks.
        marks: marks of the page.
        address: URL of the page.
    """
    features = read_page(snapshot)
    if features is None:
        return None
    _, regions, x = features
    states = {}
    for level in LEVELS:
        elements = locate_marks(snapshot, [mark for mark in marks if mark.level == level])
        if (result := true_states(regions, elements[elements >= 0])) is not None:
            states[level] = result
    roles = marked_rows(regions.context, marks, site=registered_domain(address))
    return SegmentRows(address, x, regions.parent, states, roles)


def true_states(regions: Regions, elements: NDArray[np.int32]) -> tuple[NDArray[np.int8], NDArray[np.bool_]] | None:
    """Return the states of candidates, int8 (C,), and a mask of those that follow from the marks, bool (C,).

    Of nested marked elements, the outermost counts. Marks on elements with all blocks of the page are ignored: some
    were set on the whole document by mistake. A candidate without marked ancestors or descendants counts as a segment
    if its parent contains marked elements.

    Args:
        regions: candidates of the page.
        elements: marked elements of one level.

    Returns:
        None if no marked element has a part of the blocks.
    """
    block_count = regions.context.block_count[elements]
    elements = elements[(block_count > 0) & (block_count < len(regions.context))]
    if not len(elements):
        return None
    marked = np.isin(regions.node, regions.context.container[elements])
    snapshot = regions.context.snapshot
    mask = np.zeros(len(snapshot), dtype=bool)
    mask[regions.node[marked]] = True
    in_marked = tree.path_sum(mask, snapshot.end)[regions.node] > marked
    contains_marked = tree.subtree_sum(mask, snapshot.end)[regions.node] > marked
    state = np.where(in_marked, State.BELOW, np.where(marked, State.AT, State.ABOVE))
    known = in_marked | marked | contains_marked
    for row in np.flatnonzero(~known).tolist():
        parent_row = regions.parent[row]
        state[row] = State.AT if parent_row < 0 or state[parent_row] == State.ABOVE else State.BELOW
    return state.astype(np.int8), known


SEGMENT_FOLDS: Final = 10
_UNMARKED_WEIGHT: Final = 0.3
"""Weight of a container whose state no mark determines."""
_MIN_WEIGHT, _WORD_WEIGHT = 0.2, 2.0
"""Constant and slope of the weight over the root of the container's share of the page's words: scores count
characters."""


def fit_segmenter(rows: Sequence[SegmentRows], card_fields: dict[str, Any] | None = None) -> SegmentModel:
    """Fit a segmenter; the same rows give the same model.

    The rows of a page get roles from a region model that did not see its site.

    Args:
        rows: training rows of pages from several sites.
        card_fields: additional fields of the model card.

    Raises:
        InputError: there are fewer than two sites, or a level has no marks.
    """
    role_rows = [page.roles for page in rows]
    held_out = fit_held_out(role_rows)
    matrices = [with_roles(page.x, page.parent, held_out[page.roles.site]) for page in rows]
    levels = tuple(_fit_level(rows, matrices, level) for level in LEVELS)
    card = {
        "format": FORMAT,
        **(card_fields or {}),
        "versions": versions("lightgbm"),
        "seeds": SEEDS,
        "pages": [page.address for page in rows],
        "columns": [column.name for column in COLUMNS],
    }
    return SegmentModel(fit(role_rows), levels, card)


def _fit_level(rows: Sequence[SegmentRows], matrices: Sequence[NDArray[np.float32]], level: int) -> tuple[Forest, ...]:
    """Fit one forest per seed that predicts whether a container with children and outside segments is divided."""
    parts = []
    for page, x in zip(rows, matrices, strict=True):
        if level in page.states:
            state, is_marked = page.states[level]
            used = np.isin(np.arange(len(x)), page.parent) & (state != State.BELOW)
            by_words = _MIN_WEIGHT + _WORD_WEIGHT * np.sqrt(words_of_page(x))
            weight = np.where(is_marked, 1, _UNMARKED_WEIGHT) * by_words
            parts.append((x[used], (state == State.ABOVE)[used].astype(np.int8), weight[used]))
    if not parts:
        raise InputError(f"no page has marks of level {level} to learn from: give an archive whose pages have both")
    x, divided, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    return tuple(fits.fit("segments", x, divided, weight=weight, seed=seed) for seed in SEEDS)


def training_rows(pages: Iterable[RenderedMarkedPage]) -> list[SegmentRows]:
    """Return the rows of the pages that have examples."""
    return [rows for page in pages if (rows := segment_rows(page.snapshot, page.marks, page.id))]


def cross_validate(
    rows: Sequence[SegmentRows], *, done: Callable[[], None] = lambda: None
) -> Callable[[str], SegmentModel]:
    """Return a function from a page's address to a model that saw no page of its site, or any model for unknown pages.

    Args:
        rows: training rows of pages from several sites.
        done: called after each of the `SEGMENT_FOLDS` folds.

    Raises:
        InputError: the other folds have too few pages to fit the model of a fold.
    """
    folds = assign_folds([page.roles.site for page in rows], SEGMENT_FOLDS).tolist()
    fold_of = dict(zip([page.address for page in rows], folds, strict=True))
    models = {}
    for fold in sorted(set(fold_of.values())):
        models[fold] = fit_segmenter([page for page in rows if fold_of[page.address] != fold])
        done()
    return lambda address: models[fold_of.get(address, min(models))]
