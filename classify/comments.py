"""Which blocks of a page are readers' comments, for those who say whether they want them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import names, region_blocks, tree
from vclean.roles import Role

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.view import View

WHOLE: Final = 0.95
"""An element with a larger share of the page's words is the page: themes write `comments-open` on the body."""

_COMMENTS: Final = np.uint64(1 << names.NAMES.index("comments"))


def among_comments(view: View, regions: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (B,): that a block is among readers' comments.

    It is for sure where an element round it is called so by its class or id. Else the region model has its say: the
    highest probability of a container round the block to be comments, 0 without such a model.

    Args:
        view: the page.
        regions: float32 (B, len(region_blocks.COLUMNS)), NaN without a region model.
    """
    named = called_comments(view).astype(np.float32)
    return np.asarray(np.fmax(named, region_blocks.among(regions, Role.COMMENTS)))


def called_comments(view: View) -> NDArray[np.bool_]:
    """Whether an element round a block is called comments, and is neither the page nor holds its first heading."""
    snapshot = view.snapshot
    called = (view.name_bits & _COMMENTS) > 0
    if not called.any() or not len(view):
        return np.zeros(len(view), dtype=bool)
    words = view.on_nodes(view.tokens)
    first_heading = np.flatnonzero(snapshot.is_tag(("h1",)))[:1]
    holds_heading = tree.subtree_sum(np.isin(np.arange(len(snapshot)), first_heading), snapshot.end) > 0
    called &= (words <= WHOLE * words[0]) & ~holds_heading
    return tree.path_sum(called, snapshot.end)[view.blocks.node] > 0
