"""Segment pages with a trained model that predicts which containers are divided into several segments.

The model has two levels: main segments, and their parts. A model file is a zip archive. `card.json` lists training
pages, versions and feature columns. The other files are boosted trees in LightGBM's text format: `regions.txt` for the
roles of containers, and for each level a few models that differ by seed. Their probabilities are averaged.

The segmentation of a page is the one with the best expected extended BCubed F1.
A segmentation is a cut of the container tree: the containers at the cut are the segments. A model predicts for each
container the probability that it is divided, given that it is not inside a segment. This gives the probability that
each container is a segment. Extended BCubed over characters is a sum over segments, so the expected precision and
recall of each cut follow exactly. For a fixed weight of precision against recall, dynamic programming from the
innermost containers outwards finds the best cut. Of the cuts for several weights, the one with the best F1 is returned.

Let container C have n characters, and let T be a true segment. The precision of C is the sum over T of |T and C|^2 / n,
and its recall is the sum over T of |T and C|^2 / |T|. T contains C, or C contains T, or they are disjoint.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import model_file
from vclean.classify.forest import Forest
from vclean.classify.regions import CLASSES
from vclean.errors import ModelError, UsageError
from vclean.features.blocks import extract_blocks
from vclean.features.columns import FeatureColumn
from vclean.features.matrix import block_values
from vclean.features.page_context import PageContext
from vclean.features.regions import candidate_regions
from vclean.features.segments import columns as segment_columns
from vclean.features.segments import vips
from vclean.features.segments.columns import REGIONAL, max_over_descendants, segment_matrix
from vclean.features.segments.segments import MOST_COHERENT
from vclean.features.segments.vips_page import VisualPage, to_segments
from vclean.labels import REGION_ROLES, Visibility
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.regions import Regions
    from vclean.features.segments.segments import Segments
    from vclean.features.segments.vips_page import Extent
    from vclean.render.snapshot import Snapshot


_CLASSES: Final = (*REGION_ROLES, "none")
_ROLE_COLUMNS: Final = (
    ("role", "probability", "Probability of the role: {}."),
    ("role_in", "probability", "Maximum of `role_{}` over the descendants."),
    ("role_sum", "candidates", "Sum of `role_{}` over the children."),
    ("role_round", "probability", "Maximum of `role_{}` over the ancestors."),
)
ROLE_COLUMNS: Final = tuple(
    FeatureColumn(f"{prefix}_{role}", unit, doc.format(role))
    for prefix, unit, doc in _ROLE_COLUMNS
    for role in _CLASSES
)
"""Features from the probabilities of the region model."""

COLUMNS: Final = (*segment_columns.COLUMNS, *ROLE_COLUMNS)
"""Columns of the trees' matrix: features of the page, then of the region model."""


def role_matrix(roles: NDArray[np.float32], parent: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the role features of candidates, their descendants, children and ancestors: (C, len(ROLE_COLUMNS)).

    Args:
        roles: float32 (C, CLASSES), probabilities of each role, and of none.
        parent: int32 (C,), parent of each candidate, which comes before it; -1 for outermost candidates.

    Returns:
        float32 (C, len(ROLE_COLUMNS)).
    """
    total, of_ancestors = np.zeros_like(roles), np.zeros_like(roles)
    for row, parent_row in enumerate(parent.tolist()):
        if parent_row >= 0:
            of_ancestors[row] = np.maximum(of_ancestors[parent_row], roles[parent_row])
            total[parent_row] += roles[row]
    return np.hstack([roles, max_over_descendants(roles, parent), total, of_ancestors]).reshape(-1, 4 * CLASSES)


class State(IntEnum):
    """Position of a container relative to the cut of the container tree."""

    ABOVE = 0
    """The container contains several segments."""
    AT = 1
    """The container is a segment."""
    BELOW = 2
    """The container is inside a segment."""


_PRECISION_WEIGHTS: Final = np.linspace(0.1, 0.9, 17)
"""Weights of precision; recall has one minus the weight."""


@dataclass(frozen=True, eq=False)
class Sizes:
    """Visible characters of C containers, and of K runs of consecutive blocks with the same innermost container.

    Attributes:
        parent: int32 (C,), parent of each container, which comes before it; -1 for outermost containers.
        characters: float64 (C,), characters of each container.
        run_container: int64 (K,), innermost container of each run.
        run_characters: float64 (K,), characters of each run.
    """

    parent: NDArray[np.int32]
    characters: NDArray[np.float64]
    run_container: NDArray[np.int64]
    run_characters: NDArray[np.float64]

    @classmethod
    def from_regions(cls, regions: Regions) -> Sizes:
        """Count the characters of the candidates of a page with at least one block."""
        blocks = regions.context.blocks
        lengths = np.array([len(" ".join(text.split())) for text in blocks.text], dtype=np.float64)
        shown = np.where(blocks.visibility == Visibility.SHOWN, lengths, 0)
        before = np.append(0, np.cumsum(shown))
        first = np.flatnonzero(np.diff(regions.block_region, prepend=-1))
        return cls(
            parent=regions.parent,
            characters=before[regions.last] - before[regions.first],
            run_container=regions.block_region[first].astype(np.int64),
            run_characters=np.add.reduceat(shown, first),
        )

    @cached_property
    def divisible(self) -> NDArray[np.bool_]:
        """Return a mask of the containers that have children, bool (C,)."""
        return np.isin(np.arange(len(self.parent)), self.parent)


def best_states(divide: NDArray[np.floating], sizes: Sizes) -> NDArray[np.int8]:
    """Return the states (`State`) of the containers in the cut with the best expected F1, int8 (C,).

    Args:
        divide: (C,), probability that a container is divided, given that it is not inside a segment.
        sizes: sizes of the containers.
    """
    gains = _gains(divide, sizes)
    cuts = [_best_cut(np.array([weight, 1 - weight]), *gains, sizes) for weight in _PRECISION_WEIGHTS]
    _, is_segment = max(cuts, key=lambda cut: cut[0])
    state = np.where(is_segment, State.AT, State.ABOVE).astype(np.int8)
    for row, parent_row in enumerate(sizes.parent.tolist()):  # of nested segments, the outermost counts
        if parent_row >= 0 and state[parent_row] != State.ABOVE:
            state[row] = State.BELOW
    return state


def _gains(divide: NDArray[np.floating], sizes: Sizes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the contributions to expected precision and recall: of containers as segments, and of runs, (C, 2) each.

    Containers without children are never divided. The runs of a container count if it is divided: each run is then a
    segment.
    """
    characters, container, run = sizes.characters, sizes.run_container, sizes.run_characters
    count, parent = len(characters), sizes.parent.tolist()
    undivided = 1 - np.where(sizes.divisible, divide, 0).astype(np.float64)
    # Probability that a container and all its ancestors are divided, that it is a segment, that it is one or inside
    # one, and the expected value of 1 / size of that segment. The last row is the parent of outermost containers.
    divided, is_segment, inside, inverse_size = np.zeros((4, count + 1))
    divided[-1] = 1
    for row, above in enumerate(parent):
        is_segment[row] = divided[above] * undivided[row]
        divided[row] = divided[above] - is_segment[row]
        inside[row] = inside[above] + is_segment[row]
        inverse_size[row] = inverse_size[above] + is_segment[row] / max(characters[row], 1.0)
    divided, is_segment, inside, inverse_size = divided[:-1], is_segment[:-1], inside[:-1], inverse_size[:-1]
    # Expected sum of squared sizes of the true segments inside each container.
    inner_squares = np.bincount(container, divided[container] * run**2, minlength=count)
    for row in range(count - 1, 0, -1):
        if parent[row] >= 0:
            inner_squares[parent[row]] += inner_squares[row] + is_segment[row] * characters[row] ** 2
    precision = characters * inside + inner_squares / np.maximum(characters, 1.0)
    recall = characters**2 * inverse_size + characters * divided
    run_precision = run * (inside + divided)[container]
    run_recall = run**2 * inverse_size[container] + run * divided[container]
    of_runs = [np.bincount(container, gain, minlength=count) for gain in (run_precision, run_recall)]
    return np.stack([precision, recall], axis=1), np.stack(of_runs, axis=1)


def _best_cut(
    weights: NDArray[np.float64], as_segment: NDArray[np.float64], of_runs: NDArray[np.float64], sizes: Sizes
) -> tuple[float, NDArray[np.bool_]]:
    """Maximize the sum of precision and recall with `weights` (2,); return the F1 of the cut, and its segments.

    The mask of segments, bool (C,), is also True for some containers inside segments.
    """
    is_segment = np.ones(len(as_segment), dtype=bool)
    divided = np.vstack([of_runs, [0, 0]])  # the last row is the page, the parent of outermost containers
    for row in range(len(as_segment) - 1, -1, -1):
        is_segment[row] = not sizes.divisible[row] or as_segment[row] @ weights >= divided[row] @ weights
        divided[sizes.parent[row]] += as_segment[row] if is_segment[row] else divided[row]
    precision, recall = (divided[-1] / max(sizes.characters[sizes.parent < 0].sum(), 1.0)).tolist()
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f1, is_segment


LEVELS: Final = (1, 2)
"""Levels of marks: main segments, and their parts."""


def read_page(snapshot: Snapshot) -> tuple[VisualPage, Regions, NDArray[np.float32]] | None:
    """Compute the input of the segmenter; None for a page without text, or with one visible element.

    Returns:
        Visible elements and texts of the page; its C containers; their features, float32 (C,
        len(segment_columns.COLUMNS)).

    Raises:
        UsageError: the page was not rendered.
    """
    page, context = VisualPage(snapshot), PageContext(extract_blocks(snapshot))
    vips_segments = vips.segment(page)
    if not len(context) or len(vips_segments) == 1:
        return None
    regions = candidate_regions(context)
    return page, regions, segment_matrix(regions, block_values(context), vips_segments, page.edges[regions.node])


METHOD: Final = "learned"
WHOLE, MAIN, PART = 1, 6, 11
"""Degrees of coherence of the page, its main segments, and their parts."""


def build_segments(page: VisualPage, regions: Regions, main: NDArray[np.int8], parts: NDArray[np.int8]) -> Segments:
    """Build the segments of a page from the states of its containers.

    Visible nodes outside all segment containers form additional segments: runs of consecutive texts in one container,
    and the largest elements without a segment inside.

    Args:
        page: rendered page with visible nodes.
        regions: candidates of the page.
        main: states (C,) for the main segments.
        parts: states (C,) for the parts, which divide each container that `main` divides.
    """
    leaf = page.in_order[page.is_visible[page.in_order]]
    keys = np.stack([_keys(regions, states)[leaf] for states in (main, parts)], axis=1)
    by_key: dict[int, dict[int, list[int]]] = {}
    for node, (main_key, part_key) in zip(leaf.tolist(), keys.tolist(), strict=True):
        by_key.setdefault(main_key, {}).setdefault(part_key, []).append(node)
    rows: list[tuple[int, int, list[Extent]]] = [(-1, WHOLE, [])]
    owner = np.full(len(page.is_visible), -1, dtype=np.int32)

    def add(parent: int, coherence: int, key: int, nodes: list[int]) -> None:
        owner[nodes] = len(rows)
        container = [key] if 0 <= key < page.first_text else []
        rows.append((parent, coherence, [page.extent[node] for node in (*nodes, *container)]))

    for main_key, nodes_by_part in by_key.items():
        first, *others = nodes_by_part.values()
        number = len(rows)
        add(0, MAIN, main_key, [] if others else first)  # a main segment with a single part has no child
        for part_key, nodes in nodes_by_part.items() if others else ():
            add(number, PART, part_key, nodes)
    return to_segments(page, METHOD, rows, owner)


def _keys(regions: Regions, states: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the segment key of each element and text, int64 (N + T,); nodes of a segment have equal keys.

    The key of most nodes is the nearest ancestor that is a segment, or that is the largest element without a segment
    inside. Texts directly in an element with segments have a key of N or more for each run of consecutive texts.
    """
    snapshot, blocks = regions.snapshot, regions.context.blocks
    count = len(snapshot)
    is_segment = np.zeros(count, dtype=bool)
    is_segment[regions.node[states == State.AT]] = True
    in_segment = tree.inside(is_segment, snapshot.end)
    has_segment = (tree.subtree_sum(is_segment, snapshot.end) > 0) & ~in_segment
    top = is_segment | (~in_segment & ~has_segment & has_segment[np.maximum(snapshot.parent, 0)])
    top[0] |= not top.any()
    element = tree.nearest_ancestor(top, snapshot.parent).astype(np.int64)
    loose = has_segment[blocks.node]  # not in a segment, but in an element with segments
    begins = np.ones(len(loose), dtype=bool)  # runs of consecutive loose blocks in one container
    begins[1:] = (np.diff(regions.block_region) != 0) | ~loose[1:] | ~loose[:-1]
    of_blocks = np.where(loose, count + np.cumsum(begins), element[blocks.node])
    in_block = blocks.text_block >= 0
    text = np.where(in_block, np.append(of_blocks, 0)[blocks.text_block], element[snapshot.text_parent])
    return np.concatenate([element, text])


FORMAT: Final = 1
"""Version of the file format."""
SEEDS: Final = (20071, 20072, 20073)
_SHIPPED: Final = "segments.vclean"
_REGIONS: Final = "regions.txt"
_MEMBERS: Final = tuple(tuple(f"level{level}-{number}.txt" for number in range(len(SEEDS))) for level in LEVELS)
_REMEDY: Final = "train one with `vclean train-segments`"


@dataclass(frozen=True, slots=True, eq=False)
class SegmentModel:
    """Trained segmenter.

    Attributes:
        regions: boosted trees for the role of a container (`vclean.classify.regions`).
        levels: for each level, several boosted trees for the probability that a container is divided.
        card: description of the model: archive, pages, seeds, versions, columns.
    """

    regions: Forest
    levels: tuple[tuple[Forest, ...], ...]
    card: dict[str, Any]

    def __call__(self, snapshot: Snapshot) -> Segments:
        """Return the main segments of a rendered page, and their parts.

        Raises:
            UsageError: the page was not rendered.
        """
        features = read_page(snapshot)
        if features is None:
            return replace(vips.segment(snapshot).at(1), method=METHOD, pdoc=MOST_COHERENT, full_tree=None)
        page, regions, columns = features
        x = with_roles(columns, regions.parent, self.regions)
        main, parts = (np.mean([trees.predict(x) for trees in level], axis=0) for level in self.levels)
        sizes = Sizes.from_regions(regions)
        states = best_states(main, sizes)
        finer = best_states(np.where(states == State.ABOVE, 1.0, parts), sizes)
        return build_segments(page, regions, states, finer)

    def to_bytes(self) -> bytes:
        """Return the content of the model file; equal models give equal bytes."""
        texts = {"card.json": json.dumps(self.card, indent=1, ensure_ascii=False), _REGIONS: self.regions.text}
        texts |= {name: trees.text for name, trees in zip(chain(*_MEMBERS), chain(*self.levels), strict=True)}
        return model_file.pack({name: text.encode() for name, text in texts.items()})


def with_roles(x: NDArray[np.float32], parent: NDArray[np.int32], regions: Forest) -> NDArray[np.float32]:
    """Append the role features to `x` (C, len(segment_columns.COLUMNS)): float32 (C, len(COLUMNS))."""
    return np.hstack([x, role_matrix(regions.predict(x[:, :REGIONAL]).astype(np.float32), parent)])


def load(path: Path | None = None) -> SegmentModel:
    """Load the model in the file `path`, or the model that ships with the package.

    Raises:
        ModelError: the file is missing, damaged, not a model, or from another version of vclean.
    """
    return model_file.load(from_bytes, path, _SHIPPED)


def from_bytes(data: bytes, name: str) -> SegmentModel:
    """Load a model from the content of its file; error messages call the file `name`.

    Raises:
        ModelError: the file is damaged, not a model, or from another version of vclean.
    """
    if_damaged = f"{name} is not a segment model of vclean, or is damaged: {_REMEDY}"
    with model_file.opened(data, if_damaged) as (archive, card):
        is_compatible = card["format"] == FORMAT and card["columns"] == [column.name for column in COLUMNS]
        regions = Forest(archive.read(_REGIONS).decode())
        levels = tuple(tuple(Forest(archive.read(member).decode()) for member in level) for level in _MEMBERS)
    if not is_compatible:
        raise ModelError(f"{name} is from another version of vclean: {_REMEDY}")
    return SegmentModel(regions, levels, card)


MODEL_SUFFIX: Final = ".vclean"
"""File name extension of trained segmenters."""


def get(name: str) -> Callable[[Snapshot], Segments]:
    """Return the segmentation method called `name`; a name that ends in `.vclean` is the file of a trained segmenter.

    A method divides a rendered page as far as possible; equal snapshots give equal segments. It raises a `UsageError`
    for a page that was not rendered.

    Raises:
        UsageError: the method does not exist; the message lists the available methods.
        ModelError: the file is missing, damaged, or from another version of vclean.
    """
    if name == "vips":
        return vips.segment
    if name != METHOD and not name.endswith(MODEL_SUFFIX):
        raise UsageError(
            f"no segmentation method {name!r}: choose one of vips, {METHOD}, or a model, FILE{MODEL_SUFFIX}"
        )
    return load(None if name == METHOD else Path(name))


def describe(segments: Segments, blocks: BlockColumns, prediction: Prediction) -> Segments:
    """Return the segments of a page with their content shares, and their roles: those of half of their words or more.

    Args:
        segments: the segments.
        blocks: the blocks of the same snapshot.
        prediction: the labels and roles of the blocks.
    """
    block, segment = blocks.text_block[blocks.members], segments.text[blocks.members]
    words = np.array([len(blocks.snapshot.texts[text].split()) for text in blocks.members.tolist()], dtype=np.float64)
    is_content = np.array([label.is_content for label in prediction.labels], dtype=bool)[block]
    roles = sorted({role for role in prediction.roles if role})
    by_block = prediction.roles or [None] * len(blocks)
    role = np.array([roles.index(each) if each else -1 for each in by_block], dtype=np.int64)[block]
    inside = segment >= 0
    own = [
        np.bincount(segment[inside], weights[inside], len(segments)).astype(np.float64)
        for weights in (words, words * is_content, *(words * (role == row) for row in range(len(roles))))
    ]
    total, content, *of_roles = tree.subtree_sum(np.stack(own, axis=1), segments.end).T
    share = np.full(len(segments), np.nan, dtype=np.float32)
    np.divide(content, total, out=share, where=total > 0, casting="same_kind")
    most = np.max([*of_roles, np.zeros(len(segments))], axis=0)
    has_role = (most >= 0.5 * total) & (most > 0)
    largest = np.argmax(of_roles, axis=0).tolist() if roles else []
    described = tuple(roles[largest[row]] if known else None for row, known in enumerate(has_role.tolist()))
    return replace(segments, roles=described, content_share=share)
