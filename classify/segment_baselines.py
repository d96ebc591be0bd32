"""What a segmenter has to beat: the whole page as one segment, and cuts through the tree of elements at one depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from vclean.classify.segmentation import Nodes, Segmentation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

DEPTHS: Final = range(1, 17)
"""The depths worth a cut; below, few pages have anything."""


def whole_page(snapshot: Snapshot) -> Segmentation:
    """The page as one segment."""
    shape = shapely.box(0, 0, max(round(snapshot.width), 1), max(round(snapshot.height), 1))
    return Segmentation(np.array([shape]), np.ones((1, len(Nodes(snapshot))), dtype=bool))


def depth_cut(snapshot: Snapshot, depth: int) -> Segmentation:
    """The page cut at one depth of the tree, 1 for the children of the body.

    Every element of that depth is a segment with all that is in it. An element above the cut is one with the texts and
    the childless elements, such as images, that stand in it directly.
    """
    nodes = Nodes(snapshot)
    owner = _owners(nodes, depth)
    leaf = nodes.shown & _is_leaf(nodes)
    elements = np.unique(owner[leaf])
    holds = nodes.below(elements)
    above = snapshot.depth[elements] < _body_depth(snapshot) + depth
    holds[above] &= (owner == elements[above, None]) & leaf
    return Segmentation.of_nodes(nodes, holds)


def _owners(nodes: Nodes, depth: int) -> NDArray[np.int64]:
    """int64 (N + T,): the ancestor of every node at the cut, or what holds it above the cut."""
    page, bottom = nodes.snapshot, _body_depth(nodes.snapshot) + depth
    owner: NDArray[Any] = np.concatenate([np.arange(len(page)), page.text_parent]).astype(np.int64)
    childless = np.flatnonzero(_is_leaf(nodes)[: len(page)] & (page.depth < bottom))
    owner[childless] = np.maximum(page.parent[childless], 0)
    while (low := page.depth[owner] > bottom).any():
        owner[low] = page.parent[owner[low]]
    return owner


def _is_leaf(nodes: Nodes) -> NDArray[np.bool_]:
    """Bool (N + T,): texts, and elements that show neither a text nor an element."""
    page = nodes.snapshot
    holder = np.concatenate([page.parent, page.text_parent])
    leaf = np.ones(len(nodes), dtype=bool)
    leaf[holder[nodes.shown & (holder >= 0)]] = False
    return leaf


def _body_depth(snapshot: Snapshot) -> int:
    body = np.flatnonzero(snapshot.is_tag(("body",)))
    return int(snapshot.depth[body[0]]) if len(body) else 0
