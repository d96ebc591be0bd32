"""The learned segmenter: which containers of a page hold several of its main segments, which several parts of these.

A model file is a zip archive: `card.json` (what it was trained on, versions, the columns it reads), and boosted trees
in LightGBM's own text format: `regions.txt`, the roles of containers, and for each level of the marks a few models that
differ by seed, of whose probabilities the mean counts.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import model_file
from vclean.classify.model_file import DAMAGE, pack
from vclean.classify.regions import model
from vclean.classify.regions.model import CLASSES
from vclean.classify.segments.optimal_cut import Sizes, State, best_states
from vclean.classify.trees.forest import Forest
from vclean.errors import ModelError
from vclean.features import tree
from vclean.features.blocks import extract_blocks
from vclean.features.columns import FeatureColumn
from vclean.features.matrix import block_values
from vclean.features.page_context import PageContext
from vclean.features.regions.candidates import candidate_regions
from vclean.features.segments import columns as segment_columns
from vclean.features.segments.columns import REGIONAL, max_over_descendants, segment_matrix
from vclean.features.segments.segments import Segments, Separators
from vclean.features.segments.vips import algorithm
from vclean.features.segments.vips.page import VisualPage
from vclean.labels import Role

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from vclean.features.regions.candidates import Regions
    from vclean.features.segments.vips.page import Extent
    from vclean.render.snapshot import Snapshot


_CLASSES: Final = (*Role, "none")
ROLE_COLUMNS: Final = (
    *(FeatureColumn(f"role_{role}", "probability", f"It is a region: {role}.") for role in _CLASSES),
    *(FeatureColumn(f"role_in_{role}", "probability", f"The highest `role_{role}` in it.") for role in _CLASSES),
    *(
        FeatureColumn(f"role_sum_{role}", "candidates", f"Sum of `role_{role}` over those next in it.")
        for role in _CLASSES
    ),
    *(FeatureColumn(f"role_round_{role}", "probability", f"The highest `role_{role}` round it.") for role in _CLASSES),
)
"""The columns from the probabilities of the region model."""

COLUMNS: Final = (*segment_columns.COLUMNS, *ROLE_COLUMNS)
"""All columns that the trees read: those of the page, then those of the region model."""


def role_matrix(posterior: NDArray[np.float32], parent: NDArray[np.int32]) -> NDArray[np.float32]:
    """float32 (C, len(ROLE_COLUMNS)): what the region model says of candidates, and of those in and round each.

    Args:
        posterior: float32 (C, CLASSES), the probability of every role, and of none.
        parent: int32 (C,), the candidate round each, which comes before it; -1 for the outermost.
    """
    total, around = np.zeros_like(posterior), np.zeros_like(posterior)
    for row, above in enumerate(parent.tolist()):
        if above >= 0:
            around[row] = np.maximum(around[above], posterior[above])
            total[above] += posterior[row]
    return np.hstack([posterior, max_over_descendants(posterior, parent), total, around]).reshape(-1, 4 * CLASSES)


LEVELS: Final = (1, 2)
"""Of the marks: the main segments, and their parts."""


@dataclass(frozen=True, eq=False)
class SegmentPage:
    """The C containers of a rendered page, as the segmenter sees them.

    Attributes:
        painted: what there is to see.
        regions: the containers.
        sizes: their characters.
        x: float32 (C, len(segment_columns.COLUMNS)).
    """

    painted: VisualPage
    regions: Regions
    sizes: Sizes
    x: NDArray[np.float32]

    @classmethod
    def of(cls, snapshot: Snapshot) -> SegmentPage | None:
        """The page; None where there is nothing to cut: no text, or one thing to see.

        Raises:
            UsageError: it was not rendered.
        """
        seen = algorithm.segment(snapshot)
        context = PageContext(extract_blocks(snapshot))
        if not len(context) or len(seen) == 1:
            return None
        regions, painted = candidate_regions(context), VisualPage(snapshot)
        extent = np.array(painted.extent)[regions.node]
        x = segment_matrix(regions, block_values(context), seen, extent)
        return cls(painted, regions, Sizes.of(regions), x)


METHOD: Final = "learned"
WHOLE, MAIN, PART = 1, 6, 11
"""The degrees of coherence of the page, of its main segments, and of their parts."""


def build_segments(page: VisualPage, regions: Regions, main: NDArray[np.int8], parts: NDArray[np.int8]) -> Segments:
    """The segments of a page.

    What stands in no container that is a segment makes segments of its own: texts that follow each other in one
    container, and the largest elements without a segment in them.

    Args:
        page: rendered, with something to see.
        regions: its candidates.
        main: their states (C,) in the coarser cut.
        parts: their states (C,) in the finer one, which cuts no less.
    """
    seen = np.concatenate([np.array(page.is_atom[: page.first_text], dtype=bool), page.visible_text])
    leaf = page.in_order[seen[page.in_order]]
    keys = np.stack([_keys(regions, states)[leaf] for states in (main, parts)], axis=1)
    rows = _rows(leaf, keys)
    owner = np.full(len(seen), -1, dtype=np.int32)
    for number, row in enumerate(rows):
        if row.leaves:
            owner[row.leaves] = number
    return Segments(
        snapshot=page.snapshot,
        method=METHOD,
        parent=np.array([row.above for row in rows], dtype=np.int32),
        coherence=np.array([row.coherence for row in rows], dtype=np.int32),
        box=_boxes(page, rows),
        text=owner[page.first_text :],
        element=owner[: page.first_text],
        node_box=page.node_box,
        separators=_no_separators(),
    )


@dataclass(slots=True, eq=False)
class _Row:
    """A segment: its parent, its degree, the element it is of (or a number past all), and its own leaves."""

    above: int
    coherence: int
    key: int = -1
    leaves: list[int] = field(default_factory=list)


def _rows(leaf: NDArray[np.int64], keys: NDArray[np.int64]) -> list[_Row]:
    """The segments in preorder, in the order of their first leaves; a main segment of one part is a leaf itself."""
    mains: dict[int, dict[int, list[int]]] = {}
    for node, (main, part) in zip(leaf.tolist(), keys.tolist(), strict=True):
        mains.setdefault(main, {}).setdefault(part, []).append(node)
    rows = [_Row(-1, WHOLE)]
    for main, parts in mains.items():
        number = len(rows)
        rows.append(_Row(0, MAIN, main, [] if len(parts) > 1 else next(iter(parts.values()))))
        if len(parts) > 1:
            rows += [_Row(number, PART, part, leaves) for part, leaves in parts.items()]
    return rows


def _keys(regions: Regions, states: NDArray[np.int8]) -> NDArray[np.int64]:
    """int64 (N + T,): what tells the segment of each visible node: an element, or N and more for a run of texts."""
    snapshot, blocks = regions.snapshot, regions.context.blocks
    count = len(snapshot)
    at = np.zeros(count, dtype=bool)
    at[regions.node[states == State.AT]] = True
    lies = tree.path_sum(at, snapshot.end) > 0
    holds = (tree.subtree_sum(at, snapshot.end) > 0) & ~lies
    top = at | (~lies & ~holds & holds[np.maximum(snapshot.parent, 0)])
    top[0] |= not top.any()
    element = tree.nearest_ancestor(top, snapshot.parent).astype(np.int64)
    loose = holds[blocks.node]
    run = count + _runs(loose, regions.block_region)
    container = np.append(blocks.node, 0)[blocks.text_block]
    inside = np.where(blocks.text_block >= 0, container, snapshot.text_parent)
    is_loose = np.append(loose, False)[blocks.text_block]
    text = np.where(is_loose, np.append(run, 0)[blocks.text_block], element[inside])
    return np.concatenate([element, text])


def _runs(loose: NDArray[np.bool_], region: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64 (B,): the number of the run of loose blocks, each after the other in one container, that a block is in."""
    begins = np.ones(len(loose), dtype=bool)
    begins[1:] = (np.diff(region) != 0) | ~loose[1:] | ~loose[:-1]
    return np.cumsum(begins)


def _boxes(page: VisualPage, rows: list[_Row]) -> NDArray[np.float32]:
    """float32 (S, 4): what the leaves of each segment paint, and the element it is of; of the first, the page."""
    extents: list[list[Extent]] = [[page.extent[node] for node in row.leaves] for row in rows]
    boxes = np.zeros((len(rows), 4), dtype=np.float32)
    for number in range(len(rows) - 1, 0, -1):
        row = rows[number]
        if 0 <= row.key < page.first_text:
            extents[number].append(page.extent[row.key])
        left, top, right, bottom = zip(*extents[number], strict=True)
        union = (min(left), min(top), max(right), max(bottom))
        boxes[number] = (union[0], union[1], union[2] - union[0], union[3] - union[1])
        extents[row.above].append(union)
    boxes[0, 2:] = page.snapshot.width, page.snapshot.height
    return boxes


def _no_separators() -> Separators:
    return Separators(
        segment=np.zeros(0, dtype=np.int32),
        vertical=np.zeros(0, dtype=bool),
        box=np.zeros((0, 4), dtype=np.float32),
        weight=np.zeros(0, dtype=np.int32),
    )


FORMAT: Final = 1
"""Version of the file's layout."""
SEEDS: Final = (20071, 20072, 20073)
_SHIPPED: Final = "segments.vclean"
_REGIONS: Final = "regions.txt"
_MEMBERS: Final = tuple(tuple(f"level{level}-{number}.txt" for number in range(len(SEEDS))) for level in LEVELS)
_REMEDY: Final = "train it with `vclean train-segments`"


@dataclass(frozen=True, slots=True, eq=False)
class SegmentModel:
    """A trained segmenter.

    Attributes:
        regions: boosted trees, the role of a container (`vclean.classify.regions.model`).
        levels: for each level of the marks, boosted trees: the probability that a container is divided.
        card: what the model is: archive, pages, seeds, versions, columns.
    """

    regions: Forest
    levels: tuple[tuple[Forest, ...], ...]
    card: dict[str, Any]

    def __call__(self, snapshot: Snapshot) -> Segments:
        """The main segments of a rendered page, and their parts.

        Raises:
            UsageError: the page was not rendered.
        """
        page = SegmentPage.of(snapshot)
        if page is None:
            return algorithm.single_segment(snapshot, METHOD)
        x = with_roles(page.x, page.regions.parent, self.regions)
        main, parts = (_mean(trees, x) for trees in self.levels)
        states = best_states(main, page.sizes)
        finer = best_states(np.where(states == State.ABOVE, 1.0, parts), page.sizes)
        return build_segments(page.painted, page.regions, states, finer)

    def has_seen(self, address: str) -> bool:
        """Whether it learned from the page at this address."""
        return address in self.card.get("pages", ())

    def to_bytes(self) -> bytes:
        """The model's file; the same model gives the same bytes."""
        card = json.dumps(self.card, indent=1, ensure_ascii=False)
        trees = zip(chain(*_MEMBERS), chain(*self.levels), strict=True)
        texts = {"card.json": card, _REGIONS: self.regions.text}
        texts |= {name: forest.text for name, forest in trees}
        return pack({name: text.encode() for name, text in texts.items()})


def with_roles(x: NDArray[np.float32], parent: NDArray[np.int32], regions: Forest) -> NDArray[np.float32]:
    """float32 (C, len(COLUMNS)): `x` (C, len(segment_columns.COLUMNS)) and what the region model says."""
    posterior = model.posterior(regions, x[:, :REGIONAL])
    return np.hstack([x, role_matrix(posterior, parent)])


def load(path: Path | None = None) -> SegmentModel:
    """The model in the file `path`, or the one that ships with the package.

    Raises:
        ModelError: the file is missing, damaged, no model, or of another version of vclean.
    """
    return from_bytes(model_file.read(path), str(path)) if path else load_default()


@cache
def load_default() -> SegmentModel:
    """The model that ships with the package.

    Raises:
        ModelError: it is not there or damaged.
    """
    return from_bytes(model_file.shipped(_SHIPPED), "the shipped segment model")


def from_bytes(data: bytes, name: str) -> SegmentModel:
    """The model in `data`; `name` is what messages call it.

    Raises:
        ModelError: it is damaged, no model, or of another version of vclean.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            card = json.loads(archive.read("card.json"))
            same = card["format"] == FORMAT and card["columns"] == [column.name for column in COLUMNS]
            regions = Forest(archive.read(_REGIONS).decode())
            levels = tuple(tuple(Forest(archive.read(member).decode()) for member in level) for level in _MEMBERS)
    except DAMAGE as error:
        raise ModelError(f"{name} is no segment model of vclean, or a damaged one: {_REMEDY}") from error
    if not same:
        raise ModelError(f"{name} is of another version of vclean: {_REMEDY}")
    return SegmentModel(regions, levels, card)


def _mean(trees: Sequence[Forest], x: NDArray[np.float32]) -> NDArray[np.float64]:
    """float64 (C,): the probability that every container is divided."""
    found = [forest.predict(x) for forest in trees]
    return np.asarray(np.mean(found, axis=0))
