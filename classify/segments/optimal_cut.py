"""Find the segmentation of a page with the best expected extended BCubed F1.

A segmentation is a cut of the container tree: the containers at the cut are the segments. A model predicts for each
container the probability that it is divided, given that it is not inside a segment. This gives the probability that
each container is a segment. Extended BCubed over characters is a sum over segments, so the expected precision and
recall of each cut follow exactly. For a fixed weight of precision against recall, dynamic programming from the
innermost containers outwards finds the best cut. Of the cuts for several weights, the one with the best F1 is returned.

Let container C have n characters, and let T be a true segment. The precision of C is the sum over T of |T and C|^2 / n,
and its recall is the sum over T of |T and C|^2 / |T|. T contains C, or C contains T, or they are disjoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.regions import Regions


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
        has_children = np.zeros(len(self.parent), dtype=bool)
        has_children[self.parent[self.parent >= 0]] = True
        return has_children


class SegmentProbabilities(NamedTuple):
    """Probabilities and expectations for C containers, float64 (C,) each.

    Attributes:
        divided: probability that the container and all its ancestors are divided.
        is_segment: probability that the container is a segment.
        inside: probability that the container is a segment or inside one.
        inverse_size: expected value of 1 / size of the segment that is or contains the container; 0 if divided.
    """

    divided: NDArray[np.float64]
    is_segment: NDArray[np.float64]
    inside: NDArray[np.float64]
    inverse_size: NDArray[np.float64]


def best_states(divide: NDArray[np.floating], sizes: Sizes) -> NDArray[np.int8]:
    """Return the states (`State`) of the containers in the cut with the best expected F1, int8 (C,).

    Args:
        divide: (C,), probability that a container is divided, given that it is not inside a segment.
        sizes: sizes of the containers.
    """
    as_segment, of_runs = _gains(sizes, segment_probabilities(divide, sizes))
    cuts = [_best_cut(np.array([weight, 1 - weight]), as_segment, of_runs, sizes) for weight in _PRECISION_WEIGHTS]
    _, is_segment = max(cuts, key=lambda cut: cut[0])
    return _states(is_segment, sizes.parent)


def segment_probabilities(divide: NDArray[np.floating], sizes: Sizes) -> SegmentProbabilities:
    """Compute the probabilities of segments from the probabilities `divide` (C,); leaves are never divided."""
    undivided = 1 - np.where(sizes.divisible, divide, 0).astype(np.float64)
    divided, is_segment, inside, inverse_size = np.zeros((4, len(undivided) + 1))
    divided[-1] = 1  # the last row is the parent of outermost containers
    for row, parent_row in enumerate(sizes.parent.tolist()):
        is_segment[row] = divided[parent_row] * undivided[row]
        divided[row] = divided[parent_row] - is_segment[row]
        inside[row] = inside[parent_row] + is_segment[row]
        inverse_size[row] = inverse_size[parent_row] + is_segment[row] / max(sizes.characters[row], 1.0)
    return SegmentProbabilities(divided[:-1], is_segment[:-1], inside[:-1], inverse_size[:-1])


def _gains(sizes: Sizes, expected: SegmentProbabilities) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the contributions to expected precision and recall: of containers as segments, and of runs, (C, 2) each.

    The runs of a container count if it is divided: each run is then a segment.
    """
    characters, container, run = sizes.characters, sizes.run_container, sizes.run_characters
    # Expected sum of squared sizes of the true segments inside each container.
    inner_squares = np.bincount(container, expected.divided[container] * run**2, minlength=len(characters))
    parent = sizes.parent.tolist()
    for row in range(len(characters) - 1, 0, -1):
        if parent[row] >= 0:
            inner_squares[parent[row]] += inner_squares[row] + expected.is_segment[row] * characters[row] ** 2
    precision = characters * expected.inside + inner_squares / np.maximum(characters, 1.0)
    recall = characters**2 * expected.inverse_size + characters * expected.divided
    run_precision = run * (expected.inside + expected.divided)[container]
    run_recall = run**2 * expected.inverse_size[container] + run * expected.divided[container]
    of_runs = [np.bincount(container, gain, minlength=len(characters)) for gain in (run_precision, run_recall)]
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
    return _f1(precision, recall), is_segment


def _f1(precision: float, recall: float) -> float:
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def _states(is_segment: NDArray[np.bool_], parent: NDArray[np.int32]) -> NDArray[np.int8]:
    """Return the states of the containers; of nested segments, the outermost counts."""
    state = np.where(is_segment, State.AT, State.ABOVE).astype(np.int8)
    for row, parent_row in enumerate(parent.tolist()):
        if parent_row >= 0 and state[parent_row] != State.ABOVE:
            state[row] = State.BELOW
    return state
