"""Decide with the thirteen rules of VIPS whether a node of the page is divided or becomes a block.

Rule numbers are those of Cai et al. 2003. Two details that the paper leaves open: sizes are shares of the page, and the
degree of coherence of rules 8, 9, 10 and 13 depends on the node's kind and on its size relative to the threshold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.features.segments.vips.page import NodeKind, stands_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.features.segments.vips.page import VisualPage

_ONE_FONT, _TEXT, _ATOM = 10, 9, 8
_CONTAINER, _TABLE_PART, _FROZEN, _TEXTUAL = 5, 7, 6, 8
_SMALL: Final = 4
"""A block smaller than the threshold by this factor has one more degree of coherence."""


class VisualBlock(NamedTuple):
    """Node that became a block, with its degree of coherence."""

    node: int
    coherence: int


class DivisionCase(NamedTuple):
    """Node with the context that the rules depend on.

    Attributes:
        page: the page.
        node: an element with valid children.
        threshold: size threshold of rules 9 and 10, as a share of the page's area.
        root: whether the node is the block to divide.
        before_divided: whether the previous sibling was divided; True for the first child.
    """

    page: VisualPage
    node: int
    threshold: float
    root: bool
    before_divided: bool

    @property
    def children(self) -> list[int]:
        """Return the valid children, at least one."""
        return self.page.children[self.node]

    @property
    def kind(self) -> NodeKind:
        """Return the node's kind."""
        return self.page.kind[self.node]


Rule = Callable[[DivisionCase], "DivisionOutcome | None"]
"""Function that decides about a node; it returns None if the rule does not apply."""


class DivisionOutcome(NamedTuple):
    """Decision about a node.

    Attributes:
        coherence: the degree of coherence if the node becomes a block, None if it is divided.
        frozen: children that become blocks without division in this round.
    """

    coherence: int | None = None
    frozen: frozenset[int] = frozenset()


_DIVIDE: Final = DivisionOutcome()


def extract_visual_blocks(page: VisualPage, roots: Sequence[int], threshold: float) -> list[VisualBlock]:
    """Return the blocks of `roots` in document order, one round of the algorithm.

    A single root is always divided (rule 3).

    Args:
        page: the page.
        roots: valid nodes.
        threshold: size threshold of rules 9 and 10, as a share of the page's area.
    """
    blocks: list[VisualBlock] = []
    divided: set[int] = set()
    stack = [(root, -1, False) for root in reversed(roots)]
    while stack:
        node, previous, frozen = stack.pop()
        if frozen or page.is_leaf[node]:
            is_leaf = page.is_leaf[node]
            blocks.append(
                VisualBlock(node, _leaf_coherence(page, node) if is_leaf else _frozen_coherence(page, node, threshold))
            )
            continue
        case = DivisionCase(
            page, node, threshold, len(roots) == 1 and node == roots[0], previous < 0 or previous in divided
        )
        outcome = apply_rules(case)
        if outcome.coherence is not None:
            blocks.append(VisualBlock(node, outcome.coherence))
            continue
        divided.add(node)
        previous_siblings = [-1, *case.children]
        pairs = list(zip(case.children, previous_siblings, strict=False))
        stack += [(child, sibling, child in outcome.frozen) for child, sibling in reversed(pairs)]
    return blocks


def apply_rules(case: DivisionCase) -> DivisionOutcome:
    """Return the decision of the first rule that applies to a node.

    Rule 1, which drops nodes without valid content, is not needed: such nodes are not children of any node.
    """
    if case.root:
        return _DIVIDE  # by rule 2 or 3
    cache = case.page.rule_cache
    if case.node not in cache:
        cache[case.node] = _first(_CACHED_RULES[case.kind], case)
    return cache[case.node] or _first(_UNCACHED_RULES[case.kind], case) or _DIVIDE


def _first(rules: Sequence[Rule], case: DivisionCase) -> DivisionOutcome | None:
    """Return the first decision of `rules` that is not None."""
    return next((outcome for rule in rules if (outcome := rule(case)) is not None), None)


def _leaf_coherence(page: VisualPage, node: int) -> int:
    """Return the degree of coherence of a leaf; it does not depend on size."""
    if page.is_text(node):
        return _ONE_FONT
    if page.is_atom[node]:
        return _ATOM
    font = page.fonts.of(node)
    return _ONE_FONT if font is None or font.even else _TEXT


def _only_child(case: DivisionCase) -> DivisionOutcome | None:
    """Apply rule 2: divide a node with exactly one valid child that is not text."""
    return _DIVIDE if len(case.children) == 1 and not case.page.is_text(case.children[0]) else None


def _only_subtree(case: DivisionCase) -> DivisionOutcome | None:
    """Apply rule 3: divide the root of the block's only subtree."""
    return _DIVIDE if case.root else None


def _all_text(case: DivisionCase) -> DivisionOutcome | None:
    """Apply rule 4: keep a node if all its children are text or virtual text."""
    return DivisionOutcome(_leaf_coherence(case.page, case.node)) if case.page.is_leaf[case.node] else None


def _breaks_line(case: DivisionCase) -> DivisionOutcome | None:
    """Apply rule 5: divide a node with a line-break child."""
    return _DIVIDE if any(case.page.breaks_line[child] for child in case.children) else None


def _has_rule(case: DivisionCase) -> DivisionOutcome | None:
    """Apply rule 6: divide a node with a horizontal rule as child."""
    return _DIVIDE if case.node in case.page.has_rule else None


def _overflows(case: DivisionCase) -> DivisionOutcome | None:
    """Apply rule 7: divide a node if the areas of its children sum to more than its own.

    Text is ignored: the box of an inline element on several lines always overlaps those of its neighbors.
    """
    areas = case.page.border_area
    total = sum(areas[child] for child in case.children if not case.page.is_virtual_text[child])
    return _DIVIDE if total > areas[case.node] else None


def _backgrounds_differ(case: DivisionCase) -> DivisionOutcome | None:
    """Apply rule 8: divide a node if a child's background differs; that child is not divided in this round."""
    backgrounds = case.page.background
    background = backgrounds[case.node]
    frozen = frozenset(child for child in case.children if stands_out(backgrounds[child], background))
    return DivisionOutcome(None, frozen) if frozen else None


def _small_with_text(case: DivisionCase) -> DivisionOutcome | None:
    """Apply rule 9: keep a small node with a child that is text or virtual text."""
    page = case.page
    if page.size[case.node] >= case.threshold or not page.has_virtual_text_child[case.node]:
        return None
    return DivisionOutcome(_coherence(case))


def _small_children(case: DivisionCase) -> DivisionOutcome | None:
    """Apply rule 10: keep a node if its largest child is small."""
    return DivisionOutcome(_coherence(case)) if case.page.largest_child[case.node] < case.threshold else None


def _follows_undivided(case: DivisionCase) -> DivisionOutcome | None:
    """Apply rule 11: keep a node if its previous sibling was not divided."""
    return None if case.before_divided else DivisionOutcome(_coherence(case))


def _divide(_: DivisionCase) -> DivisionOutcome:
    """Apply rule 12: divide."""
    return _DIVIDE


def _keep(case: DivisionCase) -> DivisionOutcome:
    """Apply rule 13: do not divide."""
    return DivisionOutcome(_coherence(case))


def _coherence(case: DivisionCase) -> int:
    """Return the degree of coherence by kind, plus one if the node is much smaller than the threshold."""
    return _BASE[case.kind] + (case.page.size[case.node] * _SMALL < case.threshold)


def _frozen_coherence(page: VisualPage, node: int, threshold: float) -> int:
    """Return the degree of coherence of a node frozen by rule 8, from 6 to 8.

    Parts of tables and small nodes get one more each.
    """
    is_part = page.kind[node] in (NodeKind.ROW, NodeKind.CELL)
    return _FROZEN + is_part + (page.size[node] < threshold)


_BASE: Final = {
    NodeKind.INLINE: _TEXTUAL,
    NodeKind.PARAGRAPH: _TEXTUAL,
    NodeKind.TABLE: _CONTAINER,
    NodeKind.ROW: _TABLE_PART,
    NodeKind.CELL: _TABLE_PART,
    NodeKind.OTHER: _CONTAINER,
}

_NUMBERED_RULES: Final[tuple[Rule, ...]] = (
    _only_child, _only_subtree, _all_text, _breaks_line, _has_rule, _overflows, _backgrounds_differ, _small_with_text,
    _small_children, _follows_undivided, _divide, _keep,
)  # fmt: skip
"""Rules 2 to 13."""


def _rules(*numbers: int) -> tuple[Rule, ...]:
    """Return rules by number."""
    return tuple(_NUMBERED_RULES[number - 2] for number in numbers)


RULES: Final = {
    NodeKind.INLINE: _rules(2, 3, 4, 5, 6, 7, 9, 10, 12),
    NodeKind.TABLE: _rules(2, 3, 8, 10, 13),
    NodeKind.ROW: _rules(2, 3, 7, 8, 10, 13),
    NodeKind.CELL: _rules(2, 3, 4, 9, 10, 11, 13),
    NodeKind.PARAGRAPH: _rules(2, 3, 4, 5, 6, 7, 9, 10, 12),
    NodeKind.OTHER: _rules(2, 3, 4, 6, 7, 9, 10, 12),
}
"""Rules for each kind of node, in order of application."""

_SIZE_INDEPENDENT: Final = frozenset(_rules(2, 4, 5, 6, 7, 8))
"""Rules with the same result in every round. They precede all other rules except rule 3, and their result is cached."""
_CACHED_RULES: Final = {
    kind: tuple(rule for rule in rules if rule in _SIZE_INDEPENDENT) for kind, rules in RULES.items()
}
_UNCACHED_RULES: Final = {
    kind: tuple(rule for rule in rules if rule not in _SIZE_INDEPENDENT) for kind, rules in RULES.items()
}
