"""The columns by which a container of a page is told to be one segment of it or several.

They are those of regions, what VIPS makes of the page (Cai et al. 2003), the tree of candidates round and in a
container, and which roles the region model gives to it and to these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree
from vclean.features.columns import FeatureColumn, parse_columns, ratio, stack_columns
from vclean.features.names import lexicon
from vclean.features.regions import columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.regions.candidates import Regions
    from vclean.features.segments.segments import Segments


SHAPE_COLUMNS: Final = parse_columns(
    """
painted_width | share | Width of what it paints, in page widths.
painted_height | share | Height of what it paints, in page heights.
painted_px | CSS px | Height of what it paints.
painted_area | share | Area of what it paints, in page areas.
loose_words | share | Its words that are in no candidate in it.
second_of_it | share | Its words in the candidate in it that has the second most.
spread_of_words | nats | Entropy of the shares of its words in the candidates in it.
parts_of_5 | candidates | Those in it with more than 5 % of its words each.
parts_of_20 | candidates | Those in it with more than 20 % of its words each.
parts_beside | candidates | The most of them that stand side by side, those of at least 3 % of its words.
parts_in_rows | share | Those of at least 3 % that have another beside them.
parts_across | share | Those in it that paint nine tenths of its width.
parts_alike | share | Those in it with the most frequent chain of tags and classes.
widest_gap | CSS px | The highest strip between two of them, from top to bottom.
"""
)

_SMALL, _LARGE = 0.05, 0.2
_TOLD: Final = 0.03
"""A part of so many of the words tells whether parts stand side by side."""
_ACROSS: Final = 0.9
_SLACK: Final = 3
"""Boxes that overlap by fewer px than this stand beside each other."""


def shape_values(regions: Regions, painted: NDArray[np.floating], words: NDArray[np.floating]) -> Values:
    """The columns of this module, each (C,).

    Args:
        regions: the candidates of a page.
        painted: (C, 4), left, top, right, bottom in CSS px of what each paints.
        words: (C,), the words in each.
    """
    shape = Shape(regions, np.asarray(painted, dtype=np.float64), np.asarray(words, dtype=np.float64))
    return {**_size(shape), **_shares(shape), **_layout(shape)}


@dataclass(frozen=True, eq=False)
class Shape:
    """The candidates of a page with what they paint and hold; arguments as of `shape_values`."""

    regions: Regions
    painted: NDArray[np.float64]
    words: NDArray[np.float64]

    @cached_property
    def width(self) -> NDArray[np.float64]:
        """float64 (C,): CSS px."""
        return np.maximum(self.painted[:, 2] - self.painted[:, 0], 0)

    @cached_property
    def height(self) -> NDArray[np.float64]:
        """float64 (C,): CSS px."""
        return np.maximum(self.painted[:, 3] - self.painted[:, 1], 0)

    @cached_property
    def parts(self) -> list[list[int]]:
        """The candidates in each that are in no other in it."""
        parts: list[list[int]] = [[] for _ in range(len(self.regions))]
        for row, above in enumerate(self.regions.parent.tolist()):
            if above >= 0:
                parts[above].append(row)
        return parts

    def share(self, row: int) -> NDArray[np.float64]:
        """The shares of its words in its parts."""
        return np.asarray(self.words[self.parts[row]] / max(self.words[row], 1e-9))


def _size(shape: Shape) -> Values:
    width, height = shape.regions.snapshot.width, max(shape.regions.snapshot.height, 1.0)
    return {
        "painted_width": shape.width / width,
        "painted_height": shape.height / height,
        "painted_px": shape.height,
        "painted_area": shape.width * shape.height / (width * height),
    }


def _shares(shape: Shape) -> Values:
    """How the words are shared out among the parts."""
    shares = [np.sort(shape.share(row))[::-1] for row in range(len(shape.regions))]
    logs = [own[own > 0] for own in shares]
    return {
        "loose_words": np.array([max(0.0, 1 - own.sum()) for own in shares]),
        "second_of_it": np.array([own[1] if len(own) > 1 else 0.0 for own in shares]),
        "spread_of_words": np.array([-(own * np.log(own)).sum() for own in logs]),
        "parts_of_5": np.array([(own > _SMALL).sum() for own in shares]),
        "parts_of_20": np.array([(own > _LARGE).sum() for own in shares]),
    }


def _layout(shape: Shape) -> Values:
    beside = [_beside(shape, row) for row in range(len(shape.regions))]
    count = np.array([len(own) for own in shape.parts])
    across = [(shape.width[own] >= _ACROSS * shape.width[row]).sum() for row, own in enumerate(shape.parts)]
    path = shape.regions.context.class_path[shape.regions.node]
    alike = [np.unique(path[own], return_counts=True)[1].max(initial=0) for own in shape.parts]
    return {
        "parts_beside": np.array([1 + own.max() if len(own) else 0 for own in beside]),
        "parts_in_rows": np.array([(own > 0).mean() if len(own) else 0.0 for own in beside]),
        "parts_across": ratio(np.array(across), count),
        "parts_alike": ratio(np.array(alike), count),
        "widest_gap": np.array([_widest_gap(shape.painted[own]) for own in shape.parts]),
    }


def _beside(shape: Shape, row: int) -> NDArray[np.int64]:
    """How many parts stand beside each part that counts: to its left or right, for half the lower one's height."""
    parts = np.array(shape.parts[row], dtype=np.int64)
    parts = parts[(shape.words[parts] >= _TOLD * shape.words[row]) & (shape.height[parts] > 0)]
    left, top, right, bottom = shape.painted[parts].T[:, :, None]
    shared = np.minimum(bottom, bottom.T) - np.maximum(top, top.T)
    low = np.minimum(bottom - top, (bottom - top).T)
    apart = (left >= right.T - _SLACK) | (right - _SLACK <= left.T)
    beside = (shared > low / 2) & apart & ~np.eye(len(parts), dtype=bool)
    return np.asarray(beside.sum(axis=1))


def _widest_gap(painted: NDArray[np.float64]) -> float:
    if len(painted) < 2:
        return 0.0
    ordered = painted[np.argsort(painted[:, 1], kind="stable")]
    return float((ordered[1:, 1] - np.maximum.accumulate(ordered[:-1, 3])).max())


_PDOCS: Final = (4, 6, 9)
"""Degrees of coherence at which VIPS's cuts are counted: coarse, middle, fine."""
_NAMES: Final = (*lexicon.KINDS, *(f"name_{name}" for name in lexicon.NAME_GROUPS))

_TREE_COLUMNS: Final = (
    *parse_columns(
        """
vips_coherence | 1 to 11 | Degree of coherence of the innermost VIPS segment that holds it.
vips_depth | segments | How deep that segment is nested.
vips_roots | nodes | Roots of that segment in the document.
is_vips_segment | flag | It, or an element that holds the same blocks, is the only root of a VIPS segment.
vips_coherence_of_around | 1 to 11 | `vips_coherence` of the candidate round it; 0 for the outermost.
candidate_depth | candidates | Candidates round it.
candidates_in | candidates | Candidates in it that are in no other in it.
candidates_beside | candidates | `candidates_in` of the candidate round it; 0 for the outermost.
largest_in | share | The largest share of the page's words in a candidate in it.
largest_of_it | share | That share over its own.
"""
    ),
    *(
        FeatureColumn(f"vips_{pdoc}", "segments", f"Leaves with text in it where VIPS cuts to {pdoc}.")
        for pdoc in _PDOCS
    ),
    *(FeatureColumn(f"vips_whole_{pdoc}", "share", "Those of them that have no text outside it.") for pdoc in _PDOCS),
    *(FeatureColumn(f"holds_{name}", "flag", f"`{name}` of a candidate in it.") for name in _NAMES),
)

COLUMNS: Final = (*columns.COLUMNS, *_TREE_COLUMNS, *SHAPE_COLUMNS)
"""The columns of a container that need no model, those of regions first."""


REGIONAL: Final = len(columns.COLUMNS)
"""The first columns are those that the region model reads."""

_PLACE: Final = {column.name: place for place, column in enumerate(COLUMNS)}


def segment_matrix(
    regions: Regions, values: Values, segments: Segments, painted: NDArray[np.floating]
) -> NDArray[np.float32]:
    """float32 (C, len(COLUMNS)): the features of all candidates of a page.

    Args:
        regions: the candidates of a rendered page with at least one block.
        values: the linguistic, structural and visual columns of its blocks.
        segments: what VIPS makes of the page, cut as far as it can be.
        painted: (C, 4), left, top, right, bottom in CSS px of what each candidate paints.
    """
    x = columns.region_matrix(regions, values)
    found = _vips(regions, segments) | _tree(regions, x[:, _PLACE["words_of_page"]]) | _holds(regions, x)
    shapes = shape_values(regions, painted, x[:, _PLACE["words"]])
    return np.hstack([x, stack_columns(_TREE_COLUMNS, found), stack_columns(SHAPE_COLUMNS, shapes)])


def words_of_page(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (C,): the share of the page's words in every row of a matrix."""
    return np.nan_to_num(x[:, _PLACE["words_of_page"]])


def max_over_descendants(values: NDArray[np.float32], parent: NDArray[np.int32]) -> NDArray[np.float32]:
    """float32 (C, k): the highest of `values` among the candidates in each, 0 where there are none."""
    highest = np.zeros_like(values)
    above = parent.tolist()
    for row in range(len(above) - 1, 0, -1):
        if above[row] >= 0:
            np.maximum(highest[above[row]], np.maximum(highest[row], values[row]), out=highest[above[row]])
    return highest


def _holds(regions: Regions, x: NDArray[np.float32]) -> Values:
    own = np.nan_to_num(x[:, [_PLACE[name] for name in _NAMES]])
    held = max_over_descendants(own, regions.parent)
    return {f"holds_{name}": held[:, place] for place, name in enumerate(_NAMES)}


def _vips(regions: Regions, segments: Segments) -> Values:
    home = segments.node_segment[regions.node]
    seen = home >= 0
    coherence = np.where(seen, segments.coherence[home], 0)
    parent = regions.parent
    roots = np.array([len(own) for own in segments.roots])
    return {
        "vips_coherence": coherence,
        "vips_depth": np.where(seen, segments.depth[home], 0),
        "vips_roots": np.where(seen, roots[home], 0),
        "is_vips_segment": _is_only_root(regions, segments),
        "vips_coherence_of_around": np.where(parent >= 0, coherence[parent], 0),
        **_cuts(regions, segments),
    }


def _cuts(regions: Regions, segments: Segments) -> Values:
    """How many leaves VIPS has in each candidate, by degree of coherence, and how many of them are wholly in it."""
    snapshot = regions.snapshot
    inside = tree.subtree_sum(np.bincount(snapshot.text_parent, minlength=len(snapshot)), snapshot.end)
    first = np.searchsorted(snapshot.text_after, regions.node)
    runs = [slice(begin, begin + count) for begin, count in zip(first, inside[regions.node], strict=True)]
    found: Values = {}
    for pdoc in _PDOCS:
        owner = segments.at(pdoc).text
        size = np.bincount(owner[owner >= 0], minlength=1)
        held = [np.unique(own[own >= 0], return_counts=True) for own in (owner[run] for run in runs)]
        found[f"vips_{pdoc}"] = count = np.array([len(leaves) for leaves, _ in held])
        found[f"vips_whole_{pdoc}"] = ratio(np.array([(texts == size[own]).sum() for own, texts in held]), count)
    return found


def _is_only_root(regions: Regions, segments: Segments) -> NDArray[np.bool_]:
    count = len(regions.snapshot)
    only = [own[0] for own in segments.roots if len(own) == 1 and own[0] < count]
    holder = regions.context.container
    return np.isin(regions.node, holder[only])


def _tree(regions: Regions, words: NDArray[np.float32]) -> Values:
    parent, count = regions.parent, len(regions)
    inner = parent >= 0
    inside = np.bincount(parent[inner], minlength=count)
    largest = np.zeros(count, dtype=np.float32)
    np.maximum.at(largest, parent[inner], words[inner])
    depth = np.zeros(count, dtype=np.int64)
    for row in np.flatnonzero(inner).tolist():
        depth[row] = depth[parent[row]] + 1
    return {
        "candidate_depth": depth,
        "candidates_in": inside,
        "candidates_beside": np.where(inner, inside[parent], 0),
        "largest_in": largest,
        "largest_of_it": ratio(largest, words),
    }
