"""Decide with the thirteen rules of VIPS whether a node of the page is divided or becomes a block.

Rule numbers are those of Cai et al. 2003. Two details that the paper leaves open: sizes are shares of the page, and the
degree of coherence of rules 8, 10 and 13 depends on the node's kind and on its size relative to the threshold.

Rule 1 drops nodes without valid content: they are not children of any node. Rule 3 divides a single root, and rule 4
keeps a node with text only, a leaf, before the rules of its kind. Rules 9 to 11 have no effect on tables, rows and
cells, because rule 13 keeps these with the same degree of coherence. On other nodes rule 9, which keeps small ones with
text, has none: the children of a small node are small, and rule 10 keeps it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.features.segments.vips.page import NodeKind, stands_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.features.segments.vips.page import VisualPage

_ONE_FONT, _TEXT, _ATOM = 10, 9, 8
_CONTAINER, _TABLE_PART, _FROZEN, _TEXTUAL = 5, 7, 6, 8
_SMALL: Final = 4
"""A block smaller than the threshold by this factor has one more degree of coherence."""

_RULES: Final = {
    NodeKind.INLINE: frozenset((2, 5, 6, 7, 10, 12)),
    NodeKind.PARAGRAPH: frozenset((2, 5, 6, 7, 10, 12)),
    NodeKind.OTHER: frozenset((2, 6, 7, 10, 12)),
    NodeKind.TABLE: frozenset((2, 8, 13)),
    NodeKind.ROW: frozenset((2, 7, 8, 13)),
    NodeKind.CELL: frozenset((2, 13)),
}
"""Rules with an effect for each kind of node. They apply in the order of their numbers."""
_BASE: Final = {
    NodeKind.INLINE: _TEXTUAL,
    NodeKind.PARAGRAPH: _TEXTUAL,
    NodeKind.OTHER: _CONTAINER,
    NodeKind.TABLE: _CONTAINER,
    NodeKind.ROW: _TABLE_PART,
    NodeKind.CELL: _TABLE_PART,
}


class VisualBlock(NamedTuple):
    """Node that became a block, with its degree of coherence."""

    node: int
    coherence: int


def extract_visual_blocks(page: VisualPage, roots: Sequence[int], threshold: float) -> list[VisualBlock]:
    """Return the blocks of `roots` in document order, one round of the algorithm.

    A single root is always divided (rule 3).

    Args:
        page: the page.
        roots: valid nodes.
        threshold: size threshold of rule 10, as a share of the page's area.
    """
    blocks: list[VisualBlock] = []
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, is_frozen = stack.pop()
        if page.is_leaf[node]:
            blocks.append(VisualBlock(node, _leaf_coherence(page, node)))
            continue
        if is_frozen:
            blocks.append(VisualBlock(node, _frozen_coherence(page, node, threshold)))
            continue
        is_single_root = len(roots) == 1 and node == roots[0]
        frozen = frozenset() if is_single_root else _frozen_children(page, node)
        is_kept = 13 in _RULES[page.kind[node]] or page.largest_child[node] < threshold  # rule 10
        if frozen is None and is_kept:
            blocks.append(VisualBlock(node, _coherence(page, node, threshold)))
        else:
            stack += [(child, child in (frozen or ())) for child in reversed(page.children[node])]
    return blocks


def _frozen_children(page: VisualPage, node: int) -> frozenset[int] | None:
    """Return the children that are not divided in this round if rule 2, 5, 6, 7 or 8 divides a node, else None.

    The result is the same in every round, and cached.
    """
    if node not in page.division_cache:
        page.division_cache[node] = _apply_dividing_rules(page, node)
    return page.division_cache[node]


def _apply_dividing_rules(page: VisualPage, node: int) -> frozenset[int] | None:
    rules, children = _RULES[page.kind[node]], page.children[node]
    if len(children) == 1 and not page.is_text(children[0]):  # rule 2: exactly one valid child that is not text
        return frozenset()
    if 5 in rules and any(page.breaks_line[child] for child in children):
        return frozenset()
    if 6 in rules and node in page.has_rule:  # a horizontal rule as child
        return frozenset()
    if 7 in rules and _overflows(page, node):
        return frozenset()
    background = page.background[node]  # rule 8: children with another background are frozen
    differing = [child for child in children if 8 in rules and stands_out(page.background[child], background)]
    return frozenset(differing) or None


def _overflows(page: VisualPage, node: int) -> bool:
    """Return whether the areas of a node's children sum to more than its own.

    Text is ignored: the box of an inline element on several lines always overlaps those of its neighbors.
    """
    areas = page.border_area
    return sum(areas[child] for child in page.children[node] if not page.is_virtual_text[child]) > areas[node]


def _leaf_coherence(page: VisualPage, node: int) -> int:
    """Return the degree of coherence of a leaf; it does not depend on size."""
    if page.is_text(node):
        return _ONE_FONT
    if page.is_atom[node]:
        return _ATOM
    font = page.fonts[node]
    return _ONE_FONT if font is None or font.even else _TEXT


def _coherence(page: VisualPage, node: int, threshold: float) -> int:
    """Return the degree of coherence by kind, plus one if the node is much smaller than the threshold."""
    return _BASE[page.kind[node]] + (page.size[node] * _SMALL < threshold)


def _frozen_coherence(page: VisualPage, node: int, threshold: float) -> int:
    """Return the degree of coherence of a node frozen by rule 8, from 6 to 8.

    Parts of tables and small nodes get one more each.
    """
    is_part = page.kind[node] in (NodeKind.ROW, NodeKind.CELL)
    return _FROZEN + is_part + (page.size[node] < threshold)
