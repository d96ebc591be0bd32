"""The true segments of hand-marked pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.classify.marks import locate
from vclean.classify.segmentation import Nodes, Segmentation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.classify.marks import Mark
    from vclean.render.snapshot import Snapshot


def gold_segments(snapshot: Snapshot, marks: Sequence[Mark], level: int) -> Segmentation:
    """The marked elements of one level as segments of the page, in the order of the marks.

    Elements that show nothing, or are not on the page, are left out. Marks of one level may lie in each other.

    Args:
        snapshot: the page without its marks, rendered.
        marks: what `strip` took from it.
        level: 1 for the regions of the page, 2 for the parts of regions.
    """
    nodes = Nodes(snapshot)
    elements = locate(snapshot, [mark for mark in marks if mark.level == level])
    return Segmentation.of_nodes(nodes, nodes.below(elements[elements >= 0]))
