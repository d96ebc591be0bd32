"""The columns by which a container of a page is told to be one segment of it or several.

They are those of regions, what VIPS makes of the page (Cai et al. 2003), the tree of candidates round and in a
container, and which roles the region model gives to it and to these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import names, region_columns, segment_shape, tree
from vclean.features.columns import Column, ratio, stack, table
from vclean.features.region_blocks import CLASSES
from vclean.roles import Role

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.regions import Regions
    from vclean.features.segments import Segments

_PDOCS: Final = (4, 6, 9)
"""Degrees of coherence at which VIPS's cuts are counted: coarse, middle, fine."""
_NAMES: Final = (*names.KINDS, *(f"name_{name}" for name in names.NAMES))

_TREE_COLUMNS: Final = (
    *table(
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
    *(Column(f"vips_{pdoc}", "segments", f"Leaves with text in it where VIPS cuts to {pdoc}.") for pdoc in _PDOCS),
    *(Column(f"vips_whole_{pdoc}", "share", "Those of them that have no text outside it.") for pdoc in _PDOCS),
    *(Column(f"holds_{name}", "flag", f"`{name}` of a candidate in it.") for name in _NAMES),
)

SEEN_COLUMNS: Final = (*region_columns.COLUMNS, *_TREE_COLUMNS, *segment_shape.COLUMNS)
"""The columns of a container that need no model, those of regions first."""

_CLASSES: Final = (*Role, "none")
ROLE_COLUMNS: Final = (
    *(Column(f"role_{role}", "probability", f"It is a region: {role}.") for role in _CLASSES),
    *(Column(f"role_in_{role}", "probability", f"The highest `role_{role}` in it.") for role in _CLASSES),
    *(Column(f"role_sum_{role}", "candidates", f"Sum of `role_{role}` over those next in it.") for role in _CLASSES),
    *(Column(f"role_round_{role}", "probability", f"The highest `role_{role}` round it.") for role in _CLASSES),
)
"""The columns that the region model tells."""

COLUMNS: Final = (*SEEN_COLUMNS, *ROLE_COLUMNS)
"""All columns of a container."""

REGIONAL: Final = len(region_columns.COLUMNS)
"""The first columns are those that the region model reads."""

_PLACE: Final = {column.name: place for place, column in enumerate(SEEN_COLUMNS)}


def segment_matrix(
    regions: Regions, values: Values, segments: Segments, painted: NDArray[np.floating]
) -> NDArray[np.float32]:
    """float32 (C, len(SEEN_COLUMNS)): the features of all candidates of a page.

    Args:
        regions: the candidates of a rendered page with at least one block.
        values: the linguistic, structural and visual columns of its blocks.
        segments: what VIPS makes of the page, cut as far as it can be.
        painted: (C, 4), left, top, right, bottom in CSS px of what each candidate paints.
    """
    x = region_columns.region_matrix(regions, values)
    found = _vips(regions, segments) | _tree(regions, x[:, _PLACE["words_of_page"]]) | _holds(regions, x)
    shapes = segment_shape.shape_values(regions, painted, x[:, _PLACE["words"]])
    return np.hstack([x, stack(_TREE_COLUMNS, found), stack(segment_shape.COLUMNS, shapes)])


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
    return np.hstack([posterior, _highest_in(posterior, parent), total, around]).reshape(-1, 4 * CLASSES)


def words_of_page(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (C,): the share of the page's words in every row of a matrix."""
    return np.nan_to_num(x[:, _PLACE["words_of_page"]])


def _highest_in(values: NDArray[np.float32], parent: NDArray[np.int32]) -> NDArray[np.float32]:
    """float32 (C, k): the highest of `values` among the candidates in each, 0 where there are none."""
    highest = np.zeros_like(values)
    above = parent.tolist()
    for row in range(len(above) - 1, 0, -1):
        if above[row] >= 0:
            np.maximum(highest[above[row]], np.maximum(highest[row], values[row]), out=highest[above[row]])
    return highest


def _holds(regions: Regions, x: NDArray[np.float32]) -> Values:
    own = np.nan_to_num(x[:, [_PLACE[name] for name in _NAMES]])
    held = _highest_in(own, regions.parent)
    return {f"holds_{name}": held[:, place] for place, name in enumerate(_NAMES)}


def _vips(regions: Regions, segments: Segments) -> Values:
    home = segments.homes[regions.node]
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
    holder = regions.view.container
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
