"""CETD by text density and by composite text density, and extraction by point density.

Sun, Song and Liao 2011, "DOM based content extraction via text density"; Yang and Yang 2015 for points. As published:
densities and their sums (`vclean.features.density`); the threshold, which is the smallest density on the path from the
body to the element of the largest sum; and the extraction: an element under the threshold is dropped with all it holds,
of any other the descendant of the largest sum is content as a whole, and its children are looked at in turn.

Chosen here: an element at the threshold is kept, for points too, or the one that set it would go with all it holds; a
block is content if half its characters are; what is hidden is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.methods.verdict import decide
from vclean.features import tree
from vclean.features.density import Density
from vclean.features.view import View
from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import Blocks
    from vclean.render.snapshot import Snapshot

_HALF = 0.5
_TOLERANCE = 1e-9


def text_density(blocks: Blocks) -> Prediction:
    """CETD by text density: characters per tag."""
    density = Density(blocks)
    return _decide(blocks, dense(blocks.snapshot, density.text, density.text_sum))


def composite(blocks: Blocks) -> Prediction:
    """CETD by composite text density: characters per tag, less where there are links."""
    density = Density(blocks)
    return _decide(blocks, dense(blocks.snapshot, density.composite, density.composite_sum))


def point_density(blocks: Blocks) -> Prediction:
    """The same by punctuation marks per tag."""
    density = Density(blocks)
    return _decide(blocks, dense(blocks.snapshot, density.point, density.point_sum))


def dense(snapshot: Snapshot, density: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether an element is content, bool (N,), given the densities and their sums, (N,) each."""
    below = density < threshold(snapshot, density, sums) - _TOLERANCE
    below[0] = False
    looked_at = tree.path_sum(below, snapshot.end) == 0
    looked_at[0] = len(snapshot) == 1
    largest = np.zeros(len(snapshot), dtype=bool)
    largest[tree.subtree_argmax(sums, snapshot.end)[looked_at]] = True
    return np.asarray(tree.path_sum(largest, snapshot.end) > 0)


def threshold(snapshot: Snapshot, density: NDArray[np.float64], sums: NDArray[np.float64]) -> float:
    """The smallest density from the body to the element of the largest sum."""
    inner = snapshot.ancestors(int(np.argmax(sums)))[:-1] or [0]
    return float(density[inner].min())


def _decide(blocks: Blocks, content: NDArray[np.bool_]) -> Prediction:
    kept = View(blocks).char_share(content) >= _HALF
    return decide(blocks, kept & (blocks.visibility != Visibility.HIDDEN))
