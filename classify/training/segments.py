"""Fit the trained segmenter and cross-validate it by site.

Its rows are containers of marked pages, with their relation to the segments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.corpora.corpora import assign_folds, registered_domain
from vclean.classify.corpora.marked import locate_marks
from vclean.classify.segments.model import COLUMNS, FORMAT, LEVELS, SEEDS, SegmentModel, SegmentPage, State, with_roles
from vclean.classify.training import fits, regions
from vclean.errors import InputError
from vclean.features.segments.columns import words_of_page
from vclean.imports import versions
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.marked import RegionMark, RenderedMarkedPage
    from vclean.classify.forest import Forest
    from vclean.classify.training.regions import RegionRows
    from vclean.features.regions import Regions
    from vclean.render.snapshot import Snapshot


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

    @property
    def site(self) -> str:
        """Return the registered domain of the page."""
        return registered_domain(self.address)


def marked_rows(snapshot: Snapshot, marks: Sequence[RegionMark], address: str) -> SegmentRows | None:
    """Return the training rows of a marked page, or None for a page that cannot be divided.

    Args:
        snapshot: the rendered page, without its marks.
        marks: marks of the page.
        address: URL of the page.
    """
    page = SegmentPage.from_snapshot(snapshot)
    if page is None:
        return None
    states = {}
    for level in LEVELS:
        elements = locate_marks(snapshot, [mark for mark in marks if mark.level == level])
        if (result := true_states(page.regions, elements[elements >= 0])) is not None:
            states[level] = result
    roles = regions.marked_rows(page.regions.context, marks, site=registered_domain(address))
    return SegmentRows(address, page.x, page.regions.parent, states, roles)


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


FOLDS: Final = 10
_UNMARKED_WEIGHT: Final = 0.3
"""Weight of a container whose state no mark determines."""
_MIN_WEIGHT, _WORD_WEIGHT = 0.2, 2.0
"""Constant and slope of the weight over the root of the container's share of the page's words: scores count
characters."""


def fit(rows: Sequence[SegmentRows], card_fields: dict[str, Any] | None = None) -> SegmentModel:
    """Fit a segmenter; the same rows give the same model.

    The rows of a page get roles from a region model that did not see its site.

    Args:
        rows: training rows of pages from several sites.
        card_fields: additional fields of the model card.

    Raises:
        InputError: there are fewer than two sites, or a level has no marks.
    """
    role_rows = [page.roles for page in rows]
    held_out = regions.fit_held_out(role_rows)
    matrices = [with_roles(page.x, page.parent, held_out[page.site]) for page in rows]
    levels = tuple(_fit(rows, matrices, level) for level in LEVELS)
    card = {
        "format": FORMAT,
        **(card_fields or {}),
        "versions": versions("lightgbm"),
        "seeds": SEEDS,
        "pages": [page.address for page in rows],
        "columns": [column.name for column in COLUMNS],
    }
    return SegmentModel(regions.fit(role_rows), levels, card)


def _fit(rows: Sequence[SegmentRows], matrices: Sequence[NDArray[np.float32]], level: int) -> tuple[Forest, ...]:
    """Fit one forest per seed that predicts whether a container is divided, on the containers outside segments."""
    parts = [_examples(page, x, level) for page, x in zip(rows, matrices, strict=True) if level in page.states]
    if not parts:
        raise InputError(f"no page has marks of level {level} to learn from: give an archive whose pages have both")
    x, divided, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    return tuple(fits.fit("segments", x, divided, weight=weight, seed=seed) for seed in SEEDS)


def _examples(
    page: SegmentRows, x: NDArray[np.float32], level: int
) -> tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.float64]]:
    """Return the features, whether it is divided, and the weight of each container that can be divided."""
    state, is_marked = page.states[level]
    divisible = np.isin(np.arange(len(x)), page.parent)
    used = divisible & (state != State.BELOW)
    weight = np.where(is_marked, 1, _UNMARKED_WEIGHT) * (_MIN_WEIGHT + _WORD_WEIGHT * np.sqrt(words_of_page(x)))
    return x[used], (state == State.ABOVE)[used].astype(np.int8), weight[used]


def training_rows(pages: Iterable[RenderedMarkedPage]) -> list[SegmentRows]:
    """Return the rows of the pages that have examples."""
    candidates = [marked_rows(page.snapshot, page.marks, page.id) for page in pages]
    return [rows for rows in candidates if rows is not None]


def cross_validate(
    rows: Sequence[SegmentRows], *, done: Callable[[], None] = lambda: None
) -> Callable[[str], SegmentModel]:
    """Return a function from a page's address to a model that saw no page of its site, or any model for unknown pages.

    Args:
        rows: training rows of pages from several sites.
        done: called after each of the `FOLDS` folds.

    Raises:
        InputError: the other folds have too few pages to fit the model of a fold.
    """
    fold_of = dict(
        zip([page.address for page in rows], assign_folds([page.site for page in rows], FOLDS).tolist(), strict=True)
    )
    models = {}
    for fold in sorted(set(fold_of.values())):
        models[fold] = fit([page for page in rows if fold_of[page.address] != fold])
        done()
    return lambda address: models[fold_of.get(address, min(models))]
