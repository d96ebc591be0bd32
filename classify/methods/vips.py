"""Blocks of highest importance, by VIPS (Cai, Yu, Wen and Ma 2003, MSR-TR-2003-79).

As published: the page is cut into segments by what a reader sees (`vclean.features.segments.vips.algorithm`), down to a
permitted degree of coherence. What is important is left open there; Song, Liu, Wen and Ma 2004 ("Learning block
importance models for web pages") find it in where a segment lies, how large it is, and how much of its text is links.

Chosen here, without training: the importance of a segment is its plain text, the characters outside links, as a share
of the page's, times how near it lies to the middle of the page's width; segments of a fraction of the largest
importance are content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods.base import decide
from vclean.features.page_context import PageContext
from vclean.features.segments.vips import algorithm
from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.segments.segments import Segments

PDOC: Final = 9
"""The permitted degree of coherence."""
_IMPORTANT: Final = 0.1
"""The share of the largest importance from which a segment is content."""


def label(blocks: BlockColumns) -> Prediction:
    """The blocks in important segments."""
    segments = algorithm.segment(blocks.snapshot).at(PDOC)
    home = segments.text[blocks.members[blocks.first]]
    value = importance(PageContext(blocks), segments, home)
    kept = (home >= 0) & (value[home] >= _IMPORTANT * value.max(initial=0)) & (value[home] > 0)
    return decide(blocks, kept & (blocks.visibility == Visibility.SHOWN))


def importance(context: PageContext, segments: Segments, home: NDArray[np.int32]) -> NDArray[np.float64]:
    """float64 (S,): the importance of the segments; `home` (B,) is the segment of each block, -1 for none."""
    plain = context.per_block(context.member_chars) * (1 - context.link_share)
    inside = home >= 0
    text = np.bincount(home[inside], plain[inside], minlength=len(segments))
    middle = segments.box[:, 0] + segments.box[:, 2] / 2
    half = max(float(segments.snapshot.width), 1.0) / 2
    return np.asarray(text * np.nan_to_num(1 - np.abs(middle / half - 1)).clip(0), dtype=np.float64)
