"""The thirteen rules of VIPS by which a node of the page is divided, or taken as a block.

The numbers are those of Cai et al. 2003. What the paper leaves open is settled here: sizes are shares of the page, and
the degree of coherence that rules 8, 9, 10 and 13 set goes by the node's kind and its size against the threshold.
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
"""A block this many times smaller than the threshold coheres by one degree more."""


class VisualBlock(NamedTuple):
    """A node taken as a block, and its degree of coherence."""

    node: int
    coherence: int


class DivisionCase(NamedTuple):
    """A node before the rules.

    Attributes:
        page: the page.
        node: an element with valid children.
        threshold: of rules 9 and 10, as a share of the page's area.
        root: whether the node is the block that is to be cut further.
        before_divided: whether the sibling before it was divided; True for the first child.
    """

    page: VisualPage
    node: int
    threshold: float
    root: bool
    before_divided: bool

    @property
    def children(self) -> list[int]:
        """The valid children, one at least."""
        return self.page.children[self.node]

    @property
    def kind(self) -> NodeKind:
        """The node's kind."""
        return self.page.kind[self.node]


Rule = Callable[[DivisionCase], "DivisionOutcome | None"]
"""What it says of a node; None where it does not apply."""


class DivisionOutcome(NamedTuple):
    """`coherence` of the block that the node is, or None where it is divided; `frozen` children are not."""

    coherence: int | None = None
    frozen: frozenset[int] = frozenset()


_DIVIDE: Final = DivisionOutcome()


def extract_visual_blocks(page: VisualPage, roots: Sequence[int], threshold: float) -> list[VisualBlock]:
    """The blocks of `roots` in document order, a round of the algorithm; a root alone is divided (rule 3).

    Args:
        page: the page.
        roots: valid nodes.
        threshold: of the sizes in rules 9 and 10, as a share of the page's area.
    """
    found: list[VisualBlock] = []
    divided: set[int] = set()
    waiting = [(root, -1, False) for root in reversed(roots)]
    while waiting:
        node, before, frozen = waiting.pop()
        if frozen or page.is_leaf[node]:
            leaf = page.is_leaf[node]
            found.append(
                VisualBlock(node, _leaf_coherence(page, node) if leaf else _frozen_coherence(page, node, threshold))
            )
            continue
        case = DivisionCase(
            page, node, threshold, len(roots) == 1 and node == roots[0], before < 0 or before in divided
        )
        verdict = judge(case)
        if verdict.coherence is not None:
            found.append(VisualBlock(node, verdict.coherence))
            continue
        divided.add(node)
        befores = [-1, *case.children]
        pairs = list(zip(case.children, befores, strict=False))
        waiting += [(child, sibling, child in verdict.frozen) for child, sibling in reversed(pairs)]
    return found


def judge(case: DivisionCase) -> DivisionOutcome:
    """What the first rule that applies says of a node.

    Rule 1, that a node with nothing valid in it is dropped, is met before: such a node is no child of any.
    """
    if case.root:
        return _DIVIDE  # by rule 2 or 3
    settled = case.page.settled
    if case.node not in settled:
        settled[case.node] = _first(_SETTLING[case.kind], case)
    return settled[case.node] or _first(_VARYING[case.kind], case) or _DIVIDE


def _first(rules: Sequence[Rule], case: DivisionCase) -> DivisionOutcome | None:
    """What the first of `rules` says that says anything."""
    return next((verdict for rule in rules if (verdict := rule(case)) is not None), None)


def _leaf_coherence(page: VisualPage, node: int) -> int:
    """The coherence of a leaf, which no size changes."""
    if page.is_text(node):
        return _ONE_FONT
    if page.is_atom[node]:
        return _ATOM
    font = page.fonts.of(node)
    return _ONE_FONT if font is None or font.even else _TEXT


def _only_child(case: DivisionCase) -> DivisionOutcome | None:
    """Rule 2: exactly one valid child, which is no text."""
    return _DIVIDE if len(case.children) == 1 and not case.page.is_text(case.children[0]) else None


def _only_subtree(case: DivisionCase) -> DivisionOutcome | None:
    """Rule 3: the root of the block's only subtree."""
    return _DIVIDE if case.root else None


def _all_text(case: DivisionCase) -> DivisionOutcome | None:
    """Rule 4: all children are text or virtual text."""
    return DivisionOutcome(_leaf_coherence(case.page, case.node)) if case.page.is_leaf[case.node] else None


def _breaks_line(case: DivisionCase) -> DivisionOutcome | None:
    """Rule 5: a child is a line-break node."""
    return _DIVIDE if any(case.page.breaks_line[child] for child in case.children) else None


def _has_rule(case: DivisionCase) -> DivisionOutcome | None:
    """Rule 6: a child is a horizontal rule."""
    return _DIVIDE if case.node in case.page.has_rule else None


def _overflows(case: DivisionCase) -> DivisionOutcome | None:
    """Rule 7: the children's areas sum to more than the node's.

    Text is left out: the box of an inline element that runs over several lines covers its neighbours' by definition.
    """
    areas = case.page.border_area
    total = sum(areas[child] for child in case.children if not case.page.is_virtual_text[child])
    return _DIVIDE if total > areas[case.node] else None


def _backgrounds_differ(case: DivisionCase) -> DivisionOutcome | None:
    """Rule 8: a child's background differs; that child is not divided in this round."""
    backgrounds = case.page.background
    own = backgrounds[case.node]
    frozen = frozenset(child for child in case.children if stands_out(backgrounds[child], own))
    return DivisionOutcome(None, frozen) if frozen else None


def _small_with_text(case: DivisionCase) -> DivisionOutcome | None:
    """Rule 9: a child is text or virtual text, and the node is small."""
    page = case.page
    if page.size[case.node] >= case.threshold or not page.holds_virtual_text[case.node]:
        return None
    return DivisionOutcome(_coherence(case))


def _small_children(case: DivisionCase) -> DivisionOutcome | None:
    """Rule 10: the largest child is small."""
    return DivisionOutcome(_coherence(case)) if case.page.largest_child[case.node] < case.threshold else None


def _before_whole(case: DivisionCase) -> DivisionOutcome | None:
    """Rule 11: the sibling before it was not divided."""
    return None if case.before_divided else DivisionOutcome(_coherence(case))


def _divide(_: DivisionCase) -> DivisionOutcome:
    """Rule 12: divide."""
    return _DIVIDE


def _keep(case: DivisionCase) -> DivisionOutcome:
    """Rule 13: do not divide."""
    return DivisionOutcome(_coherence(case))


def _coherence(case: DivisionCase) -> int:
    """By kind, and one more where the node is much smaller than the threshold."""
    return _BASE[case.kind] + (case.page.size[case.node] * _SMALL < case.threshold)


def _frozen_coherence(page: VisualPage, node: int, threshold: float) -> int:
    """Of rule 8, from 6 to 8: one more for a part of a table, one more where the node is small."""
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

_R: Final[tuple[Rule, ...]] = (
    _only_child, _only_subtree, _all_text, _breaks_line, _has_rule, _overflows, _backgrounds_differ, _small_with_text,
    _small_children, _before_whole, _divide, _keep,
)  # fmt: skip
"""Rules 2 to 13."""


def _rules(*numbers: int) -> tuple[Rule, ...]:
    return tuple(_R[number - 2] for number in numbers)


RULES: Final = {
    NodeKind.INLINE: _rules(2, 3, 4, 5, 6, 7, 9, 10, 12),
    NodeKind.TABLE: _rules(2, 3, 8, 10, 13),
    NodeKind.ROW: _rules(2, 3, 7, 8, 10, 13),
    NodeKind.CELL: _rules(2, 3, 4, 9, 10, 11, 13),
    NodeKind.PARAGRAPH: _rules(2, 3, 4, 5, 6, 7, 9, 10, 12),
    NodeKind.OTHER: _rules(2, 3, 4, 6, 7, 9, 10, 12),
}
"""The rules that hold for each kind of node, in their order."""

_SETTLED: Final = frozenset(_rules(2, 4, 5, 6, 7, 8))
"""Rules that say the same of a node in every round; where they hold, they hold before all others but rule 3."""
_SETTLING: Final = {kind: tuple(rule for rule in rules if rule in _SETTLED) for kind, rules in RULES.items()}
_VARYING: Final = {kind: tuple(rule for rule in rules if rule not in _SETTLED) for kind, rules in RULES.items()}
