"""Compute features that decide whether a container is one segment or several.

The features are those of regions, results of VIPS (Cai et al. 2003), and the tree of candidates around and in a
container. The segment model adds the roles that the region model predicts for these candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import element_names
from vclean.features.columns import FeatureColumn, ratio, read_columns, stack_rows
from vclean.features.regions import COLUMNS as REGION_COLUMNS
from vclean.features.regions import region_matrix
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.regions import Regions
    from vclean.features.segments.segments import Segments


SHAPE_COLUMNS: Final = read_columns("segment", "shape")

_SIGNIFICANT: Final = 0.03
"""Minimum share of a container's words in a part that counts as side by side with another."""
_ACROSS: Final = 0.9
_SLACK: Final = 3
"""Maximum overlap in px of boxes that count as side by side."""


def shape_values(regions: Regions, painted: NDArray[np.floating], words: NDArray[np.floating]) -> Values:
    """Return `SHAPE_COLUMNS`: (C,) each.

    Args:
        regions: the candidates of a page.
        painted: (C, 4), left, top, right, bottom in CSS px of each candidate's painted box.
        words: (C,), the number of words in each candidate.
    """
    boxes, counts = np.asarray(painted, dtype=np.float64), np.asarray(words, dtype=np.float64)
    page_width, page_height = regions.snapshot.width, max(regions.snapshot.height, 1.0)
    size = np.maximum(boxes[:, 2:] - boxes[:, :2], 0)
    width, height = size.T
    path = regions.context.class_path[regions.node]
    parts: list[list[int]] = [[] for _ in range(len(regions))]  # the candidates directly in each
    for row, above in enumerate(regions.parent.tolist()):
        if above >= 0:
            parts[above].append(row)
    of_parts = [
        (
            *_share_values(counts[inside] / max(counts[row], 1e-9)),
            *_layout_values(boxes[inside], counts[inside] >= _SIGNIFICANT * counts[row]),
            (width[inside] >= _ACROSS * width[row]).mean() if inside else 0.0,
            np.unique(path[inside], return_counts=True)[1].max() / len(inside) if inside else 0.0,
        )
        for row, inside in enumerate(parts)
    ]
    return {
        "painted_width": width / page_width,
        "painted_height": height / page_height,
        "painted_px": height,
        "painted_area": width * height / (page_width * page_height),
        **dict(zip(_PART_NAMES, np.array(of_parts, dtype=np.float64).reshape(-1, len(_PART_NAMES)).T, strict=True)),
    }


_PART_NAMES: Final = (
    "loose_words", "second_of_it", "spread_of_words", "parts_of_5", "parts_of_20",
    "parts_beside", "parts_in_rows", "widest_gap", "parts_across", "parts_alike",
)  # fmt: skip


def _share_values(share: NDArray[np.float64]) -> tuple[float, ...]:
    """Return values about the distribution of the words of a candidate over its parts, given their shares."""
    ordered = np.sort(share)[::-1]
    positive = ordered[ordered > 0]
    second = ordered[1] if len(ordered) > 1 else 0.0
    entropy = -(positive * np.log(positive)).sum()
    return max(0.0, 1 - ordered.sum()), second, entropy, (share > 0.05).sum(), (share > 0.2).sum()


def _layout_values(painted: NDArray[np.float64], is_large: NDArray[np.bool_]) -> tuple[float, ...]:
    """Return values about the layout of parts: how many are side by side at most, and the widest gap.

    Two parts are side by side if they overlap vertically by half the height of the lower one, but not horizontally.
    """
    left, top, right, bottom = painted[is_large & (painted[:, 3] > painted[:, 1])].T[:, :, None]
    overlap = np.minimum(bottom, bottom.T) - np.maximum(top, top.T)
    is_apart = (left >= right.T - _SLACK) | (right - _SLACK <= left.T)
    is_beside = (overlap > np.minimum(bottom - top, (bottom - top).T) / 2) & is_apart
    np.fill_diagonal(is_beside, False)
    beside = is_beside.sum(axis=1)
    most, share = (1 + beside.max(), (beside > 0).mean()) if len(beside) else (0, 0.0)
    ordered = painted[np.argsort(painted[:, 1], kind="stable")]
    gaps = ordered[1:, 1] - np.maximum.accumulate(ordered[:-1, 3])  # heights of the empty strips between parts
    return most, share, gaps.max() if len(gaps) else 0.0


_PDOCS: Final = (4, 6, 9)
"""Permitted degrees of coherence at which VIPS segments are counted: coarse, medium, fine."""
_NAMES: Final = (*element_names.KINDS, *(f"name_{name}" for name in element_names.NAME_GROUPS))

_TREE_COLUMNS: Final = (
    *read_columns("segment", "tree"),
    *(FeatureColumn(f"holds_{name}", "flag", f"`{name}` matches a candidate in it.") for name in _NAMES),
)

COLUMNS: Final = (*REGION_COLUMNS, *_TREE_COLUMNS, *SHAPE_COLUMNS)
"""Columns of a container that need no model; region columns come first."""


REGIONAL: Final = len(REGION_COLUMNS)
"""Number of leading columns that are the input of the region model."""

_COLUMN_INDEX: Final = {column.name: index for index, column in enumerate(COLUMNS)}


def segment_matrix(
    regions: Regions, values: Values, segments: Segments, painted: NDArray[np.floating]
) -> NDArray[np.float32]:
    """Return the features of all candidates of a page: float32 (C, len(COLUMNS)).

    Args:
        regions: the candidates of a rendered page with at least one block.
        values: the linguistic, structural and visual columns of its blocks.
        segments: the VIPS segments of the page, divided as far as possible.
        painted: (C, 4), left, top, right, bottom in CSS px of each candidate's painted box.
    """
    region_columns = region_matrix(regions, values)
    flags = np.nan_to_num(region_columns[:, [_COLUMN_INDEX[name] for name in _NAMES]])
    columns = {
        **_vips_columns(regions, segments),
        **_vips_leaf_columns(regions, segments),
        **_tree_columns(regions, region_columns[:, _COLUMN_INDEX["words_of_page"]]),
        **dict(zip((f"holds_{name}" for name in _NAMES), max_over_descendants(flags, regions.parent).T, strict=True)),
        **shape_values(regions, painted, region_columns[:, _COLUMN_INDEX["words"]]),
    }
    names = [column.name for column in (*_TREE_COLUMNS, *SHAPE_COLUMNS)]
    return np.hstack([region_columns, stack_rows(names, columns).T])


def words_of_page(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the share of the page's words of each row of a matrix: float32 (C,)."""
    return np.nan_to_num(x[:, _COLUMN_INDEX["words_of_page"]])


def max_over_descendants(values: NDArray[np.float32], parent: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the maximum of `values` (C, k) over the candidates in each candidate: float32 (C, k); 0 without any."""
    highest = np.zeros_like(values)
    above = parent.tolist()
    for row in range(len(above) - 1, 0, -1):
        if above[row] >= 0:
            np.maximum(highest[above[row]], np.maximum(highest[row], values[row]), out=highest[above[row]])
    return highest


def _vips_columns(regions: Regions, segments: Segments) -> Values:
    """Return columns about the VIPS segments around each candidate."""
    segment = segments.node_segment[regions.node]
    is_visible = segment >= 0
    coherence = np.where(is_visible, segments.coherence[segment], 0)
    parent = regions.parent
    root_count = np.array([len(roots) for roots in segments.roots])
    only_roots = [roots[0] for roots in segments.roots if len(roots) == 1 and roots[0] < len(regions.snapshot)]
    return {
        "vips_coherence": coherence,
        "vips_depth": np.where(is_visible, segments.depth[segment], 0),
        "vips_roots": np.where(is_visible, root_count[segment], 0),
        "is_vips_segment": np.isin(regions.node, regions.context.container[only_roots]),
        "vips_coherence_of_around": np.where(parent >= 0, coherence[parent], 0),
    }


def _vips_leaf_columns(regions: Regions, segments: Segments) -> Values:
    """Return how many VIPS leaves have text in each candidate, and the share with no text outside it.

    Both are counted at each of `_PDOCS`.
    """
    runs = [regions.snapshot.texts_in(node) for node in regions.node.tolist()]
    counts: Values = {}
    for pdoc in _PDOCS:
        owner = segments.at(pdoc).text
        size = np.bincount(owner[owner >= 0], minlength=1)
        leaves_and_texts = [
            np.unique(leaves[leaves >= 0], return_counts=True)
            for leaves in (owner[run.start : run.stop] for run in runs)
        ]
        counts[f"vips_{pdoc}"] = count = np.array([len(leaves) for leaves, _ in leaves_and_texts])
        counts[f"vips_whole_{pdoc}"] = ratio(
            np.array([(texts == size[leaves]).sum() for leaves, texts in leaves_and_texts]), count
        )
    return counts


def _tree_columns(regions: Regions, words: NDArray[np.float32]) -> Values:
    """Return columns about the tree of candidates."""
    parent, count = regions.parent, len(regions)
    inner = parent >= 0
    inside = np.bincount(parent[inner], minlength=count)
    largest = np.zeros(count, dtype=np.float32)
    np.maximum.at(largest, parent[inner], words[inner])
    return {
        "candidate_depth": tree.path_sum(regions.context.is_container, regions.snapshot.end)[regions.node] - 1,
        "candidates_in": inside,
        "candidates_beside": np.where(inner, inside[parent], 0),
        "largest_in": largest,
        "largest_of_it": ratio(largest, words),
    }
